"""Results as tables: for people, as CSV or as JSON; on the screen or in a file."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jaxlda.cli._arguments import place
from jaxlda.corpora.escapes import printable, spreadsheet_text

__all__ = [
    "SYMBOLS",
    "Output",
    "add_form",
    "add_output",
    "as_json",
    "is_arrays",
    "named_rows",
    "names_of_documents",
    "of_frame",
    "of_pairs",
    "readable",
    "rounded",
    "say",
    "show",
    "write",
    "write_and_say",
    "write_arrays",
]


SYMBOLS = {"phi": "φ", "phi_p": "φᵖ", "theta": "θ", "theta_p": "θᵖ"}


class Output(NamedTuple):
    """Named columns, and rows of numbers and texts."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def csv(self) -> str:
        """As CSV, with a line of names; lists are joined by spaces, and no text is a formula to a spreadsheet."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        for row in (self.columns, *self.rows):
            cells = (" ".join(cell) if isinstance(cell, list) else cell for cell in row)
            writer.writerow(
                [printable(cell) if isinstance(cell, str) else cell for cell in map(spreadsheet_text, cells)]
            )
        return file.getvalue()

    def json(self) -> str:
        """As JSON: a list of objects, one per line."""
        lines = [as_json(dict(zip(self.columns, row, strict=True))) for row in self.rows]
        return "[" + ",\n ".join(lines) + "]\n"


def as_json(value: Any) -> str:
    r"""A line of JSON, in which controls are escaped that JSON lets pass.

    >>> as_json(["na\u00efve \x9b1m"])
    '["naïve \\u009b1m"]'
    """
    line = json.dumps(value, ensure_ascii=False)
    return "".join(c if printable(c) == c else f"\\u{ord(c):04x}" for c in line) if printable(line) != line else line


def add_form(parser: argparse.ArgumentParser) -> None:
    """Add the options ``--csv`` and ``--json``."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--csv", action="store_const", const="csv", dest="form", help="print CSV")
    form.add_argument("--json", action="store_const", const="json", dest="form", help="print JSON")


def add_output(parser: argparse.ArgumentParser, *more: str) -> None:
    """Add the options of where a table goes and in which form; ``more`` are other endings that the command writes."""
    add_form(parser)
    endings = (".csv", ".json", ".txt", *more)

    def table(text: str) -> Path:
        path = place(text)
        if path.suffix and path.suffix.lower() not in endings:
            raise argparse.ArgumentTypeError(
                f"{text} cannot be written: files are {', '.join(endings)} or have no ending, not {path.suffix}"
            )
        return path

    told = "write to this file; *.csv and *.json set the format"
    parser.add_argument("--output", type=table, metavar="FILE", help=told)


def write(table: Output, options: argparse.Namespace, readable: Callable[[], str] | None = None) -> None:
    """Print the table or write it to the file; without a choice of form, as text for people, or else as CSV."""
    output, form = getattr(options, "output", None), options.form
    if form is None and output is not None:
        form = {".csv": "csv", ".json": "json"}.get(output.suffix.lower())
    if form is None and readable is not None:
        content = readable()
    else:
        content = table.json() if form == "json" else table.csv()
    if output is None:
        show(content)
        return
    try:
        write_and_say(output, content.encode())
    except OSError as error:
        show(content)  # what was computed is not lost
        raise OSError(f"'{output}' could not be written, so it is printed: {error.strerror or error}") from None


def readable(frame: Any) -> str:
    """A pandas table for people to read."""
    if not len(frame):
        return "nothing\n"
    return str(frame.to_string(index=False, float_format="{:.3f}".format, na_rep="", justify="left")) + "\n"


def write_arrays(path: Path, corpus: Any, arrays: Mapping[str, Any]) -> None:
    """Write arrays and the names of the documents, as NumPy reads them."""
    import numpy as np

    file = io.BytesIO()
    np.savez_compressed(file, **arrays, documents=np.array(names_of_documents(corpus)))
    write_and_say(path, file.getvalue())


def is_arrays(path: Path | None) -> bool:
    """Whether a file is to have arrays of NumPy in it."""
    return path is not None and path.suffix.lower() == ".npz"


def names_of_documents(corpus: Any) -> list[str]:
    """Titles, or else numbers."""
    return [str(d) for d in range(corpus.num_docs)] if corpus.titles is None else list(corpus.titles)


def named_rows(names: Sequence[str], values: Any) -> list[list[Any]]:
    """The rows of a matrix, each with its name in front."""
    return [[name, *map(rounded, row)] for name, row in zip(names, values.tolist(), strict=True)]


def of_frame(frame: Any) -> Output:
    """A pandas table; numbers that are missing are empty cells.

    >>> import pandas as pd
    >>> of_frame(pd.DataFrame({"year": [1984], "share": [1 / 3], "error": [float("nan")]})).rows
    [[1984, 0.333333, None]]
    """
    rows = frame.astype(object).to_numpy().tolist()
    return Output([str(name) for name in frame.columns], [[_cell(value) for value in row] for row in rows])


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return None if value != value else rounded(value)
    return value if isinstance(value, bool | int | str | list) or value is None else str(value)


def of_pairs(title: str, rows: Sequence[Sequence[Any]], *forms: str) -> str:
    """What pairs of estimators reach, a line each, for people to read; rows are phi, theta and numbers."""
    lines = [
        f"  {SYMBOLS[phi]:>2} + {SYMBOLS[theta]:<2} " + " ".join(map(format, numbers, forms))
        for phi, theta, *numbers in rows
    ]
    return "\n".join([title, *lines]) + "\n"


def write_and_say(path: Path, content: bytes) -> None:
    """Replace a file as a whole, and say so."""
    from jaxlda.corpora.replacing import replace_file

    replace_file(path, content)
    say(f"written: {path}")


def rounded(value: Any) -> float:
    """A number with the digits that single precision has."""
    return float(f"{value:.6g}")


def show(text: str) -> None:
    """Print a result, without anything that steers a terminal."""
    sys.stdout.write(printable(text))
    sys.stdout.flush()


def say(line: str) -> None:
    """Tell what is going on, where it does not mix with results."""
    print(printable(line), file=sys.stderr, flush=True)
