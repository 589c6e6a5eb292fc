"""One command in several processes on this machine: started, watched and ended together."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

__all__ = ["is_child", "join", "output_is_ours", "run_all"]

ADDRESS, NUMBER = "JAXLDA_COORDINATOR", "JAXLDA_PROCESS"
HEARTBEAT = 30  # seconds until JAX takes a process that is not heard of for dead
GRACE = 3  # seconds to end in


def is_child() -> bool:
    """Whether this process is one of those that :func:`run_all` has started."""
    return NUMBER in os.environ


def join(num_processes: int) -> bool:
    """Connect to the other processes; give whether this is the first one, which prints for all."""
    import jax

    number = int(os.environ[NUMBER])
    jax.distributed.initialize(os.environ[ADDRESS], num_processes, number, heartbeat_timeout_seconds=HEARTBEAT)
    return number == 0


@contextmanager
def output_is_ours() -> Iterator[None]:
    """Send what libraries print meanwhile to the standard error: JAX announces processes that connect."""
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(ours, 1)
        os.close(ours)


def run_all(num_processes: int, file: Path, arguments: Sequence[str]) -> None:
    """Run the command in several processes, of which the first speaks; if one fails, or on Ctrl-C, end them all."""
    if str(file) == "-":
        raise ValueError("several processes cannot all read the standard input: give a file")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with ExitStack() as stack:
        told = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(num_processes)]
        children = stack.enter_context(_started(arguments, address, told))
        while any(child.poll() is None for child in children):
            if failed := [number for number, child in enumerate(children) if child.poll()]:
                time.sleep(0.5)  # the first may be about to say why
                raise ChildProcessError(_reason(failed[0], children, told))
            time.sleep(0.05)
        if failed := [number for number, child in enumerate(children) if child.returncode]:
            raise ChildProcessError(_reason(failed[0], children, told))


@contextmanager
def _started(arguments: Sequence[str], address: str, told: Sequence[IO[str]]) -> Iterator[list[subprocess.Popen]]:
    def ended(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    children: list[subprocess.Popen] = []
    before = signal.signal(signal.SIGTERM, ended)
    try:
        for number, errors in enumerate(told):
            children.append(
                subprocess.Popen(
                    [sys.executable, "-m", "jaxlda", *arguments],
                    env=os.environ | {ADDRESS: address, NUMBER: str(number)},
                    stdin=subprocess.DEVNULL,
                    stdout=None if number == 0 else subprocess.DEVNULL,
                    stderr=None if number == 0 else errors,
                    start_new_session=True,  # Ctrl-C comes to us alone: we end them
                )
            )
        yield children
    finally:
        for child in children:
            child.terminate()
        deadline = time.monotonic() + GRACE
        for child in children:
            try:
                child.wait(max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        signal.signal(signal.SIGTERM, before)


def _reason(number: int, children: Sequence[subprocess.Popen], told: Sequence[IO[str]]) -> str:
    told[number].seek(0)
    lines = [line for line in told[number].read().splitlines() if line.startswith("jaxlda ")]
    said = f" It said: {lines[-1]}." if lines else ""
    return (
        f"process {number} of {len(children)} has ended with the exit code {children[number].returncode}, and the "
        f"others were ended.{said} With --checkpoint the same command goes on, also with another number of processes"
    )
