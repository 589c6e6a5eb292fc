"""Cases of a test that the short tests take, and those that only the gate does."""

from collections.abc import Iterable
from typing import Any

import pytest

from jaxlda.kernels import KERNELS

__all__ = ["EVERY", "VARIANTS", "each_on", "mostly_slow"]

# Options that make another sampler of a kernel: held to all laws too, most of them slow.
VARIANTS = ["pcgs(theta='drawn')", "warp(delayed=False)", "warp(steps=2)", "light(delayed=False)"]
EVERY = [*KERNELS, *VARIANTS]


def mostly_slow(cases: Iterable[Any], *short: Any) -> list[Any]:
    """All cases, for ``pytest.mark.parametrize``; those that are not named here are slow.

    >>> [case.values[0] for case in mostly_slow(["a", "b", "c"], "b") if not case.marks]
    ['b']
    """
    cases = list(cases)
    assert set(short) <= set(cases), "a short case that there is not"
    rows = [(case, case if type(case) is tuple else (case,)) for case in cases]
    return [pytest.param(*row, marks=() if case in short else pytest.mark.slow) for case, row in rows]


def each_on(corpora: Iterable[str]) -> list[Any]:
    """Every kernel on every corpus; short are all of them on the mixed one, and CGS on the one of few labels."""
    short = [*((kernel, "mixed") for kernel in KERNELS), ("cgs", "few labels")]
    return mostly_slow([(kernel, corpus) for kernel in EVERY for corpus in corpora], *short)
