"""The Extreme Classification format and scikit-learn's matrices."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, make_multilabel_classification

from jaxlda.corpora.readers import from_multilabel, read_extreme
from tests.corpora.readers.files import write

FILE = "4 3 5\n4,0 0:2 2:1\n 1:5.0\n2\n3 2:1e1 0:1\n"


@pytest.fixture
def read(tmp_path):
    return lambda content=FILE, **options: read_extreme(write(tmp_path / "x.txt", content), **options)


@pytest.mark.parametrize(
    "content", [FILE, FILE.rstrip(), FILE.replace("\n", "\r\n"), FILE.replace("\n 1:5", "\n1:5"), FILE + "\n"]
)
def test_documents_with_and_without_labels(read, content):
    corpus = read(content)
    assert corpus.counts.toarray().tolist() == [[2, 0, 1], [0, 5, 0], [0, 0, 0], [1, 0, 10]]
    assert [row.nonzero()[0].tolist() for row in corpus.labels.toarray()] == [[0, 4], [], [2], [3]]
    assert corpus.vocab.tolist() == ["w0", "w1", "w2"] and corpus.label_names[4] == "label4"


def test_names_and_presence(read):
    corpus = read(FILE.replace("0:2", "0:0.125"), vocab=["a", "b", "c"], label_names=list("vwxyz"), values="presence")
    assert corpus.counts.toarray().tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 1]]
    assert corpus.vocab.tolist() == ["a", "b", "c"] and corpus.label_names.tolist() == list("vwxyz")


@pytest.mark.parametrize(
    "old, new, message",
    [
        (FILE, "", r"x\.txt, line 1: expected the numbers of documents, words and labels, found ''"),
        ("4 3 5", "4 3", "line 1: expected the numbers of documents, words and labels, found '4 3'"),
        ("4 3 5", "4 x 5", "line 1: expected the numbers"),
        (
            "4 3 5",
            "4 3 999999999",
            "line 1: has 999999999 labels, more than the 524288 allowed; give a larger max_size",
        ),
        ("4 3 5", "4 999999999 5", "line 1: has 999999999 words, more than the 524288 allowed"),
        ("4 3 5", "5 3 5", r"has 4 document\(s\), but line 1 announces 5; is it truncated"),
        ("3 2:1e1 0:1\n", "", r"has 3 document\(s\), but line 1 announces 4"),
        ("0:2", "0:x", "line 2: expected 'label,label word:value ...', found '4,0'"),
        (" 1:5.0", " 1:5.0x", r"line 3: expected .* found '1:5\.0x'"),
        (" 1:5.0", " 1:", "line 3: expected .* found '1:'"),
        (" 1:5.0", " 1:0.5", r"line 3: the word 1 = 0\.5 is not a whole number"),
        (" 1:5.0", " 1:-5", "line 3: the word 1 = -5 is negative"),
        (" 1:5.0", " 3:5", "line 3: there is no word 3: the 3 are numbered from 0 to 2"),
        (" 1:5.0", " 1:5 1:5", "line 3: word 1 occurs twice"),
        ("4,0", "4,4", "line 2: label 4 occurs twice"),
        ("4,0", "4,5", "line 2: there is no label 5: the 5 are"),
        ("4,0", "4,-1", "line 2: expected"),
        ("4,0", "99999999999,0", "line 2: expected"),
    ],
)
def test_wrong_files(read, old, new, message):
    assert FILE.count(old) == 1
    with pytest.raises(ValueError, match=message):
        read(FILE.replace(old, new))


def test_names_must_fit(read):
    with pytest.raises(ValueError, match=r"x\.txt: vocab has 2 name\(s\), but there are 3 columns"):
        read(vocab=["a", "b"])


def test_scikit_learns_own_data(tmp_path):
    X, Y = make_multilabel_classification(n_samples=20, n_features=10, n_classes=4, random_state=0)
    corpus = from_multilabel(X, Y)
    np.testing.assert_array_equal(corpus.counts.toarray(), X)
    np.testing.assert_array_equal(corpus.labels.toarray(), Y)
    dump_svmlight_file(X, sparse.csr_matrix(Y), str(tmp_path / "x.svm"), multilabel=True)
    again = from_multilabel(*load_svmlight_file(str(tmp_path / "x.svm"), multilabel=True))
    np.testing.assert_array_equal(again.labels.toarray(), Y)
    assert again.label_names.tolist() == ["0", "1", "2", "3"]


def test_sets_of_labels():
    X = np.eye(3)
    corpus = from_multilabel(X, [{"b"}, ["a", "b"], "c"], vocab=["x", "y", "z"])
    assert corpus.label_names.tolist() == ["a", "b", "c"] and corpus.vocab.tolist() == ["x", "y", "z"]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    ordered = from_multilabel(X, [(10,), (2,), (np.int64(2), 10.0)], label_names=[10, 2, 5])
    assert ordered.label_names.tolist() == ["10", "2", "5"]
    assert ordered.labels.toarray().astype(int).tolist() == [[1, 0, 0], [0, 1, 0], [1, 1, 0]]
    halves = from_multilabel(X, [(0.5,), (1,), ()])
    assert halves.label_names.tolist() == ["0.5", "1"]


@pytest.mark.parametrize(
    "Y, error, message",
    [
        ([(1,), ("a",), ()], TypeError, "all numbers or all strings"),
        ([(1,), (None,), ()], TypeError, "all numbers or all strings"),
        ([(None,), (None,), ()], TypeError, "a label is a string or a number; got None"),
        ([(1,), (2,)], ValueError, r"labels are for 2 document\(s\), but the corpus has 3"),
        ([[float("nan")], [], []], TypeError, "a label is a string or a number; got nan"),
        (np.full((3, 2), 2), ValueError, "labels at row 0, column 0 = 2"),
    ],
)
def test_wrong_labels(Y, error, message):
    with pytest.raises(error, match=message):
        from_multilabel(np.eye(3), Y)
