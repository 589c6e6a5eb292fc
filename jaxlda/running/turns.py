"""Programs are compiled once, also when the chains of several threads need them at the same moment."""

from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from threading import Lock

__all__ = ["Turns"]


class Turns:
    """Makes threads take turns at the first call of each program, by a lock that they share.

    JAX compiles a program in every thread that calls it before one of them is done.

    >>> lock = Lock()
    >>> turns = Turns(lock)
    >>> with turns("sweep"):
    ...     lock.locked()
    True
    >>> with turns("sweep"):
    ...     lock.locked()
    False
    """

    def __init__(self, lock: Lock):
        self.lock = lock
        self.taken: set[Hashable] = set()

    def __call__(self, program: Hashable) -> AbstractContextManager:
        """Wait for the lock before the first call of a program."""
        if program in self.taken:
            return nullcontext()
        self.taken.add(program)
        return self.lock
