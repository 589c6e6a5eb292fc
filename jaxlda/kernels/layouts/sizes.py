"""Sizes that arrays are rounded up to: programs are compiled for a shape, and neighbours in size share one."""

from typing import Any

import numpy as np

__all__ = ["LARGE", "padded", "rounded_up"]

LARGE = 2**20  # what is larger is sampled for longer than it is compiled, and its memory counts


def rounded_up(n: int, least: int = 1024) -> int:
    """One of four sizes between a power of two and the next, and not too few of them; a large size is left as it is.

    >>> [rounded_up(n) for n in (0, 1000, 1025, 3_000_001)]
    [1024, 1024, 1280, 3000001]
    """
    if n > LARGE:
        return n
    step = 1 << max((n - 1).bit_length() - 3, 2)
    return max(-(-n // step) * step, least)


def padded(x: np.ndarray, size: int, value: int = 0, axis: int = 0) -> Any:
    """Lengthen one axis with entries of one value.

    >>> padded(np.ones(2), 3).tolist()
    [1.0, 1.0, 0.0]
    """
    width = [(0, 0)] * x.ndim
    width[axis] = (0, size - x.shape[axis])
    return np.pad(x, width, constant_values=value)
