"""Two rankings of words."""

import numpy as np

from jaxlda import topics

WORDS = np.array(["ant", "bee", "cat", "dog", "eel"])


class TestRankings:
    def test_ranks_by_both(self):
        first, second = np.array([5.0, 4, 3, 2, 1]), np.array([1.0, 5, 2, 4, 3])
        table = topics.ranking_table(first, second, WORDS, n=2)
        assert table.word.tolist() == ["bee", "dog", "ant"]
        assert table.first_rank.tolist() == [2, 4, 1] and table.second_rank.tolist() == [1, 2, 5]
        assert table["first"].tolist() == [4, 2, 5] and table.second.tolist() == [5, 4, 1]

    def test_a_cue_does_not_compete(self):
        score = np.array([5.0, 4, 3, 2, 1])
        table = topics.ranking_table(score, score, WORDS, n=2, leave_out=[0])
        assert table.word.tolist() == ["bee", "cat"] and table.first_rank.tolist() == [1, 2]

    def test_ties_keep_their_order(self):
        assert topics.ranking_table(np.ones(5), np.ones(5), WORDS, n=2).word.tolist() == ["ant", "bee"]


class TestBest:
    def test_as_if_all_words_were_sorted(self):
        scores = np.random.default_rng(0).integers(0, 4, (6, 40)).astype(float)  # with many ties
        vocab = np.array([f"w{v}" for v in range(40)])
        expected = vocab[np.argsort(-scores, axis=1, kind="stable")[:, :7]].tolist()
        assert topics.best_words(scores, vocab, 7) == expected

    def test_words_that_never_occur_come_last(self):
        score = topics.relevance(np.array([[0.2, 0.5, 0.3]]), np.array([3, 0, 1]), 0.5)
        assert topics.best_words(score, ["a", "b", "c"], 99) == [["c", "a", "b"]]
