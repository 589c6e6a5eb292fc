"""Lists of the topics that a word has, with their counts: read and edited in place, inside a loop over tokens.

All lists stand in one array, each at a place and with room of its own; topics stand in no order. A list is read
``LANES`` entries at a time. What changes is written by ``edited``, which reads nothing, so that a loop can write what
one token changes before it reads for the next (see ``rows``).
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, UInt32

from jaxlda.kernels.bricks.draw import choose, tree
from jaxlda.kernels.bricks.loops import fold_tokens
from jaxlda.kernels.bricks.rows import element, write

__all__ = [
    "LANES",
    "Edit",
    "ListPlace",
    "TopicLists",
    "edit",
    "edited",
    "find",
    "list_topics",
    "pick",
    "unedited",
    "weigh",
]

LANES = 16  # entries read at once: two AVX2 registers, one of AVX-512

Index = UInt32[Array, ""]


class TopicLists(NamedTuple):
    """The lists of all words."""

    topics: UInt32[Array, " size"]
    counts: Int[Array, " size"]
    length: UInt32[Array, " V"]


class ListPlace(NamedTuple):
    """Where one word's list is: where it begins, and its length."""

    first: Index
    length: Index


class Edit(NamedTuple):
    """Two entries and the length of one list, as they shall be."""

    word: Index
    length: Index
    at: tuple[Index, Index]
    topics: tuple[Index, Index]
    counts: tuple[Int[Array, ""], Int[Array, ""]]


def list_topics(
    first: UInt32[Array, " V"], w: UInt32[Array, " N"], z: UInt32[Array, " N"], size: Index, num_topics: int
) -> TopicLists:
    """List the topics of every word; the tokens are in the order of words, and ``size`` of them count.

    >>> n = lambda *x: jnp.array(x, jnp.uint32)
    >>> lists = list_topics(n(0, 2), n(0, 0, 0, 1), n(4, 2, 4, 3), jnp.uint32(4), num_topics=5)
    >>> lists.topics[:3].tolist(), lists.counts[:3].tolist(), lists.length.tolist()
    ([4, 2, 3], [2, 1, 1], [2, 1])
    """
    room, zero = w.shape[0] + LANES, jnp.uint32(0)
    # Behind the last place where each topic stands: in this word's list, if that is behind the list's beginning.
    behind = jnp.zeros(num_topics, jnp.uint32)
    lists = TopicLists(jnp.zeros(room, jnp.uint32), jnp.zeros(room, jnp.int32), jnp.zeros(first.shape, jnp.uint32))

    def apply(tables: tuple, change: tuple) -> tuple:
        ((topics, counts, length), behind), (at, k, n, v, of_word, after) = tables, change
        lists = TopicLists(write(topics, k, at), write(counts, n, at), write(length, of_word, v))
        return lists, write(behind, after, k)

    def visit(i: Array, tables: tuple) -> tuple:
        lists, behind = tables
        k, v = element(z, i), element(w, i)
        start, of_word, after = element(first, v), element(lists.length, v), element(behind, k)
        fresh = after <= start
        at = jnp.where(fresh, start + of_word, after - 1)
        return tables, (at, k, element(lists.counts, at) + 1, v, of_word + fresh, at + 1)

    nothing = (jnp.uint32(room - 1), zero, jnp.int32(0), zero, zero, zero)
    return fold_tokens(size, (lists, behind), nothing, visit, apply)[0]


def _entries(x: Array, at: Index) -> Array:
    return lax.dynamic_slice(x, (at,), (LANES,))


def _places(j: Index) -> UInt32[Array, " lanes"]:
    return j + lax.iota(jnp.uint32, LANES)


def weigh(
    lists: TopicLists, place: ListPlace, k: Index, weigh_one: Callable[[Array, Array], Array]
) -> tuple[list[Array], Index]:
    """Sum the weights of a list's entries by lanes, and find the entry of topic ``k``, which must be there.

    ``weigh_one`` takes topics and counts, and gives weights; it is called for vectors and for single entries.
    """

    def body(carry: tuple) -> tuple:
        j, sums, found = carry
        topics, counts, places = *(_entries(x, place.first + j) for x in lists[:2]), _places(j)
        inside = places < place.length
        sums = sums + jnp.where(inside, weigh_one(topics, counts), 0.0)
        return j + jnp.uint32(LANES), sums, jnp.where(inside & (topics == k), places, found)

    nothing = (jnp.uint32(0), jnp.zeros(LANES, jnp.float32), jnp.zeros(LANES, jnp.uint32))
    _, sums, found = lax.while_loop(lambda carry: carry[0] < place.length, body, nothing)
    return [sums[i] for i in range(LANES)], tree(jnp.maximum, [found[i] for i in range(LANES)])


def pick(
    t: Float[Array, ""],
    lanes: list[Array],
    lists: TopicLists,
    place: ListPlace,
    weigh_one: Callable[[Array, Array], Array],
    skip: Array,
) -> Index:
    """Find the entry that ``t`` falls into, lane by lane, one of positive weight; anything where ``skip``."""

    def weight(j: Index) -> Array:
        return weigh_one(element(lists.topics, place.first + j), element(lists.counts, place.first + j))

    def body(carry: tuple) -> tuple:
        j, t, passed, last = carry
        j = j + jnp.uint32(LANES)
        own = weight(j)
        # Rounding may lead behind the last entry that has a weight: then it is that one.
        return j, t - passed, own, jnp.where(own > 0, j, last)

    lane, t = choose(t, lanes, guard=True)
    start = (lane, t, weight(lane), lane)
    further = lambda c: (c[1] >= c[2]) & (c[0] + jnp.uint32(LANES) < place.length) & ~skip  # noqa: E731
    return lax.while_loop(further, body, start)[3]


def find(lists: TopicLists, place: ListPlace, k: Index) -> Index:
    """Find the entry of a topic; the length of the list if there is none."""

    def body(carry: tuple) -> tuple:
        j, found = carry
        places = _places(j)
        hit = (_entries(lists.topics, place.first + j) == k) & (places < place.length)
        return j + jnp.uint32(LANES), jnp.where(hit, places, found)

    nothing = (jnp.uint32(0), jnp.full(LANES, place.length))
    found = lax.while_loop(lambda carry: carry[0] < place.length, body, nothing)[1]
    return tree(jnp.minimum, [found[i] for i in range(LANES)])


def edit(lists: TopicLists, v: Index, place: ListPlace, old: Index, new: Index, topic: Index) -> Edit:
    """Move a token of word ``v`` from entry ``old`` to entry ``new``, that of ``topic``.

    ``new`` is the length of the list where the topic stands not in it yet. An entry that counts nothing any more is
    replaced by the new one, or by the last.
    """
    first, length = place
    last = length - 1

    def at(j: Index) -> tuple[Index, Array]:
        return element(lists.topics, first + j), element(lists.counts, first + j)

    (k_old, n_old), (k_last, n_last) = at(old), at(last)
    stays, fresh, gone = new == old, new == length, n_old == 1
    n_new = jnp.where(fresh, 0, at(jnp.minimum(new, last))[1]) + 1
    # What stands where the token was: one less of its topic, or what takes the place of an entry that is gone.
    k_there = jnp.where(gone, jnp.where(fresh, topic, k_last), k_old)
    n_there = jnp.where(gone, jnp.where(fresh | (new == last), n_new, n_last), n_old - 1)
    k_there, n_there = jnp.where(stays, k_old, k_there), jnp.where(stays, n_old, n_there)
    only = stays | (gone & (fresh | (new == last)))  # the new entry is that one
    return Edit(
        v,
        jnp.where(stays, length, length + fresh - gone),
        (first + old, first + jnp.where(only, old, new)),
        (k_there, jnp.where(only, k_there, topic)),
        (n_there, jnp.where(only, n_there, n_new)),
    )


def unedited(lists: TopicLists, v: Index) -> Edit:
    """An edit that changes nothing."""
    at = jnp.uint32(0)
    topic, count = element(lists.topics, at), element(lists.counts, at)
    return Edit(v, element(lists.length, v), (at, at), (topic, topic), (count, count))


def edited(lists: TopicLists, edit: Edit) -> TopicLists:
    """The lists with what an edit says."""
    topics, counts, length = lists
    for at, k, n in zip(edit.at, edit.topics, edit.counts, strict=True):
        topics, counts = write(topics, k, at), write(counts, n, at)
    return TopicLists(topics, counts, write(length, edit.length, edit.word))
