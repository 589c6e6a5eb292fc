"""Two models side by side: of different K, of different words, of another program."""

from types import SimpleNamespace

import numpy as np
import pytest

import jaxlda
from jaxlda import LDA
from jaxlda.alignment import align, compare
from tests.alignment.examples import BLOCKS, topics

WORDS = [f"{name}{i}" for name in ("cat", "dog", "fox", "hen", "bee", "owl") for i in range(4)]


def test_a_model_of_nine_topics(bars):
    # Nine topics for ten bars, from another program with its words in another order: rows 0 and 1 are one topic.
    truth = jaxlda.datasets.bars()[1].phi
    nine = np.concatenate([truth[2:], truth[:2].mean(axis=0, keepdims=True)])
    order = np.random.default_rng(0).permutation(25)
    found = compare(bars, (nine[:, order], bars.vocab_[order]))
    rows = {tuple(words): k for k, words in enumerate(map(sorted, bars.top_words(5)))}
    merged = {rows[tuple(f"r{i}c{j}" for j in range(5))] for i in (0, 1)}
    (merge,) = found.alignment.merges
    assert merge.topic == 8 and set(merge.parts) == merged
    clean = [pair for pair in found.pairs if pair.b != 8]
    assert {pair.b for pair in clean} == set(range(8)) and merged.isdisjoint({pair.a for pair in clean})
    for pair in clean:
        assert set(pair.words) == set(bars.top_words(5)[pair.a]) and pair.distance < 0.2
    assert found.num_shared == 25 and found.outside_a.max() < 1e-6
    np.testing.assert_array_equal(found.alignment.permutation, align(bars.phi_, nine).permutation)
    assert "b 8 is merged from a " in found.summary()


def test_another_vocabulary():
    # The other program knows the words in another order, not those of the dogs, and some of its own.
    known = [v for v in range(24) if not WORDS[v].startswith("dog")]
    order = np.random.default_rng(0).permutation(known)
    phi = np.hstack([BLOCKS[[2, 0, 3]][:, order], np.zeros((3, 2))])
    phi[1, -1] = 3.0  # counts are as good: 3 of 4 are on a word that the first does not know
    found = compare(SimpleNamespace(phi_=BLOCKS, vocab_=WORDS), (phi, [WORDS[v] for v in order] + ["x", "y"]))
    assert [(pair.a, pair.b) for pair in found.pairs] == [(0, 1), (2, 0), (3, 2)]
    assert all(pair.distance < 1e-6 for pair in found.pairs)
    assert found.num_shared == 20
    np.testing.assert_allclose(found.outside_a, [0, 1, 0, 0, 0, 0])
    np.testing.assert_allclose(found.outside_b, [0, 0.75, 0])
    assert found.alignment.unmatched_reference.tolist() == [1, 4, 5]  # topic 1 lies wholly outside
    assert found.top_words_a[1] == ("dog0", "dog1", "dog2", "dog3")
    assert found.top_words_b[1][0] == "y"
    text = str(found)
    assert "3 of the 6 topics of a and 3 of b are matched" in text
    assert "20 words are shared; outside of them is 16.7 % of the mass of a and 25 % of b." in text
    assert text.endswith("Only in a:\n   1  dog0 dog1 dog2 dog3\n   4  bee0 bee1 bee2 bee3\n   5  owl0 owl1 owl2 owl3")


def test_topics_wholly_outside_are_not_matched_with_each_other():
    found = compare((np.eye(3)[:2], ["a", "b", "both"]), (np.eye(3)[[0, 2]], ["c", "d", "both"]))
    assert found.pairs == () and found.outside_a.tolist() == [1, 1] and found.outside_b.tolist() == [1, 0]


def test_words_that_differ_most():
    a, b = BLOCKS[:2].copy(), BLOCKS[:2].copy()
    b[0, :6] = [0.15, 0.2, 0.3, 0.25, 0.07, 0.03]
    (pair, same) = compare((a, WORDS), (b, WORDS), num_words=3).pairs
    assert pair.words == ("cat2", "cat3", "cat1")
    assert pair.more_in_a == ("cat0", "cat1") and pair.more_in_b == ("dog0", "dog1", "cat2")
    assert same.more_in_a == same.more_in_b == ()


def test_splits_are_told():
    a = np.stack([(BLOCKS[0] + BLOCKS[1]) / 2, BLOCKS[2]])
    text = compare((a, WORDS), (BLOCKS[[2, 1, 0]], WORDS)).summary()
    assert "a 0 is split into b 1 (50 %), 2 (50 %): distance 0.000, 0.558 to the nearest alone" in text
    text = compare((BLOCKS[[2, 1, 0]], WORDS), (a, WORDS)).summary()
    assert "b 0 is merged from a 1 (50 %), 2 (50 %)" in text


def test_without_vocabularies():
    found = compare((BLOCKS[:2], None), (BLOCKS[[1, 0]], None), metric="cosine")
    assert [(pair.a, pair.b) for pair in found.pairs] == [(0, 1), (1, 0)]
    assert found.pairs[0].words[0] == "w0" and found.alignment.metric == "cosine"


def test_table():
    table = compare((BLOCKS[:3], WORDS), (BLOCKS[[4, 1]], WORDS), num_words=2).to_pandas()
    assert table.columns.tolist() == ["a", "b", "distance", "words", "more_in_a", "more_in_b"]
    assert table["a"].tolist()[:3] == [1, 0, 2] and table["b"].isna().tolist() == [False, True, True, False]
    assert table["words"].tolist() == ["dog0 dog1", "cat0 cat1", "fox0 fox1", "bee0 bee1"]
    nothing = compare((BLOCKS[:1], WORDS), (BLOCKS[1:2], WORDS))
    assert "0 of the 1 topics" in str(nothing) and len(nothing.to_pandas()) == 2


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (LDA(3), (BLOCKS, WORDS), r"model_a must be fitted.* got a LDA"),
        ((BLOCKS, WORDS), (BLOCKS, None), "one model has a vocabulary"),
        ((BLOCKS, None), (BLOCKS[:5, :20], None), "model_a has 24 words, model_b 20"),
        ((BLOCKS, WORDS), (BLOCKS, [w.upper() for w in WORDS]), r"no word in common.* cat0, .* CAT0"),
        ((BLOCKS, WORDS), (BLOCKS, WORDS[:5]), r"vocabulary of model_b has 5 name\(s\), but there are 24"),
        ((BLOCKS, ["x"] * 24), (BLOCKS, WORDS), r"vocabulary of model_a has 1 name\(s\) more than once"),
        ((BLOCKS, WORDS), (topics(0, 2, 24) * 0, WORDS), "topic 0 of phi of model_b has no mass"),
    ],
)
def test_refuses(a, b, message):
    with pytest.raises((ValueError, TypeError), match=message):
        compare(a, b)
