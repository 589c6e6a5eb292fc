"""The test behind every verdict: whether chains differ by more than chance explains."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64
from scipy.special import fdtri, stdtrit

from jaxlda.diagnostics.autocorrelation import WINDOW, memory
from jaxlda.diagnostics.scores import folded, normal_scores, split_rhat

__all__ = ["FEW", "FLOOR", "LOOSE", "Agreement", "compare", "outliers", "rhat_limit"]

FEW = 4  # draws: R-hat halves the chains, and halves of one draw do not vary
FLOOR = 1.01  # lower, chains differ too little to matter (Vehtari et al. 2021)
SLIGHT = 0.3  # standard deviations: four chains of which one is so far away have an R-hat of about that floor
LOOSE = 1.5  # higher, a limit would let two modes pass that are three standard deviations apart (R-hat about 1.7)
MOVES = 8  # of half of the chains at least: fewer jumps do not tell how often chains jump
TESTS = 5  # location, spread, one chain away, one chain frozen, a common drift: each has its share of the false alarms
CAUTION = 0.5  # standard errors that are added to the correlation time


class Agreement(NamedTuple):
    """What the chains say about Q quantities."""

    rhat: Float64[np.ndarray, " Q"]
    limit: Float64[np.ndarray, " Q"]
    """Higher, R-hat is more than chance explains. NaN where that cannot be told."""
    time: Float64[np.ndarray, " Q"]
    """The correlation time in draws, on the cautious side; a lower bound where it is not ``known``."""
    known: Bool[np.ndarray, " Q"]
    seldom: Bool[np.ndarray, " Q"]
    """Whether chains change value too seldom to tell how often they do."""
    away: Int64[np.ndarray, " Q"]
    """The chain that is further from the others than chance explains; -1: none."""
    frozen: Int64[np.ndarray, " Q"]
    """A chain that never moves while the others do; -1: none."""
    drifts: Bool[np.ndarray, " Q"]
    """Whether all chains are on their way in the same direction."""

    @property
    def told(self) -> Bool[np.ndarray, " Q"]:
        """Whether there are enough draws to tell disagreement from chance."""
        return self.known & ~self.seldom

    @property
    def apart(self) -> Bool[np.ndarray, " Q"]:
        """Whether chains certainly disagree."""
        return self.told & ((self.rhat > self.limit) | (self.away >= 0) | (self.frozen >= 0))

    @property
    def failed(self) -> Bool[np.ndarray, " Q"]:
        """Whether chains disagree, or drift in draws that might have passed."""
        return self.apart | (self.told & self.drifts & (self.limit <= LOOSE))

    @property
    def passed(self) -> Bool[np.ndarray, " Q"]:
        """Whether chains agree, with enough draws to see two modes."""
        return self.told & ~self.apart & ~self.drifts & (self.limit <= LOOSE)


def rhat_limit(
    num_chains: int, num_draws: int, time: float | int = 1.0, false_alarms: float = 0.01, doubt: float | int = 0.0
) -> float:
    r"""The R-hat that chains which agree exceed by chance, with a given probability; at least 1.01.

    Let m = 2C half chains of n = S/2 draws have the correlation time :math:`\tau`. Their means vary as if each had
    :math:`n / \tau` independent draws, so that

    .. math:: \hat R^2 = \frac{n - 1}{n} \Big( 1 + \frac{\tau}{n - \tau} F \Big)

    where F has the F distribution with m - 1 and :math:`\nu` degrees of freedom (Gelman and Rubin 1992 for independent
    draws). The second are those of the correlation time, as many as there are windows in all draws, or those of the
    variance within half chains where the time is known.

    Parameters
    ----------
    num_chains, num_draws
        C and S.
    time
        How many draws are worth one independent draw.
    false_alarms
        How often R-hat may exceed it.
    doubt
        The lags over which the time was summed; 0 if it is known.

    Examples
    --------
    >>> [round(rhat_limit(4, S), 2) for S in (30, 100, 10_000)]
    [1.06, 1.02, 1.01]
    >>> round(rhat_limit(4, 100, time=5), 2), round(rhat_limit(4, 100, time=5, false_alarms=0.0001), 2)
    (1.14, 1.24)
    """
    found = _limit(num_chains, num_draws, np.array([float(time)]), np.array([float(doubt)]), false_alarms)
    return float(found[0])


def _limit(
    C: int, S: int, time: Float64[np.ndarray, " Q"], window: Float64[np.ndarray, " Q"], share: float
) -> Float64[np.ndarray, " Q"]:
    n = S // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(window > 0, _freedom(C, S, window), 2 * C * (n / time - 1))
        F = fdtri(2 * C - 1, freedom, 1 - share)
        limit = np.sqrt((n - 1) / n * (1 + time / (n - time) * F))
    return np.where(time < n, np.fmax(limit, FLOOR), np.inf)


def _freedom(C: int, S: int, window: Float64[np.ndarray, " Q"]) -> Float64[np.ndarray, " Q"]:
    """Degrees of freedom of a correlation time: the variance of its estimate is 2/nu of its square (Sokal 1997)."""
    return C * S / (2 * window + 1)


def compare(draws: Float64[np.ndarray, "Q C S"], false_alarms: float = 0.01) -> Agreement:
    """Compare the chains of Q quantities, each by itself.

    Draws are replaced by normal scores of their ranks. Under the null hypothesis all chains are stationary, have the
    same distribution, and remember for a time that all of them show together. Five tests share the false alarms: R-hat
    of location and of spread, one chain away from the others (which R-hat overlooks among many), one chain that never
    moves, and a drift that all chains have in common. The last asks nothing of the correlation time: the differences
    between the two halves of each chain are as many independent numbers as there are chains, with mean zero.

    Parameters
    ----------
    draws
        Finite, of two or more chains and four or more draws of each.
    false_alarms
        Of each quantity.
    """
    (C, S), share = draws.shape[1:], false_alarms / TESTS
    scores, spread = normal_scores(draws), normal_scores(folded(draws))
    location, other = memory(scores), memory(spread)
    # Spread is no question of its own where draws take two values, both as far from the median.
    plain = np.ptp(spread, axis=(1, 2)) == 0
    time = np.where(plain, location.time, np.fmax(location.time, other.time))
    window = np.where(plain, location.window, np.fmax(location.window, other.window)).astype(np.float64)
    time = time * (1 + CAUTION * np.sqrt(2 / _freedom(C, S, np.fmax(window, 1))))
    moves = (np.diff(draws, axis=-1) != 0).sum(axis=-1)
    seldom = np.sort(moves, axis=1)[:, C // 2] < min(MOVES, S - 1)
    known = location.known & (other.known | plain) & (S // 3 >= WINDOW * time)
    limit = np.where(known, _limit(C, S, time, window, share), np.nan)
    return Agreement(
        rhat=split_rhat(draws),
        limit=limit,
        time=time,
        known=known,
        seldom=seldom,
        away=_away(scores, time, _freedom(C, S, np.fmax(window, 1)), share),
        frozen=_frozen(moves, S, share),
        drifts=_drifts(scores, share),
    )


def _away(
    scores: Float64[np.ndarray, "Q C S"],
    time: Float64[np.ndarray, " Q"],
    freedom: Float64[np.ndarray, " Q"],
    share: float,
) -> Int64[np.ndarray, " Q"]:
    """The chain whose mean is furthest from the mean of the others, if that is further than chance explains."""
    C, S = scores.shape[1:]
    means = scores.mean(axis=-1)
    distance = np.abs(means - means.mean(axis=1, keepdims=True)) * C / (C - 1)
    furthest = distance.argmax(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # About their own means, chains vary less than in all by the share that the mean has: S / (S - time) makes up.
        variance = scores.var(axis=-1).mean(axis=1) * S / (S - time)
        error = np.sqrt(variance * time / S * C / (C - 1))
        # A mean of few independent draws has longer tails than the normal distribution.
        far = -stdtrit(np.fmin(freedom, 2 * S / time), share / (2 * C)) * error
        found = distance.max(axis=1) > np.fmax(far, SLIGHT * np.sqrt(variance))
    return np.where(found, furthest, -1)


def _frozen(moves: Int64[np.ndarray, "Q C"], S: int, share: float) -> Int64[np.ndarray, " Q"]:
    """A chain that never moves, if chains half as lively as the slowest of the others would have."""
    C = moves.shape[1]
    slowest = np.where(moves > 0, moves, S - 1).min(axis=1) / (S - 1)
    found = ((moves == 0).sum(axis=1) > 0) & (moves > 0).any(axis=1) & (C * (1 - slowest / 2) ** (S - 1) < share)
    return np.where(found, moves.argmin(axis=1), -1)


def _drifts(scores: Float64[np.ndarray, "Q C S"], share: float) -> Bool[np.ndarray, " Q"]:
    """Whether second halves are higher (or lower) than first halves in all chains alike: a t test over chains."""
    C, S = scores.shape[1:]
    if C < FEW:
        return np.zeros(len(scores), bool)  # ranks of so few numbers have no normal tails
    n = S // 2
    steps = scores[..., S - n :].mean(axis=-1) - scores[..., :n].mean(axis=-1)
    error = steps.std(axis=1, ddof=1) / np.sqrt(C)
    return np.abs(steps.mean(axis=1)) > np.fmax(-stdtrit(C - 1, share / 2) * error, SLIGHT)


def outliers(draws: np.ndarray) -> tuple[int, ...]:
    """The smaller side of the widest gap between the means of the chains; of two equal ones, that without chain 0."""
    means = draws.mean(axis=1)
    order = np.argsort(means, kind="stable")
    cut = int(np.diff(means[order]).argmax()) + 1
    sides = sorted(
        (sorted(order[:cut].tolist()), sorted(order[cut:].tolist())), key=lambda side: (len(side), 0 in side)
    )
    return tuple(sides[0])
