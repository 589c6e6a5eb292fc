"""Files as bytes, lines and numbers: of bounded size, checked, and with errors that name the file and the line."""

import dataclasses
import logging
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64, UInt8

from jaxlda.corpora.callers import warn
from jaxlda.corpora.numbers import positive_int
from jaxlda.corpora.readers import _packed
from jaxlda.corpora.readers._encodings import decoded
from jaxlda.corpora.readers.kinds import SIZE, TOKENS, UNPACKED

__all__ = ["NUMBER", "PICKLES", "Source", "blocks", "integers", "line_spans", "open_source", "shown"]

MAX_BYTES = 1 << 30
"""What a file may hold, unpacked, unless a reader is told otherwise."""

PICKLES = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
"""How a pickle begins."""

# Possessive quantifiers (++): a number is never read in two ways, so that no line takes quadratic time.
NUMBER = rb"[+-]?+(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?+\d++)?+"

_BLOCK = 1 << 25  # bytes whose numbers are read together: bounds the memory, some fifty bytes for each
_PACKED = re.compile(r"\.(gz|bz2|xz)$")
_POWERS = 10 ** np.arange(19, dtype=np.int64)
_log = logging.getLogger("jaxlda.io")


@dataclasses.dataclass(frozen=True, repr=False)
class Source:
    """The content of a file, what errors call it, and how much it may ask for."""

    name: str
    raw: bytes
    max_bytes: int = MAX_BYTES
    """Of what an archive holds in all, unpacked."""
    max_tokens: int = TOKENS[0]
    max_size: int = SIZE[0]
    """Of documents, of words and of labels."""
    report: Callable[[str], Any] = _log.info
    """Is told what was found out about the file."""

    def error(self, line: int | None, message: str) -> ValueError:
        """What to raise: the file, the line if it is known (the first is 1), and what is wrong there."""
        return ValueError(f"{self.name}{'' if line is None else f', line {line}'}: {message}")

    def refuse(self, bad: Any, line: Callable[[int], Any], message: Callable[[int], str]) -> None:
        """Raise the message of the first bad entry, if there is one; both functions take its number."""
        if np.any(bad):
            i = int(np.argmax(bad))
            raise self.error(int(line(i)), message(i))

    def warn(self, message: str) -> None:
        """Warn of what was ignored or guessed."""
        warn(f"{self.name}: {message}")

    def check_size(self, size: int, noun: str, line: int | None = None) -> None:
        """Refuse more documents, words or labels than allowed, before room is made for them."""
        if size > self.max_size:
            raise self.error(
                line, f"has {size} {noun}, more than the {self.max_size} allowed; give a larger max_size to read it"
            )

    def check_tokens(self, tokens: int) -> None:
        """Refuse more tokens than allowed."""
        if tokens > self.max_tokens:
            raise self.error(
                None, f"has {tokens} tokens, more than the {self.max_tokens} allowed; give a larger max_tokens"
            )

    @property
    def plain_name(self) -> str:
        """The name of the file in small letters, without its folder and what it is packed by."""
        return _PACKED.sub("", self.name.lower().rpartition("/")[2])

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

    def text(self, encoding: str | None = None) -> str:
        """The content as text; a byte order mark is no part of it. Without an encoding, the likeliest one."""
        text, guess = self.guessed_text(encoding)
        if guess is not None:
            self.warn(f"is not UTF-8; read as {guess}. Give encoding= if it is another one")
        return text

    def guessed_text(self, encoding: str | None = None) -> tuple[str, str | None]:
        """The content as text, and the name of the encoding if it was guessed."""
        try:
            return decoded(self.raw, encoding)
        except UnicodeDecodeError as error:
            reason = f"is not {error.encoding} ({error.reason}); give encoding= if it is another one"
            raise self.error(self.line_at(error.start), reason) from None
        except UnicodeError as error:
            raise self.error(None, f"is not {encoding} ({error})") from None

    def check_complete(self) -> None:
        """Refuse a file that ends within a line: programs end every line, so this one was cut."""
        if not self.raw.endswith(b"\n"):
            line = self.line_at(len(self.raw))
            raise self.error(line, "the file is empty or ends in the middle of a line; it seems to be truncated")


def open_source(
    path: Any, max_bytes: int | None = None, max_tokens: int | None = None, max_size: int | None = None
) -> Source:
    """The content of a file or file object, unpacked; refused where it is larger than ``max_bytes``.

    Limits that are not given are 1 GB, a hundred times a packed file (or 16 MB), 4 tokens per byte on disk (or 16
    million), and a document, a word and a label per byte (or half a million).

    >>> import io
    >>> open_source(io.BytesIO(b"a cat")).raw
    b'a cat'
    """
    if isinstance(path, Source):
        return path
    limits = {"max_bytes": max_bytes, "max_tokens": max_tokens, "max_size": max_size}
    asked = {name: None if value is None else positive_int(value, name) for name, value in limits.items()}
    limit = asked["max_bytes"] or MAX_BYTES
    if hasattr(path, "read"):
        name = getattr(path, "name", None)
        name = name if isinstance(name, str) else f"<{type(path).__name__}>"
        stored = _packed.bounded(path, limit, name)
    else:
        name = os.fsdecode(os.fspath(path))
        with Path(name).open("rb") as file:
            stored = _packed.bounded(file, limit, name)
    room = limit if asked["max_bytes"] else min(limit, _allowed(UNPACKED, stored))
    return Source(
        name,
        _packed.unpacked(stored, room, name),
        max_bytes=room,
        max_tokens=asked["max_tokens"] or _allowed(TOKENS, stored),
        max_size=asked["max_size"] or _allowed(SIZE, stored),
    )


def _allowed(rule: tuple[int, int], stored: bytes) -> int:
    least, per_byte = rule
    return max(least, per_byte * len(stored))


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
