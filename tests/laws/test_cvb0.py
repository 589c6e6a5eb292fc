"""CVB0 is deterministic: it must do what the reference does, number for number."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxlda
from jaxlda import kernels
from jaxlda.estimators import phi, theta
from jaxlda.types import Data, Priors, Tokens
from tests import reference
from tests.laws.corpora import BLOCKS, LABELLED, MIXED, PREDICTION, TINY, make_data
from tests.tiers import on_demand

CORPORA = {"mixed": MIXED, "labelled": LABELLED, "prediction": PREDICTION, "twelve topics": TINY["twelve topics"]}

every_corpus = pytest.mark.parametrize("corpus", CORPORA)


def start(data, seed=0):
    alg = kernels.cvb0()
    layout = alg.prepare(data)
    return alg, layout, jax.jit(alg.init)(jax.random.key(seed), layout)


def gamma_of(state, p: reference.Problem) -> np.ndarray:
    return np.asarray(state.gamma[0], np.float64)[: len(reference.pairs(p)[0]), : p.alpha.shape[1]]


@every_corpus
def test_one_gamma_for_each_distinct_pair(corpus):
    p = reference.problem(CORPORA[corpus])
    _, layout, state = start(CORPORA[corpus])
    gamma = gamma_of(state, p)
    assert layout.blocks[0].size == len(reference.pairs(p)[0])
    np.testing.assert_allclose(gamma.sum(axis=1), 1.0, rtol=1e-5)
    np.testing.assert_array_equal(gamma > 0, p.alpha[reference.pairs(p)[0]] > 0)


def test_pairs_are_fewer_than_tokens():
    assert len(reference.pairs(reference.problem(MIXED))[0]) < len(MIXED.tokens.w)


@every_corpus
def test_sweeps_are_those_of_the_reference(corpus):
    p = reference.problem(CORPORA[corpus])
    alg, layout, state = start(CORPORA[corpus])
    gamma, step = gamma_of(state, p), jax.jit(alg.step)
    for sweep in range(1, 6):
        state, _ = step(jax.random.key(sweep), state, layout)
        gamma = reference.cvb0_sweep(gamma, p)
        if sweep in (1, 5):
            np.testing.assert_allclose(gamma_of(state, p), gamma, rtol=0, atol=1e-4)
            for ours, theirs in zip(alg.readout(state, layout).counts, reference.cvb0_counts(gamma, p), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)


@pytest.mark.parametrize("corpus", ["mixed", "labelled"])
def test_likelihood_improves_and_settles(corpus):
    p = reference.problem(CORPORA[corpus])
    alg, layout, state = start(CORPORA[corpus])
    step, likelihoods, moved = jax.jit(alg.step), [], []
    for sweep in range(61):
        if sweep in (0, 1, 3, 10, 60):
            n_dk, n_vk, _ = (np.asarray(x, np.float64) for x in alg.readout(state, layout).counts)
            likelihoods.append(reference.log_likelihood(reference.phi(n_vk, p), reference.theta(n_dk, p), p))
        state, info = step(jax.random.key(0), state, layout)
        moved.append(float(info.moved))
    assert np.all(np.diff(likelihoods) > 0), likelihoods
    assert moved[-1] < 0.1 * moved[0]


def test_the_key_is_not_used():
    alg, layout, state = start(MIXED)
    step = jax.jit(alg.step)
    jax.tree.map(
        np.testing.assert_array_equal, step(jax.random.key(1), state, layout), step(jax.random.key(2), state, layout)
    )


@pytest.mark.parametrize("kernel", on_demand(kernels.KERNELS, "cvb0"))
def test_finds_topics_that_share_no_words(kernel):
    """Not of CVB0 only: documents about one of two things must end up in two topics."""
    alg = kernels.KERNELS[kernel]()
    layout = alg.prepare(BLOCKS)
    state, step = alg.init(jax.random.key(0), layout), jax.jit(alg.step)
    for key in jax.random.split(jax.random.key(1), 30):
        state, _ = step(key, state, layout)
    n_vk = np.asarray(alg.readout(state, layout).counts.n_vk)
    share = n_vk[:5].sum(axis=0) / n_vk.sum(axis=0)
    np.testing.assert_allclose(np.sort(share), [0, 1], atol=0.02)


def swept(data: Data, num_sweeps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Counts of words, phi and theta after many sweeps."""
    alg, layout, state = start(data)
    step = jax.jit(alg.step, donate_argnums=1)
    for _ in range(num_sweeps):
        state, _ = step(jax.random.key(0), state, layout)
    counts = alg.readout(state, layout).counts
    return tuple(np.asarray(x, np.float64) for x in (counts.n_vk, phi(counts, data), theta(counts, data)))


@pytest.mark.slow
@pytest.mark.parametrize("labels", [False, True])
def test_millions_of_tokens_leave_no_negative_counts(labels):
    """6.8 million tokens, six million of one word: sums kept by differences alone lose thousands of them."""
    rng = np.random.default_rng(0)
    frequency = np.concatenate([rng.poisson(3000, (2000, 1)), rng.poisson(40, (2000, 10))], axis=1)
    alpha = np.full(20, 0.1)
    if labels:
        alpha = np.zeros((2000, 80))
        np.put_along_axis(alpha, rng.integers(0, 80, (2000, 5)), 0.1, axis=1)
    data = make_data([[]], [1.0], np.full(11, 0.01))
    d, w = np.nonzero(frequency)
    tokens = Tokens(*(jnp.asarray(x, jnp.int32) for x in (w, d, frequency[d, w], frequency.sum(1))))
    data = Data(tokens, Priors(jnp.asarray(alpha, jnp.float32), data.priors.beta))
    n_vk, topics, proportions = swept(data, 30)
    assert min(x.min() for x in (n_vk, topics, proportions)) >= 0
    np.testing.assert_allclose(n_vk.sum(1), frequency.sum(0), rtol=1e-5)
    np.testing.assert_allclose(topics.sum(1), 1, rtol=1e-5)


@pytest.mark.slow
def test_tiny_priors_leave_no_negative_counts():
    corpus = jaxlda.datasets.load("reuters").subset(range(100))
    _, topics, proportions = swept(corpus.data(num_topics=20, alpha=1e-5, beta=1e-5), 60)
    assert topics.min() >= 0 and proportions.min() >= 0
    corpus.data(alpha=1e-5, phi=topics)  # takes them for new documents
