"""What a run reports about its samples: the log joint, the log-likelihood of Eq. 55."""

import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda.estimators import log_likelihood_terms
from jaxlda.kernels.joint import log_joint, log_joint_terms
from jaxlda.types import Counts
from tests import reference
from tests.laws.corpora import BLOCKS, LABELLED, MIXED, PREDICTION, pad

CORPORA = {"symmetric": BLOCKS, "mixed": MIXED, "labelled": LABELLED, "prediction": PREDICTION}

every_corpus = pytest.mark.parametrize("corpus", CORPORA)


def total(terms) -> float:
    return float(np.sum(np.asarray(terms), dtype=np.float64))


def random_counts(p: reference.Problem) -> reference.Triple:
    rng = np.random.default_rng(0)
    return reference.counts(np.array([rng.choice(np.flatnonzero(p.alpha[d])) for d in p.d]), p)


@every_corpus
def test_log_joint_is_that_of_the_model(corpus):
    p = reference.problem(CORPORA[corpus])
    n_dk, n_vk, n_k = random_counts(p)
    counts = Counts(*(jnp.asarray(n, jnp.int32) for n in (n_dk, n_vk, n_k)))
    expected = reference.log_joint(n_dk, n_vk, p)
    terms = log_joint_terms(counts, CORPORA[corpus])
    assert sum(total(term) for term in terms) == pytest.approx(expected, abs=1e-3)
    assert log_joint(counts, CORPORA[corpus]) == pytest.approx(expected, rel=1e-6)
    soft = Counts(*(n.astype(jnp.float32) for n in counts))
    assert log_joint(soft, CORPORA[corpus]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("padding", [0, 3])
@every_corpus
def test_log_likelihood_is_that_of_the_paper(corpus, padding):
    data = pad(CORPORA[corpus], padding) if padding else CORPORA[corpus]
    p = reference.problem(data)
    n_dk, n_vk, _ = random_counts(p)
    phi, theta = reference.phi(n_vk, p), reference.theta(n_dk, p)
    terms = log_likelihood_terms(jnp.asarray(phi, jnp.float32), jnp.asarray(theta, jnp.float32), data.tokens)
    assert total(terms) == pytest.approx(reference.log_likelihood(phi, theta, p), abs=1e-3)
