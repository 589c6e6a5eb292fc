"""Tables and figures of convergence; figures are looked at through their data, not their pixels."""

import numpy as np
import pytest

from jaxlda.diagnostics import autocorrelation
from jaxlda.plots import figures, tables


def lines(plot):
    return [glyph for glyph in plot.renderers if type(glyph.glyph).__name__ == "Line"]


class TestTables:
    def test_ranks_of_chains_that_agree_and_do_not(self):
        rng = np.random.default_rng(0)
        same = tables.rank_table(rng.normal(size=(4, 400)), bins=10)
        assert same["count"].sum() == 1600 and (same.expected == 40).all()
        assert same.groupby("chain")["count"].sum().tolist() == [400] * 4
        # 40 binomial counts with a standard deviation of 6: one of them beyond 30 is a matter of 1e-5
        assert abs(same["count"] - 40).max() < 30
        apart = tables.rank_table(np.stack([np.arange(10.0), 100 + np.arange(10.0)]), bins=2)
        assert apart["count"].tolist() == [10, 0, 0, 10]

    def test_ties_share_their_ranks(self):
        assert tables.rank_table(np.zeros((2, 8)), bins=3)["count"].tolist() == [0, 8, 0, 0, 8, 0]

    def test_number_of_bins(self):
        assert len(tables.rank_table(np.random.default_rng(0).normal(size=(2, 100)))) == 2 * 10

    @pytest.mark.parametrize(
        ("draws", "bins", "message"),
        [
            (np.zeros((2, 3)), 0, "bins must be at least 1; got 0"),
            (np.array([[np.nan, 1.0]]), None, "cannot be ranked"),
            (np.empty((2, 0)), None, "cannot be ranked"),
        ],
    )
    def test_what_cannot_be_ranked(self, draws, bins, message):
        with pytest.raises(ValueError, match=message):
            tables.rank_table(draws, bins)


class TestFigures:
    def test_traces(self):
        values = np.array([[1.0, np.nan, 3.0, 4.0], [2.0, np.nan, 2.0, 5.0]])
        plot = figures.traces(tables.trace_table(values), num_warmup=2, label="x")
        assert [line.data_source.data["y"].tolist() for line in lines(plot)] == [[1, 3, 4], [2, 2, 5]]
        assert [line.data_source.data["x"].tolist() for line in lines(plot)] == [[1, 3, 4]] * 2
        (shade,) = [box for box in plot.center if type(box).__name__ == "BoxAnnotation"]
        assert shade.right == 2
        assert [item.label.value for item in plot.legend[0].items] == ["chain 0", "chain 1"]

    def test_ranks(self):
        plot = figures.ranks(tables.rank_table(np.array([[1.0, 2.0], [3.0, 4.0]]), bins=2))
        assert [line.data_source.data["y"].tolist() for line in lines(plot)] == [[2, 2, 0, 0], [0, 0, 2, 2]]
        assert lines(plot)[0].data_source.data["x"].tolist() == [0, 2, 2, 4]

    def test_autocorrelation(self):
        draws = np.random.default_rng(0).normal(size=(8, 50))
        plot = figures.autocorrelation(tables.autocorrelation_table(autocorrelation(draws, 6)), num_draws=50)
        assert len(lines(plot)) == 8 and lines(plot)[3].data_source.data["x"].tolist() == list(range(7))
        assert lines(plot)[0].glyph.line_color == lines(plot)[7].glyph.line_color  # colours begin anew
        (band,) = [box for box in plot.center if type(box).__name__ == "BoxAnnotation"]
        assert band.top == pytest.approx(2 / 50**0.5)
