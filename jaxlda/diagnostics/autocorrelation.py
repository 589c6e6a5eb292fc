"""How long a chain remembers."""

import numpy as np
from jaxtyping import Float, Float64

__all__ = ["autocorrelation", "correlation_time"]


def autocorrelation(draws: Float[np.ndarray, "C S"], max_lag: int | None = None) -> Float64[np.ndarray, "C L"]:
    r"""The autocorrelation of each chain at lags 0, 1, ... (in draws, not sweeps).

    .. math:: \rho_t = \sum_{s=1}^{S-t} (x_s - \bar x)(x_{s+t} - \bar x) \Big/ \sum_{s=1}^{S} (x_s - \bar x)^2

    NaN for a chain that does not move.

    Parameters
    ----------
    draws
        A scalar of every draw.
    max_lag
        The last lag; S - 1 if not given.

    Examples
    --------
    >>> autocorrelation(np.array([[1.0, -1.0, 1.0, -1.0]]), 2).tolist()
    [[1.0, -0.75, 0.5]]
    """
    S = draws.shape[1]
    covariance = _autocovariance(draws)[:, : S if max_lag is None else max_lag + 1]
    with np.errstate(invalid="ignore"):
        return covariance / np.where(covariance[:, :1] > 0, covariance[:, :1], np.nan)


def correlation_time(draws: Float[np.ndarray, "C S"]) -> float:
    r"""How many draws are worth one independent draw, within chains: :math:`\tau = 1 + 2 \sum_t \rho_t`, at least 1.

    Each chain is taken about its own mean, so that chains in different places do not lengthen it. The sum ends before
    the first pair of lags whose sum is negative. NaN if nothing moves.

    Examples
    --------
    >>> 0.9 < correlation_time(np.random.default_rng(0).normal(size=(4, 500))) < 1.3
    True
    """
    covariance = _autocovariance(draws).sum(axis=0)
    if draws.shape[1] < 2 or not covariance[0] > 0:
        return float("nan")
    rho = covariance / covariance[0]
    pairs = rho[1 : 1 + 2 * ((len(rho) - 1) // 2)].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs < 0)
    return max(float(1 + 2 * pairs[: ends[0] if len(ends) else None].sum()), 1.0)


def _autocovariance(draws: Float[np.ndarray, "C S"]) -> Float64[np.ndarray, "C S"]:
    S = draws.shape[1]
    draws = draws.astype(np.float64)
    centred = draws - draws.mean(axis=1, keepdims=True)
    centred[np.ptp(draws, axis=1) == 0] = 0  # not what rounding leaves of them
    spectrum = np.fft.rfft(centred, 2 * S)  # twice as long, so that the ends do not meet
    return np.fft.irfft(spectrum * spectrum.conj(), 2 * S)[:, :S]
