"""Checkpoints: when to write one, and whether one that is found may be continued."""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from numbers import Real
from reprlib import repr as short
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from jaxlda.corpora.callers import warn
from jaxlda.corpora.comparing import same
from jaxlda.kernels.names import find
from jaxlda.running.processes import agreed, is_first
from jaxlda.running.results import Run

__all__ = ["Checkpoint", "Termination", "changes", "checked_checkpoint"]

SHARE = 0.02  # of the time is spent on writing, at most


def checked_checkpoint(path: Any, every: Any) -> tuple[str | os.PathLike, float]:
    """Path and interval of checkpoints, or an error that names the one that is wrong.

    >>> checked_checkpoint("run.jaxlda", -1)
    Traceback (most recent call last):
    ...
    ValueError: checkpoint_every must be a number of seconds, not negative; got -1
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"checkpoint must be the path of a file, or None; got {path!r}")
    if isinstance(every, bool) or not isinstance(every, Real):
        raise TypeError(f"checkpoint_every must be a number of seconds; got {every!r}")
    if not float(every) >= 0:
        raise ValueError(f"checkpoint_every must be a number of seconds, not negative; got {every!r}")
    return path, float(every)


class Checkpoint:
    """Writes the run it is shown, whenever a checkpoint is due.

    That is ``every`` so many seconds, or as seldom as it takes to spend no more than ``SHARE`` of the time on writing.
    Of several processes the first one decides, and writes; all are shown the run, because each has a part of it.
    """

    def __init__(self, path: str | os.PathLike, every: float, write: Callable[[Run], None]):
        self.path, self.every, self.write = path, every, write
        self.due = time.monotonic() + every
        self.written: Run | None = None

    def __call__(self, run: Run) -> None:
        """Write the run if it is time."""
        if agreed(time.monotonic() >= self.due):
            self.now(run)

    def now(self, run: Run) -> None:
        """Write the run, unless it was written. If that fails, sampling goes on: the run in memory is worth more."""
        if run is self.written:
            return
        began = time.monotonic()
        whole = run.gathered()
        try:
            if is_first():
                self.write(whole)
            self.written = run
        except OSError as error:
            warn(
                f"The checkpoint {os.fspath(self.path)!r} could not be written at sweep {run.sweep}: "
                f"{error.strerror or error}",
                RuntimeWarning,
            )
        ended = time.monotonic()
        self.due = ended + max(self.every, (ended - began) * (1 / SHARE - 1))


class Termination:
    """Inside, SIGTERM stops sampling as Ctrl-C does, so that a last checkpoint is written; then it does what it did.

    That is to end the process (with the exit code 143), or whatever handler was there before, which is called at the
    end and put back. Python tells the main thread only of signals: in others nothing changes.
    """

    def __init__(self) -> None:
        self.sampling = True
        """Whether there is something to be stopped; later signals wait until all is written."""
        self._asked: tuple[int, FrameType | None] | None = None
        self._before: Any = signal.SIG_IGN

    def __enter__(self) -> "Termination":
        before = signal.getsignal(signal.SIGTERM)
        if threading.current_thread() is threading.main_thread() and before not in (signal.SIG_IGN, None):
            self._before = signal.signal(signal.SIGTERM, self._stop)
        return self

    def _stop(self, number: int, frame: FrameType | None) -> None:
        first, self._asked = self._asked is None, (number, frame)
        if first and self.sampling:
            raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is signal.SIG_IGN:
            return
        signal.signal(signal.SIGTERM, self._before)
        if self._asked is not None and callable(self._before):
            self._before(*self._asked)
        elif self._asked is not None:
            raise SystemExit(128 + signal.SIGTERM)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The parameters that have changed, in words; empty if none has.

    >>> changes({"seed": 1, "kernel": "cgs"}, {"seed": 2, "kernel": "cgs"})
    'seed was 1 and is 2'
    """
    names = [name for name in after if name not in before or not _same(name, before[name], after[name])]
    return ", ".join(f"{name} was {short(before.get(name))} and is {short(after[name])}" for name in names)


def _same(name: str, one: Any, other: Any) -> bool:
    if name == "kernel":
        return find(one) == find(other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same("", one[key], other[key]) for key in one)
    return same(one, other) or bool(np.array_equal(one, other))
