"""Corpora that are the same, put together, and in the forms of pandas and gensim."""

import copy
import pickle

import joblib
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from tests.simulated import assert_canonical, matrices, small


def rich(**changes):
    given = {"labels": [["pet"], ["wild", "pet"], []], "titles": ["a", "b", "c"]} | changes
    corpus = Corpus.from_texts(["cat dog cat", "shark cat", "emu"], stop_words=["the"], **given)
    return corpus.with_metadata({"year": [1984.0, np.nan, 1990.0], "author": ["x", None, "y"]})


class TestEquality:
    def test_of_equal_corpora(self):
        one, other = rich(), rich()
        one.num_tokens  # noqa: B018  # what is computed on the way makes no difference
        assert one == other and hash(one) == hash(other) and joblib.hash(one) == joblib.hash(other)
        assert len({one, other}) == 1 and not one != other

    @pytest.mark.parametrize(
        "other",
        [
            rich(titles=["a", "b", "d"]),
            rich(labels=[["pet"], ["wild"], []]),
            rich().with_metadata({"year": [1984.0, 1985.0, 1990.0], "author": ["x", None, "y"]}),
            rich().with_metadata({"year": [1984.0, np.nan, 1990.0]}),
            rich()[::-1],
            rich().select_words(["cat", "dog", "emu", "shark", "zebra"]),
            Corpus.from_counts(rich().counts, rich().vocab),
        ],
        ids=["titles", "labels", "a value", "a column", "order", "words", "bare counts"],
    )
    def test_of_others(self, other):
        assert rich() != other and joblib.hash(rich()) != joblib.hash(other)

    def test_with_something_else(self):
        assert small() != "small" and small() != small().counts.shape and small() is not None

    @given(matrices())
    def test_copies_and_forms(self, dense):
        """Wider indices and texts, flags of SciPy, and pickles: what is not content makes no difference."""
        one = Corpus.from_counts(dense)
        wide = sparse.csr_array(one.counts, copy=True)
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        other = Corpus(wide, one.vocab.astype("U50"))
        for same in (other, copy.deepcopy(other), pickle.loads(pickle.dumps(other))):
            assert same == one and hash(same) == hash(one) and joblib.hash(same) == joblib.hash(one)
        assert_canonical(pickle.loads(pickle.dumps(one)).counts)


class TestConcatenate:
    @given(matrices(), matrices())
    def test_has_all_documents_and_words(self, first, second):
        one, other = Corpus.from_counts(first), Corpus.from_counts(second)
        both = one + other
        assert_canonical(both.counts)
        np.testing.assert_array_equal(both.n_d, np.concatenate([one.n_d, other.n_d]))
        for i, part in ((0, one), (one.num_docs, other)):
            back = both[i : i + part.num_docs].select_words(part.vocab)
            np.testing.assert_array_equal(back.counts.toarray(), part.counts.toarray())

    def test_parts_of_a_corpus_give_it_again(self):
        whole = rich()
        assert Corpus.concatenate(whole[i : i + 1] for i in range(3)) == whole
        assert Corpus.concatenate([whole]) == whole

    def test_labels_titles_and_metadata_are_joined_by_name(self):
        other = Corpus.from_counts([[1, 2]], ["emu", "fox"], labels=[["wild", "rare"]])
        both = rich() + other.with_metadata({"year": [1970], "party": ["blue"]})
        assert both.vocab.tolist() == ["cat", "dog", "emu", "shark", "fox"]
        assert both.label_names.tolist() == ["pet", "wild", "rare"]
        assert both.labels.toarray().astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1]]
        assert both.titles == ("a", "b", "c", "") and both.text_options is None
        np.testing.assert_array_equal(both.metadata.year, [1984, np.nan, 1990, 1970])
        assert both.doc_columns["author"].tolist() == ["x", None, "y", None]
        assert both.doc_columns["party"].tolist() == [None, None, None, "blue"]

    def test_columns_of_different_kinds_keep_their_values(self):
        one, other = (small().with_metadata({"id": ids}) for ids in ([1, 2, 3], ["a", "b", "c"]))
        assert (one + other).doc_columns["id"].tolist() == [1, 2, 3, "a", "b", "c"]
        assert (one + one).doc_columns["id"].dtype.kind == "i"

    def test_documents_without_labels_have_none(self):
        one = Corpus.from_counts([[1]], labels=[["x"]])
        for both, expected in ((one + small(), [1, 0, 0, 0]), (small() + one, [0, 0, 0, 1])):
            assert both.labels.toarray()[:, 0].astype(int).tolist() == expected

    def test_what_cannot_be_joined_is_told(self):
        with pytest.raises(ValueError, match="there is no corpus to concatenate"):
            Corpus.concatenate([])
        with pytest.raises(TypeError, match="only corpora can be concatenated; number 1 is a list"):
            Corpus.concatenate([small(), [1, 2]])
        with pytest.raises(TypeError, match="unsupported operand"):
            small() + 3
        large = Corpus.from_counts([[2**31 - 10]])
        with pytest.raises(ValueError, match="more than the 2147483647 that 32-bit counts can hold"):
            large + large


def test_as_a_table():
    table = rich().to_pandas()
    assert table.columns.tolist() == ["document", "title", "word", "count"]
    assert table.values.tolist() == [
        [0, "a", "cat", 2],
        [0, "a", "dog", 1],
        [1, "b", "cat", 1],
        [1, "b", "shark", 1],
        [2, "c", "emu", 1],
    ]
    wide = table.pivot_table(index="document", columns="word", values="count", fill_value=0)
    np.testing.assert_array_equal(wide, rich().counts.toarray())
    joined = table.join(rich().metadata, on="document")
    assert joined.year.dropna().tolist() == [1984, 1984, 1990]


class TestGensim:
    TEXTS = ("cat dog cat".split(), [], "dog emu".split())

    def test_corpus_and_dictionary(self):
        corpora = pytest.importorskip("gensim.corpora")
        dictionary = corpora.Dictionary(self.TEXTS)
        bags = [dictionary.doc2bow(text) for text in self.TEXTS]
        corpus = Corpus.from_gensim(iter(bags), dictionary, titles=["a", "b", "c"])
        expected = Corpus.from_texts([" ".join(text) for text in self.TEXTS])
        assert corpus.titles == ("a", "b", "c")
        np.testing.assert_array_equal(corpus.select_words(expected.vocab).counts.toarray(), expected.counts.toarray())

    def test_numbers_may_have_gaps(self):
        corpus = Corpus.from_gensim([[(7, 2.0)], [(2, 1)]], {7: "b", 2: "a", 9: "c"})
        assert corpus.vocab.tolist() == ["a", "b", "c"] and corpus.counts.toarray().tolist() == [[0, 2, 0], [1, 0, 0]]

    @pytest.mark.parametrize(
        ("documents", "dictionary", "error", "message"),
        [
            ([[(0, 1)], [(5, 1)]], {0: "a", 9: "b"}, ValueError, "document 1 has word 5, but the dictionary has 2"),
            ([[(0, 0.5)]], {0: "a"}, ValueError, "not a whole number; LDA needs counts"),
            ([["cat", "dog"]], {0: "a"}, TypeError, "a list of pairs"),
            ([[(0, 1)]], {"a": 0}, TypeError, "is it the other way round"),
            ([[(0, 1)]], ["a"], TypeError, "dictionary must be a gensim Dictionary"),
        ],
    )
    def test_what_is_wrong_is_told(self, documents, dictionary, error, message):
        with pytest.raises(error, match=message):
            Corpus.from_gensim(documents, dictionary)
