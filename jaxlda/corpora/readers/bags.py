"""Bags of words in files of numbers: LDA-C, the UCI repository's, and vocabularies."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._entries import LARGEST_COUNT, corpus_of, entries_of
from jaxlda.corpora.readers._source import NUMBER, PICKLES, Source, blocks, integers, line_spans, open_source, shown

__all__ = ["corpus_of_triples", "read_ldac", "read_uci", "read_vocab", "words_of"]

_COUNT = rb"\d{1,9}+(?:\.0*+)?+"
_ROW = re.compile(rb"\s*+\d{1,9}+(?:\s++\d{1,9}+:" + _COUNT + rb")*+\s*+")
_PAIR = re.compile(rb"\d{1,9}+:" + _COUNT)
_SIZE = re.compile(rb"\d{1,18}+")
_DECIMAL = re.compile(rb"(\d{1,9}+) (\d{1,9}+) (" + NUMBER + rb")")
_GENSIM_HEAD = re.compile(r"\d{1,12}+")
_GENSIM = re.compile(r"\d{1,9}+\t[^\t]++\t\d{1,12}+")


def read_ldac(
    path: Any,
    vocab: Any = None,
    *,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
) -> Corpus:
    r"""Read the format of LDA-C: a line per document, the number of its distinct words, then ``word:count`` for each.

    Blank lines are ignored; one between documents is counted in a warning.

    Parameters
    ----------
    path
        The file or file object, packed or not. Words are numbered from 0.
    vocab
        The words in the order of their numbers: a list, or a file as :func:`read_vocab` takes it. If not given:
        ``w0``, ``w1``, ... up to the largest number that occurs.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`; ``max_size`` is for documents and words.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "corpus.ldac"
    >>> path.write_text("2 0:1 2:3\n1 1:2\n") > 0
    True
    >>> read_ldac(path, ["cat", "dog", "eel"]).counts.toarray().tolist()
    [[1, 0, 3], [0, 2, 0]]
    """
    source, words = open_source(path, max_bytes, max_tokens, max_size), words_of(vocab, max_bytes)
    entries = entries_of(_rows(source))
    V = int(entries.column.max(initial=-1)) + 1 if words is None else len(words)
    entries.check_columns(source, V, "word", "; a sample of WarpLDA is read by jaxlda.io.read_warplda")
    counts = entries.counts(source, False, lambda i: f"the count of word {entries.column[i]}")
    return corpus_of(source, entries, counts, V, vocab=words)


def _rows(source: Source) -> Iterator[tuple[int, list[int], list[float]]]:
    blank: list[int] = []
    skipped = 0
    for line, content in source.lines():
        if not content.strip():
            blank.append(line)
            continue
        skipped = len(blank)  # those at the end do not count
        if not _ROW.fullmatch(content):
            wrong = next((part for part in content.split()[1:] if not _PAIR.fullmatch(part)), content)
            raise source.error(line, f"expected 'number word:count word:count ...', found {shown(wrong)}")
        size, *pairs = content.replace(b":", b" ").split()
        if len(pairs) != 2 * int(size):
            raise source.error(line, f"announces {int(size)} word(s), but has {len(pairs) // 2}: it is cut or damaged")
        yield line, list(map(int, pairs[0::2])), list(map(float, pairs[1::2]))
    if skipped:
        source.warn(f"{skipped} blank line(s) are ignored, the first being line {blank[0]}; an empty document is a 0")


def read_uci(
    path: Any,
    vocab: Any = None,
    *,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
) -> Corpus:
    r"""Read a bag of words of the UCI repository: ``docword.NAME.txt``, and ``vocab.NAME.txt`` for the words.

    Three lines have the numbers of documents, words and entries; every other line is ``document word count``, numbered
    from 1.

    Parameters
    ----------
    path
        The file or file object of entries, packed or not; spaces or tabs between the numbers.
    vocab
        The words in the order of their numbers: a list, or a file as :func:`read_vocab` takes it; ``w0``, ``w1``, ...
        if not given.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`; ``max_size`` is for documents and words.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "docword.txt"
    >>> path.write_text("2\n3\n3\n1 1 1\n1 3 3\n2 2 2\n") > 0
    True
    >>> read_uci(path).counts.toarray().tolist()
    [[1, 0, 3], [0, 2, 0]]
    """
    source, words = open_source(path, max_bytes, max_tokens, max_size), words_of(vocab, max_bytes)
    lines = source.lines()
    sizes = []
    for line, noun in enumerate(("documents", "words", "entries"), 1):
        content = next(lines, (line, b""))[1].strip()
        if not _SIZE.fullmatch(content):
            raise source.error(line, f"expected the number of {noun}, found {shown(content)}")
        sizes.append(int(content))
    return corpus_of_triples(source, 3, sizes, words, (1, 2))


def corpus_of_triples(source: Source, head: int, sizes: Iterable[int], words: Any, at: tuple[int, int]) -> Corpus:
    """The corpus of lines of document, word and count, numbered from 1, after ``head`` lines of other things.

    Of these, the lines ``at`` announce the numbers of documents and of words; ``sizes`` are those, and that of entries.
    """
    D, V, size = sizes
    source.check_size(D, "documents", at[0])
    source.check_size(V, "words", at[1])
    if words is not None and len(words) != V:
        raise source.error(at[1], f"announces {V} words, but vocab has {len(words)}")
    d, w, count = _triples(source, head, size)
    first = head + 1
    for values, least, most, noun in ((d, 1, D, "document"), (w, 1, V, "word"), (count, 0, LARGEST_COUNT, "count")):
        bad = (values < least) | (values > most)
        if bad.any():
            i = int(np.argmax(bad))
            raise source.error(i + first, f"there is no {noun} {values[i]}: it is from {least} to {most}")
    order = np.lexsort((w, d))
    again = (np.diff(d[order]) == 0) & (np.diff(w[order]) == 0)
    if again.any():
        i = int(order[1:][again].min())
        raise source.error(i + first, f"document {d[i]} has word {w[i]} twice")
    source.check_tokens(int(count.sum()))
    try:
        return Corpus.from_counts(sparse.coo_array((count, (d - 1, w - 1)), shape=(D, V)), words)
    except ValueError as error:
        raise source.error(None, str(error)) from None


def _triples(source: Source, head: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three whole numbers of every line after the first ``head`` ones; ``size`` such lines are expected."""
    start = 0
    for _ in range(head):
        start = source.raw.find(b"\n", start) + 1 or len(source.raw)
    raw = source.raw[start:]
    if re.search(rb"\t|  | \r?\n|\n |\s\s\Z|^ ", raw):  # as programs write it, there is one space
        raw = re.sub(rb" ?\r?\n ?", b"\n", re.sub(rb"[ \t]++", b" ", raw)).strip(b" ").rstrip()
    raw = raw if raw.endswith(b"\n") or not raw else raw + b"\n"
    parts = [np.empty((3, 0), np.int64)]
    line = head + 1
    for block in blocks(raw, 0):
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
        for i in np.flatnonzero(~good).tolist():
            for column, value in enumerate(_decimal(source, line + i, block[begin[i] : end[i]].tobytes())):
                numbers[column][i] = value
        parts.append(np.array(numbers))
        line += len(begin)
    if line - head - 1 != size:
        raise source.error(None, f"has {line - head - 1} entries, but line {head} announces {size}; is it truncated?")
    d, w, count = np.concatenate(parts, axis=1)
    return d, w, count


def _decimal(source: Source, line: int, content: bytes) -> tuple[int, int, int]:
    """The numbers of a line whose count is written as 2.0 or 2e0."""
    found = _DECIMAL.fullmatch(content)
    if not found:
        raise source.error(line, f"expected 'document word count', found {shown(content)}")
    count = float(found[3])
    if count != np.floor(count) or not np.isfinite(count):
        raise source.error(line, f"the count {shown(found[3])} is not a whole number; LDA needs counts, not weights")
    if not 0 <= count <= LARGEST_COUNT:
        raise source.error(line, f"there is no count {count:.15g}: it is from 0 to {LARGEST_COUNT}")
    return int(found[1]), int(found[2]), int(count)


def words_of(vocab: Any, max_bytes: int | None = None) -> Any:
    """A vocabulary that is given as a list, or as a file."""
    is_file = isinstance(vocab, str | os.PathLike) or hasattr(vocab, "read")
    return read_vocab(vocab, max_bytes=max_bytes) if is_file else vocab


def read_vocab(
    path: Any, *, encoding: str | None = None, max_bytes: int | None = None, max_size: int | None = None
) -> list[str]:
    r"""Read a vocabulary: a word per line, all different; or a dictionary of gensim (``save_as_text``).

    Blank lines at the end are ignored. The encoding is found out if not given, as by :func:`read_text`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vocab.txt"
    >>> path.write_text("cat\ndog\n") > 0
    True
    >>> read_vocab(path)
    ['cat', 'dog']
    """
    source = open_source(path, max_bytes, max_size=max_size)
    if source.raw[:2] in PICKLES:
        raise source.error(
            None,
            "is a pickle, which is not read: it could run code. Give what save_as_text of gensim's dictionary writes",
        )
    rows = [row.removesuffix("\r") for row in source.text(encoding).split("\n")]
    while rows and not rows[-1].strip():
        rows.pop()
    source.check_size(len(rows), "words")
    if not rows:
        raise source.error(1, "is empty; expected a word per line")
    if len(rows) > 1 and all(map(_GENSIM.fullmatch, rows[1:])) and _GENSIM_HEAD.fullmatch(rows[0]):
        return _gensim(source, rows)
    words: dict[str, int] = {}
    for line, word in enumerate(rows, 1):
        if not word.strip():
            raise source.error(line, "is empty; expected a word per line")
        if word in words:
            raise source.error(line, f"the word {shown(word)} is in line {words[word]} already")
        words[word] = line
    return list(words)


def _gensim(source: Source, rows: list[str]) -> list[str]:
    """The words of gensim's 'number, word, documents', by their numbers; numbers without a word get a name."""
    words: dict[int, str] = {}
    for line, row in enumerate(rows[1:], 2):
        number, word, _ = row.split("\t")
        if int(number) in words:
            raise source.error(line, f"the number {number} has two words")
        words[int(number)] = word
    size = max(words) + 1
    source.check_size(size, "words")
    return [words.get(v, f"w{v}") for v in range(size)]
