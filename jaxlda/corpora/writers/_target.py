"""Where files go: packed where the name says so, and replaced as a whole."""

import gzip
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["beside", "one_line", "written"]


def written(path: str | os.PathLike, content: bytes) -> Path:
    """Replace a file as a whole; one that ends in ``.gz`` is packed, the same content to the same bytes."""
    target = Path(path)
    if target.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    handle, name = tempfile.mkstemp(dir=target.resolve().parent, prefix=".", suffix=target.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)  # as any other file; that of mkstemp is the user's alone
        Path(name).replace(target.resolve())
    except BaseException:
        with suppress(FileNotFoundError):
            Path(name).unlink()
        raise
    return target


def beside(path: str | os.PathLike, ending: str) -> Path:
    """The file beside another one, whatever that is packed by.

    >>> beside("news/ap.dat.gz", ".vocab").as_posix()
    'news/ap.dat.vocab'
    """
    target = Path(path)
    return target.with_name(re.sub(r"\.gz$", "", target.name) + ending)


def one_line(text: str) -> str:
    r"""A text in one line.

    >>> one_line("a\n b\tc")
    'a b c'
    """
    return " ".join(text.split())
