"""What a table of documents holds, before anybody decides which of its columns to read."""

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

from jaxlda.corpora.readers import objects, tables
from jaxlda.corpora.readers._source import Source, open_source

__all__ = ["Preview", "preview"]

_ROWS = 1000  # of which the column of the text is told


class Preview(NamedTuple):
    """The beginning of a table."""

    columns: list[str]
    """Their names; their numbers, where the table has no names: "0", "1" and so on."""
    text: str | None
    """The column that the reader takes for the text if it is told nothing."""
    header: bool
    """Whether the first row has the names of the columns."""
    rows: list[list[str]]
    notes: list[str]
    """What was found out, in a sentence each: the delimiter, the encoding if it is not UTF-8, rows to be ignored."""


def preview(path: Any, kind: str, *, rows: int = 5, max_bytes: int | None = None) -> Preview:
    r"""The columns of a CSV or JSON file, the likeliest column of the text, and the first rows.

    Parameters
    ----------
    path
        The file or file object.
    kind
        ``"csv"`` or ``"jsonl"``.
    rows
        How many of them to show.
    max_bytes
        Larger files are refused, as by :func:`jaxlda.io.read_text`.

    Examples
    --------
    >>> import io
    >>> found = preview(io.BytesIO(b"id;body\n1;a cat sat\n2;a dog ran\n"), "csv")
    >>> found.columns, found.text, found.rows[0]
    (['id', 'body'], 'body', ['1', 'a cat sat'])
    """
    notes: list[str] = []
    source = replace(open_source(path, max_bytes), report=notes.append)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = _of_objects(source, rows) if kind == "jsonl" else _of_cells(source, rows)
    said = [str(one.message).removeprefix(f"{source.name}: ") for one in told]
    return found._replace(notes=[*notes, *said])


def _of_cells(source: Source, number: int) -> Preview:
    rows = tables.rows_of_cells(source)
    header = tables.has_header(rows) or _named([row.cells for row in rows])
    names = [name.strip() for name in rows[0].cells] if header else None
    body = [row.cells for row in (rows[1:] if header else rows)]
    shown = [str(i) for i in range(len(rows[0].cells))] if names is None else names
    column = tables.text_column(replace(source, report=_nobody), names, body[:_ROWS], {}) if body else None
    return Preview(shown, None if column is None else shown[column], header, body[:number], [])


def _named(rows: list[list[str]]) -> bool:
    """Whether the first row has short texts that are all different, and none of which comes again in its column."""
    first, *others = rows[:_ROWS]
    names = [cell.strip() for cell in first]
    if not others or len(set(names)) < len(names) or not all(tables.NAME.fullmatch(name) for name in names):
        return False
    return not any(row[i].strip() == name for row in others for i, name in enumerate(names))


def _of_objects(source: Source, number: int) -> Preview:
    entries = objects.entries_of(source, source.text())
    names = list(dict.fromkeys(name for _, entry in entries[:_ROWS] for name in entry))
    text = objects.text_key(replace(source, report=_nobody), entries[:_ROWS], set()) if entries else None
    rows = [[_shown(entry.get(name)) for name in names] for _, entry in entries[:number]]
    return Preview(names, text, True, rows, [])


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _nobody(sentence: str) -> None:
    """Take what is reported, and tell nobody."""
