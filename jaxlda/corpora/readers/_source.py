"""Files as bytes, lines and numbers: of bounded size, checked, and with errors that name the file and the line."""

import dataclasses
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64, UInt8

from jaxlda.corpora.numbers import positive_int

__all__ = ["MAX_BYTES", "NUMBER", "Source", "blocks", "integers", "line_spans", "open_source", "shown"]

MAX_BYTES = 1 << 30
"""What a file may hold, unpacked, unless a reader is told otherwise."""

# Possessive quantifiers (++): a number is never read in two ways, so that no line takes quadratic time.
NUMBER = rb"[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+"

_CHUNK = 1 << 20
_BLOCK = 1 << 25  # bytes whose numbers are read together: bounds the memory, some fifty bytes for each
_POWERS = 10 ** np.arange(19, dtype=np.int64)


@dataclasses.dataclass(frozen=True, repr=False)
class Source:
    """The content of a file, and what errors call it."""

    name: str
    raw: bytes

    def error(self, line: int | None, message: str) -> ValueError:
        """What to raise: the file, the line if it is known (the first is 1), and what is wrong there."""
        return ValueError(f"{self.name}{'' if line is None else f', line {line}'}: {message}")

    def line_at(self, offset: int) -> int:
        """The number of the line that holds this byte."""
        return self.raw.count(b"\n", 0, offset) + 1

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Number and content of every line, without its end; what follows the last line end counts if not empty."""
        start, number = 0, 0
        while start < len(self.raw):
            number += 1
            end = self.raw.find(b"\n", start)
            end = len(self.raw) if end < 0 else end
            yield number, self.raw[start:end].removesuffix(b"\r")
            start = end + 1

    def text(self, encoding: str = "utf-8") -> str:
        """The content as text; a byte order mark is no part of it."""
        try:
            return self.raw.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            line = self.line_at(error.start)
            raise self.error(line, f"is not {encoding} ({error.reason}); give encoding= if it is another one") from None
        except LookupError:
            raise ValueError(f"there is no encoding {encoding!r}") from None

    def check_complete(self) -> None:
        """Refuse a file that ends within a line: programs end every line, so this one was cut."""
        if not self.raw.endswith(b"\n"):
            line = self.line_at(len(self.raw))
            raise self.error(line, "the file is empty or ends in the middle of a line; it seems to be truncated")


def open_source(path: Any, max_bytes: int = MAX_BYTES) -> Source:
    """The content of a file, unpacked if it is gzipped; refused where it is larger than ``max_bytes``."""
    limit = positive_int(max_bytes, "max_bytes")
    name = os.fsdecode(os.fspath(path))
    with Path(name).open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not packed:
            return Source(name, _bounded(file, limit, name))
        with gzip.GzipFile(fileobj=file) as unpacked:
            return Source(name, _bounded(unpacked, limit, name))


def _bounded(file: io.BufferedIOBase, limit: int, name: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            part = file.read(_CHUNK)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            lines = sum(chunk.count(b"\n") for chunk in parts)
            raise ValueError(f"{name}: the packed file is truncated or damaged after line {lines} ({error})") from None
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > limit:
            raise ValueError(f"{name}: holds more than {limit} bytes unpacked; give a larger max_bytes to read it")


def blocks(raw: bytes, start: int) -> Iterator[UInt8[np.ndarray, " B"]]:
    """Whole lines, some at a time, of a content that ends in a line end."""
    whole = np.frombuffer(raw, np.uint8)
    while start < len(raw):
        end = min(start + _BLOCK, len(raw))
        end = raw.rfind(b"\n", start, end) + 1 or raw.index(b"\n", end) + 1  # a line may be longer than a block
        yield whole[start:end]
        start = end


def line_spans(raw: UInt8[np.ndarray, " B"]) -> tuple[Int64[np.ndarray, " n"], Int64[np.ndarray, " n"]]:
    """Where the lines of a block start and end, without their line ends."""
    end = np.flatnonzero(raw == ord("\n"))
    start = np.concatenate([[0], end[:-1] + 1])
    return start, end - ((end > start) & (raw[np.maximum(end - 1, 0)] == ord("\r")))


def integers(
    raw: UInt8[np.ndarray, " B"], start: Int64[np.ndarray, " n"], end: Int64[np.ndarray, " n"]
) -> tuple[Int64[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """The numbers written at the given places, and which of them are whole numbers of 1 to 18 digits.

    >>> raw = np.frombuffer(b"12 345 x", np.uint8)
    >>> integers(raw, np.array([0, 3, 7]), np.array([2, 6, 8]))[0][:2].tolist()
    [12, 345]
    """
    length = end - start
    good = (length > 0) & (length < 19)
    values = np.zeros(len(start), np.int64)
    for i in range(int(np.max(length[good], initial=0))):
        here = np.flatnonzero(good & (length > i))
        digit = raw[end[here] - 1 - i].astype(np.int64) - ord("0")
        wrong = (digit < 0) | (digit > 9)
        good[here[wrong]] = False
        values[here] += np.where(wrong, 0, digit) * _POWERS[i]
    return values, good


def shown(content: bytes | str, size: int = 60) -> str:
    """A piece of a file for an error message, short and printable."""
    text = content if isinstance(content, str) else content[: 4 * size].decode("utf-8", "replace")
    return repr(text if len(text) <= size else text[:size] + "...")
