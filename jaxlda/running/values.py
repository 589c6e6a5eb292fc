"""Small values in words that JSON knows, with their arrays put aside: numbers, texts, lists, tables, arrays."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from jaxlda.corpora.strings import as_array
from jaxlda.running.archive import KINDS

__all__ = ["decoded", "encoded"]


def encoded(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    """What JSON can hold in the place of a value. Arrays of numbers go to ``arrays``, under ``name``.

    Arrays of texts become lists: in NumPy, every text takes as much room as the longest.

    Examples
    --------
    >>> arrays = {}
    >>> encoded((0.5, np.arange(2)), "pair", arrays), arrays
    ({'tuple': [0.5, {'array': 'pair.1'}]}, {'pair.1': array([0, 1])})
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, PathLike):
        return fspath(value)
    if type(value) in (list, tuple):
        items = [encoded(item, f"{name}.{i}", arrays) for i, item in enumerate(value)]
        return {"tuple" if type(value) is tuple else "list": items}
    if isinstance(value, Mapping):
        return {
            "dict": [
                [encoded(x, f"{name}.{i}.{j}", arrays) for j, x in enumerate(pair)]
                for i, pair in enumerate(value.items())
            ]
        }
    if hasattr(value, "__array__"):
        return _encoded_array(np.asarray(value), name, arrays)
    raise TypeError(f"{name} cannot be saved: it is a {type(value).__name__}, not a number, text, list, dict or array")


def _encoded_array(array: np.ndarray, name: str, arrays: dict[str, np.ndarray]) -> Any:
    if array.dtype.kind in "OU" and array.ndim == 1 and all(isinstance(text, str) for text in array.tolist()):
        return {"texts": array.tolist(), "dtype": "object" if array.dtype.kind == "O" else "str"}
    if array.dtype.kind not in KINDS:
        raise TypeError(f"{name} cannot be saved: it is an array of dtype {array.dtype}, not of numbers or texts")
    arrays[name] = array
    return {"array": name}


def decoded(words: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The value that :func:`encoded` put in words.

    Examples
    --------
    >>> decoded({"tuple": [0.5, {"array": "x"}]}, {"x": np.arange(2)})
    (0.5, array([0, 1]))
    """
    if not isinstance(words, dict):
        return words
    match words:
        case {"list": items}:
            return [decoded(item, arrays) for item in items]
        case {"tuple": items}:
            return tuple(decoded(item, arrays) for item in items)
        case {"dict": pairs}:
            return {decoded(key, arrays): decoded(value, arrays) for key, value in pairs}
        case {"texts": texts, "dtype": dtype}:
            return np.array(texts, dtype=object) if dtype == "object" else as_array(texts, "its texts")
        case {"array": name}:
            return arrays[name]
    raise ValueError(f"nothing is known by the name of {', '.join(words)}")
