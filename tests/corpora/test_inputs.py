"""How corpora are made: from matrices, tables, texts and labels; and what every wrong input is told."""

import hypothesis.strategies as st
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from tests.simulated import assert_canonical, matrices, small

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]


# ---------------------------------------------------------------------------------------------------------- from_counts


@given(matrices(), st.sampled_from(FORMATS), st.sampled_from([np.int32, np.uint8, np.uint64, np.float32, np.float64]))
def test_every_sparse_format_and_dtype_is_the_same_corpus(dense, form, dtype):
    corpus = Corpus.from_counts(sparse.coo_array(dense.astype(dtype)).asformat(form))
    assert_canonical(corpus.counts)
    np.testing.assert_array_equal(corpus.counts.toarray(), dense)
    assert (corpus.num_docs, corpus.num_words, corpus.num_tokens) == (*dense.shape, dense.sum())
    assert len(corpus) == dense.shape[0]
    np.testing.assert_array_equal(corpus.n_d, dense.sum(axis=1))
    assert corpus.n_d.dtype == np.int32


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1), st.booleans())
def test_unsorted_duplicated_and_zero_entries_add_up(entries, compressed):
    d, v, n = np.array(entries).T
    expected = np.zeros((4, 5), int)
    np.add.at(expected, (d, v), n)
    if not expected.any():
        return
    order = np.argsort(d, kind="stable")
    indptr = np.searchsorted(d[order], np.arange(5))
    csr = sparse.csr_array((n[order], v[order], indptr), shape=(4, 5))
    given_matrix = csr if compressed else sparse.coo_array((n, (d, v)), shape=(4, 5))
    corpus = Corpus.from_counts(given_matrix)
    assert_canonical(corpus.counts)
    np.testing.assert_array_equal(corpus.counts.toarray(), expected)


def test_the_matrix_of_the_caller_is_neither_changed_nor_shared():
    data, indices = np.array([1, 0, 2, 5], np.int32), np.array([2, 1, 0, 2], np.int32)
    given_matrix = sparse.csr_array((data, indices, np.array([0, 4], np.int32)), shape=(1, 3))
    corpus = Corpus.from_counts(given_matrix)
    assert data.tolist() == [1, 0, 2, 5] and indices.tolist() == [2, 1, 0, 2]
    clean = np.array([[1, 2]], np.int32)
    for x in (sparse.csr_array(clean), sparse.csc_array(clean)):
        made = Corpus.from_counts(x)
        assert not np.shares_memory(made.counts.data, x.data) and not np.shares_memory(made.counts.indices, x.indices)
    assert corpus.counts.toarray().tolist() == [[2, 0, 6]]


def test_small_integers_do_not_overflow_when_duplicates_are_added():
    coo = sparse.coo_array((np.full(3, 200, np.uint8), ([0, 0, 0], [1, 1, 1])), shape=(1, 2))
    assert Corpus.from_counts(coo).counts.toarray().tolist() == [[0, 600]]


@pytest.mark.parametrize(
    "counts",
    [
        [[1, 2], [0, 3]],
        np.array([[1.0, 2.0], [0.0, 3.0]]),
        np.array([[1, 2], [0, 3]], dtype=object),
        np.array([[1, 2], [0, 3]]).view(np.matrix),
        jnp.array([[1, 2], [0, 3]]),
        sparse.csr_matrix([[1, 2], [0, 3]]),
    ],
)
def test_dense_inputs(counts):
    assert Corpus.from_counts(counts).counts.toarray().tolist() == [[1, 2], [0, 3]]


def test_booleans_count_once():
    assert Corpus.from_counts(np.array([[True, False, True]])).num_tokens == 2


def test_tables_bring_their_words():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"cat": [1, 0], "dog": [2, 3]}, index=["x", "y"])
    assert Corpus.from_counts(table).vocab.tolist() == ["cat", "dog"]
    assert Corpus.from_counts(table, ["u", "v"]).vocab.tolist() == ["u", "v"]
    assert Corpus.from_counts(pd.DataFrame([[1, 2]])).vocab.tolist() == ["w0", "w1"]
    labels = pd.DataFrame({"sport": [1, 0], "news": [1, 1]})
    corpus = Corpus.from_counts(table, labels=labels)
    assert corpus.label_names.tolist() == ["sport", "news"] and corpus.labels.toarray().tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    "value, message",
    [
        (-2, r"row 1, column 2 = -2.*negative"),
        (0.5, r"row 1, column 2 = 0\.5 is not a whole number.*tf-idf"),
        (np.nan, r"row 1, column 2 = nan is NaN"),
        (np.inf, r"row 1, column 2 = inf is infinite"),
        (-np.inf, r"row 1, column 2 = -inf is infinite"),
        (2**31, r"row 1, column 2 = 2147483648.* above the largest"),
    ],
)
@pytest.mark.parametrize("form", ["dense", "csr", "csc"])
def test_wrong_counts_are_named(value, message, form):
    counts = np.array([[1, 0, 2], [0, 0, value]])
    with pytest.raises(ValueError, match=message):
        Corpus.from_counts(counts if form == "dense" else sparse.coo_array(counts).asformat(form))


def test_huge_unsigned_counts_are_not_taken_for_negative_ones():
    with pytest.raises(ValueError, match="above the largest"):
        Corpus.from_counts(np.array([[2**64 - 1]], dtype=np.uint64))


@pytest.mark.parametrize(
    "counts, error, message",
    [
        (np.zeros((0, 3)), ValueError, "no documents"),
        (np.zeros((2, 3)), ValueError, r"no tokens.*2 document"),
        (np.zeros((2, 0)), ValueError, "no tokens"),
        ([1, 2], ValueError, r"row for each document; got shape \(2,\)"),
        (5, ValueError, r"got shape \(\)"),
        (np.ones((2, 2, 2)), ValueError, "got shape"),
        (sparse.coo_array([1, 2]), ValueError, r"got shape \(2,\)"),
        ([[1, 2], [3]], TypeError, "matrix of numbers with a row"),
        (["a text"], TypeError, "from_texts"),
        (np.array([["1"]], dtype=object), None, None),
        (np.array([["x"]], dtype=object), TypeError, "matrix of numbers"),
        ([[1j]], TypeError, "not of complex128"),
        (np.full((1, 2), 2**31 - 1), ValueError, "has 4294967294 tokens"),
    ],
)
def test_what_is_no_count_matrix(counts, error, message):
    if error is None:
        assert Corpus.from_counts(counts).num_tokens == 1
        return
    with pytest.raises(error, match=message):
        Corpus.from_counts(counts)


def test_a_broken_sparse_matrix_raises_instead_of_crashing():
    for form in (sparse.csr_array, sparse.csc_array):
        x = form(np.eye(3))
        x.indices[0] = 1000
        with pytest.raises(ValueError, match="indices"):
            Corpus.from_counts(x)


@pytest.mark.parametrize(
    "vocab, error, message",
    [
        (["a", "b"], ValueError, r"vocab has 2 name\(s\), but there are 3 columns"),
        (["a", "b", "a"], ValueError, r"more than once, such as 'a' in columns 0, 2"),
        ("abc", TypeError, "not a str"),
        ({"a": 0, "b": 1, "c": 2}, TypeError, "not a dict.*sorted"),
        ({"a", "b", "c"}, TypeError, "not a set"),
        (["a", 7, "c"], TypeError, r"vocab\[1\] is 7 \(int\), not a string"),
    ],
)
def test_wrong_vocabularies(vocab, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_counts([[1, 2, 3]], vocab)


@pytest.mark.parametrize("vocab", [("é", "b", "c"), np.array(["é", "b", "c"]), np.array(["é", "b", "c"], dtype=object)])
def test_vocabularies_become_unicode_arrays(vocab):
    corpus = Corpus.from_counts([[1, 2, 3]], vocab)
    assert corpus.vocab.dtype.kind == "U" and corpus.vocab.tolist() == ["é", "b", "c"]


def test_titles():
    assert small(titles=["x", "y", "z"]).titles == ("x", "y", "z")
    assert small().titles is None
    with pytest.raises(ValueError, match="titles has 2 entries, but the corpus has 3"):
        small(titles=["x", "y"])
    with pytest.raises(TypeError, match="not a single string"):
        small(titles="xyz")
    with pytest.raises(TypeError, match=r"titles\[1\] is None"):
        small(titles=["x", None, "z"])


# --------------------------------------------------------------------------------------------------------------- labels

INDICATORS = [[1, 0], [0, 0], [1, 1]]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(INDICATORS),
        np.array(INDICATORS, dtype=bool),
        np.array(INDICATORS, dtype=float),
        sparse.csc_array(INDICATORS),
        sparse.coo_array(np.array(INDICATORS, dtype=bool)),
    ],
)
def test_labels_as_a_matrix(labels):
    corpus = small(labels=labels)
    assert_canonical(corpus.labels, np.bool_)
    assert corpus.labels.toarray().tolist() == [[True, False], [False, False], [True, True]]
    assert corpus.label_names.tolist() == ["label0", "label1"]
    assert small(labels=labels, label_names=["x", "y"]).label_names.tolist() == ["x", "y"]


@pytest.mark.parametrize("kind", [set, list, tuple, frozenset, np.array, lambda names: list(names) * 2])
def test_labels_as_names(kind):
    labels = [kind(["sport"]), kind([]), kind(["sport", "art"])]
    corpus = small(labels=labels)
    assert corpus.label_names.tolist() == ["art", "sport"]
    assert_canonical(corpus.labels, np.bool_)
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1], [0, 0], [1, 1]]
    ordered = small(labels=labels, label_names=iter(["sport", "rare", "art"]))
    assert ordered.label_names.tolist() == ["sport", "rare", "art"]
    assert_canonical(ordered.labels, np.bool_)
    assert ordered.labels.toarray().astype(int).tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 1]]


@pytest.mark.parametrize("labels", [["y", "x", "y"], np.array(["y", "x", "y"]), ["y", {"x"}, ["y"]]])
def test_one_name_is_one_label(labels):
    assert small(labels=labels).labels.toarray().astype(int).tolist() == [[0, 1], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    "labels, label_names, error, message",
    [
        (None, ["x"], ValueError, "label_names needs labels"),
        (np.array([[1, 0], [0, 2], [1, 1]]), None, ValueError, "labels at row 1, column 1 = 2; .* only 0 and 1"),
        (np.ones((2, 2)), None, ValueError, r"labels are for 2 document\(s\), but the corpus has 3"),
        ([["x"]], None, ValueError, r"labels are for 1 document\(s\), but the corpus has 3"),
        (np.ones((3, 2)), ["x"], ValueError, r"label_names has 1 name\(s\), but there are 2"),
        (np.ones((3, 2)), ["x", "x"], ValueError, "label_names has 1 name.* more than once"),
        (np.ones((3, 0)), None, ValueError, "no labels at all"),
        ([[], [], []], None, ValueError, "no labels at all"),
        ([["x"], [], ["y"]], ["x"], ValueError, r"labels\[2\] has 'y', which is not among the 1"),
        ([[1, 0], [0, 0], [1, 1]], None, TypeError, r"labels\[0\] is \[1, 0\]; .* matrix of 0 and 1"),
        ([["x"], None, []], None, TypeError, r"labels\[1\] is None; .* \[\] if it has none"),
        (np.array([0, 1, 0]), None, TypeError, r"labels\[0\] is .* matrix of 0 and 1"),
        ("xyz", None, TypeError, "a list with an entry for each document, not 'xyz'"),
        ({"x": 1}, None, TypeError, "a list with an entry for each document"),
        (7, None, TypeError, "a list with an entry for each document, not 7"),
        (np.array([["x"], ["y"], ["z"]]), None, TypeError, "labels must be a matrix of numbers"),
    ],
)
def test_wrong_labels(labels, label_names, error, message):
    with pytest.raises(error, match=message):
        small(labels=labels, label_names=label_names)


# ----------------------------------------------------------------------------------------------------------- from_texts

TEXTS = ["The cat sat.", "", "A dog, a dog and a cat!"]


def test_texts_with_labels_and_titles():
    corpus = Corpus.from_texts(TEXTS, titles=["x", "y", "z"], labels=[["p"], [], ["q"]], label_names=["q", "p"])
    assert corpus.vocab.tolist() == ["and", "cat", "dog", "sat", "the"] and corpus.vocab.dtype.kind == "U"
    assert corpus.counts.toarray().tolist() == [[0, 1, 0, 1, 1], [0, 0, 0, 0, 0], [1, 1, 2, 0, 0]]
    assert_canonical(corpus.counts)
    assert corpus.titles == ("x", "y", "z") and corpus.label_names.tolist() == ["q", "p"]


@pytest.mark.parametrize(
    "options, vocab",
    [
        ({"min_df": 2}, ["cat"]),
        ({"stop_words": ["the", "and"]}, ["cat", "dog", "sat"]),
        ({"token_pattern": r"\b\w\b"}, ["a"]),
        ({"ngram_range": (2, 2), "stop_words": "english"}, ["cat sat", "dog cat", "dog dog"]),
        ({"lowercase": False, "max_features": 1}, ["dog"]),
        ({"vocabulary": np.array(["dog", "zebra", "cat"])}, ["dog", "zebra", "cat"]),
        ({"dtype": np.float32, "binary": True}, ["and", "cat", "dog", "sat", "the"]),
    ],
)
def test_every_option_reaches_the_vectorizer(options, vocab):
    assert Corpus.from_texts(TEXTS, **options).vocab.tolist() == vocab


def test_texts_of_other_kinds():
    assert Corpus.from_texts(text for text in TEXTS).num_docs == 3
    assert Corpus.from_texts(np.array(TEXTS)).num_docs == 3
    assert Corpus.from_texts([b"caf\xc3\xa9 au lait"]).vocab.tolist() == ["au", "café", "lait"]
    assert Corpus.from_texts([["New York", "a"], []], analyzer=list).vocab.tolist() == ["New York", "a"]
    upper = Corpus.from_texts([("x", "Two Words")], preprocessor=lambda pair: pair[1])
    assert upper.vocab.tolist() == ["Two", "Words"]
    pd = pytest.importorskip("pandas")
    assert Corpus.from_texts(pd.Series(TEXTS, index=[7, 8, 9])).num_docs == 3


def test_texts_from_files(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("some words")
    assert Corpus.from_texts([str(path)], input="filename").vocab.tolist() == ["some", "words"]
    with path.open() as stream:
        assert Corpus.from_texts([stream], input="file").vocab.tolist() == ["some", "words"]


@pytest.mark.parametrize(
    "texts, options, error, message",
    [
        ("one text", {}, TypeError, r"wrap a single text as \[text\]"),
        (b"one text", {}, TypeError, r"wrap a single text"),
        (7, {}, TypeError, "a string for each document, not a int"),
        ({"a": "text"}, {}, TypeError, "a string for each document, not a dict"),
        (np.ones((2, 2)), {}, TypeError, "use Corpus.from_counts"),
        ([], {}, ValueError, "no documents"),
        (["fine", 7], {}, TypeError, r"texts\[1\] is 7 .*not a string"),
        ([["two", "words"]], {}, TypeError, r"texts\[0\] is \['two', 'words'\] \(list\).*analyzer=list"),
        (["a b c"], {}, ValueError, "no words are left in the 1 text.*the defaults.*token_pattern"),
        (["the and"], {"stop_words": "english"}, ValueError, "no words are left.*stop_words is 'english'"),
        (["cat", "dog"], {"min_df": 2}, ValueError, "no words are left in the 2 text.*min_df"),
        (["cat"], {"vocabulary": ["dog"]}, ValueError, "no words are left"),
        (["cat", "dog"], {"min_df": 5}, ValueError, "max_df"),
        (["cat"], {"no_such_option": 1}, TypeError, "no_such_option"),
    ],
)
def test_wrong_texts(texts, options, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_texts(texts, **options)


def test_titles_that_are_no_unicode_are_written_out():
    """As those of files whose names are in another encoding."""
    assert Corpus.from_counts([[1], [1]], titles=["caf\udce9", "café"]).titles == ("caf\\udce9", "café")


def test_a_word_that_is_far_too_long_is_told():
    """In NumPy every word takes as much room as the longest: a line of encoded data made a corpus of gigabytes."""
    texts = [f"{a}{b}{c}" for a in "abcdefghijkl" for b in "abcdefghijkl" for c in "abcdefghijkl"]
    with pytest.raises(
        ValueError, match=r"the words need 1\.4 GB .* 'xxxxxxxxxxxxxxxxxxxx'\.\.\., has 200,000 char.* min_df=2"
    ):
        Corpus.from_texts([*texts, "x" * 200_000])
    assert Corpus.from_texts([*texts * 2, "x" * 200_000], min_df=2).num_words == len(texts)
    pattern = r"\b\w{2,50}\b"
    assert Corpus.from_texts([*texts, "x" * 200_000], token_pattern=pattern).num_words == len(texts)
    with pytest.raises(ValueError, match=r"vocab need 1\.4 GB"):
        Corpus.from_counts(sparse.eye_array(len(texts) + 1), [*texts, "x" * 200_000])
