"""R-hat, effective sample sizes and standard errors are ArviZ's own; what cannot be assessed is NaN."""

import warnings
from contextlib import suppress

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import rankdata

from jaxlda import diagnostics
from jaxlda.diagnostics.scores import split_rhat


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return pytest.importorskip("arviz")


def correlated(rho, shape, rng):
    """Stationary chains whose draws remember a share rho of the one before."""
    draws = rng.normal(size=shape)
    for s in range(1, shape[1]):
        draws[:, s] = rho * draws[:, s - 1] + np.sqrt(1 - rho**2) * draws[:, s]
    return draws


def test_halves_that_stand_still_are_infinitely_far_apart():
    """And nobody is warned of a division by zero."""
    assert diagnostics.rhat(np.array([[1.0, 1, 1, 2, 2, 2], [1, 1, 1, 2, 2, 2]])) == np.inf


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_equal_to_arviz(arviz, shift):
    draws = correlated(0.3, (4, 60), np.random.default_rng(0)) + shift * np.arange(4)[:, None]
    assert diagnostics.rhat(draws) == pytest.approx(float(arviz.rhat(draws)), abs=1e-6)
    assert diagnostics.ess(draws) == pytest.approx(float(arviz.ess(draws)), abs=1e-6)
    tail = float(arviz.ess(draws, method="tail", prob=(0.05, 0.95)))
    assert diagnostics.ess(draws, "tail") == pytest.approx(tail, abs=1e-6)
    assert diagnostics.mcse(draws) == pytest.approx(float(arviz.mcse(draws)), abs=1e-6)
    assert (diagnostics.rhat(draws) > 1.5) == (shift > 0)


@pytest.mark.parametrize(
    "draws",
    [
        np.ones((4, 50)),
        np.repeat(np.arange(4.0)[:, None], 50, axis=1),  # stuck, each at a place of its own
        np.random.default_rng(0).normal(size=(4, 3)),
        np.full((2, 50), np.nan),
        np.full((2, 50), np.inf),
        np.empty((4, 0)),
    ],
)
def test_what_cannot_be_assessed_is_nan(draws):
    for value in (diagnostics.rhat(draws), diagnostics.ess(draws), diagnostics.ess(draws, "tail")):
        assert np.isnan(value)
    assert np.isnan(diagnostics.mcse(draws))


def test_one_chain_has_no_rhat():
    draws = np.random.default_rng(0).normal(size=(1, 50))
    assert np.isnan(diagnostics.rhat(draws)) and diagnostics.ess(draws) > 10


class TestNested:
    GROUPS = np.arange(12) % 4

    def by_definition(self, draws, groups):
        """Equations 6 to 8 of Margossian et al. (2024), of halves of chains and their normal scores."""
        parts = np.concatenate([draws[:, : draws.shape[1] // 2], draws[:, -(draws.shape[1] // 2) :]])
        found = []
        for x in (parts, np.abs(parts - np.median(parts))):
            z = ndtri((rankdata(x).reshape(x.shape) - 3 / 8) / (x.size + 1 / 4))
            own = [z[np.tile(groups, 2) == k] for k in np.unique(groups)]
            between = np.var([one.mean() for one in own], ddof=1)
            within = np.mean([one.mean(axis=1).var(ddof=1) + one.var(axis=1, ddof=1).mean() for one in own])
            found.append(np.sqrt(1 + between / within))
        return max(found)

    @pytest.mark.parametrize("S", [6, 31])
    def test_by_its_definition(self, S):
        draws = np.random.default_rng(0).normal(size=(12, S))
        draws[self.GROUPS == 2] += 1
        assert diagnostics.rhat_nested(draws, self.GROUPS) == pytest.approx(self.by_definition(draws, self.GROUPS))
        with suppress(ImportError):  # ArviZ 0.23 has none
            from arviz_stats.base import array_stats

            theirs = array_stats.rhat_nested(draws, superchain_ids=self.GROUPS, method="rank")
            assert diagnostics.rhat_nested(draws, self.GROUPS) == pytest.approx(float(theirs))

    def test_groups_apart_and_chains_apart(self):
        rng, groups = np.random.default_rng(1), np.arange(64) // 8
        draws = rng.normal(size=(64, 10))
        assert diagnostics.rhat_nested(draws, groups) < 1.03
        assert diagnostics.rhat_nested(draws + 3 * groups[:, None], groups) > 2
        places = 3 * rng.normal(size=(64, 1))  # each chain at its own: what nested R-hat is not made to see
        assert 1.02 < diagnostics.rhat_nested(draws + places, groups) < 1.3 < diagnostics.rhat(draws + places)

    def test_what_cannot_be_told(self):
        for draws in (np.ones((12, 9)), np.random.default_rng(0).normal(size=(12, 3)), np.full((12, 9), np.nan)):
            assert np.isnan(diagnostics.rhat_nested(draws, self.GROUPS))

    @pytest.mark.parametrize("groups", [np.arange(11), np.zeros(12), [0] * 5 + [1] * 7, np.zeros((12, 1))])
    def test_groups_that_are_none(self, groups):
        with pytest.raises(ValueError, match="groups must number each of the 12 chains"):
            diagnostics.rhat_nested(np.ones((12, 9)), groups)


def test_unknown_method():
    with pytest.raises(ValueError, match="'bulk' or 'tail'; got 'belly'"):
        diagnostics.ess(np.ones((2, 9)), "belly")


class TestAutocorrelation:
    def test_by_its_definition(self):
        x = np.random.default_rng(0).normal(size=(2, 9)).cumsum(axis=1)
        centred = x - x.mean(axis=1, keepdims=True)
        direct = [[(c[: 9 - t] * c[t:]).sum() / (c * c).sum() for t in range(5)] for c in centred]
        np.testing.assert_allclose(diagnostics.autocorrelation(x, 4), direct, atol=1e-12)
        assert diagnostics.autocorrelation(x).shape == (2, 9)

    def test_what_does_not_move(self):
        x = np.stack([np.full(20, 0.1), np.arange(20.0)])
        assert np.isnan(diagnostics.autocorrelation(x)[0]).all()
        assert diagnostics.autocorrelation(x)[1, 0] == 1
        assert np.isnan(diagnostics.correlation_time(np.full((3, 20), 0.1)))
        assert np.isnan(diagnostics.correlation_time(np.ones((3, 1))))

    @pytest.mark.parametrize("rho", [0.0, 0.5, 0.8])
    def test_time_of_a_known_process(self, rho):
        """(1 + rho) / (1 - rho), whatever the places of the chains; a standard error is about 5 % here."""
        x = correlated(rho, (8, 4000), np.random.default_rng(1)) + 100 * np.arange(8)[:, None]
        assert diagnostics.correlation_time(x) == pytest.approx((1 + rho) / (1 - rho), rel=0.15)


class TestLimit:
    def test_independent_draws(self):
        """The limit itself. Of 2000, 20 exceed it by design; fewer than 3 or more than 45 have a chance of 1e-6."""
        draws = np.random.default_rng(4).normal(size=(2000, 4, 40))
        limit = diagnostics.rhat_limit(4, 40, false_alarms=0.005)  # of location and of spread each
        assert 2 < (split_rhat(draws) > limit).sum() < 46

    def test_longer_is_stricter_and_more_is_looser(self):
        assert diagnostics.rhat_limit(4, 1000) < diagnostics.rhat_limit(4, 30)
        assert diagnostics.rhat_limit(4, 30) < diagnostics.rhat_limit(4, 30, false_alarms=1e-4)
        assert diagnostics.rhat_limit(4, 30) < diagnostics.rhat_limit(4, 30, time=3)
        assert diagnostics.rhat_limit(4, 30, time=3) < diagnostics.rhat_limit(4, 30, time=3, doubt=9)
        assert diagnostics.rhat_limit(4, 10**6) == 1.01
        assert diagnostics.rhat_limit(2, 4, time=5) == np.inf


class TestFewDraws:
    """ArviZ's ESS of few draws is its own upper bound; 64 chains stuck at places of their own must not look well."""

    def test_not_assessed(self):
        rng = np.random.default_rng(0)
        stuck = rng.normal(size=(64, 1)) * 10 + rng.normal(size=(64, 5))
        assert np.isnan(diagnostics.ess(stuck)) and np.isnan(diagnostics.mcse(stuck))
        assert np.isnan(diagnostics.ess(stuck, "tail"))

    def test_never_more_than_there_are_draws(self):
        draws = np.random.default_rng(1).normal(size=(4, 200))
        draws[:, 1:] -= 0.9 * draws[:, :-1]  # each undoes the one before
        assert diagnostics.ess(draws) == 800 == diagnostics.ess(draws, "bulk")
        assert diagnostics.mcse(draws) >= draws.std() / np.sqrt(800)


WRONG = [
    (np.ones(9), ValueError, r"draws must have two axes, \(chain, draw\); got an array of shape \(9,\). Of one chain"),
    (np.ones((2, 3, 4)), ValueError, r"got an array of shape \(2, 3, 4\). Give one quantity at a time."),
    (3.0, ValueError, r"got an array of shape \(\)"),
    ("draws", TypeError, r"draws must be an array of numbers with axes \(chain, draw\); got str"),
    (None, ValueError, r"two axes"),
    ([[1, 2], [3]], TypeError, "array of numbers with axes"),
]


@pytest.mark.parametrize(("draws", "error", "message"), WRONG)
@pytest.mark.parametrize("name", ["rhat", "ess", "mcse", "assess", "autocorrelation", "correlation_time"])
def test_wrong_shapes_get_one_clear_sentence(name, draws, error, message):
    with pytest.raises(error, match=message):
        getattr(diagnostics, name)(draws)


def test_whole_numbers_and_lists_are_draws():
    draws = np.random.default_rng(0).integers(0, 9, (4, 50))
    assert diagnostics.rhat(draws.tolist()) == diagnostics.rhat(draws) == diagnostics.rhat(draws.astype(np.float32))
