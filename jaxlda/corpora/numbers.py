"""Whole numbers that users give, checked, with errors that name them."""

import operator
from typing import Any

__all__ = ["checked_seed", "natural", "positive_int"]


def positive_int(value: Any, name: str) -> int:
    """``value`` as an int of at least 1, or an error that names it."""
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer; got {value!r}") from None
    if isinstance(value, bool) or size < 1:
        raise ValueError(f"{name} must be at least 1; got {value!r}")
    return size


def natural(value: Any, name: str) -> int:
    """``value`` as an int of at least 0, or an error that names it.

    >>> natural(2.5, "num_warmup")
    Traceback (most recent call last):
    ...
    TypeError: num_warmup must be an integer; got 2.5
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer; got {value!r}") from None
    if number < 0:
        raise ValueError(f"{name} must not be negative; got {value!r}")
    return number


def checked_seed(seed: Any) -> int:
    """The seed, if it has at most 32 bits (JAX silently drops the others).

    >>> checked_seed(-1)
    Traceback (most recent call last):
    ...
    ValueError: seed must not be negative; got -1
    """
    if (value := natural(seed, "seed")) >= 2**32:
        raise ValueError(f"seed must be below 2**32; got {seed!r}")
    return value
