"""Documents in any accepted form, as a corpus in the words of a model."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.inputs import is_missing
from jaxlda.corpora.texts import as_stop_words
from jaxlda.running.results import Run

__all__ = ["documents", "of_run", "text_options", "trainable"]


def documents(model: Any, X: Any, fitting: bool = False) -> Corpus:
    """The documents as a corpus, in the vocabulary of the model unless that is being fitted.

    Sets what scikit-learn wants to know of the features if ``fitting``, and compares with it otherwise.
    """
    if isinstance(X, Corpus):
        return _fitted(model, X) if fitting else X.select_words(model.vocab_, ignore=_left_out(model, X.vocab))
    X = list(X) if isinstance(X, Iterator) else X
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError("counts are masked: say what masked ones mean, such as with counts.filled(0)")
    if X is None or (np.isscalar(X) and not isinstance(X, str)) or (isinstance(X, list | tuple) and not X):
        kind = f"{type(model).__name__} takes a Corpus, or a table of counts (documents, words)"
        raise TypeError(f"{kind}; got {X!r:.60}")
    first = _first(X)
    tokenized = isinstance(X, list | tuple) and isinstance(_first(first), str) and not isinstance(first, str)
    if isinstance(X, str) or isinstance(first, str | bytes) or tokenized:
        if not fitting:
            return _of_texts(model, X)
        what = "lists of words" if tokenized else "texts"
        raise TypeError(
            f"{type(model).__name__} takes counts of words, not {what}: make them with Corpus.from_texts("
            + ("lists, analyzer=list)" if tokenized else "texts), or put a CorpusVectorizer before it in a pipeline")
            + (", or read a file with jaxlda.io.read_corpus(path)" if isinstance(X, str) else "")
        )
    if sparse.issparse(X) and X.dtype.kind in "iub":
        X = X.astype(np.int64)  # before anybody adds up duplicate entries in a type too small
    if fitting:
        model.doc_titles_ = model.doc_columns_ = model.written_ = model.text_options_ = None
        model.lost_text_options_ = ()
    X = validate_data(model, X, reset=fitting, accept_sparse="csr", ensure_non_negative=True)
    vocab = getattr(model, "feature_names_in_", None) if fitting else model.vocab_
    empty = X.nnz == 0 if sparse.issparse(X) else not X.any()
    if empty and not fitting:  # nothing can be learned from documents without words, but one may ask about them
        return Corpus(sparse.csr_array(X.shape, dtype=np.int32), model.vocab_)
    return Corpus.from_counts(X, vocab)


def _fitted(model: Any, corpus: Corpus) -> Corpus:
    if corpus.num_tokens == 0:
        raise ValueError("the corpus has no tokens, so there is nothing to learn from")
    model.n_features_in_, model.doc_titles_ = corpus.num_words, corpus.titles
    model.doc_columns_, model.written_ = corpus.doc_columns, corpus.written
    model.text_options_, model.lost_text_options_ = corpus.text_options, ()
    vars(model).pop("feature_names_in_", None)
    return corpus


def text_options(model: Any) -> Mapping[str, Any] | None:
    """How texts of a model were read; ``None`` if there were none."""
    if lost := getattr(model, "lost_text_options_", ()):
        raise TypeError(
            f"the texts of this model were read with functions that its file does not hold ({', '.join(lost)}): read "
            "the new ones in the same way with Corpus.from_texts(texts, ...), and give that"
        )
    return getattr(model, "text_options_", None)


def _of_texts(model: Any, texts: Any) -> Corpus:
    """Texts read as those that the model was fitted to."""
    if (options := text_options(model)) is None:
        raise TypeError(
            f"{type(model).__name__} takes counts of words, not texts, because it was fitted to counts and does not "
            "know how texts are read: make them with Corpus.from_texts(texts, ...)"
        )
    corpus = Corpus.from_texts(texts, allow_empty=True, keep_order=False, keep_texts=False, **options)
    return corpus.select_words(model.vocab_, ignore=_left_out(model, corpus.vocab))


def _left_out(model: Any, words: np.ndarray) -> Sequence[str]:
    """Words that the model left out on purpose: stop words; and n-grams, most of which no two texts share."""
    options = getattr(model, "text_options_", None) or {}
    stop_words = as_stop_words(options)
    phrases = [word for word in words.tolist() if " " in word] if options.get("ngram_range", (1, 1))[1] > 1 else []
    return [*stop_words, *phrases]


def _first(X: Any) -> Any:
    """The first of a list, an array or a column of a table that is not missing; nothing of other things."""
    if isinstance(X, list | tuple) or (getattr(X, "ndim", 0) == 1 and (hasattr(X, "iloc") or X.dtype == object)):
        return next((value for value in X if not is_missing(value)), None)
    return X[0] if isinstance(X, np.ndarray) and len(X) else None


def of_run(run: Run, vocab: Any = None, titles: Any = None, labels: Any = None, label_names: Any = None) -> Corpus:
    """The documents that were sampled.

    >>> import jax, jaxlda
    >>> data = Corpus.from_counts([[2, 1], [1, 2]]).data(num_topics=2)
    >>> of_run(jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=1)).counts.toarray()
    array([[2, 1],
           [1, 2]], dtype=int32)
    """
    w, d, m, n_d = (np.asarray(x) for x in run.data.tokens)
    counts = sparse.coo_array((m, (d, w)), shape=(len(n_d), run.data.priors.beta.shape[-1]))
    return Corpus.from_counts(counts, vocab, titles=titles, labels=labels, label_names=label_names)


def trainable(corpus: Corpus, labels: sparse.csr_array, unlabeled: str) -> Corpus:
    """The corpus to learn from: documents with words but no labels are refused, or their words left out.

    Left out, a document stays as an empty one, so that rows still are those of the caller.

    >>> corpus = Corpus.from_counts([[1, 2], [3, 0]])
    >>> trainable(corpus, sparse.csr_array(np.array([[True], [False]])), "skip").n_d.tolist()
    [3, 0]
    """
    without = (np.diff(labels.indptr) == 0) & (corpus.n_d > 0)
    if not without.any():
        return corpus
    if unlabeled == "error":
        raise ValueError(
            f"{int(without.sum())} document(s) have no label, the first being document {int(np.argmax(without))}: no "
            "topic is left for their words. Label them, leave them out with Corpus.subset, or ignore their words with "
            "unlabeled='skip'"
        )
    counts = sparse.csr_array(corpus.counts.multiply(~without[:, None]), dtype=np.int32)
    counts.eliminate_zeros()
    if counts.nnz == 0:
        raise ValueError("no document has both words and labels: there is nothing to learn from")
    return dataclasses.replace(corpus, counts=counts, written=None)
