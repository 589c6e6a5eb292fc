"""Text files in zip archives and in folders, a document each."""

import fnmatch
import io
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import one_of
from jaxlda.corpora.readers._packed import LARGEST_DICTIONARY
from jaxlda.corpora.readers._source import MAX_BYTES, Source, open_source
from jaxlda.corpora.readers.text import corpus_of_texts

__all__ = ["member_names", "only_member", "read_folder", "read_zip"]

_CHUNK = 1 << 12  # packed bytes at a time: zipfile unpacks all of them at once, up to 20,000 times their size


def read_zip(
    path: Any,
    pattern: str = "*.txt",
    *,
    labels: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    r"""Read the text files of a zip archive, a document each, sorted by name. Nothing is unpacked to disk.

    Parameters
    ----------
    path
        The archive, or a file object.
    pattern
        Which files: their names, without folders, must match, be it in capitals or not. Hidden files are left out.
    labels
        ``"folder"``: the folder a file is in is its label.
    encoding, max_tokens, max_size, **options
        As in :func:`read_text`.
    max_bytes
        Of the archive, and of all files together, unpacked. If not given: a hundred times the archive, or 16 MB.

    Examples
    --------
    >>> import pathlib, tempfile, zipfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.zip"
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("land/one.txt", "a cat")
    ...     archive.writestr("sea/two.txt", "a shark")
    >>> corpus = read_zip(path, labels="folder")
    >>> corpus, corpus.titles, corpus.label_names.tolist()
    (Corpus(2 documents, 2 words, 2 tokens, 2 labels), ('land/one.txt', 'sea/two.txt'), ['land', 'sea'])
    """
    one_of(labels, "labels", ("folder", None))
    source = open_source(path, max_bytes, max_tokens, max_size)
    archive, entries = _opened(source)
    wanted = [(name, entry) for name, entry in entries if _matches(name, pattern)]
    if not wanted:
        raise _nothing(source, pattern, [name for name, _ in entries])
    source.check_size(len(wanted), "files")
    members: dict[str, bytes] = {}
    room = source.max_bytes
    for name, entry in wanted:
        if name in members:
            raise source.error(None, f"has two files {name!r}")
        members[name] = _content(source, archive, name, entry, room)
        room -= len(members[name])
    return _corpus(source, members, labels, encoding, options)


def read_folder(
    path: Any,
    pattern: str = "*.txt",
    *,
    labels: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    r"""Read the text files in a folder and the folders in it, a document each, sorted by name.

    Links are not followed. The parameters are those of :func:`read_zip`; ``max_bytes`` is 1 GB if not given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "sea").mkdir()
    >>> (folder / "one.txt").write_text("a cat") + (folder / "sea" / "two.TXT").write_text("a shark") > 0
    True
    >>> read_folder(folder).titles
    ('one.txt', 'sea/two.TXT')
    """
    one_of(labels, "labels", ("folder", None))
    folder = Path(os.fsdecode(os.fspath(path)))
    limits = open_source(io.BytesIO(b""), max_bytes, max_tokens, max_size)
    source = replace(limits, name=str(folder), max_bytes=max_bytes or MAX_BYTES)
    if folder.resolve().parent == folder.resolve():
        raise source.error(None, "is the root of all folders, not a folder of texts: give the one that has them")
    names: list[str] = []
    others: list[str] = []
    for place, folders, files in os.walk(folder, onerror=_raised):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        relative = Path(place).relative_to(folder)
        for name in ((relative / file).as_posix() for file in files):
            if not _hidden(name):
                (names if _matches(name, pattern) else others).append(name)
        source.check_size(len(names) + len(others), "files")
    stored = sum((folder / name).lstat().st_size for name in names)
    if max_tokens is None:
        source = replace(source, max_tokens=max(source.max_tokens, 4 * stored))
    if not names:
        raise _nothing(source, pattern, others)
    members: dict[str, bytes] = {}
    room = source.max_bytes
    for name in names:
        if not stat.S_ISREG((folder / name).lstat().st_mode):
            continue
        members[name] = open_source(folder / name, source.max_bytes).raw
        room -= len(members[name])
        if room < 0:
            raise source.error(None, f"holds more than {source.max_bytes} bytes; give a larger max_bytes to read it")
    return _corpus(source, members, labels, encoding, options)


def member_names(source: Source) -> list[str]:
    """The files in an archive, without hidden ones."""
    return [name for name, _ in _opened(source)[1]]


def only_member(source: Source) -> Source:
    """The only file of an archive, as a file of its own."""
    archive, ((name, entry),) = _opened(source)
    content = _content(source, archive, name, entry, source.max_bytes)
    return replace(source, name=f"{source.name}: {name}", raw=content)


def _corpus(
    source: Source, members: dict[str, bytes], labels: str | None, encoding: str | None, options: dict[str, Any]
) -> Corpus:
    names = sorted(members)
    files = (replace(source, name=f"{source.name}: {name}", raw=members[name]) for name in names)
    texts, guesses = zip(*(file.guessed_text(encoding) for file in files), strict=True) if names else ((), ())
    if any(guesses):
        first, guess = next((name, guess) for name, guess in zip(names, guesses, strict=True) if guess)
        number = len(names) - guesses.count(None)
        source.warn(f"{number} file(s) are not UTF-8, the first being {first}; read as {guess}. Give encoding= if not")
    tags = None if labels is None else [name.split("/")[-2:-1] for name in names]
    columns = {"file": names, "folder": [name.rpartition("/")[0] for name in names]}
    return corpus_of_texts(source, texts, options, tags, names, columns)


def _opened(source: Source) -> tuple[zipfile.ZipFile, list[tuple[str, zipfile.ZipInfo]]]:
    """An archive, and the files it says it has."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(source.raw))
        found = [(entry.filename, entry) for entry in archive.infolist() if not entry.filename.endswith("/")]
    # A damaged archive may lead zipfile anywhere: it raises seven kinds of errors, of which it documents one.
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise source.error(None, f"cannot be read from the archive: {reason}") from None
    return archive, [(name, entry) for name, entry in found if name and not _hidden(name)]


def _content(source: Source, archive: zipfile.ZipFile, name: str, entry: zipfile.ZipInfo, room: int) -> bytes:
    """The bytes of a file, at most ``room``, whatever the archive says of its size."""
    parts: list[bytes] = []
    size = 0
    try:
        _check_dictionary(source, entry)
        for part in _chunks(archive, entry):
            parts.append(part)
            size += len(part)
            if size > room:
                break
    except Exception as error:  # as above; encrypted files, too
        reason = str(error) or type(error).__name__
        raise source.error(None, f"{name}: cannot be read from the archive: {reason}") from None
    if size > room:
        raise source.error(
            None, f"holds more than {source.max_bytes} bytes unpacked; give a larger max_bytes to read it"
        )
    return b"".join(parts)


def _chunks(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(entry) as file:
        while part := file.read(_CHUNK):
            yield part


def _check_dictionary(source: Source, entry: zipfile.ZipInfo) -> None:
    """Refuse LZMA that asks for gigabytes before it unpacks a byte."""
    if entry.compress_type != zipfile.ZIP_LZMA:
        return
    lengths = source.raw[entry.header_offset + 26 : entry.header_offset + 30]
    start = entry.header_offset + 30 + int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
    size = int.from_bytes(source.raw[start + 5 : start + 9], "little")  # version, length of properties, lc/lp/pb
    if size > LARGEST_DICTIONARY:
        raise ValueError(f"unpacking it would take {size} bytes of memory, more than {LARGEST_DICTIONARY}")


def _nothing(source: Source, pattern: str, others: list[str]) -> ValueError:
    found = ", ".join(map(repr, sorted(others)[:5])) or "none at all"
    return source.error(None, f"has no files {pattern!r}; it has {found}. Give pattern= to read those")


def _matches(name: str, pattern: str) -> bool:
    return not _hidden(name) and fnmatch.fnmatchcase(name.split("/")[-1].lower(), pattern.lower())


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


def _raised(error: OSError) -> None:
    raise error
