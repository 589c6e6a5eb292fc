"""Algorithms by name: what users choose, files store, and pickles make anew."""

import copyreg
import inspect
import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from jaxlda.types import Algorithm, Data, Online

__all__ = ["DEFERRED", "KERNELS", "ONLINE", "WRAPPERS", "deferred", "kernel", "online", "unchanged", "wrapper"]

KERNELS: dict[str, Callable[..., Algorithm]] = {}
"""Every algorithm by the name users choose it with. Those of one's own are put here by ``@kernel``."""
WRAPPERS: dict[str, Callable[..., Algorithm]] = {}
"""Functions that take an algorithm and return one, by name."""
DEFERRED: dict[str, Callable[..., Algorithm]] = {}
"""What stands for an algorithm that is chosen when the data are known, by name."""
ONLINE: dict[str, Callable[..., Online]] = {}
"""Algorithms for mini-batches, by name."""

Options = ParamSpec("Options")
Made = TypeVar("Made", Algorithm, Online)


def unchanged(state: Any, data: Data) -> Data:
    """The view of an algorithm that learns and draws nothing but z: the data as they are."""
    return data


def same_for_same_options(make: Callable[Options, Made]) -> Callable[Options, Made]:
    """Make a function return the very same algorithm for the same options: its compiled programs are found again."""
    signature = inspect.signature(make)
    lock = threading.RLock()  # two threads that ask at once must get the same one

    @cache
    def of(*options: tuple[str, Any]) -> Made:
        return make(**dict(options))  # type: ignore[call-arg]

    @wraps(make)
    def made(*args: Options.args, **kwargs: Options.kwargs) -> Made:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        with lock:
            found = of(*bound.arguments.items())
            return found if found.options == tuple(bound.arguments.items()) else of(*found.options)

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


def deferred(make: Callable[Options, Algorithm]) -> Callable[Options, Algorithm]:
    """Register a function that makes what stands for an algorithm yet to be chosen."""
    DEFERRED[make.__name__] = registered = same_for_same_options(make)
    return registered


def online(make: Callable[Options, Online]) -> Callable[Options, Online]:
    """Register a function that makes an algorithm for mini-batches, under the function's name."""
    ONLINE[make.__name__] = registered = same_for_same_options(make)
    return registered


def made_anew(name: str, options: tuple[tuple[str, Any], ...]) -> Any:
    """The algorithm of a name and options, or ``None`` where no function of that name is registered."""
    make = KERNELS.get(name) or WRAPPERS.get(name) or DEFERRED.get(name) or ONLINE.get(name)
    return None if make is None else make(**dict(options))


def _reduced(algorithm: Algorithm | Online) -> tuple:
    # By name and options: a copy is the same algorithm and finds its compiled programs; closures could not be copied.
    if made_anew(algorithm.name, algorithm.options) == algorithm:
        return made_anew, (algorithm.name, algorithm.options)
    return type(algorithm), tuple(algorithm)


for kind in (Algorithm, Online):
    copyreg.pickle(kind, _reduced)  # type: ignore[arg-type]
