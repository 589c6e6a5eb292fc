"""How often words occur, alone and together: in documents, or in a window that slides over them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64
from scipy import sparse

__all__ = ["Occurrences", "in_documents", "in_windows"]

_PIECE = 1 << 22  # entries of the matrix of windows and words held at once


class Occurrences(NamedTuple):
    """In how many documents or windows each word occurs, and each pair of words."""

    total: int
    """Documents, or windows."""
    single: Int64[np.ndarray, " T"]
    keys: Int64[np.ndarray, " pairs"]
    """Of the pairs that occur: ``i * T + j``, increasing, in both orders, and each word with itself."""
    joint: Int64[np.ndarray, " pairs"]

    def together(self, i: Int64[np.ndarray, "..."], j: Int64[np.ndarray, "..."]) -> Int64[np.ndarray, "..."]:
        """In how many both words occur; arrays are broadcast.

        >>> found = in_documents(sparse.csr_array(np.array([[1, 2], [0, 1]])))
        >>> found.single.tolist(), found.together(np.array([0, 1]), np.array([1, 1])).tolist()
        ([1, 2], [1, 2])
        """
        wanted = i * self.single.size + j
        place = np.minimum(np.searchsorted(self.keys, wanted), max(self.keys.size - 1, 0))
        found = self.keys[place] == wanted if self.keys.size else np.zeros(wanted.shape, bool)
        return np.where(found, self.joint[place] if self.keys.size else 0, 0)


def in_documents(counts: Any) -> Occurrences:
    """Occurrences in documents.

    Parameters
    ----------
    counts
        A sparse matrix ``(D, T)``: a column for each word that is asked about.
    """
    present = sparse.csr_array(counts > 0).astype(np.int64)
    return _of(present.shape[0], present.T @ present)


def in_windows(texts: Iterable[Sequence[str]], words: Mapping[str, int], size: int | None) -> Occurrences:
    """Occurrences in a window that slides over texts, a word at a time; shorter texts are one window each.

    Parameters
    ----------
    texts
        The words of each text, in order.
    words
        The words that are asked about, with their numbers from 0.
    size
        Of the window, in words; ``None``: each text is a window.

    Examples
    --------
    >>> found = in_windows([["cat", "sat", "dog", "dog"]], {"cat": 0, "dog": 1}, 2)
    >>> found.total, found.single.tolist(), found.together(np.array(0), np.array(1)).item()
    (3, [1, 2], 0)
    """
    T, total = len(words), 0
    joint = sparse.csr_array((T, T), dtype=np.int64)
    for rows, columns, number in _pieces(texts, words, size):
        present = sparse.csr_array((np.ones(rows.size, np.int64), (rows, columns)), shape=(number, T))
        joint = joint + present.T @ present
        total += number
    return _of(total, joint)


def _of(total: int, joint: Any) -> Occurrences:
    joint = sparse.csr_array(joint)
    joint.sort_indices()
    T = joint.shape[0]
    keys = np.repeat(np.arange(T, dtype=np.int64), np.diff(joint.indptr)) * T + joint.indices
    return Occurrences(int(total), joint.diagonal().astype(np.int64), keys, joint.data.astype(np.int64))


def _pieces(
    texts: Iterable[Sequence[str]], words: Mapping[str, int], size: int | None
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Windows and the words in them, each pair once, for some texts at a time; and how many windows these have."""
    rows: list[np.ndarray] = []
    columns: list[np.ndarray] = []
    held = number = 0
    for text in texts:
        window, word, windows = _windows(text, words, size)
        rows.append(window + number)
        columns.append(word)
        held, number = held + window.size, number + windows
        if held >= _PIECE:
            yield np.concatenate(rows), np.concatenate(columns), number
            rows, columns, held, number = [], [], 0, 0
    if number:
        yield np.concatenate(rows), np.concatenate(columns), number


def _windows(
    text: Sequence[str], words: Mapping[str, int], size: int | None
) -> tuple[Int64[np.ndarray, " n"], Int64[np.ndarray, " n"], int]:
    """The windows of a text and the words in them, each pair once."""
    length = len(text)
    size = max(length, 1) if size is None else size
    windows = max(1, length - size + 1)
    number = np.fromiter((words.get(word, -1) for word in text), np.int64, length)
    place = np.flatnonzero(number >= 0)
    place = place[np.argsort(number[place], kind="stable")]
    word = number[place]
    first, last = np.maximum(place - size + 1, 0), np.minimum(place, windows - 1)
    # A window that has a word twice counts once: the second time begins where the first has ended.
    again = word[1:] == word[:-1]
    first[1:][again] = np.maximum(first[1:][again], last[:-1][again] + 1)
    many = np.maximum(last - first + 1, 0)
    begins = np.repeat(first - (np.cumsum(many) - many), many)
    return begins + np.arange(int(many.sum())), np.repeat(word, many), windows
