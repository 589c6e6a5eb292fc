"""Files replaced as a whole: whatever happens, there is either the old one or the new one."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["check_writable", "replace_file", "replacing"]


def check_writable(path: str | os.PathLike) -> None:
    """Raise now what writing the file later would raise, if that can be known.

    >>> check_writable("no such folder/file")
    Traceback (most recent call last):
    ...
    FileNotFoundError: there is no folder 'no such folder' to write 'file' to; make it first
    """
    target = Path(path)
    folder = Path(os.path.realpath(path)).parent
    if target.is_dir():
        raise IsADirectoryError(f"'{target}' is a folder; give the path of a file in it")
    if target.exists() and not target.is_file():
        raise ValueError(f"'{target}' is not a file but a device or the like; give the path of a file")
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder '{target.parent}' to write '{target.name}' to; make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"no permission to write '{target.name}' to the folder '{target.parent}'")


def replace_file(path: str | os.PathLike, content: bytes) -> None:
    """Write a file, or what it shall hold from now on; of a link, the file that it points to.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     replace_file(f"{folder}/a.txt", b"cat")
    ...     Path(f"{folder}/a.txt").read_bytes()
    b'cat'
    """
    with replacing(Path(path).resolve()) as file:
        file.write(content)


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file beside the target that takes its place once all is written.

    Its name is always the same, so that what a killed process left is overwritten by the next.
    """
    path = target.with_name(f".{target.name}.tmp")
    with os.fdopen(_alone(path), "w+b") as file:
        try:
            if target.exists() and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))  # who may read it does not change
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is None:
                file.close()  # Windows moves closed files only
            os.replace(path, target)
        except BaseException as error:
            path.unlink(missing_ok=True)
            if isinstance(error, OSError) and error.errno is not None and error.filename is None:
                error.filename = str(target)  # of a full disk, the system does not say where
            raise
    with suppress(OSError):  # some systems cannot do this to folders; then only a power failure is a danger
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _alone(path: Path) -> int:
    """Open a file that nobody else is writing: others wait for their turn. A process that dies lets go of it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        try:
            handle = os.open(path, flags, 0o666)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise ValueError(f"'{path}' is a link, which is where a temporary file must be; remove it") from error
            raise
        if fcntl is None:
            break
        with suppress(OSError):  # where there are no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(handle)):
                break
        os.close(handle)  # it was moved by whoever had it before us
    os.ftruncate(handle, 0)
    return handle
