"""Questions for people: some words of a topic and an intruder, or a document with some of its topics and one not."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int64

from jaxlda.corpora.numbers import checked_seed, positive_int
from jaxlda.evaluation.quality.reading import best_ids, read

__all__ = ["topic_intrusion", "word_intrusion"]


def word_intrusion(model: Any, *, words: int = 5, seed: int = 0, within: int = 50) -> pd.DataFrame:
    """A question for each topic: the word that does not belong to the others is to be found.

    The intruder is a word that is improbable in the topic (among the less probable half of the vocabulary there) and
    probable in another (among its first ``within``), so that it does not give itself away by being rare.

    Parameters
    ----------
    model
        A fitted model, or a pair ``(phi, vocab)``.
    words
        How many words of the topic to show.
    seed
        Of the choice of intruders, of the order of words and of questions. The same seed gives the same questions.
    within
        How far down another topic's list an intruder may stand.

    Returns
    -------
    pandas.DataFrame
        A row for each question, in random order: ``question``, ``topic``, ``option 1``, ``option 2``, ..., and
        ``answer``, the number of the option that is the intruder. Topics without tokens are left out. To ask people,
        leave out ``topic`` and ``answer``: ``tasks.drop(columns=["topic", "answer"]).to_csv("tasks.csv")``.

    Examples
    --------
    >>> phi = np.kron(np.eye(2), np.full(6, 1 / 6))
    >>> tasks = word_intrusion((phi, [f"{x}{i}" for x in "ab" for i in range(6)]), words=3)
    >>> tasks.shape
    (2, 7)
    """
    n = positive_int(words, "words")
    found = read(model, n)
    if found.own.phi is None:
        raise TypeError("intruders are chosen by the probabilities of words: give a fitted model, or (phi, vocab)")
    phi, rng = np.asarray(found.own.phi, np.float64), np.random.default_rng(checked_seed(seed))
    K, V = phi.shape
    if K < 2 or n + 1 >= V:
        raise ValueError(f"intruders come from other topics: {K} topic(s) of {V} words are too few for {n} words each")
    first = best_ids(phi, positive_int(within, "within"))
    asked = [k for k in range(K) if k not in found.reasons and (found.own.top[k] >= 0).all()]
    rows = []
    for k in rng.permutation(asked).tolist():
        intruder = _intruder(phi[k], np.delete(first, k, axis=0), found.own.top[k], rng)
        options = rng.permutation(np.append(found.own.top[k], intruder))
        rows.append([k, *found.vocab[options].tolist(), int(np.flatnonzero(options == intruder)[0]) + 1])
    return _numbered(pd.DataFrame(rows, columns=["topic", *_options(n + 1), "answer"]))


def topic_intrusion(
    model: Any, *, documents: int = 20, topics: int = 3, words: int = 8, seed: int = 0, texts: Any = None
) -> pd.DataFrame:
    """Questions about documents: the topic that does not belong to one is to be found.

    Shown are the largest topics of a document and one of its smallest half, each by its most probable words.

    Parameters
    ----------
    model
        A fitted model with documents.
    documents
        How many documents to ask about, drawn among those with tokens.
    topics
        How many of the document's topics to show.
    words
        How many words a topic is shown by.
    seed
        As in :func:`word_intrusion`.
    texts
        What people are to read of each document, in the order of the training documents. Without, their title and their
        most frequent words.

    Returns
    -------
    pandas.DataFrame
        A row for each question: ``question``, ``document``, ``text``, ``option 1``, ..., ``answer``, and ``topic 1``,
        ...: the topics that the options are.
    """
    n = positive_int(topics, "topics")
    found = read(model, positive_int(words, "words"))
    if found.run is None:
        raise ValueError("there are no documents to ask about: give a fitted model that has its chains")
    theta, rng = np.asarray(model.theta_), np.random.default_rng(checked_seed(seed))
    D, K = theta.shape
    if n + 1 > K or K < 2:
        raise ValueError(f"{K} topic(s) are too few to show {n} of a document and one that is not its own")
    filled = np.flatnonzero(np.asarray(found.run.data.tokens.n_d) > 0)
    chosen = np.sort(rng.choice(filled, min(positive_int(documents, "documents"), filled.size), replace=False))
    if texts is not None and len(texts) != D:
        raise ValueError(f"there are {len(texts)} texts for {D} documents")
    described = [" ".join(found.vocab[top[top >= 0]].tolist()) for top in found.own.top]
    rows = []
    for d in chosen.tolist():
        order = np.argsort(-theta[d], kind="stable")
        intruder = int(rng.choice(order[max(n, K // 2) :]))
        options = rng.permutation(np.append(order[:n], intruder))
        text = str(texts[d]) if texts is not None else _document(model, found, d)
        answer = int(np.flatnonzero(options == intruder)[0]) + 1
        rows.append([d, text, *(described[k] for k in options), answer, *options.tolist()])
    names = ["document", "text", *_options(n + 1), "answer", *(f"topic {i + 1}" for i in range(n + 1))]
    return _numbered(pd.DataFrame(rows, columns=names))


def _intruder(
    phi_k: Float[np.ndarray, " V"], others: Int64[np.ndarray, "J n"], own: Int64[np.ndarray, " m"], rng: Any
) -> int:
    """A word that others have and this topic has not; with too few such, the least probable one of theirs."""
    candidates = np.setdiff1d(others[others >= 0], own)
    low: Bool[np.ndarray, " c"] = phi_k[candidates] <= np.median(phi_k)
    if low.any():
        return int(rng.choice(candidates[low]))
    if candidates.size:
        return int(candidates[np.argmin(phi_k[candidates])])
    return int(np.setdiff1d(np.arange(phi_k.size), own)[0])


def _document(model: Any, found: Any, d: int) -> str:
    """A document in words: its title, and its most frequent words."""
    w, of, m, _ = (np.asarray(part) for part in found.run.data.tokens)
    begin, end = np.searchsorted(of, [d, d + 1])
    counts = np.bincount(w[begin:end], m[begin:end], minlength=len(found.vocab))
    best = np.argsort(-counts, kind="stable")[:30]
    words = " ".join(found.vocab[best[counts[best] > 0]].tolist())
    titles = getattr(model, "doc_titles_", None)
    return words if titles is None else f"{titles[d]}: {words}"


def _options(n: int) -> list[str]:
    return [f"option {i + 1}" for i in range(n)]


def _numbered(table: pd.DataFrame) -> pd.DataFrame:
    table.insert(0, "question", np.arange(len(table)))
    return table
