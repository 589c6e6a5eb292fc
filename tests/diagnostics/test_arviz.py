"""R-hat and effective sample sizes are ArviZ's own; what cannot be assessed is NaN."""

import warnings

import numpy as np
import pytest

from jaxlda import diagnostics


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return pytest.importorskip("arviz")


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_equal_to_arviz(arviz, shift):
    draws = np.random.default_rng(0).normal(size=(4, 50)) + shift * np.arange(4)[:, None]
    assert diagnostics.rhat(draws) == pytest.approx(float(arviz.rhat(draws)), rel=1e-9)
    assert diagnostics.ess(draws) == pytest.approx(float(arviz.ess(draws)), rel=1e-9)
    assert (diagnostics.rhat(draws) > 1.5) == (shift > 0)


@pytest.mark.parametrize(
    "draws",
    [
        np.ones((4, 50)),
        np.repeat(np.arange(4.0)[:, None], 50, axis=1),  # stuck, each at a place of its own
        np.random.default_rng(0).normal(size=(4, 3)),
        np.full((2, 50), np.nan),
    ],
)
def test_what_cannot_be_assessed_is_nan(draws):
    assert np.isnan(diagnostics.rhat(draws))
    assert np.isnan(diagnostics.ess(draws))


def test_one_chain_has_no_rhat():
    assert np.isnan(diagnostics.rhat(np.random.default_rng(0).normal(size=(1, 50))))
