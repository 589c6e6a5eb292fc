"""Layouts, where no law of a kernel would notice a mistake."""

import numpy as np
import pytest

from jaxlda.kernels.layouts import tokens as layout
from jaxlda.types import Tokens


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_distinct_pairs_are_those_of_numpy_however_many_are_sorted_at_once(monkeypatch, at_once):
    monkeypatch.setattr(layout, "SORTED_AT_ONCE", at_once)
    random = np.random.default_rng(0)
    d = np.sort(random.integers(0, 9, 60)).astype(np.int32)
    w, m = random.integers(0, 4, 60).astype(np.int32), random.integers(0, 3, 60).astype(np.int32)
    pairs = np.unique(np.stack([d, w])[:, m > 0], axis=1)
    found_w, found_d, frequency = layout.distinct_pairs(Tokens(w, d, m, np.bincount(d, m)))
    assert np.array_equal([found_d, found_w], pairs)
    assert frequency.tolist() == [m[(d == i) & (w == v)].sum() for i, v in pairs.T]
    assert found_w.dtype == found_d.dtype == frequency.dtype == np.int32


def test_no_tokens_have_no_pairs():
    none = np.zeros(0, np.int32)
    assert [len(x) for x in layout.distinct_pairs(Tokens(none, none, none, none))] == [0, 0, 0]
