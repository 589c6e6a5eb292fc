"""Other programs, each as a function that does a number of sweeps."""

import importlib.util
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

import jaxlda
from benchmarks.corpora import words_of

__all__ = [
    "gensim",
    "installed",
    "lda",
    "lda_of_gensim",
    "sklearn",
    "tomotopy",
    "tomotopy_model",
    "topics_of_tomotopy",
    "train",
]


def installed(package: str) -> bool:
    """Whether a peer can be imported; if not, that is said once."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(f"skipped: {package} is not installed")
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def tomotopy_model(
    corpus: jaxlda.Corpus, num_topics: int, alpha: float = 0.1, beta: float = 0.01, workers: int = 1, seed: int = 1
) -> Any:
    """tomotopy's LDAModel with the documents in it, hyper-parameters fixed, no sweep done."""
    with _quiet():
        import tomotopy

    model = tomotopy.LDAModel(k=num_topics, alpha=alpha, eta=beta, seed=seed)
    for document in words_of(corpus):
        model.add_doc([str(word) for word in document])
    model.optim_interval = 0
    model.train(0, workers=workers)
    return model


def tomotopy(
    corpus: jaxlda.Corpus, num_topics: int, sweeps: int, alpha: float = 0.1, beta: float = 0.01, workers: int = 1
) -> Callable:
    """tomotopy's LDAModel, one worker unless told otherwise, hyper-parameters fixed."""
    model = tomotopy_model(corpus, num_topics, alpha, beta, workers)

    return partial(train, model, sweeps, workers)


def train(model: Any, sweeps: int, workers: int) -> None:
    """Sweeps of a model of tomotopy, without its warning that workers draw differently."""
    with _quiet():
        model.train(sweeps, workers=workers)


def topics_of_tomotopy(model: Any, num_words: int) -> np.ndarray:
    """Phi (K, V) in our order of the words, all of which it must have seen: of others it knows no probability."""
    known = [int(word) for word in model.used_vocabs]
    if len(known) != num_words:
        raise ValueError(f"tomotopy has seen {len(known)} of {num_words} words: score those alone")
    phi = np.zeros((model.k, num_words), np.float32)
    phi[:, known] = [model.get_topic_word_dist(k) for k in range(model.k)]
    return phi / phi.sum(1, keepdims=True)


def lda(corpus: jaxlda.Corpus, num_topics: int, sweeps: int, alpha: float = 0.1, beta: float = 0.01) -> Callable:
    """The inner loop of the package ``lda`` (Cython), without its set-up."""
    from lda import LDA

    logging.getLogger("lda").setLevel(logging.ERROR)
    model = LDA(n_topics=num_topics, n_iter=0, alpha=alpha, eta=beta, random_state=1, refresh=1000)
    model._initialize(sparse.csr_matrix(corpus.counts))
    random = np.random.default_rng(0).random(1 << 20)

    def work() -> None:
        for _ in range(sweeps):
            model._sample_topics(random)

    return work


def _bags(corpus: jaxlda.Corpus) -> list[list[tuple[int, int]]]:
    rows = sparse.csr_matrix(corpus.counts)
    cuts = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [list(zip(rows.indices[a:b].tolist(), rows.data[a:b].tolist(), strict=True)) for a, b in cuts]


def lda_of_gensim(corpus: jaxlda.Corpus, num_topics: int, workers: int, passes: int = 1) -> Any:
    """gensim's LdaMulticore after so many passes."""
    from gensim.models import LdaMulticore

    logging.getLogger("gensim").setLevel(logging.ERROR)
    words = {v: str(v) for v in range(corpus.num_words)}
    options = {"num_topics": num_topics, "id2word": words, "alpha": 0.1, "eta": 0.01, "random_state": 1}
    return LdaMulticore(_bags(corpus), workers=workers, passes=passes, eval_every=None, **options)


def gensim(corpus: jaxlda.Corpus, num_topics: int, workers: int = 1) -> Callable:
    """A pass of gensim's LdaMulticore; it has no separate set-up worth mentioning."""
    return lambda: lda_of_gensim(corpus, num_topics, workers)


def sklearn(corpus: jaxlda.Corpus, num_topics: int, method: str) -> Callable:
    """A pass of scikit-learn's LatentDirichletAllocation, ``batch`` or ``online``."""
    from sklearn.decomposition import LatentDirichletAllocation

    options = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 1}
    model = LatentDirichletAllocation(num_topics, learning_method=method, max_iter=1, **options)
    counts = sparse.csr_matrix(corpus.counts)
    return lambda: model.fit(counts)
