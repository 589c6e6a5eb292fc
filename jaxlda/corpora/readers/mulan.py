"""Multi-label data sets as Mulan and MEKA ship them: an ARFF file of words and labels, and who is a label."""

import codecs
import re
from typing import Any
from xml.parsers import expat

import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._entries import check_values, corpus_of, entries_of
from jaxlda.corpora.readers._source import Source, open_source
from jaxlda.corpora.readers.arff import Arff, Attribute, header_of, rows_of, unquoted

__all__ = ["read_mulan"]

_MEKA = re.compile(r"(?:^|\s)-C\s++(-?\d{1,6}+)(?!\S)")
_DECLARED = re.compile(rb"<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
# Others make no sense in XML, or take quadratic time, or are multi-byte ones that expat does not know.
_ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "ascii", "iso8859-", "cp125", "koi8-")


def read_mulan(
    path: Any,
    labels_path: Any = None,
    *,
    values: str = "counts",
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
) -> Corpus:
    r"""Read a data set of Mulan or MEKA: ARFF, sparse or dense, and the XML file with the names of the labels.

    The attributes that the XML file names are labels, in its order; the others are words. Read the training and the
    test file of a data set with the same XML file: their words and labels are then the same. The first string attribute
    is the title of a document; other strings and dates are ignored, and so are weights, with a warning.

    Parameters
    ----------
    path
        The ARFF file or a file object, packed or not.
    labels_path
        The XML file. One that declares entities or a document type is refused. Not needed for files of MEKA, whose
        relation says ``-C 6`` if the first six attributes are labels, or ``-C -6`` if the last six are.
    values
        ``"counts"``: attributes are counts, and anything else is an error. ``"presence"``: a word is present, once,
        where its attribute is not 0; for files of weights.
    encoding
        Of the ARFF file; found out if not given, as by :func:`read_text`.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`.

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
    source = open_source(path, max_bytes, max_tokens, max_size)
    arff = header_of(source, encoding)
    attributes = arff.attributes
    if labels_path is None:
        label_columns = _meka_labels(source, arff)
    else:
        label_columns = _mulan_labels(source, open_source(labels_path, max_bytes), attributes)
    is_label = np.zeros(len(attributes), bool)
    is_label[label_columns] = True
    is_word = ~is_label & [attribute.is_number for attribute in attributes]
    if not is_word.any():
        raise source.error(None, "every attribute is a label: no words are left")
    place = np.cumsum(is_word) - 1
    place[label_columns] = np.arange(len(label_columns))

    titles: list[str] = []
    entries = entries_of(rows_of(source, arff, titles))
    entries.check_columns(source, len(attributes), "attribute")
    of_label = is_label[entries.column]
    words, tags = (entries.select(part, place[entries.column]) for part in (~of_label, of_label))
    vocab = [attribute.name for attribute, word in zip(attributes, is_word, strict=True) if word]
    names = [attributes[column].name for column in label_columns]
    counts = words.counts(source, presence, lambda i: f"the word {vocab[words.column[i]]!r}")
    indicators = tags.indicators(source, len(names), lambda i: f"the label {names[tags.column[i]]!r}")
    told = {"vocab": vocab, "labels": indicators, "label_names": names, "titles": titles or None}
    return corpus_of(source, words, counts, len(vocab), **told)


def _meka_labels(source: Source, arff: Arff) -> list[int]:
    """The columns that the relation calls labels."""
    found, size = _MEKA.search(arff.relation), len(arff.attributes)
    if not found:
        raise source.error(None, "is an ARFF file: name its labels with an XML file (labels_path=, --xml)")
    number = int(found[1])
    if not 0 < abs(number) < size:
        raise source.error(None, f"the relation says -C {number}, but there are {size} attributes")
    columns = list(range(number) if number > 0 else range(size + number, size))
    if wrong := [arff.attributes[i].name for i in columns if not arff.attributes[i].is_number]:
        raise source.error(None, f"the label {wrong[0]!r} is a string, not 0 or 1")
    return columns


def _mulan_labels(source: Source, xml: Source, attributes: list[Attribute]) -> list[int]:
    """The columns that the XML file names, with or without the escapes of ARFF."""
    number = {attribute.written: i for i, attribute in enumerate(attributes)}
    number |= {attribute.name: i for i, attribute in enumerate(attributes)}
    columns: dict[int, None] = {}
    for name, line in _label_names(xml).items():
        column = number.get(name, number.get(unquoted(name)))
        if column is None or not attributes[column].is_number:
            raise xml.error(line, f"the label {name!r} is not an attribute of {source.name}")
        if column in columns:
            raise xml.error(line, f"the label {name!r} is named twice")
        columns[column] = None
    return list(columns)


def _label_names(xml: Source) -> dict[str, int]:
    """The names of the labels with their lines, in order."""
    content = _as_utf8(xml)
    parser = expat.ParserCreate("utf-8")  # whatever it declares
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
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise xml.error(error.lineno, f"is not well-formed XML: {expat.ErrorString(error.code)}") from None
    if not found:
        raise xml.error(None, "names no labels; expected <labels> with <label name='...'> in it")
    return found


def _as_utf8(xml: Source) -> bytes:
    """The content in UTF-8, whichever encoding it declares."""
    declared = _DECLARED.match(xml.raw[:1000])
    name = declared[1].decode() if declared else None
    try:
        known = name is None or codecs.lookup(name).name.startswith(_ENCODINGS)
    except LookupError:
        known = False
    if not known:
        raise xml.error(1, f"declares the encoding {name!r}, which is not read; save it as UTF-8")
    # A file in UTF-16 has a mark at its start, and its declaration is not in ASCII.
    return xml.text(name).encode("utf-8", "surrogatepass")
