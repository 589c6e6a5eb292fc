"""What the chains of a block of sweeps bring home: rows of the trace and draws, chains in order."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from jaxlda.running.parts import Part
from jaxlda.running.placement import Group
from jaxlda.running.results import Run, Trace
from jaxlda.running.sizes import cut_draw, sizes_of

__all__ = ["Done", "Row", "extended"]

Row = dict[str, Any]
"""What is noted after one sweep of a group of chains, by name."""

Done = tuple[Part, list[Row], list[dict[str, Any]]]
"""A group of chains after a block of sweeps, a row for each sweep, and what is kept of each draw."""


def extended(run: Run, sweep: int, done: Sequence[Done]) -> Run:
    """The run with a block of sweeps, up to the one given."""
    parts, rows, draws = zip(*done, strict=True)
    groups, sizes, each = [part.group for part in parts], sizes_of(run.data), list(zip(*draws, strict=True))
    kept = {
        name: (*before, *(cut_draw(name, _gathered(groups, [one[name] for one in draw]), sizes) for draw in each))
        for name, before in run.kept.items()
    }
    trace = _extended_trace(run.trace, groups, rows, run.sweep)
    return replace(run, parts=parts, sweep=sweep, trace=trace, kept=kept)


def _gathered(groups: Sequence[Group], values: Sequence[Any]) -> np.ndarray:
    """Put what each group says of its chains into one array, chains in order."""
    rows: dict[int, np.ndarray] = {}
    for group, value in zip(groups, values, strict=True):
        array = np.asarray(value)
        rows |= {chain: array[i] if group.batched else array for i, chain in enumerate(group.chains)}
    return np.stack([rows[chain] for chain in sorted(rows)])


def _extended_trace(trace: Trace, groups: Sequence[Group], rows: Sequence[list[Row]], done: int) -> Trace:
    """The trace with the sweeps of a block; series that begin later are NaN before."""
    num_chains = sum(len(group.chains) for group in groups)
    sweeps = list(zip(*rows, strict=True))

    def column(name: str, sweep: tuple[Row, ...]) -> np.ndarray:
        if name not in sweep[0]:
            return np.full(num_chains, np.nan)
        return _gathered(groups, [row[name] for row in sweep]).astype(np.float64)

    names = {*trace, *(name for sweep in sweeps for name in sweep[0])}
    before = np.full((num_chains, done), np.nan)
    return {
        name: np.concatenate([trace.get(name, before), np.stack([column(name, s) for s in sweeps], axis=1)], axis=1)
        for name in sorted(names)
    }
