"""The only door to ArviZ, in both its forms (0.23 and 1.x)."""

import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float

__all__ = ["ess", "inference_data", "mcse", "rhat"]

TAIL = (0.05, 0.95)  # the quantiles of the tail ESS: said, because ArviZ 1.x has no default for arrays


def _arviz() -> ModuleType:
    with warnings.catch_warnings():
        # ArviZ 0.23 announces its successor at every import; both are supported here.
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def _cannot_be_assessed(draws: np.ndarray) -> bool:
    return bool(draws.shape[1] < 4 or not np.isfinite(draws).all() or (np.ptp(draws, axis=1) == 0).all())


def rhat(draws: Float[np.ndarray, "C S"]) -> float:
    """Rank-normalised split R-hat of a scalar: near 1 where chains agree, NaN where that cannot be assessed.

    Chains that do not move cannot be assessed, and neither can fewer than four draws a chain or a single chain: NaN is
    never a pass.

    >>> rhat(np.ones((4, 100)))
    nan
    >>> round(rhat(np.random.default_rng(0).normal(size=(4, 100))), 2)
    1.0
    """
    if draws.shape[0] < 2 or _cannot_be_assessed(draws):
        return float("nan")
    with np.errstate(divide="ignore", invalid="ignore"):  # halves of chains that stand still: infinite, and rightly so
        return float(_arviz().rhat(draws))


def ess(draws: Float[np.ndarray, "C S"], method: str = "bulk") -> float:
    """Effective sample size of a scalar, ``"bulk"`` or ``"tail"`` (of the 5 % and 95 % quantiles, the smaller).

    NaN where it cannot be assessed.

    >>> 300 < ess(np.random.default_rng(0).normal(size=(4, 100))) < 500
    True
    """
    if method not in ("bulk", "tail"):
        raise ValueError(f"method must be 'bulk' or 'tail'; got {method!r}")
    if _cannot_be_assessed(draws):
        return float("nan")
    return float(_arviz().ess(draws, method=method, **({"prob": TAIL} if method == "tail" else {})))


def mcse(draws: Float[np.ndarray, "C S"]) -> float:
    """Monte Carlo standard error of the mean of a scalar; NaN where it cannot be assessed.

    >>> 0.04 < mcse(np.random.default_rng(0).normal(size=(4, 100))) < 0.06
    True
    """
    return float("nan") if _cannot_be_assessed(draws) else float(_arviz().mcse(draws))


def inference_data(groups: Mapping[str, Any], attrs: Mapping[str, Any]) -> Any:
    """Groups of ``xarray.Dataset`` as this ArviZ holds them: ``InferenceData`` (0.23) or ``xarray.DataTree`` (1.x).

    >>> import xarray as xr
    >>> inference_data({"posterior": xr.Dataset({"x": (("chain", "draw"), [[1.0]])})}, {}).posterior.x.item()
    1.0
    """
    arviz = _arviz()
    if arviz.__version__.startswith("0."):
        return arviz.InferenceData(attrs=dict(attrs), **groups)
    import xarray as xr

    tree = xr.DataTree.from_dict(dict(groups))
    tree.attrs.update(attrs)
    return tree
