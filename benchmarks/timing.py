"""Timing several programs by turns, so that what disturbs the machine disturbs all of them."""

import time
from collections.abc import Callable

__all__ = ["by_turns", "once"]


def once(action: Callable[[], object]) -> float:
    """Seconds one call takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def by_turns(actions: dict[str, Callable[[], object]], rounds: int = 5) -> dict[str, float]:
    """Run every action once to warm up, then by turns; give the seconds of the best round of each."""
    for action in actions.values():
        action()
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(once(action))
    return {name: min(values) for name, values in times.items()}
