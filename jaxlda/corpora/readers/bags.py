"""Bags of words in files of numbers: LDA-C, the UCI repository's, and vocabularies."""

import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._entries import LARGEST_COUNT, LARGEST_SIZE, corpus_of, entries_of
from jaxlda.corpora.readers._source import MAX_BYTES, Source, blocks, integers, line_spans, open_source, shown

__all__ = ["read_ldac", "read_uci", "read_vocab"]

_ROW = re.compile(rb"\d{1,9}+(?:\s++\d{1,9}+:\d{1,9}+)*+\s*+")
_PAIR = re.compile(rb"\d{1,9}+:\d{1,9}+")
_SIZE = re.compile(rb"\d{1,9}+")


def read_ldac(path: Any, vocab: Any = None, *, max_bytes: int = MAX_BYTES) -> Corpus:
    r"""Read the format of LDA-C: a line a document, the number of its distinct words, then ``word:count`` for each.

    Parameters
    ----------
    path
        The file, gzipped or not. Words are numbered from 0.
    vocab
        The words in the order of their numbers: a list, or a file with a word a line. If not given: ``w0``, ``w1``, ...
        up to the largest number that occurs.
    max_bytes
        Larger files are refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "corpus.ldac"
    >>> path.write_text("2 0:1 2:3\n1 1:2\n") > 0
    True
    >>> read_ldac(path, ["cat", "dog", "eel"]).counts.toarray().tolist()
    [[1, 0, 3], [0, 2, 0]]
    """
    source, words = open_source(path, max_bytes), _words(vocab, max_bytes)
    entries = entries_of(_rows(source))
    entries.check_columns(source, LARGEST_SIZE if words is None else len(words), "word")
    V = int(entries.column.max(initial=-1)) + 1 if words is None else len(words)
    counts = entries.counts(source, False, lambda i: f"the count of word {entries.column[i]}")
    return corpus_of(source, entries, counts, V, vocab=words)


def _rows(source: Source) -> Iterator[tuple[int, list[int], list[float]]]:
    for line, content in source.lines():
        if not _ROW.fullmatch(content):
            wrong = next((part for part in content.split()[1:] if not _PAIR.fullmatch(part)), content)
            raise source.error(line, f"expected 'number word:count word:count ...', found {shown(wrong)}")
        size, *pairs = content.replace(b":", b" ").split()
        if len(pairs) != 2 * int(size):
            raise source.error(line, f"announces {int(size)} word(s), but has {len(pairs) // 2}: it is cut or damaged")
        yield line, list(map(int, pairs[0::2])), list(map(float, pairs[1::2]))


def read_uci(path: Any, vocab: Any = None, *, max_bytes: int = MAX_BYTES) -> Corpus:
    r"""Read a bag of words of the UCI repository: ``docword.NAME.txt``, and ``vocab.NAME.txt`` for the words.

    Three lines have the numbers of documents, words and entries; every other line is ``document word count``, numbered
    from 1.

    Parameters
    ----------
    path
        The file of entries, gzipped or not.
    vocab
        The words in the order of their numbers: a list, or a file with a word a line; ``w0``, ``w1``, ... if not given.
    max_bytes
        Larger files are refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "docword.txt"
    >>> path.write_text("2\n3\n3\n1 1 1\n1 3 3\n2 2 2\n") > 0
    True
    >>> read_uci(path).counts.toarray().tolist()
    [[1, 0, 3], [0, 2, 0]]
    """
    source, words = open_source(path, max_bytes), _words(vocab, max_bytes)
    lines = source.lines()
    sizes = []
    for line, noun in enumerate(("documents", "words", "entries"), 1):
        content = next(lines, (line, b""))[1].strip()
        if not _SIZE.fullmatch(content):
            raise source.error(line, f"expected the number of {noun}, found {shown(content)}")
        sizes.append(int(content))
    D, V, entries = sizes
    if max(D, V) > LARGEST_SIZE:
        raise source.error(None, f"announces {D} documents and {V} words; more than {LARGEST_SIZE} are not supported")
    if words is not None and len(words) != V:
        raise source.error(2, f"announces {V} words, but vocab has {len(words)}")
    d, w, count = _triples(source, entries)
    for values, size, noun in ((d, D, "document"), (w, V, "word"), (count, LARGEST_COUNT, "count")):
        bad = (values < 1) | (values > size)
        if bad.any():
            i = int(np.argmax(bad))
            raise source.error(i + 4, f"there is no {noun} {values[i]}: it is from 1 to {size}")
    order = np.lexsort((w, d))
    again = (np.diff(d[order]) == 0) & (np.diff(w[order]) == 0)
    if again.any():
        i = int(order[1:][again].min())
        raise source.error(i + 4, f"document {d[i]} has word {w[i]} twice")
    try:
        return Corpus.from_counts(sparse.coo_array((count, (d - 1, w - 1)), shape=(D, V)), words)
    except ValueError as error:
        raise source.error(None, str(error)) from None


def _triples(source: Source, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three numbers of every line after the third."""
    start = 0
    for _ in range(3):
        start = source.raw.find(b"\n", start) + 1 or len(source.raw)
    raw = source.raw if source.raw.endswith(b"\n") else source.raw + b"\n"
    parts = [np.empty((3, 0), np.int64)]
    line = 4
    for block in blocks(raw, min(start, len(source.raw))):
        begin, end = line_spans(block)
        space = np.flatnonzero(block == ord(" "))
        first, last = np.searchsorted(space, begin), np.searchsorted(space, end)
        good = last - first == 2
        a, b = (space[np.minimum(first + i, len(space) - 1)] if len(space) else begin for i in (0, 1))
        a, b = np.where(good, a, begin), np.where(good, b, begin)
        numbers = []
        for left, right in ((begin, a), (a + 1, b), (b + 1, end)):
            values, fine = integers(block, left, right)
            numbers.append(values)
            good &= fine
        if not good.all():
            i = int(np.argmin(good))
            found = shown(block[begin[i] : end[i]].tobytes())
            raise source.error(line + i, f"expected 'document word count', found {found}")
        parts.append(np.array(numbers))
        line += len(begin)
    if line - 4 != size:
        raise source.error(None, f"has {line - 4} entries, but line 3 announces {size}; is it truncated?")
    d, w, count = np.concatenate(parts, axis=1)
    return d, w, count


def _words(vocab: Any, max_bytes: int) -> Any:
    return read_vocab(vocab, max_bytes=max_bytes) if isinstance(vocab, str | os.PathLike) else vocab


def read_vocab(path: Any, *, encoding: str = "utf-8", max_bytes: int = MAX_BYTES) -> list[str]:
    r"""Read a vocabulary: a word a line, all different.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vocab.txt"
    >>> path.write_text("cat\ndog\n") > 0
    True
    >>> read_vocab(path)
    ['cat', 'dog']
    """
    source = open_source(path, max_bytes)
    words: dict[str, int] = {}
    for line, word in enumerate(source.text(encoding).removesuffix("\n").split("\n"), 1):
        word = word.removesuffix("\r")
        if not word.strip():
            raise source.error(line, "is empty; expected a word a line")
        if word in words:
            raise source.error(line, f"the word {shown(word)} is in line {words[word]} already")
        words[word] = line
    return list(words)
