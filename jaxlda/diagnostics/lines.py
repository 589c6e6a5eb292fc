"""The numbers of every quantity of a run, one line for each."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from jaxlda.diagnostics.agreement import FEW, Agreement, compare
from jaxlda.diagnostics.arviz import ess, mcse
from jaxlda.diagnostics.assessment import draws_needed
from jaxlda.diagnostics.quantities import Quantity

__all__ = ["Line", "Note", "lines_of", "sweeps_to"]

Note = Literal["", "R-hat", "away", "frozen", "drifts", "few", "seldom", "still", "stuck", "unknown"]


class Line(NamedTuple):
    """What is known of one quantity. NaN: cannot be assessed."""

    quantity: str
    kind: str
    topic: int | None
    mean: float
    sd: float
    mcse: float
    ess_bulk: float
    ess_tail: float
    rhat: float
    limit: float
    """Higher, R-hat is more than chance explains among draws so few and so correlated."""
    time: float
    """The correlation time in draws, on the cautious side."""
    converged: bool | None
    """``None``: cannot be assessed."""
    note: Note
    """Why it is not converged or cannot be assessed, in a word. ``"stuck"`` is still, at different values."""


def lines_of(quantities: Sequence[Quantity], false_alarms: float) -> tuple[Line, ...]:
    """Judge every quantity; they share the false alarms."""
    notes = [_obvious(one.draws) for one in quantities]
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, (one, note) in enumerate(zip(quantities, notes, strict=True)):
        if not note:
            groups[one.draws.shape].append(i)
    share = false_alarms / max(sum(map(len, groups.values())), 1)
    judged: dict[int, tuple[Agreement, int]] = {}
    for numbers in groups.values():
        found = compare(np.stack([quantities[i].draws for i in numbers]).astype(np.float64), share)
        judged |= {i: (found, at) for at, i in enumerate(numbers)}
    return tuple(_line(one, note, judged.get(i)) for i, (one, note) in enumerate(zip(quantities, notes, strict=True)))


def _obvious(draws: np.ndarray) -> Note:
    """Why there is nothing to compute; empty if there is."""
    if min(draws.shape) == 0 or draws.shape[0] < 2 or draws.shape[1] < FEW or not np.isfinite(draws).all():
        return "unknown"
    if (np.ptp(draws, axis=1) == 0).all():
        return "stuck" if np.ptp(draws) > 0 else "still"
    return ""


def _line(one: Quantity, note: Note, judged: tuple[Agreement, int] | None) -> Line:
    x = one.draws
    mean, sd = (float(x.mean()), float(x.std())) if x.size else (math.nan, math.nan)
    numbers = (one.name, one.kind, one.topic, mean, sd, mcse(x), ess(x), ess(x, "tail"))
    if judged is None:
        return Line(*numbers, math.nan, math.nan, math.nan, None, note)
    found, i = judged
    converged, note = _judged(found, i)
    limit = float(found.limit[i]) if found.told[i] else math.nan
    return Line(*numbers, float(found.rhat[i]), limit, float(found.time[i]), converged, note)


def _judged(found: Agreement, i: int) -> tuple[bool | None, Note]:
    if found.apart[i]:
        return False, "frozen" if found.frozen[i] >= 0 else "R-hat" if found.rhat[i] > found.limit[i] else "away"
    if found.drifts[i]:  # that can be told from fewer draws, too
        return False, "drifts"
    if found.passed[i]:
        return True, ""
    return None, "seldom" if found.seldom[i] else "few"


def sweeps_to(target: float | int, lines: Sequence[Line], num_draws: int, spacing: float) -> int | None:
    """Sweeps until every quantity can be assessed and reaches the target ESS; ``None`` if no number can be given."""
    needed = num_draws
    for line in lines:
        if line.note == "few" and math.isnan(line.ess_bulk):
            return None
        if line.note == "few" and not math.isnan(line.time):
            needed = max(needed, draws_needed(line.time))
    lowest = min((x for line in lines for x in (line.ess_bulk, line.ess_tail) if not math.isnan(x)), default=None)
    if lowest is None:
        return None
    needed = max(needed, math.ceil(num_draws * target / lowest))
    return math.ceil((needed - num_draws) * spacing)
