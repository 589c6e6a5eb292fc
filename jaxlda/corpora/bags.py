"""Documents as lists of ``(word, count)``, as gensim has them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["of_pairs", "words_of"]


def of_pairs(rows: Iterable[Any], numbers: np.ndarray, owner: str) -> sparse.coo_array:
    """Counts ``(D, V)`` of documents; ``numbers`` of words increase, and ``owner`` is who knows them, for errors."""
    documents = [list(row) for row in rows]
    d = np.repeat(np.arange(len(documents)), [len(row) for row in documents])
    try:
        pairs = np.array([tuple(pair) for row in documents for pair in row], np.float64).reshape(-1, 2)
    except (TypeError, ValueError):
        raise TypeError("a document of gensim is a list of pairs (number of a word, count)") from None
    column = np.searchsorted(numbers, pairs[:, 0])
    known = column < len(numbers)
    known[known] = numbers[column[known]] == pairs[known, 0]
    if not known.all():
        i = int(np.argmin(known))
        raise ValueError(f"document {d[i]} has word {pairs[i, 0]:g}, but {owner} has {len(numbers)} words")
    return sparse.coo_array((pairs[:, 1], (d, column)), shape=(len(documents), len(numbers)))


def words_of(dictionary: Any) -> tuple[np.ndarray, list[str]]:
    """The numbers of the words of a gensim ``Dictionary`` or of a mapping to words, in order, and the words.

    >>> words_of({3: "cat", 0: "ant"})
    (array([0, 3]), ['ant', 'cat'])
    """
    if not (isinstance(dictionary, Mapping) or (hasattr(dictionary, "keys") and hasattr(dictionary, "__getitem__"))):
        raise TypeError(
            f"dictionary must be a gensim Dictionary, or a mapping of numbers to words; got {type(dictionary).__name__}"
        )
    numbers = sorted(dictionary.keys())
    if not all(isinstance(number, int | np.integer) for number in numbers):
        raise TypeError("dictionary must map numbers to words; is it the other way round, such as dictionary.token2id?")
    return np.array(numbers, np.int64), [str(dictionary[number]) for number in numbers]
