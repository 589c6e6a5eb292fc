"""Cases of a test that the short tests take, and those that only the gate does."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from jaxlda.kernels import KERNELS

__all__ = ["EVERY", "SHORT", "VARIANTS", "each_kernel", "each_on", "mostly_slow"]

# Options that make another sampler of a kernel: held to all laws too, most of them on demand.
VARIANTS = ["blocks(workers=3)", "pcgs(theta='drawn')", "warp(delayed=False)", "warp(steps=2)", "light(delayed=False)"]
EVERY = [*KERNELS, *VARIANTS]
SHORT = ["cgs", "cvb0", "warp"]  # one that draws, one that does not, one by proposals


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


def each_kernel() -> list[Any]:
    """Every kernel; three of them are short, and what options make of them is tried on demand."""
    return mostly_slow(EVERY, *SHORT, hours=lambda kernel: kernel in VARIANTS)


def each_on(corpora: Iterable[str]) -> list[Any]:
    """Every kernel on every corpus; short are three of them on the mixed one, and CGS on the one of few labels.

    Two kernels are tried on all corpora by the gate, the others on the labelled one; all of them, and what options
    make of them, on demand.
    """
    short = [*((kernel, "mixed") for kernel in SHORT), ("cgs", "few labels")]
    cases = [(kernel, corpus) for kernel in EVERY for corpus in corpora]

    def rare(case: tuple[str, str]) -> bool:
        return case[0] in VARIANTS or (case[0] not in ("cgs", "cvb0") and case[1] != "labelled")

    return mostly_slow(cases, *short, hours=rare)
