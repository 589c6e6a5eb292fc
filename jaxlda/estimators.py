r"""Estimating phi and theta from counts: the standard estimators, and CGSₚ.

Two normalisations, ``phi`` (Eq. 2) and ``theta`` (Eq. 3), turn counts into distributions. ``soften`` replaces the hard
counts of a sample by the sums of its transition probabilities (Eq. 31); then

* ``phi_p = phi ∘ soften`` (Eq. 41) and ``theta_p = theta ∘ soften`` (Eqs. 33 and 40),

so that four estimators are {hard, soft} x {phi, theta}. They are pure functions over counts: which program drew the
sample does not matter. To average over samples or chains, average the counts, then estimate; ``Run.counts`` does, and
refuses where that is not legitimate.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, Num

from jaxlda._bricks.draw import padded_size, sum_rows, total
from jaxlda._bricks.native import token_loop
from jaxlda._bricks.random import uniform
from jaxlda._bricks.rows import accumulate, element, pad_last, row
from jaxlda._labels import Group
from jaxlda.conditional import beta_totals, words_first
from jaxlda.types import Counts, Data, Sample

__all__ = ["document_pairs", "gap", "phi", "phi_p", "similarity", "soften", "theta", "theta_p"]

LeaveOut = Literal["token", "document", "none"]

_PAIRS = 16  # of documents, by whose likeness chains are compared: enough to tell modes apart, next to nothing to keep
_CHUNK = 4096  # tokens softened at once on an accelerator: bounds the memory, K numbers for each


@jax.jit
def phi(counts: Counts, data: Data) -> Float[Array, "*batch K V"]:
    r"""Estimate the topics (Eq. 2): :math:`\hat\phi_{kv} = (n_{kv} + \beta_v) / (n_k + \sum_v \beta_v)`.

    >>> from jaxlda.types import Priors
    >>> counts = Counts(jnp.array([[2, 1]]), jnp.array([[2, 0], [0, 1]]), jnp.array([2, 1]))
    >>> print(phi(counts, Data(None, Priors(jnp.ones(2), jnp.ones(2)))))
    [[0.75       0.25      ]
     [0.33333334 0.6666667 ]]
    """
    totals = counts.n_k + beta_totals(data.priors)
    return jnp.swapaxes((counts.n_vk + words_first(data.priors.beta)) * (1 / totals)[..., None, :], -1, -2)


@jax.jit
def theta(counts: Counts, data: Data) -> Float[Array, "*batch D K"]:
    r"""Estimate the documents' topic proportions (Eq. 3): :math:`(n_{dk} + \alpha_k) / (N_d + \sum_k \alpha_k)`.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=2, alpha=1.0)
    >>> print(theta(Counts(jnp.array([[2, 1]]), jnp.array([[2, 0], [0, 1]]), jnp.array([2, 1])), data))
    [[0.6 0.4]]
    """
    alpha = data.priors.alpha
    totals = data.tokens.n_d + alpha.sum(-1)
    # A document that allows no topic is empty (Corpus.data sees to it): its row stays zero. A reciprocal, because that
    # is what compilers make of a division of rows, unless there is one topic and one chain; results would differ.
    return (counts.n_dk + alpha) * (1 / jnp.where(totals > 0, totals, 1.0))[:, None]


def phi_p(sample: Sample, data: Data, *, leave_out: LeaveOut = "token") -> Float[Array, "K V"]:
    r"""Estimate the topics from transition probabilities (Eq. 41): ``phi`` of the softened counts.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> sampler = jaxlda.kernels.cgs()
    >>> sample = sampler.readout(sampler.init(jax.random.key(0), data), data)
    >>> phi_p(sample, data).sum(1).round(5).tolist()
    [1.0, 1.0]
    """
    return phi(soften(sample, data, leave_out=leave_out), data)


def theta_p(sample: Sample, data: Data, *, leave_out: LeaveOut = "token") -> Float[Array, "D K"]:
    r"""Estimate the proportions from transition probabilities (Eqs. 33, 40): ``theta`` of the softened counts.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> sampler = jaxlda.kernels.cgs()
    >>> sample = sampler.readout(sampler.init(jax.random.key(0), data), data)
    >>> theta_p(sample, data).sum(1).round(5).tolist()
    [1.0, 1.0]
    """
    return theta(soften(sample, data, leave_out=leave_out), data)


def soften(
    sample: Sample, data: Data, groups: tuple[Group, ...] | None = None, *, leave_out: LeaveOut = "token"
) -> Counts:
    r"""Replace every assignment by the distribution a Gibbs update would draw it from (Eqs. 1, 4 and 31), and add up.

    .. math:: p_{ik} \propto \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_v \beta_v}\,(n_{dk\neg i} + \alpha_k)

    summed over the tokens of each document and of each word. Where ``data.phi`` is given it stands for the first
    factor. Costs about one exact sweep, and memory of the order of the counts only.

    Parameters
    ----------
    sample
        Assignments with their counts; a sample without ``z`` (CVB0, gensim, scikit-learn) is soft or summed already and
        refused.
    groups
        Where documents allow few topics each: what ``jaxlda._labels.groups_if_few`` says of the data. The result is the
        same, at the cost of the documents' own topics instead of all K.
    leave_out
        What the token itself is taken out of: all counts (``"token"``, Algorithm 1 of the paper), the document's counts
        only (``"document"``), or none (``"none"``); the last two are what the paper's program does in training and with
        samples of other programs.

    Returns
    -------
    Counts of floats that add up to the same document lengths and word frequencies.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> sampler = jaxlda.kernels.cgs()
    >>> sample = sampler.readout(sampler.init(jax.random.key(0), data), data)
    >>> soften(sample, data).n_dk.sum(1).round(5).tolist()
    [3.0, 3.0]
    """
    if sample.z is None:
        raise ValueError(
            "These counts come without the topic of each token (z), so there are no transition probabilities to sum: "
            "phi_p and theta_p need a Gibbs sample. For CVB0 and variational Bayes phi and theta already are the soft "
            "estimates."
        )
    if leave_out not in ("token", "document", "none"):
        raise ValueError(f"leave_out must be 'token', 'document' or 'none', not {leave_out!r}.")
    if groups is None:
        return _soften(sample, data, leave_out)
    return _soften_labeled(sample, data, groups, leave_out)


@partial(jax.jit, static_argnames="leave_out")
def _soften_labeled(sample: Sample, data: Data, groups: tuple[Group, ...], leave_out: LeaveOut) -> Counts:
    counts, beta = sample.counts, words_first(data.priors.beta)
    a, b = counts.n_dk + data.priors.alpha, (counts.n_vk + beta) / (counts.n_k + beta_totals(data.priors))
    arguments = (groups, sample.z, _own_weight(sample, data, leave_out), a, b)
    on_cpu, elsewhere = token_loop(_by_group(_soft_counts_in_lists)), _by_group(_soft_counts_in_chunks_of_lists)
    return lax.platform_dependent(*arguments, cpu=on_cpu, default=elsewhere)


@partial(jax.jit, static_argnames="leave_out")
def _soften(sample: Sample, data: Data, leave_out: LeaveOut) -> Counts:
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
        return jax.tree.map(lambda x: jnp.zeros(x.shape, jnp.float32), counts)
    own = _own_weight(sample, data, leave_out)
    arguments = (data.tokens.w, data.tokens.d, m, sample.z, own, a, b)
    soft = lax.platform_dependent(*arguments, cpu=token_loop(_soft_counts), default=_soft_counts_in_chunks)
    return Counts(*(table[..., :K] for table in soft))


def _own_weight(sample: Sample, data: Data, leave_out: LeaveOut) -> Float[Array, " N"]:
    """Weigh each token's present topic: leaving the token out changes its distribution in this one entry only."""
    (w, d, _, _), (alpha, beta), (n_dk, n_vk, n_k), z = data.tokens, data.priors, sample.counts, sample.z
    in_document = 0 if leave_out == "none" else 1
    in_topic = 1 if leave_out == "token" else 0
    a = n_dk[d, z] - in_document + (alpha[z] if alpha.ndim == 1 else alpha[d, z])
    if data.phi is not None:
        return a * data.phi[z, w]
    b = n_vk[w, z] - in_topic + (beta[w] if beta.ndim == 1 else beta[z, w])
    return a * b / (n_k[z] - in_topic + beta_totals(data.priors)[z])


def _soft_counts(
    w: Int[Array, " N"],
    d: Int[Array, " N"],
    m: Num[Array, " N"],
    z: Int[Array, " N"],
    own: Float[Array, " N"],
    a: Float[Array, "D P"],
    b: Float[Array, "V P"],
) -> Counts:
    """One token after another: what a CPU does best."""
    w, d, z = (x.astype(jnp.uint32) for x in (w, d, z))
    topics, zero = lax.iota(jnp.uint32, a.shape[1]), jnp.uint32(0)

    def apply(tables: tuple, pending: tuple) -> tuple:
        v, dd, weight, p = pending
        return accumulate(tables[0], weight * p, dd), accumulate(tables[1], weight * p, v)

    def body(carry: tuple) -> tuple:
        i, tables, pending = carry
        tables = apply(tables, pending)  # what the token before adds (see _bricks.rows)
        v, dd = element(w, i), element(d, i)
        p = jnp.where(topics == element(z, i), element(own, i), row(a, dd) * row(b, v))
        # Padding may have no weight at all, and 0 / 0 would spread.
        weight = jnp.where(element(m, i) > 0, element(m, i) / total(p), 0.0)
        return i + 1, tables, (v, dd, weight, p)

    start = (zero, (jnp.zeros_like(a), jnp.zeros_like(b)), (zero, zero, jnp.float32(0), jnp.zeros_like(a[0])))
    _, tables, pending = lax.while_loop(lambda carry: carry[0] < jnp.uint32(w.shape[0]), body, start)
    n_dk, n_vk = apply(tables, pending)
    return Counts(n_dk, n_vk, sum_rows(n_vk))


def _soft_counts_in_chunks(
    w: Int[Array, " N"],
    d: Int[Array, " N"],
    m: Num[Array, " N"],
    z: Int[Array, " N"],
    own: Float[Array, " N"],
    a: Float[Array, "D P"],
    b: Float[Array, "V P"],
) -> Counts:
    """Thousands of tokens at a time: what accelerators want."""
    size = w.shape[0]
    chunk = min(_CHUNK, size)

    def body(i: Array, tables: tuple) -> tuple:
        index = i * chunk + jnp.arange(chunk)
        fresh, index = index < size, jnp.minimum(index, size - 1)
        p = (a[d[index]] * b[w[index]]).at[jnp.arange(chunk), z[index]].set(own[index])
        p = p * jnp.where(fresh & (m[index] > 0), m[index] / p.sum(1), 0.0)[:, None]
        return tables[0].at[d[index]].add(p), tables[1].at[w[index]].add(p)

    n_dk, n_vk = lax.fori_loop(0, -(-size // chunk), body, (jnp.zeros_like(a), jnp.zeros_like(b)))
    return Counts(n_dk, n_vk, sum_rows(n_vk))


def _by_group(soft_counts: Callable[..., tuple]) -> Callable[..., Counts]:
    """Add up the soft counts of groups of documents, each a table of lists and the table of words so far."""

    def all_groups(groups: tuple[Group, ...], z: Array, own: Array, a: Array, b: Array) -> Counts:
        n_dk, n_vk = jnp.zeros_like(a), jnp.zeros_like(b)
        for group in groups:
            if group.w.shape[0] > 0:
                n_gj, n_vk = soft_counts(group, z[group.entry], own[group.entry], group.of_documents(a), b, n_vk)
                n_dk = n_dk.at[group.document[:, None], group.labels].add(n_gj)
        return Counts(n_dk, n_vk, sum_rows(n_vk))

    return all_groups


def _soft_counts_in_lists(group: Group, z: Array, own: Array, a: Array, b: Array, n_vk: Array) -> tuple[Array, Array]:
    """One token after another: what a CPU does best."""
    z, zero = z.astype(jnp.uint32), jnp.uint32(0)
    positions = lax.iota(jnp.uint32, group.width)

    def apply(tables: tuple, pending: tuple) -> tuple:
        v, g, p = pending

        def add(j: Array, n_vk: Array) -> Array:
            return accumulate(n_vk, element(p, j), v, element(group.labels, g, j))

        return accumulate(tables[0], p, g), lax.fori_loop(zero, element(group.size, g), add, tables[1])

    def body(carry: tuple) -> tuple:
        i, tables, pending = carry
        tables = apply(tables, pending)  # what the token before adds (see _bricks.rows)
        v, g = element(group.w, i), element(group.g, i)
        labels = row(group.labels, g)
        present = (labels == element(z, i)) & (positions < element(group.size, g))
        p = jnp.where(present, element(own, i), row(a, g) * b.at[v, labels].get(mode="promise_in_bounds"))
        return i + 1, tables, (v, g, p * (element(group.m, i) / (total(p) if group.width > 1 else p[0])))

    start = (zero, (jnp.zeros_like(a), n_vk), (zero, zero, jnp.zeros_like(a[0])))
    _, tables, pending = lax.while_loop(lambda carry: carry[0] < jnp.uint32(z.shape[0]), body, start)
    return apply(tables, pending)


def _soft_counts_in_chunks_of_lists(
    group: Group, z: Array, own: Array, a: Array, b: Array, n_vk: Array
) -> tuple[Array, Array]:
    """Thousands of tokens at a time: what accelerators want."""
    size, allowed = z.shape[0], group.allowed
    chunk = min(_CHUNK, size)

    def body(i: Array, tables: tuple) -> tuple:
        index = i * chunk + jnp.arange(chunk)
        fresh, index = index < size, jnp.minimum(index, size - 1)
        v, g = group.w[index, None], group.g[index]
        labels = group.labels[g]
        p = jnp.where((labels == z[index, None]) & allowed[g], own[index, None], a[g] * b[v, labels])
        p = p * jnp.where(fresh, group.m[index] / p.sum(1), 0.0)[:, None]
        return tables[0].at[g].add(p), tables[1].at[v, labels].add(p)

    return lax.fori_loop(0, -(-size // chunk), body, (jnp.zeros_like(a), n_vk))


@jax.jit
def gap(hard: Counts, soft: Counts) -> Float[Array, "*batch"]:
    r"""Measure how far hard and soft counts are apart, per document and token (Eq. 60, normalised).

    .. math:: \frac1D \sum_d \frac{1}{N_d} \sum_k \Big| n_{dk} - \sum_j p_{djk} \Big|

    over the documents with tokens. The paper's own figure is not divided by the document's length; lengths differ
    between corpora, shares do not.

    >>> one = Counts(jnp.array([[2.0, 0.0]]), jnp.zeros((1, 2)), jnp.zeros(2))
    >>> other = Counts(jnp.array([[1.0, 1.0]]), jnp.zeros((1, 2)), jnp.zeros(2))
    >>> float(gap(one, other))
    1.0
    """
    length = hard.n_dk.sum(-1)
    difference = sum_rows(jnp.moveaxis(jnp.abs(hard.n_dk - soft.n_dk), -1, 0)) / jnp.maximum(length, 1)
    return sum_rows(jnp.moveaxis(difference, -1, 0)) / jnp.maximum((length > 0).sum(-1), 1)


def document_pairs(n_d: Num[Array, " D"]) -> Int[Array, "P 2"]:
    """Choose up to 16 pairs of different documents, at random, but the same whenever the lengths are the same.

    Documents without tokens come last: only where there are not enough others.

    >>> pairs = document_pairs(jnp.array([3, 0, 1, 2, 5]))
    >>> sorted(pairs.ravel().tolist())
    [0, 2, 3, 4]
    """
    D = n_d.shape[0]
    order = jnp.where(n_d > 0, uniform(jax.random.key(0, impl="threefry2x32"), D), -1.0)
    return lax.top_k(order, 2 * min(_PAIRS, D // 2))[1].reshape(-1, 2)


@jax.jit
def similarity(counts: Counts, data: Data) -> Float[Array, "*batch P"]:
    r"""Compare the documents of each pair of ``document_pairs``: :math:`\sum_k \sqrt{\theta_{ak} \theta_{bk}}`.

    From 0 (no topic in common) to 1 (the same proportions). How topics are numbered does not matter, so that chains
    can be compared by it.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1], [2, 1]]).data(num_topics=2, alpha=1.0)
    >>> counts = Counts(jnp.array([[2, 1], [2, 1]]), jnp.array([[4, 0], [0, 2]]), jnp.array([4, 2]))
    >>> similarity(counts, data).round(5).tolist()
    [1.0]
    """
    both = theta(counts, data)[..., document_pairs(data.tokens.n_d), :]
    return sum_rows(jnp.moveaxis(jnp.sqrt(both[..., 0, :] * both[..., 1, :]), -1, 0))
