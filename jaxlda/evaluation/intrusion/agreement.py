"""Whether raters agree: Fleiss' kappa and Krippendorff's alpha, for answers without an order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from jaxlda.corpora.inputs import is_missing

__all__ = ["fleiss_kappa", "krippendorff_alpha"]


def fleiss_kappa(answers: Any) -> float:
    r"""How much more often raters agree than by chance (Fleiss 1971): 1 for always, 0 for no more.

    .. math:: \kappa = \frac{\bar P - \bar P_e}{1 - \bar P_e}

    with :math:`\bar P` the share of pairs of raters that agree, averaged over questions, and :math:`\bar P_e` the sum
    of the squared shares of answers.

    Parameters
    ----------
    answers
        ``(questions, raters)``: every question answered by equally many raters, at least two. With answers that are
        missing, take :func:`krippendorff_alpha`.

    Returns
    -------
    float
        NaN where all answers of all questions are the same: then chance alone would agree always.

    Examples
    --------
    >>> fleiss_kappa([[1, 1], [2, 2], [3, 3]]), round(fleiss_kappa([[1, 1], [2, 1]]), 3)
    (1.0, -0.333)
    """
    counts = _counts(answers)
    raters = counts.sum(axis=1)
    if len(counts) == 0 or (raters != raters[0]).any() or raters[0] < 2:
        raise ValueError(
            "Fleiss' kappa needs the same number of answers, at least two, to every question; with answers missing, "
            "take krippendorff_alpha"
        )
    n = raters[0]
    agreed = float(((np.square(counts).sum(axis=1) - n) / (n * (n - 1))).mean())
    chance = float(np.square(counts.sum(axis=0) / counts.sum()).sum())
    return float("nan") if chance >= 1 else (agreed - chance) / (1 - chance)


def krippendorff_alpha(answers: Any) -> float:
    r"""How much less raters disagree than by chance (Krippendorff 2004); answers may be missing.

    .. math:: \alpha = 1 - D_o / D_e

    with :math:`D_o` the share of pairs of answers to the same question that differ, each question weighed by its
    answers, and :math:`D_e` that of all pairs of answers.

    Parameters
    ----------
    answers
        ``(questions, raters)``; ``None`` or NaN where a rater did not answer. Questions with fewer than two answers do
        not count.

    Returns
    -------
    float
        NaN where there is nothing to compare, or all answers are the same.

    Examples
    --------
    >>> krippendorff_alpha([[1, 1, None], [2, 2, 2]]), round(krippendorff_alpha([[1, 1], [2, 1]]), 3)
    (1.0, 0.0)
    """
    counts = _counts(answers)
    counts = counts[counts.sum(axis=1) >= 2]
    total = counts.sum()
    if total < 2:
        return float("nan")
    n = counts.sum(axis=1)
    observed = float(((np.square(n) - np.square(counts).sum(axis=1)) / (n - 1)).sum() / total)
    overall = counts.sum(axis=0)
    expected = float((total**2 - np.square(overall).sum()) / (total * (total - 1)))
    return float("nan") if expected <= 0 else 1 - observed / expected


def _counts(answers: Any) -> Float64[np.ndarray, "questions values"]:
    """How often each question has each answer."""
    rows: Sequence[Sequence[Any]] = [list(row) for row in (answers.values if hasattr(answers, "values") else answers)]
    if len({len(row) for row in rows}) > 1:
        raise ValueError("every question needs a place for every rater: give None where one did not answer")
    values = sorted({str(x) for row in rows for x in row if not is_missing(x)})
    place = {value: i for i, value in enumerate(values)}
    counts = np.zeros((len(rows), max(len(values), 1)))
    for question, row in enumerate(rows):
        for x in row:
            if not is_missing(x):
                counts[question, place[str(x)]] += 1
    return counts
