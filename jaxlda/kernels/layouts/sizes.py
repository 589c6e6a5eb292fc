"""Sizes that arrays are rounded up to: programs are compiled for a shape, and neighbours in size share one."""

from typing import Any

import numpy as np

__all__ = ["LARGE", "padded", "rounded_up"]

LARGE = 2**20  # what is larger is sampled for longer than it is compiled, and its memory counts


def rounded_up(n: int, least: int = 1024) -> int:
    """The next of some sizes: few small ones, for what is small is sampled in less time than it is compiled.

    From the least on every second power of two, then every one, then four sizes to each. A large size is left as it is.

    >>> [rounded_up(n) for n in (0, 1025, 5000, 20_000, 70_000, 3_000_001)]
    [1024, 4096, 16384, 32768, 81920, 3000001]
    """
    if n > LARGE:
        return n
    power = (n - 1).bit_length()
    if n > 64 * least:
        step = 1 << (power - 3)
        return -(-n // step) * step
    above = max(power - (least - 1).bit_length(), 0)
    return least << (above + above % 2 if above < 4 else above)


def padded(x: np.ndarray, size: int, value: int = 0, axis: int = 0) -> Any:
    """Lengthen one axis with entries of one value.

    >>> padded(np.ones(2), 3).tolist()
    [1.0, 1.0, 0.0]
    """
    width = [(0, 0)] * x.ndim
    width[axis] = (0, size - x.shape[axis])
    return np.pad(x, width, constant_values=value)
