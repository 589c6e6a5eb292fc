"""Arrays as tables that figures are drawn from: one row a mark."""

from typing import Any

import numpy as np
from jaxtyping import Float

__all__ = ["autocorrelation_table", "rank_table", "trace_table"]


def trace_table(values: Float[np.ndarray, "C T"]) -> Any:
    """What was traced of every chain and sweep, without the sweeps that were not.

    Parameters
    ----------
    values
        Such as ``run.trace["log_joint"]``.

    Returns
    -------
    pandas.DataFrame
        Columns ``chain``, ``sweep`` (from 1) and ``value``.

    Examples
    --------
    >>> trace_table(np.array([[1.0, np.nan, 3.0]])).values.tolist()
    [[0.0, 1.0, 1.0], [0.0, 3.0, 3.0]]
    """
    import pandas as pd

    chain, sweep = np.nonzero(~np.isnan(values))
    return pd.DataFrame({"chain": chain, "sweep": sweep + 1, "value": values[chain, sweep]})


def rank_table(draws: Float[np.ndarray, "C S"], bins: int | None = None) -> Any:
    """How the draws of each chain rank among all draws: evenly, if chains agree.

    Ties have the mean of their ranks.

    Parameters
    ----------
    draws
        A scalar of every draw, such as ``model.diagnostics().draws("log joint")``.
    bins
        How many to count the ranks in; about the square root of the draws of a chain if not given.

    Returns
    -------
    pandas.DataFrame
        Columns ``chain``, ``left`` and ``right`` (of ranks from 0 to CS), ``count``, and ``expected``, one for all.

    Examples
    --------
    >>> rank_table(np.array([[1.0, 2.0], [3.0, 4.0]]), bins=2)["count"].tolist()
    [2, 0, 0, 2]
    """
    import pandas as pd
    from scipy.stats import rankdata

    C, S = draws.shape
    bins = max(1, round(S**0.5)) if bins is None else bins
    if bins < 1:
        raise ValueError(f"bins must be at least 1; got {bins}")
    if not np.isfinite(draws).all() or not draws.size:
        raise ValueError("draws that are missing or not finite cannot be ranked")
    edges = np.linspace(0, C * S, bins + 1)
    ranks = rankdata(draws, axis=None).reshape(C, S) - 0.5
    counts = np.stack([np.histogram(chain, edges)[0] for chain in ranks])
    return pd.DataFrame(
        {
            "chain": np.repeat(np.arange(C), bins),
            "left": np.tile(edges[:-1], C),
            "right": np.tile(edges[1:], C),
            "count": counts.ravel(),
            "expected": S / bins,
        }
    )


def autocorrelation_table(rho: Float[np.ndarray, "C L"]) -> Any:
    """The autocorrelation of each chain at each lag.

    Parameters
    ----------
    rho
        From ``jaxlda.diagnostics.autocorrelation``.

    Returns
    -------
    pandas.DataFrame
        Columns ``chain``, ``lag`` and ``rho``.

    Examples
    --------
    >>> autocorrelation_table(np.array([[1.0, 0.5]])).values.tolist()
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.5]]
    """
    import pandas as pd

    chain, lag = np.indices(rho.shape)
    return pd.DataFrame({"chain": chain.ravel(), "lag": lag.ravel(), "rho": rho.ravel()})
