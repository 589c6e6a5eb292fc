"""How much memory a run takes, and how much there is: asked before anything is allocated."""

import os
from contextlib import suppress
from pathlib import Path

from jaxlda.running.sizes import Sizes

__all__ = ["available", "check_memory", "needed", "total"]

_KEPT = 3  # tables of counts that each chain has: its own, and the sums of hard and of soft ones
_WORKING = 5  # those that one chain needs besides while its draw is looked at (measured)
_GUESS = 1 << 34


def total() -> int:
    """Bytes that this computer, or this container, has; a guess where it does not say."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else _GUESS]
    with suppress(OSError, ValueError):  # "max" where there is no limit
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(sizes)


def available() -> int:
    """Those that nobody uses; all of them where the system does not say.

    >>> 0 < available() <= total()
    True
    """
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
        return min(free, total())
    return total()


def needed(sizes: Sizes, num_chains: int, at_once: int) -> int:
    """Bytes that the counts of a run take, about: the tables of all chains, and what those that run at once need."""
    return 4 * sizes.K * (sizes.D + sizes.V) * (_KEPT * num_chains + _WORKING * min(at_once, num_chains))


def check_memory(sizes: Sizes, num_chains: int, at_once: int) -> None:
    """Refuse a run that this computer has not the memory for.

    >>> from jaxlda.running.sizes import Sizes
    >>> check_memory(Sizes(N=100, D=64, V=256, K=10**9), 4, 2)
    Traceback (most recent call last):
    ...
    ValueError: 1,000,000,000 topics of 256 words in 64 documents take about 28,160 GB in 4 chain(s), ...
    """
    size, there = needed(sizes, num_chains, at_once), available()
    if size > there:
        raise ValueError(
            f"{sizes.K:,} topics of {sizes.V:,} words in {sizes.D:,} documents take about {size / 1e9:,.0f} GB in "
            f"{num_chains} chain(s), and {there / 1e9:,.0f} GB are free: choose fewer topics or fewer chains"
        )
