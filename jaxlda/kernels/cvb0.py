r"""CVB0: collapsed variational Bayes of order zero (Asuncion et al. 2009).

Instead of one topic, every token holds a distribution :math:`\gamma` over topics, and a sweep recomputes each from the
expected counts of all others (Eq. 6). Tokens of the same word in the same document have the same update, so
:math:`\gamma` is kept per distinct (document, word) pair with its frequency; the token left out of the counts is one of
them. Where documents allow few topics, :math:`\gamma` is over those.

Sweeps keep the counts up to date by adding differences, which wears them: every now and then, and whenever they are
read, they are counted anew from :math:`\gamma`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from jaxlda.corpora.numbers import positive_int
from jaxlda.kernels.bricks.draw import sum_rows, total
from jaxlda.kernels.bricks.loops import fold_chunks, fold_tokens, split_by, token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import accumulate, row, unsigned, write
from jaxlda.kernels.bricks.sums import ChunkSums, fold_sums
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.blocks import Block, token_at, weight_at
from jaxlda.kernels.layouts.tokens import DOCUMENTS, TokenLayout, distinct, lay_out
from jaxlda.kernels.registry import kernel, unchanged
from jaxlda.types import Algorithm, Counts, Data, Sample, Sharding

__all__ = ["CVB0Info", "CVB0State", "cvb0"]

_TINY = np.finfo(np.float32).tiny  # padding may have no weight at all, and 0 / 0 would spread
_CHUNK = 256  # pairs updated at once on an accelerator; larger chunks converge visibly slower per sweep
_COUNTED = 4096  # pairs counted at once there
_EVERY = 50  # sweeps until the counts are renewed, which takes more than half a sweep


class Words(NamedTuple):
    """The expected counts that only learning topics needs."""

    n_vk: Float[Array, "V P"]
    n_k: Float[Array, " P"]


class CVB0State(NamedTuple):
    """The variational distributions of every block, and the expected counts they add up to."""

    gamma: tuple[Float[Array, "_ _"], ...]
    n_dj: tuple[Float[Array, "_ _"], ...]
    words: Words | None
    """``None`` when the topics are fixed."""
    sweep: Int[Array, ""]
    """Sweeps done."""


class CVB0Info(NamedTuple):
    """What a sweep reports."""

    moved: Float[Array, ""]
    """The share of the tokens' probability that changed topic, net within each document."""


class _Tables(NamedTuple):
    """One block's share of the state, and what all share."""

    gamma: Float[Array, "n P"]
    n_dj: Float[Array, "D P"]
    words: Words | None


def prepare(data: Data) -> TokenLayout:
    """Join equal tokens and lay out the data, once per run."""
    return lay_out(data._replace(tokens=distinct(data.tokens)))


def init(key: PRNGKeyArray, layout: TokenLayout) -> CVB0State:
    """Start every pair at a random distribution over the topics its document allows (a flat Dirichlet draw)."""
    sizes = [block.w.shape[0] * block.num_places for block in layout.blocks]
    u = split_by(sizes, uniform(key, sum(sizes), layout.first_entry * layout.row_length))
    gamma = tuple(_flat(*pair) for pair in zip(layout.blocks, u, strict=True))
    n_dj, n_vk = _counted(layout, gamma)
    words = Words(n_vk, layout.totals(n_dj)) if layout.phi is None else None
    return CVB0State(gamma, n_dj, words, jnp.int32(0))


def _flat(block: Block, u: Float[Array, " _"]) -> Float[Array, "n P"]:
    allowed = block.allowed[unsigned(block.d if block.sparse else jnp.zeros_like(block.d))]
    gamma = jnp.where(allowed, -jnp.log1p(-u.reshape(-1, block.num_places)) + 1e-6, 0.0)
    return gamma / jnp.maximum(sum_rows(gamma.T)[:, None], _TINY)


Counted = tuple[tuple[Float[Array, "_ _"], ...], Float[Array, "V P"]]


def _counted(layout: TokenLayout, gamma: tuple[Float[Array, "_ _"], ...]) -> Counted:
    """What the distributions add up to: ``n_dj`` of every block, and ``n_vk``."""
    n_dj, n_vk = lax.platform_dependent(
        layout,
        gamma,
        cpu=token_loop(partial(_all_counted, _counted_one_by_one)),
        default=partial(_all_counted, _counted_in_chunks),
    )
    return n_dj, layout.summed(n_vk)


def _all_counted(count: Callable, layout: TokenLayout, gamma: tuple[Float[Array, "_ _"], ...]) -> Counted:
    n_dj, n_vk = [], jnp.zeros((layout.num_words, layout.row_length), jnp.float32)
    for block, g in zip(layout.blocks, gamma, strict=True):
        documents = jnp.zeros((layout.docs_of(block), block.num_places), jnp.float32)
        if block.w.shape[0] > 0:
            documents, n_vk = count(block, g, documents, n_vk)
        n_dj.append(documents)
    return tuple(n_dj), n_vk


def _counted_one_by_one(block: Block, gamma: Array, n_dj: Array, n_vk: Array) -> tuple[Array, Array]:
    """Add the pairs of a block to tables, one after another."""

    def rows(i: Array) -> tuple:
        return token_at(block, i)[::-1]

    def visit(i: Array) -> Array:
        return weight_at(block, i) * row(gamma, i)

    def apply(tables: tuple, nothing: tuple, rows: tuple, counts: Array) -> tuple:
        (n_dj, n_vk), (d, v) = tables, rows
        return (accumulate(n_dj, counts, d), block.added(n_vk, None, counts, v, d)[0]), nothing

    shapes = (n_dj.shape, n_vk.shape)
    (of_documents, of_words), _ = fold_sums(block.size, gamma.shape[0], shapes, (), rows, visit, apply)
    return n_dj + of_documents, n_vk + of_words


def _counted_in_chunks(block: Block, gamma: Array, n_dj: Array, n_vk: Array) -> tuple[Array, Array]:
    """Add the pairs of a block to tables, thousands at a time."""

    def visit(index: Array, fresh: Array, sums: tuple[ChunkSums, ChunkSums]) -> tuple[ChunkSums, ChunkSums]:
        (of_documents, of_words), (v, d) = sums, token_at(block, index)
        counts = jnp.where(fresh, weight_at(block, index), 0.0)[:, None] * gamma[index]
        return of_documents.added((d,), (d,), counts), of_words.added(*block.entries(v, d), counts)

    start = (ChunkSums.of(n_dj.shape), ChunkSums.of(n_vk.shape))
    of_documents, of_words = fold_chunks(gamma.shape[0], _COUNTED, start, visit)
    return n_dj + of_documents.total(), n_vk + of_words.total()


def _proportions(
    n_dj: Float[Array, "*n P"],
    alpha: Float[Array, "*#n P"],
    of_word: Float[Array, "*n P"],
    gamma: Float[Array, "*n P"],
    prior: tuple[Array, Array, Array] | None,
) -> Float[Array, "*n P"]:
    r"""Weigh the topics for one pair (Eq. 6).

    ``of_word`` is :math:`n_{vk}` with ``prior`` :math:`(\beta_v, n_k, \sum_v \beta_v)`, or without it phi.
    """
    document = jnp.maximum(n_dj - gamma, 0.0) + alpha  # rounding may leave a hair less than nothing
    if prior is None:
        return document * of_word
    beta, n_k, beta_k = prior
    return document * ((jnp.maximum(of_word - gamma, 0.0) + beta) / (jnp.maximum(n_k - gamma, 0.0) + beta_k))


def _normalised(p: Float[Array, "*n P"], total: Float[Array, "..."], old: Float[Array, "*n P"]) -> Float[Array, "*n P"]:
    """Distributions from weights, or the old ones where all weights are too small for a float32."""
    return jnp.where(total >= _TINY, p / jnp.maximum(total, _TINY), old)


def _one_by_one(layout: TokenLayout, block: Block, tables: _Tables) -> _Tables:
    """One pair after another, each seeing all updates before it: converges fastest, and is what a CPU does best."""
    zero = jnp.uint32(0)

    def apply(tables: _Tables, update: tuple) -> _Tables:
        i, v, d, new, change = update
        words = tables.words
        if words is not None:
            words = Words(*block.added(*words, change, v, d))
        return _Tables(write(tables.gamma, new, i), accumulate(tables.n_dj, change, d), words)

    def visit(i: Array, tables: _Tables) -> tuple:
        (v, d), gamma, words = token_at(block, i), row(tables.gamma, i), tables.words
        if words is None:
            of_word, prior = block.of_word(layout.phi, v, d), None
        else:
            of_word = block.of_word(words.n_vk, v, d)
            beta, n_k, beta_k = block.of_word(layout.beta, v, d), words.n_k, layout.beta_k
            prior = beta, block.of_topics(n_k, d), block.of_topics(beta_k, d)
        p = _proportions(row(tables.n_dj, d), block.alpha_row(d), of_word, gamma, prior)
        new = _normalised(p, total(p), gamma)
        return tables, (i, v, d, new, weight_at(block, i) * (new - gamma))

    nothing = (zero, zero, zero, tables.gamma[0], jnp.zeros_like(tables.gamma[0]))
    return fold_tokens(block.size, tables, nothing, visit, apply)


def _in_chunks(layout: TokenLayout, block: Block, tables: _Tables, chunk: int) -> _Tables:
    """Chunks of pairs at a time, each seeing the updates of the chunks before: what accelerators want."""
    pairs = block.w.shape[0]

    def visit(index: Array, fresh: Array, tables: _Tables) -> _Tables:
        (v, d), gamma, words = token_at(block, index), tables.gamma[index], tables.words
        fresh = fresh & (index < block.size)
        if words is None:
            of_word, prior = block.of_words(layout.phi, v, d), None
        else:
            of_word = block.of_words(words.n_vk, v, d)
            beta, n_k, beta_k = block.of_words(layout.beta, v, d), words.n_k, layout.beta_k
            prior = beta, block.of_topics(n_k, d), block.of_topics(beta_k, d)
        p = _proportions(tables.n_dj[d], block.alpha_rows(d), of_word, gamma, prior)
        new = _normalised(p, p.sum(1, keepdims=True), gamma)
        change = jnp.where(fresh[:, None], weight_at(block, index)[:, None] * (new - gamma), 0.0)
        if words is not None:
            words = Words(*block.all_added(*words, change, v, d))
        gamma = tables.gamma.at[jnp.where(fresh, index, pairs)].set(new, mode="drop")
        return _Tables(gamma, tables.n_dj.at[d].add(change), words)

    return fold_chunks(pairs, chunk, tables, visit)


def _sweep(layout: TokenLayout, state: CVB0State, chunk: int | None) -> tuple[CVB0State, CVB0Info]:
    """Update all blocks, one pair after another or in chunks, and say how much moved."""
    gamma, n_dj, words = list(state.gamma), list(state.n_dj), state.words
    for b, block in enumerate(layout.blocks):
        if block.num_places > 1 and block.w.shape[0] > 0:
            tables = _Tables(gamma[b], n_dj[b], words)
            tables = _one_by_one(layout, block, tables) if chunk is None else _in_chunks(layout, block, tables, chunk)
            gamma[b], n_dj[b], words = tables
    changes = [sum_rows(jnp.abs(new - old).ravel()) / 2 for new, old in zip(n_dj, state.n_dj, strict=True)]
    moved = layout.summed(sum(changes, start=jnp.float32(0))) / layout.num_tokens
    return CVB0State(tuple(gamma), tuple(n_dj), words, state.sweep + 1), CVB0Info(moved)


def _share(layout: TokenLayout, new: CVB0State, old: CVB0State) -> CVB0State:
    """The state with such counts of words that those of all devices add up to what all sweeps together have changed."""
    if layout.shard is None or new.words is None or old.words is None:
        return new
    before = jnp.where(lax.axis_index(DOCUMENTS) == 0, old.words.n_vk, 0.0)
    return new._replace(words=new.words._replace(n_vk=before + (new.words.n_vk - old.words.n_vk)))


def _renewed(layout: TokenLayout, state: CVB0State) -> CVB0State:
    """The state with its counts, if it is time, from the distributions; the totals of topics always."""

    def renew(count: Callable, layout: TokenLayout, gamma: tuple[Array, ...], counts: tuple) -> tuple:
        documents, n_vk = _all_counted(count, layout, gamma)
        return documents, None if counts[1] is None else n_vk

    def on_cpu(due: Array, layout: TokenLayout, gamma: tuple[Array, ...], counts: tuple) -> tuple:
        renewed = partial(renew, _counted_one_by_one)
        return lax.cond(due, renewed, lambda layout, gamma, counts: counts, layout, gamma, counts)

    def elsewhere(due: Array, layout: TokenLayout, gamma: tuple[Array, ...], counts: tuple) -> tuple:
        # Under vmap lax.cond would count at every sweep, while a loop of no rounds costs nothing.
        rounds = jnp.where(due, 1, 0)
        return lax.fori_loop(0, rounds, lambda _, counts: renew(_counted_in_chunks, layout, gamma, counts), counts)

    counts = (state.n_dj, None if state.words is None else state.words.n_vk)
    arguments = (state.sweep % _EVERY == 0, layout, state.gamma, counts)
    n_dj, n_vk = lax.platform_dependent(*arguments, cpu=token_loop(on_cpu), default=elsewhere)
    # The totals of topics lose most digits.
    return state._replace(n_dj=n_dj, words=None if n_vk is None else Words(layout.summed(n_vk), layout.totals(n_dj)))


def readout(state: CVB0State, layout: TokenLayout) -> Sample:
    """Give the expected counts, from the distributions themselves; there is no z."""
    n_dj, n_vk = _counted(layout, state.gamma)
    n_vk = n_vk[:, : layout.num_topics]
    return Sample(Counts(layout.n_dk(n_dj), n_vk, sum_rows(n_vk)), None)


@kernel
def cvb0(chunk: int | None = None) -> Algorithm:
    """CVB0 (Eq. 6): deterministic soft counts, with phi learned or, where the data fix it, known.

    Parameters
    ----------
    chunk
        How many pairs are updated at once. If not given, one after another on a CPU, and 256 on accelerators. Larger
        chunks converge more slowly per sweep.

    Examples
    --------
    >>> import jax
    >>> import jaxlda
    >>> algorithm = cvb0()
    >>> layout = algorithm.prepare(jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2))
    >>> state = algorithm.init(jax.random.key(0), layout)
    >>> int(layout.blocks[0].size)  # pairs, not tokens
    4
    >>> state, info = algorithm.step(jax.random.key(1), state, layout)
    >>> bool(jnp.allclose(algorithm.readout(state, layout).counts.n_dk.sum(1), 3))
    True
    """
    if chunk is not None:
        chunk = positive_int(chunk, "chunk")

    def step(key: PRNGKeyArray, state: CVB0State, layout: TokenLayout) -> tuple[CVB0State, CVB0Info]:
        """Update every distribution once; ``key`` is unused, the algorithm is deterministic."""
        del key
        if sum(layout.sizes) == 0:
            return state, CVB0Info(jnp.float32(0))

        def one_by_one(layout: TokenLayout, state: CVB0State) -> tuple[CVB0State, CVB0Info]:
            return _sweep(layout, state, None)

        def in_chunks(layout: TokenLayout, state: CVB0State) -> tuple[CVB0State, CVB0Info]:
            return _sweep(layout, state, chunk or _CHUNK)

        if chunk is not None:
            new, info = in_chunks(layout, state)
        else:
            new, info = lax.platform_dependent(layout, state, cpu=token_loop(one_by_one), default=in_chunks)
        return _renewed(layout, _share(layout, new, state)), info

    kinds: Any = ("entries", "documents", "all", "all")
    sharding = Sharding(CVB0State(*kinds), pairs=True)
    functions = (init, step, readout, prepare, log_joint, unchanged)
    return Algorithm("cvb0", (("chunk", chunk),), *functions, sharding=sharding)
