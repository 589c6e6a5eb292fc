"""Corpora to measure on."""

import numpy as np
from scipy import sparse

import jaxlda


def synthetic(num_docs: int = 2_000, num_words: int = 5_000, doc_length: int = 155, seed: int = 0) -> jaxlda.Corpus:
    """Draw a corpus of 50 topics from the model: 310,000 tokens unless told otherwise."""
    return jaxlda.datasets.simulate(num_docs, 50, num_words, doc_length, alpha=0.1, beta=0.02, seed=seed)[0]


def repeated(corpus: jaxlda.Corpus, times: int) -> jaxlda.Corpus:
    """Stack copies of a corpus: more documents, nothing else changed."""
    return jaxlda.Corpus.from_counts(sparse.vstack([corpus.counts] * times), corpus.vocab)


def named(name: str) -> jaxlda.Corpus:
    """Load ``synthetic``, or a corpus of ``jaxlda.datasets`` (``reuters21578`` needs JAXLDA_DATA)."""
    return synthetic() if name == "synthetic" else jaxlda.datasets.load(name)


def words_of(corpus: jaxlda.Corpus) -> list[np.ndarray]:
    """The words of each document that has any, for programs that take lists."""
    tokens = corpus.tokens()
    documents = np.split(np.asarray(tokens.w), np.cumsum(np.asarray(tokens.n_d))[:-1])
    return [document for document in documents if len(document)]
