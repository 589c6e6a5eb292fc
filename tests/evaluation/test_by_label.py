"""Precision and recall, label by label, held to scikit-learn."""

import numpy as np
import pytest

from jaxlda.evaluation.by_label import label_table


class TestLabels:
    truth = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]], bool)
    predicted = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0]], bool)

    def test_against_scikit_learn(self):
        from sklearn.metrics import precision_recall_fscore_support

        table = label_table(self.truth, self.predicted, ["a", "b", "c"])
        expected = precision_recall_fscore_support(self.truth, self.predicted, zero_division=np.nan)
        for name, column in zip(("precision", "recall", "f1", "documents"), expected, strict=True):
            np.testing.assert_allclose(table[name], column)
        assert table.precision.isna().tolist() == [False, False, True]

    def test_frequent_labels_come_first(self):
        truth = np.array([[0, 1], [0, 1], [1, 1]], bool)
        assert label_table(truth, truth, ["rare", "frequent"]).label.tolist() == ["frequent", "rare"]

    def test_shapes_must_agree(self):
        with pytest.raises(ValueError, match="there are 2 names; expected the same documents and labels"):
            label_table(self.truth, self.predicted, ["a", "b"])
