"""Tables that convergence is seen by."""

import numpy as np
import pytest

from jaxlda import diagnostics
from jaxlda.diagnostics import tables


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

    def test_the_evolution_ends_with_all_draws(self):
        draws = np.random.default_rng(0).normal(size=(4, 50))
        table = tables.evolution_table(draws, points=5)
        assert table.draws.tolist() == [4, 15, 27, 38, 50]
        assert table.rhat.iloc[-1] == diagnostics.rhat(draws) and table.rhat.iloc[1] == diagnostics.rhat(draws[:, :15])
        assert table.ess_tail.iloc[-1] == diagnostics.ess(draws, "tail")

    def test_the_evolution_of_few_draws(self):
        assert tables.evolution_table(np.zeros((2, 3))).empty
        assert tables.evolution_table(np.arange(8.0).reshape(2, 4)).draws.tolist() == [4]
        assert tables.evolution_table(np.ones((2, 9))).rhat.isna().all()

    def test_densities_of_chains_that_agree_and_do_not(self):
        rng = np.random.default_rng(0)
        table = tables.density_table(np.stack([*rng.normal(size=(2, 500)), rng.normal(9, 1, 500), np.zeros(500)]))
        assert table.chain.unique().tolist() == [0, 1, 2]  # the last one stands still
        step = np.diff(table.value[:2])[0]
        np.testing.assert_allclose(table.groupby("chain").density.sum() * step, 1, atol=0.02)
        peaks = table.loc[table.groupby("chain").density.idxmax()].value
        np.testing.assert_allclose(peaks, [0, 0, 9], atol=0.6)
        assert tables.density_table(np.zeros((2, 5))).empty
        with pytest.raises(ValueError, match="have no density"):
            tables.density_table(np.array([[np.nan, 1.0]]))
