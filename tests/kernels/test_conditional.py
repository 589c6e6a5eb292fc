"""Transition probabilities of chosen tokens, against Eq. 1 written out and against the counts they add up to."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import estimators
from jaxlda.estimators import transitions
from jaxlda.types import Sample
from tests import reference
from tests.laws.corpora import LABELLED, MIXED, PREDICTION, TINY
from tests.laws.plain import recount

PROBLEMS = TINY | {"mixed": MIXED, "labels": LABELLED, "prediction": PREDICTION}


def assigned(data, seed=0):
    """A sample that the priors allow."""
    p, rng = reference.problem(data), np.random.default_rng(seed)
    z = jnp.array([rng.choice(np.flatnonzero(p.alpha[d])) for d in p.d], jnp.int32)
    return Sample(recount(z, data), z)


@pytest.mark.parametrize("name", PROBLEMS)
def test_transitions_are_the_conditionals(name):
    data = PROBLEMS[name]
    sample, p = assigned(data), reference.problem(data)
    z = np.asarray(sample.z)
    expected = np.stack([reference.conditional(i, z, reference.counts(z, p), p) for i in range(len(z))])
    np.testing.assert_allclose(transitions(sample, data, slice(None)), expected, rtol=1e-5, atol=1e-7)
    some = np.array([len(z) - 1, 0])
    np.testing.assert_array_equal(transitions(sample, data, some), transitions(sample, data, slice(None))[some])
    assert transitions(sample, data, np.zeros(len(z), bool)).shape == (0, expected.shape[1])


def test_a_word_and_a_document_add_up_to_the_soft_counts():
    sample = assigned(MIXED)
    soft, (w, d) = estimators.soften(sample, MIXED), np.asarray(MIXED.tokens[:2])
    np.testing.assert_allclose(transitions(sample, MIXED, w == 3).sum(0), soft.n_vk[3], rtol=1e-5)
    np.testing.assert_allclose(transitions(sample, MIXED, d == 4).sum(0), soft.n_dk[4], rtol=1e-5)


def test_soft_counts_have_no_transitions():
    with pytest.raises(ValueError, match="CVB0 and variational Bayes have soft counts only"):
        transitions(assigned(MIXED)._replace(z=None), MIXED, [0])
