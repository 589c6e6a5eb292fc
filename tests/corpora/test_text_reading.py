"""Texts: their order, what is left out of them, missing ones, stop words, patterns and phrases."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from jaxlda import Corpus
from jaxlda.corpora import phrases, stop_words, tokenizing
from jaxlda.corpora.texts import as_stop_words
from jaxlda.corpora.written import Written, packed, unpacked

TEXTS = ["The cat saw the dog.", "", "A dog, a cat and a big dog!", "the bird"]

# --------------------------------------------------------------------------------------------------------------- order


def test_tokens_and_texts_are_as_written():
    corpus = Corpus.from_texts(TEXTS, stop_words=["the"])
    assert corpus.tokens_of(0) == ["cat", "saw", "dog"] and corpus.tokens_of(1) == []
    assert corpus.tokens_of(-2) == ["dog", "cat", "and", "big", "dog"]
    assert corpus.texts == tuple(TEXTS) and corpus.texts[0] is TEXTS[0]  # not a copy
    assert corpus.written.order.dtype == np.uint16
    with pytest.raises(IndexError, match="document 4 does not exist"):
        corpus.tokens_of(4)


@pytest.mark.parametrize(
    "options", [{}, {"min_df": 2}, {"ngram_range": (2, 2)}, {"analyzer": "char", "ngram_range": (2, 2)}]
)
def test_the_order_is_a_permutation_of_the_bag(options):
    corpus = Corpus.from_texts(TEXTS, **options)
    for d in range(corpus.num_docs):
        row = corpus.counts[[d]].toarray()[0]
        assert sorted(corpus.tokens_of(d)) == sorted(np.repeat(corpus.vocab, row).tolist())
    plain = CountVectorizer(**options)
    np.testing.assert_array_equal(corpus.counts.toarray(), plain.fit_transform(TEXTS).toarray())
    assert corpus.vocab.tolist() == plain.get_feature_names_out().tolist()


def test_the_order_stays_with_documents_and_words():
    corpus = Corpus.from_texts(TEXTS)
    some = corpus.subset([2, 0, 2])
    assert some.tokens_of(0) == some.tokens_of(2) == corpus.tokens_of(2) and some.texts[1] == TEXTS[0]
    with pytest.warns(UserWarning, match="dropped"):
        known = corpus.select_words(["zebra", "dog", "cat"])
    assert known.tokens_of(2) == ["dog", "cat", "dog"]
    both = corpus + Corpus.from_texts(["zebra cat zebra"])
    assert both.tokens_of(4) == ["zebra", "cat", "zebra"] and both.tokens_of(2) == corpus.tokens_of(2)
    assert both.texts[4] == "zebra cat zebra"
    assert (corpus + Corpus.from_counts([[1]])).written is None
    assert all(half.written is None for half in corpus.halves())
    assert pickle.loads(pickle.dumps(corpus)) == corpus
    assert corpus != Corpus.from_texts(TEXTS, keep_texts=False)


def test_what_is_not_kept():
    bare = Corpus.from_texts(TEXTS, keep_order=False, keep_texts=False)
    assert bare.texts is None and bare.tokens_of(0) == ["cat", "dog", "saw", "the", "the"]
    for options in ({"binary": True}, {"ngram_range": (1, 2)}):
        assert Corpus.from_texts(TEXTS, **options).written.order is None
    assert Corpus.from_texts([["b", "a"]], analyzer=list).tokens_of(0) == ["b", "a"]


def test_large_vocabularies_take_four_bytes():
    words = [f"w{i}" for i in range((1 << 16) + 1)]
    corpus = Corpus.from_texts([" ".join(reversed(words))])
    assert corpus.written.order.dtype == np.int32 and corpus.tokens_of(0)[:2] == words[:-3:-1]
    with pytest.warns(UserWarning):
        assert corpus.select_words(words[:9]).written.order.dtype == np.uint16


def test_files_hold_order_and_texts_that_belong_together():
    corpus = Corpus.from_texts(TEXTS)
    whole = packed(corpus.written)
    again = unpacked(whole, corpus.n_d, corpus.num_words)
    assert again.texts == corpus.texts and again.order.tolist() == corpus.written.order.tolist()
    assert packed(Written()) is None and unpacked(None, corpus.n_d, 1) is None
    for changed in (
        {"order": whole["order"][1:]},
        {"order": whole["order"] + 100},
        {"order": whole["order"].astype(float)},
        {"ends": whole["ends"][1:]},
        {"ends": whole["ends"][::-1]},
        {"ends": None},
        {"texts": whole["texts"][1:]},
        {"texts": "abc"},
    ):
        with pytest.raises(ValueError, match="written_ is not the order and the texts of its documents"):
            unpacked(whole | changed, corpus.n_d, corpus.num_words)


# ------------------------------------------------------------------------------------------------- what is left out


def test_missing_texts_are_empty_documents():
    column = pd.Series(["a cat", None, float("nan"), pd.NA, "a dog"], index=list("abcde"), dtype=object)
    with pytest.warns(UserWarning, match=r"3 of 5 texts are missing, the first being texts\[1\]: they become empty"):
        corpus = Corpus.from_texts(column)
    assert corpus.n_d.tolist() == [1, 0, 0, 0, 1] and corpus.summary().missing_texts == 3
    assert Corpus.from_texts(text for text in TEXTS) == Corpus.from_texts(TEXTS)


def test_a_summary_says_what_was_removed():
    texts = ["the cat cat", "the dog", "the cat emu", "the fox"]
    corpus = Corpus.from_texts(texts, stop_words=["the"], min_df=2).with_metadata({"year": [1, 2, 3, 4]})
    summary = corpus.summary()
    assert [tuple(row) for row in summary.removed] == [
        ("stop words", 1, 4, ("the",)),
        ("in fewer than 2 texts", 3, 3, ("dog", "emu", "fox")),
    ]
    assert (summary.empty_documents, summary.words, summary.tokens, summary.columns) == (2, 1, 3, ("year",))
    assert summary.removed_table.tokens.sum() + summary.tokens == 10  # nothing is lost unseen
    assert summary.table["tokens"] == 3 and "in fewer than 2 texts (dog, emu, fox)" in str(summary)
    common = Corpus.from_texts(texts, max_df=0.5, max_features=1).summary().removed
    assert [row.reason for row in common] == ["in more than 2 texts", "beyond the 1 most frequent"]
    (known,) = Corpus.from_texts(texts, vocabulary=["cat"]).summary().removed
    assert known.reason == "not in the vocabulary" and known.tokens == 7


# --------------------------------------------------------------------------------------------- stop words and patterns


def test_stop_words_of_languages():
    assert len(stop_words.languages()) >= 50
    assert all(len(stop_words.stop_words(code)) > 10 for code in stop_words.languages())
    german = Corpus.from_texts(["die Katze und der Hund"], stop_words="german")
    assert german.vocab.tolist() == ["hund", "katze"] and german.text_options == {"stop_words": "german"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # words with apostrophes are taken apart as texts are
        both = Corpus.from_texts(["aujourd'hui le chat and the cat"], stop_words="fr+en")
    assert both.vocab.tolist() == ["cat", "chat"]
    assert "aujourd" in as_stop_words({"stop_words": "fr"})
    with pytest.raises(ValueError, match="no stop words of 'klingon'; known are afrikaans"):
        Corpus.from_texts(TEXTS, stop_words="klingon")
    assert Corpus.from_texts(TEXTS, stop_words={"the", "a"}).text_options == {"stop_words": ["a", "the"]}


@pytest.mark.parametrize(
    "preset, text, words",
    [
        ("words", "I see X", ["i", "see", "x"]),
        ("letters", "3d 42 cats_dogs R2D2 end", ["cats", "dogs", "end"]),
        ("hyphens", "don't re-read a tree", ["don't", "re-read", "tree"]),
        ("cjk", "我爱北京, テスト with GPUs", ["我爱", "爱北", "北京", "テス", "スト", "with", "gpus"]),
        ("cjk", "猫 한국어 문서", ["猫", "한국어", "문서"]),
        ("default", "हिन्दी भाषा है", ["हिन्दी", "भाषा", "है"]),  # signs of vowels belong to their words
        ("words", "हिन्दी व भाषा", ["हिन्दी", "व", "भाषा"]),
        ("letters", "3नमस्ते नमस्ते3 हिन्दी", ["हिन्दी"]),
        ("hyphens", "भाषा-विज्ञान व", ["भाषा-विज्ञान"]),
    ],
)
def test_patterns_by_name(preset, text, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = Corpus.from_texts([text], token_pattern=preset)
    assert corpus.tokens_of(0) == words and corpus.text_options == {"token_pattern": preset}
    assert preset in tokenizing.PRESETS


def test_words_of_hindi_and_decomposed_letters_are_whole_without_options():
    corpus = Corpus.from_texts(["यह हिन्दी भाषा", "cafe\u0301 noir"], stop_words="hindi")
    assert corpus.vocab.tolist() == ["cafe\u0301", "noir", "भाषा", "हिन्दी"]


@pytest.mark.parametrize("text", ["我喜欢机器学习和主题模型", "ภาษาไทยไม่มีช่องว่างระหว่างคำ"])
def test_scripts_without_spaces_are_told(text):
    with pytest.warns(UserWarning, match="1 of 1 words are whole phrases, .* token_pattern='cjk'"):
        Corpus.from_texts([text])
    assert Corpus.from_texts([text], tokenizer=list).num_tokens == len(text)
    Corpus.from_texts([text, "and many words that are words because they have been parted by spaces"])


@pytest.mark.parametrize(
    "tokenizer, told",
    [(lambda text: 3, "a list of words; it gave 3"), (lambda text: [3], "must be strings; .* gave 3")],
)
def test_a_tokenizer_that_gives_no_words(tokenizer, told):
    with pytest.raises(TypeError, match=f"{told} for 'cat'"):
        Corpus.from_texts(["cat"], tokenizer=tokenizer)


# ------------------------------------------------------------------------------------------------------------- phrases

CITY = ["new york is new", "the new york mayor", "york and new york", "in new york city", "a new york city cab"]


def test_phrases_are_joined_and_not_counted_twice():
    corpus = Corpus.from_texts(CITY, phrases={"min_count": 2, "threshold": 0.3}, stop_words=["in", "the", "and", "is"])
    assert corpus.tokens_of(2) == ["york", "new_york"] and corpus.tokens_of(0) == ["new_york", "new"]
    (row,) = corpus.written.phrases
    assert (
        (row.phrase, row.tokens)
        == ("new_york", 5)
        == ("new_york", int(corpus.counts[:, [corpus.vocab.tolist().index("new_york")]].sum()))
    )
    words = Corpus.from_texts(CITY, stop_words=["in", "the", "and", "is"])
    assert corpus.num_tokens == words.num_tokens - 5  # two tokens became one


def test_scores_are_those_of_the_definition():
    documents = [text.split() for text in CITY]
    passes, table = phrases.find(
        documents, phrases.Rule(min_count=2, threshold=0.3, max_words=3), {"in", "the", "and", "is", "a"}
    )
    assert passes[0][0] == ("new", "york") and passes[1] == (("new_york", "city"),)
    N, n_new, n_york, n_both = 16, 6, 6, 5
    pmi = np.log((n_both / N) / (n_new / N * n_york / N))
    (first,) = phrases.find(documents, phrases.Rule(2, 0.3), {"in", "the", "and", "is", "a"})[1]
    assert first.pmi == pytest.approx(pmi) and first.npmi == pytest.approx(pmi / -np.log(n_both / N))
    assert {row.phrase: row.tokens for row in table} == {"new_york": 3, "new_york_city": 2}


def test_stop_words_part_phrases():
    texts = ["cats of war"] * 9 + ["dogs"] * 9
    corpus = Corpus.from_texts(texts, stop_words=["of"], phrases=True)
    assert corpus.vocab.tolist() == ["cats", "dogs", "war"]


def test_rare_phrases_stay_apart():
    """Joined, they would be left out as rare words, and their words with them."""
    texts = ["ice cream ice cream ice cream", "ice cold", "cream cake", "ice cube", "sour cream"]
    rule = {"min_count": 2, "threshold": 0.0}
    apart = Corpus.from_texts(texts, phrases=rule, min_df=2)
    assert apart.vocab.tolist() == ["cream", "ice"] and apart.num_tokens == 10 and apart.written.phrases == ()
    assert "ice_cream" in Corpus.from_texts(texts, phrases=rule).vocab.tolist()


def test_phrases_are_read_again():
    corpus = Corpus.from_texts(CITY, phrases={"min_count": 2, "threshold": 0.3})
    again = Corpus.from_texts(["to new york in york"], **corpus.text_options)
    assert again.tokens_of(0) == ["to", "new_york", "in", "york"]
    named = Corpus.from_texts(["new york city", "new york"], phrases=["new york city"])
    assert named.vocab.tolist() == ["new_york", "new_york_city"]


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"phrases": {"min_cuont": 2}}, TypeError, "dict with some of min_count, threshold"),
        ({"phrases": {"measure": "chi"}}, ValueError, "'npmi' or 'pmi'"),
        ({"phrases": {"max_words": 1}}, ValueError, "at least 2"),
        ({"phrases": ["york"]}, ValueError, "at least two words; got 'york'"),
        ({"phrases": True, "ngram_range": (1, 2)}, ValueError, "ngram_range"),
    ],
)
def test_wrong_phrases(options, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_texts(CITY, **options)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"stopwords": "english"}, TypeError, "without an option 'stopwords'; did you mean 'stop_words'?"),
        ({"zzz": 1}, TypeError, "without an option 'zzz'; there are analyzer, binary"),
        ({"token_pattern": "("}, ValueError, r"token_pattern '\(' is not a regular expression: missing \)"),
    ],
)
def test_wrong_options(options, error, message):
    with pytest.raises(error, match=message):
        Corpus.from_texts(CITY, **options)
