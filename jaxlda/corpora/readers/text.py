"""Texts in files: a document a line, tables, JSON lines, and zipped folders."""

import csv
import fnmatch
import io
import json
import lzma
import struct
import zipfile
import zlib
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._source import MAX_BYTES, Source, open_source, shown

__all__ = ["read_csv", "read_jsonl", "read_text", "read_zip"]


def read_text(path: Any, *, encoding: str = "utf-8", max_bytes: int = MAX_BYTES, **options: Any) -> Corpus:
    r"""Read a document a line.

    Parameters
    ----------
    path
        The file, gzipped or not. An empty line is an empty document, so that document d is line d + 1.
    encoding
        Of the text.
    max_bytes
        Larger files are refused.
    **options
        Those of ``Corpus.from_texts``: how words are found and counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "texts.txt"
    >>> path.write_text("the cat sat\nthe dog sat down\n") > 0
    True
    >>> read_text(path, stop_words=["the"]).vocab.tolist()
    ['cat', 'dog', 'down', 'sat']
    """
    source = open_source(path, max_bytes)
    lines = source.text(encoding).removesuffix("\n").split("\n")
    return _corpus(source, [line.removesuffix("\r") for line in lines], options)


def read_csv(
    path: Any,
    text: str | int = "text",
    *,
    labels: str | int | None = None,
    title: str | int | None = None,
    label_separator: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    encoding: str = "utf-8",
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> Corpus:
    r"""Read a table with a document a row.

    Parameters
    ----------
    path
        The file, gzipped or not.
    text, labels, title
        The columns to read, by name or by number (the first is 0).
    label_separator
        What separates several labels in a cell; if not given, a cell is one label. An empty cell has none.
    delimiter
        Of the cells; if not given, a tab in files ``*.tsv`` and a comma in others.
    header
        Whether the first row has the names of the columns.
    encoding, max_bytes, **options
        As in :func:`read_text`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.csv"
    >>> path.write_text('text,kind\n"a cat, a dog",pet;two\na shark,\n') > 0
    True
    >>> corpus = read_csv(path, labels="kind", label_separator=";")
    >>> corpus.vocab.tolist(), corpus.label_names.tolist(), corpus.labels.toarray().astype(int).tolist()
    (['cat', 'dog', 'shark'], ['pet', 'two'], [[1, 1], [0, 0]])
    """
    source = open_source(path, max_bytes)
    if delimiter is None:
        delimiter = "\t" if source.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    rows = _table(source, source.text(encoding), delimiter)
    names = rows[0][1]
    chosen = {
        what: _column(source, names, key, header)
        for what, key in (("text", text), ("labels", labels), ("title", title))
    }
    cells: dict[str, list[str]] = {what: [] for what in chosen}
    for line, row in rows[1:] if header else rows:
        if len(row) != len(names):
            raise source.error(line, f"has {len(row)} cell(s), but the first row has {len(names)}")
        for what, column in chosen.items():
            if column is not None:
                cells[what].append(row[column])
    tags = None
    if labels is not None:
        split = [[cell] if label_separator is None else cell.split(label_separator) for cell in cells["labels"]]
        tags = [[tag.strip() for tag in row if tag.strip()] for row in split]
    return _corpus(source, cells["text"], options, tags, cells["title"] if title is not None else None)


def _table(source: Source, content: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows with the lines they start in; a cell may have line ends in it."""
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    # The limit for a cell is the process's, and far below the length of a document.
    limit = csv.field_size_limit(min(len(content) + 1, (1 << 31) - 1))
    try:
        for row in reader:
            if row:
                rows.append((line, row))
            line = reader.line_num + 1
    except csv.Error as error:
        raise source.error(line, f"cannot read this row as a table: {error}") from None
    finally:
        csv.field_size_limit(limit)
    if not rows:
        raise source.error(None, "is empty")
    return rows


def _column(source: Source, names: list[str], key: str | int | None, header: bool) -> int | None:
    if key is None:
        return None
    if isinstance(key, str) and header:
        if names.count(key) > 1:
            raise source.error(1, f"there are {names.count(key)} columns {key!r}; give the number of one")
        if key in names:
            return names.index(key)
    elif not isinstance(key, str) and 0 <= key < len(names):
        return int(key)
    known = ", ".join(map(repr, names)) if header else f"0 to {len(names) - 1}"
    raise source.error(1, f"there is no column {key!r}; there are {known}")


def read_jsonl(
    path: Any,
    text: str = "text",
    *,
    labels: str | None = None,
    title: str | None = None,
    encoding: str = "utf-8",
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> Corpus:
    r"""Read JSON lines: an object a line, a document each.

    Parameters
    ----------
    path
        The file, gzipped or not. Empty lines are skipped.
    text, labels, title
        The keys to read. Labels are a string or a list of strings; an object without that key has none.
    encoding, max_bytes, **options
        As in :func:`read_text`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.jsonl"
    >>> path.write_text('{"body": "a cat", "tags": ["pet"]}\n{"body": "a shark"}\n') > 0
    True
    >>> corpus = read_jsonl(path, "body", labels="tags")
    >>> corpus, corpus.labels.toarray().tolist()
    (Corpus(2 documents, 2 words, 2 tokens, 1 label), [[True], [False]])
    """
    source = open_source(path, max_bytes)
    texts: list[str] = []
    tags: list[list[str]] = []
    titles: list[str] = []
    for line, content in enumerate(source.text(encoding).split("\n"), 1):
        if not content.strip():
            continue
        entry = _object(source, line, content)
        if text not in entry:
            raise source.error(line, f"has no {text!r}; it has {', '.join(map(repr, entry)) or 'nothing'}")
        texts.append(_string(source, line, text, entry[text]))
        if labels is not None:
            found = entry.get(labels)
            found = [] if found is None else found if isinstance(found, list) else [found]
            tags.append([_string(source, line, labels, tag) for tag in found])
        if title is not None:
            titles.append(_string(source, line, title, entry.get(title, "")))
    return _corpus(source, texts, options, tags if labels is not None else None, titles if title is not None else None)


def _object(source: Source, line: int, content: str) -> dict[str, Any]:
    try:
        entry = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise source.error(line, f"is not JSON: {error}") from None
    if not isinstance(entry, dict):
        raise source.error(line, f"expected an object {{...}}, found {shown(content)}")
    return entry


def _string(source: Source, line: int, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise source.error(line, f"{key!r} is {shown(repr(value))}, not a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise source.error(line, f"{key!r} has half a character (a lone surrogate) in it") from None
    return value


def read_zip(
    path: Any,
    pattern: str = "*.txt",
    *,
    labels: str | None = None,
    encoding: str = "utf-8",
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> Corpus:
    r"""Read the text files of a zip archive, a document each, sorted by name. Nothing is unpacked to disk.

    Parameters
    ----------
    path
        The archive.
    pattern
        Which files: their names, without folders, must match. Hidden files are left out.
    labels
        ``"folder"``: the folder a file is in is its label.
    encoding, **options
        As in :func:`read_text`.
    max_bytes
        Of the archive, and of all files together, unpacked.

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
    if labels not in (None, "folder"):
        raise ValueError(f"labels must be 'folder' or None; got {labels!r}")
    source = open_source(path, max_bytes)
    members = _members(source, pattern, max_bytes)
    names = sorted(members)
    texts = [Source(f"{source.name}: {name}", members[name]).text(encoding) for name in names]
    tags = None if labels is None else [name.split("/")[-2:-1] for name in names]
    return _corpus(source, texts, options, tags, names)


def _members(source: Source, pattern: str, max_bytes: int) -> dict[str, bytes]:
    """The content of the files that match, by name."""
    found: dict[str, bytes] = {}
    name, room = "", max_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(source.raw)) as archive:
            for entry in archive.infolist():
                name = entry.filename
                if entry.is_dir() or not _wanted(name, pattern):
                    continue
                with archive.open(entry) as file:
                    content = file.read(room + 1)  # what the archive says of sizes need not be true
                room -= len(content)
                if room < 0:
                    raise source.error(None, f"holds more than {max_bytes} bytes unpacked; give a larger max_bytes")
                if name in found:
                    raise source.error(None, f"has two files {name!r}")
                found[name] = content
            others = sorted(set(archive.namelist()) - found.keys())
    except _BROKEN as error:
        place = f"{name}: " if name else ""
        raise source.error(
            None, f"{place}cannot be read from the archive: {str(error) or type(error).__name__}"
        ) from None
    if not found:
        raise source.error(None, f"has no files {pattern!r}; it has {', '.join(others[:5]) or 'none at all'}")
    return found


# What zipfile raises for damaged, encrypted or unsupported archives.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    UnicodeError,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
)


def _wanted(name: str, pattern: str) -> bool:
    parts = name.split("/")
    return fnmatch.fnmatchcase(parts[-1], pattern) and not any(p.startswith((".", "__MACOSX")) for p in parts)


def _corpus(
    source: Source, texts: list[str], options: dict[str, Any], labels: Any = None, titles: Any = None
) -> Corpus:
    """The corpus of the texts; what a corpus refuses is told with the name of the file."""
    try:
        return Corpus.from_texts(texts, labels=labels, titles=titles, **options)
    except ValueError as error:
        raise source.error(None, str(error)) from None
