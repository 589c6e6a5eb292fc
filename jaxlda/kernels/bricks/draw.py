"""Drawing a topic from unnormalised weights, inside a compiled loop over tokens.

A cumulative sum over K topics, or a loop that searches one, costs more than everything else a token needs. Here the
weights are summed into ever fewer lanes (vector additions), one lane is chosen among at most eight by an unrolled
prefix sum, and the way back up chooses one row at a time: branch-free, logarithmic depth, no inner loop.

Sums are written as explicit trees: their rounding is part of the result, and must not depend on what the compiler makes
of the loop around them.
"""

from collections.abc import Callable, Sequence

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Num, UInt32

__all__ = [
    "NARROW",
    "add",
    "choose",
    "draw",
    "folded",
    "greatest",
    "larger",
    "padded_size",
    "sum_ahead",
    "sum_rows",
    "total",
    "tree",
]

NARROW = 8  # the fewest lanes: one AVX register of float32, and a prefix sum short enough to unroll
_ROWS = 16  # the most rows summed into one lane: a longer unrolled prefix sum is slower than another level


def _lanes(size: int) -> int:
    lanes = NARROW
    while size > _ROWS * lanes:
        lanes *= 2  # few lanes stay in registers: with four times as many, 1000 topics took 1.6 times as long
    return lanes


def padded_size(num_topics: int) -> int:
    """Return the least row length that ``draw`` can fold: at least ``num_topics``.

    >>> [padded_size(k) for k in (1, 20, 100, 500, 1000)]
    [8, 24, 104, 512, 1024]
    """
    lanes = _lanes(num_topics)
    return -(-num_topics // lanes) * lanes


def tree(combine: Callable, items: Sequence) -> Array:
    """Combine items pairwise, then the results, until one is left.

    >>> int(tree(add, [jnp.int32(i) for i in range(5)]))
    10
    """
    while len(items) > 1:
        pairs = zip(items[::2], items[1::2], strict=False)
        items = [combine(*pair) for pair in pairs] + list(items[len(items) & ~1 :])
    return items[0]


def add(x: Array, y: Array) -> Array:
    """Add: a name for the node of a summation tree."""
    return x + y


def sum_rows(x: Num[Array, "rows *n"]) -> Num[Array, "*n"]:
    """Sum over the first axis, an eighth added to the next, pairwise, until a single row is left.

    As accurate as float32 can be for a million rows, and in an order of our own: the order a compiler chooses depends
    on what surrounds the sum, and rounding on the order.

    >>> sum_rows(jnp.arange(10.0).reshape(5, 2)).tolist()
    [20.0, 25.0]
    """
    x = lax.optimization_barrier(x)  # or what is added would be computed anew at every level
    while x.shape[0] > 1:
        parts = min(8, x.shape[0])  # at once: compiled, and summed, in half the time that two take
        size = -(-x.shape[0] // parts)
        x = jnp.pad(x, [(0, parts * size - x.shape[0])] + [(0, 0)] * (x.ndim - 1))
        x = lax.optimization_barrier(tree(add, [x[i * size : (i + 1) * size] for i in range(parts)]))
    return x[0]


def sum_ahead(x: Num[Array, "rows *n"]) -> Num[Array, "*n"]:
    """Sum over the first axis, rounding the same however many zeros stand at its end.

    >>> float(sum_ahead(jnp.array([0.1, 0.2, 0.3]))) == float(sum_ahead(jnp.array([0.1, 0.2, 0.3, 0, 0, 0])))
    True
    """
    size = 1 << max(x.shape[0] - 1, 0).bit_length()
    return sum_rows(jnp.pad(x, [(0, size - x.shape[0])] + [(0, 0)] * (x.ndim - 1)))


def _rows(p: Float[Array, " K"], lanes: int) -> list[Float[Array, " lanes"]]:
    return [lax.slice(p, (start,), (start + lanes,)) for start in range(0, p.shape[0], lanes)]


def folded(p: Float[Array, " K"], combine: Callable = add) -> Float[Array, " lanes"]:
    """Sum (or otherwise combine) a row of padded length into its last few lanes, in the order ``draw`` sums it.

    >>> folded(jnp.ones(24)).tolist()
    [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    """
    while p.shape[0] > NARROW:
        p = tree(combine, _rows(p, _lanes(p.shape[0])))
    return p


def total(p: Float[Array, " K"]) -> Float[Array, ""]:
    """Sum a row of padded length, in the order ``draw`` sums it."""
    p = folded(p)
    return tree(add, [p[i] for i in range(p.shape[0])])


def greatest(p: Float[Array, " K"]) -> Float[Array, ""]:
    """Find the greatest number of a row of padded length; a plain reduction would look at one after another.

    >>> float(greatest(jnp.arange(24.0)))
    23.0
    """
    p = folded(p, jnp.maximum)
    return tree(jnp.maximum, [p[i] for i in range(p.shape[0])])


def _prefix(items: list[Array]) -> list[Array]:
    """Inclusive prefix sums in logarithmic depth; equal neighbours wherever an item is zero."""
    if len(items) == 1:
        return items
    half = (len(items) + 1) // 2
    low, high = _prefix(items[:half]), _prefix(items[half:])
    return low + [low[-1] + h for h in high]


def larger(x: Array, y: Array) -> Array:
    """The larger of two floats: one instruction; jnp.maximum takes four, because it hands on what is not a number.

    >>> float(larger(jnp.float32(1), jnp.float32(2)))
    2.0
    """
    return jnp.where(x > y, x, y)


def choose(t: Array, items: list[Array], *, guard: bool) -> tuple[UInt32[Array, ""], Array]:
    """Find the item that ``t`` falls into, and what is left of ``t`` there."""
    *below, top = _prefix(items)
    if guard:
        # Rounding may have pushed t to the sum or beyond; just below it, t falls into the last item of positive weight.
        last = top * jnp.float32(1 - 2**-22)
        t = jnp.where(t < last, t, last)
    passed = [t >= bound for bound in below]
    index = tree(add, [p.astype(jnp.uint32) for p in passed])
    # Compared anew: without AVX-512, a comparison that is used twice becomes a branch, which no processor can predict.
    base = tree(larger, [jnp.where(t < bound, 0.0, bound) for bound in below])
    return index, t - base


def _descend(
    p: Float[Array, " K"], u: Float[Array, ""], *, guard: bool, looks_up: bool
) -> tuple[UInt32[Array, ""], Array]:
    size = p.shape[0]
    if size == NARROW:
        items = [p[i] for i in range(size)]
        return choose(u * _prefix(items)[-1], items, guard=False)  # u < 1: the product is below the sum
    lanes = _lanes(size)
    lane, t = _descend(tree(add, _rows(p, lanes)), u, guard=guard, looks_up=looks_up)
    if looks_up:
        column = lax.dynamic_slice(p.reshape(size // lanes, lanes), (jnp.uint32(0), lane), (size // lanes, 1))[:, 0]
        items = [column[i] for i in range(size // lanes)]
    else:
        chosen = lax.iota(jnp.uint32, lanes) == lane
        items = [jnp.where(chosen, own, 0.0).sum() for own in _rows(p, lanes)]
    row, t = choose(t, items, guard=guard)
    return row * jnp.uint32(lanes) + lane, t


def draw(
    p: Float[Array, " P"],
    u: Float[Array, ""],
    num_topics: int | UInt32[Array, ""],
    *,
    sparse: bool,
    looks_up: bool = True,
) -> UInt32[Array, ""]:
    r"""Draw :math:`k` with probability :math:`p_k / \sum p`, by inverting the distribution function at ``u``.

    Parameters
    ----------
    p
        Non-negative weights of ``num_topics`` topics, then zeros up to the length ``padded_size`` gives.
    u
        A uniform number of [0, 1).
    sparse
        Whether a topic may have weight zero. Such a topic is never drawn, whatever the rounding; where all weights are
        positive, not having to look costs a tenth less.
    looks_up
        Whether numbers are looked up by index. Otherwise all are read, and those that are not wanted put to zero: the
        same draw, for a TPU, where a look-up costs more than a whole row.

    >>> weights = jnp.array([0.0, 1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0])
    >>> int(draw(weights, jnp.float32(0.9999999), 5, sparse=True))
    3
    """
    topic = _descend(p, u, guard=sparse, looks_up=looks_up)[0]
    return jnp.minimum(topic, jnp.uint32(num_topics) - 1)
