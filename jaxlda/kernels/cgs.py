r"""Exact collapsed Gibbs sampling (Griffiths & Steyvers 2004).

One sweep visits every token in turn, takes it out of the counts and draws its topic anew from the full conditional:
Eq. 1 when the topics are learned, Eq. 4 when ``data.phi`` holds them fixed. A prior with :math:`\alpha_{dk} = 0` makes
it Labeled LDA (Eq. 5). Cost per token: one row of ``n_dk``, one of ``n_vk``, and :math:`O(K)` arithmetic on them; where
documents allow few topics, :math:`O(|\mathcal{K}_d|)` instead (``lay_out`` decides).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray, UInt32

from jaxlda.kernels.bricks.draw import draw
from jaxlda.kernels.bricks.loops import fold_chunks, fold_tokens, split_by, token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import accumulate, element, row, unsigned, write
from jaxlda.kernels.conditional import never_nothing, weights, weights_given_phi
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.blocks import Block, token_at
from jaxlda.kernels.layouts.tokens import TokenLayout, lay_out
from jaxlda.kernels.registry import kernel, unchanged
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = [
    "CGSInfo",
    "CGSState",
    "cgs",
    "checked_tokens",
    "doc_counts",
    "first_places",
    "moved",
    "sweep",
    "sweep_given_phi",
    "word_counts",
]


_SHORT = 128  # places: counts in longer rows are not rewritten as a whole for every token
_FIRST = 4096  # tokens that are given a first topic at once: no row of alpha is held for more of them


class CGSState(NamedTuple):
    """Assignments, as places in the blocks' lists of topics, and their counts."""

    j: tuple[UInt32[Array, " _"], ...]
    """Of every block; in rows of all topics the places are the topics."""
    n_dj: tuple[Int[Array, "_ _"], ...]
    n_vk: Int[Array, "V P"] | None
    """``None`` when the topics are fixed: nothing reads them then."""
    n_k: Int[Array, " P"] | None


class CGSInfo(NamedTuple):
    """What a sweep reports."""

    moved: Float[Array, ""]
    """The share of the tokens whose topic changed."""


class _Words(NamedTuple):
    """What all blocks share and every move changes, with the reciprocals of the denominators of Eq. 1."""

    n_vk: Int[Array, "V P"]
    n_k: Int[Array, " P"]
    inverse: Float[Array, " P"]
    changed: UInt32[Array, ""]
    """The topic whose count changed last."""

    def moved(self, by: Int[Array, ""], v: UInt32[Array, ""], k: UInt32[Array, ""]) -> "_Words":
        """The counts with a token of word v more or less in topic k; not the reciprocals."""
        return _Words(accumulate(self.n_vk, by, v, k), accumulate(self.n_k, by, k), self.inverse, k)

    def inverted(self, beta_k: Float[Array, " P"], *topics: UInt32[Array, ""]) -> "_Words":
        """The reciprocals of topics, renewed.

        Of all that changed at once: were n_k read between two changes, XLA would copy it twice for every token.
        """
        inverse = self.inverse
        for k in topics:
            inverse = write(inverse, 1 / (element(self.n_k, k) + element(beta_k, k)), k)
        return self._replace(inverse=inverse)


def checked_tokens(data: Data) -> Data:
    """The data, if they have one entry per token."""
    m = np.asarray(data.tokens.m)
    if not ((m == 0) | (m == 1)).all():
        raise ValueError(
            "a sampler assigns a topic to every token, but these data hold (document, word) pairs with frequencies "
            "m > 1: pass one entry per token (Corpus.data does)."
        )
    return data


def prepare(data: Data) -> TokenLayout:
    """Check and lay out the data, once per run."""
    return lay_out(checked_tokens(data))


def init(key: PRNGKeyArray, layout: TokenLayout) -> CGSState:
    r"""Assign every token a topic drawn from :math:`\alpha_d`, as if it were alone in its document."""
    u = split_by(layout.sizes, uniform(key, sum(layout.sizes), layout.first_entry))
    j = tuple(first_places(*pair) for pair in zip(layout.blocks, u, strict=True))
    n_dj = doc_counts(layout, j)
    if layout.phi is not None:
        return CGSState(j, n_dj, None, None)
    return CGSState(j, n_dj, word_counts(layout, j), layout.totals(n_dj))


def first_places(block: Block, u: Float[Array, " n"]) -> UInt32[Array, " n"]:
    """Draw a place for every token by its document's prior alone."""
    n, nowhere = block.w.shape[0], jnp.zeros(block.w.shape, jnp.uint32)
    if block.num_places == 1:
        return nowhere

    def place(d: Array, u: Array) -> Array:
        return draw(block.alpha_row(d), u, block.num_choices, sparse=block.sparse)

    def visit(index: Array, fresh: Array, j: Array) -> Array:
        return j.at[index].set(jax.vmap(place)(token_at(block, index)[1], u[index]))

    return jnp.where(block.m > 0, fold_chunks(n, _FIRST, nowhere, visit), jnp.uint32(0))


def doc_counts(layout: TokenLayout, j: tuple[UInt32[Array, " _"], ...]) -> tuple[Int[Array, "_ _"], ...]:
    """Count the places of every document, block by block."""

    def counts(block: Block, j: UInt32[Array, " n"]) -> Int[Array, "D P"]:
        table = jnp.zeros((layout.docs_of(block), block.num_places), jnp.int32)
        return table.at[unsigned(block.d), j].add(block.m.astype(jnp.int32))

    return tuple(counts(*pair) for pair in zip(layout.blocks, j, strict=True))


def word_counts(layout: TokenLayout, j: tuple[UInt32[Array, " _"], ...]) -> Int[Array, "V P"]:
    """Count the words of every topic, on all devices, in rows as long as those of the layout."""
    n_vk = jnp.zeros((layout.num_words, layout.row_length), jnp.int32)
    for block, places in zip(layout.blocks, j, strict=True):
        n_vk = n_vk.at[unsigned(block.w), block.topic(unsigned(block.d), places)].add(block.m.astype(jnp.int32))
    return layout.summed(n_vk)


def sweep(layout: TokenLayout, u: Float[Array, " N"], state: CGSState) -> CGSState:
    """One token after another, one block after another: what a CPU does best."""
    words = None
    if state.n_vk is not None and state.n_k is not None:
        words = _Words(state.n_vk, state.n_k, 1 / (state.n_k + layout.beta_k), jnp.uint32(0))
    j, n_dj = list(state.j), list(state.n_dj)
    for b, (block, own) in enumerate(zip(layout.blocks, split_by(layout.sizes, u), strict=True)):
        if block.num_places > 1 and block.w.shape[0] > 0:
            short = not block.listed and block.num_places <= _SHORT
            of_block = _sweep_by_document if short else _block_sweep
            j[b], n_dj[b], words = of_block(layout, block, own, j[b], n_dj[b], words)
    return CGSState(tuple(j), tuple(n_dj), *((None, None) if words is None else words[:2]))


def _block_sweep(
    layout: TokenLayout,
    block: Block,
    u: Float[Array, " n"],
    old: UInt32[Array, " n"],
    n_dj: Int[Array, "D P"],
    words: _Words | None,
) -> tuple[UInt32[Array, " n"], Int[Array, "D P"], _Words | None]:
    one, zero = jnp.int32(1), jnp.uint32(0)
    sparse = block.sparse or layout.phi is not None

    def move(tables: tuple, i: Array, j: Array, by: Array) -> tuple:
        (new, n_dj, words), (v, d) = tables, token_at(block, i)
        n_dj = accumulate(n_dj, by, d, j)
        return new, n_dj, None if words is None else words.moved(by, v, block.topic(d, j))

    def apply(tables: tuple, drawn: tuple) -> tuple:
        i, j = drawn
        new, n_dj, words = move(tables, i, j, one)
        return write(new, j, i), n_dj, words

    def visit(i: Array, tables: tuple) -> tuple:
        v, d = token_at(block, i)
        before = tables[2]
        new, n_dj, words = move(tables, i, element(old, i), -one)
        n_d, alpha = row(n_dj, d), block.alpha_row(d)
        if words is None:
            phi = block.of_word(layout.phi, v, d)
            p = never_nothing(weights_given_phi(n_d, alpha, phi), alpha, phi)
        else:
            words = words.inverted(layout.beta_k, before.changed, words.changed)
            of_word, beta = block.of_word(words.n_vk, v, d), block.of_word(layout.beta, v, d)
            p = weights(n_d, alpha, of_word, beta, block.of_topics(words.inverse, d))
            p = never_nothing(p, alpha) if sparse else p
        return (new, n_dj, words), (i, draw(p, element(u, i), block.num_choices, sparse=sparse))

    # The first token is taken out and put back before it is visited: so there is always something to apply.
    first = (zero, old[0])
    tables = move((jnp.zeros_like(old), n_dj, words), *first, -one)
    return fold_tokens(block.size, tables, first, visit, apply)


def _sweep_by_document(
    layout: TokenLayout,
    block: Block,
    u: Float[Array, " n"],
    old: UInt32[Array, " n"],
    n_dj: Int[Array, "D P"],
    words: _Words | None,
) -> tuple[UInt32[Array, " n"], Int[Array, "D P"], _Words | None]:
    """One document after another: what ``_block_sweep`` does, for short rows.

    A processor that reads a row waits for the numbers that were just written to it, one by one. So the counts of the
    document and of the topics are rewritten as rows, and the token is taken out of its word's row after that was read.
    The reciprocals of ``words`` are left behind: rows are all of a layout, and no block after them reads these.
    """
    one, places = jnp.int32(1), lax.iota(jnp.uint32, block.num_places)
    sparse = block.sparse or layout.phi is not None

    def only(j: Array) -> Int[Array, " P"]:
        return (places == j).astype(jnp.int32)

    def apply(tables: tuple, drawn: tuple) -> tuple:
        (_, new, n_d, words), (i, before, j) = tables, drawn
        v = token_at(block, i)[0]
        if words is not None:
            n_vk = accumulate(accumulate(words.n_vk, -one, v, before), one, v, j)
            words = words._replace(n_vk=n_vk, n_k=words.n_k + only(j))
        return i + 1, write(new, j, i), n_d + only(j), words

    def visit(i: Array, tables: tuple) -> tuple:
        (following, new, n_d, words), (v, d), before = tables, token_at(block, i), element(old, i)
        n_d, alpha = n_d - only(before), block.alpha_row(d)
        if words is None:
            phi = block.of_word(layout.phi, v, d)
            p = never_nothing(weights_given_phi(n_d, alpha, phi), alpha, phi)
        else:
            words = words._replace(n_k=words.n_k - only(before))
            n_v, beta = block.of_word(words.n_vk, v, d) - only(before), block.of_word(layout.beta, v, d)
            # Eq. 1, divided at last: a quotient is what XLA does not compute anew for each of its readers.
            p = (n_d + alpha) * (n_v + beta) / (words.n_k + layout.beta_k)
            p = never_nothing(p, alpha) if sparse else p
        j = draw(p, element(u, i), block.num_choices, sparse=sparse)
        return (following, new, n_d, words), (i, before, j)

    def document(carry: tuple) -> tuple:
        i, new, n_dj, words = carry
        d, before = token_at(block, i)[1], element(old, i)
        # The first token is taken out and put back, as in `_block_sweep`.
        out = None if words is None else words._replace(n_k=words.n_k - only(before))
        tables, first = (i, new, row(n_dj, d) - only(before), out), (i, before, before)
        own = {"first": i, "more": lambda i: token_at(block, i)[1] == d}
        i, new, n_d, words = fold_tokens(block.size, tables, first, visit, apply, **own)
        return i, new, write(n_dj, n_d, d), words

    start = (jnp.uint32(0), jnp.zeros_like(old), n_dj, words)
    return lax.while_loop(lambda carry: carry[0] < block.size, document, start)[1:]


def _sweep_by_position(layout: TokenLayout, u: Float[Array, " N"], state: CGSState) -> CGSState:
    """The i-th token of every document at once, with the topics fixed: documents are independent then."""
    j, n_dj = list(state.j), list(state.n_dj)
    for b, (block, own) in enumerate(zip(layout.blocks, split_by(layout.sizes, u), strict=True)):
        if block.num_places > 1 and block.w.shape[0] > 0:
            j[b], n_dj[b] = _block_by_position(layout, block, own, j[b], n_dj[b])
    return CGSState(tuple(j), tuple(n_dj), None, None)


def _block_by_position(
    layout: TokenLayout, block: Block, u: Float[Array, " n"], j: UInt32[Array, " n"], n_dj: Int[Array, "D P"]
) -> tuple[UInt32[Array, " n"], Int[Array, "D P"]]:
    documents = jnp.arange(n_dj.shape[0], dtype=jnp.uint32)
    n_d = jnp.zeros_like(documents).at[unsigned(block.d)].add(unsigned(block.m))
    start = jnp.cumsum(n_d, dtype=jnp.uint32) - n_d
    alpha = jnp.broadcast_to(block.alpha, n_dj.shape)
    nowhere = jnp.uint32(j.shape[0])  # out of bounds: dropped when written

    def body(carry: tuple) -> tuple:
        t, j, n_dj = carry
        active = t < n_d
        i = jnp.minimum(start + t, nowhere - 1)
        n_dj = n_dj.at[documents, j[i]].add(-active.astype(jnp.int32))
        phi = block.of_words(layout.phi, unsigned(block.w[i]), documents)
        p = never_nothing(weights_given_phi(n_dj, alpha, phi), alpha, phi)
        new = jax.vmap(lambda p, u: draw(p, u, block.num_choices, sparse=True))(p, u[i])
        n_dj = n_dj.at[documents, new].add(active.astype(jnp.int32))
        return t + 1, j.at[jnp.where(active, i, nowhere)].set(new, mode="drop"), n_dj

    return lax.while_loop(lambda carry: carry[0] < n_d.max(), body, (jnp.uint32(0), j, n_dj))[1:]


def sweep_given_phi(layout: TokenLayout, u: Float[Array, " N"], state: CGSState) -> CGSState:
    """Draw every token's topic with the topics of the layout held fixed (Eq. 4); counts of words are not kept."""
    state = state._replace(n_vk=None, n_k=None)
    return lax.platform_dependent(layout, u, state, cpu=token_loop(sweep), default=_sweep_by_position)


def moved(layout: TokenLayout, new: CGSState, old: CGSState) -> Float[Array, ""]:
    """The share of the tokens whose topic changed."""
    changes = [(a != b).sum(dtype=jnp.int32) for a, b in zip(new.j, old.j, strict=True)]
    return layout.summed(sum(changes, start=jnp.int32(0))) / layout.num_tokens


def step(key: PRNGKeyArray, state: CGSState, layout: TokenLayout) -> tuple[CGSState, CGSInfo]:
    """Draw the topic of every token once."""
    if sum(layout.sizes) == 0:
        return state, CGSInfo(jnp.float32(0))
    u = uniform(key, sum(layout.sizes))
    new = token_loop(sweep)(layout, u, state) if layout.phi is None else sweep_given_phi(layout, u, state)
    return new, CGSInfo(moved(layout, new, state))


def readout(state: CGSState, layout: TokenLayout) -> Sample:
    """Topics in the place of places, in the order of the corpus, and the counts without padding."""
    z = jnp.zeros(layout.data.tokens.w.shape, jnp.int32)
    for block, j in zip(layout.blocks, state.j, strict=True):
        z = block.in_corpus(block.topic(unsigned(block.d), j).astype(jnp.int32), z)
    n_vk = word_counts(layout, state.j) if state.n_vk is None else state.n_vk
    n_k = layout.totals(state.n_dj) if state.n_k is None else state.n_k
    K = layout.num_topics
    return Sample(Counts(layout.n_dk(state.n_dj), n_vk[:, :K], n_k[:K]), z)


@kernel
def cgs() -> Algorithm:
    """Exact collapsed Gibbs sampling: Eq. 1, or Eq. 4 where the data fix phi.

    >>> import jaxlda
    >>> sampler = cgs()
    >>> layout = sampler.prepare(jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2))
    >>> state = sampler.init(jax.random.key(0), layout)
    >>> state, info = sampler.step(jax.random.key(1), state, layout)
    >>> sampler.readout(state, layout).counts.n_dk.sum(1).tolist()
    [3, 3]
    """
    return Algorithm("cgs", (), init, step, readout, prepare, log_joint, unchanged)
