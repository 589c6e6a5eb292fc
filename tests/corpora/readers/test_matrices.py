"""SVMlight and Matrix Market, as scipy, scikit-learn and gensim write them."""

import io

import numpy as np
import pytest
import scipy.io
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from jaxlda.corpora.readers import read_matrix_market, read_svmlight

SVM = "# a comment\n1 1:2 3:1 # one\n-1 qid:7 2:4.0\n+1\n\n"
MARKET = "%%MatrixMarket matrix coordinate integer general\n% a comment\n%\n3 4 4\n1 1 1\n1 3 3\n3 2 2\n3 4 10\n"
COUNTS = np.array([[1, 0, 3, 0], [0, 0, 0, 0], [0, 2, 0, 10]])


def svm(content=SVM, *args, **options):
    return read_svmlight(io.BytesIO(content.encode()), *args, **options)


def market(content=MARKET, *args, **options):
    return read_matrix_market(io.BytesIO(content.encode()), *args, **options)


def test_svmlight():
    corpus = svm()
    assert corpus.counts.toarray().tolist() == [[2, 0, 1], [0, 4, 0], [0, 0, 0]]
    assert corpus.label_names.tolist() == ["-1", "1"]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert svm("0 0:1\n0 2:1\n").counts.toarray().tolist() == [[1, 0, 0], [0, 0, 1]]  # numbered from 0, no labels
    assert svm("0 0:1\n0 2:1\n").labels is None
    assert svm("1,3 1:1\n 2:1\n", ["a", "b"]).label_names.tolist() == ["1", "3"]
    assert svm("1 1:0.5\n2 1:1\n", values="presence").num_tokens == 2
    assert svm("1 1:1\n", zero_based=True).num_words == 2


@pytest.mark.parametrize("zero_based", [True, False])
def test_scikit_learn_writes_the_same(zero_based):
    file = io.BytesIO()
    dump_svmlight_file(sparse.csr_matrix(COUNTS), [1, 2, 2], file, zero_based=zero_based)
    corpus = read_svmlight(io.BytesIO(file.getvalue()))
    np.testing.assert_array_equal(corpus.counts.toarray(), COUNTS)
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 0], [0, 1], [0, 1]]


@pytest.mark.parametrize(
    "content, message",
    [
        ("1 1:2 2\n", "line 1: expected 'label word:value word:value ...', found '2'"),
        ("1 1:x\n", "line 1: expected .* found '1:x'"),
        ("1 1:0.5\n2 1:1", r"line 1: the word 1 = 0\.5 is not a whole number"),
        ("1 1:-2\n", "line 1: the word 1 = -2 is negative"),
        ("1 1:2 1:3\n", "line 1: word 0 occurs twice"),
        ("1e99 1:2\n", "line 1: the label '1e99' is too large"),
        ("1 4194303:1\n", "has 4194303 words, more than the 524288 allowed; give a larger max_size"),
        ("1 1:300000000\n", "has 300000000 tokens, more than the 16777216 allowed; give a larger max_tokens"),
        ("", "the corpus has no documents"),
    ],
)
def test_wrong_svmlight(content, message):
    with pytest.raises(ValueError, match=message):
        svm(content)


@pytest.mark.parametrize(
    "content",
    [
        MARKET,
        MARKET.replace("integer", "real").replace("1 3 3", "1 3 3.0"),
        MARKET.replace("\n", "\r\n"),
        MARKET.replace("3 4 10", "3\t4 \t 1e1  ") + "\n",
        MARKET.replace("3 4 4", "3 4 5") + "2 2 0\n",
    ],
)
def test_matrix_market(content):
    np.testing.assert_array_equal(market(content).counts.toarray(), COUNTS)
    assert market(content, ["ant", "bee", "cat", "dog"]).vocab.tolist() == ["ant", "bee", "cat", "dog"]


def test_patterns():
    content = MARKET.replace("integer", "pattern").replace(" 1\n", "\n").replace(" 3\n", "\n", 1)
    content = content.replace("3 2 2\n", "3 2\n").replace("3 4 10\n", "3 4\n")
    np.testing.assert_array_equal(market(content).counts.toarray(), COUNTS > 0)


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_scipy_writes_the_same(dtype):
    file = io.BytesIO()
    scipy.io.mmwrite(file, sparse.coo_matrix(COUNTS.astype(dtype)))
    np.testing.assert_array_equal(read_matrix_market(io.BytesIO(file.getvalue())).counts.toarray(), COUNTS)


def test_gensim_writes_the_same(tmp_path):
    corpora = pytest.importorskip("gensim.corpora")
    texts = [["dog", "cat", "dog"], ["cat", "ant"]]
    dictionary = corpora.Dictionary(texts)
    corpora.MmCorpus.serialize(str(tmp_path / "x.mm"), [dictionary.doc2bow(text) for text in texts])
    dictionary.save_as_text(str(tmp_path / "x.dict"))
    corpus = read_matrix_market(tmp_path / "x.mm", tmp_path / "x.dict")
    counts = dict(zip(corpus.vocab.tolist(), corpus.counts.toarray().T.tolist(), strict=True))
    assert counts == {"ant": [0, 1], "cat": [1, 1], "dog": [2, 0]}


@pytest.mark.parametrize(
    "old, new, message",
    [
        (MARKET, "", "line 1: expected '%%MatrixMarket matrix coordinate integer general', found ''"),
        ("coordinate", "array", "line 1: expected '%%MatrixMarket"),
        ("general", "symmetric", "line 1: expected '%%MatrixMarket"),
        ("3 4 4", "3 4", "line 4: expected the numbers of documents, words and entries, found '3 4'"),
        ("3 4 4", "3 999999999 4", "line 4: has 999999999 words, more than the 524288 allowed"),
        ("3 4 4", "3 4 5", "has 4 entries, but line 4 announces 5; is it truncated"),
        ("1 3 3", "1 3 0.5", "line 6: the count '0.5' is not a whole number; LDA needs counts, not weights"),
        ("1 3 3", "1 3 -2", "line 6: there is no count -2"),
        ("1 3 3", "1 3 1e99", "line 6: there is no count"),
        ("1 3 3", "1 5 3", "line 6: there is no word 5: it is from 1 to 4"),
        ("1 3 3", "1 1 3", "line 6: document 1 has word 1 twice"),
        ("1 3 3", "1 3 300000000", "has 3000000.. tokens, more than the 16777216 allowed"),
    ],
)
def test_wrong_matrix_market(old, new, message):
    assert MARKET.count(old) == 1
    with pytest.raises(ValueError, match=message):
        market(MARKET.replace(old, new))


def test_words_must_fit():
    with pytest.raises(ValueError, match="line 4: announces 4 words, but vocab has 1"):
        market(MARKET, ["a"])
