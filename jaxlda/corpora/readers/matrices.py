"""Sparse matrices in files of numbers: SVMlight (LIBSVM) and Matrix Market, as gensim and scipy write it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._entries import check_values, corpus_of, entries_of
from jaxlda.corpora.readers._source import NUMBER, Source, open_source, shown
from jaxlda.corpora.readers.bags import corpus_of_triples, words_of
from jaxlda.corpora.readers.extreme import label_name

__all__ = ["read_matrix_market", "read_svmlight"]

_LABELS = rb"(?:" + NUMBER + rb"(?:,\s*+" + NUMBER + rb")*+(?=\s|$))?+"
_FEATURE = rb"\d{1,9}+:" + NUMBER
_ROW = re.compile(
    rb"\s*+(?P<labels>" + _LABELS + rb")\s*+(?:qid:\d++\s*+)?+(?P<features>(?:" + _FEATURE + rb"(?:\s++|$))*+)"
)
_BANNER = re.compile(rb"%%MatrixMarket\s+matrix\s+coordinate\s+(integer|real|pattern|unsigned-integer)\s+general", re.I)
_SIZES = re.compile(rb"\s*+(\d{1,18}+)\s++(\d{1,18}+)\s++(\d{1,18}+)\s*+")


def read_svmlight(
    path: Any,
    vocab: Any = None,
    *,
    values: str = "counts",
    zero_based: bool | None = None,
    label_names: Any = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
) -> Corpus:
    r"""Read the format of SVMlight and LIBSVM: a line per document, its labels, then ``word:value`` for each word.

    Several labels are separated by commas. What follows ``#`` is ignored. Where all documents have the same label, it
    says nothing, and the corpus has none.

    Parameters
    ----------
    path
        The file or file object, packed or not.
    vocab
        The words in the order of their numbers: a list, or a file as :func:`read_vocab` takes it.
    values
        ``"counts"`` or ``"presence"``, as in :func:`read_extreme`.
    zero_based
        Whether the first word is number 0. If not given: if a word 0 occurs.
    label_names
        The names of labels 0, 1, ...: a list, or a file with a name in each line. If not given, they are numbers.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`.

    Examples
    --------
    >>> import io
    >>> corpus = read_svmlight(io.BytesIO(b"1 1:2 3:1 # one\n-1 2:4\n"))
    >>> corpus.counts.toarray().tolist(), corpus.label_names.tolist()
    ([[2, 0, 1], [0, 4, 0]], ['-1', '1'])
    """
    presence = check_values(values)
    source, words = open_source(path, max_bytes, max_tokens, max_size), words_of(vocab, max_bytes)
    rows = list(_svm_rows(source))
    entries = entries_of((line, columns, found) for line, _, columns, found in rows)
    if zero_based is None:
        zero_based = bool((entries.column == 0).any())
        source.report(f"the first word is number {0 if zero_based else 1}")
    entries = entries._replace(column=entries.column - (not zero_based))
    V = int(entries.column.max(initial=-1)) + 1 if words is None else len(words)
    entries.check_columns(source, V, "word")
    counts = entries.counts(source, presence, lambda i: f"the word {entries.column[i] + (not zero_based)}")
    if label_names is not None:
        names = words_of(label_names, max_bytes)
        return corpus_of(source, entries, counts, V, vocab=words, labels=_named(source, rows, names), label_names=names)
    labels = [tags for _, tags, _, _ in rows]
    distinct = sorted({tag for tags in labels for tag in tags})
    if len(distinct) < 2:
        return corpus_of(source, entries, counts, V, vocab=words)
    named = [[label_name(tag) for tag in tags] for tags in labels]
    return corpus_of(
        source, entries, counts, V, vocab=words, labels=named, label_names=[label_name(tag) for tag in distinct]
    )


def _named(source: Source, rows: list[tuple[int, list[float], list[int], list[float]]], names: Any) -> list[list[str]]:
    """The labels of each document by name."""
    found: list[list[str]] = []
    for line, tags, _, _ in rows:
        for tag in tags:
            if tag % 1 or not 0 <= tag < len(names):
                raise source.error(line, f"the label {label_name(tag)} has no name: there are {len(names)}, from 0 on")
        found.append([str(names[int(tag)]) for tag in tags])
    return found


def _svm_rows(source: Source) -> Iterator[tuple[int, list[float], list[int], list[float]]]:
    """Line, labels, columns and values of each document."""
    for line, content in source.lines():
        row = content.partition(b"#")[0]
        if not row.strip():
            continue
        match = _ROW.fullmatch(row)
        if not match:
            wrong = next((part for part in row.split()[1:] if not re.fullmatch(_FEATURE, part)), row)
            raise source.error(line, f"expected 'label word:value word:value ...', found {shown(wrong)}")
        labels = [float(tag) for tag in match["labels"].split(b",")] if match["labels"] else []
        if not all(abs(tag) < 1e15 for tag in labels):
            raise source.error(line, f"the label {shown(match['labels'])} is too large")
        parts = match["features"].replace(b":", b" ").split()
        yield line, labels, list(map(int, parts[0::2])), list(map(float, parts[1::2]))


def read_matrix_market(
    path: Any,
    vocab: Any = None,
    *,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
) -> Corpus:
    r"""Read a sparse matrix of counts, documents x words, in Matrix Market format, as gensim's ``MmCorpus`` has it.

    Parameters
    ----------
    path
        The file or file object, packed or not.
    vocab
        The words in the order of the columns: a list, or a file as :func:`read_vocab` takes it, such as a dictionary
        of gensim saved as text; ``w0``, ``w1``, ... if not given.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`.

    Examples
    --------
    >>> import io
    >>> head = b"%%MatrixMarket matrix coordinate integer general\n% a comment\n"
    >>> read_matrix_market(io.BytesIO(head + b"2 3 3\n1 1 1\n1 3 3\n2 2 2\n")).counts.toarray().tolist()
    [[1, 0, 3], [0, 2, 0]]
    """
    source, words = open_source(path, max_bytes, max_tokens, max_size), words_of(vocab, max_bytes)
    banner = next(source.lines(), (1, b""))[1].strip()
    kind = _BANNER.fullmatch(banner)
    if not kind:
        raise source.error(1, f"expected '%%MatrixMarket matrix coordinate integer general', found {shown(banner)}")
    sizes = next(((n, content) for n, content in source.lines() if content.strip() and content[:1] != b"%"), (1, b""))
    head, content = sizes
    numbers = _SIZES.fullmatch(content)
    if not numbers:
        raise source.error(head, f"expected the numbers of documents, words and entries, found {shown(content)}")
    if kind[1].lower() == b"pattern":
        source = replace(source, raw=re.sub(rb"(?m)(?<=\d)[ \t\r]*+$", b" 1", source.raw))
    return corpus_of_triples(source, head, map(int, numbers.groups()), words, (head, head))
