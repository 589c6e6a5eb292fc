"""Files as MALLET writes them: the state of a sampler, the words of topics, and the topics of documents."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._source import open_source, shown
from jaxlda.corpora.writers._target import one_line, written
from jaxlda.corpora.written import token_columns
from jaxlda.types import Priors, Sample

__all__ = [
    "read_mallet_doc_topics",
    "read_mallet_topic_keys",
    "write_mallet_doc_topics",
    "write_mallet_state",
    "write_mallet_topic_keys",
]


def write_mallet_state(path: str | os.PathLike, corpus: Corpus, priors: Priors, sample: Sample) -> None:
    """Write a sample as ``mallet train-topics --output-state`` does; :func:`read_mallet_state` reads it.

    Tokens are in the order of the texts if the corpus knows it. MALLET has one alpha for each topic and one beta; other
    priors are refused, and so are words with spaces. Reading leaves out words that do not occur, and empty documents at
    the end.

    Parameters
    ----------
    path
        Usually ``state.gz``, which is packed.
    corpus, priors, sample
        As :func:`read_mallet_state` gives them: z in the order of ``corpus.tokens()``.
    """
    alpha, beta = (np.asarray(prior, np.float32) for prior in priors)
    if sample.z is None:
        raise ValueError("the sample has no assignments z: its algorithm has soft counts only")
    if alpha.ndim != 1 or np.ptp(beta) > 0:
        raise ValueError(
            "a state of MALLET has one alpha for each topic and one beta, and these priors say more: write the topics "
            "of tokens as a table, model.export(path, 'tokens')"
        )
    if spaced := next((word for word in corpus.vocab.tolist() if len(word.split()) != 1), None):
        raise ValueError(f"the word {spaced!r} has a space in it, which separates columns in a state of MALLET")
    names = ["NA"] * corpus.num_docs if corpus.titles is None else [one_line(title) or "NA" for title in corpus.titles]
    words = corpus.vocab.tolist()
    columns = (x.tolist() for x in token_columns(corpus, sample.z))
    rows = [f"{i} {names[i]} {at} {v} {words[v]} {k}\n" for i, at, v, k in zip(*columns, strict=True)]
    numbers = " ".join(str(value) for value in alpha)
    head = f"#doc source pos typeindex type topic\n#alpha : {numbers} \n#beta : {beta.flat[0]!s}\n"
    written(path, (head + "".join(rows)).encode())


def write_mallet_topic_keys(
    path: str | os.PathLike, phi: Float[np.ndarray, "K V"], alpha: Any, vocab: Any, words: int = 20
) -> None:
    """Write the most probable words of every topic as ``--output-topic-keys`` does: number, alpha, words.

    Parameters
    ----------
    path
        The file.
    phi, alpha, vocab
        The topics, their prior (a number or one for each), and the words.
    words
        Of each topic.
    """
    prior = np.broadcast_to(np.asarray(alpha, np.float32), (len(phi),))
    best = np.argsort(-np.asarray(phi), axis=1, kind="stable")[:, :words]
    lines = [f"{k}\t{prior[k]!s}\t{' '.join(str(vocab[v]) for v in best[k])}\n" for k in range(len(phi))]
    written(path, "".join(lines).encode())


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


def write_mallet_doc_topics(
    path: str | os.PathLike, theta: Float[np.ndarray, "D K"], titles: Sequence[str] | None = None
) -> None:
    """Write the topic proportions of documents as ``--output-doc-topics`` does: number, name, a share for each topic.

    Parameters
    ----------
    path
        The file.
    theta
        The proportions.
    titles
        The names of the documents; their numbers if not given.
    """
    values = np.asarray(theta, np.float32)
    names = [str(d) for d in range(len(values))] if titles is None else [one_line(title) for title in titles]
    rows = ("\t".join(map(str, row)) for row in values)
    written(path, "".join(f"{d}\t{names[d]}\t{row}\n" for d, row in enumerate(rows)).encode())


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
