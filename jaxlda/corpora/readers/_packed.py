"""Bytes of files and file objects, unpacked if they are packed, and never more than allowed."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["LARGEST_DICTIONARY", "bounded", "unpacked"]

LARGEST_DICTIONARY = 1 << 26
"""Bytes that unpacking LZMA may take: the strongest level of ``xz`` needs 64 MB, and a file can ask for 4 GB."""
_CHUNK = 1 << 20


def unpacked(stored: bytes, limit: int, name: str) -> bytes:
    """The content, unpacked if it is packed; errors call the file ``name``.

    >>> unpacked(bz2.compress(b"cat"), 10, "file")
    b'cat'
    """
    opened = _opener(stored)
    return stored if opened is None else _joined(opened(stored), limit, name)


def bounded(file: Any, limit: int, name: str) -> bytes:
    """All that a file object has, which need not be seekable; a text file is taken as UTF-8.

    >>> bounded(io.StringIO("naïve"), 10, "file").decode()
    'naïve'
    """

    def chunks() -> Iterator[bytes]:
        while part := file.read(_CHUNK):
            yield part.encode("utf-8", "surrogatepass") if isinstance(part, str) else bytes(part)

    return _joined(chunks(), limit, name)


def _opener(stored: bytes) -> Callable[[bytes], Iterator[bytes]] | None:
    if stored.startswith(b"\x1f\x8b"):
        return lambda content: _read(gzip.GzipFile(fileobj=io.BytesIO(content)))
    if stored.startswith(b"BZh") and stored[4:10] in (b"1AY&SY", b"\x17rE8P\x90"):
        return lambda content: _read(bz2.BZ2File(io.BytesIO(content)))
    if stored.startswith(b"\xfd7zXZ\x00"):
        return _read_xz
    return None


def _read(file: Any) -> Iterator[bytes]:
    with file:
        while part := file.read(_CHUNK):
            yield part


def _read_xz(content: bytes) -> Iterator[bytes]:
    """As ``lzma.LZMAFile``, which knows no limit of memory."""
    while content.strip(b"\0"):
        unpack = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2 * LARGEST_DICTIONARY)
        data = content
        while not unpack.eof:
            part = unpack.decompress(data, _CHUNK)
            if not part and not unpack.eof and unpack.needs_input:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
            data = b""
            yield part
        content = unpack.unused_data.lstrip(b"\0")  # streams may follow each other, padded


def _joined(chunks: Iterator[bytes], limit: int, name: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        for part in chunks:
            parts.append(part)
            size += len(part)
            if size > limit:
                break
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the disk, not of the content
        lines = sum(chunk.count(b"\n") for chunk in parts)
        raise ValueError(f"{name}: the packed file is truncated or damaged after line {lines} ({error})") from None
    if size > limit:
        raise ValueError(f"{name}: holds more than {limit} bytes unpacked; give a larger max_bytes to read it")
    return b"".join(parts)
