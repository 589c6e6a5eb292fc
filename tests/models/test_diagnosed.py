"""What models tell of their chains, from the user's point of view."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import jaxlda
from jaxlda import LDA
from jaxlda.models import _fitting
from jaxlda.models._fitting import kept
from tests.tiers import mostly_slow

CORPUS, TRUTH = jaxlda.datasets.simulate(60, 4, 30, 80, alpha=0.2, beta=0.1, seed=3)
TITLES = tuple(f"text {d}" for d in range(60))


def lda(num_topics=4, **changes):
    options = {"alpha": 0.2, "beta": 0.1, "num_warmup": 60, "num_samples": 20, "num_chains": 3, "progress": False}
    return LDA(num_topics, **(options | changes))


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


@pytest.fixture(scope="module")
def model():
    titled = jaxlda.Corpus.from_counts(CORPUS.counts, CORPUS.vocab, titles=TITLES)
    return lda().fit(titled)


class TestDiagnostics:
    def test_without_special_options(self, model):
        found = model.diagnostics()
        assert set(found.table.kind) == {"log joint", "perplexity", "topic size", "likeness", "phi", "theta"}
        assert found.converged in (True, False, None) and found.verdict in str(found)
        assert found.labels.reference == model.best_chain_
        words = [name.split("word ")[1] for name in found.table.index if name.startswith("phi")]
        assert set(words) <= set(model.vocab_)

    def test_options(self, model):
        usual, strict = (model.diagnostics(min_ess=ess, false_alarms=1e-9).verdict for ess in (100, 100_000))
        assert "more sweeps" in strict and strict != usual

    def test_topics_have_the_numbers_of_phi(self, model):
        """Entries of phi are those of the model's own topics."""
        table = model.diagnostics().table
        for name, row in table[table.kind == "phi"].iterrows():
            v = list(model.vocab_).index(name.split("word ")[1])
            own = model.estimates("phi")[row.topic]
            assert v in np.argsort(-own)[:5]

    def test_one_draw(self):
        assert lda(num_samples=1, num_warmup=5).fit(CORPUS).diagnostics().converged is not True

    def test_nothing_kept(self):
        found = lda(keep=(), num_samples=4, num_warmup=5).fit(CORPUS).diagnostics()
        assert set(found.table.kind) == {"log joint", "perplexity"} and len(found.topics) == 4

    def test_more_sweeps_keep_more(self, model):
        short = lda(num_samples=12).fit(CORPUS).resume(40)
        assert short.run_.phi.shape[:2] == (3, 20)
        np.testing.assert_array_equal(short.run_.phi, model.run_.phi)

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            lda().diagnostics()
        with pytest.raises(NotFittedError):
            lda().to_arviz()


class TestArviz:
    def test_real_names(self, model):
        posterior = model.to_arviz().posterior
        assert posterior.word.values.tolist() == model.vocab_.tolist()
        assert posterior.doc.values.tolist() == list(TITLES)
        own = posterior.phi.sel(chain=model.best_chain_).mean("draw").values
        assert np.abs(own - model.estimates("phi")).max() < 0.02

    def test_documents_without_titles_are_numbered(self):
        fitted = lda(num_samples=1, num_warmup=2, num_chains=1).fit(CORPUS.counts)
        assert fitted.to_arviz().posterior.doc.values.tolist() == list(range(60))

    def test_names_are_saved(self, model, tmp_path):
        model.save(tmp_path / "model.jaxlda")
        loaded = jaxlda.load(tmp_path / "model.jaxlda")
        assert loaded.to_arviz().posterior.doc.values.tolist() == list(TITLES)
        assert loaded.diagnostics().verdict == model.diagnostics().verdict

    @pytest.mark.hours
    def test_numbers_of_topics_are_ranked(self, arviz, model):
        """The corpus has four topics: two explain it worse, by more than the standard error."""
        two = lda(2).fit(CORPUS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # ArviZ 0.23 is older than its pandas
            warnings.simplefilter("ignore", UserWarning)  # high Pareto k: theta of a document is learned from itself
            few, true = (arviz.loo(fitted.to_arviz(var_names=["n_k", "likeness"])) for fitted in (two, model))
            table = arviz.compare({"two": two.to_arviz(["n_k"]), "four": model.to_arviz(["n_k"])})
        elpd = "elpd_loo" if hasattr(few, "elpd_loo") else "elpd"
        assert true[elpd] > few[elpd] + few["se"]
        assert list(table.index) == ["four", "two"]


class TestKeep:
    def test_what_fits(self, monkeypatch):
        data = CORPUS.data(4)
        assert kept("auto", data, 3, 20, True) == ("n_k", "likeness", "log_likelihood", "phi", "theta")
        small = 4 * 3 * 20 * (4 + 16 + 60)
        monkeypatch.setattr(_fitting, "LIMIT", small + 4 * 3 * 20 * 4 * 30)
        assert kept("auto", data, 3, 20, True) == ("n_k", "likeness", "log_likelihood", "phi")
        monkeypatch.setattr(_fitting, "LIMIT", small)
        fitted = lda().fit(CORPUS)
        assert set(fitted.run_.kept) == {"n_k", "likeness", "log_likelihood"}
        assert fitted.to_arviz().attrs["left_out"] == "phi, theta (not kept of every draw)"
        assert fitted.diagnostics().table.kind.isin(["phi", "theta"]).sum() == 0

    @pytest.mark.slow
    def test_what_no_longer_fits_is_let_go(self, monkeypatch):
        monkeypatch.setattr(_fitting, "LIMIT", 4 * 3 * 20 * (4 + 16 + 60 + 4 * 30))
        longer = lda(num_samples=2).fit(CORPUS).resume(90)
        assert set(longer.run_.kept) == set(lda(num_samples=20).fit(CORPUS).run_.kept) and longer.run_.num_draws == 20

    def test_names(self):
        assert set(lda(keep=("z",), num_warmup=2, num_samples=1).fit(CORPUS).run_.kept) == {"z"}
        assert kept("z", CORPUS.data(4), 1, 1, True) == ("z",)

    @pytest.mark.parametrize(
        ("keep", "wrong"), [(["phi", "psi"], "'psi'"), ("all", "'all'"), (3, "3"), ({"phi"}, "{'phi'}")]
    )
    def test_unknown(self, keep, wrong):
        with pytest.raises(ValueError, match=f"keep must be 'auto' or names of z, n_dk.*; not {wrong}"):
            lda(keep=keep).fit(CORPUS)


@pytest.mark.parametrize(
    "kernel", mostly_slow(jaxlda.kernels.KERNELS, "cgs", "vb", hours=lambda kernel: kernel not in ("cvb0", "pcgs"))
)
def test_every_kernel_is_judged(kernel):
    """By its own objective, whatever it is called."""
    corpus = jaxlda.datasets.load("bars").subset(range(12))
    options = {"num_warmup": 2, "num_samples": 4, "thinning": 1, "num_chains": 2, "progress": False}
    model = jaxlda.LDA(3, kernel=kernel, **options).fit(corpus)
    found, name = model.diagnostics(), "bound" if kernel == "vb" else "log joint"
    assert model.run_.objective_name == found.table.index[0] == found.table.kind.iloc[0] == name
    assert jaxlda.plots.autocorrelation(model).yaxis.axis_label == f"autocorrelation of {name}"
    assert jaxlda.plots.table_of(jaxlda.plots.ess(found)).quantity.unique()[0] == name
