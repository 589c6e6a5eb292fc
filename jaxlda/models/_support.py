"""What models share: reading documents, choosing a chain, and travelling between processes."""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from jaxlda.corpora.corpus import Corpus
from jaxlda.running.results import Run

__all__ = ["all_or_nothing", "documents", "placed"]


@contextmanager
def all_or_nothing(model: Any) -> Iterator[None]:
    """Leave a model as it was if what is done to it fails."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


def documents(model: Any, X: Any, fitting: bool = False) -> Corpus:
    """Whatever holds documents as a corpus, in the vocabulary of the model unless that is being fitted.

    Sets what scikit-learn wants to know of the features if ``fitting``, and compares with it otherwise.
    """
    if isinstance(X, Corpus):
        if not fitting:
            return X.select_words(model.vocab_)
        if X.num_tokens == 0:
            raise ValueError("the corpus has no tokens, so there is nothing to learn from")
        model.n_features_in_, model.doc_titles_ = X.num_words, X.titles
        vars(model).pop("feature_names_in_", None)
        return X
    if isinstance(X, str) or isinstance(_first(X), str):
        raise TypeError(
            f"{type(model).__name__} takes counts of words, not texts: make them with Corpus.from_texts(texts), or put "
            "a CountVectorizer before it in a pipeline"
        )
    if isinstance(X, list | tuple) and isinstance(_first(_first(X)), str):
        raise TypeError(
            f"{type(model).__name__} takes counts of words, not lists of words: make them with "
            "Corpus.from_texts(lists, analyzer=list)"
        )
    if sparse.issparse(X) and X.dtype.kind in "iub":
        X = X.astype(np.int64)  # before anybody adds up duplicate entries in a type too small
    if fitting:
        model.doc_titles_ = None
    X = validate_data(model, X, reset=fitting, accept_sparse="csr", ensure_non_negative=True)
    vocab = getattr(model, "feature_names_in_", None) if fitting else model.vocab_
    empty = X.nnz == 0 if sparse.issparse(X) else not X.any()
    if empty and not fitting:  # nothing can be learned from documents without words, but one may ask about them
        return Corpus(sparse.csr_array(X.shape, dtype=np.int32), model.vocab_)
    return Corpus.from_counts(X, vocab)


def _first(X: Any) -> Any:
    """The first of a list, an array or a column of a table; nothing of other things."""
    if isinstance(X, list | tuple | np.ndarray):
        return X[0] if len(X) else None
    return X.iloc[0] if getattr(X, "ndim", 0) == 1 and hasattr(X, "iloc") and len(X) else None


def placed(run: Run, device: Any) -> Run:
    """The same run with its chains said to be on another device, or, for pickling, on none; laid out there anew."""
    parts = tuple(part._replace(group=part.group._replace(device=device)) for part in run.parts)
    return dataclasses.replace(run, parts=parts, layout=None)
