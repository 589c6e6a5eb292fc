"""Draws as normal scores, and R-hat of them, also of groups of chains."""

from typing import Any

import numpy as np
from jaxtyping import Float64
from scipy.special import ndtri
from scipy.stats import rankdata

__all__ = ["as_draws", "folded", "halves", "normal_scores", "rhat", "rhat_nested", "split_rhat"]


def as_draws(draws: Any) -> Float64[np.ndarray, "C S"]:
    """An array of draws by chain and draw, or one sentence on what is wrong with it.

    >>> as_draws([[1, 2, 3]])
    array([[1., 2., 3.]])
    """
    try:
        values = np.asarray(draws, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"draws must be an array of numbers with axes (chain, draw); got {type(draws).__name__}"
        ) from None
    if values.ndim != 2:
        hint = ". Of one chain, give draws[None, :]" if values.ndim == 1 else ". Give one quantity at a time"
        raise ValueError(f"draws must have two axes, (chain, draw); got an array of shape {values.shape}{hint}.")
    return values


def normal_scores(draws: Float64[np.ndarray, "Q C S"]) -> Float64[np.ndarray, "Q C S"]:
    """The standard normal quantiles of the ranks among all draws of a quantity; equal draws share their mean rank.

    >>> normal_scores(np.array([[[3.0, 1.0], [2.0, 1.0]]])).round(2).tolist()
    [[[1.05, -0.63], [0.3, -0.63]]]
    """
    flat = draws.reshape(len(draws), -1)
    ranks = rankdata(flat, axis=1)
    return np.asarray(ndtri((ranks - 0.375) / (flat.shape[1] + 0.25)).reshape(draws.shape), np.float64)


def halves(draws: Float64[np.ndarray, "Q C S"]) -> Float64[np.ndarray, "Q C2 n"]:
    """Both halves of every chain as two chains, without the middle one of an odd number of draws."""
    n = draws.shape[-1] // 2
    return np.concatenate([draws[..., :n], draws[..., draws.shape[-1] - n :]], axis=-2)


def folded(draws: Float64[np.ndarray, "Q C S"]) -> Float64[np.ndarray, "Q C S"]:
    """How far draws are from the median of all: chains that differ in spread differ in its mean."""
    return np.abs(draws - np.median(draws, axis=(-2, -1), keepdims=True))


def split_rhat(draws: Float64[np.ndarray, "Q C S"]) -> Float64[np.ndarray, " Q"]:
    r"""Rank-normalised split R-hat of every quantity, the higher of location and spread.

    Of normal scores x in m half chains of n draws,

    .. math:: \hat R = \sqrt{\frac{n - 1}{n} + \frac{B}{W}},
        \quad B = \frac{1}{m - 1} \sum_c (\bar x_c - \bar x)^2,
        \quad W = \frac{1}{m (n - 1)} \sum_{c, s} (x_{cs} - \bar x_c)^2

    (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021, Bayesian Analysis 16). NaN if nothing moves.
    """
    parts = halves(draws)
    n = parts.shape[-1]
    found = []
    for scores in (normal_scores(parts), normal_scores(folded(parts))):
        B, W = scores.mean(axis=-1).var(axis=-1, ddof=1), scores.var(axis=-1, ddof=1).mean(axis=-1)
        still = (np.ptp(scores, axis=-1) == 0).all(axis=-1)  # rounding leaves a little of their variance
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(np.sqrt((n - 1) / n + B / np.where(still, 0.0, W)))
    return np.asarray(np.fmax(*found), np.float64)


def rhat(draws: Any) -> float:
    """Rank-normalised split R-hat of a scalar: near 1 where chains agree, NaN where that cannot be told.

    The number is that of ``arviz.rhat``. How high it may be depends on the number of chains, of draws and on how long
    the chains remember: :func:`~jaxlda.diagnostics.assess` knows. Chains that do not move cannot be assessed, and
    neither can fewer than four draws of each chain or a single chain: NaN is never a pass.

    Parameters
    ----------
    draws
        Of one quantity, with axes (chain, draw).

    Examples
    --------
    >>> rhat(np.ones((4, 100)))
    nan
    >>> round(rhat(np.random.default_rng(0).normal(size=(4, 100))), 2)
    1.0
    """
    values = as_draws(draws)
    if values.shape[0] < 2 or values.shape[1] < 4 or not np.isfinite(values).all():
        return float("nan")
    if (np.ptp(values, axis=1) == 0).all():
        return float("nan")
    return float(split_rhat(values[None])[0])


def rhat_nested(draws: Any, groups: Any) -> float:
    r"""Nested R-hat of a scalar, rank-normalised and split: whether groups of chains agree, for many short chains.

    Of normal scores x in g groups of m half chains,

    .. math:: \hat R_\nu = \sqrt{1 + B / W},
        \quad B = \frac{1}{g - 1} \sum_k (\bar x_k - \bar x)^2,
        \quad W = \frac{1}{g} \sum_k (B_k + W_k)

    where the means of the chains of a group vary by B_k, and draws about them by W_k (Margossian et al. 2024, Bayesian
    Analysis 20). R-hat of chains that are short for their memory is high, however many they are; means over groups vary
    less, and nested R-hat comes near 1. The number is that of ``arviz_stats.rhat_nested``, with every version of ArviZ.

    Chains of a group are meant to start at the same place. Where each starts at its own, a difference between chains
    counts by an m-th only: then nested R-hat tells whether there are enough chains, not whether they have one mode.

    Parameters
    ----------
    draws
        Of one quantity, with axes (chain, draw).
    groups
        The group of each chain, by number; two groups or more, of equally many chains.

    Returns
    -------
    float
        NaN where it cannot be told, as for :func:`rhat`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(64, 1)) + rng.normal(size=(64, 6))
    >>> groups = np.arange(64) // 8
    >>> round(rhat(x), 2), round(rhat_nested(x, groups), 2)
    (1.28, 1.05)
    """
    values, group = as_draws(draws), np.asarray(groups)
    numbers, sizes = np.unique(group, return_counts=True)
    if group.shape != (len(values),) or len(numbers) < 2 or np.ptp(sizes):
        raise ValueError(
            f"groups must number each of the {len(values)} chains, with two groups or more of equally many chains; got "
            f"{np.array2string(group, threshold=16)}"
        )
    if values.shape[1] < 4 or not np.isfinite(values).all() or (np.ptp(values, axis=1) == 0).all():
        return float("nan")
    parts = halves(values[None])
    order = np.argsort(np.concatenate([group, group]), kind="stable")
    found = []
    for scores in (normal_scores(parts), normal_scores(folded(parts))):
        x = scores[0, order].reshape(len(numbers), 2 * sizes[0], -1)
        means = x.mean(axis=-1)
        W = means.var(axis=1, ddof=1) + x.var(axis=-1, ddof=1).mean(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found.append(np.sqrt(1 + means.mean(axis=1).var(ddof=1) / W.mean()))
    return float(np.fmax(*found))
