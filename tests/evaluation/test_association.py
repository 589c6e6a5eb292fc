"""Word association against sums over topics written out, and a ranking by SciPy."""

import numpy as np
import pytest
from scipy import stats

from jaxlda.evaluation import association, association_probabilities, association_ranks

PHI = np.random.default_rng(0).dirichlet(np.full(30, 0.3), size=4)


def p(phi, w2, w1):
    """Eq. 57 as it stands."""
    return sum(phi[k, w2] * phi[k, w1] / sum(phi[j, w1] for j in range(len(phi))) for k in range(len(phi)))


def test_probabilities_are_those_of_the_equation():
    found = association_probabilities(PHI, [3, 17])
    assert found.shape == (2, 30)
    np.testing.assert_allclose(found, [[p(PHI, w, cue) for w in range(30)] for cue in (3, 17)], rtol=1e-12)
    np.testing.assert_allclose(found.sum(1), 1, rtol=1e-12)


def test_ranks_are_those_among_all_other_words(monkeypatch):
    monkeypatch.setattr(association, "_CUES", 2)  # several chunks
    phi = PHI.copy()
    phi[:, 5] = phi[:, 6]  # two words that are always equally likely
    cues, targets = np.array([0, 7, 0, 9, 11, 12, 7]), np.array([5, 6, 1, 0, 29, 5, 8])
    expected = []
    for cue, target in zip(cues, targets, strict=True):
        others = [w for w in range(30) if w != cue]
        ranks = stats.rankdata([-round(p(phi, w, cue), 12) for w in others])
        expected.append(ranks[others.index(target)])
    found = association_ranks(phi, cues, targets)
    assert found.tolist() == expected
    assert found[0] % 1 == 0.5, "equally likely words share their place"


def test_no_pairs():
    assert association_ranks(PHI, [], []).shape == (0,)


def test_the_numbering_of_topics_does_not_matter():
    cues, targets = np.arange(10), np.arange(10) + 5
    np.testing.assert_array_equal(association_ranks(PHI[::-1], cues, targets), association_ranks(PHI, cues, targets))


@pytest.mark.parametrize(
    ("phi", "cues", "targets", "error", "message"),
    [
        (PHI[0], [0], [1], ValueError, r"phi must be an array \(K, V\) of probabilities; got one of shape \(30,\)"),
        (-PHI, [0], [1], ValueError, "of probabilities"),
        (PHI * np.nan, [0], [1], ValueError, "of probabilities"),
        (PHI, [0.5], [1], TypeError, "cues must be columns of phi, whole numbers in one dimension; got float64"),
        (PHI, [0], [[1]], TypeError, "targets must be columns of phi, whole numbers in one dimension"),
        (PHI, [0], [30], ValueError, "targets must be columns of phi, from 0 to 29; got 30 to 30"),
        (PHI, [-1], [3], ValueError, "cues must be columns of phi, from 0 to 29; got -1 to -1"),
        (PHI, [0, 1], [3], ValueError, "cues and targets are pairs, but there are 2 and 1 of them"),
        (PHI, [0, 4], [3, 4], ValueError, "pair 1 has the word 4 as cue and as target"),
        (PHI * (np.arange(30) > 2), [3, 2], [4, 5], ValueError, "no topic has the word 2, so nothing follows from it"),
    ],
)
def test_mistakes_are_explained(phi, cues, targets, error, message):
    with pytest.raises(error, match=message):
        association_ranks(phi, cues, targets)
