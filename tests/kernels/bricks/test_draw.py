"""The draw inverts the distribution function: exactly where that can be checked, in distribution otherwise."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from jaxlda.kernels.bricks.draw import draw, padded_size, sum_rows, total

SIZES = (1, 5, 8, 9, 20, 100, 129, 500, 1000)


@pytest.mark.parametrize("K", SIZES)
def test_padding_is_small_and_foldable(K):
    size = padded_size(K)
    assert K <= size <= max(8, 1.3 * K + 8)
    assert padded_size(size) == size  # a padded length is a length of its own


def padded(p: np.ndarray) -> jax.Array:
    return jnp.zeros(padded_size(len(p)), jnp.float32).at[: len(p)].set(p)


@pytest.mark.parametrize("rows", SIZES)
def test_rows_add_up(rows):
    x = np.random.default_rng(rows).integers(0, 100, (rows, 3)).astype(np.float32)
    np.testing.assert_array_equal(sum_rows(jnp.asarray(x)), x.sum(0))


@pytest.mark.parametrize("K", SIZES)
def test_total_is_the_sum(K):
    p = np.random.default_rng(K).gamma(0.3, size=K).astype(np.float32)
    assert float(total(padded(p))) == pytest.approx(p.sum(dtype=np.float64), rel=1e-5)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("K", [1, 5, 20, 100, 500])
def test_frequencies_are_the_weights(K, sparse):
    """Chi-square at 100,000 draws, fixed seed; false-alarm rate 1e-4 a case."""
    p = np.random.default_rng(K).uniform(0.2, 1.0, size=K).astype(np.float32)
    if sparse:
        p[1::3] = 0
    weights, n = padded(p), 100_000
    u = jax.random.uniform(jax.random.key(K), n)
    z = np.asarray(jax.jit(jax.vmap(lambda u: draw(weights, u, K, sparse=sparse)))(u))
    seen = np.bincount(z, minlength=K)
    assert len(seen) == K
    assert seen[p == 0].sum() == 0
    expected = p / p.sum(dtype=np.float64) * n
    assert K == 1 or chisquare(seen[p > 0], expected[p > 0]).pvalue > 1e-4


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 1e-30, 1e-3, 1.0, 3.3, 1e7]), min_size=8, max_size=24).filter(lambda p: max(p) > 0),
    st.sampled_from([0.0, 1e-7, 0.3, 0.5, 0.99999994, 1 - 2**-23]),
)
def test_never_a_topic_of_weight_zero(p, u):
    """Whatever the rounding: weights many orders of magnitude apart, and the largest uniform number there is."""
    p = np.asarray(p, np.float32)
    z = int(_draw_sparse(padded(p), jnp.float32(u), len(p)))
    assert p[z] > 0


_draw_sparse = jax.jit(lambda p, u, K: draw(p, u, K, sparse=True), static_argnums=2)


def test_order_of_topics_does_not_matter_for_the_extremes():
    p = np.ones(20, np.float32)
    first, last = (int(draw(padded(p), jnp.float32(u), 20, sparse=False)) for u in (0.0, 1 - 2**-23))
    assert first == 0
    assert 0 < last < 20  # never the padding


@pytest.mark.parametrize("K", [8, 20, 100, 1000])
def test_without_looking_up_the_draws_are_the_same(K):
    rng = np.random.default_rng(K)
    p = np.zeros((500, padded_size(K)), np.float32)
    p[:, :K] = rng.dirichlet(np.full(K, 0.1), 500) * (rng.random((500, K)) < 0.5)
    p[:, 0] += 1e-3
    u = jnp.asarray(rng.random(500), jnp.float32)
    one, other = (
        jax.vmap(lambda p, u, looks_up=looks_up: draw(p, u, K, sparse=True, looks_up=looks_up))(p, u)
        for looks_up in (True, False)
    )
    np.testing.assert_array_equal(one, other)
    assert len(set(one.tolist())) > min(K, 50) / 2
