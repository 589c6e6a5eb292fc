"""Topics that are given, not learned: whether they are distributions, and whether a corpus is possible under them."""

from typing import Any

import numpy as np

from jaxlda.corpora.numbers import distributions

__all__ = ["check_possible", "known_topics"]


def known_topics(phi: Any, K: int, corpus: Any) -> np.ndarray:
    """Topics ``(K, V)`` under which every word of the corpus is possible, or an error that says what is wrong."""
    topics = np.array(phi, dtype=np.float32)
    if topics.shape != (K, corpus.num_words):
        raise ValueError(f"phi has shape {topics.shape}; expected (K, V) = ({K}, {corpus.num_words})")
    distributions(topics, "phi", "words")
    impossible = np.setdiff1d(corpus.counts.indices, np.flatnonzero(topics.any(axis=0)))
    if impossible.size:
        raise ValueError(
            f"{impossible.size} word(s) of the corpus, such as {str(corpus.vocab[impossible[0]])!r}, have "
            "probability 0 under every topic of phi, which makes their tokens impossible; estimate phi with "
            "beta > 0, or leave the words out"
        )
    return topics


def check_possible(topics: np.ndarray, alpha: np.ndarray, corpus: Any) -> None:
    """Refuse words that have no probability under any topic their document allows."""
    if alpha.ndim == 1 or alpha.all() or topics.all():
        return
    d = np.repeat(np.arange(corpus.num_docs), np.diff(corpus.counts.indptr))
    for start in range(0, len(d), 1 << 16):  # a piece at a time: pairs x topics
        some = slice(start, start + (1 << 16))
        stuck = ~((alpha[d[some]] > 0) & (topics.T[corpus.counts.indices[some]] > 0)).any(axis=1)
        if stuck.any():
            pair = start + int(np.argmax(stuck))
            word, document = str(corpus.vocab[corpus.counts.indices[pair]]), int(d[pair])
            raise ValueError(
                f"the word {word!r} of document {document} has probability 0 under every topic that alpha allows "
                "there, which makes its tokens impossible; estimate phi with beta > 0, or allow the document more "
                "topics"
            )
