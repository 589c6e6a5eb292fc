"""How long chains remember."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64

from jaxlda.diagnostics.scores import as_draws

__all__ = ["Memory", "autocorrelation", "correlation_time", "memory"]

# Lags are summed up to at most a third of the draws: beyond, the means of the chains explain most of what is left.
LONGEST = 3
# And at least over three correlation times, where less than one part in four hundred of an AR(1)'s memory remains.
WINDOW = 3.0


class Memory(NamedTuple):
    """How long the chains remember each of Q quantities."""

    time: Float64[np.ndarray, " Q"]
    """The correlation time, in draws."""
    window: Int64[np.ndarray, " Q"]
    """The last lag that it was summed over."""
    known: Bool[np.ndarray, " Q"]
    """Whether the draws are many enough, for so long a memory, to tell."""


def autocorrelation(draws: Any, max_lag: int | None = None) -> Float64[np.ndarray, "C L"]:
    r"""The autocorrelation of each chain at lags 0, 1, ... (in draws, not sweeps).

    .. math:: \rho_t = \sum_{s=1}^{S-t} (x_s - \bar x)(x_{s+t} - \bar x) \Big/ \sum_{s=1}^{S} (x_s - \bar x)^2

    NaN for a chain that does not move.

    Parameters
    ----------
    draws
        Of one quantity, with axes (chain, draw).
    max_lag
        The last lag; S - 1 if not given.

    Examples
    --------
    >>> autocorrelation(np.array([[1.0, -1.0, 1.0, -1.0]]), 2).tolist()
    [[1.0, -0.75, 0.5]]
    """
    values = as_draws(draws)
    covariance = _autocovariance(values)[:, : values.shape[1] if max_lag is None else max_lag + 1]
    with np.errstate(invalid="ignore"):
        return covariance / np.where(covariance[:, :1] > 0, covariance[:, :1], np.nan)


def correlation_time(draws: Any) -> float:
    r"""How many draws are worth one independent draw, within chains: :math:`\tau = 1 + 2 \sum_t \rho_t`, at least 1.

    See :func:`memory`. NaN if nothing moves, or if draws are too few to tell.

    Examples
    --------
    >>> 0.9 < correlation_time(np.random.default_rng(0).normal(size=(4, 500))) < 1.3
    True
    >>> correlation_time(np.random.default_rng(0).normal(size=(4, 500)).cumsum(axis=1))
    nan
    """
    found = memory(as_draws(draws)[None])
    return float(found.time[0]) if found.known[0] else float("nan")


def memory(draws: Float64[np.ndarray, "Q C S"], times: float = WINDOW) -> Memory:
    r"""The correlation time of every quantity, from all chains together.

    Each chain is taken about its own mean, so that chains in different places do not lengthen it. That makes
    autocovariances too small, each by the variance v of a chain's mean, which is what they add up to:

    .. math:: \hat\gamma_t = (1 - t/S)(\gamma_t - v),
        \quad v = \frac{1}{S} \Big( \gamma_0 + 2 \sum_{t=1}^{T} (1 - t/S) \gamma_t \Big)
        \quad\Rightarrow\quad
        v = \frac{\hat\gamma_0 + 2 \sum_t \hat\gamma_t}{S - 1 - 2 \sum_t (1 - t/S)},
        \quad \tau = \frac{S v}{\hat\gamma_0 + v}

    The window T is the first that is some times as long as the longest correlation time up to it (Sokal 1997). Where no
    window of at most a third of the draws is, chains remember too long for their draws, and nothing is known.

    Parameters
    ----------
    draws
        Of Q quantities, or their scores.
    times
        How many correlation times the window has at least.
    """
    S = draws.shape[-1]
    longest = max(min(S // LONGEST, S - 1), 0)
    covariance = _autocovariance(draws).mean(axis=-2) / max(S, 1)
    moving = covariance[:, 0] > 0 if S else np.zeros(len(draws), bool)
    if not longest:
        return Memory(np.full(len(draws), np.nan), np.zeros(len(draws), int), np.zeros(len(draws), bool))
    lags = np.arange(1, longest + 1)
    sums = covariance[:, :1] + 2 * np.cumsum(covariance[:, 1 : longest + 1], axis=1)
    v = sums / (S - 1 - 2 * np.cumsum(1 - lags / S))
    with np.errstate(divide="ignore", invalid="ignore"):
        each = S * v / (covariance[:, :1] + v)
    # Never shorter than a shorter window made it: memories that seem to end have only been seen to turn.
    each = np.maximum.accumulate(np.fmax(each, 1.0), axis=1)
    wide = lags >= times * each
    first = np.where(wide.any(axis=1), wide.argmax(axis=1), longest - 1)
    time = np.where(moving, each[np.arange(len(each)), first], np.nan)
    return Memory(time, lags[first], wide.any(axis=1) & moving)


def _autocovariance(draws: Float64[np.ndarray, "*Q S"]) -> Float64[np.ndarray, "*Q S"]:
    """Sums of products about each chain's own mean."""
    S = draws.shape[-1]
    centred = draws - draws.mean(axis=-1, keepdims=True) if S else draws
    centred = np.where(np.ptp(draws, axis=-1, keepdims=True) == 0, 0.0, centred) if S else centred  # not mere rounding
    spectrum = np.fft.rfft(centred, 2 * max(S, 1))  # twice as long, so that the ends do not meet
    return np.fft.irfft((spectrum * spectrum.conj()).real, 2 * max(S, 1))[..., :S]
