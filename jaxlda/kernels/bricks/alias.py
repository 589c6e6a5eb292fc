"""Alias tables (Walker 1977): a draw from any distribution over K topics in two reads, whatever K."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, UInt32

from jaxlda.kernels.bricks.draw import sum_rows

__all__ = ["Alias", "alias", "alias_rows"]


class Alias(NamedTuple):
    """K columns of equal probability, each shared by its own topic and one other."""

    own: Float[Array, "*rows K"]
    """The share of the column that is its own topic's."""
    other: UInt32[Array, "*rows K"]
    """Whose the rest is."""


def alias(p: Float[Array, " K"]) -> Alias:
    """Make the table of a distribution, given by weights that need not add up to one.

    A topic of weight zero is never drawn. One column is settled per step: light topics are filled up by the first heavy
    one until it is light itself, and the next heavy one fills it up in turn.

    >>> own, other = alias(jnp.array([1.0, 3.0]))
    >>> own.tolist(), int(other[0])
    ([0.5, 1.0], 1)
    """
    K = p.shape[0]
    total = sum_rows(p)
    p = p * (K / jnp.where(total > 0, total, 1.0))
    heavy = (p >= 1) | (jnp.arange(K) == jnp.argmax(p))  # rounding may leave none of weight 1
    order = jnp.argsort(heavy, stable=True).astype(jnp.uint32)  # light topics first
    num_light = K - heavy.sum(dtype=jnp.int32)

    def settle(_: Array, carry: tuple) -> tuple:
        light, giver, left, own, other = carry
        last = giver == K - 1
        # Rounding may exhaust the last giver too early: it goes on giving, or topics of weight zero would be drawn.
        gives = (light < num_light) & ((left >= 1) | last)
        poor, rich, next_rich = (order[jnp.minimum(i, K - 1)] for i in (light, giver, giver + 1))
        column = jnp.where(gives, poor, rich)
        share = jnp.where(gives, p[poor], jnp.where(last, 1.0, left))
        own, other = own.at[column].set(share), other.at[column].set(jnp.where(gives, rich, next_rich))
        left = jnp.where(gives, left - (1 - p[poor]), p[next_rich] - (1 - left))
        return light + gives, giver + ~gives, left, own, other

    first = order[jnp.minimum(num_light, K - 1)]
    start = (jnp.int32(0), num_light, p[first], jnp.ones(K, jnp.float32), jnp.zeros(K, jnp.uint32))
    return Alias(*lax.fori_loop(0, K, settle, start)[3:])


def alias_rows(p: Float[Array, "rows K"]) -> Alias:
    """Make the tables of several distributions."""
    return jax.vmap(alias)(p)
