"""Small corpora and checks that several tests share."""

from typing import Any

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
from scipy import sparse

from jaxlda.corpora.corpus import Corpus


def matrices(max_count: int = 4) -> st.SearchStrategy[np.ndarray]:
    """Count matrices with at least one token; empty documents and unused words are common."""
    shape = st.tuples(st.integers(1, 6), st.integers(1, 6))
    return shape.flatmap(lambda s: hnp.arrays(np.int64, s, elements=st.integers(0, max_count))).filter(np.any)


def small(**more: Any) -> Corpus:
    """Three documents over the words a, b, c; the second is empty."""
    return Corpus.from_counts([[2, 0, 1], [0, 0, 0], [0, 3, 1]], ["a", "b", "c"], **more)


def assert_canonical(x: sparse.csr_array, dtype: Any = np.int32) -> None:
    """Fail unless the matrix is sorted, free of duplicates and of stored zeros."""
    assert isinstance(x, sparse.csr_array) and x.dtype == dtype
    fresh = sparse.csr_array((x.data, x.indices, x.indptr), shape=x.shape)  # whose flags are computed, not inherited
    assert fresh.has_canonical_format
    assert (x.data != 0).all()
