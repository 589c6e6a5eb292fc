"""Corpora cut up: which documents, which halves of their tokens, which words."""

import dataclasses
import math
import operator
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse

from jaxlda.corpora.callers import warn
from jaxlda.corpora.inputs import as_names
from jaxlda.corpora.written import Written

__all__ = ["Cutting", "half_counts", "rows_of", "split_rows"]


class Cutting:
    """The part of a corpus that gives others: of some of its documents, of some of its tokens, in other words."""

    counts: sparse.csr_array
    vocab: np.ndarray
    titles: tuple[str, ...] | None
    labels: sparse.csr_array | None
    doc_columns: Mapping[str, np.ndarray] | None
    written: Written | None

    if TYPE_CHECKING:

        @property
        def num_docs(self) -> int: ...  # noqa: D102

        @property
        def n_d(self) -> np.ndarray: ...  # noqa: D102

    def split(self, test_size: float | int = 0.2, seed: int = 0) -> tuple[Self, Self]:
        """Two corpora of different documents, drawn at random, each in the order of this one.

        Parameters
        ----------
        test_size
            The share of the documents for the second corpus (rounded up), or their number if it is an integer.
        seed
            Of ``numpy.random.default_rng``.

        Returns
        -------
        train, test

        Examples
        --------
        >>> from jaxlda import Corpus
        >>> train, test = Corpus.from_counts([[1], [2], [3], [4]]).split(test_size=0.25)
        >>> len(train), len(test)
        (3, 1)
        """
        train, test = split_rows(self.num_docs, test_size, seed)
        return self.subset(train), self.subset(test)

    def halves(self, seed: int = 0) -> tuple[Self, Self]:
        """Two corpora of the same documents: half of each document's tokens, and the rest.

        A bag of words has no order, so the tokens of each document are permuted at random (all from one stream of
        ``seed``); the first ⌊n_d/2⌋ are observed and the others held out, for document completion (Eqs. 55-56).
        Vocabulary, titles and labels stay.

        Returns
        -------
        observed, held

        Examples
        --------
        >>> from jaxlda import Corpus
        >>> observed, held = Corpus.from_counts([[2, 0, 1], [0, 3, 1]]).halves()
        >>> observed.n_d.tolist(), held.n_d.tolist()
        ([1, 2], [2, 2])
        >>> (observed.counts + held.counts).toarray().tolist()
        [[2, 0, 1], [0, 3, 1]]
        """
        observed = half_counts(self.counts, self.n_d, seed)
        return self._with_data(observed), self._with_data(self.counts.data - observed)

    def _with_data(self, values: np.ndarray) -> Self:
        x = self.counts
        counts = sparse.csr_array((values, x.indices, x.indptr), shape=x.shape, copy=True)
        counts.eliminate_zeros()
        return _changed(self, counts=counts, written=None)

    def subset(self, rows: Any) -> Self:
        """The chosen documents with their titles and labels, in the chosen order; the vocabulary stays.

        Parameters
        ----------
        rows
            Indices (repeated ones repeat the document, negative ones count from the end), a slice, or a mask ``(D,)``.

        Examples
        --------
        >>> from jaxlda import Corpus
        >>> Corpus.from_counts([[1], [2], [3]], titles=["a", "b", "c"]).subset([2, 0]).titles
        ('c', 'a')
        """
        index = rows_of(rows, self.num_docs)
        fields: dict[str, Any] = {"written": None if self.written is None else self.written.rows(index, self.n_d)}
        titles = None if self.titles is None else tuple(self.titles[d] for d in index)
        labels = None if self.labels is None else self.labels[index]
        columns = None if self.doc_columns is None else {name: x[index] for name, x in self.doc_columns.items()}
        fields |= {"counts": self.counts[index], "titles": titles, "labels": labels, "doc_columns": columns}
        return _changed(self, **fields)

    def select_words(self, vocab: Any, *, ignore: Collection[str] = ()) -> Self:
        """The corpus in another vocabulary, such as that of the model that will read it.

        Words that ``vocab`` lacks are dropped, with a warning that counts them; words that only ``vocab`` has get a
        column of zeros. A document may become empty.

        Parameters
        ----------
        vocab
            The words in the order of the new columns.
        ignore
            Words that are left out on purpose, such as stop words: nothing is said of them.

        Examples
        --------
        >>> from jaxlda import Corpus
        >>> Corpus.from_counts([[2, 1]], vocab=["cat", "dog"]).select_words(["ant", "dog", "cat"]).counts.toarray()
        array([[0, 1, 2]], dtype=int32)
        """
        words = as_names(vocab, "vocab")
        if np.array_equal(words, self.vocab):
            return self
        column = {word: v for v, word in enumerate(words.tolist())}
        target = np.array([column.get(word, -1) for word in self.vocab.tolist()], dtype=np.int32)
        coo = self.counts.tocoo()
        col = target[coo.col]
        kept = col >= 0
        unknown = (target < 0) & ~np.isin(self.vocab, list(ignore))
        if lost := int(coo.data[unknown[coo.col]].sum()):
            missing = np.unique(coo.col[unknown[coo.col]])
            warn(
                f"dropped {lost} of {lost + int(coo.data[kept].sum())} tokens: {missing.size} word(s), such as "
                f"{str(self.vocab[missing[0]])!r}, are not in the vocabulary"
            )
        shape = (self.num_docs, words.size)
        counts = sparse.csr_array((coo.data[kept], (coo.row[kept], col[kept])), shape=shape, dtype=np.int32)
        written = None if self.written is None else self.written.columns(target, words.size)
        return _changed(self, counts=counts, vocab=words, written=written)


def _changed(corpus: Any, **fields: Any) -> Any:
    return dataclasses.replace(corpus, **fields)


def rows_of(rows: Any, D: int) -> np.ndarray:
    """The numbers of chosen documents, or an error that says what is wrong with the choice.

    >>> rows_of([True, False, True], 3), rows_of([-1], 3)
    (array([0, 2]), array([2]))
    """
    index = np.arange(D)[rows] if isinstance(rows, slice) else np.atleast_1d(np.asarray(rows))
    if index.dtype == bool:
        if index.shape != (D,):
            raise ValueError(f"the mask has shape {index.shape}; expected one entry for each of {D} documents")
        index = np.flatnonzero(index)
    if index.size == 0:
        raise ValueError("no documents are selected")
    if index.dtype.kind not in "iu" or index.ndim != 1:
        raise TypeError(f"rows must be integers, a slice or a mask; got an array of {index.dtype} {index.shape}")
    if (outside := (index < -D) | (index >= D)).any():
        raise IndexError(f"document {int(index[np.argmax(outside)])} does not exist: the corpus has {D} documents")
    index = index.astype(np.int64)
    return np.where(index < 0, index + D, index)


def split_rows(D: int, test_size: float | int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The documents to train on, and those to test on.

    >>> [len(rows) for rows in split_rows(10, 0.2, 0)]
    [8, 2]
    """
    try:
        held = operator.index(test_size)  # type: ignore[arg-type]
    except TypeError:
        # Rounding first: a share like 0.1 is not exact, and its error must not become a document.
        held = math.ceil(round(test_size * D, 6)) if 0 < test_size < 1 else 0
    if isinstance(test_size, bool) or not 0 < held < D:
        raise ValueError(
            f"test_size = {test_size!r} leaves one side of the {D} document(s) empty; give a share between 0 and "
            f"1, or a number of documents below {D}"
        )
    order = np.random.default_rng(seed).permutation(D)
    return np.sort(order[: D - held]), np.sort(order[D - held :])


def half_counts(x: sparse.csr_array, n_d: np.ndarray, seed: int) -> np.ndarray:
    """How many of the tokens of each entry are in the first half of their document."""
    d = np.repeat(np.arange(x.shape[0]), n_d)
    entry = np.repeat(np.arange(x.nnz), x.data)
    order = np.lexsort((np.random.default_rng(seed).random(d.size), d))
    rank = np.arange(d.size) - np.repeat(np.cumsum(n_d, dtype=np.int64) - n_d, n_d)
    return np.bincount(entry[order[rank < n_d[d] // 2]], minlength=x.nnz).astype(np.int32)
