"""Damaged files: made from whole ones with a fixed seed, and read within bounds of time and memory."""

import io
import random
import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

SECONDS = 1.0
MEGABYTES = 256

# What damages files in interesting ways: separators, signs, numbers that are too large, bytes that are no text.
PIECES = [
    piece.encode() for piece in " |,|:|;|{|}|[|]|-|.|\n|\r\n|\t|0|9|99999999|4194303|300000000|1e9|1e400".split("|")
]
PIECES += [
    piece.encode()
    for piece in "nan|null|?|#|%|\"|'|\\|<|&x;|@data|-C|utf-7|utf-16|shift_jis|punycode|\u2028".split("|")
]
PIECES += [
    b"",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"PK\x05\x06",
]


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The content with up to four slices replaced by a piece, by another slice or by noise, or cut away to the end."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(content))
        stop = min(len(content), start + rng.choice((0, 1, 1, 2, 4, 5, 20)))
        source = rng.randint(0, len(content))
        choices = (
            rng.choice(PIECES),
            content[source : source + rng.choice((3, 12, 1 << 20))],
            rng.randbytes(rng.randint(1, 4)),
        )
        piece = rng.choices(choices, (6, 2, 2))[0]
        content = content[:start] + piece + (b"" if rng.random() < 0.05 else content[stop:])
    return content


def damage(name: str, content: bytes, read: Callable[[io.BytesIO], Any], times: int, seed: int = 0) -> int:
    """Read mutations of a file; give how many were read. Whatever else than our own refusal happens is an error."""
    rng = random.Random(f"{seed} {name}")
    good = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(times):
            file = mutated(content, rng)
            forget_peak()
            before, start = memory("VmRSS"), time.process_time()
            try:
                read(io.BytesIO(file))
                good += 1
            except ValueError as error:
                assert type(error) is ValueError, (name, i, error, file)
                assert "BytesIO" in str(error), (name, i, error, file)  # it names the file: these are our words
            except Exception as error:
                raise AssertionError(f"{name}, mutation {i}: {error!r} from {file!r}") from error
            spent = time.process_time() - start
            assert spent < SECONDS, (name, i, spent, file)
            taken = memory("VmHWM") - before
            assert taken < MEGABYTES << 10, (name, i, taken, file)
    return good


def memory(kind: str) -> int:
    """Kilobytes in memory now (VmRSS), or at most since the last :func:`forget_peak` (VmHWM)."""
    return int(re.search(rf"{kind}:\s+(\d+)", Path("/proc/self/status").read_text())[1])


def forget_peak() -> None:
    """Linux counts anew from here."""
    Path("/proc/self/clear_refs").write_text("5")
