"""One way to write a corpus, in most of the kinds of files that ``read_corpus`` takes."""

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.inputs import is_missing
from jaxlda.corpora.readers.kinds import KINDS, WRITABLE
from jaxlda.corpora.replacing import check_writable
from jaxlda.corpora.writers._target import beside, one_line, write_file

__all__ = ["WRITABLE", "write_corpus"]

SEPARATOR = ";"
"""Between labels in a cell."""


def write_corpus(
    corpus: Corpus, path: str | os.PathLike, kind: str | None = None, *, words: bool = False
) -> list[Path]:
    r"""Write a corpus; give the files that were written.

    Reading it again gives the same counts and words. Texts (``text``, ``csv``, ``jsonl``, ``parquet``, ``mallet``) are
    read in the same way with ``**corpus.text_options`` and the vocabulary; words that were written with
    ``token_pattern=r"\S+", lowercase=False``. Counts (``ldac``, ``uci``, ``svmlight``, ``mm``) have their words in a
    second file beside the first, which ``read_corpus`` finds. Titles, labels and metadata go into ``csv``, ``jsonl``
    and ``parquet``, to be read with ``title="title", labels="labels"`` (``label_separator=";"``, of ``csv``); a title
    and one label into ``mallet``; labels into ``svmlight``, as numbers, with their names in a third file.

    Parameters
    ----------
    corpus
        The documents.
    path
        The file; packed if it ends in ``.gz``.
    kind
        One of :data:`WRITABLE`; by the ending of the name if not given.
    words
        Write the words that were counted, in order if that is known, instead of the texts. It is so where the texts
        were not kept.

    Examples
    --------
    >>> import tempfile
    >>> from jaxlda import Corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = write_corpus(Corpus.from_texts(["cat dog cat"]), f"{folder}/pets.ldac")
    ...     [(file.name, file.read_text()) for file in files]
    [('pets.ldac', '2 0:2 1:1\n'), ('pets.ldac.vocab', 'cat\ndog\n')]
    """
    if not isinstance(corpus, Corpus):
        raise TypeError(f"write_corpus takes a Corpus, then a path; got a {type(corpus).__name__} first")
    kind = _kind(path) if kind is None else kind
    if kind not in _WRITERS:
        raise ValueError(f"corpora are written as {', '.join(WRITABLE)}, not as {kind!r}")
    check_writable(path)
    content = _WRITERS[kind](corpus, words)
    lists = {_words_path(path, kind): corpus.vocab.tolist()} if kind in _WORDS else {}
    if kind == "svmlight" and corpus.label_names is not None:
        lists[beside(path, ".labels")] = corpus.label_names.tolist()
    if bad := [word for listed in lists.values() for word in listed if "\n" in word or "\r" in word]:
        raise ValueError(f"the word {bad[0]!r} has a line end in it, and words are written one per line")
    return [write_file(path, content), *(write_file(other, _lines(listed)) for other, listed in lists.items())]


def _lines(rows: Iterable[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def _kind(path: str | os.PathLike) -> str:
    name = re.sub(r"\.gz$", "", Path(path).name.lower())
    if name.startswith("docword"):
        return "uci"
    found = [kind for kind in _WRITERS if name.endswith(KINDS[kind].endings)] if "." in name else []
    if not found:
        raise ValueError(f"the name of {Path(path).name!r} does not tell a kind; give one of {', '.join(WRITABLE)}")
    return found[0]


def _words_path(path: str | os.PathLike, kind: str) -> Path:
    target = Path(path)
    if kind == "uci" and target.name.startswith("docword"):
        return target.with_name(re.sub(r"\.gz$", "", target.name).replace("docword", "vocab", 1))
    return beside(path, ".vocab")


def _texts(corpus: Corpus, words: bool) -> list[str]:
    if corpus.texts is not None and not words:
        return list(corpus.texts)
    if spaced := next((word for word in corpus.vocab.tolist() if not re.fullmatch(r"\S+", word)), None):
        raise ValueError(f"the word {spaced!r} has a space in it: joined with others it could not be told apart")
    return [" ".join(corpus.tokens_of(d)) for d in range(corpus.num_docs)]


def _labels(corpus: Corpus) -> list[list[str]] | None:
    if corpus.labels is None or corpus.label_names is None:
        return None
    names = corpus.label_names.tolist()
    rows = np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])
    return [[names[k] for k in row] for row in rows]


def _columns(corpus: Corpus, words: bool) -> dict[str, list[Any]]:
    """Title, labels and metadata under their names, and texts."""
    columns: dict[str, list[Any]] = {}
    if corpus.titles is not None:
        columns["title"] = list(corpus.titles)
    if (labels := _labels(corpus)) is not None:
        columns["labels"] = labels
    for name, values in (corpus.doc_columns or {}).items():
        if name not in columns and name != "text":
            dates = values.dtype.kind in "mM"
            cells = np.datetime_as_string(values, "auto").tolist() if dates else values.tolist()
            columns[name] = [None if is_missing(cell) or cell == "NaT" else cell for cell in cells]
    return columns | {"text": _texts(corpus, words)}


def _text(corpus: Corpus, words: bool) -> bytes:
    return _lines(map(one_line, _texts(corpus, words)))


def _csv(corpus: Corpus, words: bool) -> bytes:
    columns = _columns(corpus, words)
    if len(columns) == 1:  # or an empty text would be a blank line, which is no row
        columns = {"document": list(range(corpus.num_docs)), **columns}
    if "labels" in columns:
        if bad := next((tag for row in columns["labels"] for tag in row if SEPARATOR in tag), None):
            raise ValueError(
                f"the label {bad!r} has {SEPARATOR!r} in it, which is between labels in a cell: write jsonl"
            )
        columns["labels"] = [SEPARATOR.join(row) for row in columns["labels"]]
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in zip(*columns.values(), strict=True))
    return file.getvalue().encode()


def _jsonl(corpus: Corpus, words: bool) -> bytes:
    columns = _columns(corpus, words)
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False, default=str) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")


def _parquet(corpus: Corpus, words: bool) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError("a Parquet file needs pyarrow: pip install pyarrow") from None
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(_columns(corpus, words)), buffer)
    return buffer.getvalue()


def _mallet(corpus: Corpus, words: bool) -> bytes:
    labels = _labels(corpus) or [["none"]] * corpus.num_docs
    several = next((d for d, row in enumerate(labels) if len(row) > 1), None)
    if several is not None:
        raise ValueError(f"document {several} has {len(labels[several])} labels, and a line of MALLET has one")
    names = corpus.titles or [str(d) for d in range(corpus.num_docs)]
    rows = zip(names, labels, _texts(corpus, words), strict=True)
    return _lines("\t".join(map(one_line, (name, "".join(tags), text))) for name, tags, text in rows)


def _rows(corpus: Corpus, first: int) -> list[str]:
    """Word:count pairs of every document; words are numbered from ``first`` on."""
    x = corpus.counts
    pairs = [f"{w + first}:{n}" for w, n in zip(x.indices.tolist(), x.data.tolist(), strict=True)]
    ends = x.indptr.tolist()
    return [" ".join(pairs[a:b]) for a, b in pairwise(ends)]


def _ldac(corpus: Corpus, words: bool) -> bytes:
    sizes = np.diff(corpus.counts.indptr).tolist()
    return _lines(f"{n} {row}".rstrip() for n, row in zip(sizes, _rows(corpus, 0), strict=True))


def _svmlight(corpus: Corpus, words: bool) -> bytes:
    """Labels are their numbers; a document that has neither labels nor words cannot be told from a blank line."""
    numbers: list[list[int]] = [[]] * corpus.num_docs
    if corpus.labels is not None:
        numbers = [row.tolist() for row in np.split(corpus.labels.indices, corpus.labels.indptr[1:-1])]
    tags = [",".join(map(str, row)) or ("0" if corpus.labels is None else "") for row in numbers]
    lines = [f"{tag} {row}".rstrip() for tag, row in zip(tags, _rows(corpus, 1), strict=True)]
    if "" in lines:
        raise ValueError(f"document {lines.index('')} has neither labels nor words, which is no line of SVMlight")
    return _lines(lines)


def _triples(corpus: Corpus) -> str:
    coo = corpus.counts.tocoo()
    triples = zip((coo.row + 1).tolist(), (coo.col + 1).tolist(), coo.data.tolist(), strict=True)
    return "".join(f"{d} {w} {n}\n" for d, w, n in triples)


def _uci(corpus: Corpus, words: bool) -> bytes:
    return f"{corpus.num_docs}\n{corpus.num_words}\n{corpus.counts.nnz}\n{_triples(corpus)}".encode()


def _mm(corpus: Corpus, words: bool) -> bytes:
    head = (
        f"%%MatrixMarket matrix coordinate integer general\n{corpus.num_docs} {corpus.num_words} {corpus.counts.nnz}\n"
    )
    return (head + _triples(corpus)).encode()


_WRITERS: dict[str, Callable[[Corpus, bool], bytes]] = {
    "text": _text,
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "mallet": _mallet,
    "ldac": _ldac,
    "uci": _uci,
    "svmlight": _svmlight,
    "mm": _mm,
}
_WORDS = ("ldac", "uci", "svmlight", "mm")
