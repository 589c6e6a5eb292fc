"""One file of named arrays of numbers: whole or absent, never half-written, and damage is noticed.

The file is a zip of ``.npy`` members, not compressed, that ``numpy.load`` opens too. Its first member, ``header.json``,
says format and version and has the digest of every array; the comment at the end of the zip is the digest of everything
that is not an array. So whatever changes in the file is noticed, and where. Nothing in it is ever executed. Reading
takes the memory of all arrays, and that of the largest once more: at most twice the length of the file. Writing takes
none but for arrays that have to be converted. The same content gives the same bytes.
"""

import hashlib
import io
import json
import math
import os
import platform
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from jaxlda.corpora.replacing import check_writable, replacing

__all__ = ["KINDS", "NONSENSE", "VERSION", "Archive", "consistent", "read", "versions", "write"]

FORMAT, VERSION = "jaxlda", 2
HEADER = "header.json"
KINDS = "biuf"  # booleans and real numbers: no objects, which only pickle could hold
NONSENSE = (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What comes of content that no program has written, where it is used."""
_DIGITS = 64  # of a digest


class Archive(NamedTuple):
    """What a file holds."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]
    writer: str
    """What wrote it, with versions: jaxlda, JAX, NumPy and Python."""


def write(path: str | os.PathLike, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a file such that at every moment there is either the old one or the new one, also after a crash.

    Parameters
    ----------
    path
        Where. An older file is replaced; of a link, the file it points to.
    header
        Anything JSON can hold.
    arrays
        Arrays of numbers by name. A tuple of arrays of one shape is written as one array, without a copy of all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(f"{folder}/a.jaxlda", {"by": "me"}, {"x": np.arange(3)})
    ...     header, arrays, writer = read(f"{folder}/a.jaxlda")
    >>> header, arrays
    ({'by': 'me'}, {'x': array([0, 1, 2])})
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    members = {name: _npy(name, array) for name, array in arrays.items()}
    outer = {
        "format": FORMAT,
        "version": VERSION,
        "versions": versions(),
        "arrays": {name: _digest(*member) for name, member in members.items()},
        "content": header,
    }
    with replacing(target) as file:
        with zipfile.ZipFile(file, "w") as archive:
            _add(archive, HEADER, json.dumps(outer).encode())
            for name, member in members.items():
                _add(archive, f"{name}.npy", *member)
            archive.comment = bytes(_DIGITS)  # makes room
        seal = _seal(file, archive.infolist()[1:])
        file.seek(-_DIGITS, os.SEEK_END)
        file.write(seal.encode())


def versions() -> dict[str, str]:
    """The versions of what a file may depend on."""
    return {name: version(name) for name in ("jaxlda", "jax", "numpy")} | {"python": platform.python_version()}


def written_by(outer: Mapping[str, Any]) -> str:
    """What a header says of its writer, in words.

    >>> written_by({"versions": {"jaxlda": "0.2.0", "numpy": "2.3.1"}})
    'jaxlda 0.2.0, numpy 2.3.1'
    """
    told = outer.get("versions")
    if not isinstance(told, dict):
        return f"jaxlda {str(outer.get('jaxlda'))[:20]}"  # as version 0.1 has it
    return ", ".join(f"{str(name)[:20]} {str(number)[:20]}" for name, number in list(told.items())[:9])


def read(path: str | os.PathLike, wanted: Callable[[str], bool] = lambda name: True) -> Archive:
    """Read a file that :func:`write` wrote, or say what is wrong with it.

    Parameters
    ----------
    path
        The file.
    wanted
        Which arrays to read, by name; all if not given. The others are not looked at.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, PermissionError
        If there is no file to be read.
    ValueError
        If the file is of another kind, damaged, or of a newer version.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(f"'{path}' is a folder, not a file")
        if not path.exists():
            raise FileNotFoundError(f"there is no file '{path}'")
        if not path.is_file():
            raise _stranger(path)
        with path.open("rb") as file:
            return _read(path, file, wanted)
    except PermissionError as error:
        raise PermissionError(f"no permission to read '{path}'") from error


@contextmanager
def consistent(path: str | os.PathLike) -> Iterator[None]:
    """A file that is whole may still not be what this version expects, or be forged: then what is wrong is told."""
    try:
        yield
    except NONSENSE as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"'{Path(path)}' cannot be loaded: {reason}") from error


def _npy(name: str, given: Any) -> list[bytes | memoryview]:
    """The pieces of a ``.npy`` file: its header and the numbers."""
    rows = [np.asarray(row, order="C") for row in (given if isinstance(given, tuple) else (given,))]
    if len({(row.shape, row.dtype) for row in rows}) != 1:
        raise ValueError(f"the arrays in {name!r} must be some, and have one shape and dtype")
    shape, dtype = rows[0].shape, rows[0].dtype.newbyteorder("<")
    if dtype.kind not in KINDS:
        raise TypeError(f"only numbers can be saved; the array {name!r} has dtype {dtype}")
    head = io.BytesIO()
    whole = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": False,
        "shape": (len(rows), *shape) if isinstance(given, tuple) else shape,
    }
    np.lib.format.write_array_header_1_0(head, whole)
    little = (row.astype(dtype, copy=False) for row in rows)
    return [head.getvalue(), *(row.reshape(-1).view(np.uint8).data for row in little)]


def _digest(*pieces: bytes | memoryview) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _add(archive: zipfile.ZipFile, name: str, *pieces: bytes | memoryview) -> None:
    info = zipfile.ZipInfo(name)  # dated 1980: the time must not make a difference
    info.create_system, info.external_attr = 3, 0o644 << 16
    info.file_size = sum(len(piece) for piece in pieces)  # from which zipfile tells if it needs long fields
    with archive.open(info, "w") as member:
        for piece in pieces:
            member.write(piece)


def _seal(file: BinaryIO, infos: list[zipfile.ZipInfo]) -> str:
    """The digest of the file without its arrays and without the seal itself."""
    digest, position = hashlib.sha256(), 0
    for info in infos:
        file.seek(info.header_offset + 26)  # where zip says how long name and extra field are, before the content
        begin = info.header_offset + 30 + sum(struct.unpack("<HH", file.read(4)))
        file.seek(position)
        digest.update(file.read(begin - position))
        position = begin + info.compress_size
    file.seek(position)
    digest.update(file.read()[:-_DIGITS])
    return digest.hexdigest()


def _read(path: Path, file: BinaryIO, wanted: Callable[[str], bool]) -> Archive:
    start = file.read(30 + len(HEADER))
    if start[:4] != b"PK\x03\x04" or start[30:] != HEADER.encode():
        raise _stranger(path)
    with _noticing_damage(path):
        if not zipfile.is_zipfile(file):
            raise ValueError("its end is missing")
        archive = zipfile.ZipFile(file)
        outer = _header(archive, file.seek(0, os.SEEK_END))
    if outer["format"] != FORMAT:
        raise _stranger(path)
    if outer["version"] != VERSION:
        newer = "Upgrade it: pip install --upgrade jaxlda"
        older = "Fit anew, or read it with the version that wrote it"
        raise ValueError(
            f"'{path}' was written by {written_by(outer)} in version {outer['version']} of the format; this jaxlda "
            f"({version('jaxlda')}) reads version {VERSION}. {newer if outer['version'] > VERSION else older}"
        )
    with _noticing_damage(path):
        arrays = _arrays(archive, file, outer["arrays"], wanted)
        if not isinstance(outer["content"], dict):
            raise ValueError("its header has no content")
        return Archive(outer["content"], arrays, written_by(outer))


def _stranger(path: Path) -> ValueError:
    return ValueError(f"'{path}' is not a file saved by jaxlda, or its beginning is damaged")


@contextmanager
def _noticing_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # zipfile answers damage with errors of many kinds
        raise ValueError(
            f"'{path}' is damaged: {str(error) or type(error).__name__}. Nothing was read from it; use another copy"
        ) from error


def _header(archive: zipfile.ZipFile, size: int) -> dict[str, Any]:
    infos = archive.infolist()
    if sum(info.file_size for info in infos) > size or any(info.compress_type for info in infos):
        raise ValueError("it claims to hold more than it does")
    outer = json.loads(archive.read(HEADER))
    if not isinstance(outer["format"], str) or type(outer["version"]) is not int:
        raise ValueError("its header says neither format nor version")
    return outer


def _arrays(
    archive: zipfile.ZipFile, file: BinaryIO, digests: dict[str, str], wanted: Callable[[str], bool]
) -> dict[str, np.ndarray]:
    infos, size = archive.infolist(), file.seek(0, os.SEEK_END)
    seal = _seal(file, infos[1:])
    file.seek(-_DIGITS, os.SEEK_END)
    if file.read() != seal.encode():
        raise ValueError("something beside the arrays was changed")
    if [info.filename for info in infos] != [HEADER, *(f"{name}.npy" for name in digests)]:
        raise ValueError("it does not hold the arrays its header tells of")
    return {
        name: _array(name, archive.read(info), digest, size)
        for info, (name, digest) in zip(infos[1:], digests.items(), strict=True)
        if wanted(name)
    }


def _array(name: str, npy: bytes, digest: str, longest: int) -> np.ndarray:
    if _digest(npy) != digest:
        raise ValueError(f"the array {name!r} was changed")
    file = io.BytesIO(npy)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"the array {name!r} is in an unknown form")
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.kind not in KINDS or fortran:
        raise ValueError(f"the array {name!r} is of dtype {dtype}, which is never written")
    fits = all(0 <= axis <= longest for axis in shape)  # also the axes of what is empty, over which one may loop
    if not fits or math.prod(shape) * dtype.itemsize != len(npy) - file.tell():
        raise ValueError(f"the array {name!r} is not as long as it says")
    array = np.frombuffer(npy, dtype, offset=file.tell()).reshape(shape)
    return array.astype(dtype.newbyteorder("="))  # a copy, which can be written to
