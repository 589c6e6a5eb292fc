"""The only door to ArviZ, in both its forms (0.23 and 1.x)."""

import warnings
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from jaxtyping import Float64

from jaxlda.corpora.numbers import one_of
from jaxlda.diagnostics.autocorrelation import memory
from jaxlda.diagnostics.scores import as_draws, normal_scores

__all__ = ["ess", "inference_data", "mcse"]

LEAST = 12  # draws of each chain: of fewer, ArviZ's ESS is its own upper bound whatever the draws are
TAIL = (0.05, 0.95)  # the quantiles of the tail ESS: said, because ArviZ 1.x has no default for arrays


def _arviz() -> ModuleType:
    with warnings.catch_warnings():
        # ArviZ 0.23 announces its successor at every import; both are supported here.
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


def _known(draws: Any) -> Float64[np.ndarray, "C S"] | None:
    """The draws, if they are enough to tell what they are worth: a dozen of each chain, and three correlation times."""
    values = as_draws(draws)
    if values.shape[0] == 0 or values.shape[1] < LEAST or not np.isfinite(values).all():
        return None
    return values if memory(normal_scores(values[None]), times=1.0).known[0] else None


def ess(draws: Any, method: str = "bulk") -> float:
    """Effective sample size of a scalar, ``"bulk"`` or ``"tail"`` (of the 5 % and 95 % quantiles, the smaller).

    ArviZ's number, but never more than there are draws. NaN where it cannot be assessed: nothing moves, or chains
    remember longer than a third of their draws, or there are fewer than twelve draws of each chain.

    Parameters
    ----------
    draws
        Of one quantity, with axes (chain, draw).
    method
        Which of both.

    Examples
    --------
    >>> 300 < ess(np.random.default_rng(0).normal(size=(4, 100))) <= 400
    True
    >>> ess(np.random.default_rng(0).normal(size=(64, 5)))
    nan
    """
    one_of(method, "method", ("bulk", "tail"))
    values = _known(draws)
    if values is None:
        return float("nan")
    found = float(_arviz().ess(values, method=method, **({"prob": TAIL} if method == "tail" else {})))
    return min(found, float(values.size))


def mcse(draws: Any) -> float:
    """Monte Carlo standard error of the mean of a scalar; NaN where it cannot be assessed, as for :func:`ess`.

    >>> 0.04 < mcse(np.random.default_rng(0).normal(size=(4, 100))) < 0.06
    True
    """
    values = _known(draws)
    if values is None:
        return float("nan")
    return max(float(_arviz().mcse(values)), float(values.std(ddof=1)) / values.size**0.5)


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
