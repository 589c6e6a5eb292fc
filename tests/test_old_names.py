"""Names of version 0.1 work until 0.3, with a warning that says the new one."""

import importlib
import sys
import warnings

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.experiments import EXPERIMENTS
from jaxlda.running.results import Series, named
from tests.models.storing import CORPUS
from tests.models.toy import toy

SETTINGS = {"num_warmup": 1, "num_samples": 1, "trace_every": 0}


@pytest.fixture
def unseen():
    """As if nobody had asked for old names before."""

    def forget():
        for name in jaxlda._RENAMED:
            if name not in jaxlda._MODULES:
                sys.modules.pop(f"jaxlda.{name}", None)
                vars(jaxlda).pop(name, None)

    forget()
    yield
    forget()


@pytest.mark.parametrize(("old", "new"), [pair for pair in jaxlda._RENAMED.items() if pair[0] not in jaxlda._MODULES])
def test_modules(unseen, old, new):
    sys.modules.pop(f"jaxlda.{old}", None)
    with pytest.warns(DeprecationWarning, match=rf"jaxlda\.{old} is now jaxlda\.{new}; .* with version 0\.3"):
        found = importlib.import_module(f"jaxlda.{old}")
    new = importlib.import_module(f"jaxlda.{new}")
    assert all(getattr(found, name) is getattr(new, name) for name in new.__all__)


def test_attributes_and_names_in_them(unseen):
    with pytest.warns(DeprecationWarning, match=r"jaxlda\.driver is now jaxlda\.running\.driver"):
        assert jaxlda.driver.run is jaxlda.run
    with pytest.warns(DeprecationWarning, match=r"jaxlda\.corpus is now jaxlda\.corpora\.corpus"):
        from jaxlda.corpus import Corpus
    assert Corpus is jaxlda.Corpus
    with pytest.raises(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from jaxlda.store import nothing  # noqa: F401


def test_modules_that_never_were():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("jaxlda.nothing")


def test_a_public_name_is_a_module_without_a_warning(recwarn):
    sys.modules.pop("jaxlda.priors", None)  # as if nobody had asked for it before
    from jaxlda.priors import seeded

    assert seeded is jaxlda.corpora.priors.seeded and not recwarn


def test_series_of_a_trace():
    trace = Series({"log_joint": np.zeros((1, 2))})
    with pytest.warns(DeprecationWarning, match=r"trace\.log_joint is now trace\['log_joint'\]"):
        assert trace.log_joint is trace["log_joint"]
    assert type(jax.tree.map(lambda x: x + 1, trace)) is Series
    with pytest.raises(AttributeError, match="there is no series 'joint'; the trace has log_joint"):
        _ = trace.joint


def test_what_is_kept():
    data = CORPUS.data(3)
    with pytest.warns(DeprecationWarning, match="keep='similarity' is now 'likeness'"):
        run = jaxlda.run(0, toy(), data, keep="similarity", **SETTINGS)
    with pytest.warns(DeprecationWarning, match=r"run\.similarity is now run\.likeness"):
        np.testing.assert_array_equal(run.similarity, run.likeness)
    with pytest.warns(DeprecationWarning, match="keep='similarity' is now 'likeness'"):
        model = jaxlda.LDA(3, kernel=toy(), keep=["n_k", "similarity"], progress=False, **SETTINGS).fit(CORPUS)
    assert set(model.run_.kept) == {"n_k", "likeness"}
    assert isinstance(run.trace, Series) and named(["phi"]) == ("phi",)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_of_their_modules(name):
    module = importlib.import_module(f"jaxlda.experiments.{EXPERIMENTS[name].module}")
    with (
        pytest.warns(DeprecationWarning, match=rf"is now jaxlda\.experiments\.reproduce\('{name}', \.\.\.\)"),
        pytest.raises(ValueError, match="scale must be 'full' or 'smoke'; got 'huge'"),
    ):
        module.reproduce(scale="huge")
