"""Cases of a test that the short tests take, and those that only the gate does."""

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["mostly_slow"]


def mostly_slow(cases: Iterable[Any], *short: Any) -> list[Any]:
    """All cases, for ``pytest.mark.parametrize``; those that are not named here are slow.

    >>> [case.values[0] for case in mostly_slow(["a", "b", "c"], "b") if not case.marks]
    ['b']
    """
    cases = list(cases)
    assert set(short) <= set(cases), "a short case that there is not"
    rows = [(case, case if isinstance(case, tuple) else (case,)) for case in cases]
    return [pytest.param(*row, marks=() if case in short else pytest.mark.slow) for case, row in rows]
