"""Figures whose data sources are exchanged, and the tables they are drawn from."""

import numpy as np
import pytest

from jaxlda.plots.estimates import PAIRS, lines_between, ranking_table
from jaxlda.plots.labels import label_table

WORDS = np.array(["ant", "bee", "cat", "dog", "eel"])


class TestRankings:
    def test_ranks_by_both(self):
        first, second = np.array([5.0, 4, 3, 2, 1]), np.array([1.0, 5, 2, 4, 3])
        table = ranking_table(first, second, WORDS, n=2)
        assert table.word.tolist() == ["bee", "dog", "ant"]
        assert table.first_rank.tolist() == [2, 4, 1] and table.second_rank.tolist() == [1, 2, 5]
        assert table["first"].tolist() == [4, 2, 5] and table.second.tolist() == [5, 4, 1]

    def test_a_cue_does_not_compete(self):
        score = np.array([5.0, 4, 3, 2, 1])
        table = ranking_table(score, score, WORDS, n=2, leave_out=[0])
        assert table.word.tolist() == ["bee", "cat"] and table.first_rank.tolist() == [1, 2]

    def test_ties_keep_their_order(self):
        assert ranking_table(np.ones(5), np.ones(5), WORDS, n=2).word.tolist() == ["ant", "bee"]

    def test_words_beyond_have_an_end_below_and_no_name(self):
        first, second = np.array([5.0, 4, 3, 2, 1]), np.array([1.0, 5, 2, 4, 3])
        lines = lines_between(ranking_table(first, second, WORDS, n=2), n=2)
        assert lines["left_rank"] == [2, 3.3, 1] and lines["right_rank"] == [1, 2, 3.3]
        assert lines["left_word"] == ["bee", "", "ant"] and lines["right_word"] == ["bee", "dog", ""]
        assert len(set(lines["color"])) == 2  # bee and dog rise, ant falls

    def test_figure_shows_words_as_data(self):
        from jaxlda.plots.estimates import rankings

        words = np.array(["<script>alert(1)</script>", "b"])
        plot = rankings(lines_between(ranking_table(np.array([2.0, 1]), np.array([2.0, 1]), words, 2), 2), n=2)
        (left,) = plot.select(name="left")
        assert left.data_source.data["left_word"] == words.tolist()
        assert left.glyph.text == "left_word"


class TestFigures:
    def test_lines_of_the_pairs_there_are(self):
        from bokeh.models import ColumnDataSource

        from jaxlda.plots.estimates import perplexity_by_samples

        source = ColumnDataSource({"samples": [], **{pair: [] for pair in PAIRS.values()}})
        plot = perplexity_by_samples(source)
        assert [item.label.value for item in plot.legend[0].items] == list(PAIRS.values())
        assert all(renderer.data_source is source for renderer in plot.renderers)
        assert len({r.glyph.line_color for r in plot.renderers if type(r.glyph).__name__ == "Line"}) == 4

    def test_proportions(self):
        from jaxlda.plots.estimates import proportions

        columns = {"topic": [0, 1], "theta": [0.9, 0.1], "theta_p": [0.8, 0.2], "words": ["cat", "dog"]}
        plot = proportions(columns)
        assert [bars.glyph.top for bars in plot.renderers] == ["theta", "theta_p"]
        assert plot.renderers[0].data_source.data["theta_p"] == [0.8, 0.2]


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

    def test_figure(self):
        from jaxlda.plots.labels import precision_and_recall

        plot = precision_and_recall(label_table(self.truth, self.predicted, ["a", "b", "c"]).assign(size=5))
        (points,) = plot.renderers
        assert list(points.data_source.data["label"]) == ["a", "b", "c"]
