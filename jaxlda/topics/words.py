"""The words of topics: those that tell most about a topic, and where two rankings of words differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Float64, Num
from scipy.stats import rankdata

__all__ = ["best_words", "rank_changes", "ranking_table", "relevance", "word_table"]


def relevance(
    phi_k: Float[np.ndarray, "*batch V"], frequency: Num[np.ndarray, " V"], weight: float | int
) -> Float64[np.ndarray, "*batch V"]:
    r"""How much a word tells about a topic: :math:`\lambda \log \phi_{kv} + (1 - \lambda) \log (\phi_{kv} / p_v)`.

    With :math:`\lambda = 1` the words of a topic are ranked by their probability, with 0 by how much more probable they
    are there than in the corpus; words that never occur are last.

    Parameters
    ----------
    phi_k
        A topic, or several.
    frequency
        How often each word occurs in the corpus, or p_v itself.
    weight
        :math:`\lambda`, from 0 to 1.

    Examples
    --------
    >>> relevance(np.array([0.5, 0.3, 0.2]), np.array([8, 1, 1]), 0.0).argsort()[::-1].tolist()
    [1, 2, 0]
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"the weight of relevance must be from 0 to 1; got {weight!r}")
    p = np.asarray(frequency, np.float64)
    with np.errstate(divide="ignore"):
        log_phi, log_p = np.log(np.asarray(phi_k, np.float64)), np.log(p / p.sum())
    occurs = np.isfinite(log_p)
    return np.where(occurs, log_phi - (1 - weight) * np.where(occurs, log_p, 0), -np.inf)


def word_table(
    phi_k: Float[np.ndarray, " V"],
    vocab: Sequence[str] | np.ndarray,
    frequency: Num[np.ndarray, " V"],
    weight: float | int = 1.0,
    n: int = 15,
) -> pd.DataFrame:
    """The most relevant words of a topic.

    Parameters
    ----------
    phi_k
        The topic.
    vocab
        The words.
    frequency, weight
        As in :func:`relevance`.
    n
        How many words.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``probability``, ``lift`` (how many times as probable as in the corpus) and ``relevance``,
        the most relevant first.

    Examples
    --------
    >>> word_table(np.array([0.5, 0.3, 0.2]), ["the", "cat", "dog"], np.array([8, 1, 1]), 0.0, n=2).word.tolist()
    ['cat', 'dog']
    """
    score = relevance(phi_k, frequency, weight)
    best = np.argsort(-score, kind="stable")[:n]
    best = best[score[best] > -np.inf]
    p = np.asarray(frequency, np.float64)
    words = [str(vocab[v]) for v in best.tolist()]
    probability = np.asarray(phi_k, np.float64)[best]
    lift = probability / (p[best] / p.sum())
    return pd.DataFrame({"word": words, "probability": probability, "lift": lift, "relevance": score[best]})


def best_words(scores: Float[np.ndarray, "K V"], vocab: Sequence[str] | np.ndarray, n: int = 10) -> list[list[str]]:
    """The ``n`` words with the highest scores in each topic, the highest first; of equal ones, the first word wins.

    Parameters
    ----------
    scores
        phi, or their :func:`relevance`.
    vocab
        The words.
    n
        How many of each topic.

    Examples
    --------
    >>> best_words(np.array([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]]), ["ant", "bee", "cat"], n=2)
    [['ant', 'cat'], ['cat', 'ant']]
    """
    n = min(n, scores.shape[1])
    rows = []
    for score in scores:
        least = np.partition(score, -n)[-n]  # sorting all words would take longer than all the rest
        best = np.flatnonzero(score >= least)
        best = best[np.argsort(-score[best], kind="stable")][:n]
        rows.append([str(vocab[v]) for v in best.tolist()])
    return rows


def rank_changes(
    phi_k: Float[np.ndarray, " V"],
    phi_p_k: Float[np.ndarray, " V"],
    vocab: Sequence[str] | np.ndarray,
    n: int = 12,
    within: int = 100,
) -> pd.DataFrame:
    """The words that two estimates of a topic rank most differently, among those that either has near its top.

    Words of equal probability (under hard counts there are many) share the mean of their ranks.

    Parameters
    ----------
    phi_k, phi_p_k
        Two estimates of the same topic.
    vocab
        The words.
    n
        How many words.
    within
        How near the top: the rank that a word must have in one of the two.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``rank`` and ``rank_p`` (from 1), the largest ratio of ranks first; words of equal ranks are
        not in it.

    Examples
    --------
    >>> rank_changes(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5]), ["a", "b", "c"]).values.tolist()
    [['a', 1.0, 3.0], ['c', 3.0, 1.0]]
    """
    rank, rank_p = (rankdata(-np.asarray(phi, np.float64)) for phi in (phi_k, phi_p_k))
    near = np.flatnonzero((np.minimum(rank, rank_p) <= within) & (rank != rank_p))
    change = np.abs(np.log(rank_p[near] / rank[near]))
    most = near[np.argsort(-change, kind="stable")[:n]]
    return pd.DataFrame({"word": [str(vocab[v]) for v in most.tolist()], "rank": rank[most], "rank_p": rank_p[most]})


def ranking_table(
    first: Float[np.ndarray, " V"], second: Float[np.ndarray, " V"], vocab: np.ndarray, n: int = 15, leave_out: Any = ()
) -> pd.DataFrame:
    """The words that either of two scores puts among its best, with their ranks by both.

    Parameters
    ----------
    first, second
        Scores of all words, higher is better; of equal ones, the first word wins.
    vocab
        The words.
    n
        How many words are best.
    leave_out
        Numbers of words that do not compete, such as the cue of a word association.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``first_rank``, ``second_rank`` (from 1), ``first`` and ``second`` (the scores), by the sum of
        both ranks, then by the second.

    Examples
    --------
    >>> vocab = np.array(["ant", "cat", "dog"])
    >>> ranking_table(np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7]), vocab, n=1).values.tolist()
    [['dog', 3, 1, 0.2, 0.7], ['ant', 1, 3, 0.5, 0.1]]
    """
    rivals = np.setdiff1d(np.arange(len(vocab)), np.asarray(leave_out, dtype=np.int64))
    ranks = [_ranks(np.asarray(score)[rivals]) for score in (first, second)]
    best = np.flatnonzero((ranks[0] <= n) | (ranks[1] <= n))
    best = best[np.lexsort((ranks[1][best], (ranks[0] + ranks[1])[best]))]
    columns = {"word": vocab[rivals[best]].tolist()}
    columns |= {name: rank[best] for name, rank in zip(("first_rank", "second_rank"), ranks, strict=True)}
    columns |= {name: np.asarray(score)[rivals[best]] for name, score in (("first", first), ("second", second))}
    return pd.DataFrame(columns)


def _ranks(scores: Num[np.ndarray, " V"]) -> Num[np.ndarray, " V"]:
    ranks = np.empty(scores.size, np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return ranks
