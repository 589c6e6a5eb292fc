"""Ctrl-C while chains run: it stops them, and what they have is kept, even if somebody is impatient."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Patience", "patient"]

_GIVES_UP = 4  # the press of Ctrl-C that throws everything away


class Patience:
    """How often Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.pressed = 0

    def keep(self) -> None:
        """From now on there is something to keep: the next Ctrl-C interrupts nothing."""
        self.pressed = max(self.pressed, 1)

    def press(self, number: int, frame: FrameType | None) -> None:
        """Interrupt, the first time; later, say what is being done."""
        self.pressed += 1
        if self.pressed == 1 or self.pressed >= _GIVES_UP:
            raise KeyboardInterrupt
        more = _GIVES_UP - self.pressed
        times = "once more" if more == 1 else f"{more} times more"
        print(f"Stopping; keeping what was sampled. To lose it, press Ctrl-C {times}.", file=sys.stderr, flush=True)


@contextmanager
def patient() -> Iterator[Patience]:
    """Inside, only the first Ctrl-C interrupts, and at last the fourth: those between would lose what was computed.

    Where somebody else takes care of Ctrl-C, and in threads, which are never told of it, nothing changes.

    >>> with patient() as patience:
    ...     patience.keep()
    ...     signal.raise_signal(signal.SIGINT)  # interrupts nothing
    """
    patience = Patience()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield patience
        return
    signal.signal(signal.SIGINT, patience.press)
    try:
        yield patience
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
