"""New texts are read as those that the model was fitted to."""

import warnings

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

import jaxlda
from jaxlda import LDA, Corpus
from jaxlda.models import CorpusVectorizer
from tests.models.toy import toy

TEXTS = ["the old cat sat on the mat", "the new dog ran in the park", "old cat and new dog"] * 3
READING = {"stop_words": "english", "ngram_range": (1, 2), "min_df": 2}
TOY = {"kernel": "toy", "num_warmup": 1, "num_samples": 1, "num_chains": 1, "trace_every": 0, "progress": False}
SOME = {"num_warmup": 1, "num_samples": 1, "num_chains": 1}
pytestmark = pytest.mark.usefixtures("named")


def fitted(texts=TEXTS, **reading):
    return LDA(2, **TOY).fit(Corpus.from_texts(texts, **reading))


def tokenized(text):
    return text.split()


@pytest.mark.parametrize("saved", [None, "full", "topics"])
def test_stop_words_and_bigrams_are_those_of_the_training(saved, path):
    model = fitted(**READING)
    assert "old cat" in model.vocab_.tolist() and model.text_options_ == {
        "stop_words": "english",
        "ngram_range": (1, 2),
    }
    if saved is not None:
        model.save(path, only="topics" if saved == "topics" else None)
        model = jaxlda.load(path)
    new = ["The OLD cat, and the other old cat", "a new dog"]
    expected = Corpus.from_texts(new, stop_words="english", ngram_range=(1, 2), vocabulary=model.vocab_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # stop words and unknown bigrams are not worth a word
        np.testing.assert_array_equal(model.transform(new, **SOME), model.transform(expected, **SOME))
    assert expected.counts.toarray()[0, model.vocab_.tolist().index("old cat")] == 2


def test_unknown_words_are_told_apart_from_stop_words():
    model = fitted(**READING)
    with pytest.warns(UserWarning, match=r"dropped 1 of 2 tokens: 1 word\(s\), such as 'zebra', are not in the voc"):
        model.transform(["cat and the zebra"], **SOME)
    plain = Corpus.from_texts(["the old zebra and the cat"])  # read without stop words: the model knows which they are
    with pytest.warns(UserWarning, match=r"dropped 1 of 3 tokens: 1 word\(s\), such as 'zebra'"):
        model.transform(plain, **SOME)


def test_a_text_without_known_words_is_an_empty_document():
    model = fitted(**READING)
    alone = model.transform(["", "the and of"], **SOME)
    np.testing.assert_allclose(alone, 0.5, rtol=1e-6)
    with pytest.warns(UserWarning, match="zebra"):
        np.testing.assert_allclose(model.transform(["zebra", "old cat"], **SOME)[0], 0.5, rtol=1e-6)


def test_functions_are_not_stored(path):
    model = fitted(tokenizer=tokenized, token_pattern=None, lowercase=False)
    model.transform(["old cat"], **SOME)
    with pytest.warns(UserWarning, match=r"does not hold the functions that texts were read with \(tokenizer\)"):
        model.save(path)
    loaded = jaxlda.load(path)
    with pytest.raises(TypeError, match=r"read with functions that its file does not hold \(tokenizer\)"):
        loaded.transform(["old cat"], **SOME)
    np.testing.assert_array_equal(loaded.transform(Corpus.from_texts(["old cat"]), **SOME).shape, (1, 2))


def test_a_model_of_counts_does_not_know():
    model = LDA(2, **TOY).fit(np.eye(4, dtype=int) + 1)
    with pytest.raises(TypeError, match="because it was fitted to counts"):
        model.transform(["old cat"])


def test_fitting_again_forgets():
    model = fitted(stop_words="english")
    assert model.fit(np.eye(4, dtype=int) + 1).text_options_ is None


def test_options_stay_with_parts_of_a_corpus():
    corpus = Corpus.from_texts(TEXTS, stop_words=["and", "the"], lowercase=False)
    for part in (corpus.subset([0, 1]), corpus.split()[0], corpus.halves()[1], corpus.select_words(corpus.vocab[::-1])):
        assert part.text_options == {"stop_words": ["and", "the"], "lowercase": False}
    assert Corpus.from_counts([[1, 2]]).text_options is None and Corpus.from_texts(TEXTS).text_options == {}


def test_a_pipeline_knows_the_words(path):
    """Of scikit-learn's own vectoriser on request, of ours by itself."""
    plain = make_pipeline(CountVectorizer(stop_words="english"), LDA(2, **TOY)).fit(TEXTS)
    plain[-1].set_words(plain[:-1].get_feature_names_out())
    assert "cat" in plain[-1].top_words(9)[0] + plain[-1].top_words(9)[1]
    with pytest.raises(ValueError, match=r"words has 2 name\(s\), but there are"):
        plain[-1].set_words(["a", "b"])
    ours = make_pipeline(CorpusVectorizer(stop_words="english"), LDA(2, **TOY)).fit(TEXTS)
    np.testing.assert_array_equal(ours[-1].vocab_, plain[-1].vocab_)
    np.testing.assert_array_equal(ours.transform(TEXTS[:2]), plain.transform(TEXTS[:2]))
    ours[-1].save(path)
    np.testing.assert_array_equal(jaxlda.load(path).transform(TEXTS[:2]), ours.transform(TEXTS[:2]))
    assert ours[-1].run_.algorithm == toy()
    words = plain[-1].vocab_.astype(object)
    given = make_pipeline(CorpusVectorizer(vocabulary=words), LDA(2, **TOY)).fit(TEXTS)
    np.testing.assert_array_equal(given[-1].vocab_, words)


@pytest.mark.parametrize("saved", [False, True])
def test_phrases_and_languages_are_read_again(saved, path):
    texts = ["der alte Hafen von New York", "New York und der Hafen", "ein Hafen in New York"] * 3
    reading = {"stop_words": "german", "token_pattern": "letters", "phrases": {"min_count": 3, "threshold": 0.3}}
    model = fitted(texts, **reading)
    assert "new_york" in model.vocab_.tolist() and "new" not in model.vocab_.tolist()
    if saved:
        model.save(path)
        model = jaxlda.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = ["der Hafen New York"]
        expected = Corpus.from_counts([[0, 1, 1]], ["alte", "hafen", "new_york"]).select_words(model.vocab_)
        np.testing.assert_array_equal(model.transform(texts, **SOME), model.transform(expected, **SOME))


def test_missing_texts_and_generators_are_transformed():
    import pandas as pd

    model = fitted()
    with pytest.warns(UserWarning, match="1 of 2 texts are missing"):
        theta = model.transform(pd.Series([None, "old cat"]), **SOME)
    np.testing.assert_allclose(theta[0], 0.5, rtol=1e-6)
    np.testing.assert_array_equal(theta[1:], model.transform((text for text in ["old cat"]), **SOME))


def test_a_vectorizer_joins_phrases_too():
    from sklearn.base import clone

    vectorizer = clone(CorpusVectorizer(phrases={"min_count": 3, "threshold": 0.1}, stop_words=["the"]))
    corpus = vectorizer.fit_transform(TEXTS)
    assert "old_cat" in corpus.vocab.tolist() and corpus == Corpus.from_texts(
        TEXTS, phrases={"min_count": 3, "threshold": 0.1}, stop_words=["the"]
    )
    assert vectorizer.transform(["the old cat"]).tokens_of(0) == ["old_cat"]
