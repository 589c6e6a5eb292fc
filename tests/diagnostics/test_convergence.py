"""Chains that agree are told from chains that do not."""

import inspect
from dataclasses import replace

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import diagnostics
from jaxlda.diagnostics import Quantity, assess, diagnose
from jaxlda.diagnostics.agreement import compare
from jaxlda.diagnostics.convergence import Diagnostics, Line
from jaxlda.diagnostics.lines import lines_of
from jaxlda.running.results import Run
from tests.diagnostics.conftest import in_modes
from tests.diagnostics.processes import gaussian
from tests.models.toy import toy


@pytest.fixture(scope="module")
def found(bars) -> Diagnostics:
    return diagnose(bars)


class TestBars:
    """The priors are those of the corpus, and the seed is fixed; over seeds, one run in a hundred may fail."""

    def test_converged(self, found):
        assert found.converged is True, found.verdict
        assert "4 chains of 100 draws agree" in found.verdict and "All 10 topics are matched" in found.verdict
        assert found.topics.stability.min() > 0.95
        assert (found.topics.missing.map(len) == 0).all()

    def test_every_kind_of_quantity_is_there(self, found):
        counts = found.table.kind.value_counts().to_dict()
        assert counts == {"log joint": 1, "perplexity": 1, "topic size": 10, "likeness": 16, "phi": 50, "theta": 32}
        assert not found.table.drop(columns=["topic", "converged"]).isna().any().any()
        assert (found.table.converged == True).mean() > 0.95 and (found.table.rhat <= found.table.limit).all()  # noqa: E712
        assert (found.table[["ess_bulk", "ess_tail"]] <= 400).all().all()

    def test_numbers_are_those_of_the_draws(self, bars, found):
        sweeps = 100 + 8 * np.arange(1, 101) - 1
        log_joint = bars.trace["log_joint"][:, sweeps]
        np.testing.assert_array_equal(found.draws("log joint"), log_joint)
        row = found.table.loc["log joint"]
        assert row["mean"] == pytest.approx(log_joint.mean()) and row["sd"] == pytest.approx(log_joint.std())
        assert row.rhat == pytest.approx(diagnostics.rhat(log_joint), abs=1e-6)
        assert row.ess_bulk == pytest.approx(diagnostics.ess(log_joint), abs=1e-6)
        perplexity = np.exp(-bars.trace["log_likelihood"][:, sweeps])
        np.testing.assert_allclose(found.draws("perplexity"), perplexity)
        assert 1 < perplexity.min() and perplexity.max() < 25
        np.testing.assert_array_equal(found.draws("size of the topic of rank 1"), bars.n_k.max(axis=-1))
        np.testing.assert_array_equal(found.draws("size of the topic of rank 10"), bars.n_k.min(axis=-1))

    def test_phi_and_theta_are_followed(self, bars, found):
        labels = found.labels
        for name, values in (("phi", bars.phi), ("theta", np.swapaxes(bars.theta, 2, 3))):
            row = found.table[found.table.kind == name].iloc[0]
            of, k = row.name, int(row.topic)
            i = int(of.split("word ")[1]) if name == "phi" else int(of.split("document ")[1].split(",")[0])
            expected = [[values[c, s, labels.permutations[c, s, k], i] for s in range(100)] for c in range(4)]
            np.testing.assert_allclose(found.draws(of), expected, rtol=1e-6)

    def test_words_by_name(self, bars):
        named = diagnose(bars, words=[f"w{v}" for v in range(25)])
        assert named.table.index.str.contains("word w").sum() == 50

    def test_how_many_more_sweeps(self, found):
        lowest = found.table[["ess_bulk", "ess_tail"]].min().min()
        assert found.sweeps_needed(lowest / 2) == 0
        assert found.sweeps_needed(3 * lowest) == pytest.approx(2 * 100 * 8, abs=8)
        with pytest.raises(ValueError, match="target_ess must be positive; got 0"):
            found.sweeps_needed(0)

    def test_stricter_demands(self, bars):
        strict = diagnose(bars, min_ess=10_000)
        assert strict.converged is None and "10000 are asked for" in strict.verdict
        assert f"Run {strict.sweeps_needed(10_000)} more sweeps" in strict.verdict

    def test_unknown_quantity(self, found):
        with pytest.raises(KeyError, match="no quantity 'joint'; the table has log joint, perplexity"):
            found.draws("joint")

    def test_printed(self, found):
        lines = str(found).splitlines()
        assert lines[0] == found.verdict and lines[2].split()[:3] == ["quantity", "number", "R-hat"]
        assert len(lines) == 9 and len({len(text) for text in lines[2:]}) == 1
        assert repr(found) == str(found)

    def test_labels_switched_within_a_chain_do_no_harm(self, bars, found):
        order = np.roll(np.arange(10), 1)
        kept = {name: [draw.copy() for draw in bars.kept[name]] for name in bars.kept}
        for s in range(50):
            kept["phi"][s][0], kept["n_k"][s][0] = kept["phi"][s][0][order], kept["n_k"][s][0][order]
            kept["theta"][s][0] = kept["theta"][s][0][:, order]
        switched = diagnose(replace(bars, kept={name: tuple(draws) for name, draws in kept.items()}))
        assert switched.converged is True
        np.testing.assert_allclose(switched.table.rhat, found.table.rhat, atol=1e-6)

    def test_a_chain_elsewhere_is_found(self, bars):
        """One entry of phi moved in one chain, by two standard deviations: the topic and the chain are named."""
        draws = [draw.copy() for draw in bars.kept["phi"]]
        k = diagnostics.label(bars, 0).permutations[2, 0, 7]
        for draw in draws:
            draw[2, k] = 0.8 * draw[2, k] + 0.2 / 25
        moved = diagnose(replace(bars, kept=bars.kept | {"phi": tuple(draws)}), reference=0)
        assert moved.converged is False and "chain 2 disagrees with the others on topic 7." in moved.verdict


class TestModes:
    """Two solutions of one corpus that are equally good: the log joint cannot tell them apart."""

    def test_different(self):
        run = in_modes([[0, 0, 1, 1], [0, 1, 0, 1]])
        found = diagnose(run)
        assert found.converged is False
        assert "chains 0 and 1 disagree on topics 0 and 1" in found.verdict and "likeness" in found.verdict
        assert found.topics.missing.tolist() in ([(0,), (0,)], [(1,), (1,)])
        assert found.sweeps_needed(400) is None and "How many more sweeps it takes cannot be told" in found.verdict

    def test_without_alignment_the_likeness_of_documents_tells(self):
        found = diagnose(in_modes([[0, 0, 1, 1], [0, 1, 0, 1]]))
        likeness = found.table[found.table.kind == "likeness"]
        assert (likeness.rhat > likeness.limit).sum() >= 4 and likeness.rhat.max() > 1.5

    def test_the_same(self):
        found = diagnose(in_modes([[0, 0, 1, 1], [1, 1, 0, 0]]))
        assert found.converged is not False, found.verdict
        assert (found.topics.missing.map(len) == 0).all()

    def test_two_against_two(self):
        one, other = [0, 0, 1, 1], [0, 1, 0, 1]
        found = diagnose(in_modes([one, other, one, other]), reference=0)
        assert "chains 1 and 3 disagree with the others on topics 0 and 1" in found.verdict

    def test_standing_still_at_different_places(self):
        """R-hat is NaN then, and yet chains disagree."""
        run = in_modes([[0, 0, 1, 1], [0, 1, 0, 1]], num_samples=5)
        still = {name: tuple(draws[0] for _ in range(5)) for name, draws in run.kept.items()}
        found = diagnose(
            replace(run, kept=still, trace=run.trace | {"log_joint": np.zeros_like(run.trace["log_joint"])})
        )
        assert found.converged is False and "disagree on topics 0 and 1" in found.verdict
        assert found.table[found.table.kind == "likeness"].rhat.isna().all()
        assert "stuck" in set(found.table[found.table.kind == "likeness"].note)


OPTIONS = {"num_warmup": 60, "num_samples": 1, "num_chains": 3}


class TestLittleToGoBy:
    @staticmethod
    def sampled(**changes) -> Run:
        data = jaxlda.datasets.load("bars").subset(range(12)).data(num_topics=3)
        return jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **(OPTIONS | changes))

    @pytest.mark.slow
    def test_one_draw(self):
        """The second half of the trace can fail chains, but not pass them."""
        run = self.sampled(trace_every=1)
        found = diagnose(run)
        assert found.converged is not True
        np.testing.assert_array_equal(found.draws("log joint"), run.trace["log_joint"][:, 32:])
        assert found.spacing == pytest.approx(1)

    def test_one_draw_is_no_pass_where_all_is_well(self):
        found = diagnose(in_modes([[0, 0, 1, 1], [1, 1, 0, 0]], num_warmup=200, num_samples=1, trace_every=1))
        assert found.converged is None and "there is one draw of each chain" in found.verdict
        assert found.table.rhat.max() < 1.1

    def test_a_single_value_does_not_stand_still(self):
        """Of one draw in four sweeps nothing is known; that chains differ in it is no disagreement."""
        found = diagnose(in_modes([[0, 0, 1, 1], [1, 1, 0, 0]], num_warmup=3, num_samples=1, thinning=1))
        assert found.draws("log joint").shape == (2, 1) and np.ptp(found.draws("log joint")) > 0
        assert found.converged is None and "stand still" not in found.verdict

    @pytest.mark.parametrize(
        ("demands", "error", "message"),
        [
            ({"min_ess": "100"}, TypeError, "min_ess must be a number; got '100'"),
            ({"min_ess": -5}, ValueError, "min_ess must be more than 0; got -5"),
            ({"min_ess": np.nan}, ValueError, "min_ess must be more than 0; got nan"),
            ({"false_alarms": 1.0}, ValueError, "false_alarms must be more than 0 and less than 1; got 1.0"),
        ],
    )
    def test_demands_that_make_no_sense(self, bars, demands, error, message):
        with pytest.raises(error, match=message):
            inspect.unwrap(diagnose)(bars, **demands)  # as users have it, without the type checks of the tests

    def test_seen_too_seldom(self, bars):
        """Perplexities of two draws cannot be assessed, which is not to say that they never move."""
        thin = np.full_like(bars.trace["log_likelihood"], np.nan)
        seen = bars.schedule.num_warmup + bars.schedule.thinning * np.array([1, 2]) - 1
        thin[:, seen] = bars.trace["log_likelihood"][:, seen]
        found = diagnose(replace(bars, trace=bars.trace | {"log_likelihood": thin}))
        assert found.converged, found.verdict
        assert np.isnan(found.table.rhat["perplexity"])
        assert found.verdict.endswith("Seen too seldom, or moving too seldom, to be assessed: perplexity.")

    def test_nothing_traced(self):
        found = diagnose(self.sampled(trace_every=0, num_samples=5))
        assert found.converged is not True and found.lines == () and found.sweeps_needed() is None
        assert str(found) == found.verdict
        assert found.table.empty

    def test_nothing_kept(self):
        found = diagnose(self.sampled(num_samples=5))
        assert set(found.table.kind) == {"log joint", "perplexity"}

    def test_not_a_single_sweep(self):
        blocks = jaxlda.run_blocks(
            jax.random.key(0), jaxlda.kernels.cgs(), self.sampled().data, **OPTIONS, keep=("n_k",)
        )
        found = diagnose(next(blocks))
        blocks.close()
        assert found.converged is None and found.verdict.startswith("Cannot be assessed: there are 0 draws")
        assert found.topics.empty

    def test_one_chain(self):
        found = diagnose(self.sampled(num_chains=1, num_samples=5))
        assert found.converged is None and "only one chain" in found.verdict
        assert found.table.rhat.isna().all() and found.sweeps_needed() is None

    def test_algorithms_that_do_not_sample(self):
        data = self.sampled().data
        found = diagnose(jaxlda.run(jax.random.key(0), toy(), data, num_warmup=2, num_samples=5, num_chains=2))
        assert found.converged is None and "does not draw samples" in found.verdict


class TestShares:
    """Quantities share the false alarms, so that the verdict on all of them has the rate that is stated."""

    def test_false_alarms_of_many(self):
        """Of 60 sets of 40 quantities 0.6 fail by design; five or more have a chance of 1 in 3000."""
        found = compare(gaussian(0.4, (60 * 40, 4, 80), np.random.default_rng(7)), 0.01 / 40)
        assert (found.apart | found.drifts).reshape(60, 40).any(axis=1).sum() < 5
        assert found.told.mean() > 0.9

    def test_each_has_the_limit_of_its_share(self):
        draws = np.random.default_rng(8).normal(size=(20, 4, 100))
        one, many = lines_of(named(draws[:1]), 0.01)[0], lines_of(named(draws), 0.01)[0]
        assert one.rhat == many.rhat and one.limit < many.limit
        assert assess(draws[0], 0.01 / 20).limit == many.limit

    def test_few_draws_of_many_stuck_chains(self):
        """64 chains of 5 draws at places of their own: nothing is assessed, and no number of sweeps is told."""
        rng = np.random.default_rng(0)
        lines = lines_of(named(10 * rng.normal(size=(1, 64, 1)) + rng.normal(size=(1, 64, 5))), 0.01)
        assert lines[0].converged is None and lines[0].note == "few" and np.isnan(lines[0].ess_bulk)
        assert Diagnostics(None, "", lines, (), None, 5, 1.0).sweeps_needed(400) is None

    def test_a_drift_is_seen_in_few_draws(self):
        lines = lines_of(named(np.random.default_rng(0).normal(size=(1, 8, 6)) * 0.1 + np.arange(6.0)), 0.01)
        assert lines[0].converged is False and lines[0].note == "drifts"


def named(draws):
    return [Quantity(f"q{i}", "kind", None, one) for i, one in enumerate(draws)]


def test_html_is_escaped():
    line = Line("phi of topic 0, word <b>", "<script>", 0, 0.0, 1.0, 0.1, 9.0, 9.0, 1.0, 1.1, 1.0, True, "")
    shown = Diagnostics(None, "Cannot be assessed: <i>", (line,), (), None, 4, 1.0)._repr_html_()
    assert "<script>" not in shown and "<i>" not in shown
    assert "&lt;script&gt;" in shown and "&lt;i&gt;" in shown
