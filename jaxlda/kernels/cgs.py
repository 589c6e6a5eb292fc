r"""Exact collapsed Gibbs sampling (Griffiths & Steyvers 2004).

One sweep visits every token in turn, takes it out of the counts and draws its topic anew from the full conditional:
Eq. 1 when the topics are learned, Eq. 4 when ``data.phi`` holds them fixed. A prior with :math:`\alpha_{dk} = 0` makes
it Labeled LDA (Eq. 5). Cost a token: one row of ``n_dk``, one of ``n_vk``, and :math:`O(K)` arithmetic on them; where
documents allow few topics, :math:`O(|\mathcal{K}_d|)` instead (``prepare`` looks, ``_labeled_cgs`` does it).
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, PRNGKeyArray, UInt32

from jaxlda.kernels import _labeled_cgs
from jaxlda.kernels.bricks.draw import draw
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import accumulate, element, row, write
from jaxlda.kernels.conditional import weights, weights_given_phi
from jaxlda.kernels.layouts.groups import groups_if_few
from jaxlda.kernels.layouts.lists import LabelLayout, lay_out_labels
from jaxlda.kernels.layouts.rows import Layout, lay_out, layout_of
from jaxlda.types import Algorithm, Counts, Data, Info, Sample

__all__ = ["CGSState", "cgs"]


class CGSState(NamedTuple):
    """Assignments and their counts; rows are padded to the length ``draw`` folds."""

    z: UInt32[Array, " N"]
    n_dk: Int[Array, "D P"]
    n_vk: Int[Array, "V P"] | None
    """``None`` when the topics are fixed: nothing reads them then."""
    n_k: Int[Array, " P"] | None


def prepare(data: Data) -> Layout | LabelLayout:
    """Check and lay out the data, once a run: in rows of K topics, or in lists of the documents' own where few."""
    m = np.asarray(data.tokens.m)
    if not np.isin(m, (0, 1)).all():
        raise ValueError(
            "CGS assigns a topic to every token, but these data hold (document, word) pairs with frequencies m > 1: "
            "pass one entry a token (Corpus.data does)."
        )
    groups = groups_if_few(data)
    return lay_out(data) if groups is None else lay_out_labels(data, groups)


def _count(z: UInt32[Array, " N"], layout: Layout) -> Counts:
    """Count assignments from scratch, in padded rows."""
    tokens, size = layout.data.tokens, layout.row_length
    m = tokens.m.astype(jnp.int32)

    def table(index: Array, rows: int) -> Int[Array, "rows P"]:
        return jnp.zeros((rows, size), jnp.int32).at[index, z].add(m)

    n_dk = table(layout.d, layout.num_docs)
    return Counts(n_dk, table(layout.w, layout.num_words), n_dk.sum(0, dtype=jnp.int32))


def init(key: PRNGKeyArray, data: Data | Layout | LabelLayout) -> CGSState | _labeled_cgs.LabeledState:
    r"""Assign every token a topic drawn from :math:`\alpha_d`, as if it were alone in its document."""
    if isinstance(data, LabelLayout):
        return _labeled_cgs.init(key, data)
    layout = layout_of(data)
    u = uniform(key, layout.w.shape[0])

    def first_topic(d: Array, u: Array) -> Array:
        return draw(layout.alpha_row(d), u, layout.num_topics, sparse=layout.sparse)

    # In chunks, so that no row of alpha is held for more than a few thousand tokens at a time.
    z = lax.map(lambda token: first_topic(*token), (layout.d, u), batch_size=4096)
    z = jnp.where(layout.m > 0, z, jnp.uint32(0))
    counts = _count(z, layout)
    if layout.phi is not None:
        return CGSState(z, counts.n_dk, None, None)
    return CGSState(z, *counts)


def _training_sweep(layout: Layout, u: Float[Array, " N"], state: CGSState) -> CGSState:
    z, n_dk, n_vk, n_k = state
    assert n_k is not None
    beta_k = layout.beta_k
    one, zero = jnp.int32(1), jnp.uint32(0)

    def move(tables: tuple, v: Array, d: Array, k: Array, by: Array) -> tuple:
        n_dk, n_vk, n_k, inverse = tables
        n_dk, n_vk, n_k = accumulate(n_dk, by, d, k), accumulate(n_vk, by, v, k), accumulate(n_k, by, k)
        return n_dk, n_vk, n_k, write(inverse, 1 / (element(n_k, k) + element(beta_k, k)), k)

    def body(carry: tuple) -> tuple:
        # A drawn topic enters counts and z at the start of the next round (see _bricks.rows), `pending` (0, 1) times.
        i, new_z, tables, v, d, k, pending = carry
        tables = move(tables, v, d, k, pending)
        new_z = write(new_z, k, i - pending.astype(jnp.uint32))
        v, d, k = element(layout.w, i), element(layout.d, i), element(z, i)
        tables = move(tables, v, d, k, -one)
        n_dk, n_vk, _, inverse = tables
        p = weights(row(n_dk, d), layout.alpha_row(d), row(n_vk, v), layout.beta_row(v), inverse)
        k = draw(p, element(u, i), layout.num_topics, sparse=layout.sparse)
        return i + 1, new_z, tables, v, d, k, one

    start = (zero, jnp.zeros_like(z), (n_dk, n_vk, n_k, 1 / (n_k + beta_k)), zero, zero, zero, jnp.int32(0))
    i, new_z, tables, v, d, k, pending = lax.while_loop(lambda carry: carry[0] < layout.size, body, start)
    n_dk, n_vk, n_k, _ = move(tables, v, d, k, pending)
    return CGSState(write(new_z, k, i - pending.astype(jnp.uint32)), n_dk, n_vk, n_k)


def _prediction_sweep(layout: Layout, u: Float[Array, " N"], state: CGSState) -> CGSState:
    """One token after another: what a CPU does best."""
    z, n_dk, phi = state.z, state.n_dk, layout.phi
    assert phi is not None
    one, zero = jnp.int32(1), jnp.uint32(0)

    def body(carry: tuple) -> tuple:
        i, new_z, n_dk, d, k, pending = carry
        n_dk = accumulate(n_dk, pending, d, k)
        new_z = write(new_z, k, i - pending.astype(jnp.uint32))
        v, d = element(layout.w, i), element(layout.d, i)
        n_dk = accumulate(n_dk, -one, d, element(z, i))
        p = weights_given_phi(row(n_dk, d), layout.alpha_row(d), row(phi, v))
        return i + 1, new_z, n_dk, d, draw(p, element(u, i), layout.num_topics, sparse=layout.sparse), one

    start = (zero, jnp.zeros_like(z), n_dk, zero, zero, jnp.int32(0))
    i, new_z, n_dk, d, k, pending = lax.while_loop(lambda carry: carry[0] < layout.size, body, start)
    n_dk = accumulate(n_dk, pending, d, k)
    return CGSState(write(new_z, k, i - pending.astype(jnp.uint32)), n_dk, None, None)


def _prediction_sweep_by_position(layout: Layout, u: Float[Array, " N"], state: CGSState) -> CGSState:
    """The j-th token of every document at once: documents are independent, and accelerators want width."""
    z, n_dk, phi = state.z, state.n_dk, layout.phi
    assert phi is not None
    n_d = layout.data.tokens.n_d.astype(jnp.uint32)
    start, documents = jnp.cumsum(n_d, dtype=jnp.uint32) - n_d, jnp.arange(n_d.shape[0], dtype=jnp.uint32)
    alpha = jnp.broadcast_to(layout.alpha, n_dk.shape)
    nowhere = jnp.uint32(z.shape[0])  # out of bounds: dropped when written

    def body(carry: tuple) -> tuple:
        j, z, n_dk = carry
        active = j < n_d
        i = jnp.minimum(start + j, nowhere - 1)
        n_dk = n_dk.at[documents, z[i]].add(-active.astype(jnp.int32))
        p = weights_given_phi(n_dk, alpha, phi[layout.w[i]])
        k = jax.vmap(lambda p, u: draw(p, u, layout.num_topics, sparse=layout.sparse))(p, u[i])
        n_dk = n_dk.at[documents, k].add(active.astype(jnp.int32))
        return j + 1, z.at[jnp.where(active, i, nowhere)].set(k, mode="drop"), n_dk

    _, z, n_dk = lax.while_loop(lambda carry: carry[0] < n_d.max(), body, (jnp.uint32(0), z, n_dk))
    return CGSState(z, n_dk, None, None)


def step(key: PRNGKeyArray, state: Any, data: Data | Layout | LabelLayout) -> tuple[Any, Info]:
    """Draw the topic of every token once."""
    if isinstance(data, LabelLayout):
        return _labeled_cgs.step(key, state, data)
    layout = layout_of(data)
    if layout.w.shape[0] == 0:
        return state, Info(moved=jnp.int32(0))
    u = uniform(key, layout.w.shape[0])
    if layout.phi is None:
        new = token_loop(_training_sweep)(layout, u, state)
    else:
        new = lax.platform_dependent(
            layout, u, state, cpu=token_loop(_prediction_sweep), default=_prediction_sweep_by_position
        )
    return new, Info(moved=(new.z != state.z).sum(dtype=jnp.int32))


def readout(state: Any, data: Data | Layout | LabelLayout) -> Sample:
    """Cut the padding off."""
    if isinstance(data, LabelLayout):
        return _labeled_cgs.readout(state, data)
    layout = layout_of(data)
    if state.n_vk is None or state.n_k is None:
        counts = _count(state.z, layout)
    else:
        counts = Counts(state.n_dk, state.n_vk, state.n_k)
    K = layout.num_topics
    return Sample(Counts(*(table[..., :K] for table in counts)), state.z.astype(jnp.int32))


def cgs() -> Algorithm:
    """Exact collapsed Gibbs sampling: Eq. 1, or Eq. 4 where the data fix phi.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> sampler = cgs()
    >>> state = sampler.init(jax.random.key(0), data)
    >>> state, info = sampler.step(jax.random.key(1), state, data)
    >>> sampler.readout(state, data).counts.n_dk.sum(1).tolist()
    [3, 3]
    """
    return Algorithm(init, step, readout, prepare)
