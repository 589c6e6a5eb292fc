"""Labels in the many forms people have them in."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation.targets import in_columns_of, read_labels, read_target

NAMES = ["art", "bio", "chem"]
Y = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 0]], bool)
SETS = [np.flatnonzero(row).tolist() for row in Y]
GENERATED = ["label0", "label1", "label2"]
FORMS = {
    "array": (Y, GENERATED),
    "integers": (Y.astype(int), GENERATED),
    "floats": (Y.astype(float), GENERATED),
    "sparse": (sparse.csr_matrix(Y), GENERATED),
    "table": (pd.DataFrame(Y.astype(int), columns=NAMES), NAMES),
    "lists of 0 and 1": (Y.astype(int).tolist(), GENERATED),
    "lists of True and False": (Y.tolist(), GENERATED),
    "lists of names": ([[NAMES[k] for k in row] for row in SETS], NAMES),
    "sets of names": ([{NAMES[k] for k in row} for row in SETS], NAMES),
    "sets of numbers": ([{k + 5 for k in row} for row in SETS], [5, 6, 7]),
    "lists of numbers": (SETS, [0, 1, 2]),
    "arrays of numbers": ([np.array(row, int) for row in SETS], [0, 1, 2]),
    "sets of tuples": ([{(k, "x") for k in row} for row in SETS], [(0, "x"), (1, "x"), (2, "x")]),
    "a column of lists": (pd.Series([[NAMES[k] for k in row] for row in SETS]), NAMES),
    "names twice": ([[NAMES[k] for k in row] * 2 for row in SETS], NAMES),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    y, names = FORMS[form]
    matrix, classes = read_target(y, 4)
    np.testing.assert_array_equal(matrix.toarray(), Y)
    assert matrix.dtype == bool and classes.tolist() == names


def test_one_label_a_document():
    matrix, classes = read_target(np.array([7, 3, 7]), 3)
    assert classes.tolist() == [3, 7]
    assert matrix.toarray().tolist() == [[False, True], [True, False], [False, True]]
    assert read_target(["b", "a"], 2)[1].tolist() == ["a", "b"]


@pytest.mark.parametrize("label", ["a;b", "a, b", "<b>&amp;</b>", "日本", "ein Wort", "\u200b", "𝒦", "a\nb", ""])
def test_names_may_be_anything(label):
    assert read_target([{label}, {"x", label}], 2)[1].tolist() == sorted([label, "x"])


@pytest.mark.parametrize("y", [[[0, 1], [1, 0]], [[1], [0]], [(1,), (1,)], [np.array([0.0, 1.0])] * 2])
def test_what_can_be_read_in_two_ways_is_refused(y):
    with pytest.raises(ValueError, match=r"y can be read in two ways: y\[0\] = .* Give indicators as np.array\(y\)"):
        read_target(y, 2)
    as_indicators, as_labels = read_target(np.array(y), 2), read_target([set(row) for row in y], 2)
    np.testing.assert_array_equal(as_indicators[0].toarray(), np.array(y) == 1)
    assert as_labels[1].tolist() == sorted({x for row in y for x in row})


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ("ab", TypeError, "y must be a matrix or a list with an entry for each document"),
        ({"a": 1, "b": 2}, TypeError, "y must be a matrix or a list with an entry for each document"),
        (5, TypeError, "y must be a matrix or a list with an entry for each document"),
        ([["a"]], ValueError, r"labels are for 1 document\(s\), but the corpus has 2"),
        ([[7]], ValueError, r"labels are for 1 document\(s\), but the corpus has 2"),
        (np.eye(3), ValueError, r"labels are for 3 document\(s\), but the corpus has 2"),
        ([[None], ["a"]], TypeError, r"y\[0\] is \[None\]"),
        ([[{}], [1]], TypeError, r"y\[0\] is \[\{\}\]"),
        ([[3.0], [np.nan]], TypeError, r"y\[1\] is \[nan\]"),
        ([["a"], [1]], TypeError, "mixes labels of different kinds"),
        ([[], []], ValueError, "y has no labels at all: there is nothing to learn from"),
        (np.zeros((2, 0)), ValueError, "no labels at all"),
        (np.array([[2, 0], [0, 1]]), ValueError, "only 0 and 1"),
        (np.array([[np.nan, 0], [0, 1]]), ValueError, "only 0 and 1"),
        (np.array([[-1, 0], [0, 1]]), ValueError, "only 0 and 1"),
        (pd.DataFrame([[1, 0], [0, 1]], columns=["a", "a"]), ValueError, r"1 name\(s\) more than once, such as 'a'"),
    ],
)
def test_what_is_refused(y, error, message):
    with pytest.raises(error, match=message):
        read_target(y, 2)


def test_labels_of_a_corpus():
    corpus = Corpus.from_counts([[1, 2], [3, 0]], labels=[["b"], ["a"]])
    assert read_labels(None, corpus)[1].tolist() == ["a", "b"]
    assert read_labels([["one"], ["one"]], corpus)[1].tolist() == ["one"], "those that are given win"
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None: give indicators"):
        read_labels(None, Corpus.from_counts([[1, 2], [3, 0]]))


def test_columns_of_known_classes():
    classes = np.array(["a", "b"])
    assert read_target(np.eye(2), 2, classes)[1].tolist() == ["a", "b"]
    table = pd.DataFrame([[1, 0], [0, 1]], columns=["b", "a"])
    assert read_target(table, 2, classes)[1].tolist() == ["b", "a"], "a table has its own names"
    with pytest.raises(ValueError, match=r"y has 3 column\(s\), but the model knows 2 labels"):
        read_target(np.eye(3)[:2], 2, classes)
    empty, same = read_target([set(), []], 2, classes)
    assert empty.shape == (2, 2) and empty.nnz == 0 and same is classes


def test_other_labels_come_after_the_known_ones():
    labels, names = read_target([{"z", "b"}, {"a"}], 2)
    matrix, unknown = in_columns_of(np.array(["c", "b", "a"]), labels, names)
    assert matrix.toarray().astype(int).tolist() == [[0, 1, 0, 1], [0, 0, 1, 0]] and unknown == 1
