"""ARFF as WEKA, Mulan and MEKA write it: names and values with quotes and escapes, ranges, weights, strings."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from jaxlda.corpora.readers._source import NUMBER, Source, shown

__all__ = ["Arff", "Attribute", "header_of", "rows_of", "unquoted"]

_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_ATTRIBUTE = re.compile(
    rf"@attribute\s++(?P<name>{_QUOTED}|(?!['\"])(?:\\.|[^\s{{\\])++)\s*+(?P<type>.+)", re.IGNORECASE
)
_NUMERIC = re.compile(r"(?:numeric|real|integer)\s*+(?:[\[(][^\])]*+[\])])?+\s*+(?:\{[^}]*+\})?+", re.IGNORECASE)
_IGNORED = re.compile(r"(string|date)\b.*+", re.IGNORECASE)
_VALUE = re.compile(rf"\s*+({_QUOTED}|[^,}}'\"]*+)\s*+([,}}])")
_WEIGHT = re.compile(rb"\s*+,\s*+\{\s*+" + NUMBER + rb"\s*+\}$")
_PAIR = rb"\d{1,9}+\s++" + NUMBER + rb"\s*+"
_SPARSE = re.compile(rb"\{\s*+(?:" + _PAIR + rb"(?:,\s*+" + _PAIR + rb")*+)?+\}")
_DENSE = re.compile(NUMBER + rb"\s*+(?:,\s*+" + NUMBER + rb"\s*+)*+")
_PLAIN = re.compile(NUMBER.decode(), re.ASCII)
_CELL = re.compile(rf"\s*+({_QUOTED}|[^,'\"]*+)\s*+(,|\Z)")
_INDEXED = re.compile(rf"\s*+(\d{{1,9}}+)\s++({_QUOTED}|[^,'\"\s]++)\s*+(,|\Z)", re.ASCII)
_WORDS = {"false": 0.0, "no": 0.0, "f": 0.0, "n": 0.0, "true": 1.0, "yes": 1.0, "t": 1.0, "y": 1.0}
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}
Weights = tuple[int, list[int], list[float]]


class Attribute(NamedTuple):
    """A column of an ARFF file."""

    name: str
    written: str
    """The name as it stands in the file, with its escapes but without quotes."""
    line: int
    values: dict[str, float] | None
    """What the values of a nominal attribute mean; None if it is a number."""
    default: float = 0.0
    """What a sparse row means by leaving it out: 0, but for a nominal attribute its first value."""
    is_number: bool = True
    """Otherwise it is a string or a date."""


class Arff(NamedTuple):
    """What the header says."""

    relation: str
    attributes: list[Attribute]
    first: int
    """The line ``@data``."""
    text: str
    """The whole file."""


def unquoted(text: str) -> str:
    r"""A name or value without its quotes and escapes.

    >>> unquoted(r"'it\'s'"), unquoted(r"m\'usica"), unquoted("cat")
    ("it's", "m'usica", 'cat')
    """
    return re.sub(r"\\(.)", lambda sign: _SIGNS.get(sign[1], sign[1]), _inner(text))


def _inner(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0] else text


def header_of(source: Source, encoding: str | None) -> Arff:
    """The attributes and where the data starts."""
    text = source.text(encoding)  # which says where it is not text
    attributes: list[Attribute] = []
    seen: dict[str, int] = {}
    relation = ""
    for line, content in enumerate(text.split("\n"), 1):
        row = content.strip()
        keyword = row.split(None, 1)[0].lower() if row else ""
        if not row or row.startswith("%"):
            continue
        if keyword == "@relation":
            relation = unquoted(row[len(keyword) :].strip())
            continue
        if keyword == "@data":
            if not attributes:
                raise source.error(line, "@data comes before any @attribute")
            return Arff(relation, attributes, line, text)
        if keyword != "@attribute":
            raise source.error(line, f"expected @attribute or @data, found {shown(row)}")
        attribute = _attribute(source, line, row)
        if attribute.name in seen:
            raise source.error(line, f"the attribute {attribute.name!r} was declared in line {seen[attribute.name]}")
        seen[attribute.name] = line
        attributes.append(attribute)
        source.check_size(len(attributes), "attributes")
    raise source.error(None, "has no line @data: it is truncated, or no ARFF file")


def _attribute(source: Source, line: int, row: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(row)
    if not match:
        raise source.error(line, f"cannot read the attribute {shown(row)}; expected @attribute NAME TYPE")
    name, written, kind = unquoted(match["name"]), _inner(match["name"]), match["type"].strip()
    if _NUMERIC.fullmatch(kind):
        return Attribute(name, written, line, None)
    if _IGNORED.fullmatch(kind):
        return Attribute(name, written, line, None, is_number=False)
    if kind[0] in "'\"":
        raise source.error(line, f"cannot read the name in {shown(row)}: a quote in a name has a backslash before it")
    if not kind.startswith("{"):
        raise source.error(
            line, f"the attribute {name!r} is of type {shown(kind)}; only numbers, {{0,1}} and strings are read"
        )
    values: dict[str, float] = {}
    at, end = 1, ","
    while end == ",":
        found = _VALUE.match(kind, at)
        if not found:
            raise source.error(line, f"cannot read the values of the attribute {name!r}: {shown(kind)}")
        value = unquoted(found[1].strip())
        number = _number(value)
        if number is None:
            raise source.error(
                line, f"the attribute {name!r} has the value {shown(value)}, which is not a number, nor false or true"
            )
        values[value] = number
        at, end = found.end(), found[2]
    return Attribute(name, written, line, values, next(iter(values.values())))


def _number(value: str) -> float | None:
    return float(value) if _PLAIN.fullmatch(value) else _WORDS.get(value.casefold())


def rows_of(source: Source, arff: Arff, titles: list[str]) -> Iterator[Weights]:
    """Line, columns and values of each document; strings are added to ``titles``, one per document."""
    attributes = arff.attributes
    odd = next((a for a in attributes if a.default != 0), None)
    title = next((i for i, a in enumerate(attributes) if not a.is_number), None)
    weighted = 0
    for line, content in enumerate(arff.text.split("\n")[arff.first :], arff.first + 1):
        row = content.strip()
        if not row or row.startswith("%"):
            continue
        raw = row.encode("utf-8", "surrogatepass")
        if raw.endswith(b"}") and (weight := _WEIGHT.search(raw)):
            raw, weighted = raw[: weight.start()], weighted + 1
            row = raw.decode("utf-8", "surrogatepass")
        if row.startswith("{"):
            if odd is not None:
                meant = f"the first value of {odd.name!r} is {odd.default:g}, and that is what sparse rows leave out"
                raise source.error(odd.line, f"{meant}; list 0 first")
            columns, values, strings = _sparse(source, line, row, raw, attributes)
        else:
            columns, values, strings = _dense(source, line, row, raw, attributes)
        if title is not None:
            titles.append(strings.get(title, ""))
        yield line, columns, values
    if weighted:
        source.warn(f"the weights of {weighted} row(s) are ignored")


Parsed = tuple[list[int], list[float], dict[int, str]]


def _sparse(source: Source, line: int, row: str, raw: bytes, attributes: list[Attribute]) -> Parsed:
    if _SPARSE.fullmatch(raw) and all(a.is_number for a in attributes):
        parts = raw[1:-1].replace(b",", b" ").split()
        return list(map(int, parts[0::2])), list(map(float, parts[1::2])), {}
    if not row.endswith("}"):
        raise source.error(line, "the row does not end in }: it is cut")
    columns: list[int] = []
    values: list[float] = []
    strings: dict[int, str] = {}
    at, inner = 0, row[1:-1].strip()
    while at < len(inner):
        found = _INDEXED.match(inner, at)
        if not found:
            raise source.error(line, f"expected 'index value', found {shown(inner[at:].split(',')[0].strip())}")
        column, at = int(found[1]), found.end()
        if column >= len(attributes):
            raise source.error(
                line,
                f"there is no attribute {column}: the {len(attributes)} are numbered from 0 to {len(attributes) - 1}",
            )
        value = _meaning(attributes[column], found[2])
        if value is None:
            raise source.error(line, f"expected 'index value', found {shown(found[0].strip(', '))}")
        if isinstance(value, str):
            strings[column] = value
        else:
            columns.append(column)
            values.append(value)
    return columns, values, strings


def _dense(source: Source, line: int, row: str, raw: bytes, attributes: list[Attribute]) -> Parsed:
    if _DENSE.fullmatch(raw) and all(a.is_number for a in attributes):
        cells = row.split(",")
    else:
        cells = _cells(source, line, row)
    if len(cells) != len(attributes):
        raise source.error(line, f"has {len(cells)} value(s), but there are {len(attributes)} attributes")
    columns: list[int] = []
    values: list[float] = []
    strings: dict[int, str] = {}
    for column, (attribute, cell) in enumerate(zip(attributes, cells, strict=True)):
        value = _meaning(attribute, cell)
        if value is None:
            problem = f"the attribute {attribute.name!r} is {shown(cell.strip())}, not a number"
            raise source.error(line, f"{problem}; missing values are not read")
        if isinstance(value, str):
            strings[column] = value
        elif value:
            columns.append(column)
            values.append(value)
    return columns, values, strings


def _cells(source: Source, line: int, row: str) -> list[str]:
    cells: list[str] = []
    at, end = 0, ","
    while end == ",":
        found = _CELL.match(row, at)
        if not found:
            raise source.error(line, f"cannot read {shown(row[at:])}: is a quote missing?")
        cells.append(found[1].strip())
        at, end = found.end(), found[2]
    return cells


def _meaning(attribute: Attribute, cell: str) -> float | str | None:
    """The number a value means, the string it is, or None."""
    value = unquoted(cell.strip())
    if not attribute.is_number:
        return value
    if attribute.values is not None and value in attribute.values:
        return attribute.values[value]
    return float(value) if _PLAIN.fullmatch(value) else None
