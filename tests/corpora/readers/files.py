"""Files for the readers' tests: written, damaged in every way, and read back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# What damages files in interesting ways: separators, signs, numbers that are too large, bytes that are no text.
PIECES = [
    b"",
    b" ",
    b",",
    b":",
    b"{",
    b"}",
    b"-",
    b".",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"0",
    b"9",
    b"99999999",
]
PIECES += [
    b"1e9",
    b"1e400",
    b"nan",
    b"?",
    b"#",
    b"%",
    b'"',
    b"'",
    b"\\",
    b"<",
    b"&x;",
    b"@data",
    b"\t",
    b"\xe2\x80\xa8",
]


@st.composite
def mutations(draw: Any, content: bytes) -> bytes:
    """The content with up to four slices replaced by a piece above, by another slice, or cut away to the end."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.sampled_from([0, 1, 1, 2, 5, 20])))
        source = draw(st.integers(0, len(content)))
        slices = st.sampled_from([content[source : source + 3], content[source : source + 12], content[source:]])
        piece = draw(st.sampled_from(PIECES) | slices | st.binary(max_size=2))
        content = content[:start] + piece + (b"" if draw(st.integers(0, 9)) == 0 else content[stop:])
    return content


def survives(read: Callable[[], Any]) -> Any:
    """What a reader makes of a file: something, or a ValueError with a message; anything else fails the test."""
    try:
        return read()
    except ValueError as error:
        assert str(error) and not isinstance(error, UnicodeError), repr(error)
        return None
