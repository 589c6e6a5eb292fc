"""Alias tables hold the distribution they were made of."""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda.kernels.bricks.alias import Alias, alias, alias_of_tokens, alias_rows
from jaxlda.kernels.proposals import pick


def distribution(table: Alias) -> np.ndarray:
    """What draws from the table have, by adding up its columns."""
    own, other = (np.asarray(x) for x in table)
    own = np.minimum(own, 1).astype(np.float64)
    p = own.copy()
    np.add.at(p, other, 1 - own)
    return p / len(own)


WEIGHTS = {
    "one": [2.0],
    "two": [1.0, 3.0],
    "equal": [0.1] * 7,
    "zeros": [0.0, 0.5, 0.0, 0.0, 1e-4, 7.0],
    "all but one": [0.0, 0.0, 3.0, 0.0],
    "random": np.random.default_rng(0).gamma(0.1, size=1000),
    "rising": np.arange(50),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_holds_its_distribution(name):
    p = np.asarray(WEIGHTS[name], np.float32).astype(np.float64)
    held = distribution(jax.jit(alias)(jnp.asarray(p, jnp.float32)))
    np.testing.assert_allclose(held, p / p.sum(), rtol=1e-5, atol=1e-6)
    assert not held[p == 0].any(), "what has no weight is never drawn"


@pytest.mark.hours
def test_rows_are_tables_of_their_own():
    p = jnp.asarray(np.random.default_rng(1).gamma(0.3, size=(5, 9)), jnp.float32)
    rows = alias_rows(p)
    for i in range(5):
        jax.tree.map(lambda row, one, i=i: np.testing.assert_array_equal(row[i], one), rows, alias(p[i]))


def test_a_row_without_weight_does_no_harm():
    own, other = alias(jnp.zeros(4))
    assert np.isfinite(own).all() and (other < 4).all()


def test_draws_are_those_of_the_table():
    p = np.array([0.0, 0.5, 2.0, 0.5])
    table = alias_rows(jnp.asarray(p[None], jnp.float32))
    f = jnp.arange(6000, dtype=jnp.float32) / 6000
    drawn = np.bincount(pick(table, jnp.zeros(6000, jnp.uint32), f, 4), minlength=4)
    np.testing.assert_allclose(drawn, p / p.sum() * 6000, atol=2)


@pytest.mark.parametrize("shape", [0.05, 1.0, 20.0])
def test_tables_of_tokens_hold_the_distributions_of_their_rows(shape):
    start = np.cumsum([0, 0, 1, 2, 7, 0, 100, 3, 900]).astype(np.uint32)
    rows = list(pairwise(start))
    p = np.random.default_rng(0).gamma(shape, size=start[-1] + 4).astype(np.float32)  # padding at the end
    for begin, end in rows:
        p[begin:end] /= max(p[begin:end].mean(), 1e-30) if end > begin else 1
    own, other = (np.asarray(x) for x in jax.jit(alias_of_tokens)(jnp.asarray(start), jnp.asarray(p)))
    for begin, end in rows:
        if end > begin:
            assert begin <= other[begin:end].min() and other[begin:end].max() < end
            held = distribution(Alias(own[begin:end], other[begin:end] - begin)) * (end - begin)
            np.testing.assert_allclose(held, p[begin:end], atol=1e-3)
