"""Files as MALLET writes them: the state of a sampler, the words of topics, and the topics of documents."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.writers._target import one_line, write_file
from jaxlda.corpora.written import token_columns
from jaxlda.types import Priors, Sample

__all__ = ["write_mallet_doc_topics", "write_mallet_state", "write_mallet_topic_keys"]


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
    write_file(path, (head + "".join(rows)).encode())


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
    write_file(path, "".join(lines).encode())


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
    write_file(path, "".join(f"{d}\t{names[d]}\t{row}\n" for d, row in enumerate(rows)).encode())
