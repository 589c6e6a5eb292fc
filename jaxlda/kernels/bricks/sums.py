"""Sums of many rows that lose no digits, inside a compiled loop over tokens.

A float32 has 24 bits: added to a sum of millions, a probability loses most of its own, and below a certain size all of
them. Here the rows of a table take up few additions at a time, so few that rounding cannot matter; then they are moved,
*settled*, into sums of twice as many digits (a high and a low part, by the two-sum of Knuth). Only rows that are added
to that often have such a sum: its cost is next to nothing per token, in time and in memory.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, UInt32

from jaxlda.kernels.bricks.rows import accumulate, element, row, write

__all__ = ["LIMIT", "ChunkSums", "Sums", "fold_sums", "two_sum"]

# So many additions of about the same size have a relative error of at most LIMIT / 2**25, 9.6e-6: the sum is half as
# large on average as it is at the end. The settled sums take memory, which costs more time than settling.
LIMIT = 320
_TILE = 64  # tokens of a chunk whose additions to the same row are added up first

Noted = TypeVar("Noted")
Change = TypeVar("Change")


def two_sum(x: Float[Array, "*n"], y: Float[Array, "*n"]) -> tuple[Float[Array, "*n"], Float[Array, "*n"]]:
    """The rounded sum, and what rounding took away, exactly.

    >>> [float(part) for part in two_sum(jnp.float32(2**25), jnp.float32(1))]
    [33554432.0, 1.0]
    """
    z = x + y
    of_y = z - x
    return z, (x - (z - of_y)) + (y - of_y)


class Sums(NamedTuple):
    """A table whose rows are added to. The last row of what is kept by row, and the first by place, are of no row."""

    recent: Float[Array, "rows+1 P"]
    """Since a row was last settled."""
    place: UInt32[Array, " rows+1"]
    """Where among the settled sums a row has its own; 0 for nowhere."""
    settled: Float[Array, "places 2*P"]
    """High and low parts."""
    owner: UInt32[Array, " places"]
    """Whose sums they are."""
    used: UInt32[Array, ""]
    """How many."""

    @classmethod
    def of(cls, shape: tuple[int, ...], additions: int) -> "Sums":
        """Zeros, for at most so many additions, all rows together."""
        rows, P = shape
        places = min(rows, additions // LIMIT) + 1
        return cls(
            jnp.zeros((rows + 1, P), jnp.float32),
            jnp.zeros(rows + 1, jnp.uint32),
            jnp.zeros((places, 2 * P), jnp.float32),
            jnp.zeros(places, jnp.uint32),
            jnp.uint32(0),
        )

    def settle(self, full: Array, i: UInt32[Array, ""], recent: Float[Array, " P"], own: UInt32[Array, ""]) -> "Sums":
        """Move row ``i``, if it is full, to the settled sums.

        What it reads is given, read when nothing was written any more (see ``rows``): the row and its place.
        """
        P, nowhere = self.recent.shape[1], jnp.uint32(self.recent.shape[0] - 1)
        new = full & (own == 0)
        used = self.used + new.astype(jnp.uint32)
        at = jnp.where(full, jnp.where(new, used, own), 0)
        i = jnp.where(full, i, nowhere)
        both = row(self.settled, at)
        high, lost = two_sum(both[:P], jnp.where(full, recent, 0.0))
        return self._replace(
            recent=write(self.recent, jnp.zeros_like(recent), i),
            place=write(self.place, at, i),
            settled=write(self.settled, jnp.concatenate([high, both[P:] + lost]), at),
            owner=write(self.owner, i, at),
            used=used,
        )

    def total(self) -> Float[Array, "rows P"]:
        """The sums of all rows."""
        P = self.recent.shape[1]

        def add(place: Array, table: Array) -> Array:
            place = place.astype(jnp.uint32)  # outside jit it comes as an int32
            both = row(self.settled, place)
            return accumulate(table, both[:P] + both[P:], element(self.owner, place))

        return lax.fori_loop(jnp.uint32(1), self.used + 1, add, self.recent)[:-1]


class _Stretches(NamedTuple):
    """The tokens, cut where rows are full."""

    ends: UInt32[Array, " most"]
    """One after the last token of each stretch."""
    full: UInt32[Array, "most tables"]
    """Of which tables that token fills its row: ones and zeros."""
    number: UInt32[Array, ""]


At = tuple[UInt32[Array, ""], ...]
"""A row of each table."""


def _stretches(
    size: UInt32[Array, ""], sums: tuple[Sums, ...], additions: int, rows: Callable[[Array], At]
) -> _Stretches:
    """Find out where rows are full before anything is added, so that adding need not look."""
    most = len(sums) * (additions // LIMIT) + 1

    def token(carry: tuple) -> tuple:
        i, (ends, full, number), seen = carry
        seen = tuple(accumulate(of, jnp.uint32(1), at) for of, at in zip(seen, rows(i), strict=True))
        now = jnp.stack([element(of, at) % LIMIT == 0 for of, at in zip(seen, rows(i), strict=True)])
        # Overwritten by what follows, unless a row is full now.
        ends, full = write(ends, i + 1, number), write(full, now.astype(jnp.uint32), number)
        return i + 1, _Stretches(ends, full, number + now.any().astype(jnp.uint32)), seen

    none = _Stretches(jnp.zeros(most, jnp.uint32), jnp.zeros((most, len(sums)), jnp.uint32), jnp.uint32(0))
    unseen = tuple(jnp.zeros(len(s.place), jnp.uint32) for s in sums)
    _, found, _ = lax.while_loop(lambda carry: carry[0] < size, token, (jnp.uint32(0), none, unseen))
    last = found.number
    rest = write(found.ends, size, last), write(found.full, jnp.zeros(len(sums), jnp.uint32), last)
    return _Stretches(*rest, last + 1)


def fold_sums(
    size: UInt32[Array, ""],
    most: int,
    shapes: tuple[tuple[int, ...], ...],
    notes: Noted,
    rows: Callable[[UInt32[Array, ""]], At],
    visit: Callable[[UInt32[Array, ""]], Change],
    apply: Callable[[tuple[Array, ...], Noted, At, Change], tuple[tuple[Array, ...], Noted]],
) -> tuple[tuple[Float[Array, "rows P"], ...], Noted]:
    """Add what each token gives to one row of each table, one after another, and lose no digits.

    What a token gives must not depend on the tables: then it need not wait for the next round, as in ``fold_tokens``.

    Parameters
    ----------
    size, most
        The number of tokens, and what it can be at most.
    shapes
        Of the tables that are added to.
    notes
        What else the changes alter.
    rows
        ``i -> rows``: which row of each table token ``i`` is added to.
    visit
        ``i -> change``: what is added.
    apply
        ``(tables, notes, rows, change) -> (tables, notes)``.

    Examples
    --------
    >>> add = lambda tables, notes, rows, by: ((tables[0].at[rows[0]].add(by),), notes)
    >>> ones, odd_or_even = lambda i: jnp.ones(8), lambda i: (i % 2,)
    >>> (table,), _ = fold_sums(jnp.uint32(1000), 1000, ((2, 8),), (), odd_or_even, ones, add)
    >>> table[:, 0].tolist()
    [500.0, 500.0]
    """
    sums = tuple(Sums.of(shape, most) for shape in shapes)
    stretches = _stretches(size, sums, most, rows)
    zeros: At = tuple(jnp.uint32(0) for _ in sums)

    def stretch(carry: tuple) -> tuple:
        b, i, sums, notes, full, last, read = carry
        sums = tuple(s.settle(*of) for s, *of in zip(sums, full, last, *read, strict=True))
        end, full = element(stretches.ends, b), tuple(row(stretches.full, b) > 0)

        def token(carry: tuple) -> tuple:
            i, tables, notes, _ = carry
            at, change = rows(i), lax.optimization_barrier(visit(i))  # computed once, not for each table
            return i + 1, *apply(tables, notes, at, change), at

        start: Any = (i, tuple(s.recent for s in sums), notes, zeros)
        i, tables, notes, last = lax.while_loop(lambda carry: carry[0] < end, token, start)
        sums = tuple(s._replace(recent=table) for s, table in zip(sums, tables, strict=True))
        return b + 1, i, sums, notes, full, last, _read(sums, last)

    none = tuple(jnp.zeros((), bool) for _ in sums)
    start: Any = (jnp.uint32(0), jnp.uint32(0), sums, notes, none, zeros, _read(sums, zeros))
    done = lax.while_loop(lambda carry: carry[0] < stretches.number, stretch, start)
    return tuple(s.total() for s in done[2]), done[3]


def _read(sums: tuple[Sums, ...], rows: At) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    return (
        tuple(row(s.recent, i) for s, i in zip(sums, rows, strict=True)),
        tuple(element(s.place, i) for s, i in zip(sums, rows, strict=True)),
    )


class ChunkSums(NamedTuple):
    """A table that a chunk of thousands of tokens is added to at once: what accelerators want.

    Nobody promises in which order a device adds to one row, nor that it uses more digits than a float32 has. So the
    tokens of each tile are added up first, then the tiles of a chunk, then the chunks.

    >>> start = ChunkSums.of((2, 8))
    >>> rows = jnp.arange(100, dtype=jnp.uint32) % 2
    >>> start.added((rows,), (rows,), jnp.ones((100, 8))).total()[:, 0].tolist()
    [50.0, 50.0]
    """

    recent: Float[Array, "rows P"]
    """Zero between chunks."""
    high: Float[Array, "rows P"]
    low: Float[Array, "rows P"]

    @classmethod
    def of(cls, shape: tuple[int, ...]) -> "ChunkSums":
        """Zeros."""
        return cls(*(jnp.zeros(shape, jnp.float32) for _ in cls._fields))

    def added(
        self, at: tuple[Array, ...], same: tuple[UInt32[Array, " c"], ...], by: Float[Array, "c P"]
    ) -> "ChunkSums":
        """Add what each token gives to the entries that the index ``at`` names.

        Where two tokens agree in all of ``same``, they must have the same entries.
        """
        recent = self.recent.at[at].add(_by_tile(same, by))
        high, lost = two_sum(self.high[at], recent[at])  # entries named twice are read, and written, alike
        return ChunkSums(recent.at[at].set(0.0), self.high.at[at].set(high), self.low.at[at].set(self.low[at] + lost))

    def total(self) -> Float[Array, "rows P"]:
        """The sums of all rows."""
        return self.high + self.low


def _by_tile(same: tuple[UInt32[Array, " c"], ...], by: Float[Array, "c P"]) -> Float[Array, "c P"]:
    """Give the sum over the equal tokens of each tile to the first of them, and zero to the others."""
    size = by.shape[0]
    short = -size % _TILE
    tiles = [jnp.pad(x, (0, short)).reshape(-1, _TILE) for x in same]
    equal = jnp.stack([x[:, :, None] == x[:, None, :] for x in tiles]).all(0)
    first = jnp.argmax(equal, axis=2) == jnp.arange(_TILE)
    chosen = (equal & first[:, :, None]).astype(jnp.float32)
    padded = jnp.pad(by, ((0, short), (0, 0))).reshape(-1, _TILE, by.shape[1])
    return jnp.einsum("tij,tjp->tip", chosen, padded, precision=lax.Precision.HIGHEST).reshape(-1, by.shape[1])[:size]
