"""Documents by their topics: those most about a topic, those most like another, and those that have some words."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Num

from jaxlda.corpora.corpus import Corpus

__all__ = ["find_documents", "nearest_documents", "top_documents"]


def top_documents(
    theta_k: Float[np.ndarray, " D"], lengths: Num[np.ndarray, " D"], titles: Any = None, n: int = 8
) -> pd.DataFrame:
    """The documents with the largest share of a topic; empty ones are never among them.

    Parameters
    ----------
    theta_k
        The share of the topic in each document.
    lengths
        Of the documents, in tokens.
    titles
        Of the documents, if they have any.
    n
        How many documents.

    Returns
    -------
    pandas.DataFrame
        Columns ``document``, ``title``, ``share`` and ``tokens``.

    Examples
    --------
    >>> top_documents(np.array([0.1, 0.9, 0.5]), np.array([5, 4, 3]), n=2).values.tolist()
    [[1, 'document 1', 0.9, 4], [2, 'document 2', 0.5, 3]]
    """
    share = np.where(np.asarray(lengths) > 0, np.asarray(theta_k, np.float64), -1.0)
    best = np.argsort(-share, kind="stable")[:n]
    best = best[share[best] >= 0]
    named = [f"document {d}" if titles is None else str(titles[d]) for d in best.tolist()]
    return pd.DataFrame({"document": best, "title": named, "share": share[best], "tokens": np.asarray(lengths)[best]})


def nearest_documents(
    theta: Float[np.ndarray, "D K"], document: int, n: int = 10, n_d: Num[np.ndarray, " D"] | None = None
) -> pd.DataFrame:
    r"""The documents with the most similar topic proportions, by Hellinger distance.

    .. math:: H(a, b) = \sqrt{1 - \sum_k \sqrt{\theta_{ak} \theta_{bk}}}

    from 0 (the same) to 1 (no topic in common). Takes time and memory of the order of theta, not of pairs of documents.

    Parameters
    ----------
    theta
        The proportions of all documents; dense ones, theta_p, tell more.
    document
        Whose neighbours are looked for.
    n
        How many.
    n_d
        The lengths of documents. Empty ones have the proportions of the prior, which mean nothing: they are no
        neighbours, and have none.

    Returns
    -------
    pandas.DataFrame
        Columns ``document`` and ``distance``, the nearest first.

    Examples
    --------
    >>> nearest_documents(np.array([[1.0, 0.0], [0.0, 1.0], [0.64, 0.36]]), 0).round(3).values.tolist()
    [[2.0, 0.447], [1.0, 1.0]]
    """
    root = np.sqrt(np.asarray(theta))
    affinity = np.clip(root @ root[document], 0, 1).astype(np.float64)
    candidate = np.ones(len(affinity), bool) if n_d is None else np.asarray(n_d) > 0
    neighbours = np.flatnonzero(candidate) if candidate[document] else np.empty(0, np.int64)
    neighbours = neighbours[neighbours != document]
    distance = np.sqrt(1 - affinity[neighbours])
    order = np.argsort(distance, kind="stable")[:n]
    return pd.DataFrame({"document": neighbours[order], "distance": distance[order]})


def find_documents(corpus: Corpus, text: str, n: int = 20) -> pd.DataFrame:
    """The documents that have all words of a text, in their title or among their words.

    Parameters
    ----------
    corpus
        Where to look.
    text
        Words or beginnings of words; case does not matter. Titles are searched for any part.
    n
        How many documents, those first that have the words most often; a word in the title counts more than any number
        in the text.

    Returns
    -------
    pandas.DataFrame
        Columns ``document``, ``title`` (empty where there are none) and ``tokens``, how many of them match.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["oil oil rises", "gold falls", "oil prices"], titles=["a", "b", "Gold and oil"])
    >>> find_documents(corpus, "OIL").values.tolist()
    [[2, 'Gold and oil', 1], [0, 'a', 2]]
    """
    terms = text.casefold().split()
    titles = [""] * corpus.num_docs if corpus.titles is None else list(corpus.titles)
    folded = [title.casefold() for title in titles]
    vocab = np.char.lower(corpus.vocab)
    matches, tokens, in_titles = (np.zeros(corpus.num_docs, np.int64) for _ in range(3))
    for term in terms:
        columns = np.char.startswith(vocab, term)
        found = np.asarray(corpus.counts @ columns.astype(np.int64))
        titled = np.fromiter((term in title for title in folded), bool, corpus.num_docs)
        matches += (found > 0) | titled
        tokens += found
        in_titles += titled
    hits = np.flatnonzero(matches == len(terms)) if terms else np.empty(0, np.int64)
    hits = hits[np.lexsort((hits, -tokens[hits], -in_titles[hits]))][:n]
    return pd.DataFrame({"document": hits, "title": [titles[d] for d in hits], "tokens": tokens[hits]})
