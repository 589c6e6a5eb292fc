"""Names of topics: proposals from their words, and from phrases of the texts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Num
from scipy.special import xlogy

from jaxlda.corpora.numbers import one_of
from jaxlda.topics.words import relevance

__all__ = ["log_likelihood_ratio", "phrases", "proposed_names"]

_WEIGHT = 0.4  # of probability against lift, where words are to tell topics apart


def log_likelihood_ratio(n_vk: Num[np.ndarray, "V K"]) -> Float64[np.ndarray, "K V"]:
    r"""How surely a word is more frequent in a topic than elsewhere (Dunning 1993), from counts of words in topics.

    .. math:: G^2 = 2 \sum_{ij} O_{ij} \log \frac{O_{ij}}{E_{ij}}

    of the table of the word and others, in the topic and elsewhere; negative where the word is less frequent there.

    Examples
    --------
    >>> log_likelihood_ratio(np.array([[9, 1], [5, 5], [1, 9]])).round(2).tolist()
    [[10.65, 0.0, -10.65], [-10.65, 0.0, 10.65]]
    """
    counts = np.asarray(n_vk, np.float64).T
    of_topic, of_word = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    total = max(float(counts.sum()), 1e-300)
    observed = np.stack([counts, of_topic - counts, of_word - counts, total - of_topic - of_word + counts])
    observed = np.maximum(observed, 0.0)
    pairs = [(row, column) for row in (of_topic, total - of_topic) for column in (of_word, total - of_word)]
    expected = np.stack([row * column for row, column in pairs]) / total
    ratio = observed / np.where(expected > 0, expected, 1.0)
    surprise = 2 * xlogy(observed, np.where(observed > 0, ratio, 1.0)).sum(axis=0)
    return np.where(observed[0] >= expected[0], surprise, -surprise)


def phrases(
    texts: Iterable[Sequence[str]], vocab: Any, min_count: int = 5, n: int = 2000, max_words: int = 3
) -> list[tuple[str, ...]]:
    """Different neighbouring words that all belong to the vocabulary, the most frequent phrases first.

    A phrase is left out if a longer one that has it occurs at least half as often: "york city" in "new york city".

    Parameters
    ----------
    texts
        The words of each text, in order.
    vocab
        The words that phrases may have.
    min_count
        How often a phrase must occur.
    n
        How many phrases at most.
    max_words
        How many words a phrase has at most; two at least.

    Examples
    --------
    >>> phrases([["crude", "oil", "price"], ["crude", "oil"]], ["crude", "oil", "price"], min_count=2)
    [('crude', 'oil')]
    """
    lists = [list(text) for text in texts]
    shorter: Iterable[tuple[str, ...]] = {(str(word),) for word in vocab}
    found = Counter[tuple[str, ...]]()
    for size in range(2, max_words + 1):
        frequent = {words: times for words, times in _neighbours(lists, shorter, size).items() if times >= min_count}
        for words, times in frequent.items():
            for part in (words[:-1], words[1:]):
                if 2 * times >= found.get(part, np.inf):
                    del found[part]
        found.update(frequent)
        shorter = frequent
    return [words for words, _ in found.most_common(n)]


def _neighbours(
    lists: Sequence[Sequence[str]], shorter: Iterable[tuple[str, ...]], size: int
) -> Counter[tuple[str, ...]]:
    """How often so many different words follow each other, of which all but one are a shorter phrase at both ends."""
    found = Counter[tuple[str, ...]]()
    for text in lists:
        runs = zip(*(text[start:] for start in range(size)), strict=False)
        found.update(run for run in runs if run[:-1] in shorter and run[1:] in shorter and len(set(run)) == size)
    return found


def proposed_names(
    scores: Float[np.ndarray, "K V"], vocab: Any, words: int = 3, candidates: Sequence[tuple[str, ...]] = ()
) -> list[str]:
    """A name for each topic: its best phrase if there are any, and its best words, no two names the same.

    Parameters
    ----------
    scores
        Of words in topics, higher is better: :func:`~jaxlda.topics.relevance` or :func:`log_likelihood_ratio`.
    vocab
        The words.
    words
        How many words a name has.
    candidates
        Phrases, from :func:`phrases`. A phrase goes with the topic where the mean score of its words is highest, if all
        are among the twenty best there; of several, a topic takes the one with the highest mean.

    Examples
    --------
    >>> proposed_names(np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), ["ant", "bee", "cat"], words=2)
    ['ant bee', 'cat bee']
    """
    number = {str(word): v for v, word in enumerate(vocab)}
    of_words = np.asarray(scores, np.float64)
    places = [[number[word] for word in phrase] for phrase in candidates]
    means = np.array([of_words[:, place].mean(axis=1) for place in places]).reshape(-1, len(of_words)).T
    names: list[str] = []
    for k, score in enumerate(of_words):
        order = np.argsort(-score, kind="stable")
        best = set(order[:20].tolist())
        fitting = [i for i in np.flatnonzero(means[k] >= means.max(axis=0)).tolist() if best.issuperset(places[i])]
        chosen = max(fitting, key=means[k].__getitem__, default=None)
        parts = [] if chosen is None else [" ".join(candidates[chosen])]
        used = set() if chosen is None else set(places[chosen])
        rest = [str(vocab[v]) for v in order.tolist() if v not in used]
        length = max(words - len(used), 0)
        name = " ".join([*parts, *rest[:length]])
        while name in names and length < len(rest):
            length += 1
            name = " ".join([*parts, *rest[:length]])
        names.append(name if name not in names else f"{name} ({len(names)})")
    return names


def scores_for_names(
    method: str, phi: Float[np.ndarray, "K V"], frequency: Num[np.ndarray, " V"], n_vk: Num[np.ndarray, "V K"] | None
) -> Float64[np.ndarray, "K V"]:
    """The scores by which words make names: ``"relevance"`` or ``"llr"``."""
    if one_of(method, "method", ("relevance", "llr")) == "relevance":
        return relevance(phi, frequency, _WEIGHT)
    if n_vk is None:
        raise ValueError("a log-likelihood ratio needs counts, and this model has topics only: take method='relevance'")
    return log_likelihood_ratio(n_vk)
