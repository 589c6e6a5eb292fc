"""Tokens with their topics, wherever they come from, put together as a corpus, priors and a sample."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Int64
from scipy import sparse

from jaxlda.corpora import priors
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._source import Source
from jaxlda.types import Counts, Data, Priors, Sample

__all__ = ["Imported", "assemble", "check_gaps", "check_room"]

LARGEST_TABLE = 1 << 31
"""Cells of the counts of documents and words x topics, which are dense."""


class Imported(NamedTuple):
    """A sample another program drew, in the order of ``corpus.tokens()``; unpacks into its three parts."""

    corpus: Corpus
    priors: Priors
    sample: Sample

    @property
    def data(self) -> Data:
        """What the estimators take beside the sample: ``corpus.data(priors=priors)``."""
        return self.corpus.data(priors=self.priors)


def assemble(
    d: Int64[np.ndarray, " N"],
    w: Int64[np.ndarray, " N"],
    z: Int64[np.ndarray, " N"],
    shape: tuple[int, int, int],
    *,
    alpha: Any,
    beta: Any,
    vocab: Any = None,
    titles: Any = None,
) -> Imported:
    """Document, word and topic of every token, in any order, as what the estimators take; ``shape`` is (D, V, K)."""
    D, V, K = shape
    check_room(D, V, K)
    made = priors.make(K, D, V, alpha, beta)
    matrix = sparse.coo_array((np.ones(d.size, np.int64), (d, w)), shape=(D, V))
    corpus = Corpus.from_counts(matrix, vocab, titles=titles)
    order = np.lexsort((w, d))  # that of Corpus.tokens; equal words keep theirs
    n_k = np.bincount(z, minlength=K).astype(np.int32)
    counts = Counts(*map(jnp.asarray, (_table(d, z, (D, K)), _table(w, z, (V, K)), n_k)))
    return Imported(corpus, made, Sample(counts, jnp.asarray(z[order].astype(np.int32))))


def _table(rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    return np.asarray(sparse.coo_array((np.ones(rows.size, np.int32), (rows, columns)), shape=shape).toarray())


def check_room(D: int, V: int, K: int) -> None:
    """Refuse what would not fit before anything is allocated for it."""
    if (D + V) * K > LARGEST_TABLE:
        raise ValueError(f"{D} documents and {V} words x {K} topics are more counts than the {LARGEST_TABLE} supported")


def check_gaps(source: Source, numbers: np.ndarray, noun: str, line: int) -> None:
    """Refuse numbers of which hardly any occur: no program leaves most of its documents or topics empty."""
    present, size = len(np.unique(numbers)), int(numbers.max()) + 1
    if size > 2 * present + 1000:
        raise source.error(
            line, f"{noun} {size - 1}, although only {present} different ones occur: the file is renumbered or damaged"
        )
