"""R-hat, effective sample sizes and standard errors are ArviZ's own; what cannot be assessed is NaN."""

import warnings

import numpy as np
import pytest

from jaxlda import diagnostics
from jaxlda.diagnostics import Quantity
from jaxlda.diagnostics.convergence import _line


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
    draws = correlated(0.5, (4, 50), np.random.default_rng(0)) + shift * np.arange(4)[:, None]
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
    @pytest.mark.slow
    @pytest.mark.parametrize("rho", [0.0, 0.9])
    def test_false_alarms(self, rho):
        """Of 40 sets of 20 quantities, 0.4 exceed a limit on average by design, even if draws are worth a tenth.

        Four or more would happen by chance with 0.07 % of all seeds.
        """
        rng = np.random.default_rng(2)
        alarms = 0
        for _ in range(40):
            lines = [_line(Quantity("x", "x", None, correlated(rho, (4, 80), rng)), 20, 1.0, 0.01) for _ in range(20)]
            alarms += any(line.rhat > line.limit for line in lines)
        assert alarms < 4

    def test_independent_draws(self):
        """The limit itself, as chains of independent draws have it: the same numbers."""
        rng = np.random.default_rng(4)
        limit = diagnostics.rhat_limit(4, 30, 20)
        assert sum(any(diagnostics.rhat(rng.normal(size=(4, 30))) > limit for _ in range(20)) for _ in range(40)) < 4

    def test_power(self):
        """Chains half a standard deviation apart in 500 draws are always noticed."""
        draws = np.random.default_rng(3).normal(size=(4, 500)) + 0.5 * np.arange(4)[:, None]
        line = _line(Quantity("x", "x", None, draws), 100, 1.0, 0.01)
        assert line.rhat > line.limit > 1

    def test_longer_is_stricter_and_more_is_looser(self):
        assert diagnostics.rhat_limit(4, 1000, 100) < diagnostics.rhat_limit(4, 30, 100)
        assert diagnostics.rhat_limit(4, 30, 1) < diagnostics.rhat_limit(4, 30, 100)
        assert np.isfinite(diagnostics.rhat_limit(2, 0, 0))
