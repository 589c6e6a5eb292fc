"""Priors learned while sampling are the ones that everything after the sweep reads."""

import numpy as np
import pytest

import jaxlda
from jaxlda import estimators
from jaxlda.kernels.joint import log_joint_terms
from jaxlda.types import Priors


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.simulate(num_docs=60, num_topics=3, num_words=40, doc_length=30, alpha=0.1, seed=2)[0]


def fitted(corpus, **options):
    given = {"num_warmup": 60, "num_samples": 1, "thinning": 5, "num_chains": 2, "trace_every": 5, "alpha": 1.0}
    return jaxlda.LDA(3, **(given | options), beta=0.1, progress=False).fit(corpus)


@pytest.fixture(scope="module")
def model(corpus):
    return fitted(corpus, learn_alpha="asymmetric", learn_beta="symmetric")


@pytest.fixture(scope="module")
def learned(model):
    """The data with the priors the best chain has learned, put together by hand."""
    state = model.run_.state(model.best_chain_)
    V = model.n_features_in_
    beta = np.full(V, np.asarray(state.beta))
    np.testing.assert_allclose(model.beta_, beta, rtol=1e-4)  # sweeps use it rounded
    return model.run_.data._replace(priors=Priors(state.inner.alpha[:3], model.beta_))


def test_priors_are_learned_by_each_chain(model):
    assert len(set(model.alpha_.tolist())) == 3 and (model.alpha_ < 1).all() and model.beta_[0] != np.float32(0.1)
    alphas = [np.asarray(model.run_.chain_data(chain).priors.alpha) for chain in (0, 1)]
    assert (alphas[0] != alphas[1]).any()


def test_estimates_use_what_was_learned(model, learned):
    sample = model.run_.chain(model.best_chain_)  # the last sweep is the one draw
    counts = {"phi": sample.counts, "theta": sample.counts}
    soft = estimators.soften(sample, learned)
    counts |= {"phi_p": soft, "theta_p": soft}
    for kind, n in counts.items():
        expected = getattr(estimators, kind.removesuffix("_p"))(n, learned)
        np.testing.assert_allclose(model.estimates(kind), expected, rtol=2e-5, err_msg=kind)
        as_given = getattr(estimators, kind.removesuffix("_p"))(n, model.run_.data)
        assert not np.allclose(model.estimates(kind), as_given, rtol=1e-3), kind


def test_the_trace_uses_what_was_learned(model, learned):
    sample = model.run_.chain(model.best_chain_)
    terms = log_joint_terms(sample.counts, learned)
    expected = sum(np.asarray(term, np.float64).sum() for term in terms)
    np.testing.assert_allclose(model.run_.trace["log_joint"][model.best_chain_, -1], expected, rtol=1e-5)


@pytest.mark.hours
def test_new_documents_get_the_learned_prior(model, corpus):
    empty = jaxlda.Corpus.from_counts(np.eye(1, corpus.num_words, dtype=int), corpus.vocab)
    options = {"num_warmup": 5, "num_samples": 2, "num_chains": 1}
    as_learned, as_given = (model.transform(empty, alpha=alpha, **options) for alpha in (None, model.alpha_))
    np.testing.assert_array_equal(as_learned, as_given)
    assert not np.allclose(as_learned, model.transform(empty, alpha=1.0, **options))


@pytest.mark.hours
def test_chain_methods_agree_to_the_bit(model, corpus):
    other = fitted(corpus, learn_alpha="asymmetric", learn_beta="symmetric", chain_method="vectorized")
    np.testing.assert_array_equal(model.phi_, other.phi_)
    np.testing.assert_array_equal(model.theta_, other.theta_)
    for one, two in zip(model.run_.trace, other.run_.trace, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.hours
def test_symmetric_is_one_value_for_all(corpus):
    alpha = fitted(corpus, learn_alpha="symmetric").alpha_
    assert len(set(alpha.tolist())) == 1 and alpha[0] < 1


def test_what_cannot_be_learned_is_refused(corpus):
    with pytest.raises(ValueError, match=r"learn_alpha must be one of None, 'symmetric' or 'asymmetric'; got 'yes'"):
        fitted(corpus, learn_alpha="yes")
    with pytest.raises(ValueError, match=r"learn_beta must be None or 'symmetric'; got 'asymmetric'"):
        fitted(corpus, learn_beta="asymmetric")
    with pytest.raises(ValueError, match="learn_alpha learns a prior that all have in common"):
        fitted(corpus, learn_alpha="symmetric", alpha=np.ones((60, 3)))


def test_true_and_false_are_understood_for_one_more_release(corpus):
    """And mean what they meant."""
    model = jaxlda.LDA(3, learn_alpha=False, learn_beta=True)
    with pytest.warns(DeprecationWarning) as told:
        problem = model._problem(corpus, None)
    assert [str(one.message) for one in told] == [
        "learn_alpha=False is deprecated: say learn_alpha=None",
        "learn_beta=True is deprecated: say learn_beta='symmetric'",
    ]
    assert problem.algorithm == jaxlda.kernels.learn_beta(jaxlda.kernels.cgs())
