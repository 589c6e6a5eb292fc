"""Whether two corpora are the same, and a digest of what one holds."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["fingerprint", "plain", "same"]


def fingerprint(corpus: Any, columns: Iterable[str] = ()) -> str:
    """A digest of the counts and the words, and of these columns of the metadata: another corpus has another.

    >>> from jaxlda import Corpus
    >>> fingerprint(Corpus.from_counts([[1, 2]])) == fingerprint(Corpus.from_counts([[2, 1]]))
    False
    """
    digest = hashlib.sha256(repr((corpus.counts.shape, corpus.vocab.tolist())).encode())
    for array in (corpus.counts.indptr, corpus.counts.indices, corpus.counts.data):
        digest.update(np.ascontiguousarray(array, "<i8").tobytes())
    for name in columns:
        digest.update(repr((name, np.asarray((corpus.doc_columns or {}).get(name)).tolist())).encode())
    return digest.hexdigest()


def plain(value: Any) -> Any:
    """A field of a corpus in one form for one content, which pickles to the same bytes.

    A matrix is its shape and arrays: SciPy notes beside them what it has found out, and chooses the size of indices.
    Texts are as wide as the longest.
    """
    if isinstance(value, sparse.csr_array):
        index = np.int32 if max(value.nnz, *value.shape) < 2**31 else np.int64
        return value.shape, value.data, *(np.asarray(x, index) for x in (value.indices, value.indptr))
    if isinstance(value, np.ndarray) and value.dtype.kind == "U":
        return np.array(value.tolist(), str)
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two fields have the same content; missing numbers (NaN) are the same.

    >>> same({"year": np.array([1984.0, np.nan])}, {"year": np.array([1984.0, np.nan])})
    True
    """
    if isinstance(one, sparse.csr_array) and isinstance(other, sparse.csr_array):
        return same(plain(one), plain(other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
            return False
        if one.dtype.kind == "O":
            return all(map(same, one.ravel().tolist(), other.ravel().tolist()))
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fcmM"))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(type(one) is type(other) and (one == other or (one != one and other != other)))
