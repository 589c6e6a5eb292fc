"""Topics find their partners; what has none is split, merged or left alone, not forced."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from jaxlda.alignment import align, matching
from tests.alignment.examples import BLOCKS, METRICS, slow, topics

SEEDS = st.integers(0, 10**6)


@given(seed=SEEDS, K=st.integers(1, 12), metric=st.sampled_from(METRICS))
def test_recovers_a_permutation(seed, K, metric):
    phi, order = topics(seed, K), np.random.default_rng(seed).permutation(K)
    found = align(phi[order], phi, metric)
    np.testing.assert_array_equal(found.permutation, order)
    np.testing.assert_allclose(found.distances, 0, atol=1e-7)
    assert found.unmatched.size == found.unmatched_reference.size == 0 and found.splits == found.merges == ()


@given(seed=SEEDS, metric=st.sampled_from(METRICS))
@settings(max_examples=25)
def test_follows_permutations_of_both_sides(seed, metric):
    rng = np.random.default_rng(seed)
    a = topics(seed, 6)
    b = 0.7 * np.concatenate([a[:4], topics(seed + 1, 3)]) + 0.3 * topics(seed + 2, 7)
    i, j = rng.permutation(6), rng.permutation(7)
    plain, moved = align(a, b, metric), align(a[i], b[j], metric)
    partners = np.where(moved.permutation >= 0, j[moved.permutation], -1)
    np.testing.assert_array_equal(partners, plain.permutation[i])
    assert sorted(j[moved.unmatched]) == plain.unmatched.tolist()

    swapped = align(b, a, metric)
    pairs = {(k, p) for k, p in enumerate(plain.permutation.tolist()) if p >= 0}
    assert pairs == {(p, k) for k, p in enumerate(swapped.permutation.tolist()) if p >= 0}
    assert [m[:2] for m in swapped.merges] == [m[:2] for m in plain.splits]


@given(seed=SEEDS, shape=st.tuples(st.integers(1, 5), st.integers(1, 5)), cap=st.floats(0.1, 0.9))
def test_assignment_is_the_best_there_is(seed, shape, cap):
    d = np.random.default_rng(seed).random(shape)
    if shape[0] > shape[1]:
        d = d.T
    best = min(
        np.minimum(d[range(len(d)), list(p)], cap).sum() for p in itertools.permutations(range(d.shape[1]), len(d))
    )
    partner = matching.assign(d, cap)
    matched = np.flatnonzero(partner >= 0)
    taken = d[matched, partner[matched]]
    assert (taken <= cap).all() and len(set(partner[matched])) == len(matched)
    assert taken.sum() + cap * (len(d) - len(matched)) == pytest.approx(best)


@pytest.mark.parametrize("metric", METRICS)
def test_a_topic_of_one_side_is_not_forced(metric):
    found = align(BLOCKS[[0, 1, 2]], BLOCKS[[4, 0, 1]], metric)
    assert found.permutation.tolist() == [1, 2, -1]
    assert np.isnan(found.distances[2])
    assert found.unmatched_reference.tolist() == [2] and found.unmatched.tolist() == [0]
    assert found.splits == found.merges == ()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("share", [0.5, 0.7])
def test_splits_and_merges(metric, share):
    whole = share * BLOCKS[0] + (1 - share) * BLOCKS[1]
    noise = 0.05 * topics(0, 4, 24, 1.0)
    one = 0.95 * np.stack([BLOCKS[3], whole, BLOCKS[2]]) + noise[:3]
    other = 0.95 * np.stack([BLOCKS[1], BLOCKS[2], BLOCKS[3], BLOCKS[0]]) + noise
    found = align(one, other, metric)
    assert found.permutation[[0, 2]].tolist() == [2, 1] and found.merges == ()
    (split,) = found.splits
    assert split.topic == 1 and set(split.parts) == {0, 3}
    assert dict(zip(split.parts, split.shares, strict=True))[3] == pytest.approx(share, abs=0.03)
    assert split.distance < 0.6 * split.nearest
    mix = split.shares @ other[list(split.parts)]
    assert split.distance == pytest.approx(slow(one[1:2], mix[None], metric).item(), abs=1e-5)
    assert split.nearest == pytest.approx(slow(one[1:2], other, metric).min(), abs=1e-5)
    if share == 0.7:
        assert split.parts[0] == 3 == found.permutation[1]  # the larger part passes for the whole

    merged = align(other, one, metric)
    assert merged.merges == found.splits and merged.splits == ()


def test_halves_beyond_the_threshold_are_split_not_matched():
    found = align((BLOCKS[:1] + BLOCKS[1:2]) / 2, BLOCKS[:2], threshold=0.5)
    assert found.permutation.tolist() == [-1] and found.unmatched.tolist() == [0, 1]
    assert found.splits[0][:3] == (0, (0, 1), (0.5, 0.5))


def test_copies_are_parts():
    found = align(BLOCKS[:2], BLOCKS[[1, 0, 0]])
    assert found.splits[0][:3] == (0, (1, 2), (0.5, 0.5))
    uneven = 0.8 * BLOCKS[[0, 0]] + 0.2 * np.stack([BLOCKS[0], BLOCKS[5]])  # of which one explains the topic alone
    assert align(BLOCKS[:2], np.concatenate([BLOCKS[1:2], uneven])).splits[0][:2] == (0, (1, 2))


def test_a_mixture_that_gains_little_is_no_split():
    whole = 0.8 * BLOCKS[:1] + 0.2 * BLOCKS[1:2]
    partner = 0.8 * BLOCKS[0] + 0.2 * BLOCKS[3]
    for inside, parts in ((0.3, []), (0.6, [(0, 1)])):  # of the other, this much lies in the topic
        other = inside * BLOCKS[1] + (1 - inside) * BLOCKS[5]
        assert [split.parts for split in align(whole, np.stack([partner, other])).splits] == parts


def test_the_largest_share_comes_first():
    whole = 0.55 * BLOCKS[:1] + 0.45 * BLOCKS[1:2]
    (split,) = align(whole, np.stack([BLOCKS[1], 0.6 * BLOCKS[0] + 0.4 * BLOCKS[4]])).splits
    assert split.parts == (1, 0) and split.shares == (0.55, 0.45)  # though topic 0 is the nearer one


def test_what_is_left_over_need_not_be_a_part():
    a = topics(0, 20, 200)
    found = align(a[:10], 0.8 * a + 0.2 * topics(1, 20, 200))
    assert found.permutation.tolist() == list(range(10)) and found.unmatched.tolist() == list(range(10, 20))
    assert found.splits == found.merges == ()


def test_refuses():
    with pytest.raises(ValueError, match="threshold must be from 0 to 1"):
        align(BLOCKS, BLOCKS, threshold=1.5)
    with pytest.raises(ValueError, match="topic 0 of reference_phi has no mass"):
        align(0 * BLOCKS, BLOCKS)
