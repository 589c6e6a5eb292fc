"""Lines of chains: one each of a few; of many, the median, the best chain, and the band that nine of ten are in."""

import numpy as np

from jaxlda.plots.lines import lines_of, thinned

__all__ = ["NO_BAND", "Band", "Lines", "many", "many_lines"]

Lines = dict[str, list]
"""From :func:`jaxlda.plots.lines.lines_of`."""
Band = dict[str, np.ndarray]
"""``x``, ``low`` and ``high``."""
LINES = 8  # chains that can be told apart by their colours
NO_BAND: Band = {name: np.empty(0) for name in ("x", "low", "high")}


def many(num_chains: int) -> bool:
    """Whether there are too many chains for a line each."""
    return num_chains > LINES


def many_lines(x: np.ndarray, values: np.ndarray, best: int) -> tuple[Lines, Band]:
    """Lines of values ``(C, T)`` over x, thinned to what a screen can show, and the band, empty where each is drawn."""
    C = len(values)
    names, band = [f"chain {chain}" for chain in range(C)], NO_BAND
    if many(C):
        noted = np.flatnonzero(~np.isnan(values).all(axis=0))  # a chain that stands still has no autocorrelation
        low, median, high = np.full((3, values.shape[1]), np.nan)
        if noted.size:
            low[noted], median[noted], high[noted] = np.nanquantile(values[:, noted], (0.05, 0.5, 0.95), axis=0)
            band = {"x": thinned(x, low)[0], "low": thinned(x, low)[1], "high": thinned(x, high)[1]}
        values, names = np.stack([median, values[best]]), [f"median of {C} chains", f"chain {best}, the best"]
    points = [thinned(x, chain) for chain in values]
    return lines_of([one for one, _ in points], [one for _, one in points], names), band
