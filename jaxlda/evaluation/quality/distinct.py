"""Whether topics differ: by the words that only they have (diversity), and by words that are theirs (exclusivity)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float, Float64

from jaxlda.evaluation.quality.reading import Draw, read
from jaxlda.evaluation.quality.scores import TopicScores, scored

__all__ = ["diversity", "exclusivity", "frex"]


def diversity(model: Any, *, top_n: int = 25, draws: bool = True) -> TopicScores:
    r"""How few of a topic's words are those of other topics, too.

    .. math:: \frac{1}{n} \sum_{i=1}^n \frac{1}{\text{number of topics that have word } w_i \text{ among their } n}

    for each topic, from 1 / K to 1. The mean over topics is the share of different words among the :math:`K n` top
    words: the topic diversity of Dieng et al. (2020), who take n = 25.

    Parameters
    ----------
    model, draws
        As in :func:`~jaxlda.evaluation.coherence`.
    top_n
        How many words of each topic, n.

    Examples
    --------
    >>> diversity([["cat", "pet"], ["dog", "pet"]], top_n=2).values.tolist()
    [0.75, 0.75]
    """
    found = read(model, top_n)

    def score(draw: Draw) -> tuple[np.ndarray, Mapping[int, str]]:
        there = draw.top >= 0
        topics = np.bincount(draw.top[there], minlength=len(found.vocab))
        share = np.where(there, 1 / np.maximum(topics[np.maximum(draw.top, 0)], 1), 0.0)
        none = np.flatnonzero(~there.any(axis=1)).tolist()
        return share.sum(axis=1) / np.maximum(there.sum(axis=1), 1), dict.fromkeys(none, "it has no words")

    return scored("diversity", found, score, draws)


def exclusivity(model: Any, *, top_n: int = 10, weight: float | int = 0.7, draws: bool = True) -> TopicScores:
    r"""How frequent and exclusive the words of a topic are: the mean FREX of its most probable words, from 0 to 1.

    :func:`frex` has the formula. ``stm`` (R) gives the sum over 10 words, ten times as much.

    Parameters
    ----------
    model, draws
        As in :func:`~jaxlda.evaluation.coherence`, but lists of words will not do.
    top_n
        How many words of each topic.
    weight
        Of exclusivity, from 0 to 1; the rest is that of frequency.

    Examples
    --------
    >>> phi = np.array([[0.5, 0.1, 0.4], [0.1, 0.5, 0.4]])
    >>> exclusivity((phi, ["cat", "dog", "pet"]), top_n=1).values.round(6).tolist()
    [1.0, 1.0]
    """
    found = read(model, top_n)
    if found.own.phi is None:
        raise TypeError("exclusivity needs the probabilities of words: give a fitted model, or a pair (phi, vocab)")

    def score(draw: Draw) -> tuple[np.ndarray, Mapping[int, str]]:
        there = draw.top >= 0
        values = np.take_along_axis(frex(np.asarray(draw.phi), weight), np.maximum(draw.top, 0), axis=1)
        return np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1), {}

    return scored("exclusivity", found, score, draws)


def frex(phi: Float[np.ndarray, "K V"], weight: float | int = 0.7) -> Float64[np.ndarray, "K V"]:
    r"""Frequency and exclusivity of words in topics (Bischof and Airoldi 2012; Roberts et al. 2014).

    .. math:: \left(\frac{\omega}{F_k(\phi_{kv} / \sum_j \phi_{jv})} + \frac{1 - \omega}{F_k(\phi_{kv})}\right)^{-1}

    with :math:`F_k` the rank among the words of topic k as a share, equal ones sharing the mean of their ranks.

    Parameters
    ----------
    phi
        The topics.
    weight
        :math:`\omega`, from 0 to 1.

    Examples
    --------
    >>> frex(np.array([[0.5, 0.1, 0.4], [0.1, 0.5, 0.4]])).round(2).tolist()
    [[1.0, 0.33, 0.67], [0.33, 1.0, 0.67]]
    """
    from scipy.stats import rankdata  # which takes long to load

    if not 0 <= weight <= 1:
        raise ValueError(f"the weight of exclusivity must be from 0 to 1; got {weight!r}")
    topics = np.asarray(phi, np.float64)
    total = topics.sum(axis=0)
    alone = topics / np.where(total > 0, total, 1.0)
    V = topics.shape[1]
    return 1 / (weight * V / rankdata(alone, axis=1) + (1 - weight) * V / rankdata(topics, axis=1))
