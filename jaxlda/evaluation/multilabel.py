"""Several labels per document: rules that turn scores into sets of labels, and measures of how good the sets are.

Sets of labels are indicators: matrices of 0 and 1, documents x labels, dense or scipy sparse.
"""

import math
import operator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64
from scipy import sparse

__all__ = [
    "FMeasures",
    "RankingMeasures",
    "ZTest",
    "average_ranks",
    "f_measures",
    "indicator",
    "ranking_measures",
    "threshold",
    "top_n",
    "z_test",
]


class FMeasures(NamedTuple):
    """The three F1 measures of the paper's tables, and the choice they depend on."""

    micro: float
    """Over all decisions at once: frequent labels weigh more."""
    macro: float
    """The mean over labels: rare labels weigh as much as frequent ones."""
    example: float
    """The mean over documents."""
    zero_division: float
    """What a label or document counted that nobody has and nobody predicts."""


class RankingMeasures(NamedTuple):
    """How well scores order the labels, before any rule decides how many of them to take."""

    average_precision: float
    """Label ranking average precision; 1 is best."""
    coverage: float
    """How far down the ranking one has to go to meet all labels of a document; at best their mean number."""
    one_error: float
    """The share of documents whose first label is wrong; 0 is best."""


class ZTest(NamedTuple):
    """A test of one proportion against a fixed one."""

    z: float
    p_value: float
    """Two-sided."""


# ---------------------------------------------------------------------------------------------------------------- rules


def top_n(scores: Any, n: Any) -> Bool[np.ndarray, "D L"]:
    """The ``n`` labels of highest score; of equal scores the first columns win.

    Parameters
    ----------
    scores
        ``(D, L)``, higher is better: theta, or the decision function of any classifier.
    n
        One number for all documents or one for each ``(D,)``, such as what a ``MetaLabeler`` predicts; 0 to L.

    Examples
    --------
    >>> top_n([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]], [2, 1]).astype(int).tolist()
    [[0, 1, 1], [1, 0, 0]]
    """
    values = _scores(scores)
    D, L = values.shape
    sizes = np.asarray(n)
    if sizes.dtype.kind not in "iu":
        raise TypeError(f"n must be a whole number, or one for each document; got {n!r:.60}")
    if sizes.shape not in ((), (D,)):
        raise ValueError(f"n has shape {sizes.shape}; expected one number, or one for each of the {D} documents")
    if ((sizes < 0) | (sizes > L)).any():
        raise ValueError(f"n must be between 0 and the number of labels, {L}; got {sizes.min()} to {sizes.max()}")
    ranks = np.argsort(np.argsort(-values, axis=1, kind="stable"), axis=1, kind="stable")
    return ranks < np.broadcast_to(sizes, (D,))[:, None]


def threshold(scores: Any, t: Any, *, at_least: int = 0) -> Bool[np.ndarray, "D L"]:
    """The labels whose score reaches ``t``, and never fewer than the ``at_least`` best ones.

    Parameters
    ----------
    scores
        ``(D, L)``, higher is better.
    t
        One number for all labels or one for each ``(L,)``.
    at_least
        How many labels a document gets in any case.

    Examples
    --------
    >>> threshold([[0.2, 0.5, 0.3], [0.1, 0.1, 0.2]], 0.3).astype(int).tolist()
    [[0, 1, 1], [0, 0, 0]]
    >>> threshold([[0.2, 0.5, 0.3], [0.1, 0.1, 0.2]], 0.3, at_least=1).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    values = _scores(scores)
    limits = np.asarray(t, dtype=np.float64)
    if limits.shape not in ((), (values.shape[1],)):
        raise ValueError(
            f"t has shape {limits.shape}; expected a number, or one for each of the {values.shape[1]} labels"
        )
    if np.isnan(limits).any():
        raise ValueError("t must not be NaN: nothing compares with it")
    chosen = values >= limits
    return chosen | top_n(values, at_least) if at_least else chosen


# ------------------------------------------------------------------------------------------------------------- measures


def f_measures(labels: Any, predicted: Any, *, zero_division: float | int) -> FMeasures:
    r"""Micro-, macro- and example-based F1, by scikit-learn.

    .. math:: F_1 = \frac{2\,TP}{2\,TP + FP + FN}

    of all decisions together (micro), of each label (macro) or of each document (example), then averaged.

    Parameters
    ----------
    labels, predicted
        The true and the predicted indicators, ``(D, L)``, dense or sparse.
    zero_division
        F1 is 0 / 0 for a label that no document has and none is given, and for a document without labels that is given
        none: count it as 0, as 1 (as the paper's program does), or leave it out (``nan``). With rare labels the choice
        moves macro F1 by more than methods differ; there is no default.

    Examples
    --------
    >>> f_measures([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 0]], zero_division=0)
    FMeasures(micro=0.8, macro=0.555..., example=0.833..., zero_division=0.0)
    >>> round(f_measures([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 0]], zero_division=1).macro, 3)
    0.889
    """
    from sklearn.metrics import f1_score

    if not (zero_division in (0, 1) or math.isnan(zero_division)):
        raise ValueError(f"zero_division must be 0, 1 or nan; got {zero_division!r}")
    value = float(zero_division)
    truth, guess = indicator(labels, "labels"), indicator(predicted, "predicted")
    if truth.shape != guess.shape:
        raise ValueError(f"labels has shape {truth.shape} and predicted {guess.shape}; expected the same")
    if 0 in truth.shape:
        raise ValueError(f"there is nothing to measure: labels has shape {truth.shape}")
    single = truth.shape[1] == 1
    if single:  # scikit-learn takes one column for classes; a second, empty one changes neither micro nor example F1
        truth, guess = (
            sparse.hstack([y, sparse.csr_array((y.shape[0], 1), dtype=bool)], "csr") for y in (truth, guess)
        )
    micro, macro, example = (
        float(f1_score(truth, guess, average=average, zero_division=value)) for average in ("micro", "macro", "samples")
    )
    return FMeasures(micro, micro if single else macro, example, value)


def ranking_measures(labels: Any, scores: Any) -> RankingMeasures:
    r"""Label ranking average precision, coverage and one-error, over the documents that have labels.

    With :math:`r_{dl}` the rank of label :math:`l` by its score (1 the best; of equal scores the worst rank) and
    :math:`Y_d` the labels of a document,

    .. math:: \text{average precision} = \frac1D \sum_d \frac1{|Y_d|}
        \sum_{l \in Y_d} \frac{|\{l' \in Y_d : r_{dl'} \le r_{dl}\}|}{r_{dl}}, \quad
        \text{coverage} = \frac1D \sum_d \max_{l \in Y_d} r_{dl}

    as scikit-learn computes them (some authors subtract 1 from coverage). One-error is the share of documents whose
    label of highest score is not among :math:`Y_d`; of several highest ones, the share that is not.

    Parameters
    ----------
    labels
        The true indicators ``(D, L)``. A document without labels has nothing to rank and is left out.
    scores
        ``(D, L)``, higher is better.

    Examples
    --------
    >>> ranking_measures([[1, 0, 0], [1, 0, 1]], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])
    RankingMeasures(average_precision=0.791..., coverage=2.0, one_error=0.5)
    """
    from sklearn.metrics import coverage_error, label_ranking_average_precision_score

    truth, values = indicator(labels, "labels").toarray(), _scores(scores)
    if truth.shape != values.shape:
        raise ValueError(f"labels has shape {truth.shape} and scores {values.shape}; expected the same")
    if truth.shape[1] < 2:
        raise ValueError("a ranking needs at least two labels")
    labelled = truth.any(axis=1)
    if not labelled.any():
        raise ValueError("no document has a label: there is nothing to rank")
    truth, values = truth[labelled], values[labelled]
    first = values == values.max(axis=1, keepdims=True)
    wrong = (first & ~truth).sum(axis=1) / first.sum(axis=1)
    return RankingMeasures(
        float(label_ranking_average_precision_score(truth, values)),
        float(coverage_error(truth, values)),
        float(wrong.mean()),
    )


# ------------------------------------------------------------------------------------------------- comparing methods


def z_test(proportion: float | int, reference: float | int, size: int) -> ZTest:
    r"""The one-sample z-test for proportions, by which the paper's tables mark differences from the best method.

    .. math:: z = \frac{p - p_0}{\sqrt{p_0 (1 - p_0) / n}}, \quad \text{two-sided}

    An F-measure is not a proportion of independent trials; the test is the paper's, and rough.

    Parameters
    ----------
    proportion
        p, what was measured: the F-measure of a method.
    reference
        :math:`p_0`, strictly between 0 and 1: the F-measure of the best method.
    size
        n, the number of test documents.

    Examples
    --------
    >>> test = z_test(0.2388, 0.2985, 2515)
    >>> round(test.z, 2), test.p_value < 0.05
    (-6.54, True)
    """
    if not 0 <= proportion <= 1:
        raise ValueError(f"a proportion is between 0 and 1; got {proportion!r}")
    if not 0 < reference < 1:
        raise ValueError(f"the reference must lie strictly between 0 and 1, where it has a spread; got {reference!r}")
    if operator.index(size) < 1:
        raise ValueError(f"size must be at least 1; got {size!r}")
    z = (proportion - reference) / math.sqrt(reference * (1 - reference) / size)
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def average_ranks(scores: Any, *, higher_is_better: bool = True) -> Float64[np.ndarray, " M"]:
    """The mean rank of every method over data sets; 1 is best, and equal scores share the mean of their ranks.

    Parameters
    ----------
    scores
        ``(M, S)``: methods x data sets.
    higher_is_better
        False for errors and perplexities.

    Examples
    --------
    >>> average_ranks([[0.9, 0.5], [0.7, 0.5], [0.8, 0.4]]).tolist()
    [1.25, 2.25, 2.5]
    """
    from scipy.stats import rankdata  # which takes long to load

    values = _scores(scores, "scores must be a matrix of methods x data sets")
    return np.asarray(rankdata(-values if higher_is_better else values, axis=0).mean(axis=1))


# ---------------------------------------------------------------------------------------------------------------- forms


def indicator(labels: Any, what: str = "labels") -> sparse.csr_array:
    """Indicators as a bool CSR: sorted, no duplicates, no stored zeros; anything but 0 and 1 is refused.

    Parameters
    ----------
    labels
        ``(D, L)`` of 0 and 1, dense or sparse.
    what
        What an error calls it.

    Examples
    --------
    >>> indicator([[0, 1], [1, 1]]).nnz
    3
    """
    given = labels if sparse.issparse(labels) else _array(labels, what)
    if given.ndim != 2:
        raise ValueError(f"{what} must be a matrix of documents x labels; got shape {given.shape}")
    if given.dtype.kind not in "biuf":
        raise TypeError(f"{what} must be a matrix of 0 and 1, not of {given.dtype}")
    matrix = sparse.csr_array(given)
    if matrix is given:
        matrix = matrix.copy()
    if (bad := (matrix.data != 0) & (matrix.data != 1)).any():
        raise ValueError(f"{what} has {matrix.data[np.argmax(bad)]}; indicators are 0 and 1, or False and True")
    matrix = matrix.astype(bool)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _scores(scores: Any, message: str = "scores must be a matrix of documents x labels") -> np.ndarray:
    values = _array(scores, "scores")
    if values.ndim != 2:
        raise ValueError(f"{message}; got shape {values.shape}")
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{message}, of numbers; got {values.dtype}")
    values = values.astype(np.float64)
    if np.isnan(values).any():
        raise ValueError("scores has NaN, which cannot be ordered")
    return values


def _array(values: Any, what: str) -> np.ndarray:
    try:
        return np.asarray(values.toarray() if sparse.issparse(values) else values)
    except ValueError:
        raise ValueError(f"{what} must be a matrix: its rows differ in length") from None
