"""Numbers that compare documents: hard with soft counts, and documents with each other."""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int, Num

from jaxlda.estimators.point import theta
from jaxlda.kernels.bricks.draw import sum_rows
from jaxlda.kernels.bricks.random import uniform
from jaxlda.types import Counts, Data

__all__ = ["PAIRS", "alike", "document_pairs", "gap", "likeness"]

PAIRS = 16  # of documents, by whose likeness chains are compared: enough to tell modes apart, next to nothing to keep


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


@jax.jit
def document_pairs(n_d: Num[Array, " D"]) -> Int[Array, "P 2"]:
    """Choose up to 16 pairs of different documents, at random, but the same whenever the lengths are the same.

    Documents without tokens come last: only where there are not enough others.

    >>> pairs = document_pairs(jnp.array([3, 0, 1, 2, 5]))
    >>> sorted(pairs.ravel().tolist())
    [0, 2, 3, 4]
    """
    D = n_d.shape[0]
    order = jnp.where(n_d > 0, uniform(jax.random.key(0, impl="threefry2x32"), D), -1.0)
    return lax.top_k(order, 2 * min(PAIRS, D // 2))[1].reshape(-1, 2)


@jax.jit
def likeness(counts: Counts, data: Data) -> Float[Array, "*batch P"]:
    r"""Compare the documents of each pair of ``document_pairs``: :math:`\sum_k \sqrt{\theta_{ak} \theta_{bk}}`.

    From 0 (no topic in common) to 1 (the same proportions). How topics are numbered does not matter, so that chains
    can be compared by it.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1], [2, 1]]).data(num_topics=2, alpha=1.0)
    >>> counts = Counts(jnp.array([[2, 1], [2, 1]]), jnp.array([[4, 0], [0, 2]]), jnp.array([4, 2]))
    >>> likeness(counts, data).round(5).tolist()
    [1.0]
    """
    return alike(theta(counts, data)[..., document_pairs(data.tokens.n_d), :])


def alike(both: Float[Array, "*batch 2 K"]) -> Float[Array, "*batch"]:
    """Compare the proportions of two documents."""
    return sum_rows(jnp.moveaxis(jnp.sqrt(both[..., 0, :] * both[..., 1, :]), -1, 0))
