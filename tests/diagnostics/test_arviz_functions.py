"""The functions of ArviZ that are used most, called plainly, in whichever version is installed."""

import warnings

import numpy as np
import pytest

import jaxlda
from tests.models.test_diagnosed import CORPUS

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(scope="module")
def az():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


@pytest.fixture(scope="module")
def model():
    """Small, and with titles that occur again and again."""
    titles = ["report", "report (2)", *["report"] * 6]
    corpus = jaxlda.Corpus.from_counts(CORPUS.counts[:8, :10], CORPUS.vocab[:10], titles=titles)
    options = {"num_warmup": 5, "num_samples": 30, "thinning": 1, "num_chains": 2, "progress": False}
    return jaxlda.LDA(2, **options).fit(corpus)


@pytest.fixture(scope="module")
def data(model):
    return model.to_arviz()


@pytest.fixture(autouse=True)
def _closed():
    previous = plt.get_backend()
    plt.switch_backend("Agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ's own about its dependencies, and about Pareto k of so few draws
        yield
    plt.close("all")
    plt.switch_backend(previous)


def first(az, *names):
    """The first of these functions that this version has."""
    return next(getattr(az, name) for name in names if hasattr(az, name))


def test_summary(az, data):
    table = az.summary(data)
    assert len(table) == 2 * 10 + 8 * 2 + 2 + 4  # phi, theta, n_k, likeness
    assert sum("report (3)" in str(name) for name in table.index) == 2
    assert np.isfinite(table["mean"].astype(float)).all()


@pytest.mark.parametrize("name", ["rhat", "ess", "mcse", "hdi"])
def test_numbers(az, data, name):
    found = getattr(az, name)(data)
    found = found.posterior if hasattr(found, "posterior") else found
    assert set(found.data_vars) == {"phi", "theta", "n_k", "likeness"}


def test_loo_and_compare(az, data, model):
    assert np.isfinite(az.loo(data)["se"])
    table = az.compare({"one": data, "other": model.to_arviz(["n_k"])})
    assert set(table.index) == {"one", "other"}
    az.plot_compare(table)


FIGURES = [
    ("plot_trace",),
    ("plot_rank",),
    ("plot_posterior", "plot_dist"),
    ("plot_forest",),
    ("plot_autocorr",),
    ("plot_ess",),
    ("plot_ess_evolution", "plot_ess"),
    ("plot_mcse",),
    ("plot_pair",),
    ("plot_density", "plot_dist"),
    ("plot_violin", "plot_forest"),
]


@pytest.mark.parametrize("names", FIGURES, ids=lambda names: names[0])
def test_figures(az, data, names):
    assert first(az, *names)(data, var_names=["n_k"]) is not None


@pytest.mark.parametrize("name", ["plot_trace", "plot_rank"])
def test_figures_of_all_that_was_asked_for(az, model, name):
    assert getattr(az, name)(model.to_arviz(["n_k", "likeness"])) is not None


def test_extract(az, data):
    found = az.extract(data)
    assert found.sizes["sample"] == 60 and set(found.data_vars) == {"phi", "theta", "n_k", "likeness"}


def test_netcdf(az, data, tmp_path):
    data.to_netcdf(str(tmp_path / "run.nc"))
    back = az.from_netcdf(str(tmp_path / "run.nc"))
    assert len(az.summary(back, var_names=["n_k"])) == 2


def test_titles_that_occur_again_are_numbered(data):
    names = data.posterior.doc.values.tolist()
    assert names[:4] == ["report", "report (2)", "report (3)", "report (4)"] and len(set(names)) == 8
