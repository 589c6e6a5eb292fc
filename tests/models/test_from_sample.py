"""Samples of other programs as models: all that fitted models do, but going on."""

import dataclasses

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, PriorLDA, estimators
from jaxlda.types import Counts, Sample

SOME = {"num_warmup": 2, "num_samples": 1, "num_chains": 1}


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.simulate(30, 3, 20, 12, labels_per_doc=1.5, seed=1)[0]


@pytest.fixture(scope="module")
def theirs(corpus):
    """Two chains, as if somebody else had drawn them."""
    sweeps = {"num_warmup": 20, "num_samples": 1, "num_chains": 2}
    return jaxlda.run(jax.random.key(9), jaxlda.kernels.cgs(), corpus.data(3), **sweeps)


@pytest.fixture(scope="module")
def model(corpus, theirs):
    return LDA.from_sample(corpus, theirs.data.priors, [theirs.chain(0), theirs.chain(1)])


def test_estimates_are_those_of_the_samples(model, corpus, theirs):
    for chain in range(2):
        sample = theirs.chain(chain)
        expected = {
            "phi": estimators.phi(sample.counts, theirs.data),
            "phi_p": estimators.phi_p(sample, theirs.data),
            "theta": estimators.theta(sample.counts, theirs.data),
            "theta_p": estimators.theta_p(sample, theirs.data),
        }
        for kind, value in expected.items():
            np.testing.assert_allclose(model.estimates(kind, chain), value, rtol=1e-6)
    assert model.best_chain_ == theirs.best_chain and model.num_chains == 2
    assert len(model.top_words(3)) == 3
    np.testing.assert_array_equal(model.run_.chain(1).z, theirs.chain(1).z)


def test_does_what_fitted_models_do(model, corpus):
    fitted = LDA.from_topics(model.phi_, corpus.vocab, alpha=0.1)
    np.testing.assert_array_equal(model.transform(corpus, **SOME), fitted.transform(corpus, **SOME))
    assert model.perplexity(corpus, **SOME) == fitted.perplexity(corpus, **SOME)
    assert model.perplexity_table(corpus, **SOME).shape == (2, 2)
    assert model.log_likelihood() < 0
    posterior = model.to_arviz().posterior
    assert posterior.phi.shape == (2, 1, 3, 20) and posterior.n_k.sum("topic").values.tolist() == [[362], [362]]
    assert model.diagnostics().converged is None, "of one draw each nothing can be said, in words"


def test_is_saved_and_loaded(model, corpus, tmp_path):
    model.save(tmp_path / "theirs.jaxlda")
    loaded = jaxlda.load(tmp_path / "theirs.jaxlda")
    assert loaded.run_.algorithm is None and loaded.run_.finished
    for kind in ("phi_p", "theta"):
        np.testing.assert_array_equal(loaded.estimates(kind, 1), model.estimates(kind, 1))
    assert loaded.to_arviz().posterior.phi.shape == (2, 1, 3, 20)


def test_does_not_go_on(model):
    with pytest.raises(ValueError, match="another program cannot go on here; fit its documents"):
        model.resume(5)


def test_what_jaxlda_io_gives():
    import logging

    import lda

    logging.getLogger("lda").addHandler(logging.NullHandler())
    X = np.array([[2, 1, 0], [0, 3, 1]])
    imported = [jaxlda.io.from_lda(lda.LDA(n_topics=2, n_iter=5, random_state=s).fit(X), X) for s in (0, 1)]
    model = LDA.from_sample(imported)
    assert model.run_.num_chains == 2 and model.theta_.shape == (2, 2)
    np.testing.assert_allclose(model.phi_.sum(1), 1, rtol=1e-5)
    assert LDA.from_sample(imported[0], estimator="cgs").run_.num_chains == 1
    other = imported[1]._replace(priors=imported[1].priors._replace(alpha=imported[1].priors.alpha * 2))
    with pytest.raises(ValueError, match="have different priors, and a model has one"):
        LDA.from_sample([imported[0], other])
    assert LDA.from_sample([imported[0], other], priors=other.priors).alpha_.tolist() == other.priors.alpha.tolist()
    with pytest.raises(ValueError, match="different documents"):
        LDA.from_sample([imported[0], jaxlda.io.from_lda(lda.LDA(2, n_iter=2).fit(X[:, ::-1]), X[:, ::-1])])


def test_a_model_of_labels(corpus):
    fitted = PriorLDA(progress=False, num_warmup=5, num_samples=1, num_chains=1, count=1).fit(corpus)
    model = PriorLDA.from_sample(corpus, fitted.run_.data.priors, fitted.run_.chain(0), count=1)
    np.testing.assert_allclose(model.phi_, fitted.phi_, rtol=1e-6)
    assert model.predict_sets(corpus[:4], **SOME) == fitted.predict_sets(corpus[:4], **SOME)


def shuffled(sample):
    return sample._replace(z=sample.z[::-1])


def negative(sample):
    return sample._replace(counts=Counts(*(-x for x in sample.counts)), z=None)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (shuffled, ValueError, "the counts of the sample are not those of its z"),
        (negative, ValueError, "negative or not finite"),
        (lambda sample: sample._replace(z=sample.z + 3), ValueError, "a topic from 0 to 2 for each of the 362 tokens"),
        (lambda sample: sample._replace(z=sample.z[1:]), ValueError, "for each of the 362 tokens"),
        (lambda sample: Sample(Counts(*(x[:2] for x in sample.counts)), None), ValueError, "counts of shapes"),
        (lambda sample: [], ValueError, "no sample in the list"),
        (lambda sample: [sample, "z"], TypeError, "sample 1 must be a Sample"),
        (lambda sample: None, TypeError, "needs priors and a sample"),
    ],
)
def test_samples_of_something_else_are_refused(corpus, theirs, change, error, message):
    with pytest.raises(error, match=message):
        LDA.from_sample(corpus, theirs.data.priors, change(theirs.chain(0)))


def test_a_forged_file_is_refused(model, tmp_path):
    from jaxlda.running import archive

    path = tmp_path / "a.jaxlda"
    model.save(path)
    header, arrays, _ = archive.read(path)
    z = arrays["chain0.state.z"]
    for forged, message in (
        (z[1:], r"z is int32 of shape \(361,\); this version of jaxlda has int32 of shape \(362,\)"),
        (z + 3, "a topic from 0 to 2 for each"),
    ):
        archive.write(path, header, arrays | {"chain0.state.z": forged})
        with pytest.raises(ValueError, match=f"cannot be loaded: .*{message}"):
            jaxlda.load(path)


def test_kept_arrays_are_a_choice(corpus, theirs):
    model = LDA.from_sample(corpus, theirs.data.priors, theirs.chain(0), keep=("n_k",))
    assert list(model.run_.kept) == ["n_k"]
    assert dataclasses.replace(model.run_, kept={}).num_draws == 1
