"""Tables with a document per row: CSV, TSV and Parquet."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._cells import Cells, table_of
from jaxlda.corpora.readers._source import Source, open_source
from jaxlda.corpora.readers.text import corpus_of_texts

__all__ = [
    "COMMON_NAMES",
    "NAME",
    "has_header",
    "has_several",
    "longest",
    "read_csv",
    "rows_of_cells",
    "tags_of",
    "text_column",
]

COMMON_NAMES = frozenset(
    "text body content document abstract message review article comment tweet title headline name id label labels "
    "category class topic topics tags author date year".split()
)
"""What columns of tables of texts are often called."""
_SAMPLE = 1000
_NUMBER = re.compile(r"\s*+[+-]?+[\d.,:/-]++(?:[eE][+-]?\d++)?+%?\s*+")
NAME = re.compile(r"\s*+[^\W\d][\w.-]*+(?: [\w.-]++){0,2}+\s*+")
_ENDINGS = (".tsv", ".tab")


def read_csv(
    path: Any,
    text: str | int | None = None,
    *,
    labels: str | int | None = None,
    title: str | int | None = None,
    label_separator: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    r"""Read a table with a document per row.

    Quotes may be doubled or escaped by a backslash, and a space may stand before them. A quote that is never closed is
    part of the text. The other columns become ``corpus.metadata``, and so does that of the labels where no document has
    several. Delimiters at the end of a row are ignored, and so
    are rows with another number of cells than the first, up to one in twenty. A warning counts what was ignored.

    Parameters
    ----------
    path
        The file or file object, packed or not.
    text, labels, title
        The columns to read, by name or by number (the first is 0). If ``text`` is not given: the column ``text`` if
        there is one, or else the one with the longest texts.
    label_separator
        What separates several labels in a cell; if not given, a cell is one label. An empty cell has none.
    delimiter
        Of the cells; found out if not given. A first line such as ``sep=;`` says it, too.
    header
        Whether the first row has the names of the columns; found out if not given.
    encoding, max_bytes, max_tokens, max_size, **options
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
    source = open_source(path, max_bytes, max_tokens, max_size)
    rows = rows_of_cells(source, encoding, delimiter)
    keys = {"text": text, "labels": labels, "title": title}
    if header is None:
        header = any(isinstance(key, str) for key in keys.values()) or has_header(rows)
        source.report("the first row has the names of the columns" if header else "there is no row of names")
    names = [name.strip() for name in rows[0].cells] if header else None
    line = rows[0].line
    body = [row.cells for row in (rows[1:] if header else rows)]
    columns = {what: _column(source, line, len(rows[0].cells), names, key) for what, key in keys.items()}
    if columns["text"] is None:
        columns["text"] = text_column(source, names, body, columns)
    cells = {what: None if column is None else [row[column] for row in body] for what, column in columns.items()}
    tags = None if cells["labels"] is None else tags_of(cells["labels"], label_separator)
    known = {columns["text"], columns["title"], columns["labels"] if has_several(tags) else None}
    different = _different(names or [])
    others = {name: [row[i] for row in body] for i, name in enumerate(different) if name and i not in known}
    return corpus_of_texts(source, cells["text"] or [], options, tags, cells["title"], others)


def _different(names: Sequence[str]) -> list[str]:
    """Names of columns, of which no two are the same.

    >>> _different(["year", "year", ""])
    ['year', 'year (2)', '']
    """
    found: list[str] = []
    for name in names:
        number, new = 1, name
        while new and new in found:
            number += 1
            new = f"{name} ({number})"
        found.append(new)
    return found


def rows_of_cells(source: Source, encoding: str | None = None, delimiter: str | None = None) -> list[Cells]:
    """The rows of a table; files named so are cut at tabs, unless their content says otherwise."""
    prefer = "\t" if source.plain_name.endswith(_ENDINGS) else ","
    return table_of(source, source.text(encoding), delimiter, prefer=prefer)


def tags_of(cells: Sequence[str], separator: str | None) -> list[list[str]]:
    """The labels in each cell.

    >>> tags_of(["pet; small", ""], ";")
    [['pet', 'small'], []]
    """
    split = ([cell] if separator is None else cell.split(separator) for cell in cells)
    return [[tag.strip() for tag in row if tag.strip()] for row in split]


def has_several(tags: Sequence[Sequence[str]] | None) -> bool:
    """Whether a document has several labels, which are no group that it belongs to."""
    return tags is not None and any(len(row) > 1 for row in tags)


def longest(cells: Iterable[tuple[Any, Any]]) -> Any:
    """The column whose strings have most letters, of (column, cell); None if no cell is a string.

    >>> longest([("id", "0123456789"), ("body", "a cat"), ("kind", "pet")])
    'body'
    """
    letters: dict[Any, int] = {}
    for column, cell in cells:
        if isinstance(cell, str):
            letters[column] = letters.get(column, 0) + sum(map(str.isalpha, cell[:_SAMPLE]))
    return max(letters, key=letters.__getitem__, default=None)


def text_column(
    source: Source, names: list[str] | None, body: list[list[str]], taken: dict[str, int | None]
) -> int | None:
    """The column of the texts, if nobody named it: "text", or that of the longest."""
    if names is not None and "text" in names:
        return _column(source, 1, len(names), names, "text")
    width = len(names) if names is not None else len(body[0])
    free = [i for i in range(width) if i not in taken.values()] or list(range(width))
    column = longest((i, row[i]) for row in body[:_SAMPLE] for i in free)
    if column is None:
        return free[0]
    which = f"column {column}" if names is None else f"column {names[column]!r}"
    if len(free) > 1:
        source.report(f"texts are in {which}, the one with most letters")
    return column


def _column(source: Source, line: int, width: int, names: list[str] | None, key: str | int | None) -> int | None:
    if key is None:
        return None
    if isinstance(key, str) and names is not None:
        alike = [i for i, name in enumerate(names) if name == key]
        alike = alike or [i for i, name in enumerate(names) if name.casefold() == key.strip().casefold()]
        if len(alike) > 1:
            raise source.error(line, f"there are {len(alike)} columns {key!r}; give the number of one")
        if alike:
            return alike[0]
    elif not isinstance(key, str) and 0 <= key < width:
        return int(key)
    known = ", ".join(map(repr, names)) if names is not None else f"0 to {width - 1}"
    raise source.error(line, f"there is no column {key!r}; there are {known}")


def has_header(rows: list[Cells]) -> bool:
    """Whether the first row looks like names: short and distinct, over a column of numbers or of longer texts."""
    first, *others = [row.cells for row in rows[:_SAMPLE]]
    names = [name.strip() for name in first if name.strip()]
    if any(name.casefold() in COMMON_NAMES for name in names):
        return True
    if not others or len(set(names)) < len(names) or not all(map(NAME.fullmatch, names)):
        return False
    for i, name in enumerate(first):
        cells = [row[i] for row in others if row[i].strip()]
        if cells and name.strip() and all(map(_NUMBER.fullmatch, cells)):
            return True
        if sum(map(len, cells)) > 3 * len(cells) * max(len(name), 5):
            return True
    return False
