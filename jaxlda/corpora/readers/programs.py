"""Fitted models of other Python packages, as corpora with samples."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxlda.corpora import priors
from jaxlda.corpora.bags import of_pairs
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._samples import Imported, assemble, check_room
from jaxlda.corpora.written import Written, small
from jaxlda.types import Counts, Sample

__all__ = ["from_gensim", "from_lda", "from_sklearn", "from_tomotopy"]

WHOLE = ("all documents",)
"""The title of the only document where a model keeps none."""


def from_tomotopy(model: Any) -> Imported:
    """The present sample of a ``tomotopy.LDAModel``, with the topic of every token.

    Words that tomotopy leaves out of training (``min_cf``, ``min_df``, ``rm_top``) are left out here too, so that a
    document may be empty; the order of the others is kept. Titles are the documents' ``uid``, where there are any.
    Alpha is what it has learned by now.

    Returns
    -------
    corpus, priors, sample

    Examples
    --------
    >>> import tomotopy
    >>> model = tomotopy.LDAModel(k=2, seed=0)
    >>> _ = [model.add_doc(text.split()) for text in ("cat dog cat", "dog ant")]
    >>> model.train(5, workers=1)
    >>> from_tomotopy(model).corpus
    Corpus(2 documents, 3 words, 5 tokens)
    """
    _expect(model, "from_tomotopy", "a tomotopy.LDAModel with documents", ("docs", "used_vocabs", "alpha", "eta", "k"))
    if type(model).__name__ != "LDAModel":
        raise TypeError(
            f"from_tomotopy takes an LDAModel; a {type(model).__name__} is another model, with other transition "
            "probabilities"
        )
    if int(getattr(model, "tw", 0)) != 0:
        raise ValueError(
            "the model weighs its words (tw is not TermWeight.ONE): its counts are weights, and its transition "
            "probabilities not those of LDA"
        )
    words = [np.asarray(doc.words, np.int64) for doc in model.docs]
    topics = [np.asarray(doc.topics, np.int64) for doc in model.docs]
    if not words:
        raise ValueError("the model has no documents")
    d = np.repeat(np.arange(len(words)), [len(some) for some in words])
    w, z = np.concatenate(words), np.concatenate(topics)
    used = (z >= 0) & (z < model.k)
    if not used.any():
        raise ValueError("no token has a topic: train the model first")
    uids = [str(doc.uid or "") for doc in model.docs]
    vocab = [str(word) for word in model.used_vocabs]
    shape = len(words), len(vocab), int(model.k)
    titles = uids if any(uids) else None
    alpha = np.broadcast_to(np.asarray(model.alpha, np.float64), (shape[2],))
    found = assemble(d[used], w[used], z[used], shape, alpha=alpha, beta=float(model.eta), vocab=vocab, titles=titles)
    written = Written(small(w[used], len(vocab)))  # documents keep the order of their words
    return found._replace(corpus=replace(found.corpus, written=written))


def from_lda(model: Any, X: Any = None, *, vocab: Any = None, titles: Any = None) -> Imported:
    """The sample of an ``lda.LDA``; without z, because the package deletes it at the end of ``fit``.

    So there are phi and theta, and phi_p is refused. A model whose ``fit`` was interrupted still has z, and then so has
    the sample.

    Parameters
    ----------
    model
        Fitted.
    X
        The counts it was fitted on, which it does not keep. Without them the corpus is a single document, the sum of
        all, and theta is that of the whole corpus.
    vocab, titles
        Names of words and documents, as in ``Corpus.from_counts``.

    Returns
    -------
    corpus, priors, sample

    Examples
    --------
    >>> import logging, lda
    >>> logging.getLogger("lda").addHandler(logging.NullHandler())  # or it sets up logging
    >>> model = lda.LDA(n_topics=2, n_iter=5, random_state=0).fit(np.array([[2, 1], [0, 3]]))
    >>> corpus, priors, sample = from_lda(model, [[2, 1], [0, 3]])
    >>> corpus, sample.counts.n_dk.sum(1).tolist(), sample.z
    (Corpus(2 documents, 2 words, 6 tokens), [3, 3], None)
    """
    _expect(model, "from_lda", "a fitted lda.LDA", ("nzw_", "ndz_", "alpha", "eta"))
    n_dk, n_vk = np.asarray(model.ndz_), np.asarray(model.nzw_).T
    (D, K), V = n_dk.shape, n_vk.shape[0]
    if hasattr(model, "ZS"):
        d, w, z = (np.asarray(x, np.int64) for x in (model.DS, model.WS, model.ZS))
        return assemble(d, w, z, (D, V, K), alpha=model.alpha, beta=model.eta, vocab=vocab, titles=titles)
    if X is None:
        return _whole(n_vk, model.alpha, model.eta, vocab)
    corpus = Corpus.from_counts(X, vocab, titles=titles)
    _check_size(corpus, n_vk, D)
    frequencies = np.asarray(corpus.counts.sum(axis=0))
    if not (np.array_equal(corpus.n_d, n_dk.sum(axis=1)) and np.array_equal(frequencies, n_vk.sum(axis=1))):
        raise ValueError("X has other documents than the model was fitted on: lengths or word frequencies differ")
    return _counted(corpus, n_dk, n_vk, model.alpha, model.eta)


def from_gensim(model: Any, documents: Any = None, *, titles: Any = None) -> Imported:
    """The expected counts of a gensim ``LdaModel``; without z, because variational Bayes has none.

    Its phi and theta are soft already, and phi_p is refused.

    Parameters
    ----------
    model
        Trained.
    documents
        The corpus of ``(word, count)`` pairs that theta is wanted of. Without it the corpus is a single document, what
        the model remembers of its training, rounded, and theta is that of the whole.
    titles
        Names of the documents.

    Returns
    -------
    corpus, priors, sample
    """
    _expect(model, "from_gensim", "a trained gensim LdaModel", ("state", "alpha", "eta", "id2word", "inference"))
    n_vk = np.asarray(model.state.sstats, np.float64).T
    V = n_vk.shape[0]
    vocab = [str(model.id2word[v]) for v in range(V)]
    if documents is None:
        return _whole(n_vk, model.alpha, model.eta, vocab)
    rows = [list(document) for document in documents]
    corpus = Corpus.from_counts(of_pairs(rows, np.arange(V), "the model"), vocab, titles=titles)
    gamma = np.asarray(model.inference(rows)[0], np.float64)
    return _counted(corpus, gamma - np.asarray(model.alpha, np.float64), n_vk, model.alpha, model.eta)


def from_sklearn(model: Any, X: Any = None, *, vocab: Any = None, titles: Any = None) -> Imported:
    """The expected counts of scikit-learn's ``LatentDirichletAllocation``; without z: variational Bayes has none.

    Its phi and theta are soft already, and phi_p is refused.

    Parameters
    ----------
    model
        Fitted.
    X
        The counts that theta is wanted of. Without them the corpus is a single document, what the model remembers of
        its training, rounded, and theta is that of the whole.
    vocab, titles
        Names; the words are ``feature_names_in_`` if the model knows them.

    Returns
    -------
    corpus, priors, sample

    Examples
    --------
    >>> from sklearn.decomposition import LatentDirichletAllocation
    >>> model = LatentDirichletAllocation(2, random_state=0).fit([[2, 1], [0, 3]])
    >>> corpus, priors, sample = from_sklearn(model, [[2, 1], [0, 3]])
    >>> corpus, np.round(sample.counts.n_dk.sum(1)).tolist(), sample.z
    (Corpus(2 documents, 2 words, 6 tokens), [3.0, 3.0], None)
    """
    names = ("components_", "doc_topic_prior_", "topic_word_prior_", "transform")
    _expect(model, "from_sklearn", "a fitted LatentDirichletAllocation", names)
    alpha, beta = float(model.doc_topic_prior_), float(model.topic_word_prior_)
    n_vk = np.asarray(model.components_, np.float64).T - beta
    if vocab is None and hasattr(model, "feature_names_in_"):
        vocab = [str(name) for name in model.feature_names_in_]
    if X is None:
        return _whole(n_vk, alpha, beta, vocab)
    if isinstance(X, Corpus):
        raise TypeError("from_sklearn takes counts, not a Corpus: give corpus.counts and vocab=corpus.vocab")
    corpus = Corpus.from_counts(X, vocab, titles=titles)
    _check_size(corpus, n_vk, len(corpus))
    theta = np.asarray(model.transform(X), np.float64)
    K = theta.shape[1]
    return _counted(corpus, theta * (corpus.n_d + K * alpha)[:, None] - alpha, n_vk, alpha, beta)


def _expect(model: Any, function: str, what: str, names: Iterable[str]) -> None:
    missing = [name for name in names if not hasattr(model, name)]
    if missing:
        raise TypeError(f"{function} takes {what}; this {type(model).__name__} has no {', '.join(missing)}")


def _check_size(corpus: Corpus, n_vk: np.ndarray, D: int) -> None:
    if (corpus.num_docs, corpus.num_words) != (D, n_vk.shape[0]):
        expected = f"{D} document(s) and {n_vk.shape[0]} words"
        raise ValueError(f"X has {corpus.num_docs} document(s) and {corpus.num_words} words, the model {expected}")


def _whole(n_vk: np.ndarray, alpha: Any, beta: Any, vocab: Any) -> Imported:
    """All documents as one, where the model keeps no more than the sum."""
    corpus = Corpus.from_counts(np.rint(n_vk.sum(axis=1))[None], vocab, titles=WHOLE)
    return _counted(corpus, n_vk.sum(axis=0)[None], n_vk, alpha, beta)


def _counted(corpus: Corpus, n_dk: np.ndarray, n_vk: np.ndarray, alpha: Any, beta: Any) -> Imported:
    """A sample without z. Expected counts are brought to the documents' lengths, which rounding has moved a little."""
    (D, K), V = n_dk.shape, n_vk.shape[0]
    check_room(D, V, K)
    made = priors.make(K, D, V, np.asarray(alpha, np.float64), np.asarray(beta, np.float64), n_d=corpus.n_d)
    dtype = np.int32 if n_dk.dtype.kind == n_vk.dtype.kind == "i" else np.float32
    n_dk, n_vk = np.maximum(n_dk, 0), np.maximum(n_vk, 0)
    total = n_dk.sum(axis=1, keepdims=True)
    n_dk = n_dk * (corpus.n_d[:, None] / np.where(total > 0, total, 1))
    counts = Counts(*(jnp.asarray(x.astype(dtype)) for x in (n_dk, n_vk, n_vk.sum(axis=0))))
    return Imported(corpus, made, Sample(counts, None))
