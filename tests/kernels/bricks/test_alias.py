"""Alias tables hold the distribution they were made of."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda.kernels.bricks.alias import Alias, alias, alias_rows
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
