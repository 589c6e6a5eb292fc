"""Rows and cells of tables as people and spreadsheets write them.

Python's ``csv`` has one limit of the length of a cell for the whole process, far below that of a document, and no
mercy on a lone quote.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxlda.corpora.readers._source import Source

__all__ = ["ONE_COLUMN", "Cells", "is_table", "table_of"]

ONE_COLUMN = "\0"
"""The delimiter of a table that has a single column."""
DELIMITERS = (",", ";", "\t", "|")
MOST_COLUMNS = 1 << 14
_TOLD = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
_SAMPLE = 1 << 16
_PADDED = 64  # cells that a row may lack: not so many that short rows take room like long ones
_PROBLEMS = 20  # one row in so many may be ignored


class Cells(NamedTuple):
    """A row, and the line it starts in."""

    line: int
    cells: list[str]


class _Parsed(NamedTuple):
    rows: list[Cells]
    quotes: list[int]
    """The lines of quotes that are never closed."""
    ragged: list[Cells]
    cut: list[int]
    """The lines of rows that end in more delimiters than the first."""
    empty: list[int]
    """The lines of rows of nothing but delimiters."""


def table_of(source: Source, content: str, delimiter: str | None = None, *, prefer: str = ",") -> list[Cells]:
    """The rows, all as long as the first; the delimiter is found out if it is not given.

    A row of another length is ignored, with a warning that counts; one in twenty may be.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(f"delimiter must be a single character, no quote and no line end; got {delimiter!r}")
    first = 1
    if told := _TOLD.match(content):
        delimiter, content, first = delimiter or told[1], content[told.end() :], 2
    if delimiter is None:
        delimiter = _likeliest(source, content, prefer)
    parsed = _parse(source, content, delimiter, False, first)
    if (parsed.quotes or parsed.ragged) and '\\"' in content:
        other = _parse(source, content, delimiter, True, first)
        if len(other.quotes) + len(other.ragged) < len(parsed.quotes) + len(parsed.ragged):
            parsed = other
    if not parsed.rows:
        raise source.error(None, "is empty")
    if parsed.ragged:
        line, cells = parsed.ragged[0]
        problem = f"has {len(cells)} cell(s), but the first row has {len(parsed.rows[0].cells)}"
        if len(parsed.ragged) * _PROBLEMS > len(parsed.rows) + len(parsed.ragged):
            raise source.error(line, problem)
        source.warn(f"{len(parsed.ragged)} row(s) are ignored; the first, in line {line}, {problem}")
    if 0 < len(parsed.cut) < len(parsed.rows) - 1:
        source.warn(
            f"{len(parsed.cut)} row(s) end in delimiters, which are ignored; the first is in line {parsed.cut[0]}"
        )
    if parsed.empty:
        number, line = len(parsed.empty), parsed.empty[0]
        source.warn(f"{number} row(s) of nothing but delimiters are ignored; the first is in line {line}")
    if parsed.quotes:
        source.warn(
            f"{len(parsed.quotes)} quote(s) are never closed, the first in line {parsed.quotes[0]}: kept as text"
        )
    source.report("cells are separated by " + {"\t": "tabs", ONE_COLUMN: "line ends"}.get(delimiter, repr(delimiter)))
    return parsed.rows


def is_table(content: str) -> bool:
    r"""Whether all rows have as many cells as the first, and more than one.

    >>> is_table("title,text\none,a cat"), is_table("cats, dogs\nand eels")
    (True, False)
    """
    source = Source("", b"")
    delimiter = _likeliest(source, content, ",")
    return delimiter != ONE_COLUMN and not _parse(source, content, delimiter, False, 1).ragged


def _parse(source: Source, content: str, delimiter: str, escapes: bool, first: int) -> _Parsed:
    parsed = _Parsed([], [], [], [], [])
    names: list[str] = []
    for row in _rows(source, content, delimiter, escapes, first, parsed.quotes):
        if not any(row.cells):
            if len(row.cells) > 1:
                parsed.empty.append(row.line)
            continue  # as a blank line, which is no row
        names = names or row.cells
        fitted = _fitted(row.cells, names)
        if fitted is not None and len(row.cells) > len(names):
            parsed.cut.append(row.line)
        parsed.ragged.append(row) if fitted is None else parsed.rows.append(Cells(row.line, fitted))
        if len(parsed.rows) > source.max_size:
            source.check_size(len(parsed.rows), "rows")
    return parsed


def _fitted(cells: list[str], names: list[str]) -> list[str] | None:
    """The cells of a row as long as the first; delimiters at the end of a row, or of the first, mean nothing."""
    extra = len(cells) - len(names)
    if extra > 0 and not any(cells[len(names) :]):
        return cells[: len(names)]
    if -_PADDED <= extra < 0 and not any(names[extra:]):
        return cells + [""] * -extra
    return None if extra else cells


def _rows(source: Source, content: str, delimiter: str, escapes: bool, line: int, quotes: list[int]) -> Iterator[Cells]:
    """All rows, of any length; the lines of lone quotes are added to ``quotes``."""
    sign, blank = re.escape(delimiter), "[ ]*+" if delimiter == "\t" else r"[ \t]*+"
    inner = r'[^"\\]*+(?:(?:""|\\.)[^"\\]*+)*+' if escapes else r'[^"]*+(?:""[^"]*+)*+'
    quoted = re.compile(rf'{blank}"({inner})"{blank}(?={sign}|[\r\n]|\Z)', re.DOTALL).match
    plain = re.compile(rf"[^{sign}\r\n]*+").match
    end = re.compile(r"\r\n|\r|\n|\Z").match
    at, size = 0, len(content)
    while at < size:
        cells: list[str] = []
        start = line
        while True:
            if found := quoted(content, at):
                cell = found[1]
                line += cell.count("\n")
                cell = re.sub(r'\\(.)|""', _unescaped, cell, flags=re.DOTALL) if escapes else cell.replace('""', '"')
            else:
                found = plain(content, at)
                assert found is not None  # an empty cell matches, too
                cell = found[0]
                if cell.lstrip().startswith('"'):
                    quotes.append(line)
            cells.append(cell)
            if len(cells) > MOST_COLUMNS:
                raise source.error(start, f"has more than {MOST_COLUMNS} cells")
            at = found.end()
            if not content.startswith(delimiter, at):
                break
            at += 1
        if stop := end(content, at):
            at = stop.end()
        line += 1
        yield Cells(start, cells)


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or '"'


def _likeliest(source: Source, content: str, prefer: str) -> str:
    """The delimiter that cuts most rows into as many cells as the first."""
    sample = content[:_SAMPLE]
    if len(sample) < len(content):
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, choice = (0.0, 0), ONE_COLUMN
    for delimiter in (prefer, *(sign for sign in DELIMITERS if sign != prefer)):
        parsed = _parse(source, sample, delimiter, False, 1)
        width = len(parsed.rows[0].cells) if parsed.rows else 0
        share = len(parsed.rows) / max(len(parsed.rows) + len(parsed.ragged), 1)
        if width > 1 and (share, width) > best:
            best, choice = (share, width), delimiter
    return choice
