"""Cases of a test that the short tests take, and those that only the gate does."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from jaxlda.kernels import KERNELS

__all__ = ["EVERY", "SHORT", "VARIANTS", "each_kernel", "each_on", "mostly_slow", "on_demand"]

# Options that make another sampler of a kernel: held to all laws too, most of them on demand.
VARIANTS = ["blocks(workers=3)", "pcgs(theta='drawn')", "warp(delayed=False)", "warp(steps=2)", "light(delayed=False)"]
EVERY = [*KERNELS, *VARIANTS]
SHORT = ["cgs", "cvb0"]  # one that draws, one that does not


def mostly_slow(cases: Iterable[Any], *short: Any, hours: Callable[[Any], bool] = lambda case: False) -> list[Any]:
    """All cases, for ``pytest.mark.parametrize``; those that are not named here are slow, or run on demand.

    >>> [case.values[0] for case in mostly_slow(["a", "b", "c"], "b") if not case.marks]
    ['b']
    """
    cases = list(cases)
    assert set(short) <= set(cases), "a short case that there is not"
    rows = [(case, case if type(case) is tuple else (case,)) for case in cases]

    def mark(case: Any) -> Any:
        return () if case in short else pytest.mark.hours if hours(case) else pytest.mark.slow

    return [pytest.param(*row, marks=mark(case)) for case, row in rows]


def on_demand(cases: Iterable[Any], *short: Any) -> list[Any]:
    """All cases, for ``pytest.mark.parametrize``; those that are not named here run on demand (``make hours``)."""
    return mostly_slow(cases, *short, hours=lambda case: True)


def each_kernel() -> list[Any]:
    """Every kernel; two of them are short, and what options make of them is tried on demand."""
    return mostly_slow(EVERY, *SHORT, hours=lambda kernel: kernel in VARIANTS)


def each_on(corpora: Iterable[str]) -> list[Any]:
    """Every kernel on every corpus; short are two of them on the mixed one.

    The gate tries all kernels on the labelled one, and CGS where documents have few labels; on demand are the others,
    and what options make of them.
    """
    short = [(kernel, "mixed") for kernel in SHORT]
    cases = [(kernel, corpus) for kernel in EVERY for corpus in corpora]

    def rare(case: tuple[str, str]) -> bool:
        return case[0] in VARIANTS or (case[1] != "labelled" and case != ("cgs", "few labels"))

    return mostly_slow(cases, *short, hours=rare)
