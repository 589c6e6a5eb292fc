"""Tokens that are not written out: of a share of the documents, only that share ever is."""

from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.types import Data, Tokens

__all__ = ["Repeated", "as_read", "unwritten", "written_out"]


class Repeated:
    """Numbers, each repeated so many times: an array ``(N,)`` in int32 that is written out where it is read.

    NumPy takes it for an array, and a slice of it is one. JAX does not: see :func:`written_out`.

    >>> x = Repeated(np.array([5, 7, 8]), np.array([2, 1, 3]))
    >>> x[1:4].tolist(), np.asarray(x).tolist(), len(x)
    ([5, 7, 8], [5, 5, 7, 8, 8, 8], 6)
    """

    dtype, ndim = np.dtype(np.int32), 1

    def __init__(self, values: np.ndarray, times: np.ndarray):
        self.values, self.times = np.asarray(values, np.int32), times
        self.shape = (int(times.sum(dtype=np.int64)),)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.repeat(self.values, self.times).astype(self.dtype if dtype is None else dtype, copy=False)

    def __getitem__(self, part: slice) -> np.ndarray:
        first, last, _ = part.indices(len(self))
        ends = np.cumsum(self.times, dtype=np.int64)
        i, j = np.searchsorted(ends, first, side="right"), np.searchsorted(ends, last) + 1
        before = int(ends[i - 1]) if i else 0
        return np.repeat(self.values[i:j], self.times[i:j])[first - before : last - before]


def unwritten(counts: sparse.csr_array, n_d: np.ndarray) -> Tokens:
    """The tokens that documents are counts of, without the memory of any.

    >>> [np.asarray(x).tolist() for x in unwritten(sparse.csr_array([[2, 0], [1, 1]]), np.array([2, 2]))]
    [[0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1], [2, 2]]
    """
    columns: Any = (
        Repeated(counts.indices, counts.data),
        Repeated(np.arange(len(n_d)), n_d),
        Repeated(np.ones(1), n_d.sum(keepdims=True)),
        np.asarray(n_d, np.int32),
    )
    return Tokens(*columns)


def as_read(x: Any) -> Any:
    """An array on the host, written out or not.

    >>> as_read([1, 2]).tolist()
    [1, 2]
    """
    return x if isinstance(x, Repeated) else np.asarray(x)


def written_out(data: Data) -> Data:
    """The data with their tokens written out on the host, if they are not; no memory is taken for one repeated number.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 0], [1, 1]]).data(num_topics=2, whole=False)
    >>> [x.tolist() for x in written_out(data).tokens[:3]]
    [[0, 0, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]]
    """
    return data._replace(tokens=Tokens(*map(_written_out, data.tokens)))


def _written_out(x: Any) -> Any:
    if not isinstance(x, Repeated):
        return x
    return np.broadcast_to(x.values, x.shape) if len(x.values) == 1 else np.asarray(x)
