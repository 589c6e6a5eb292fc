"""Predicted labels against true ones, label by label."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool

__all__ = ["label_table"]


def label_table(truth: Bool[np.ndarray, "D L"], predicted: Bool[np.ndarray, "D L"], names: Any) -> pd.DataFrame:
    r"""Precision and recall of every label: :math:`TP / (TP + FP)` and :math:`TP / (TP + FN)`.

    Parameters
    ----------
    truth, predicted
        Indicators of the same documents and labels.
    names
        Of the labels, in the order of the columns.

    Returns
    -------
    pandas.DataFrame
        Columns ``label``, ``documents`` (that have it), ``predicted`` (that were given it), ``correct``, ``precision``,
        ``recall`` and ``f1``, NaN where they are 0 / 0; the most frequent label first.

    Examples
    --------
    >>> label_table(np.array([[True, False], [True, True]]), np.array([[True, False], [False, False]]), ["a", "b"])
      label  documents  predicted  correct  precision  recall        f1
    0     a          2          1        1        1.0     0.5  0.666667
    1     b          1          0        0        NaN     0.0  0.000000
    """
    if truth.shape != predicted.shape or truth.shape[1] != len(names):
        raise ValueError(
            f"truth has shape {truth.shape}, predicted {predicted.shape} and there are {len(names)} names; expected "
            "the same documents and labels"
        )
    has, given, correct = (indicator.sum(axis=0) for indicator in (truth, predicted, truth & predicted))
    with np.errstate(invalid="ignore"):
        precision, recall, f1 = correct / given, correct / has, 2 * correct / (has + given)
    table = pd.DataFrame(
        {
            "label": [str(name) for name in names],
            "documents": has,
            "predicted": given,
            "correct": correct,
            "precision": precision,
            "recall": recall,
            "f1": f1,
        }
    )
    return table.sort_values("documents", ascending=False, kind="stable", ignore_index=True)
