"""Several processes that run one program, as ``jax.distributed`` starts them: what they must agree on.

Every process calls the same functions in the same order. What a clock or a disk says may differ between them, so that
the first process decides; what users give must not differ, and is compared.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from jaxlda.corpora.repeated import Repeated

__all__ = ["agreed", "asked_to_stop", "check_same", "is_first", "most", "on_host", "others_may_end", "several"]


def several() -> bool:
    """Whether this process is one of several."""
    return jax.process_count() > 1


def is_first() -> bool:
    """Whether this is the process that writes files and shows progress; the only one is.

    >>> is_first()
    True
    """
    return jax.process_index() == 0


def agreed(number: int) -> int:
    """The number that the first process gives, for all of them; of at most 32 bits.

    >>> agreed(3)
    3
    """
    if not several():
        return number
    from jax.experimental import multihost_utils

    return int(multihost_utils.broadcast_one_to_all(np.uint32(number)))


def most(numbers: np.ndarray) -> np.ndarray:
    """The maximum over all processes, number by number.

    >>> most(np.array([1, 2])).tolist()
    [1, 2]
    """
    return numbers if not several() else _of_all(numbers.astype(np.uint32)).max(axis=0).astype(np.int64)


def _of_all(numbers: np.ndarray) -> np.ndarray:
    from jax.experimental import multihost_utils

    return np.asarray(multihost_utils.process_allgather(numbers))


def on_host(x: Any) -> np.ndarray:
    """An array on the host, wherever its parts are; all processes must ask for it."""
    if not isinstance(x, jax.Array) or x.is_fully_addressable or x.is_fully_replicated:
        return np.asarray(x)
    from jax.experimental import multihost_utils

    return np.asarray(multihost_utils.process_allgather(x, tiled=True))


def check_same(given: Mapping[str, Any]) -> None:
    """Refuse to start if processes were given different things; arrays are compared by checksum."""
    if not several():
        return
    sums = _of_all(np.array([_checksum(value) for value in given.values()], np.uint32))
    for name, column in zip(given, sums.T, strict=True):
        if len(set(column.tolist())) > 1:
            raise ValueError(
                f"the processes of this run were given different {name}: start all of them with the same documents, "
                "options and seed, and a checkpoint that all of them can read"
            )


def _checksum(tree: Any) -> int:
    total = 0
    for leaf in jax.tree.leaves(tree):
        if isinstance(leaf, Repeated):
            total = zlib.crc32(repr([_checksum(leaf.values), _checksum(leaf.times)]).encode(), total)
        elif isinstance(leaf, np.ndarray | jax.Array):
            array: Any = np.ascontiguousarray(leaf)
            total = zlib.crc32(array.reshape(-1).view(np.uint8), total)
        else:
            total = zlib.crc32(repr(leaf).encode(), total)
    return total


def asked_to_stop(ask: Callable[[Any], object], now: Any) -> bool:
    """Whether any process is told to stop by what it asks; where asking fails, all of them fail.

    Otherwise the others would wait for the one that has failed, in the middle of the next sweep.

    >>> asked_to_stop(lambda now: now > 1, 2)
    True
    """
    if not several():
        return ask(now) is True
    failure = None
    try:
        answer = int(ask(now) is True)
    except Exception as error:
        failure, answer = error, 2
    answer = int(most(np.array([answer]))[0])
    if failure is not None:
        raise failure
    if answer == 2:
        raise RuntimeError("another process of this run has failed; it says why. The last checkpoint stands")
    return answer == 1


@contextmanager
def others_may_end() -> Iterator[None]:
    """Say clearly what it means when a computation fails because another process is no longer there."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if not several():
            raise
        raise RuntimeError(
            f"process {jax.process_index()} of {jax.process_count()} cannot go on: another process of this run has "
            "ended, or cannot be reached. Start all of them again: with a checkpoint they go on from there, also if "
            f"they are fewer or more than before. (JAX says: {str(error).splitlines()[0]:.300})"
        ) from error
