"""Alias tables (Walker 1977): a draw from any distribution over K topics in two reads, whatever K."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, UInt32

from jaxlda.kernels.bricks.draw import sum_ahead
from jaxlda.kernels.bricks.rows import element, write

__all__ = ["Alias", "alias", "alias_of_tokens", "alias_rows"]


class Alias(NamedTuple):
    """K columns of equal probability, each shared by its own topic and one other."""

    own: Float[Array, "*rows K"]
    """The share of the column that is its own topic's."""
    other: UInt32[Array, "*rows K"]
    """Whose the rest is."""


def alias(p: Float[Array, " K"], size: UInt32[Array, ""] | int | None = None) -> Alias:
    """Make the table of a distribution, given by weights that need not add up to one.

    A topic of weight zero is never drawn. One column is settled per step: light topics are filled up by the first heavy
    one until it is light itself, and the next heavy one fills it up in turn. Only the first ``size`` columns are used.

    >>> own, other = alias(jnp.array([1.0, 3.0]))
    >>> own.tolist(), int(other[0])
    ([0.5, 1.0], 1)
    """
    K = p.shape[0]
    size = jnp.asarray(K if size is None else size, jnp.int32)
    inside = jnp.arange(K, dtype=jnp.int32) < size
    p = jnp.where(inside, p, 0.0)
    total = sum_ahead(p)
    p = p * (size / jnp.where(total > 0, total, 1.0))
    heavy = inside & ((p >= 1) | (jnp.arange(K) == jnp.argmax(p)))  # rounding may leave none of weight 1
    order = jnp.argsort(jnp.where(inside, heavy, 2), stable=True).astype(jnp.uint32)  # light topics first
    num_light = size - heavy.sum(dtype=jnp.int32)

    def settle(_: Array, carry: tuple) -> tuple:
        light, giver, left, own, other = carry
        last = giver == size - 1
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


def alias_rows(p: Float[Array, "rows K"], size: UInt32[Array, ""] | int | None = None) -> Alias:
    """Make the tables of several distributions."""
    return jax.vmap(lambda p: alias(p, size))(p)


class _Settling(NamedTuple):
    """Where the settling of a row's columns stands."""

    row: UInt32[Array, ""]
    light: UInt32[Array, ""]
    """The next token that may be light."""
    heavy: UInt32[Array, ""]
    """The next one that may be heavy."""
    giver: UInt32[Array, ""]
    """The heavy one that fills up light ones; the number of tokens where there is none yet."""
    left: Float[Array, ""]
    """What is left of its weight."""
    own: Float[Array, " columns"]
    other: UInt32[Array, " columns"]


def alias_of_tokens(start: UInt32[Array, " rows_and_one"], p: Float[Array, " N"]) -> Alias:
    """Make a table for each row of tokens, given weights whose mean is one in every row: N columns in all.

    Rows are at ``start``; ``other`` is the place of a token. One after another, in constant time per token.

    >>> own, other = alias_of_tokens(jnp.array([0, 1, 3], jnp.uint32), jnp.array([1.0, 0.5, 1.5]))
    >>> own.tolist(), int(other[1])
    ([1.0, 0.5, 1.0], 2)
    """
    n, num_rows = jnp.uint32(p.shape[0]), jnp.uint32(start.shape[0] - 1)

    def next_action(at: _Settling) -> _Settling:
        row, light, heavy, giver, left, own, other = at
        end, one = element(start, row + 1), jnp.uint32(1)
        p_light, p_heavy = (element(p, jnp.minimum(i, n - 1)) for i in (light, heavy))
        more, others, none = light < end, heavy < end, giver == n
        # Of these the first that holds is done: look for the next heavy one; let it give; pass over a heavy one; fill a
        # light one up; let the next heavy one fill up the giver, which is light by now; go on to the next row.
        seek = others & (p_heavy < 1)
        begin = ~seek & others & none
        skip = ~seek & ~begin & more & (p_light >= 1)
        settled = seek | begin | skip
        fill = ~settled & more & ((left >= 1) | ~others)
        hand = ~settled & ~fill & others & ~none & (left < 1)
        leave = ~(settled | fill | hand)
        column = jnp.where(fill, light, jnp.where(hand, giver, n))
        share = jnp.where(fill & ~none, p_light, jnp.where(hand, left, 1.0))
        gives = jnp.where(fill, jnp.where(none, light, giver), heavy)
        change = jnp.where(fill, left - (1 - p_light), p_heavy - jnp.where(hand, 1 - left, 0.0))
        return _Settling(
            row + one * leave,
            jnp.where(leave, end, light + one * (skip | fill)),
            jnp.where(leave, end, heavy + one * (seek | begin | hand)),
            jnp.where(begin | hand, heavy, jnp.where(leave, n, giver)),
            jnp.where(fill | begin | hand, change, left),
            write(own, share, column),
            write(other, gives, column),
        )

    zero = jnp.uint32(0)
    tables = jnp.ones(p.shape[0] + 1, jnp.float32), jnp.arange(p.shape[0] + 1, dtype=jnp.uint32)
    begin = _Settling(zero, start[0], start[0], n, jnp.float32(0), *tables)
    done = lax.while_loop(lambda at: at.row < num_rows, next_action, begin)
    return Alias(done.own[:-1], done.other[:-1])
