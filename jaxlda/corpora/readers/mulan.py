"""Multi-label data sets as Mulan ships them: an ARFF file of words and labels, and an XML file of their names."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._entries import check_values, corpus_of, entries_of
from jaxlda.corpora.readers._source import MAX_BYTES, NUMBER, Source, open_source, shown

__all__ = ["read_mulan"]

_ATTRIBUTE = re.compile(
    r"""@attribute\s++
    (?: '(?P<single>(?:[^'\\]|\\.)*+)' | "(?P<double>(?:[^"\\]|\\.)*+)" | (?P<bare>[^\s{'"]++) )
    \s*+ (?P<type>.+)""",
    re.IGNORECASE | re.VERBOSE,
)
_PAIR = rb"\d{1,9}+\s++" + NUMBER + rb"\s*+"
_SPARSE = re.compile(rb"\{\s*+(?:" + _PAIR + rb"(?:,\s*+" + _PAIR + rb")*+)?+\}")
_DENSE = re.compile(NUMBER + rb"\s*+(?:,\s*+" + NUMBER + rb"\s*+)*+")
_PLAIN = re.compile(NUMBER)


class Attribute(NamedTuple):
    """A column of an ARFF file."""

    name: str
    line: int
    default: str
    """What a sparse row means by leaving it out: 0, but for a nominal attribute its first value."""


def read_mulan(
    path: Any,
    labels_path: Any,
    *,
    values: str = "counts",
    encoding: str = "utf-8",
    max_bytes: int = MAX_BYTES,
) -> Corpus:
    r"""Read a data set of Mulan: ARFF, sparse or dense, and the XML file with the names of the labels.

    The attributes that the XML file names are labels, in its order; the others are words. Read the training and the
    test file of a data set with the same XML file: their words and labels are then the same.

    Parameters
    ----------
    path
        The ARFF file, gzipped or not.
    labels_path
        The XML file. One that declares entities or a document type is refused.
    values
        ``"counts"``: attributes are counts, and anything else is an error. ``"presence"``: a word is present, once,
        where its attribute is not 0; for files of weights.
    encoding
        Of the ARFF file.
    max_bytes
        Larger files are refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> head = ["@relation pets", "@attribute cat {0,1}", "@attribute dog numeric", "@attribute PET {0,1}", "@data"]
    >>> (folder / "pets.arff").write_text("\n".join([*head, "{0 1, 1 3}", "{1 1, 2 1}"])) > 0
    True
    >>> (folder / "pets.xml").write_text('<labels><label name="PET"/></labels>') > 0
    True
    >>> corpus = read_mulan(folder / "pets.arff", folder / "pets.xml")
    >>> corpus, corpus.vocab.tolist(), corpus.labels.toarray().tolist()
    (Corpus(2 documents, 2 words, 5 tokens, 1 label), ['cat', 'dog'], [[False], [True]])
    """
    presence = check_values(values)
    source, xml = open_source(path, max_bytes), open_source(labels_path, max_bytes)
    attributes, first = _header(source, encoding)
    labels = _label_names(xml)
    number = {attribute.name: i for i, attribute in enumerate(attributes)}
    for name, line in labels.items():
        if name not in number:
            raise xml.error(line, f"the label {name!r} is not an attribute of {source.name}")
    label_columns = [number[name] for name in labels]
    is_label = np.zeros(len(attributes), bool)
    is_label[label_columns] = True
    if is_label.all():
        raise xml.error(None, f"every attribute of {source.name} is a label: no words are left")
    place = np.cumsum(~is_label) - 1
    place[label_columns] = np.arange(len(labels))

    entries = entries_of(_rows(source, attributes, first))
    entries.check_columns(source, len(attributes), "attribute")
    of_label = is_label[entries.column]
    words, tags = (entries.select(part, place[entries.column]) for part in (~of_label, of_label))
    vocab = [attribute.name for attribute, label in zip(attributes, is_label, strict=True) if not label]
    names = list(labels)
    counts = words.counts(source, presence, lambda i: f"the word {vocab[words.column[i]]!r}")
    indicators = tags.indicators(source, len(names), lambda i: f"the label {names[tags.column[i]]!r}")
    return corpus_of(source, words, counts, len(vocab), vocab=vocab, labels=indicators, label_names=names)


def _header(source: Source, encoding: str) -> tuple[list[Attribute], int]:
    """The attributes, and the number of the line ``@data``."""
    source.text(encoding)  # which says where it is not text
    attributes: list[Attribute] = []
    seen: dict[str, int] = {}
    for line, content in source.lines():
        text = content.decode(encoding, "replace").removeprefix("\ufeff").strip()
        keyword = text.split(None, 1)[0].lower() if text else ""
        if not text or text.startswith("%") or keyword == "@relation":
            continue
        if keyword == "@data":
            if not attributes:
                raise source.error(line, "@data comes before any @attribute")
            return attributes, line
        if keyword != "@attribute":
            raise source.error(line, f"expected @attribute or @data, found {shown(text)}")
        attribute = _attribute(source, line, text)
        if attribute.name in seen:
            raise source.error(line, f"the attribute {attribute.name!r} was declared in line {seen[attribute.name]}")
        seen[attribute.name] = line
        attributes.append(attribute)
    raise source.error(None, "has no line @data: it is truncated, or no ARFF file")


def _attribute(source: Source, line: int, text: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    if not match:
        raise source.error(line, f"cannot read the attribute {shown(text)}; expected @attribute NAME TYPE")
    name, kind = match["bare"], match["type"].strip()
    if name is None:
        name = re.sub(r"\\(.)", r"\1", match["single"] if match["single"] is not None else match["double"])
    if kind.lower() in ("numeric", "real", "integer"):
        return Attribute(name, line, "0")
    if not (kind.startswith("{") and kind.endswith("}")):
        raise source.error(line, f"the attribute {name!r} is of type {shown(kind)}; only numbers and {{0,1}} are read")
    choices = [choice.strip().strip("'\"") for choice in kind[1:-1].split(",")]
    for choice in choices:
        if not _PLAIN.fullmatch(choice.encode("utf-8", "replace")):
            raise source.error(line, f"the attribute {name!r} has the value {shown(choice)}, which is not a number")
    return Attribute(name, line, choices[0])


def _rows(source: Source, attributes: list[Attribute], first: int) -> Iterator[tuple[int, list[int], list[float]]]:
    """Line, columns and values of each document."""
    size, odd = len(attributes), next((a for a in attributes if float(a.default) != 0), None)
    for line, content in source.lines():
        row = content.strip()
        if line <= first or not row or row.startswith(b"%"):
            continue
        if row.startswith(b"{"):
            if not _SPARSE.fullmatch(row):
                raise source.error(line, _what_is_wrong(row))
            if odd is not None:
                meant = f"the first value of {odd.name!r} is {odd.default}, and that is what sparse rows leave out"
                raise source.error(odd.line, f"{meant}; list 0 first")
            parts = row[1:-1].replace(b",", b" ").split()
            yield line, list(map(int, parts[0::2])), list(map(float, parts[1::2]))
        else:
            parts = row.split(b",")
            if len(parts) != size:
                raise source.error(line, f"has {len(parts)} value(s), but there are {size} attributes")
            if not _DENSE.fullmatch(row):
                wrong = next(i for i, part in enumerate(parts) if not _PLAIN.fullmatch(part.strip()))
                name, found = attributes[wrong].name, shown(parts[wrong].strip())
                raise source.error(
                    line, f"the attribute {name!r} is {found}, not a number; missing values are not read"
                )
            dense = np.array(list(map(float, parts)))
            columns = np.flatnonzero(dense)
            yield line, columns.tolist(), dense[columns].tolist()


def _what_is_wrong(row: bytes) -> str:
    """Why a sparse row cannot be read."""
    if not row.endswith(b"}"):
        return "the row does not end in }: it is cut, or has a weight, which is not read"
    for pair in row[1:-1].split(b","):
        if not re.fullmatch(_PAIR, pair.strip()):
            return f"expected 'index value', found {shown(pair.strip())}"
    return f"cannot read {shown(row)}"


def _label_names(xml: Source) -> dict[str, int]:
    """The names of the labels with their lines, in order."""
    parser = expat.ParserCreate()
    found: dict[str, int] = {}

    def refuse(*_: Any) -> None:
        raise xml.error(parser.CurrentLineNumber, "declares a document type or entities, which are not read")

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] != "label":
            return
        name, line = attributes.get("name"), parser.CurrentLineNumber
        if name is None:
            raise xml.error(line, "a <label> has no name")
        if name in found:
            raise xml.error(line, f"the label {name!r} was named in line {found[name]}")
        found[name] = line

    # Entities are declared in a document type only: without one, none can grow or lead to other files.
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    try:
        parser.Parse(xml.raw, True)
    except expat.ExpatError as error:
        raise xml.error(error.lineno, f"is not well-formed XML: {expat.ErrorString(error.code)}") from None
    except LookupError as error:  # of the encoding it declares
        raise xml.error(1, str(error)) from None
    if not found:
        raise xml.error(None, "names no labels; expected <labels> with <label name='...'> in it")
    return found
