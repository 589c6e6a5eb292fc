r"""Collapsed Gibbs sampling where documents allow few topics each (Eq. 5): the sweep of ``cgs`` in short lists.

A token draws a position in its document's list of topics. Cost a token: as many numbers gathered from a row of ``n_vk``
as the list is long, whatever K; tokens of documents with one topic cost nothing.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray, UInt32

from jaxlda.kernels.bricks.draw import draw
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import accumulate, element, row, write
from jaxlda.kernels.conditional import weights
from jaxlda.kernels.layouts.groups import Group
from jaxlda.kernels.layouts.lists import LabelLayout, gathered, of_topics, prior_row
from jaxlda.types import Counts, Info, Sample

__all__ = ["LabeledState", "init", "readout", "step"]


class LabeledState(NamedTuple):
    """Positions in the lists of topics, group after group, and the counts."""

    j: tuple[UInt32[Array, " _"], ...]
    n_gj: tuple[Int[Array, "_ _"], ...]
    """How often each document holds each topic of its list."""
    n_vk: Int[Array, "V K"]
    n_k: Int[Array, " K"]


def _shared_out(u: Float[Array, " n"], layout: LabelLayout) -> list[Float[Array, " _"]]:
    """Random numbers for every group."""
    ends, end = [], 0
    for group in layout.groups:
        ends.append(end := end + group.w.shape[0])
    return jnp.split(u, ends[:-1]) if ends else []


def init(key: PRNGKeyArray, layout: LabelLayout) -> LabeledState:
    r"""Assign every token a topic drawn from :math:`\alpha_d`, as if it were alone in its document."""
    u = uniform(key, sum(group.w.shape[0] for group in layout.groups))
    positions, counts = [], []
    n_vk = jnp.zeros((layout.num_words, layout.num_topics), jnp.int32)
    for group, alpha, v in zip(layout.groups, layout.alpha, _shared_out(u, layout), strict=True):
        j = jnp.zeros(group.w.shape, jnp.uint32) if group.width == 1 else _first_positions(group, alpha, v)
        positions.append(j)
        counts.append(jnp.zeros(group.labels.shape, jnp.int32).at[group.g, j].add(1))
        n_vk = n_vk.at[group.w, group.labels[group.g, j]].add(1)
    return LabeledState(tuple(positions), tuple(counts), n_vk, layout.n_k(tuple(counts)))


def _first_positions(group: Group, alpha: Float[Array, "G P"], u: Float[Array, " n"]) -> UInt32[Array, " n"]:
    def first(g: Array, u: Array) -> Array:
        return draw(row(alpha, g), u, group.width, sparse=True)

    # In chunks, so that no row of alpha is held for more than a few thousand tokens at a time.
    return lax.map(lambda token: first(*token), (group.g, u), batch_size=4096)


class _Tables(NamedTuple):
    """Everything a token's move changes."""

    n_gj: Int[Array, "G P"]
    n_vk: Int[Array, "V K"]
    n_k: Int[Array, " K"]
    inverse: Float[Array, " K"]


def _group_sweep(
    group: Group,
    alpha: Float[Array, "G P"],
    layout: LabelLayout,
    u: Float[Array, " n"],
    old: UInt32[Array, " n"],
    tables: _Tables,
) -> tuple[UInt32[Array, " n"], _Tables]:
    one, zero = jnp.int32(1), jnp.uint32(0)

    def move(tables: _Tables, v: Array, g: Array, j: Array, by: Array) -> _Tables:
        k = element(group.labels, g, j)
        n_gj, n_vk = accumulate(tables.n_gj, by, g, j), accumulate(tables.n_vk, by, v, k)
        n_k = accumulate(tables.n_k, by, k)
        inverse = write(tables.inverse, 1 / (element(n_k, k) + element(layout.beta_k, k)), k)
        return _Tables(n_gj, n_vk, n_k, inverse)

    def body(carry: tuple) -> tuple:
        # A drawn position enters the counts at the start of the next round (see _bricks.rows), `pending` (0, 1) times.
        i, new, tables, v, g, j, pending = carry
        tables = move(tables, v, g, j, pending)
        new = write(new, j, i - pending.astype(jnp.uint32))
        v, g = element(group.w, i), element(group.g, i)
        tables = move(tables, v, g, element(old, i), -one)
        labels = row(group.labels, g)
        in_topics = gathered(tables.n_vk, v, labels)
        inverse = of_topics(tables.inverse, labels)
        p = weights(row(tables.n_gj, g), row(alpha, g), in_topics, prior_row(layout.beta, v, labels), inverse)
        return i + 1, new, tables, v, g, draw(p, element(u, i), group.width, sparse=True), one

    start = (zero, jnp.zeros_like(old), tables, zero, zero, zero, jnp.int32(0))
    size = jnp.uint32(old.shape[0])
    i, new, tables, v, g, j, pending = lax.while_loop(lambda carry: carry[0] < size, body, start)
    return write(new, j, i - pending.astype(jnp.uint32)), move(tables, v, g, j, pending)


def _sweep(layout: LabelLayout, u: Float[Array, " n"], state: LabeledState) -> LabeledState:
    n_vk, n_k = state.n_vk, state.n_k
    inverse = 1 / (n_k + layout.beta_k)
    positions, counts = list(state.j), list(state.n_gj)
    for i, v in enumerate(_shared_out(u, layout)):
        group, alpha = layout.groups[i], layout.alpha[i]
        if group.width > 1 and group.w.shape[0] > 0:
            tables = _Tables(counts[i], n_vk, n_k, inverse)
            positions[i], (counts[i], n_vk, n_k, inverse) = _group_sweep(group, alpha, layout, v, positions[i], tables)
    return LabeledState(tuple(positions), tuple(counts), n_vk, n_k)


def step(key: PRNGKeyArray, state: LabeledState, layout: LabelLayout) -> tuple[LabeledState, Info]:
    """Draw the topic of every token once."""
    u = uniform(key, sum(j.shape[0] for j in state.j))
    new = token_loop(_sweep)(layout, u, state)
    moved = jax.tree.map(lambda a, b: (a != b).sum(dtype=jnp.int32), new.j, state.j)
    return new, Info(moved=sum(moved, start=jnp.int32(0)))


@jax.jit
def readout(state: LabeledState, layout: LabelLayout) -> Sample:
    """Topics in the place of positions, in the order of the corpus."""
    z = jnp.zeros(layout.data.tokens.w.shape, jnp.int32)
    for group, j in zip(layout.groups, state.j, strict=True):
        z = z.at[group.entry].set(group.labels[group.g, j].astype(jnp.int32))
    # Copies, because the next sweep may be given the state's own arrays to overwrite.
    return Sample(Counts(layout.n_dk(state.n_gj), jnp.copy(state.n_vk), jnp.copy(state.n_k)), z)
