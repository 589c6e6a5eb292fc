"""Lines as ``mallet import-file`` takes them: name, label and text of a document."""

import re
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._source import open_source, shown
from jaxlda.corpora.readers.text import corpus_of_texts

__all__ = ["read_mallet_instances"]

_LINE = re.compile(r"(\S++)[\s,]++(\S++)(?:[\s,]++(.*+))?+")


def read_mallet_instances(
    path: Any,
    *,
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    r"""Read the lines that ``mallet import-file`` takes: the name of a document, its label, and its text.

    They are separated by tabs or else by spaces. Names become titles. Where all documents have the same label, it says
    nothing, and the corpus has none. Blank lines are ignored.

    Parameters
    ----------
    path
        The file or file object, packed or not.
    encoding, max_bytes, max_tokens, max_size, **options
        As in :func:`read_text`.

    Examples
    --------
    >>> import io
    >>> corpus = read_mallet_instances(io.StringIO("one\tpet\ta cat\ntwo\twild\ta shark\n"))
    >>> corpus.titles, corpus.label_names.tolist(), corpus.vocab.tolist()
    (('one', 'two'), ['pet', 'wild'], ['cat', 'shark'])
    """
    source = open_source(path, max_bytes, max_tokens, max_size)
    source.check_size(source.raw.count(b"\n"), "documents")
    rows = []
    for line, content in enumerate(source.text(encoding).split("\n"), 1):
        if not content.strip():
            continue
        parts = content.split("\t", 2)
        if len(parts) < 3:
            found = _LINE.fullmatch(content.strip())
            if not found:
                raise source.error(line, f"expected 'name label text', found {shown(content)}")
            parts = [found[1], found[2], found[3] or ""]
        rows.append([part.strip() for part in parts])
    names, labels, texts = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    tags = [[label] if label else [] for label in labels] if len(set(labels)) > 1 else None
    return corpus_of_texts(source, texts, options, tags, names)
