"""Other programs, each as a function that does a number of sweeps."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse

import jaxlda
from benchmarks.corpora import words_of


def tomotopy(
    corpus: jaxlda.Corpus, num_topics: int, sweeps: int, alpha: float = 0.1, beta: float = 0.01, workers: int = 1
) -> Callable:
    """tomotopy's LDAModel, one worker unless told otherwise, hyper-parameters fixed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import tomotopy

    model = tomotopy.LDAModel(k=num_topics, alpha=alpha, eta=beta, seed=1)
    for document in words_of(corpus):
        model.add_doc([str(word) for word in document])
    model.optim_interval = 0
    model.train(0, workers=workers)

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            model.train(sweeps, workers=workers)

    return work


def lda(corpus: jaxlda.Corpus, num_topics: int, sweeps: int, alpha: float = 0.1, beta: float = 0.01) -> Callable:
    """The inner loop of the package ``lda`` (Cython), without its set-up."""
    from lda import LDA

    model = LDA(n_topics=num_topics, n_iter=0, alpha=alpha, eta=beta, random_state=1, refresh=1000)
    model._initialize(sparse.csr_matrix(corpus.counts))
    random = np.random.default_rng(0).random(1 << 20)

    def work() -> None:
        for _ in range(sweeps):
            model._sample_topics(random)

    return work
