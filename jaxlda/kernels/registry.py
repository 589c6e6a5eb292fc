"""Algorithms by name: what users choose, files store, and pickles make anew."""

import copyreg
import inspect
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from jaxlda.types import Algorithm, Data, Online

__all__ = ["KERNELS", "WRAPPERS", "kernel", "unchanged", "wrapper"]

KERNELS: dict[str, Callable[..., Algorithm]] = {}
"""Every algorithm by the name users choose it with. Those of one's own are put here by ``@kernel``."""
WRAPPERS: dict[str, Callable[..., Algorithm]] = {}
"""Functions that take an algorithm and return one, by name."""

Options = ParamSpec("Options")
Made = TypeVar("Made", Algorithm, Online)


def unchanged(state: Any, data: Data) -> Data:
    """The view of an algorithm that learns and draws nothing but z: the data as they are."""
    return data


def same_for_same_options(make: Callable[Options, Made]) -> Callable[Options, Made]:
    """Make a function return the very same algorithm for the same options: its compiled programs are found again."""
    signature = inspect.signature(make)

    @lru_cache(maxsize=256)
    def of(*options: tuple[str, Any]) -> Made:
        return make(**dict(options))  # type: ignore[call-arg]

    @wraps(make)
    def made(*args: Options.args, **kwargs: Options.kwargs) -> Made:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return of(*bound.arguments.items())

    return made


def kernel(make: Callable[Options, Algorithm]) -> Callable[Options, Algorithm]:
    """Register a function that makes an algorithm, under the function's name.

    Its parameters are the algorithm's options: hashable, with defaults, and given to ``Algorithm`` as they were taken.

    >>> @kernel
    ... def lazy(speed: float = 0.0) -> Algorithm:
    ...     nothing = (lambda *args: None,) * 6
    ...     return Algorithm("lazy", (("speed", speed),), *nothing)
    >>> KERNELS.pop("lazy")(0.0) is lazy()
    True
    """
    KERNELS[make.__name__] = registered = same_for_same_options(make)
    return registered


def wrapper(make: Callable[Options, Algorithm]) -> Callable[Options, Algorithm]:
    """Register a function that takes an algorithm and returns one; the first of its options is ``algorithm``."""
    WRAPPERS[make.__name__] = registered = same_for_same_options(make)
    return registered


def made_anew(name: str, options: tuple[tuple[str, Any], ...]) -> Algorithm | None:
    """The algorithm of a name and options, or ``None`` where no function of that name is registered."""
    make = KERNELS.get(name) or WRAPPERS.get(name)
    return None if make is None else make(**dict(options))


def _reduced(algorithm: Algorithm) -> tuple:
    # By name and options: a copy is the same algorithm and finds its compiled programs; closures could not be copied.
    if made_anew(algorithm.name, algorithm.options) == algorithm:
        return made_anew, (algorithm.name, algorithm.options)
    return Algorithm, tuple(algorithm)


copyreg.pickle(Algorithm, _reduced)  # type: ignore[arg-type]
