r"""CVB0: collapsed variational Bayes of order zero (Asuncion et al. 2009).

Instead of one topic, every token holds a distribution :math:`\gamma` over topics, and a sweep recomputes each from the
expected counts of all others (Eq. 6). Tokens of the same word in the same document have the same update, so
:math:`\gamma` is kept per distinct (document, word) pair with its frequency; the token left out of the counts is one of
them. Where documents allow few topics, :math:`\gamma` is over those (``prepare`` looks, ``_labeled_cvb0`` does it).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Num, PRNGKeyArray

from jaxlda.kernels import _labeled_cvb0
from jaxlda.kernels.bricks.draw import rounded, sum_rows, total
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import accumulate, element, row, write
from jaxlda.kernels.layouts.groups import groups_if_few
from jaxlda.kernels.layouts.lists import LabelLayout, lay_out_labels
from jaxlda.kernels.layouts.rows import Layout, lay_out, layout_of
from jaxlda.types import Algorithm, Counts, Data, Info, Sample, Tokens

__all__ = ["CVB0State", "WordCounts", "cvb0", "distinct"]

_TINY = np.finfo(np.float32).tiny  # padding may have no weight at all, and 0 / 0 would spread
_CHUNK = 256  # pairs updated at once on an accelerator; larger chunks converge visibly slower per sweep


class WordCounts(NamedTuple):
    """The counts that only learning topics needs."""

    n_vk: Float[Array, "V P"]
    n_k: Float[Array, " P"]


class CVB0State(NamedTuple):
    """The variational distributions and the expected counts they add up to, in padded rows."""

    gamma: Float[Array, "pairs P"]
    n_dk: Float[Array, "D P"]
    words: WordCounts | None
    """``None`` when the topics are fixed."""


def distinct(tokens: Tokens) -> Tokens:
    """Join the tokens of each (document, word) pair into one entry with their number as ``m``; on the host.

    >>> n = jnp.array
    >>> distinct(Tokens(n([1, 1, 0]), n([0, 0, 0]), n([1, 1, 1]), n([3]))).m.tolist()
    [1, 2]
    """
    w, d, m = (np.asarray(x) for x in tokens[:3])
    w, d, m = w[m > 0].astype(np.int64), d[m > 0].astype(np.int64), m[m > 0]
    pairs, entry = np.unique(d * (w.max(initial=0) + 1) + w, return_inverse=True)
    frequency = np.bincount(entry, weights=m, minlength=len(pairs))
    first_d, first_w = np.divmod(pairs, w.max(initial=0) + 1)
    return Tokens(
        jnp.asarray(first_w, jnp.int32), jnp.asarray(first_d, jnp.int32), jnp.asarray(frequency, jnp.int32), tokens.n_d
    )


def prepare(data: Data) -> Layout | LabelLayout:
    """Join equal tokens and lay out the data, once a run: all K topics, or the documents' own where they are few."""
    data = data._replace(tokens=distinct(data.tokens))
    groups = groups_if_few(data)
    return lay_out(data) if groups is None else lay_out_labels(data, groups)


def _expected_counts(gamma: Float[Array, "pairs P"], index: Array, rows: int, m: Array) -> Float[Array, "rows P"]:
    return jnp.zeros((rows, gamma.shape[1]), gamma.dtype).at[index].add(gamma * m[:, None])


def init(key: PRNGKeyArray, data: Data | Layout | LabelLayout) -> CVB0State | _labeled_cvb0.LabeledCVB0State:
    """Start every pair at a random distribution over the topics its document allows (a flat Dirichlet draw)."""
    if isinstance(data, LabelLayout):
        return _labeled_cvb0.init(key, data)
    layout = layout_of(data)
    pairs, size = layout.w.shape[0], layout.row_length
    u = uniform(key, pairs * size).reshape(pairs, size)
    allowed = layout.alpha_rows(layout.d) > 0
    gamma = jnp.where(allowed, -jnp.log1p(-u) + 1e-6, 0.0)
    gamma = gamma / jnp.maximum(sum_rows(gamma.T)[:, None], _TINY)
    n_dk = _expected_counts(gamma, layout.d, layout.num_docs, layout.m)
    if layout.phi is not None:
        return CVB0State(gamma, n_dk, None)
    n_vk = _expected_counts(gamma, layout.w, layout.num_words, layout.m)
    return CVB0State(gamma, n_dk, WordCounts(n_vk, sum_rows(n_dk)))


def _document_factor(n_dk: Num[Array, "*n P"], gamma: Array, alpha: Array) -> Float[Array, "*n P"]:
    return jnp.maximum(n_dk - gamma, 0.0) + alpha  # rounding may leave a hair less than nothing


def _word_factor(n_vk: Array, n_k: Array, gamma: Array, beta: Array, beta_k: Array) -> Float[Array, "*n P"]:
    return (jnp.maximum(n_vk - gamma, 0.0) + beta) / (n_k - gamma + beta_k)


def _sequential_sweep(layout: Layout, state: CVB0State) -> CVB0State:
    """One pair after another, each seeing all updates before it: converges fastest, and is what a CPU does best."""
    zero = jnp.uint32(0)

    def apply(tables: CVB0State, pending: tuple) -> CVB0State:
        i, v, d, new, change = pending
        words = tables.words
        if words is not None:
            words = WordCounts(accumulate(words.n_vk, change, v), words.n_k + change)
        return CVB0State(write(tables.gamma, new, i), accumulate(tables.n_dk, change, d), words)

    def word_factor(words: WordCounts | None, v: Array, gamma: Array) -> Array:
        if words is not None:
            return _word_factor(row(words.n_vk, v), words.n_k, gamma, row(layout.beta, v), layout.beta_k)
        assert layout.phi is not None
        return row(layout.phi, v)

    def body(carry: tuple) -> tuple:
        i, tables, pending = carry
        tables = apply(tables, pending)  # what the pair before changed (see _bricks.rows)
        v, d, gamma = element(layout.w, i), element(layout.d, i), row(tables.gamma, i)
        p = _document_factor(row(tables.n_dk, d), gamma, layout.alpha_row(d)) * word_factor(tables.words, v, gamma)
        p = rounded(p, i)
        new = p / jnp.maximum(total(p), _TINY)
        return i + 1, tables, (i, v, d, new, rounded(element(layout.m, i) * (new - gamma), i))

    nothing = (zero, zero, zero, state.gamma[0], jnp.zeros_like(state.gamma[0]))
    pairs = jnp.uint32(layout.w.shape[0])
    _, tables, pending = lax.while_loop(lambda carry: carry[0] < pairs, body, (zero, state, nothing))
    return apply(tables, pending)


def _chunked_sweep(layout: Layout, state: CVB0State) -> CVB0State:
    """Chunks of pairs at a time, each seeing the updates of the chunks before: what accelerators want."""
    pairs = layout.w.shape[0]
    chunk = min(_CHUNK, pairs)

    def word_factor(words: WordCounts | None, v: Array, gamma: Array) -> Array:
        if words is not None:
            return _word_factor(words.n_vk[v], words.n_k, gamma, layout.beta[v], layout.beta_k)
        assert layout.phi is not None
        return layout.phi[v]

    def body(i: Array, tables: CVB0State) -> CVB0State:
        index = i * chunk + jnp.arange(chunk)
        fresh = index < pairs
        index = jnp.minimum(index, pairs - 1)
        v, d, gamma, words = layout.w[index], layout.d[index], tables.gamma[index], tables.words
        p = _document_factor(tables.n_dk[d], gamma, layout.alpha_rows(d)) * word_factor(words, v, gamma)
        new = p / jnp.maximum(p.sum(1, keepdims=True), _TINY)
        change = jnp.where(fresh, layout.m[index], jnp.float32(0))[:, None] * (new - gamma)
        if words is not None:
            words = WordCounts(words.n_vk.at[v].add(change), words.n_k + change.sum(0))
        gamma = tables.gamma.at[jnp.where(fresh, index, pairs)].set(new, mode="drop")
        return CVB0State(gamma, tables.n_dk.at[d].add(change), words)

    return lax.fori_loop(0, -(-pairs // chunk), body, state)


def _settled(sweep: Callable[[Layout, CVB0State], CVB0State]) -> Callable[[Layout, CVB0State], tuple]:
    """End a sweep: renew the totals, and say how much moved."""

    def settled(layout: Layout, state: CVB0State) -> tuple[CVB0State, Info]:
        new = sweep(layout, state)
        if new.words is not None:
            # Many small additions lose digits in the large totals; the documents' own counts do not.
            new = new._replace(words=new.words._replace(n_k=sum_rows(new.n_dk)))
        return new, Info(moved=total(sum_rows(jnp.abs(new.n_dk - state.n_dk))) / 2)

    return settled


def step(key: PRNGKeyArray, state: Any, data: Data | Layout | LabelLayout) -> tuple[Any, Info]:
    """Update every distribution once; ``key`` is unused, the algorithm is deterministic."""
    if isinstance(data, LabelLayout):
        return _labeled_cvb0.step(key, state, data)
    del key
    layout = layout_of(data)
    if layout.w.shape[0] == 0:
        return state, Info(moved=jnp.float32(0))
    on_cpu, elsewhere = token_loop(_settled(_sequential_sweep)), _settled(_chunked_sweep)
    return lax.platform_dependent(layout, state, cpu=on_cpu, default=elsewhere)


def readout(state: Any, data: Data | Layout | LabelLayout) -> Sample:
    """Give the expected counts; there is no z."""
    if isinstance(data, LabelLayout):
        return _labeled_cvb0.readout(state, data)
    layout = layout_of(data)
    if state.words is None:
        assert layout.phi is not None
        n_vk = _expected_counts(state.gamma, layout.w, layout.phi.shape[0], layout.m)
    else:
        n_vk = state.words.n_vk
    K = layout.num_topics
    n_vk = n_vk[..., :K]
    # Large counts of words lose small changes that the documents' counts keep; phi must add up to 1 all the same.
    return Sample(Counts(state.n_dk[..., :K], n_vk, sum_rows(n_vk)), None)


def cvb0() -> Algorithm:
    """CVB0 (Eq. 6): deterministic soft counts, with phi learned or, where the data fix it, known.

    >>> import jax
    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> algorithm = cvb0()
    >>> layout = algorithm.prepare(data)
    >>> state = algorithm.init(jax.random.key(0), layout)
    >>> state.gamma.shape[0]  # pairs, not tokens
    4
    >>> state, info = algorithm.step(jax.random.key(1), state, layout)
    >>> bool(jnp.allclose(algorithm.readout(state, layout).counts.n_dk.sum(1), 3))
    True
    """
    return Algorithm(init, step, readout, prepare)
