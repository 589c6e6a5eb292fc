"""Results as tables: for people, as CSV or as JSON; on the screen or in a file."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Table", "add_form", "add_output", "rounded", "say", "write", "written"]


class Table(NamedTuple):
    """Named columns, and rows of numbers and texts."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def csv(self) -> str:
        """As CSV, with a line of names; lists are joined by spaces."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([" ".join(cell) if isinstance(cell, list) else cell for cell in row] for row in self.rows)
        return file.getvalue()

    def json(self) -> str:
        """As JSON: a list of objects, one a line."""
        lines = [json.dumps(dict(zip(self.columns, row, strict=True)), ensure_ascii=False) for row in self.rows]
        return "[" + ",\n ".join(lines) + "]\n"


def add_form(parser: argparse.ArgumentParser) -> None:
    """In which form a table is printed."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_const", const="csv", dest="form", help="as CSV")
    form.add_argument("--json", action="store_const", const="json", dest="form", help="as JSON")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Where a table goes, and in which form."""
    add_form(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write here; *.csv and *.json say in which form")


def write(table: Table, options: argparse.Namespace, readable: Callable[[], str] | None = None) -> None:
    """Print the table or write it to the file; without a choice of form, as text for people, or else as CSV."""
    output, form = getattr(options, "output", None), options.form
    if form is None and output is not None:
        form = {".csv": "csv", ".json": "json"}.get(output.suffix.lower())
    if form is None and readable is not None:
        content = readable()
    else:
        content = table.json() if form == "json" else table.csv()
    if output is None:
        sys.stdout.write(content)
        sys.stdout.flush()
    else:
        written(output, content.encode())


def written(path: Path, content: bytes) -> None:
    """Replace a file as a whole, and say so."""
    from jaxlda.running.archive import replacing

    with replacing(path.resolve()) as file:
        file.write(content)
    say(f"written: {path}")


def rounded(value: Any) -> float:
    """A number with the digits that single precision has."""
    return float(f"{value:.6g}")


def say(line: str) -> None:
    """Tell what is going on, where it does not mix with results."""
    print(line, file=sys.stderr, flush=True)
