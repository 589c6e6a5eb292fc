r"""Exact collapsed Gibbs sampling whose cost follows the topics that a word has, not all of them.

The full conditional (Eq. 1) is a sum of two parts (Yao, Mimno & McCallum 2009; Yu et al. 2015):

.. math:: p(k) \propto a_k\, n_{vk} + a_k\, \beta_v, \qquad a_k = \frac{n_{dk} + \alpha_k}{n_k + \sum_v \beta_v}

The first is zero where the word has not the topic: a list of the topics of every word is all it needs. The second is
one vector for all tokens of a document, of which a token changes two numbers. Its groups of topics are kept summed, so
that its total, and a draw from it, cost :math:`O(K / 16 + 16)` additions, in vectors.

As for the order of the tokens and the distribution they are drawn from it is ``cgs``, with random numbers used in
another way. The lists are made anew from z for every sweep, and no table of words and topics is kept.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray, UInt32

from jaxlda.kernels.bricks.draw import add, draw, total, tree
from jaxlda.kernels.bricks.loops import fold_tokens, token_loop
from jaxlda.kernels.bricks.random import uniform, uniform_pairs
from jaxlda.kernels.bricks.rows import accumulate, element, entry, unsigned, write
from jaxlda.kernels.bricks.topic_lists import (
    Edit,
    ListPlace,
    TopicLists,
    edit,
    edited,
    find,
    list_topics,
    pick,
    unedited,
    weigh,
)
from jaxlda.kernels.cgs import CGSInfo, checked_tokens, first_places
from jaxlda.kernels.cgs import init as init_rows
from jaxlda.kernels.cgs import prepare as prepare_rows
from jaxlda.kernels.cgs import readout as readout_rows
from jaxlda.kernels.cgs import step as step_rows
from jaxlda.kernels.conditional import never_nothing
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.blocks import token_at
from jaxlda.kernels.layouts.tokens import few_topics
from jaxlda.kernels.layouts.words import GROUP, ListsOrRows, WordLists, lay_out_words
from jaxlda.kernels.registry import kernel, unchanged
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["SparseState", "sparse"]


class SparseState(NamedTuple):
    """Assignments. All else is counted from them when a sweep begins."""

    z: UInt32[Array, " N"]


class _Topics(NamedTuple):
    """What a document reads of all topics, and every move changes."""

    n_d: Int[Array, " P"]
    n_k: Int[Array, " P"]
    weight: Float[Array, " P"]
    r""":math:`a_k`."""
    sums: Float[Array, " groups"]
    """Of the weights of each group of topics."""


class _Topic(NamedTuple):
    """One topic, as it shall be."""

    k: UInt32[Array, ""]
    n_d: Int[Array, ""]
    n_k: Int[Array, ""]
    weight: Float[Array, ""]


class _Move(NamedTuple):
    """A token, the topic it came from and the one it goes to, and what that changes in the list of its word."""

    i: UInt32[Array, ""]
    source: _Topic
    target: _Topic
    edit: Edit


def prepare(data: Data) -> ListsOrRows:
    """Check and lay out the data, once per run; as ``cgs`` does where lists of words' topics save nothing."""
    if data.phi is not None or data.priors.beta.ndim == 2 or few_topics(data):
        return ListsOrRows(None, prepare_rows(data))
    return ListsOrRows(lay_out_words(checked_tokens(data)), None)


def _either(by_lists: Callable, by_rows: Callable) -> Callable:
    """A function of an algorithm, which takes the layout last, for both layouts."""

    def function(*arguments: Any) -> Any:
        *given, layout = arguments
        return by_rows(*given, layout.rows) if layout.lists is None else by_lists(*given, layout.lists)

    return function


def _init(key: PRNGKeyArray, layout: WordLists) -> SparseState:
    r"""Assign every token a topic drawn from :math:`\alpha_d`, as if it were alone in its document."""
    return SparseState(first_places(layout.rows, uniform(key, layout.rows.w.shape[0])))


def _weights(layout: WordLists, n_d: Array, n_k: Array, alpha: Array) -> Array:
    return never_nothing((n_d + alpha) / (n_k + layout.beta_total), alpha)


def _group(x: Float[Array, " P"], g: UInt32[Array, ""]) -> Float[Array, " group"]:
    return lax.dynamic_slice(x, (g * jnp.uint32(GROUP),), (GROUP,))


def _at_document(
    layout: WordLists, d: UInt32[Array, ""], z: UInt32[Array, " N"], begin: Array, end: Array, n_k: Int[Array, " P"]
) -> _Topics:
    """The topics as a document sees them before its first token is drawn."""
    nothing = jnp.zeros_like(n_k)
    n_d = lax.fori_loop(begin, end, lambda i, n: accumulate(n, jnp.int32(1), element(z, i)), nothing)
    weight = _weights(layout, n_d, n_k, layout.rows.alpha_row(d))
    by_group = weight.reshape(-1, GROUP)
    return _Topics(n_d, n_k, weight, tree(add, [by_group[:, i] for i in range(GROUP)]))


def _moved(topics: _Topics, source: _Topic, target: _Topic) -> _Topics:
    """The topics after a move; the sums are read from weights that are written already."""
    n_d, n_k, weight, sums = topics
    for own in (source, target):
        n_d, n_k, weight = write(n_d, own.n_d, own.k), write(n_k, own.n_k, own.k), write(weight, own.weight, own.k)
    for own in (source, target):
        g = own.k // jnp.uint32(GROUP)
        sums = write(sums, total(_group(weight, g)), g)
    return _Topics(n_d, n_k, weight, sums)


def _sweep(layout: WordLists, u: tuple[Float[Array, " N"], ...], z: UInt32[Array, " N"]) -> UInt32[Array, " N"]:
    """One document after another, one token after another."""
    w = layout.rows.w
    lists = list_topics(
        layout.first, unsigned(w[layout.by_word]), z[layout.by_word], layout.document[-1], layout.num_topics
    )
    n_k = jnp.zeros(layout.rows.num_places, jnp.int32).at[z].add(layout.rows.m.astype(jnp.int32))

    def document(d: Array, carry: tuple) -> tuple:
        new, lists, n_k = carry
        begin, end = element(layout.document, d), element(layout.document, d + 1)
        topics = _at_document(layout, d, z, begin, end, n_k)
        first = _Topic(jnp.uint32(0), *(x[0] for x in topics[:3]))
        nothing = (_Move(begin, first, first, unedited(lists, unsigned(element(w, begin)))), element(new, begin))

        def apply(tables: tuple, change: tuple) -> tuple:
            (new, lists, topics), (move, k) = tables, change
            return write(new, k, move.i), edited(lists, move.edit), _moved(topics, move.source, move.target)

        def visit(i: Array, tables: tuple) -> tuple:
            move = _visited(layout, d, begin + i, element(z, begin + i), u, *tables[1:])
            return tables, (move, move.target.k)

        new, lists, topics = fold_tokens(end - begin, (new, lists, topics), nothing, visit, apply)
        return new, lists, topics.n_k

    num_docs = jnp.uint32(layout.document.shape[0] - 1)
    return lax.fori_loop(jnp.uint32(0), num_docs, document, (z, lists, n_k))[0]


def _visited(
    layout: WordLists, d: Array, i: Array, old: Array, u: tuple[Array, ...], lists: TopicLists, topics: _Topics
) -> _Move:
    """Draw the topic of one token. Nothing is written: the token is left out by reckoning with what would be there."""
    n_d, n_k, weight, sums = topics
    v, one = token_at(layout.rows, i)[0], jnp.int32(1)
    place = ListPlace(element(layout.first, v), element(lists.length, v))

    def changed(k: Array, by: Array) -> _Topic:
        n, n_all = element(n_d, k) + by, element(n_k, k) + by
        return _Topic(k, n, n_all, _weights(layout, n, n_all, entry(layout.rows.alpha, d, k)))

    def group(g: Array) -> Array:
        own = g * jnp.uint32(GROUP) + lax.iota(jnp.uint32, GROUP)
        return jnp.where(own == old, source.weight, _group(weight, g))

    def of_word(k: Array, n: Array) -> Array:
        a = element(weight, k) if k.ndim == 0 else weight.at[k].get(mode="promise_in_bounds")
        return jnp.where(k == old, source.weight, a) * (n - (k == old))

    source = changed(old, -one)
    g_old = old // jnp.uint32(GROUP)
    sums = jnp.where(lax.iota(jnp.uint32, sums.shape[0]) == g_old, total(group(g_old)), sums)
    lanes, entry_old = weigh(lists, place, old, of_word)
    listed = tree(add, lanes)
    t = element(u[0], i) * (listed + element(layout.beta, v) * total(sums))
    by_prior = t >= listed
    entry_new = pick(t, lanes, lists, place, of_word, skip=by_prior)

    def from_prior(_: tuple) -> tuple:
        g = draw(sums, element(u[1], i), sums.shape[0], sparse=True)
        k = g * jnp.uint32(GROUP) + draw(group(g), element(u[2], i), GROUP, sparse=True)
        k = jnp.minimum(k, layout.rows.num_choices - 1)
        return jnp.bool_(False), find(lists, place, k), k

    # A loop of one round or none: most tokens need it not.
    chosen = (by_prior, entry_new, element(lists.topics, place.first + entry_new))
    _, entry_new, k = lax.while_loop(lambda carry: carry[0], from_prior, chosen)
    stays = k == old
    there = _Topic(old, element(n_d, old), element(n_k, old), element(weight, old))
    source, target = (
        _Topic(*(jnp.where(stays, a, b) for a, b in zip(there, own, strict=True))) for own in (source, changed(k, one))
    )
    return _Move(i, source, target, edit(lists, v, place, entry_old, entry_new, k))


def _step(key: PRNGKeyArray, state: SparseState, layout: WordLists) -> tuple[SparseState, CGSInfo]:
    """Draw the topic of every token once."""
    n = state.z.shape[0]
    if n == 0:
        return state, CGSInfo(jnp.float32(0))
    first, second = jax.random.split(key)
    z = token_loop(_sweep)(layout, (*uniform_pairs(first, n), uniform(second, n)), state.z)
    return SparseState(z), CGSInfo((z != state.z).sum(dtype=jnp.int32) / layout.num_tokens)


def _readout(state: SparseState, layout: WordLists) -> Sample:
    """Give the assignments and count them."""
    w, d, m, n_d = layout.data.tokens
    by, K = (m > 0).astype(jnp.int32), layout.num_topics
    n_dk = jnp.zeros((n_d.shape[0], K), jnp.int32).at[d, state.z].add(by)
    n_vk = jnp.zeros((layout.beta.shape[0], K), jnp.int32).at[w, state.z].add(by)
    return Sample(Counts(n_dk, n_vk, jnp.zeros(K, jnp.int32).at[state.z].add(by)), state.z.astype(jnp.int32))


init, step, readout = _either(_init, init_rows), _either(_step, step_rows), _either(_readout, readout_rows)


@kernel
def sparse() -> Algorithm:
    """Exact collapsed Gibbs sampling for many topics: a token costs what the topics of its word cost.

    Where documents allow few topics (labels) and where topics are known or have priors of their own (``phi``, ``beta``
    of all topics and words), a sweep is that of ``cgs``.

    Examples
    --------
    >>> import jaxlda
    >>> sampler = sparse()
    >>> layout = sampler.prepare(jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2))
    >>> state = sampler.init(jax.random.key(0), layout)
    >>> state, info = sampler.step(jax.random.key(1), state, layout)
    >>> sampler.readout(state, layout).counts.n_dk.sum(1).tolist()
    [3, 3]
    """
    return Algorithm("sparse", (), init, step, readout, prepare, log_joint, unchanged)
