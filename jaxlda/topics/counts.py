"""Hard against soft counts: the gap of Eq. 60, for documents and words."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float64, Int64, Num

from jaxlda.estimators import transitions
from jaxlda.topics.maps import named
from jaxlda.types import Data, Sample

__all__ = [
    "DocumentGaps",
    "document_gaps",
    "gap_edges",
    "hard_soft_table",
    "histogram_table",
    "sampled_gaps",
    "soft_row",
]

_PIECE = 1 << 19  # numbers (tokens x topics) held at once


class DocumentGaps(NamedTuple):
    """The gaps of some documents."""

    document: Int64[np.ndarray, " n"]
    """Their numbers, increasing; never empty documents, which have no gap."""
    gap: Float64[np.ndarray, " n"]


def soft_row(sample: Sample, data: Data, tokens: Any) -> Float64[np.ndarray, " K"]:
    """Sum the transition probabilities of some tokens: a row of the soft n_dk for a document's, of n_vk for a word's.

    Parameters
    ----------
    sample, data
        Of one chain: ``run.chain(0)`` and ``run.chain_data(0)``.
    tokens
        Positions in ``data.tokens``: indices, a slice or a mask.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)
    >>> soft_row(run.chain(0), data, data.tokens.d == 1).sum().round(6).item()
    3.0
    """
    K = sample.counts.n_k.shape[-1]
    position = np.arange(data.tokens.w.shape[0])[np.asarray(tokens) if np.ndim(tokens) else tokens]
    pieces = np.array_split(position, position.size * K // _PIECE + 1)
    return sum((transitions(sample, data, piece).sum(axis=0) for piece in pieces), np.zeros(K))


def document_gaps(hard: Num[np.ndarray, "D K"], soft: Num[np.ndarray, "D K"]) -> DocumentGaps:
    r"""The gap of every document that has tokens, :math:`\frac{1}{N_d} \sum_k |n_{dk} - \sum_j p_{djk}|` (Eq. 60).

    Parameters
    ----------
    hard, soft
        Counts of the same documents: of one sample, or both averaged over draws.

    Examples
    --------
    >>> document_gaps(np.array([[2, 0], [0, 0]]), np.array([[1.5, 0.5], [0.0, 0.0]]))
    DocumentGaps(document=array([0]), gap=array([0.5]))
    """
    length = hard.sum(axis=1, dtype=np.float64)
    document = np.flatnonzero(length > 0)
    difference = np.abs(hard - soft).sum(axis=1, dtype=np.float64)
    return DocumentGaps(document, difference[document] / length[document])


def sampled_gaps(sample: Sample, data: Data, budget: int = 5_000_000) -> DocumentGaps:
    """The gaps of one sample for as many documents as the budget allows, the same ones whenever lengths are the same.

    Parameters
    ----------
    sample, data
        Of one chain: ``run.chain(0)`` and ``run.chain_data(0)``.
    budget
        How many transition probabilities (tokens times topics) to compute at most; at least one document is looked at.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=10)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)
    >>> len(sampled_gaps(run.chain(0), data).gap), len(sampled_gaps(run.chain(0), data, budget=3000).gap)
    (20, 3)
    """
    K = sample.counts.n_k.shape[-1]
    n_d = np.asarray(data.tokens.n_d)
    document = np.flatnonzero(n_d > 0)
    if n_d.sum(dtype=np.int64) * K > budget:
        document = np.random.default_rng(0).permutation(document)
        fits = np.cumsum(n_d[document], dtype=np.int64) * K <= budget
        document = np.sort(document[: max(int(fits.sum()), 1)])
    if not document.size:
        return DocumentGaps(document, np.zeros(0))
    row = np.full(n_d.size, -1)
    row[document] = np.arange(document.size)
    real = np.asarray(data.tokens.m) > 0
    position = np.flatnonzero((row[np.asarray(data.tokens.d)] >= 0) & real)
    soft = np.zeros((document.size, K))
    for piece in np.array_split(position, position.size * K // _PIECE + 1):
        rows, begins = np.unique(row[np.asarray(data.tokens.d)[piece]], return_index=True)
        soft[rows] += np.add.reduceat(transitions(sample, data, piece), begins, axis=0)
    return DocumentGaps(document, document_gaps(np.asarray(sample.counts.n_dk)[document], soft).gap)


def hard_soft_table(hard: Num[np.ndarray, " K"], soft: Num[np.ndarray, " K"], names: Any = None) -> pd.DataFrame:
    """Hard and soft counts of one document or word, side by side.

    Parameters
    ----------
    hard, soft
        A number for each topic.
    names
        Of the topics, if they have any.

    Returns
    -------
    pandas.DataFrame
        Columns ``topic``, ``name``, ``hard``, ``soft`` and ``difference`` (soft minus hard).

    Examples
    --------
    >>> hard_soft_table(np.array([2, 0]), np.array([1.5, 0.5])).values.tolist()
    [[0, 'topic 0', 2.0, 1.5, -0.5], [1, 'topic 1', 0.0, 0.5, 0.5]]
    """
    hard, soft = np.asarray(hard, np.float64), np.asarray(soft, np.float64)
    columns = {"topic": np.arange(hard.size), "name": named(hard.size, names), "hard": hard, "soft": soft}
    return pd.DataFrame(columns | {"difference": soft - hard})


def gap_edges(gaps: Num[np.ndarray, " n"], bins: int = 40) -> Float64[np.ndarray, " edges"]:
    """Edges of a histogram of gaps: to 0.1, 0.2, 0.5, 1 or 2, so that they seldom change while gaps do.

    A gap is at most 2, where no token's topic has any probability.

    Examples
    --------
    >>> gap_edges(np.array([0.13, 0.07]), bins=2).tolist()
    [0.0, 0.1, 0.2]
    """
    greatest = np.max(gaps, initial=0.0)
    return np.linspace(0, next((end for end in (0.1, 0.2, 0.5, 1.0) if greatest <= end), 2.0), bins + 1)


def histogram_table(values: Num[np.ndarray, " n"], edges: Any = None) -> pd.DataFrame:
    """How many of the values lie between each two edges (:func:`gap_edges`); the last edge belongs to the last bin.

    Returns
    -------
    pandas.DataFrame
        Columns ``left``, ``right`` and ``count``.

    Examples
    --------
    >>> histogram_table(np.array([0.1, 0.2, 0.7]), [0.0, 0.5, 1.0]).values.tolist()
    [[0.0, 0.5, 2.0], [0.5, 1.0, 1.0]]
    """
    edges = gap_edges(values) if edges is None else np.asarray(edges, np.float64)
    return pd.DataFrame({"left": edges[:-1], "right": edges[1:], "count": np.histogram(values, edges)[0]})
