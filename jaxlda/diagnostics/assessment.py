"""Whether chains agree on any quantity, in numbers and words."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from jaxlda.diagnostics.agreement import FEW, LOOSE, Agreement, compare, outliers
from jaxlda.diagnostics.arviz import ess
from jaxlda.diagnostics.autocorrelation import LONGEST, WINDOW
from jaxlda.diagnostics.scores import as_draws

__all__ = ["Assessment", "assess", "check_number", "draws_needed"]


@dataclass(frozen=True)
class Assessment:
    """Whether chains agree on one quantity. Printed, it is the verdict in words. NaN: not assessed.

    Made by :func:`assess`.
    """

    converged: bool | None
    """``None``: cannot be assessed, which is not a pass."""
    words: str
    """The same in plain English, with the reason."""
    rhat: float
    limit: float
    """Higher, R-hat is more than chance explains."""
    ess: float
    """What all draws are worth together, in independent draws (bulk ESS)."""
    correlation_time: float
    """How many draws of a chain are worth one independent draw, on the cautious side."""
    drifts: bool
    """Whether all chains are on their way in the same direction: however few the draws, they have not settled then."""
    chain: int | None
    """The chain that is away from the others, or never moves; ``None`` if none stands out."""
    num_chains: int
    num_draws: int
    """Of each chain."""

    def __str__(self) -> str:
        return self.words


def assess(draws: Any, false_alarms: float = 0.01) -> Assessment:
    """Judge from its draws whether chains agree on a quantity.

    R-hat is compared with a limit: the R-hat that chains in agreement exceed by chance, given the number of chains, of
    draws, and how long the chains remember (:func:`~jaxlda.diagnostics.rhat_limit`). Chains that all agree are called
    not converged in at most ``false_alarms`` of cases; one chain away from many others, one that never moves, and a
    common drift count as disagreement too, within the same share. Where draws are too few for the chains' memory (about
    ten correlation times of each chain are needed), there is no verdict, and no pass where two modes three standard
    deviations apart might go unnoticed. A slow part that hides behind a fast one cannot be told from modes, and is a
    disagreement too.

    Parameters
    ----------
    draws
        Of one quantity, with axes (chain, draw).
    false_alarms
        How often chance alone may call chains that agree not converged.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(4, 100))
    >>> found = assess(x)
    >>> found.converged, round(found.rhat, 2), round(found.limit, 2), round(found.ess)
    (True, 1.0, 1.03, 400)
    >>> x[2] += 3
    >>> print(assess(x))
    Not converged: chain 2 is away from the others. R-hat is 1.47, where chance explains up to 1.04.
    >>> print(assess(x[:, :5]).converged)
    None
    """
    values = as_draws(draws)
    check_number("false_alarms", false_alarms, 0, 1)
    C, S = values.shape
    doubt = _doubt_of_shape(values)
    if doubt:
        nan, words = math.nan, f"Cannot be assessed: {doubt}"
        return Assessment(None, words, nan, nan, ess(values), nan, False, None, C, S)
    found = compare(values[None], float(false_alarms))
    told, drifts = bool(found.told[0]), bool(found.drifts[0])
    rhat, limit = float(found.rhat[0]), float(found.limit[0])
    worth = ess(values)
    chain = _standing_out(found, values) if told else None
    if found.failed[0]:
        converged, words = False, f"Not converged: {_complaint(found, chain, C)}"
    elif not found.passed[0]:
        converged, words = None, f"Cannot be assessed: {_doubt(found, S)}"
        words += " All chains drift in the same direction, so they have not settled." if drifts else ""
    else:
        converged = True
        words = (
            f"Converged: {C} chains of {S} draws agree. R-hat is {rhat:.2f}, where chance explains up to {limit:.2f}; "
            f"the draws are worth {worth:.0f} independent ones."
        )
    time = float(found.time[0])
    return Assessment(converged, words, rhat, limit if told else math.nan, worth, time, drifts, chain, C, S)


def draws_needed(time: float) -> int:
    """The least number of draws of each chain that such a correlation time takes."""
    return math.ceil(LONGEST * WINDOW * time)


def check_number(name: str, value: Any, low: float | int, high: float | int = math.inf) -> None:
    """Refuse anything but a number between two others."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number; got {value!r}")
    if not low < float(value) < high:
        upper = "" if high == math.inf else f" and less than {high:g}"
        raise ValueError(f"{name} must be more than {low:g}{upper}; got {value!r}")


def _doubt_of_shape(values: np.ndarray) -> str | None:
    """Why nothing can be computed at all."""
    C, S = values.shape
    if C < 2:
        return f"there {'is only one chain' if C else 'are no chains'}, and nothing to compare it with."
    if S < FEW:
        return f"there {'is' if S == 1 else 'are'} only {S} draw{'s' * (S != 1)} of each chain. Take 30 or more."
    if not np.isfinite(values).all():
        return "some draws are not finite."
    if (np.ptp(values, axis=1) == 0).all():
        places = "at different values" if np.ptp(values) > 0 else "at the same value"
        return f"no chain moves; they stand still {places}."
    return None


def _doubt(found: Agreement, S: int) -> str:
    if found.seldom[0]:
        return "the chains change value too seldom to tell how often they do. Take more draws."
    time, limit = float(found.time[0]), float(found.limit[0])
    if not found.known[0]:
        return (
            f"{S} draws of each chain are too few for chains that remember {time:.1f} draws or more. "
            f"Take at least {max(draws_needed(time), S + 1)}."
        )
    return (
        f"{S} draws of each chain are too few: chance alone brings R-hat to {limit:.2f}, and two modes might go "
        f"unnoticed (a limit of {LOOSE} is needed). Take more draws."
    )


def _standing_out(found: Agreement, values: np.ndarray) -> int | None:
    """A chain that never moves, or is away from all others; where several are away together, none stands out."""
    frozen, away = int(found.frozen[0]), int(found.away[0])
    if frozen >= 0:
        return frozen
    return away if outliers(values) == (away,) else None


def _complaint(found: Agreement, chain: int | None, C: int) -> str:
    rhat, limit = float(found.rhat[0]), float(found.limit[0])
    parts = []
    if found.frozen[0] >= 0:
        parts.append(f"chain {found.frozen[0]} never moves, while others do")
    if found.away[0] == chain and C > 2:
        parts.append(f"chain {found.away[0]} is away from the others")
    if found.drifts[0]:
        parts.append("all chains drift in the same direction")
    if not parts:
        parts = ["the chains disagree"]
    return f"{', and '.join(parts)}. R-hat is {rhat:.2f}, where chance explains up to {limit:.2f}."
