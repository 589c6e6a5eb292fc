"""Priors down to the least that are legal: nothing is lost, nothing is NaN, and nothing forbidden is drawn."""

from itertools import product

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings

from jaxlda import estimators, kernels
from jaxlda.types import Data, Priors
from tests.laws.corpora import make_data
from tests.tiers import mostly_slow

DOCS = [[0], [1, 1, 2], [], [3, 0, 2, 2], [4]]
ALLOWED = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1], [0, 0, 1]], bool)
SHAPES = ["one topic", "three topics", "labels"]
TINY = float(np.finfo(np.float32).tiny)

tiny = st.floats(np.log10(TINY) + 1e-3, 0).map(lambda exponent: 10.0**exponent)


def laid_out(alpha: float, beta: float, shape: str) -> Data:
    """Three topics, or one, with these priors; the same shapes each time, compiled once."""
    topics = 1 if shape == "one topic" else 3
    prior = np.where(ALLOWED, alpha, 0.0) if shape == "labels" else np.full(topics, alpha)
    return make_data(DOCS, prior, np.full(5, beta))


STEPS = {kernel: tuple(map(jax.jit, kernels.KERNELS[kernel]()[2:5])) for kernel in kernels.KERNELS}


CASES = mostly_slow(
    product(kernels.KERNELS, SHAPES),
    ("cgs", "labels"),
    hours=lambda case: case[0] not in ("cgs", "cvb0"),
)


@pytest.mark.parametrize(("kernel", "shape"), CASES)
@example(alpha=1e-20, beta=1e-20)
@example(alpha=1.2e-38, beta=1.2e-38)
@settings(max_examples=6)
@given(alpha=tiny, beta=tiny)
def test_counts_are_conserved_and_finite(kernel, shape, alpha, beta):
    data = laid_out(alpha, beta, shape)
    init, step, readout = STEPS[kernel]
    layout = kernels.KERNELS[kernel]().prepare(data)
    state = init(jax.random.key(0), layout)
    for seed in range(3):
        state, _ = step(jax.random.key(seed), state, layout)
    sample = readout(state, layout)
    each = [sample.counts]
    if sample.z is not None:
        each.append(estimators.soften(sample, data))
    for counts in each:
        np.testing.assert_allclose(counts.n_dk.sum(1), data.tokens.n_d, rtol=1e-5)
        np.testing.assert_allclose(counts.n_vk.sum(1), np.bincount(data.tokens.w), rtol=1e-5)
        if shape == "labels":
            assert not np.asarray(counts.n_dk)[~ALLOWED].any()
        phi, theta = estimators.phi(counts, data), estimators.theta(counts, data)
        assert all(np.isfinite(x).all() and (x >= 0).all() for x in (phi, theta))


def test_one_topic_keeps_its_tokens():
    """Their weights, alpha times beta over many, are zero in float32."""
    data = laid_out(1e-20, 1e-20, "one topic")
    alg = kernels.cgs()
    layout = alg.prepare(data)
    sample = jax.jit(alg.readout)(jax.jit(alg.init)(jax.random.key(0), layout), layout)
    np.testing.assert_array_equal(estimators.soften(sample, data).n_dk, sample.counts.n_dk)
    np.testing.assert_allclose(estimators.phi_p(sample, data).sum(1), 1, rtol=1e-6)


def test_priors_of_other_numbers_are_the_same_priors():
    data = laid_out(0.3, 0.1, "three topics")
    other = Data(
        type(data.tokens)(*(np.asarray(x, np.int64) for x in data.tokens)),
        Priors(*(np.asarray(x, np.float64) for x in data.priors)),
    )
    for kernel in kernels.KERNELS:
        prepare = kernels.KERNELS[kernel]().prepare
        ours, theirs = prepare(data), prepare(other)
        assert [x.dtype for x in jax.tree.leaves(ours)] == [x.dtype for x in jax.tree.leaves(theirs)]
        jax.tree.map(np.testing.assert_array_equal, ours, theirs)
    assert jnp.asarray(theirs.data.priors.alpha).dtype == jnp.float32
