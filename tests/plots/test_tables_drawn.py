"""Figures of tables, looked at through their data, not their pixels."""

import numpy as np
import pytest
from bokeh.models import ColumnDataSource

import jaxlda
from jaxlda import topics
from jaxlda.diagnostics import autocorrelation, tables
from jaxlda.evaluation.by_label import label_table
from jaxlda.plots import bars, chains, maps, matrices, rankings, scores

VOCAB = ["the", "cat", "dog", "never"]
WORDS = np.array(["ant", "bee", "cat", "dog", "eel"])


def random_topics(K=6, V=40, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(V, 0.2), K)


def lines(plot):
    return [glyph for glyph in plot.renderers if type(glyph.glyph).__name__ == "Line"]


class TestChains:
    def test_traces(self):
        values = np.array([[1.0, np.nan, 3.0, 4.0], [2.0, np.nan, 2.0, 5.0]])
        plot = chains.trace_lines(tables.trace_table(values), num_warmup=2, label="x")
        assert [line.data_source.data["y"].tolist() for line in lines(plot)] == [[1, 3, 4], [2, 2, 5]]
        assert [line.data_source.data["x"].tolist() for line in lines(plot)] == [[1, 3, 4]] * 2
        (shade,) = [box for box in plot.center if type(box).__name__ == "BoxAnnotation"]
        assert shade.right == 2
        assert [item.label.value for item in plot.legend[0].items] == ["chain 0", "chain 1"]

    def test_ranks(self):
        plot = chains.rank_steps(tables.rank_table(np.array([[1.0, 2.0], [3.0, 4.0]]), bins=2))
        assert [line.data_source.data["y"].tolist() for line in lines(plot)] == [[2, 2, 0, 0], [0, 0, 2, 2]]
        assert lines(plot)[0].data_source.data["x"].tolist() == [0, 2, 2, 4]

    def test_autocorrelation(self):
        draws = np.random.default_rng(0).normal(size=(8, 50))
        plot = chains.autocorrelation_lines(tables.autocorrelation_table(autocorrelation(draws, 6)), num_draws=50)
        assert len(lines(plot)) == 8 and lines(plot)[3].data_source.data["x"].tolist() == list(range(7))
        assert lines(plot)[0].glyph.line_color == lines(plot)[7].glyph.line_color  # colours begin anew
        (band,) = [box for box in plot.center if type(box).__name__ == "BoxAnnotation"]
        assert band.top == pytest.approx(2 / 50**0.5)


class TestTopics:
    def data(self, plot, name):
        return plot.select_one({"name": name}).data_source.data

    def test_map(self):
        table = topics.topic_map(random_topics(3), np.array([8, 1, 0]), names=["a", "<b>", "c"])
        data = self.data(maps.intertopic_map(table, ["cat dog", "x", "y"]), "map")
        assert data["topic"].tolist() == [0, 1, 2] and data["name"].tolist() == ["a", "<b>", "c"]
        assert data["words"].tolist()[0] == "cat dog" and data["size"].tolist() == pytest.approx([56.57, 20, 16], 1e-3)

    def test_words_only_in_one_list_are_striped(self):
        table = topics.word_table(np.array([0.5, 0.3, 0.15, 0.05]), VOCAB, np.array([8, 1, 1, 0]))
        plot = bars.word_bars(table.assign(shared=[True, False, True]))
        assert plot.y_range.factors == ["dog", "cat", "the"] and type(plot.y_scale).__name__ == "CategoricalScale"
        assert self.data(plot, "words")["pattern"] == ["blank", "right_diagonal_line", "blank"]

    def test_ranks(self):
        plot = rankings.word_rank_lines({"word": ["a", "b"], "rank": [9, 1], "rank_p": [2, 4]})
        assert self.data(plot, "ranks")["rank"].tolist() == [9, 1] and plot.y_range.factors == ["b", "a"]
        empty = rankings.word_rank_lines({"word": [], "rank": [], "rank_p": []})
        assert type(empty.y_scale).__name__ == type(plot.y_scale).__name__ == "CategoricalScale"

    def test_stability(self):
        table = topics.stability_table(np.stack([random_topics(2), random_topics(2)[::-1]]), 0)
        assert self.data(matrices.stability_matrix(table), "stability")["number"] == ["1", "0"]

    def test_aligned(self):
        table = topics.similarity_table(random_topics(3), random_topics(3)[[2, 0, 1]])
        plot = matrices.aligned_matrix(table)
        data = self.data(plot, "aligned")
        assert np.diag(data["image"][0]).tolist() == pytest.approx([1] * 3) and data["size"] == [3]
        assert data["topic"][0][2].tolist() == [2, 2, 2] and data["partner"][0][2].tolist() == [1, 2, 0]
        assert plot.y_range.flipped  # the first row is on top
        assert self.data(matrices.aligned_matrix(table.iloc[:0, :0]), "aligned")["image"] == []

    def test_images_stand_upright(self):
        _, truth = jaxlda.datasets.bars(num_docs=2, size=3)
        data = self.data(maps.topic_images(truth.phi, 3), "images")
        assert data["image"][0][-1].tolist() == pytest.approx([1 / 3] * 3)  # images are drawn from below
        assert data["image"][3][:, 0].tolist() == pytest.approx([1 / 3] * 3)


class TestCounts:
    def data(self, plot, name):
        return plot.select_one({"name": name}).data_source.data

    def test_bars(self):
        table = topics.hard_soft_table(np.array([2, 0, 1]), np.array([1.5, 0.5, 1.0]), names=["a", "<b>", "c"])
        plot = bars.hard_and_soft(table, "tokens of document 3")
        assert self.data(plot, "counts")["hard"].tolist() == [2, 0, 1] and self.data(plot, "counts")[
            "name"
        ].tolist() == ["a", "<b>", "c"]
        assert {bars.glyph.top for bars in plot.renderers} == {"hard", "soft"}
        assert plot.yaxis.axis_label == "tokens of document 3"
        assert len({id(bars.data_source) for bars in plot.renderers}) == 1  # moved together
        difference = bars.hard_soft_difference(table)
        assert self.data(difference, "difference")["difference"].tolist() == [-0.5, 0.5, 0.0]
        assert difference.renderers[0].glyph.top == "difference"

    def test_histogram(self):
        plot = bars.gap_histogram(topics.histogram_table(np.array([0.02, 0.03, 1.99])))
        assert self.data(plot, "histogram")["count"].tolist() == [2, *[0] * 38, 1]
        assert not plot.select_one({"name": "chosen"}).visible


class TestRankings:
    def test_words_beyond_have_an_end_below_and_no_name(self):
        first, second = np.array([5.0, 4, 3, 2, 1]), np.array([1.0, 5, 2, 4, 3])
        lines = rankings.lines_between(topics.ranking_table(first, second, WORDS, n=2), n=2)
        assert lines["left_rank"] == [2, 3.3, 1] and lines["right_rank"] == [1, 2, 3.3]
        assert lines["left_word"] == ["bee", "", "ant"] and lines["right_word"] == ["bee", "dog", ""]
        assert len(set(lines["color"])) == 2  # bee and dog rise, ant falls

    def test_figure_shows_words_as_data(self):
        words = np.array(["<script>alert(1)</script>", "b"])
        plot = rankings.rankings(
            rankings.lines_between(topics.ranking_table(np.array([2.0, 1]), np.array([2.0, 1]), words, 2), 2), n=2
        )
        (left,) = plot.select(name="left")
        assert left.data_source.data["left_word"] == words.tolist()
        assert left.glyph.text == "left_word"


class TestEstimates:
    def test_lines_of_the_pairs_there_are(self):
        source = ColumnDataSource({"samples": [], **{pair: [] for pair in scores.PAIRS.values()}})
        plot = scores.perplexity_by_samples(source)
        assert [item.label.value for item in plot.legend[0].items] == list(scores.PAIRS.values())
        assert all(renderer.data_source is source for renderer in plot.renderers)
        assert len({r.glyph.line_color for r in plot.renderers if type(r.glyph).__name__ == "Line"}) == 4

    def test_proportions(self):
        columns = {"topic": [0, 1], "theta": [0.9, 0.1], "theta_p": [0.8, 0.2], "words": ["cat", "dog"]}
        plot = bars.proportions(columns)
        assert [bars.glyph.top for bars in plot.renderers] == ["theta", "theta_p"]
        assert plot.renderers[0].data_source.data["theta_p"] == [0.8, 0.2]

    def test_labels(self):
        truth = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]], bool)
        predicted = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0]], bool)
        plot = scores.label_points(label_table(truth, predicted, ["a", "b", "c"]))
        (points,) = plot.renderers
        assert points.data_source.data["label"].tolist() == ["a", "b", "c"]
        assert points.data_source.data["size"].tolist() == [30, 30, 6]
