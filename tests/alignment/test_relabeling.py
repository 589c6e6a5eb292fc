"""Relabelling undoes any renumbering of topics, and says so where it cannot."""

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.alignment import align, align_all, relabel
from jaxlda.types import Counts, Sample
from tests.alignment.examples import BLOCKS, topics


def test_a_renumbered_sample_comes_back(bars):
    sample = bars.run_.chain(0)
    order = np.random.default_rng(0).permutation(10)
    counts = Counts(*(np.asarray(field)[..., order] for field in sample.counts))
    renumbered = Sample(counts, np.argsort(order)[np.asarray(sample.z)])
    phi = [np.asarray(jaxlda.estimators.phi(c, bars.run_.data)) for c in (sample.counts, counts)]
    back = relabel(renumbered, align(*phi).permutation)
    for field, expected in zip((*back.counts, back.z), (*sample.counts, sample.z), strict=True):
        assert isinstance(field, jax.Array) and field.dtype == expected.dtype
        np.testing.assert_array_equal(field, expected)
    assert relabel(Sample(counts, None), align(*phi).permutation).z is None


def test_all_chains_at_once(bars):
    phi, theta = (np.stack([bars.estimates(kind, chain=c) for c in range(4)]) for kind in ("phi", "theta"))
    permutations = align_all(phi).permutations
    phi_after, theta_after = relabel(phi, permutations, axis=-2), relabel(theta, permutations, axis=-1)
    sample = relabel(bars.run_.sample, permutations)
    for c, order in enumerate(permutations):
        np.testing.assert_array_equal(phi_after[c], phi[c][order])
        np.testing.assert_array_equal(theta_after[c], theta[c][:, order])
        np.testing.assert_array_equal(sample.counts.n_vk[c], bars.run_.chain(c).counts.n_vk[:, order])
        np.testing.assert_array_equal(np.bincount(sample.z[c], minlength=10), sample.counts.n_k[c])
    assert np.ptp(theta_after, axis=0).mean() < np.ptp(theta, axis=0).mean() / 2  # the chains now speak of the same


def test_permutations_of_chains_fit_their_draws():
    draws = topics(0, 2 * 3 * 4, 5).reshape(2, 3, 4, 5)
    permutations = np.array([[3, 0, 1, 2], [0, 1, 3, 2]])
    moved = relabel(draws, permutations, axis=2)
    each = np.repeat(permutations[:, None], 3, axis=1)
    np.testing.assert_array_equal(moved, relabel(draws, each, axis=-2))
    for c, s in np.ndindex(2, 3):
        np.testing.assert_array_equal(moved[c, s], draws[c, s][permutations[c]])


def test_topics_without_a_partner_are_nan():
    found = align(BLOCKS[:3], BLOCKS[[1, 4, 0, 5]])
    theta = topics(0, 7, 4).astype(np.float32)
    moved = relabel(theta, found.permutation, axis=1)
    assert moved.dtype == np.float32 and moved.shape == (7, 3)
    np.testing.assert_array_equal(moved[:, :2], theta[:, [2, 0]])
    assert np.isnan(moved[:, 2]).all()
    counts = Counts(np.ones((2, 4)), np.ones((5, 4)), np.ones(4))
    assert np.isnan(relabel(counts, found.permutation).n_vk).any(axis=0).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("x", "permutation", "axis", "message"),
    [
        (np.ones((4, 3)), [0, 1, 2], None, "which axis of the array holds the topics"),
        (np.ones((4, 3), int), [0, -1, 2], 1, r"1 topic\(s\) have no partner, which int64 has no number for"),
        (np.ones((4, 3)), [0, 1, 3], 1, "the permutation has topics 0 to 3, x has 3"),
        (np.ones((4, 3)), [0, -2], 1, "the permutation has topics -2 to 0, x has 3"),
        (np.ones((4, 3)), [[0, 1, 2]], 1, r"begins with \(1,\)"),
        (np.ones((4, 3)), [[0, 1, 2]] * 4, 0, "an axis of topics after that"),
        (np.ones((4, 3)), [0, 1, 2], 2, r"got shape \(4, 3\)"),
        (np.ones((4, 3)), [0.0, 1.0], 1, "holds the numbers of topics"),
        (Sample(Counts(np.ones((1, 3)), np.ones((2, 3)), np.ones(3)), np.zeros(3, int)), [0, -1, 2], None, "z can be"),
        (Sample(Counts(np.ones((1, 3)), np.ones((2, 3)), np.ones(3)), np.zeros(3, int)), [0, 1], None, "z can be"),
    ],
)
def test_refuses(x, permutation, axis, message):
    with pytest.raises((ValueError, TypeError), match=message):
        relabel(x, permutation, axis)
