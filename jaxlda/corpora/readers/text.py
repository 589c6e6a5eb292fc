"""Texts in files, a document per line; and what all readers of texts share."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.metadata import column_of
from jaxlda.corpora.readers._source import Source, open_source

__all__ = ["corpus_of_texts", "read_text"]

_WORD = re.compile(r"\w+")
_PIECE = 1 << 20


def read_text(
    path: Any,
    *,
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    r"""Read a document per line.

    Parameters
    ----------
    path
        The file or file object, packed (gzip, bzip2, xz) or not. An empty line is an empty document, so that document
        d is line d + 1.
    encoding
        Of the text. If not given: UTF-8, UTF-16 or UTF-32 by a byte order mark, or else Windows-1252 with a warning.
    max_bytes, max_tokens, max_size
        Files with more bytes (unpacked), tokens, or documents are refused. If not given: 1 GB, of a packed file a
        hundred times its size or 16 MB; 4 tokens per byte of the file, but at least 16 million; a document per byte,
        but at least half a million.
    **options
        Those of ``Corpus.from_texts``: how words are found and counted.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "texts.txt"
    >>> path.write_text("the cat sat\nthe dog sat down\n") > 0
    True
    >>> read_text(path, stop_words=["the"]).vocab.tolist()
    ['cat', 'dog', 'down', 'sat']
    """
    source = open_source(path, max_bytes, max_tokens, max_size)
    source.check_size(source.raw.count(b"\n"), "documents")
    content = source.text(encoding)
    end = "\n" if "\n" in content else "\r"  # as spreadsheets on a Mac write text
    lines = content.removesuffix(end).split(end)
    return corpus_of_texts(source, [line.removesuffix("\r") for line in lines], options)


def corpus_of_texts(
    source: Source,
    texts: Sequence[str],
    options: dict[str, Any],
    labels: Any = None,
    titles: Any = None,
    columns: Mapping[str, Sequence[Any]] | None = None,
) -> Corpus:
    """The corpus of the texts, with metadata; what a corpus refuses is told with the name of the file."""
    source.check_size(len(texts), "documents")
    _check_tokens(source, texts)
    try:
        corpus = Corpus.from_texts(texts, labels=labels, titles=titles, **options)
    except ValueError as error:
        raise source.error(None, str(error)) from None
    source.check_size(corpus.num_words, "words")
    if not columns:
        return corpus
    return corpus.with_metadata({name: column_of(values) for name, values in columns.items()})


def _check_tokens(source: Source, texts: Sequence[str]) -> None:
    """Refuse more tokens than allowed before they are found all at once, at a hundred bytes each."""
    if sum(map(len, texts)) // 2 <= source.max_tokens:
        return  # a word and a space take two letters at least
    tokens = 0
    for text in texts:
        for start in range(0, len(text), _PIECE):
            tokens += len(_WORD.findall(text, start, start + _PIECE))
            if tokens > source.max_tokens:
                raise source.error(
                    None, f"has more tokens than the {source.max_tokens} allowed; give a larger max_tokens to read it"
                )
