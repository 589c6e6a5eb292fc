"""Sums of transition probabilities (Eq. 31) in one pass over the tokens; ``jaxlda.estimators.soften`` is their door."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, Num

from jaxlda.kernels.bricks.draw import padded_size, sum_rows, total
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.rows import accumulate, element, pad_last, row, write
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.kernels.layouts.groups import Group
from jaxlda.types import Counts, Data, Sample

__all__ = ["LeaveOut", "Softened", "softened"]

LeaveOut = Literal["token", "document", "none"]

_CHUNK = 4096  # tokens softened at once on an accelerator: bounds the memory, K numbers for each


class Softened(NamedTuple):
    """Soft counts, and what the tokens weigh that they were summed over."""

    counts: Counts
    weight: Float[Array, "*batch N"]
    r"""Of every token, with nothing left out: :math:`\sum_k (n_{dk} + \alpha_k) \hat\phi_{kw_i}`."""


def softened(sample: Sample, data: Data, groups: tuple[Group, ...] | None, leave_out: LeaveOut) -> Softened:
    """Soften a sample that has assignments; the arguments are those of ``jaxlda.estimators.soften``."""
    return _of_all_topics(sample, data, leave_out) if groups is None else _of_lists(sample, data, groups, leave_out)


def _of_lists(sample: Sample, data: Data, groups: tuple[Group, ...], leave_out: LeaveOut) -> Softened:
    counts, beta = sample.counts, words_first(data.priors.beta)
    a, b = counts.n_dk + data.priors.alpha, (counts.n_vk + beta) / (counts.n_k + beta_totals(data.priors))
    own, lost = _own_weight(sample, data, leave_out)
    on_cpu, elsewhere = token_loop(_by_group(_soft_counts_in_lists)), _by_group(_soft_counts_in_chunks_of_lists)
    soft, share = lax.platform_dependent(groups, sample.z, own, a, b, cpu=on_cpu, default=elsewhere)
    return Softened(soft, _weight(data.tokens.m, share, lost))


def _of_all_topics(sample: Sample, data: Data, leave_out: LeaveOut) -> Softened:
    counts, K = sample.counts, data.priors.alpha.shape[-1]
    size = padded_size(K)
    m = data.tokens.m.astype(jnp.float32)
    a = pad_last(counts.n_dk + data.priors.alpha, size)
    if data.phi is None:
        beta, beta_k = words_first(data.priors.beta), beta_totals(data.priors)
        b = pad_last((counts.n_vk + beta) / (counts.n_k + beta_k), size)
    else:
        b = pad_last(data.phi.T, size)
    if data.tokens.w.shape[0] == 0:
        return Softened(jax.tree.map(lambda x: jnp.zeros(x.shape, jnp.float32), counts), m)
    own, lost = _own_weight(sample, data, leave_out)
    arguments = (data.tokens.w, data.tokens.d, m, sample.z, own, a, b)
    soft, share = lax.platform_dependent(*arguments, cpu=token_loop(_soft_counts), default=_soft_counts_in_chunks)
    return Softened(Counts(*(table[..., :K] for table in soft)), _weight(m, share, lost))


def _weight(m: Num[Array, " N"], share: Float[Array, " N"], lost: Float[Array, " N"]) -> Float[Array, " N"]:
    """What tokens weigh, by the shares they were divided into and what leaving them out took away."""
    return jnp.where(share > 0, m / jnp.where(share > 0, share, 1.0), 0.0) + lost


def _own_weight(sample: Sample, data: Data, leave_out: LeaveOut) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
    """Weigh each token's present topic: leaving the token out changes its distribution in this one entry only.

    Besides, how much less that is than with the token.
    """
    (w, d, _, _), (alpha, beta), (n_dk, n_vk, n_k), z = data.tokens, data.priors, sample.counts, sample.z
    in_document = 0 if leave_out == "none" else 1
    in_topic = 1 if leave_out == "token" else 0
    alpha = alpha[z] if alpha.ndim == 1 else alpha[d, z]
    n_d = n_dk[d, z]
    if data.phi is not None:
        return (n_d - in_document + alpha) * data.phi[z, w], in_document * data.phi[z, w]
    n_d, n_w, n_z = lax.optimization_barrier((n_d, n_vk[w, z], n_k[z]))  # looked up once, not for either result
    beta_z = beta_totals(data.priors)[z]
    beta = beta[w] if beta.ndim == 1 else beta[z, w]
    own = (n_d - in_document + alpha) * (n_w - in_topic + beta) / (n_z - in_topic + beta_z)
    return own, (n_d + alpha) * (n_w + beta) / (n_z + beta_z) - own


def _soft_counts(
    w: Int[Array, " N"],
    d: Int[Array, " N"],
    m: Num[Array, " N"],
    z: Int[Array, " N"],
    own: Float[Array, " N"],
    a: Float[Array, "D P"],
    b: Float[Array, "V P"],
) -> tuple[Counts, Float[Array, " N"]]:
    """One token after another: what a CPU does best. The shares are ``m`` over the sums of the weights."""
    w, d, z = (x.astype(jnp.uint32) for x in (w, d, z))
    topics, zero = lax.iota(jnp.uint32, a.shape[1]), jnp.uint32(0)

    def apply(tables: tuple, pending: tuple) -> tuple:
        i, v, dd, share, p = pending
        return accumulate(tables[0], share * p, dd), accumulate(tables[1], share * p, v), write(tables[2], share, i)

    def body(carry: tuple) -> tuple:
        i, tables, pending = carry
        tables = apply(tables, pending)  # what the token before adds (see _bricks.rows)
        v, dd = element(w, i), element(d, i)
        p = jnp.where(topics == element(z, i), element(own, i), row(a, dd) * row(b, v))
        # Padding may have no weight at all, and 0 / 0 would spread.
        share = jnp.where(element(m, i) > 0, element(m, i) / total(p), 0.0)
        return i + 1, tables, (i, v, dd, share, p)

    tables = (jnp.zeros_like(a), jnp.zeros_like(b), jnp.zeros_like(own))
    start = (zero, tables, (zero, zero, zero, jnp.float32(0), jnp.zeros_like(a[0])))
    _, tables, pending = lax.while_loop(lambda carry: carry[0] < jnp.uint32(w.shape[0]), body, start)
    n_dk, n_vk, shares = apply(tables, pending)
    return Counts(n_dk, n_vk, sum_rows(n_vk)), shares


def _soft_counts_in_chunks(
    w: Int[Array, " N"],
    d: Int[Array, " N"],
    m: Num[Array, " N"],
    z: Int[Array, " N"],
    own: Float[Array, " N"],
    a: Float[Array, "D P"],
    b: Float[Array, "V P"],
) -> tuple[Counts, Float[Array, " N"]]:
    """Thousands of tokens at a time: what accelerators want."""
    size = w.shape[0]
    chunk = min(_CHUNK, size)

    def body(i: Array, tables: tuple) -> tuple:
        index = i * chunk + jnp.arange(chunk)
        fresh, index = index < size, jnp.minimum(index, size - 1)
        p = (a[d[index]] * b[w[index]]).at[jnp.arange(chunk), z[index]].set(own[index])
        share = jnp.where(m[index] > 0, m[index] / p.sum(1), 0.0)
        p = p * jnp.where(fresh, share, 0.0)[:, None]
        return tables[0].at[d[index]].add(p), tables[1].at[w[index]].add(p), tables[2].at[index].set(share)

    tables = (jnp.zeros_like(a), jnp.zeros_like(b), jnp.zeros_like(own))
    n_dk, n_vk, shares = lax.fori_loop(0, -(-size // chunk), body, tables)
    return Counts(n_dk, n_vk, sum_rows(n_vk)), shares


def _by_group(soft_counts: Callable[..., tuple]) -> Callable[..., tuple[Counts, Array]]:
    """Add up the soft counts of groups of documents, each a table of lists and the table of words so far."""

    def all_groups(groups: tuple[Group, ...], z: Array, own: Array, a: Array, b: Array) -> tuple[Counts, Array]:
        n_dk, n_vk, shares = jnp.zeros_like(a), jnp.zeros_like(b), jnp.zeros_like(own)
        for group in groups:
            if group.w.shape[0] > 0:
                entry, of_documents = group.entry, group.of_documents(a)
                n_gj, n_vk, share = soft_counts(group, z[entry], own[entry], of_documents, b, n_vk)
                n_dk = n_dk.at[group.document[:, None], group.labels].add(n_gj)
                shares = shares.at[entry].set(share)
        return Counts(n_dk, n_vk, sum_rows(n_vk)), shares

    return all_groups


def _soft_counts_in_lists(group: Group, z: Array, own: Array, a: Array, b: Array, n_vk: Array) -> tuple[Array, ...]:
    """One token after another: what a CPU does best."""
    z, zero = z.astype(jnp.uint32), jnp.uint32(0)
    positions = lax.iota(jnp.uint32, group.width)

    def apply(tables: tuple, pending: tuple) -> tuple:
        i, v, g, share, p = pending

        def add(j: Array, n_vk: Array) -> Array:
            return accumulate(n_vk, element(p, j), v, element(group.labels, g, j))

        n_vk = lax.fori_loop(zero, element(group.size, g), add, tables[1])
        return accumulate(tables[0], p, g), n_vk, write(tables[2], share, i)

    def body(carry: tuple) -> tuple:
        i, tables, pending = carry
        tables = apply(tables, pending)  # what the token before adds (see _bricks.rows)
        v, g = element(group.w, i), element(group.g, i)
        labels = row(group.labels, g)
        present = (labels == element(z, i)) & (positions < element(group.size, g))
        p = jnp.where(present, element(own, i), row(a, g) * b.at[v, labels].get(mode="promise_in_bounds"))
        share = element(group.m, i) / (total(p) if group.width > 1 else p[0])
        return i + 1, tables, (i, v, g, share, p * share)

    tables = (jnp.zeros_like(a), n_vk, jnp.zeros_like(own))
    start = (zero, tables, (zero, zero, zero, jnp.float32(0), jnp.zeros_like(a[0])))
    _, tables, pending = lax.while_loop(lambda carry: carry[0] < jnp.uint32(z.shape[0]), body, start)
    return apply(tables, pending)


def _soft_counts_in_chunks_of_lists(
    group: Group, z: Array, own: Array, a: Array, b: Array, n_vk: Array
) -> tuple[Array, ...]:
    """Thousands of tokens at a time: what accelerators want."""
    size, allowed = z.shape[0], group.allowed
    chunk = min(_CHUNK, size)

    def body(i: Array, tables: tuple) -> tuple:
        index = i * chunk + jnp.arange(chunk)
        fresh, index = index < size, jnp.minimum(index, size - 1)
        v, g = group.w[index, None], group.g[index]
        labels = group.labels[g]
        p = jnp.where((labels == z[index, None]) & allowed[g], own[index, None], a[g] * b[v, labels])
        share = group.m[index] / p.sum(1)
        p = p * jnp.where(fresh, share, 0.0)[:, None]
        return tables[0].at[g].add(p), tables[1].at[v, labels].add(p), tables[2].at[index].set(share)

    return lax.fori_loop(0, -(-size // chunk), body, (jnp.zeros_like(a), n_vk, jnp.zeros_like(own)))
