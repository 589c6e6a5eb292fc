"""Reading of uploads in a process of its own: with bounds of memory and time, and an end when its tab has one.

Files come from anybody. A packed one may ask for much more than it has on disk, and Python cannot stop a thread; a
process can be stopped at any time, and takes nothing with it.
"""

import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

__all__ = ["Readings", "Request"]

SECONDS = 60.0
MEMORY = 2 << 30  # bytes, besides what the programs themselves take
UPLOADS = 1 << 30  # bytes
AT_ONCE = 2  # of all sessions together; one of each
START = "from jaxlda_app.reading import answer; answer()"
TOO_LONG = "This file takes longer than {:.0f} seconds to read here. Upload a part of it, or unpack it before."
TOO_LARGE = "This file takes more memory than this server gives to an upload. Upload a part of it."


class Request(NamedTuple):
    """What to do with files: ``getattr(jaxlda_app.sources, task)(files, **options)``."""

    task: str
    files: Mapping[str, bytes]
    options: Mapping[str, Any]


class _Reading:
    """One request, its thread and its process."""

    def __init__(self, request: Request, then: Callable[[Any], None], otherwise: Callable[[str], None]) -> None:
        self.request, self.then, self.otherwise = request, then, otherwise
        self.process: subprocess.Popen[bytes] | None = None
        self.cancelled = threading.Event()
        self.lock = threading.Lock()

    def start(self) -> subprocess.Popen[bytes] | None:
        """Start the process, unless nobody wants it any more."""
        with self.lock:
            if not self.cancelled.is_set():
                paths = os.pathsep.join(path for path in sys.path if path)
                one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
                self.process = subprocess.Popen(
                    [sys.executable, "-c", START],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=os.environ | one | {"PYTHONPATH": paths, "JAX_PLATFORMS": "cpu"},
                    start_new_session=True,  # Ctrl-C is for the server, which ends it
                )
            return self.process

    def cancel(self) -> None:
        """End it; nobody is told."""
        self.cancelled.set()
        with self.lock:
            if self.process is not None:
                self.process.kill()


class Readings:
    """All that is being read, by the sessions that asked for it.

    Parameters
    ----------
    seconds, memory
        What a reading may take.
    at_once
        How many run; the others wait.
    uploads
        Bytes of files that the server keeps for all sessions together.
    """

    def __init__(
        self, seconds: float = SECONDS, memory: int = MEMORY, at_once: int = AT_ONCE, uploads: int = UPLOADS
    ) -> None:
        self.seconds, self.memory, self.uploads = seconds, memory, uploads
        self._held: dict[Hashable, int] = {}
        self._slots = threading.Semaphore(at_once)
        self._lock = threading.Lock()
        self._of: dict[Hashable, _Reading] = {}

    @property
    def number(self) -> int:
        """How many there are, with those that wait."""
        with self._lock:
            return len(self._of)

    def hold(self, owner: Hashable, size: int) -> bool:
        """Keep so many bytes of files for a session, instead of those before; False if there is no room."""
        with self._lock:
            if sum(self._held.values()) - self._held.get(owner, 0) + size > self.uploads:
                return False
            self._held[owner] = size
            return True

    def start(
        self,
        owner: Hashable,
        request: Request,
        then: Callable[[Any], None],
        otherwise: Callable[[str], None],
    ) -> None:
        """Read for a session, which gives up what it was reading before; ``then(result)`` or ``otherwise(words)``.

        Both are called by a thread of this.
        """
        reading = _Reading(request, then, otherwise)
        with self._lock:
            before = self._of.pop(owner, None)
            self._of[owner] = reading
        if before is not None:
            before.cancel()
        threading.Thread(target=self._read, args=(owner, reading), name="jaxlda-reading", daemon=True).start()

    def forget(self, owner: Hashable) -> None:
        """End what a session reads, and make room for the files of others."""
        with self._lock:
            reading = self._of.pop(owner, None)
            self._held.pop(owner, None)
        if reading is not None:
            reading.cancel()

    def close(self) -> None:
        """End all."""
        with self._lock:
            all_of_them, self._of = list(self._of.values()), {}
        for reading in all_of_them:
            reading.cancel()

    def _read(self, owner: Hashable, reading: _Reading) -> None:
        while not self._slots.acquire(timeout=0.1):
            if reading.cancelled.is_set():
                return
        try:
            kind, result = self._answered(reading)
        finally:
            self._slots.release()
            with self._lock:
                if self._of.get(owner) is reading:
                    del self._of[owner]
        if not reading.cancelled.is_set():
            reading.then(result) if kind == "result" else reading.otherwise(result)

    def _answered(self, reading: _Reading) -> tuple[str, Any]:
        process = reading.start()
        if process is None:
            return "error", ""
        asked = pickle.dumps((self.memory, self.seconds, *reading.request))
        try:
            answer, _ = process.communicate(asked, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "error", TOO_LONG.format(self.seconds)
        with suppress(EOFError, pickle.UnpicklingError):
            if process.returncode == 0:
                kind, result = pickle.loads(answer)  # of our own process
                return kind, result
        return "error", TOO_LARGE


# ------------------------------------------------------------------------------------------------ in the other process


def answer() -> None:
    """Read what the standard input asks for, and write the result to the standard output."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anybody prints is no part of it
    memory, seconds, task, files, options = pickle.load(sys.stdin.buffer)  # of the server
    with suppress(OSError, AttributeError):
        os.nice(10)
    warnings.simplefilter("ignore")
    from jaxlda_app import sources

    _limit(memory, seconds)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        result = ("result", getattr(sources, task)(files, **options))
        content = pickle.dumps(result)
    except ValueError as error:
        content = pickle.dumps(("error", str(error)))
    except MemoryError:
        content = pickle.dumps(("error", TOO_LARGE))
    output.write(content)
    output.flush()
    os._exit(0)


def _limit(memory: int, seconds: float) -> None:
    """Bound what this process may take from now on."""
    try:
        import resource
    except ImportError:  # there is none on Windows, where the time alone is bounded, by the server
        return
    with suppress(OSError, ValueError, IndexError):
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, taken + memory))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 5, int(seconds) + 5))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # it has nothing to write


def _end_with_the_server() -> None:
    """A server that was killed cannot end its readers; they notice that they have another parent."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
