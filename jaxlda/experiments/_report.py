"""What an experiment gives: tables and figures like the paper's, every number, and what they say in words."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from jaxlda.corpora.replacing import replace_file

__all__ = ["Figure", "Mean", "Report", "Table", "agreement", "mean", "plain", "rising"]


class Mean(NamedTuple):
    """An average over runs."""

    mean: float
    spread: float
    """The standard deviation of a run, 0 where there is one run only."""
    runs: int = 1

    def show(self, digits: int) -> str:
        """Mean and spread as text, such as ``"3.1 ± 0.2"``; one run has no spread to show."""
        shown = f"{self.mean:.{digits}f}"
        return shown if self.runs == 1 else f"{shown} ± {self.spread:.{digits}f}"


def mean(values: Iterable[float]) -> Mean:
    """The mean over runs, with the spread.

    >>> mean([1.0, 3.0]).show(1)
    '2.0 ± 1.4'
    """
    array = np.fromiter(values, np.float64)
    return Mean(float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else 0.0, len(array))


def agreement(agrees: bool) -> str:
    """How a finding compares, in words.

    >>> agreement(True)
    'as in the paper'
    """
    return "as in the paper" if agrees else "unlike the paper"


def rising(values: Sequence[float]) -> bool:
    """Whether each is higher than the one before.

    >>> rising([1, 2, 5]), rising([1, 5, 5])
    (True, False)
    """
    return all(a < b for a, b in pairwise(values))


@dataclass(frozen=True)
class Table:
    """Records with the same columns; ``formats`` says how those of numbers are shown."""

    title: str
    records: Sequence[Mapping[str, Any]]
    formats: Mapping[str, str] = field(default_factory=dict)
    """Column -> format such as ``".3f"``; where there is none, as ``str`` does."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order in which they first occur."""
        return list(dict.fromkeys(name for record in self.records for name in record))

    def cells(self) -> list[list[str]]:
        """What is shown, row by row; a column that a record lacks is empty."""
        return [[self._cell(name, record.get(name)) for name in self.columns] for record in self.records]

    def _cell(self, name: str, value: Any) -> str:
        return "" if value is None else format(value, self.formats.get(name, ""))

    def to_pandas(self) -> Any:
        """The records as a ``pandas.DataFrame``."""
        import pandas as pd

        return pd.DataFrame(list(self.records), columns=self.columns)

    def __str__(self) -> str:
        rows = [self.columns, *self.cells()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        numeric = [all(isinstance(record.get(name), int | float | None) for record in self.records) for name in rows[0]]
        shapes = [f"{'>' if right else '<'}{width}" for right, width in zip(numeric, widths, strict=True)]
        lines = ["  ".join(map(format, row, shapes)).rstrip() for row in rows]
        return "\n".join([self.title, *(f"  {line}" for line in lines)])

    def to_html(self) -> str:
        """The table in HTML."""
        rows = [("th", self.columns), *(("td", row) for row in self.cells())]
        cells = ("".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) for tag, row in rows)
        return f"<h3>{html.escape(self.title)}</h3><table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


@dataclass(frozen=True)
class Figure:
    """A picture, as what it is drawn from: the name of a function of ``jaxlda.plots.scores``, and what it takes."""

    title: str
    table: Mapping[str, Sequence[Any]]
    options: Mapping[str, Any] = field(default_factory=dict)
    function: str = "panels"

    def plot(self) -> Any:
        """The figure, drawn by Bokeh."""
        from jaxlda.plots import scores

        return getattr(scores, self.function)(self.table, **self.options)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """An experiment of the paper, computed: ``print`` shows it, ``save`` writes it."""

    name: str
    """Of the experiment."""
    scale: str
    title: str
    setting: str
    """What the paper did, and what was done here."""
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    reading: str
    """What agreed with the paper and what did not, from the numbers."""
    numbers: Mapping[str, Any]
    """Every number, as JSON can hold it."""

    def __str__(self) -> str:
        parts = [self.title, fill(self.setting, 100), *map(str, self.tables), fill(self.reading, 100)]
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> str:
        """Everything but the figures, in HTML."""
        words = (f"<p>{html.escape(text)}</p>" for text in (self.setting, self.reading))
        return f"<h2>{html.escape(self.title)}</h2>{''.join(words)}{''.join(table.to_html() for table in self.tables)}"

    def to_json(self) -> str:
        """Everything, as JSON; what is not a number (NaN) is ``null``."""
        content = {
            "experiment": self.name,
            "scale": self.scale,
            "jaxlda": version("jaxlda"),
            "title": self.title,
            "setting": self.setting,
            "reading": self.reading,
            "tables": [{"title": table.title, "records": list(table.records)} for table in self.tables],
            "numbers": self.numbers,
        }
        return json.dumps(plain(content), indent=1, allow_nan=False, ensure_ascii=False)

    def save(self, folder: str | Path) -> tuple[Path, ...]:
        """Write ``NAME.json``, ``NAME.txt``, and ``NAME.html`` with the figures.

        Below full scale they are called ``NAME-smoke``, so that a check never takes the place of a result.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        from jaxlda.plots import as_report

        plots = {figure.title: figure.plot() for figure in self.figures}
        page = as_report(self.to_html(), plots, self.title)
        files = {"json": self.to_json(), "txt": str(self), "html": page}
        stem = self.name if self.scale == "full" else f"{self.name}-{self.scale}"
        paths = tuple(folder / f"{stem}.{ending}" for ending in files)
        for path, text in zip(paths, files.values(), strict=True):
            replace_file(path, text.encode())
        return paths


def plain(value: Any) -> Any:
    """What JSON can hold: arrays as lists, numbers of NumPy as numbers, what is not finite as ``None``.

    >>> plain({"a": np.array([1.0, np.nan]), 2: (np.int32(3),)})
    {'a': [1.0, None], '2': [3]}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
