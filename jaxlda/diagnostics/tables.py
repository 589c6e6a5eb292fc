"""Convergence as tables: traces, densities, ranks, autocorrelation, and R-hat and ESS for more and more draws."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.stats import gaussian_kde, rankdata

from jaxlda.diagnostics.agreement import FEW
from jaxlda.diagnostics.arviz import ess
from jaxlda.diagnostics.assessment import assess
from jaxlda.diagnostics.scores import rhat

__all__ = ["autocorrelation_table", "density_table", "evolution_table", "rank_table", "trace_table"]


def trace_table(values: Float[np.ndarray, "C T"]) -> pd.DataFrame:
    """The traced values of every chain, for the sweeps that were traced.

    Parameters
    ----------
    values
        A series of ``run.trace``, such as the log joint.

    Returns
    -------
    pandas.DataFrame
        Columns ``chain``, ``sweep`` (from 1) and ``value``.

    Examples
    --------
    >>> trace_table(np.array([[1.0, np.nan, 3.0]])).values.tolist()
    [[0.0, 1.0, 1.0], [0.0, 3.0, 3.0]]
    """
    chain, sweep = np.nonzero(~np.isnan(values))
    return pd.DataFrame({"chain": chain, "sweep": sweep + 1, "value": values[chain, sweep]})


def density_table(draws: Float[np.ndarray, "C S"], points: int = 100) -> pd.DataFrame:
    """The density of the draws of each chain: on top of each other, if chains agree.

    Gaussian kernels, as wide as Scott's rule has it. A chain that stands still has no density, and is left out.

    Parameters
    ----------
    draws
        A scalar of every draw.
    points
        At how many values, the same for all chains: from the lowest draw to the highest, and a little beyond.

    Returns
    -------
    pandas.DataFrame
        Columns ``chain``, ``value`` and ``density``.

    Examples
    --------
    >>> table = density_table(np.random.default_rng(0).normal(size=(2, 400)))
    >>> table.groupby("chain").density.max().round(1).tolist()
    [0.4, 0.4]
    """
    if not np.isfinite(draws).all() or not draws.size:
        raise ValueError("draws that are missing or not finite have no density")
    moving = np.flatnonzero(np.ptp(draws, axis=1) > 0)
    margin = np.ptp(draws) / 10
    value = np.linspace(draws.min() - margin, draws.max() + margin, points)
    density = [gaussian_kde(draws[chain])(value) for chain in moving.tolist()]
    columns = {"chain": np.repeat(moving, points), "value": np.tile(value, len(moving))}
    return pd.DataFrame(columns | {"density": np.concatenate([np.empty(0), *density])})


def rank_table(draws: Float[np.ndarray, "C S"], bins: int | None = None) -> pd.DataFrame:
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


def autocorrelation_table(rho: Float[np.ndarray, "C L"]) -> pd.DataFrame:
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
    chain, lag = np.indices(rho.shape)
    return pd.DataFrame({"chain": chain.ravel(), "lag": lag.ravel(), "rho": rho.ravel()})


def evolution_table(draws: Float[np.ndarray, "C S"], points: int = 16) -> pd.DataFrame:
    """R-hat and ESS of the first draws of every chain, for more and more of them.

    Parameters
    ----------
    draws
        A scalar of every draw.
    points
        At how many numbers of draws to look at most: from 4, below which R-hat says nothing, to all.

    Returns
    -------
    pandas.DataFrame
        Columns ``draws`` (of each chain), ``rhat``, ``limit`` (what chance explains of R-hat, if nothing but this
        quantity is judged), ``ess_bulk`` and ``ess_tail``; NaN where they cannot be assessed.

    Examples
    --------
    >>> evolution_table(np.random.default_rng(0).normal(size=(4, 100)), points=3).draws.tolist()
    [4, 52, 100]
    """
    S = draws.shape[1]
    numbers = np.unique(np.linspace(FEW, S, points).astype(int)) if S >= FEW else np.array([], int)
    parts = [draws[:, :n] for n in numbers.tolist()]
    columns = {
        "rhat": [rhat(part) for part in parts],
        "limit": [assess(part).limit for part in parts],
        "ess_bulk": [ess(part) for part in parts],
        "ess_tail": [ess(part, "tail") for part in parts],
    }
    return pd.DataFrame({"draws": numbers} | {name: np.array(values, float) for name, values in columns.items()})
