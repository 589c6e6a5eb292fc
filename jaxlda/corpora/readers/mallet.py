"""What ``mallet train-topics`` writes: samples (``--output-state``), the words of topics, the topics of documents."""

import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Int64, UInt8

from jaxlda.corpora.readers._samples import Imported, assemble, check_gaps
from jaxlda.corpora.readers._source import NUMBER, Source, blocks, integers, line_spans, open_source, shown
from jaxlda.corpora.written import Written, small

__all__ = ["read_mallet_doc_topics", "read_mallet_state", "read_mallet_topic_keys"]

_COLUMNS = b"#doc source pos typeindex type topic"
_ALPHA = re.compile(rb"#alpha :(?P<values>(?: " + NUMBER + rb")++) *+")
_BETA = re.compile(rb"#beta : (?P<values>" + NUMBER + rb") *+")


class _Lines(NamedTuple):
    """The columns of some lines."""

    doc: Int64[np.ndarray, " n"]
    pos: Int64[np.ndarray, " n"]
    type: Int64[np.ndarray, " n"]
    topic: Int64[np.ndarray, " n"]
    word: tuple[Int64[np.ndarray, " n"], Int64[np.ndarray, " n"]]
    """Where the words start and end."""
    source: tuple[Int64[np.ndarray, " n"], Int64[np.ndarray, " n"]]


def read_mallet_state(path: Any, *, encoding: str = "utf-8", max_bytes: int | None = None) -> Imported:
    r"""Read a sample of MALLET.

    The file has everything the estimators need: the topic of every token, the vector alpha, beta, the words and the
    sources of the documents. Documents of which no token is listed are empty. Words that occur nowhere have no name in
    the file and are left out; the others are in the order of their numbers.

    A file that contradicts itself is refused with the line: documents or positions out of order, a word with two
    numbers or a number with two words, a topic that alpha does not have, a line that is cut.

    Parameters
    ----------
    path
        What ``mallet train-topics --output-state`` wrote, packed or not.
    encoding
        Of words and sources.
    max_bytes
        Larger files, unpacked, are refused.

    Returns
    -------
    corpus, priors, sample
        The titles of the corpus are the sources, if there are any.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "state"
    >>> rows = ["0 a.txt 0 0 cat 1", "0 a.txt 1 1 dog 0", "0 a.txt 2 0 cat 1", "1 b.txt 0 1 dog 0"]
    >>> head = ["#doc source pos typeindex type topic", "#alpha : 0.5 0.25 ", "#beta : 0.01"]
    >>> path.write_text("\n".join(head + rows) + "\n") > 0
    True
    >>> corpus, priors, sample = read_mallet_state(path)
    >>> corpus, corpus.titles, priors.alpha.tolist(), sample.z.tolist()
    (Corpus(2 documents, 2 words, 4 tokens), ('a.txt', 'b.txt'), [0.5, 0.25], [1, 1, 0, 0])
    """
    source = open_source(path, max_bytes)
    source.check_complete()
    alpha, beta, body = _head(source)
    words: dict[int, bytes] = {}
    sources: dict[int, bytes] = {}
    parts: list[_Lines] = []
    line = 4
    for block in blocks(source.raw, body):
        lines = _parse(source, block, line)
        _collect(source, block, line, lines.type, lines.word, words, "typeindex", "word")
        _collect(source, block, line, lines.doc, lines.source, sources, "document", "source")
        parts.append(lines)
        line += len(lines.doc)
    if not parts:
        raise source.error(4, "there are no tokens")
    d, pos, types, z = (np.concatenate([part[i] for part in parts]) for i in range(4))
    _check_order(source, d, pos)
    source.refuse(z >= len(alpha), _line, lambda i: f"there is no topic {z[i]}: alpha has {len(alpha)} values")
    numbers, w = np.unique(types, return_inverse=True)
    vocab = _vocabulary(source, words, numbers, types, encoding)
    D = int(d[-1]) + 1
    titles = None
    if set(sources.values()) != {b"NA"}:
        titles = [_text(source, sources.get(n, b""), encoding) for n in range(D)]
    try:
        found = assemble(d, w, z, (D, len(vocab), len(alpha)), alpha=alpha, beta=beta, vocab=vocab, titles=titles)
    except ValueError as error:
        raise source.error(None, str(error)) from None
    written = Written(small(w, len(vocab)))  # lines are in the order of the text
    return found._replace(corpus=replace(found.corpus, written=written))


def _head(source: Source) -> tuple[list[float], float, int]:
    """Alpha, beta, and where the tokens start."""
    lines = source.lines()
    found = [next(lines, (0, b""))[1] for _ in range(3)]
    if found[0].strip() != _COLUMNS:
        raise source.error(1, f"expected {_COLUMNS.decode()!r} as MALLET writes it, found {shown(found[0])}")
    matches = _ALPHA.fullmatch(found[1]), _BETA.fullmatch(found[2])
    for line, match, name in zip((2, 3), matches, ("alpha : number number ...", "beta : number"), strict=True):
        if match is None:
            raise source.error(line, f"expected '#{name}', found {shown(found[line - 1])}")
    alpha, beta = ([float(x) for x in match["values"].split()] for match in matches if match)
    body = 0
    for _ in range(3):
        body = source.raw.index(b"\n", body) + 1
    return alpha, beta[0], body


def _parse(source: Source, raw: UInt8[np.ndarray, " B"], line: int) -> _Lines:
    """The columns of lines 'doc source pos typeindex type topic'; only the source may have spaces in it."""
    start, end = line_spans(raw)
    space = np.flatnonzero(raw == ord(" "))
    first, last = np.searchsorted(space, start), np.searchsorted(space, end)
    _refuse(source, raw, start, end, line, last - first < 5)
    a = space[first]
    b, c, e, f = (space[last - i] for i in (4, 3, 2, 1))
    columns = []
    good = e - c > 1  # a word has letters
    for left, right in ((start, a), (b + 1, c), (c + 1, e), (f + 1, end)):
        values, fine = integers(raw, left, right)
        columns.append(values)
        good &= fine
    _refuse(source, raw, start, end, line, ~good | (f - e < 2))
    doc, pos, types, topic = columns
    return _Lines(doc, pos, types, topic, (e + 1, f), (a + 1, b))


def _refuse(
    source: Source,
    raw: UInt8[np.ndarray, " B"],
    start: Int64[np.ndarray, " n"],
    end: Int64[np.ndarray, " n"],
    line: int,
    bad: Bool[np.ndarray, " n"],
) -> None:
    source.refuse(
        bad,
        lambda i: line + i,
        lambda i: f"expected 'doc source pos typeindex type topic', found {shown(raw[start[i] : end[i]].tobytes())}",
    )


def _collect(
    source: Source,
    raw: UInt8[np.ndarray, " B"],
    line: int,
    numbers: Int64[np.ndarray, " n"],
    spans: tuple[Int64[np.ndarray, " n"], Int64[np.ndarray, " n"]],
    known: dict[int, bytes],
    noun: str,
    what: str,
) -> None:
    """Add the texts of new numbers to those known, and refuse a number that has two texts."""
    start, end = spans
    distinct, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    like = first[inverse]  # the first line with the same number
    differs = end - start != end[like] - start[like]
    size = np.where(differs, 0, end - start)
    offset = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    unequal = raw[np.repeat(start, size) + offset] != raw[np.repeat(start[like], size) + offset]
    differs[np.repeat(np.arange(len(size)), size)[unequal]] = True
    for number, i in zip(distinct.tolist(), first.tolist(), strict=True):
        text = raw[start[i] : end[i]].tobytes()
        if known.setdefault(number, text) != text:
            differs[i] = True
    if differs.any():
        i = int(np.argmax(differs))
        texts = shown(raw[start[i] : end[i]].tobytes()), shown(known[int(numbers[i])])
        raise source.error(line + i, f"{noun} {numbers[i]} has the {what} {texts[0]}, but before {texts[1]}")


def _check_order(source: Source, d: Int64[np.ndarray, " N"], pos: Int64[np.ndarray, " N"]) -> None:
    """Documents go up, and positions count the tokens of each."""
    source.refuse(
        np.diff(d, prepend=0) < 0,
        _line,
        lambda i: f"document {d[i]} comes after document {d[i - 1]}: the lines are mixed up",
    )
    check_gaps(source, d, "document", int(np.argmax(d == d[-1])) + 4)
    new = np.diff(d, prepend=-1) > 0
    starts = np.flatnonzero(new)
    expected = np.arange(d.size) - starts[np.cumsum(new) - 1]
    source.refuse(
        pos != expected,
        _line,
        lambda i: f"expected position {expected[i]} of document {d[i]}, found {pos[i]}: lines are missing or mixed up",
    )


def _line(token: int) -> int:
    """The line of a token: those before the first are the head."""
    return token + 4


def _vocabulary(
    source: Source,
    words: dict[int, bytes],
    numbers: Int64[np.ndarray, " V"],
    types: Int64[np.ndarray, " N"],
    encoding: str,
) -> list[str]:
    """The words in the order of their numbers, each with one number only."""
    vocab: dict[str, int] = {}
    for number in numbers.tolist():
        word = _text(source, words[number], encoding)
        if word in vocab:
            line = int(np.argmax(types == number)) + 4
            raise source.error(line, f"the word {word!r} has typeindex {number}, but elsewhere {vocab[word]}")
        vocab[word] = number
    return list(vocab)


def _text(source: Source, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        line = source.line_at(source.raw.index(b" " + content + b" "))
        raise source.error(line, f"{shown(content)} is not {encoding}; give encoding= if it is another one") from None
    except LookupError:
        raise ValueError(f"there is no encoding {encoding!r}") from None


def read_mallet_topic_keys(path: Any, *, max_bytes: int | None = None) -> tuple[np.ndarray, list[list[str]]]:
    r"""Read the words of topics, and their alpha.

    Examples
    --------
    >>> import io
    >>> alpha, words = read_mallet_topic_keys(io.BytesIO(b"0\t0.5\tcat dog\n1\t0.25\tsea\n"))
    >>> alpha.tolist(), words
    ([0.5, 0.25], [['cat', 'dog'], ['sea']])
    """
    source = open_source(path, max_bytes)
    alpha: list[float] = []
    words: list[list[str]] = []
    for line, content in source.lines():
        parts = content.decode("utf-8", "replace").rstrip("\r\n").split("\t")
        try:
            number, prior = int(parts[0]), float(parts[1])
        except (IndexError, ValueError):
            number, prior = -1, 0.0
        if len(parts) != 3 or number != len(alpha) or not prior >= 0:
            raise source.error(line, f"expected topic {len(alpha)}, its alpha and words, found {shown(content)}")
        alpha.append(prior)
        words.append(parts[2].split())
    return np.array(alpha, np.float32), words


def read_mallet_doc_topics(path: Any, *, max_bytes: int | None = None) -> tuple[list[str], np.ndarray]:
    r"""Read the names and topic proportions of documents, as MALLET 2.0.8 and later write them.

    Examples
    --------
    >>> import io
    >>> names, theta = read_mallet_doc_topics(io.BytesIO(b"0\ta.txt\t0.25\t0.75\n1\tb.txt\t0.5\t0.5\n"))
    >>> names, theta.tolist()
    (['a.txt', 'b.txt'], [[0.25, 0.75], [0.5, 0.5]])
    """
    source = open_source(path, max_bytes)
    names: list[str] = []
    rows: list[list[float]] = []
    for line, content in source.lines():
        parts = content.decode("utf-8", "replace").rstrip("\r\n").split("\t")
        try:
            number, shares = int(parts[0]), [float(part) for part in parts[2:] if part]
        except (IndexError, ValueError):
            number, shares = -1, []
        if number != len(rows) or not shares or (rows and len(shares) != len(rows[0])):
            raise source.error(
                line, f"expected document {len(rows)}, its name and a share for each topic, found {shown(content)}"
            )
        names.append(parts[1])
        rows.append(shares)
    return names, np.array(rows, np.float32)
