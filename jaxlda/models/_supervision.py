"""Which labelled documents can be learned from."""

import dataclasses
from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.corpora.corpus import Corpus

__all__ = ["UNLABELED", "trainable"]

UNLABELED = ("error", "skip")


def trainable(corpus: Corpus, labels: sparse.csr_array, unlabeled: Any) -> Corpus:
    """The corpus to learn from: documents with words but no labels are refused, or their words left out.

    Left out, a document stays as an empty one, so that rows still are those of the caller.

    >>> corpus = Corpus.from_counts([[1, 2], [3, 0]])
    >>> trainable(corpus, sparse.csr_array(np.array([[True], [False]])), "skip").n_d.tolist()
    [3, 0]
    """
    if not isinstance(unlabeled, str) or unlabeled not in UNLABELED:
        raise ValueError(f"unlabeled must be 'error' or 'skip'; got {unlabeled!r}")
    without = (np.diff(labels.indptr) == 0) & (corpus.n_d > 0)
    if not without.any():
        return corpus
    if unlabeled == "error":
        raise ValueError(
            f"{int(without.sum())} document(s) have no label, the first being document {int(np.argmax(without))}: no "
            "topic is left for their words. Label them, leave them out with Corpus.subset, or ignore their words with "
            "unlabeled='skip'"
        )
    counts = sparse.csr_array(corpus.counts.multiply(~without[:, None]), dtype=np.int32)
    counts.eliminate_zeros()
    if counts.nnz == 0:
        raise ValueError("no document has both words and labels: there is nothing to learn from")
    return dataclasses.replace(corpus, counts=counts)
