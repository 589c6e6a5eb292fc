"""Tokens that are not written out read as those that are, whole or in part."""

import numpy as np
import pytest

import jaxlda
from jaxlda.corpora.repeated import Repeated, written_out
from jaxlda.running.checking import same_arrays


@pytest.mark.parametrize("seed", range(3))
def test_a_part_is_that_of_the_whole(seed):
    random = np.random.default_rng(seed)
    values, times = random.integers(0, 9, 20), random.integers(0, 4, 20)
    whole, repeated = np.repeat(values, times), Repeated(values, times)
    assert repeated.shape == whole.shape
    for first, last in random.integers(0, len(whole) + 1, (50, 2)):
        np.testing.assert_array_equal(repeated[first:last], whole[first:last])
    np.testing.assert_array_equal(repeated[:], whole)
    np.testing.assert_array_equal(repeated, whole)


def test_nothing_repeated_is_nothing():
    nothing = Repeated(np.zeros(0), np.zeros(0, int))
    assert len(nothing) == 0 and nothing[:].shape == (0,)


@pytest.mark.parametrize("counts", [[[2, 0, 1], [0, 0, 0], [0, 3, 0]], [[0, 1]]])
def test_data_written_out_are_those_of_the_corpus(counts):
    corpus = jaxlda.Corpus.from_counts(counts)
    lean = corpus.data(num_topics=2, whole=False)
    assert same_arrays(written_out(lean), corpus.data(num_topics=2))
