r"""CVB0 where documents allow few topics each: :math:`\gamma` over the document's own topics only.

Cost and memory a distinct (document, word) pair: as many numbers as the document's list of topics is long, whatever K.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray

from jaxlda.kernels.bricks.draw import rounded, sum_rows, total
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import accumulate, element, row, write
from jaxlda.kernels.layouts.groups import Group
from jaxlda.kernels.layouts.lists import LabelLayout, gathered, of_topics, prior_row
from jaxlda.types import Counts, Info, Sample

__all__ = ["LabeledCVB0State", "init", "readout", "step"]

_TINY = np.finfo(np.float32).tiny  # the padding of a chunk has no weight at all, and 0 / 0 would spread
_CHUNK = 256  # pairs updated at once on an accelerator; larger chunks converge visibly slower per sweep


class LabeledCVB0State(NamedTuple):
    """The variational distributions over the topics of the lists, group after group, and the expected counts."""

    gamma: tuple[Float[Array, "_ _"], ...]
    n_gj: tuple[Float[Array, "_ _"], ...]
    n_vk: Float[Array, "V K"]
    n_k: Float[Array, " K"]


class _Tables(NamedTuple):
    """One group's share of the state, and what all share."""

    gamma: Float[Array, "n P"]
    n_gj: Float[Array, "G P"]
    n_vk: Float[Array, "V K"]
    n_k: Float[Array, " K"]


def init(key: PRNGKeyArray, layout: LabelLayout) -> LabeledCVB0State:
    """Start every pair at a random distribution over the topics its document allows (a flat Dirichlet draw)."""
    n_vk = jnp.zeros((layout.num_words, layout.num_topics), jnp.float32)
    sizes = [group.w.shape[0] * group.width for group in layout.groups]
    u = uniform(key, sum(sizes))
    gammas, counts, start = [], [], 0
    for group, size in zip(layout.groups, sizes, strict=True):
        own = u[start : start + size].reshape(-1, group.width)
        start += size
        gamma = jnp.where(group.allowed[group.g], -jnp.log1p(-own) + 1e-6, 0.0)
        gamma = gamma / sum_rows(gamma.T)[:, None]
        expected = gamma * group.m[:, None]
        gammas.append(gamma)
        counts.append(jnp.zeros(group.labels.shape, jnp.float32).at[group.g].add(expected))
        n_vk = n_vk.at[group.w[:, None], group.labels[group.g]].add(expected)
    return LabeledCVB0State(tuple(gammas), tuple(counts), n_vk, layout.n_k(tuple(counts)).astype(jnp.float32))


def _proportions(
    n_gj: Array, alpha: Array, n_vk: Array, beta: Array, n_k: Array, beta_k: Array, gamma: Float[Array, "*n P"]
) -> Float[Array, "*n P"]:
    """Weigh the topics of a list (Eq. 6); rounding may leave a hair less than nothing of a count."""
    document = jnp.maximum(n_gj - gamma, 0.0) + alpha
    return document * (jnp.maximum(n_vk - gamma, 0.0) + beta) / (n_k - gamma + beta_k)


def _sequential_sweep(group: Group, alpha: Array, layout: LabelLayout, tables: _Tables) -> _Tables:
    """One pair after another, each seeing all updates before it: converges fastest, and is what a CPU does best."""
    zero = jnp.uint32(0)

    def apply(tables: _Tables, pending: tuple) -> _Tables:
        i, v, g, new, change = pending

        # One topic after another: XLA writes a scatter as a loop as well, a slow one.
        def add(j: Array, words: tuple) -> tuple:
            k, by = element(group.labels, g, j), element(change, j)
            return accumulate(words[0], by, v, k), accumulate(words[1], by, k)

        n_vk, n_k = lax.fori_loop(zero, element(group.size, g), add, (tables.n_vk, tables.n_k))
        return _Tables(write(tables.gamma, new, i), accumulate(tables.n_gj, change, g), n_vk, n_k)

    def body(carry: tuple) -> tuple:
        i, tables, pending = carry
        tables = apply(tables, pending)  # what the pair before changed (see _bricks.rows)
        v, g, gamma = element(group.w, i), element(group.g, i), row(tables.gamma, i)
        labels = row(group.labels, g)
        in_topics, beta = gathered(tables.n_vk, v, labels), prior_row(layout.beta, v, labels)
        n_k, beta_k = of_topics(tables.n_k, labels), of_topics(layout.beta_k, labels)
        p = rounded(_proportions(row(tables.n_gj, g), row(alpha, g), in_topics, beta, n_k, beta_k, gamma), i)
        new = p / total(p)
        return i + 1, tables, (i, v, g, new, rounded(element(group.m, i) * (new - gamma), i))

    nothing = (zero, zero, zero, tables.gamma[0], jnp.zeros_like(tables.gamma[0]))
    pairs = jnp.uint32(group.w.shape[0])
    _, tables, pending = lax.while_loop(lambda carry: carry[0] < pairs, body, (zero, tables, nothing))
    return apply(tables, pending)


def _chunked_sweep(group: Group, alpha: Array, layout: LabelLayout, tables: _Tables) -> _Tables:
    """Chunks of pairs at a time, each seeing the updates of the chunks before: what accelerators want."""
    pairs = group.w.shape[0]
    chunk = min(_CHUNK, pairs)

    def body(i: Array, tables: _Tables) -> _Tables:
        index = i * chunk + jnp.arange(chunk)
        fresh = index < pairs
        index = jnp.minimum(index, pairs - 1)
        v, g, gamma = group.w[index, None], group.g[index], tables.gamma[index]
        labels = group.labels[g]
        beta = layout.beta[v[:, 0]] if layout.beta.shape[1] == 1 else layout.beta[v, labels]
        n_k, beta_k = of_topics(tables.n_k, labels), of_topics(layout.beta_k, labels)
        p = _proportions(tables.n_gj[g], alpha[g], tables.n_vk[v, labels], beta, n_k, beta_k, gamma)
        new = p / jnp.maximum(p.sum(1, keepdims=True), _TINY)
        change = jnp.where(fresh, group.m[index], jnp.float32(0))[:, None] * (new - gamma)
        return _Tables(
            tables.gamma.at[jnp.where(fresh, index, pairs)].set(new, mode="drop"),
            tables.n_gj.at[g].add(change),
            tables.n_vk.at[v, labels].add(change),
            tables.n_k.at[labels].add(change),
        )

    return lax.fori_loop(0, -(-pairs // chunk), body, tables)


def _settled(sweep: Callable[..., _Tables]) -> Callable[[LabelLayout, LabeledCVB0State], tuple]:
    """Sweep over every group that has a choice, renew the totals, and say how much moved."""

    def settled(layout: LabelLayout, state: LabeledCVB0State) -> tuple[LabeledCVB0State, Info]:
        gammas, counts, n_vk, n_k = list(state.gamma), list(state.n_gj), state.n_vk, state.n_k
        for i, (group, alpha) in enumerate(zip(layout.groups, layout.alpha, strict=True)):
            if group.width > 1 and group.w.shape[0] > 0:
                tables = _Tables(gammas[i], counts[i], n_vk, n_k)
                gammas[i], counts[i], n_vk, n_k = sweep(group, alpha, layout, tables)
        changes = (sum_rows(jnp.abs(a - b).ravel()) / 2 for a, b in zip(counts, state.n_gj, strict=True))
        moved = sum(changes, start=jnp.float32(0))
        # Many small additions lose digits in the large totals; the documents' own counts do not.
        n_k = layout.n_k(tuple(counts)).astype(jnp.float32)
        return LabeledCVB0State(tuple(gammas), tuple(counts), n_vk, n_k), Info(moved=moved)

    return settled


def step(key: PRNGKeyArray, state: LabeledCVB0State, layout: LabelLayout) -> tuple[LabeledCVB0State, Info]:
    """Update every distribution once; ``key`` is unused, the algorithm is deterministic."""
    del key
    on_cpu, elsewhere = token_loop(_settled(_sequential_sweep)), _settled(_chunked_sweep)
    return lax.platform_dependent(layout, state, cpu=on_cpu, default=elsewhere)


@jax.jit
def readout(state: LabeledCVB0State, layout: LabelLayout) -> Sample:
    """Give the expected counts; there is no z."""
    # Copies, because the next sweep may be given the state's own arrays to overwrite.
    n_dk = layout.n_dk(state.n_gj).astype(jnp.float32)
    return Sample(Counts(n_dk, jnp.copy(state.n_vk), sum_rows(state.n_vk)), None)  # totals of phi: see cvb0.readout
