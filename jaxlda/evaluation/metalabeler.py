"""How many labels a document has, learned from its words: the Meta-Labeler of Tang, Rajan and Narayanan (2009)."""

from typing import Any

import numpy as np
from jaxtyping import Int64
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVR
from sklearn.utils.validation import check_is_fitted

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.inputs import as_counts
from jaxlda.evaluation.targets import read_target

__all__ = ["MetaLabeler"]


class MetaLabeler(BaseEstimator):
    r"""Predicts the number of labels of a document, so that any ranking of labels can be cut there.

    A linear support vector regression (LibLinear, squared epsilon-insensitive loss) of the number of labels on

    .. math:: x_{dv} \propto (1 + \ln n_{dv}) \ln(D / D_v), \quad \lVert x_d \rVert_2 = 1

    with :math:`D_v` the training documents that have word v. The prediction is rounded; it is at least 1 and at most
    the number of labels.

    Parameters
    ----------
    C
        The inverse strength of regularisation.
    epsilon
        Errors below it cost nothing.
    fit_intercept
        Whether there is a constant term.
    tol
        The tolerance at which LibLinear stops.
    max_iter
        The iterations after which it stops in any case.

    Attributes
    ----------
    idf_
        :math:`\ln(D / D_v)`, 0 for a word no training document has.
    regression_
        The fitted ``LinearSVR``.
    num_labels_
        L.
    n_features_in_
        V.

    Examples
    --------
    >>> X, Y = [[3, 0], [2, 0], [0, 2], [0, 1]], [[1, 0, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1]]
    >>> MetaLabeler(C=100).fit(X, Y).predict([[1, 0], [0, 4]]).tolist()
    [1, 2]

    Any scores are then cut with ``multilabel.top_n(scores, MetaLabeler().fit(X, Y).predict(X_new))``.
    """

    def __init__(
        self,
        C: float | int = 1.0,
        epsilon: float | int = 0.0,
        fit_intercept: bool = True,
        tol: float | int = 1e-4,
        max_iter: int = 10_000,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> "MetaLabeler":
        """Learn from documents and their labels.

        Parameters
        ----------
        X
            Counts ``(D, V)``, dense or sparse, or a ``Corpus``.
        y
            Indicators ``(D, L)``, dense or sparse, or for each document a list or set of labels. Not needed where ``X``
            is a ``Corpus`` with labels.
        """
        counts = _counts(X)
        labels = _labels(X, y, counts.shape[0])
        self.vocab_ = X.vocab if isinstance(X, Corpus) else None
        frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        self.idf_ = np.where(frequency > 0, np.log(counts.shape[0] / np.maximum(frequency, 1)), 0.0)
        self.n_features_in_ = int(counts.shape[1])
        self.num_labels_ = int(labels.shape[1])
        # The primal problem has a unique solution and no random order: the same data give the same numbers.
        self.regression_ = LinearSVR(
            loss="squared_epsilon_insensitive",
            dual=False,
            C=self.C,
            epsilon=self.epsilon,
            fit_intercept=self.fit_intercept,
            tol=self.tol,
            max_iter=self.max_iter,
        ).fit(self._features(counts), np.diff(labels.indptr))
        return self

    def predict(self, X: Any) -> Int64[np.ndarray, " D"]:
        """The number of labels of each document, from 1 to L.

        Parameters
        ----------
        X
            Counts ``(D, V)`` with the columns of training, or a ``Corpus``, whose words are translated if the training
            documents were one. A document without known words gets the regression's constant term.
        """
        check_is_fitted(self)
        if isinstance(X, Corpus) and self.vocab_ is not None:
            X = X.select_words(self.vocab_)
        counts = _counts(X)
        if counts.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {counts.shape[1]} words; the Meta-Labeler was fitted with {self.n_features_in_}")
        raw = self.regression_.predict(self._features(counts))
        return np.clip(np.floor(raw + 0.5), 1, self.num_labels_).astype(np.int64)

    def score(self, X: Any, y: Any = None) -> float:
        """The share of documents whose number of labels is predicted exactly; arguments as those of :meth:`fit`."""
        sizes = self.predict(X)
        return float(np.mean(sizes == np.diff(_labels(X, y, len(sizes)).indptr)))

    def _features(self, counts: sparse.csr_array) -> sparse.csr_array:
        weights = (1 + np.log(counts.data)) * self.idf_[counts.indices]
        return normalize(sparse.csr_array((weights, counts.indices, counts.indptr), shape=counts.shape))


def _labels(X: Any, y: Any, num_docs: int) -> sparse.csr_array:
    if y is None:
        y = X.labels if isinstance(X, Corpus) else None
    if y is None:
        raise ValueError("the Meta-Labeler learns from labels: give y, or a Corpus that has labels")
    return read_target(y, num_docs)[0]


def _counts(X: Any) -> sparse.csr_array:
    if isinstance(X, Corpus):
        return X.counts
    if np.ndim(X) == 2 and not (X.nnz if sparse.issparse(X) else np.any(X)):
        return sparse.csr_array(np.shape(X), dtype=np.int32)  # no corpus, but documents one may ask about
    return as_counts(X)
