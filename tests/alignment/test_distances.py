"""Distances are their formulas, precise where topics are alike, and cheap in memory."""

import tracemalloc

import hypothesis.strategies as st
import jax
import numpy as np
import pytest
from hypothesis import given, settings

from jaxlda.alignment import distance, distances, similarity
from tests.alignment.examples import METRICS, slow, topics

SEEDS = st.integers(0, 10**6)


@pytest.mark.parametrize("metric", METRICS)
class TestDistance:
    @given(seed=SEEDS, K=st.integers(1, 6), V=st.sampled_from([2, 7, 128, 129, 300]), zeros=st.booleans())
    @settings(max_examples=30)
    def test_is_its_formula(self, metric, seed, K, V, zeros):
        rng = np.random.default_rng(seed)
        a, b = topics(seed, K, V), topics(seed + 1, 4, V)
        if zeros:  # whole words that nobody uses, and words that one topic does not
            a[:, 1:] *= rng.random((K, V - 1)) < 0.5
            b[:, 1:] *= rng.random(V - 1) < 0.5
        a[:, 0] += 0.01
        b[:, 0] += 0.01
        a, b = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
        b[-1] = a[0]
        d = distance(a, b, metric)
        np.testing.assert_allclose(d, slow(a, b, metric), atol=5e-6)
        assert d.dtype == np.float64 and (d >= 0).all() and (d <= 1).all()
        assert d[0, -1] < 1e-7
        np.testing.assert_allclose(distance(b, a, metric), d.T, atol=1e-7)

    def test_small_distances_are_precise(self, metric):
        a = topics(0, K=4, V=2000) + 1e-6
        b = a * (1 + 1e-3 * np.random.default_rng(1).normal(size=a.shape))
        a, b = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
        d, expected = np.diag(distance(a, b, metric)), np.diag(slow(a, b, metric))
        assert (expected < 1e-3).all()
        np.testing.assert_allclose(d, expected, rtol=1e-4)

    @given(seed=SEEDS)
    @settings(max_examples=10)
    def test_follows_permutations_and_ignores_scale(self, metric, seed):
        rng = np.random.default_rng(seed)
        a, b = topics(seed, 4), topics(seed + 1, 6)
        i, j, v = rng.permutation(4), rng.permutation(6), rng.permutation(40)
        d = distance(a, b, metric)
        np.testing.assert_allclose(distance(a[i], b[j], metric), d[np.ix_(i, j)], atol=1e-7)
        np.testing.assert_allclose(distance(a[:, v], b[:, v], metric), d, atol=5e-6)  # sums in another order
        np.testing.assert_allclose(distance(a * 37, b / 5, metric), d, atol=5e-6)

    def test_threads_change_nothing(self, metric, monkeypatch):
        a, b = topics(0, 7, 300), topics(1, 3, 300)
        d = distance(a, b, metric)
        monkeypatch.setattr(distances, "PARALLEL", 0)
        np.testing.assert_array_equal(distance(a, b, metric), d)

    def test_float32_jax_and_counts(self, metric):
        a = topics(3)
        expected = slow(a, a, metric)
        np.testing.assert_allclose(distance(jax.numpy.asarray(a), a.astype(np.float32), metric), expected, atol=1e-3)
        counts = np.random.default_rng(0).poisson(3, (3, 20)) + np.eye(3, 20, dtype=int)
        np.testing.assert_allclose(
            distance(counts, counts, metric), slow(*[counts / counts.sum(1, keepdims=True)] * 2, metric), atol=5e-6
        )

    def test_holds_no_array_of_pairs_times_words(self, metric):
        a, b = (topics(seed, 150, 2000).astype(np.float32) for seed in (0, 1))
        tracemalloc.start()
        distance(a, b, metric)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 30e6 < 150 * 150 * 2000 * 4

    def test_known_values(self, metric):
        half = np.array([[0.5, 0.5, 0]]), np.array([[0.5, 0, 0.5]])
        assert similarity(distance(*half, metric), metric).item() == pytest.approx(0.5, abs=1e-6)
        assert distance([[1, 0]], [[0, 1]], metric).item() == pytest.approx(1, abs=1e-6)


def test_divergence_by_word_adds_up():
    a, b = topics(0), topics(1)
    parts = distances.divergence_by_word(a, b)
    assert (parts >= 0).all()
    np.testing.assert_allclose(parts.sum(1), np.diag(slow(a, b, "jensen_shannon")) ** 2, rtol=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "metric", "message"),
    [
        ([[1, 0]], [[1, 0, 0]], "cosine", "different words: phi_a has 2, phi_b has 3"),
        ([[1, 0], [0, 0]], [[1, 0]], "cosine", "topic 1 of phi_a has no mass"),
        ([[1, 0]], [[0.5, np.nan]], "cosine", "topic 0 has nan for word 1"),
        ([[1, 0]], [[0.5, -0.5]], "cosine", "topic 0 has -0.5 for word 1"),
        ([1, 0], [[1, 0]], "cosine", r"row for each topic.* got shape \(2,\)"),
        ([[1, 0]], [[1, 0]], "euclid", "'jensen_shannon', 'hellinger' or 'cosine'; got 'euclid'"),
        ([["x"]], [[1]], "cosine", "phi_a must be an array of numbers"),
    ],
)
def test_distance_refuses(a, b, metric, message):
    with pytest.raises((ValueError, TypeError), match=message):
        distance(a, b, metric)
