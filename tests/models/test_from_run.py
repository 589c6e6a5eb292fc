"""Models around runs: the same as after a fit of their own, to the bit, or a refusal."""

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, PLDA, DependencyLDA, PriorLDA

SWEEPS = {"num_warmup": 2, "num_samples": 2, "thinning": 2, "num_chains": 2}
SETTINGS = SWEEPS | {"seed": 5}
SOME = {"num_warmup": 2, "num_samples": 1, "num_chains": 1}


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.simulate(30, 3, 20, 12, labels_per_doc=1.5, seed=1)[0]


@pytest.fixture(scope="module")
def fitted(corpus):
    return LDA(3, progress=False, **SETTINGS).fit(corpus)


def test_is_the_fitted_model(corpus, fitted, tmp_path):
    model = LDA.from_run(fitted.run_, corpus, **fitted.get_params())
    for kind in ("phi", "phi_p", "theta", "theta_p"):
        np.testing.assert_array_equal(model.estimates(kind), fitted.estimates(kind))
    assert model.best_chain_ == fitted.best_chain_ and model.top_words(3) == fitted.top_words(3)
    for name, saved in (("a", model), ("b", fitted)):
        saved.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_run_tells_its_parameters(corpus, fitted):
    model = LDA.from_run(fitted.run_, corpus)
    told = {
        name: value for name, value in model.get_params().items() if name in (*SWEEPS, "num_topics", "alpha", "beta")
    }
    assert told == SWEEPS | {"num_topics": 3, "alpha": 0.1, "beta": 0.01}
    np.testing.assert_array_equal(model.phi_, fitted.phi_)
    np.testing.assert_array_equal(model.resume(2).phi_, LDA.from_run(fitted.run_, corpus.vocab).resume(2).phi_)
    assert LDA.from_run(fitted.run_, corpus.vocab).top_words() == fitted.top_words()
    assert LDA.from_run(fitted.run_).vocab_[0] == "w0"


def test_the_key_may_be_anything(corpus, tmp_path):
    """One from ``split`` belongs to no seed: nothing needs one."""
    key = jax.random.split(jax.random.key(3))[1]
    run = jaxlda.run(key, jaxlda.kernels.cgs(), corpus.data(3), **SWEEPS)
    model = LDA.from_run(run, corpus)
    assert model.seed is None
    model.save(tmp_path / "a.jaxlda")
    whole = jaxlda.run(key, jaxlda.kernels.cgs(), corpus.data(3), **(SWEEPS | {"num_samples": 4}))
    loaded = jaxlda.load(tmp_path / "a.jaxlda").set_params(progress=False)
    np.testing.assert_array_equal(loaded.resume(4).run_.sample.z, whole.sample.z)
    np.testing.assert_array_equal(
        loaded.transform(corpus, **SOME), model.set_params(progress=False).resume(4).transform(corpus, **SOME)
    )


def test_partial_run_goes_on_to_the_same_end(corpus, fitted):
    blocks = jaxlda.run_blocks(
        jax.random.key(5), jaxlda.kernels.cgs(), corpus.data(3), block=3, keep=tuple(fitted.run_.kept), **SWEEPS
    )
    next(blocks)
    partial = next(blocks)
    blocks.close()
    assert partial.sweep == 3 and partial.num_draws == 0
    model = LDA.from_run(partial, corpus, progress=False)
    assert model.phi_.shape == (3, 20)
    np.testing.assert_array_equal(model.resume().phi_, fitted.phi_)


@pytest.mark.hours
@pytest.mark.parametrize("model", [PriorLDA, DependencyLDA, PLDA])
def test_supervised(corpus, model):
    options = {"progress": False, "count": 1, **SETTINGS}
    if model is DependencyLDA:
        options |= {"label_topics": 3, "rounds": 1}
    fitted = model(**options).fit(corpus)
    around = model.from_run(fitted.run_, corpus, **options)
    np.testing.assert_array_equal(around.prediction_alpha_, fitted.prediction_alpha_)
    some = corpus.subset(range(5))
    np.testing.assert_array_equal(around.predict(some, **SOME), fitted.predict(some, **SOME))
    # The labels of documents can be told from the prior of the run; what they are called cannot.
    bare = model.from_run(fitted.run_, corpus.vocab, **options)
    np.testing.assert_array_equal(bare.labels_.toarray(), corpus.labels.toarray())
    np.testing.assert_array_equal(bare.predict(some, **SOME), fitted.predict(some, **SOME))


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"kernel": "cvb0"}, "the kernel"),
        ({"num_topics": 4}, "documents or priors"),
        ({"alpha": 0.2}, "documents or priors"),
        ({"seed": 6}, "the seed"),
        ({"num_chains": 1}, "num_chains"),
        ({"thinning": 3}, "num_warmup or thinning"),
        ({"seed": 6, "num_warmup": 3}, "num_warmup or thinning, the seed"),
    ],
)
def test_another_run_is_refused(corpus, fitted, change, difference):
    with pytest.raises(ValueError, match=f"differs from the model in {difference};"):
        LDA.from_run(fitted.run_, corpus, **change)


def test_other_documents_are_refused(corpus, fitted):
    counts = corpus.counts.copy()
    counts.data[0] += 1
    with pytest.raises(ValueError, match="differs from the model in documents or priors"):
        LDA.from_run(fitted.run_, jaxlda.Corpus.from_counts(counts))
    with pytest.raises(TypeError, match="from_run takes a Run"):
        LDA.from_run(fitted)


def test_the_old_function_warns(corpus, fitted):
    with pytest.warns(DeprecationWarning, match=r"use LDA\.from_run"):
        model = jaxlda.models.from_run(LDA(3, progress=False, **SETTINGS), fitted.run_, corpus)
    np.testing.assert_array_equal(model.phi_, fitted.phi_)
