"""Where files go: packed where the name says so, and replaced as a whole."""

import gzip
import os
import re
from pathlib import Path

from jaxlda.corpora.replacing import replace_file

__all__ = ["beside", "one_line", "write_file"]


def write_file(path: str | os.PathLike, content: bytes) -> Path:
    """Replace a file as a whole; one that ends in ``.gz`` is packed, the same content to the same bytes."""
    target = Path(path)
    if target.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    replace_file(target, content)
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
