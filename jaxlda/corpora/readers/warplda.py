"""Samples of WarpLDA: its file of assignments, and its vocabulary."""

import re
from typing import Any

import numpy as np

from jaxlda.corpora.numbers import positive_int
from jaxlda.corpora.readers._samples import Imported, assemble, check_gaps
from jaxlda.corpora.readers._source import Source, open_source, shown
from jaxlda.corpora.readers.bags import read_vocab

__all__ = ["read_warplda"]

_ROW = re.compile(rb"\d{1,9}+(?: \d{1,9}+:\d{1,9}+)*+ *+")
_PAIR = re.compile(rb"\d{1,9}+:\d{1,9}+")


def read_warplda(
    z_path: Any,
    vocab_path: Any,
    *,
    num_topics: int | None = None,
    alpha: Any = 0.1,
    beta: Any = 0.01,
    max_bytes: int | None = None,
) -> Imported:
    r"""Read a sample of WarpLDA.

    Its file of assignments has a line for each document: the number of tokens, then ``word:topic`` for each.

    Parameters
    ----------
    z_path
        The assignments, packed or not.
    vocab_path
        The vocabulary: a word per line; the first is word 0.
    num_topics
        K, which the file does not say; if not given, the largest topic that occurs and 1.
    alpha, beta
        The priors, which the file does not say either: those the sample was drawn with. The defaults are those of the
        paper's experiment.
    max_bytes
        Larger files, unpacked, are refused.

    Returns
    -------
    corpus, priors, sample

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "z").write_text("3 1:0 0:1 1:1 \n1 0:1 \n") + (folder / "vocab").write_text("cat\ndog\n") > 0
    True
    >>> corpus, priors, sample = read_warplda(folder / "z", folder / "vocab")
    >>> corpus.counts.toarray().tolist(), sample.z.tolist()
    ([[1, 2], [1, 0]], [1, 0, 1, 1])
    """
    source = open_source(z_path, max_bytes)
    source.check_complete()
    vocab = read_vocab(vocab_path, max_bytes=max_bytes)
    lengths, pairs = _rows(source)
    if pairs.size == 0:
        raise source.error(None, "there are no tokens")
    w, z = pairs[0::2], pairs[1::2]
    d = np.repeat(np.arange(len(lengths)), lengths)
    line = lambda i: d[i] + 1  # noqa: E731
    source.refuse(w >= len(vocab), line, lambda i: f"there is no word {w[i]}: the vocabulary has {len(vocab)}")
    if num_topics is None:
        check_gaps(source, z, "topic", int(d[np.argmax(z)]) + 1)
        K = int(z.max()) + 1
    else:
        K = positive_int(num_topics, "num_topics")
        source.refuse(z >= K, line, lambda i: f"there is no topic {z[i]}: num_topics is {K}")
    try:
        return assemble(d, w, z, (len(lengths), len(vocab), K), alpha=alpha, beta=beta, vocab=vocab)
    except ValueError as error:
        raise source.error(None, str(error)) from None


def _rows(source: Source) -> tuple[list[int], np.ndarray]:
    """The lengths of the documents, and all their numbers: word, topic, word, topic, ..."""
    lengths: list[int] = []
    pairs: list[np.ndarray] = [np.empty(0, np.int64)]
    for line, content in source.lines():
        if not _ROW.fullmatch(content):
            wrong = next((part for part in content.split()[1:] if not _PAIR.fullmatch(part)), content)
            raise source.error(line, f"expected 'length word:topic word:topic ...', found {shown(wrong)}")
        length, _, rest = content.partition(b" ")
        numbers = np.array(list(map(int, rest.replace(b":", b" ").split())), np.int64)
        if numbers.size != 2 * int(length):
            found = numbers.size // 2
            raise source.error(line, f"announces {int(length)} token(s), but has {found}: it is cut or damaged")
        lengths.append(int(length))
        pairs.append(numbers)
    return lengths, np.concatenate(pairs)
