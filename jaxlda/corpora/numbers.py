"""Numbers and choices that users give, checked, with errors that name them."""

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from jaxtyping import Bool, Float32

__all__ = ["checked_seed", "distributions", "natural", "one_of", "positive_int", "yes_or_no"]


def positive_int(value: Any, name: str) -> int:
    """``value`` as an int of at least 1, or an error that names it."""
    if isinstance(value, bool) or (number := _integer(value, name)) < 1:
        raise ValueError(f"{name} must be at least 1; got {value!r}")
    return number


def one_of(value: Any, name: str, choices: Iterable[str | None]) -> Any:
    """``value`` if it is one of the choices, or an error that names it.

    >>> one_of("map", "estimator", ("cgs_p", "cgs"))
    Traceback (most recent call last):
    ...
    ValueError: estimator must be 'cgs_p' or 'cgs'; got 'map'
    """
    known = tuple(choices)
    if not isinstance(value, str | None) or value not in known:
        *first, last = map(repr, known)
        several = f"{'one of ' * (len(first) > 1)}{', '.join(first)} or " if first else ""
        raise ValueError(f"{name} must be {several}{last}; got {value!r}")
    return value


def yes_or_no(value: Any, name: str) -> bool:
    """``value`` if it is true or false, or an error that names it: texts such as "no" are true to Python.

    >>> yes_or_no("no", "delayed")
    Traceback (most recent call last):
    ...
    TypeError: delayed must be True or False; got 'no'
    """
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def natural(value: Any, name: str) -> int:
    """``value`` as an int of at least 0, or an error that names it.

    >>> natural(2.5, "num_warmup")
    Traceback (most recent call last):
    ...
    TypeError: num_warmup must be an integer; got 2.5
    """
    if (number := _integer(value, name)) < 0:
        raise ValueError(f"{name} must not be negative; got {value!r}")
    return number


def _integer(value: Any, name: str) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer; got {value!r}") from None


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


def distributions(
    rows: Float32[np.ndarray, "rows size"], name: str, over: str, *, needed: Bool[np.ndarray, " rows"] | None = None
) -> Float32[np.ndarray, "rows size"]:
    """The rows, if each is a distribution; those that nobody needs may be zero everywhere.

    >>> distributions(np.array([[0.5, 0.7]], np.float32), "phi", "words")
    Traceback (most recent call last):
    ...
    ValueError: phi[0] sums to 1.2, not 1; divide each row by its sum
    """
    if not np.isfinite(rows).all() or (rows < 0).any():
        raise ValueError(f"{name} must be finite and not negative: each row is a distribution over {over}")
    sums = rows.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1)
    if needed is not None:
        off[(sums == 0) & ~needed] = 0
    if off.size and off.max() > 1e-3:
        i = int(np.argmax(off))
        raise ValueError(f"{name}[{i}] sums to {sums[i]:.6g}, not 1; divide each row by its sum")
    return rows
