"""One owner at a time of a file that grows: two processes that continue it would undo each other's work."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

__all__ = ["owned"]


@contextmanager
def owned(path: str | os.PathLike, otherwise: str) -> Iterator[None]:
    """Be the only one who continues a file, or raise at once who does.

    The operating system holds the lock, and lets go of it when the process ends, however it ends. Beside the file
    stands ``.NAME.lock`` meanwhile, with the number of the process in it.

    Parameters
    ----------
    path
        The file, which need not exist yet; its folder must.
    otherwise
        What to do instead of waiting, for the message.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, owned(f"{folder}/a", "take b"), owned(f"{folder}/a", "take b"):
    ...     pass
    Traceback (most recent call last):
    ...
    BlockingIOError: '...a' is in use: process ... writes it. Wait for it to finish, stop it, or take b
    """
    target = Path(os.path.realpath(path))
    place = target.with_name(f".{target.name}.lock")
    lock = FileLock(place)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise BlockingIOError(
            f"'{os.fspath(path)}' is in use: {_owner(place)} writes it. Wait for it to finish, stop it, or {otherwise}"
        ) from None
    try:
        with suppress(OSError):  # on a full disk there is a lock all the same
            place.write_text(str(os.getpid()))
        yield
    finally:
        # Removed while it is held: whoever opened it in between sees that it has no name any more, and tries again.
        if os.name != "nt":
            place.unlink(missing_ok=True)
        lock.release()


def _owner(place: Path) -> str:
    with suppress(OSError, ValueError):
        return f"process {int(place.read_text()[:20])}"
    return "another process"
