"""Bricks of the loops over tokens: single elements and rows of arrays that are updated in place.

XLA updates an array of a loop in place only if nothing can read its old contents afterwards; otherwise it copies the
whole array for every token, a thousand times slower. The rule that keeps these loops safe, whatever the compiler fuses:
*read the version you write, at the index you write*, and carry what the next token must undo or apply instead of
reading an older version. Indices are unsigned: JAX then leaves out the handling of negative ones.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Integer, Num, UInt32

__all__ = ["accumulate", "element", "entry", "pad_last", "row", "unsigned", "write"]

Index = UInt32[Array, ""]


def unsigned(x: Integer[Array, "*n"]) -> UInt32[Array, "*n"]:
    """Indices as the other bricks take them. Of one token, or a few: the whole array need not be there twice.

    >>> unsigned(jnp.array([3])).dtype.name
    'uint32'
    """
    return x.astype(jnp.uint32)


def element(x: Array, *index: Index) -> Array:
    """Read one element.

    >>> float(element(jnp.arange(4.0), jnp.uint32(2)))
    2.0
    """
    return lax.dynamic_slice(x, index, (1,) * x.ndim).reshape(())


def entry(x: Num[Array, "_ _"], row: Index, column: Index) -> Num[Array, ""]:
    """Read one element of a table that may have one row for all rows, and one column for all columns.

    >>> float(entry(jnp.array([[1.0, 2.0]]), jnp.uint32(7), jnp.uint32(1)))
    2.0
    """
    zero = jnp.uint32(0)
    return element(x, row if x.shape[0] > 1 else zero, column if x.shape[1] > 1 else zero)


def row(x: Num[Array, "rows P"], index: Index) -> Num[Array, " P"]:
    """Read one row.

    >>> row(jnp.eye(2), jnp.uint32(1)).tolist()
    [0.0, 1.0]
    """
    return lax.dynamic_slice(x, (index, jnp.uint32(0)), (1, x.shape[1]))[0]


def write(x: Array, value: Array, *index: Index) -> Array:
    """Overwrite the element, or with one index of a matrix the row, that starts at ``index``.

    >>> write(jnp.zeros(3), jnp.float32(1), jnp.uint32(2)).tolist()
    [0.0, 0.0, 1.0]
    """
    start = index + (jnp.uint32(0),) * (x.ndim - len(index))
    return lax.dynamic_update_slice(x, value.reshape((1,) * len(index) + x.shape[len(index) :]), start)


def accumulate(x: Array, by: Array, *index: Index) -> Array:
    """Add to the element, or the row, at ``index``.

    >>> accumulate(jnp.ones((2, 2)), jnp.ones(2), jnp.uint32(1)).tolist()
    [[1.0, 1.0], [2.0, 2.0]]
    """
    old = element(x, *index) if len(index) == x.ndim else row(x, *index)
    return write(x, old + by, *index)


def pad_last(x: Array, size: int) -> Array:
    """Lengthen the last axis to ``size`` with zeros.

    >>> pad_last(jnp.ones((1, 2)), 3).tolist()
    [[1.0, 1.0, 0.0]]
    """
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, size - x.shape[-1])])
