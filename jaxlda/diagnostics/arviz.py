"""The only door to ArviZ, in both its forms (0.23 and 1.x)."""

import warnings
from types import ModuleType

import numpy as np
from jaxtyping import Float

__all__ = ["ess", "rhat"]


def _arviz() -> ModuleType:
    with warnings.catch_warnings():
        # ArviZ 0.23 announces its successor at every import; both are supported here.
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def rhat(draws: Float[np.ndarray, "C S"]) -> float:
    """Rank-normalised split R-hat of a scalar: near 1 where chains agree, NaN where that cannot be assessed.

    Chains that do not move cannot be assessed, and neither can fewer than four draws a chain or a single chain: NaN is
    never a pass.

    >>> rhat(np.ones((4, 100)))
    nan
    >>> round(rhat(np.random.default_rng(0).normal(size=(4, 100))), 2)
    1.0
    """
    if draws.shape[0] < 2 or draws.shape[1] < 4 or np.isnan(draws).any() or (np.ptp(draws, axis=1) == 0).all():
        return float("nan")
    return float(_arviz().rhat(draws))


def ess(draws: Float[np.ndarray, "C S"]) -> float:
    """Effective sample size (bulk) of a scalar; NaN where it cannot be assessed.

    >>> 300 < ess(np.random.default_rng(0).normal(size=(4, 100))) < 500
    True
    """
    if draws.shape[1] < 4 or np.isnan(draws).any() or (np.ptp(draws, axis=1) == 0).all():
        return float("nan")
    return float(_arviz().ess(draws))
