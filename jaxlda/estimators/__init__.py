r"""Estimating phi and theta from counts: the standard estimators, and CGSₚ.

Two normalisations, ``phi`` (Eq. 2) and ``theta`` (Eq. 3), turn counts into distributions. ``soften`` replaces the hard
counts of a sample by the sums of its transition probabilities (Eq. 31); then

* ``phi_p = phi ∘ soften`` (Eq. 41) and ``theta_p = theta ∘ soften`` (Eqs. 33 and 40),

so that four estimators are {hard, soft} x {phi, theta}. They are pure functions over counts: which program drew the
sample does not matter. To average over samples or chains, average the counts, then estimate; ``Run.counts`` does, and
refuses where that is not legitimate.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, Num

from jaxlda.estimators.softening import LeaveOut, Softened, softened
from jaxlda.kernels.bricks.draw import sum_rows
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.kernels.layouts.groups import Group
from jaxlda.types import Counts, Data, Sample

__all__ = [
    "Softened",
    "document_pairs",
    "gap",
    "log_likelihoods",
    "phi",
    "phi_p",
    "similarity",
    "soften",
    "soften_and_weigh",
    "theta",
    "theta_p",
]

_PAIRS = 16  # of documents, by whose likeness chains are compared: enough to tell modes apart, next to nothing to keep


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
        Where documents allow few topics each: what ``groups_if_few`` says of the data. The result is the
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
    _check(sample, leave_out)
    return _counts(sample, data, groups, leave_out)


def soften_and_weigh(
    sample: Sample, data: Data, groups: tuple[Group, ...] | None = None, *, leave_out: LeaveOut = "token"
) -> Softened:
    """Do what :func:`soften` does, and tell what was seen on the way: :func:`log_likelihoods` makes use of it.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=1, alpha=1.0, beta=1.0)
    >>> sampler = jaxlda.kernels.cgs()
    >>> sample = sampler.readout(sampler.init(jax.random.key(0), data), data)
    >>> [round(weight, 5) for weight in soften_and_weigh(sample, data).weight.tolist()]  # 4 · 3/5 twice, and 4 · 2/5
    [2.4, 2.4, 1.6]
    """
    _check(sample, leave_out)
    return _both(sample, data, groups, leave_out)


_both = partial(jax.jit, static_argnames="leave_out")(softened)


@partial(jax.jit, static_argnames="leave_out")
def _counts(sample: Sample, data: Data, groups: tuple[Group, ...] | None, leave_out: LeaveOut) -> Counts:
    """The counts alone: what else the loop would note costs a tenth of it, and is not computed then."""
    return softened(sample, data, groups, leave_out).counts


def _check(sample: Sample, leave_out: Any) -> None:
    if sample.z is None:
        raise ValueError(
            "These counts come without the topic of each token (z), so there are no transition probabilities to sum: "
            "phi_p and theta_p need a Gibbs sample. For CVB0 and variational Bayes phi and theta already are the soft "
            "estimates."
        )
    if leave_out not in ("token", "document", "none"):
        raise ValueError(f"leave_out must be 'token', 'document' or 'none', not {leave_out!r}.")


@jax.jit
def log_likelihoods(weight: Float[Array, " N"], data: Data) -> Float[Array, " D"]:
    r"""Score the words of every document by what its tokens weigh, see :func:`soften_and_weigh`.

    .. math:: \sum_i \log \sum_k (n_{dk} + \alpha_k) \hat\phi_{kw_i} - N_d \log \Big(N_d + \sum_k \alpha_k\Big)

    That is Eq. 55 for phi and theta of the counts, which ``conditional.log_likelihood_terms`` takes a pass of its own
    for.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=1, alpha=1.0, beta=1.0)
    >>> round(float(jnp.exp(log_likelihoods(jnp.array([2.4, 2.4, 1.6]), data))[0]), 5)  # 3/5 · 3/5 · 2/5
    0.144
    """
    (_, d, m, n_d), alpha = data.tokens, data.priors.alpha
    totals = n_d + alpha.sum(-1)
    log_p = jnp.where(m > 0, jnp.log(weight) * m, 0.0)
    lengths = n_d * jnp.log(jnp.where(totals > 0, totals, 1.0))
    return jnp.zeros(n_d.shape[0], weight.dtype).at[d].add(log_p) - lengths


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
