"""Models around runs: the same as after a fit of their own, to the bit, or a refusal."""

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.models import from_run

SETTINGS = {"num_warmup": 2, "num_samples": 2, "thinning": 2, "num_chains": 2, "seed": 5}


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.simulate(30, 3, 20, 12, labels_per_doc=1.5, seed=1)[0]


@pytest.fixture(scope="module")
def fitted(corpus):
    return jaxlda.LDA(3, progress=False, **SETTINGS).fit(corpus)


def test_is_the_fitted_model(corpus, fitted, tmp_path):
    model = from_run(jaxlda.LDA(3, progress=False, **SETTINGS), fitted.run_, corpus)
    for kind in ("phi", "phi_p", "theta", "theta_p"):
        np.testing.assert_array_equal(model.estimates(kind), fitted.estimates(kind))
    assert model.best_chain_ == fitted.best_chain_ and model.top_words(3) == fitted.top_words(3)
    for name, saved in (("a", model), ("b", fitted)):
        saved.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_partial_run_goes_on_to_the_same_end(corpus, fitted):
    model = jaxlda.LDA(3, progress=False, **SETTINGS)
    sweeps = {name: value for name, value in SETTINGS.items() if name != "seed"}
    blocks = jaxlda.run_blocks(
        jax.random.key(5), jaxlda.kernels.cgs(), corpus.data(3), block=3, keep=tuple(fitted.run_.kept), **sweeps
    )
    next(blocks)
    partial = next(blocks)
    blocks.close()
    assert partial.sweep == 3 and partial.num_draws == 0
    model = from_run(model, partial, corpus)
    assert model.phi_.shape == (3, 20)
    np.testing.assert_array_equal(model.resume().phi_, fitted.phi_)


@pytest.mark.slow
def test_supervised(corpus):
    options = {"progress": False, "count": 1, **SETTINGS}
    fitted = jaxlda.PriorLDA(**options).fit(corpus)
    model = from_run(jaxlda.PriorLDA(**options), fitted.run_, corpus)
    np.testing.assert_array_equal(model.prediction_alpha_, fitted.prediction_alpha_)
    some = corpus.subset(range(5))
    sweeps = {"num_warmup": 2, "num_samples": 1, "num_chains": 1}
    np.testing.assert_array_equal(model.predict(some, **sweeps), fitted.predict(some, **sweeps))
    with pytest.raises(ValueError, match="target y is None"):
        unlabeled = jaxlda.Corpus(corpus.counts, corpus.vocab)
        from_run(jaxlda.PriorLDA(**options), fitted.run_, unlabeled)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"kernel": "cvb0"}, "the kernel"),
        ({"num_topics": 4}, "documents or priors"),
        ({"alpha": 0.2}, "documents or priors"),
        ({"seed": 6}, "the seed"),
        ({"num_chains": 1}, "num_chains"),
        ({"thinning": 3}, "num_warmup or thinning"),
        ({"seed": 6, "num_warmup": 3}, "the seed, num_warmup or thinning"),
    ],
)
def test_another_run_is_refused(corpus, fitted, change, difference):
    model = jaxlda.LDA(**({"num_topics": 3} | SETTINGS | change))
    with pytest.raises(ValueError, match=f"differs from the model in {difference};"):
        from_run(model, fitted.run_, corpus)
    assert not hasattr(model, "run_")


def test_other_documents_are_refused(corpus, fitted):
    counts = corpus.counts.copy()
    counts.data[0] += 1
    other = jaxlda.Corpus.from_counts(counts)
    with pytest.raises(ValueError, match="differs from the model in documents or priors"):
        from_run(jaxlda.LDA(3, **SETTINGS), fitted.run_, other)
