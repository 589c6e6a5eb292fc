"""Topics found by words, and as pyLDAvis takes them."""

import difflib
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Num

__all__ = ["find_topics", "pyldavis"]


def find_topics(
    phi: Float[np.ndarray, "K V"], sizes: Num[np.ndarray, " K"], vocab: np.ndarray, text: str, n: int = 5
) -> pd.DataFrame:
    r"""The topics that some words belong to.

    Of each word the share of its occurrences that a topic has, :math:`p(k \mid v) \propto p_k \phi_{kv}`; their mean
    over the words that the vocabulary has. Case does not matter; a word that is not there stands for those that begin
    with it.

    Parameters
    ----------
    phi, sizes
        The topics, and how many tokens each has.
    vocab
        The words.
    text
        Words, with spaces between.
    n
        How many topics.

    Returns
    -------
    pandas.DataFrame
        Columns ``topic``, ``share``, and ``words``, those of the vocabulary that were looked for; the largest share
        first.

    Examples
    --------
    >>> phi = np.array([[0.6, 0.3, 0.1], [0.1, 0.1, 0.8]])
    >>> find_topics(phi, np.array([1, 1]), np.array(["cat", "purr", "dog"]), "Cat dog").round(2).values.tolist()
    [[1, 0.52, 'cat dog'], [0, 0.48, 'cat dog']]
    """
    if not isinstance(text, str):
        raise TypeError(f"give a text of one or more words, such as 'oil price'; got {text!r}")
    folded = [word.casefold() for word in np.asarray(vocab).tolist()]
    terms, found = text.casefold().split(), []
    whole = text.casefold().strip()
    for term in [whole] if whole in folded else terms:
        same = [v for v, word in enumerate(folded) if word == term]
        found += same or [v for v, word in enumerate(folded) if word.startswith(term)]
    if not found:
        like = difflib.get_close_matches(terms[0], folded, 3) if terms else []
        hint = f"; it has {', '.join(like)}" if like else ""
        raise ValueError(f"the vocabulary has none of these words: {text!r}{hint}")
    columns = np.unique(found)
    joint = np.asarray(phi, np.float64)[:, columns] * np.asarray(sizes, np.float64)[:, None]
    total = joint.sum(axis=0)
    share = (joint / np.where(total > 0, total, 1.0)).mean(axis=1)
    best = np.argsort(-share, kind="stable")[:n]
    words = " ".join(np.asarray(vocab)[columns].tolist())
    return pd.DataFrame({"topic": best, "share": share[best], "words": words})


def pyldavis(
    phi: Float[np.ndarray, "K V"],
    theta: Float[np.ndarray, "D K"],
    lengths: Num[np.ndarray, " D"],
    vocab: np.ndarray,
    frequency: Num[np.ndarray, " V"],
) -> dict[str, Any]:
    """The arguments of ``pyLDAvis.prepare``: without empty documents and words that never occur, which it cannot take.

    Examples
    --------
    >>> theta = np.array([[0.5, 0.5], [0.2, 0.8]])
    >>> found = pyldavis(np.eye(2, 3), theta, np.array([3, 0]), np.array(["a", "b", "c"]), np.array([2, 1, 0]))
    >>> found["vocab"], found["doc_topic_dists"].tolist()
    (['a', 'b'], [[0.5, 0.5]])
    """
    words, documents = np.asarray(frequency) > 0, np.asarray(lengths) > 0
    return {
        "topic_term_dists": _normalised(np.asarray(phi)[:, words]),
        "doc_topic_dists": _normalised(np.asarray(theta)[documents]),
        "doc_lengths": np.asarray(lengths)[documents].tolist(),
        "vocab": np.asarray(vocab)[words].tolist(),
        "term_frequency": np.asarray(frequency)[words].tolist(),
    }


def _normalised(rows: np.ndarray) -> np.ndarray:
    rows = np.maximum(np.asarray(rows, np.float64), 0)
    total = rows.sum(axis=1, keepdims=True)
    return np.where(total > 0, rows / np.where(total > 0, total, 1.0), 1 / max(rows.shape[1], 1))
