"""What is known about documents besides their words (year, author, party): NumPy columns, shown as a pandas table."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["as_columns", "column_of", "restored", "stored"]

# A number as people write it; what begins with 0 and has more digits is a code, and keeps them.
_WHOLE = r"(?:0|[1-9]\d{0,17}+)"
_NUMBER = re.compile(rf"\s*+[+-]?+(?:{_WHOLE}(?:\.\d*+)?+|\.\d++)(?:[eE][+-]?\d{{1,3}}+)?+\s*+", re.ASCII)


def as_columns(table: Any, num_docs: int) -> dict[str, np.ndarray]:
    """A pandas table, or a mapping of names to values, as columns with a value for each document.

    >>> as_columns({"year": [1984, 1990]}, 2)
    {'year': array([1984, 1990])}
    """
    if not isinstance(table, Mapping) and not hasattr(table, "columns"):
        raise TypeError(f"metadata must be a pandas table or a dict of columns, not {type(table).__name__}")
    names = list(table.keys() if isinstance(table, Mapping) else table.columns)
    if twice := next((str(name) for i, name in enumerate(names) if str(name) in map(str, names[:i])), None):
        raise ValueError(f"metadata have the column {twice!r} twice: rename one of them")
    columns = {str(name): np.asarray(table[name]) for name in names}
    for name, values in columns.items():
        if values.shape != (num_docs,):
            raise ValueError(f"the column {name!r} has shape {values.shape}; the corpus has {num_docs} documents")
    return columns


def column_of(values: Sequence[Any]) -> np.ndarray:
    """Values of a file as a column: of numbers if all are numbers, missing ones being NaN, or else of objects.

    >>> column_of(["1984", "1990"]), column_of(["1.5", ""]), column_of(["007", "x"])
    (array([1984, 1990]), array([1.5, nan]), array(['007', 'x'], dtype=object))
    """
    present = [value for value in values if value is not None and value != ""]
    if present and all(_is_number(value) for value in present):
        numbers = np.array([np.nan if value is None or value == "" else float(value) for value in values])
        whole = len(present) == len(values) and bool((np.abs(numbers) < 2**53).all() and (numbers % 1 == 0).all())
        return numbers.astype(np.int64) if whole else numbers
    column = np.empty(len(values), object)
    column[:] = values
    return column


def stored(columns: Mapping[str, np.ndarray] | None) -> dict[str, Any] | None:
    """Columns as files hold them: numbers as arrays, dates as whole numbers with their unit, the rest as lists.

    >>> stored({"day": np.array(["1990-01-02"], "M8[D]"), "who": np.array(["a", None], object)})
    {'day': ('<M8[D]', array([7306])), 'who': ['a', None]}
    """
    return None if columns is None else {name: _stored(values) for name, values in columns.items()}


def _stored(values: np.ndarray) -> Any:
    if values.dtype.kind in "mM":
        return values.dtype.str, values.astype(np.int64)
    if values.dtype.kind in "biuf":
        return values
    simple = bool | int | float | str | None
    return [value if isinstance(value, simple) else str(value) for value in values.tolist()]


def restored(columns: Any, num_docs: int | None) -> dict[str, np.ndarray] | None:
    """Columns of :func:`stored`, if they are what it gives, of so many documents.

    >>> restored({"day": ("<M8[D]", np.array([7306])), "who": ["a"]}, 1)
    {'day': array(['1990-01-02'], dtype='datetime64[D]'), 'who': array(['a'], dtype=object)}
    """
    if columns is None:
        return None
    if num_docs is None or not isinstance(columns, Mapping) or not all(isinstance(name, str) for name in columns):
        raise ValueError("doc_columns_ are no metadata of its documents")
    return as_columns({name: _restored(values) for name, values in columns.items()}, num_docs)


def _restored(values: Any) -> np.ndarray:
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, tuple):
        unit, numbers = values
        if not (isinstance(unit, str) and re.fullmatch(r"[<>=|]?[mM]8(\[\w+\])?", unit)):
            raise ValueError(f"{unit!r:.40} is no unit of dates")
        return np.asarray(numbers, np.int64).astype(unit)
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return bool(_NUMBER.fullmatch(value)) and value.isascii()
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2.0**53
