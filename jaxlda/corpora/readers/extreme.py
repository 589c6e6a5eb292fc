"""The text format of the Extreme Classification Repository, and matrices as scikit-learn holds them."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._entries import check_values, corpus_of, entries_of
from jaxlda.corpora.readers._source import NUMBER, Source, open_source, shown

__all__ = ["from_multilabel", "label_name", "read_extreme"]

_HEADER = re.compile(rb"\d{1,9}+\s++\d{1,9}+\s++\d{1,9}+")
_LABELS = rb"(?:\d{1,9}+(?:,\d{1,9}+)*+(?=\s|$))?+"
_FEATURE = rb"\d{1,9}+:" + NUMBER
_ROW = re.compile(rb"\s*+(?P<labels>" + _LABELS + rb")\s*+(?P<features>(?:" + _FEATURE + rb"\s*+)*+)")


def read_extreme(
    path: Any,
    *,
    vocab: Any = None,
    label_names: Any = None,
    values: str = "counts",
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
) -> Corpus:
    r"""Read the text format of the Extreme Classification Repository.

    The first line has the numbers of documents, words and labels; then there is a line for each document: its labels,
    separated by commas, and ``word:value`` for each of its words, all numbered from 0. A document without labels starts
    with its words.

    Parameters
    ----------
    path
        The file or file object, packed or not.
    vocab, label_names
        The names in the order of their numbers; ``w0``, ``label0`` and so on if not given.
    values
        ``"counts"``: values are counts, and anything else is an error. ``"presence"``: a word is present, once, where
        its value is not 0; most files of the repository hold tf-idf weights.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`; ``max_size`` is for documents, words and labels.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.txt"
    >>> path.write_text("2 3 4\n1,3 0:2 2:1\n 1:5\n") > 0
    True
    >>> corpus = read_extreme(path)
    >>> corpus, corpus.labels.toarray().astype(int).tolist()
    (Corpus(2 documents, 3 words, 8 tokens, 4 labels), [[0, 1, 0, 1], [0, 0, 0, 0]])
    """
    presence = check_values(values)
    source = open_source(path, max_bytes, max_tokens, max_size)
    _, head = next(source.lines(), (1, b""))
    if not _HEADER.fullmatch(head.strip()):
        raise source.error(1, f"expected the numbers of documents, words and labels, found {shown(head)}")
    D, V, L = map(int, head.split())
    source.check_size(V, "words", 1)
    source.check_size(L, "labels", 1)
    rows = list(_rows(source))
    while len(rows) > D and not any(rows[-1][1:]):
        rows.pop()  # a blank line at the end; any other is a document without words and labels
    if len(rows) != D:
        raise source.error(None, f"has {len(rows)} document(s), but line 1 announces {D}; is it truncated?")
    words = entries_of((line, columns, found) for line, _, columns, found in rows)
    words.check_columns(source, V, "word")
    labels = entries_of((line, tags, [1.0] * len(tags)) for line, tags, _, _ in rows)
    labels.check_columns(source, L, "label")
    counts = words.counts(source, presence, lambda i: f"the word {words.column[i]}")
    indicators = labels.indicators(source, L, lambda i: f"the label {labels.column[i]}")
    return corpus_of(source, words, counts, V, vocab=vocab, labels=indicators, label_names=label_names)


def _rows(source: Source) -> Iterator[tuple[int, list[int], list[int], list[float]]]:
    """Line, labels, columns and values of each document."""
    for line, content in source.lines():
        if line == 1:
            continue
        match = _ROW.fullmatch(content)
        if not match:
            wrong = next((part for part in content.split() if not re.fullmatch(_FEATURE, part)), content)
            raise source.error(line, f"expected 'label,label word:value ...', found {shown(wrong)}")
        parts = match["features"].replace(b":", b" ").split()
        labels = list(map(int, match["labels"].split(b","))) if match["labels"] else []
        yield line, labels, list(map(int, parts[0::2])), list(map(float, parts[1::2]))


def from_multilabel(X: Any, Y: Any, *, vocab: Any = None, label_names: Any = None) -> Corpus:
    """A corpus from matrices as scikit-learn's functions return them.

    Parameters
    ----------
    X
        Counts, documents x words, dense or sparse.
    Y
        Indicators, documents x labels, dense or sparse; or a tuple, list or set of labels for each document, as
        ``load_svmlight_file(..., multilabel=True)`` gives them. Labels that are numbers are named by their digits.
    vocab, label_names
        The names of the columns; of sets of labels, all there are, in the order they shall have.

    Examples
    --------
    >>> corpus = from_multilabel([[2, 0], [0, 1]], [(10.0, 2.0), ()])
    >>> corpus.label_names.tolist(), corpus.labels.toarray().astype(int).tolist()
    (['2', '10'], [[1, 1], [0, 0]])
    """
    if hasattr(Y, "shape") and len(Y.shape) == 2:
        return Corpus.from_counts(X, vocab, labels=Y, label_names=label_names)
    sets = [set(labels) if isinstance(labels, tuple | list | set | frozenset) else {labels} for labels in Y]
    if label_names is None:
        every = set().union(*sets)
        try:
            label_names = sorted(every)
        except TypeError:
            raise TypeError("labels are either all numbers or all strings; these are of several types") from None
    label_names = [label_name(name) for name in label_names]
    return Corpus.from_counts(X, vocab, labels=[[label_name(y) for y in s] for s in sets], label_names=label_names)


def label_name(label: Any) -> str:
    """A number's digits without those that say nothing: 2.0 is the label 2."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, int | float | np.integer | np.floating) and np.isfinite(label):
        return str(int(label)) if label == int(label) else str(float(label))
    raise TypeError(f"a label is a string or a number; got {label!r:.60} ({type(label).__name__})")
