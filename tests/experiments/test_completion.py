"""Experiments by document completion and likelihood: checks; the paper's findings on Reuters and AP, marked data."""

import json
from itertools import pairwise

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import estimators, evaluation
from jaxlda.experiments import _tasks, convergence, samples, topics
from jaxlda.experiments._job import Job
from jaxlda.experiments._report import Mean

(TASK,) = _tasks.load(None, "smoke")


@pytest.fixture(scope="module")
def of_samples():
    return samples.compute(Job("samples", scale="smoke", progress=False))


@pytest.fixture(scope="module")
def of_topics():
    return topics.compute(Job("topics", scale="smoke", progress=False))


@pytest.fixture(scope="module")
def of_convergence():
    return convergence.compute(Job("convergence", scale="smoke", progress=False))


class TestSamples:
    def test_every_number_is_there(self, of_samples):
        stored = json.loads(of_samples.to_json())["numbers"]
        keys = [(row["chains"], row["pair"]) for row in stored["perplexities"]]
        assert keys == [(chains, pair) for chains in (1, 2) for pair in samples.PAIRS]
        assert all(len(run) == 3 for row in stored["perplexities"] for run in row["runs"])
        (figure,) = of_samples.figures
        assert len(figure.table["x"]) == 2 * 4 * 3 and figure.plot() is not None

    def test_perplexities_are_those_of_document_completion(self, of_samples):
        data = TASK.train.data(10, 0.1, 0.01)
        sample = samples.one_sample(data, 30, 1)
        phis = {"phi": estimators.phi(sample.counts, data), "phi_p": estimators.phi_p(sample, data)}
        options = {"num_warmup": 10, "thinning": 5, "num_samples": 3, "num_chains": 2, "seed": 1}
        table = evaluation.completion_table(phis, 0.1, TASK.observed, TASK.held, **options)
        for row in of_samples.numbers["perplexities"]:
            if row["chains"] == 2:
                expected = table[tuple(row["pair"].split("+"))].perplexity
                assert row["runs"][1][-1] == pytest.approx(expected, rel=1e-4)

    def test_the_findings_of_the_paper(self, of_samples):
        """The advantage of theta_p and phi_p shows even here: seeds are fixed."""
        for row in of_samples.numbers["ratios"]:
            assert row["θᵖ/θ, one"] < row["θᵖ/θ, all"] < 1
            assert row["φᵖ/φ, all"] < 1 < row["worth"]
        assert of_samples.reading.count("as in the paper") == 3

    def test_the_reading_can_disagree(self):
        row = {"data": "x", "K": 5, "chains": 1, "θᵖ/θ, one": 1.01, "spread": 0.0, "θᵖ/θ, all": 1.02, "worth": 1.0}
        text = samples._reading([row | {"φᵖ/φ, one": 0.99, "φᵖ/φ, all": 1.01}], 30)
        assert text.count("unlike the paper") == 3

    def test_worth(self):
        assert samples._worth(3.0, [5.0, 3.5, 2.9, 2.0]) == 3
        assert samples._worth(1.0, [5.0, 3.5]) == 3


class TestTopics:
    def test_every_number_is_there(self, of_topics):
        (row,) = json.loads(of_topics.to_json())["numbers"]["perplexities"]
        assert row["K"] == 10 and all(len(row[method]) == 2 for method in topics.METHODS)
        first, second = of_topics.figures
        assert set(second.table["line"]) - set(first.table["line"]) == {"VB"} and first.plot() is not None

    def test_each_method_is_run_as_it_says(self, of_topics):
        """Variational Bayes, once more and by hand."""
        data = TASK.train.data(10, 0.1, 0.01)
        run = jaxlda.run(jax.random.key(1), jaxlda.kernels.vb(), data, num_warmup=9, thinning=1, trace_every=0)
        phi = estimators.phi(run.chain(0).counts, data)
        options = {"kernel": "vb", "num_warmup": 9, "num_samples": 1, "thinning": 1, "num_chains": 1}
        expected = evaluation.document_completion(phi, 0.1, TASK.observed, TASK.held, **options).theta.perplexity
        (row,) = of_topics.numbers["perplexities"]
        assert row["vb"][1] == pytest.approx(expected, rel=1e-4)

    def test_the_order_of_the_paper(self, of_topics):
        (row,) = of_topics.numbers["perplexities"]
        assert np.mean(row["cvb0"]) < np.mean(row["cgs_p"]) < np.mean(row["cgs"])

    def test_crossing(self):
        def levels(cgs, cgs_p, cvb0, vb):
            values = zip(topics.METHODS, (cgs, cgs_p, cvb0, vb), strict=True)
            return {method: Mean(value, 0.0) for method, value in values}

        means = {("x", 20): levels(9, 8, 7, 10), ("x", 50): levels(9, 8, 7, 10), ("x", 200): levels(8, 6, 7, 10)}
        assert topics._crossing(means, "x") == [50, 200]
        text = topics._reading(means, "x")
        assert "overtakes CVB0 between K 50 and 200" in text and text.count("as in the paper") == 3
        del means["x", 200]
        assert topics._crossing(means, "x") is None
        assert "does not overtake CVB0 up to K 50" in topics._reading(means, "x")
        worse = {("x", 20): levels(7, 8, 9, 6)}
        text = topics._reading(worse, "x")
        assert text.count("unlike the paper") == 3 and "ahead of CVB0 at K 20, and nothing below" in text


class TestConvergence:
    def test_every_number_is_there(self, of_convergence):
        stored = json.loads(of_convergence.to_json())["numbers"]["log_likelihood_per_token"]
        assert [row["method"] for row in stored] == ["cgs", "cgs_p", "cvb0"]
        assert all(len(run) == 5 for row in stored for run in row["runs"])
        (figure,) = of_convergence.figures
        assert len(figure.table["x"]) == 15 and figure.plot() is not None

    def test_likelihoods_are_those_of_the_samples(self, of_convergence):
        data = TASK.train.data(10, 0.1, 0.01)
        sample = samples.one_sample(data, 30, 0)
        phi, theta = estimators.phi_p(sample, data), estimators.theta_p(sample, data)
        expected = evaluation.log_likelihood(phi, theta, TASK.train) / TASK.train.num_tokens
        row = of_convergence.numbers["log_likelihood_per_token"][1]
        assert row["runs"][0][-1] == pytest.approx(expected, rel=1e-6)

    def test_likelihoods_rise(self, of_convergence):
        for row in of_convergence.numbers["log_likelihood_per_token"]:
            assert all(a < b for run in row["runs"] for a, b in pairwise(run))

    def test_the_reading_follows_the_numbers(self, of_convergence):
        scale = convergence.Scale(1, (20, 200), (2, 10))
        curves = {20: {"cgs": (1, 3), "cgs_p": (2, 4), "cvb0": (0, 5)}, 200: {"cgs": (1, 5), "cgs_p": (2, 9)}}
        curves[200]["cvb0"] = (0, 6)
        means = {("x", K, m): [Mean(v, 0.0) for v in two] for K, each in curves.items() for m, two in each.items()}
        text = convergence._reading(means, "x", scale)
        assert "K 20: 10, K 200: 10" in text and text.count("as in the paper") == 5
        means["x", 20, "cgs_p"], means["x", 200, "cvb0"] = [Mean(0, 0.0)] * 2, [Mean(9.5, 0.0)] * 2
        assert convergence._reading(means, "x", scale).count("unlike the paper") == 3
        assert "K 10" in of_convergence.setting


@pytest.mark.parametrize("experiment", [samples, topics, convergence])
class TestAll:
    def test_missing_data_are_named(self, experiment, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"reuters21578_modapte_train\.npz is not in"):
            experiment.compute(Job("name", tmp_path, progress=False))

    @pytest.mark.slow
    def test_parts_are_kept_and_used(self, experiment, tmp_path, monkeypatch):
        """Finished parts of a full experiment are read, not computed: what would compute them is gone."""
        monkeypatch.setattr(_tasks, "load", lambda data, scale: [TASK])
        tiny = experiment.SCALES["smoke"]._replace(runs=1)
        monkeypatch.setitem(experiment.SCALES, "full", tiny)
        job = Job("name", folder=tmp_path, progress=False)
        first = experiment.compute(job)
        monkeypatch.setattr(type(TASK.train), "data", None)
        assert str(experiment.compute(job)) == str(first)
        assert [path.name for path in tmp_path.iterdir()] == [f"{first.name}-{TASK.name}.parts.json"]


@pytest.mark.data
@pytest.mark.timeout(7200)
class TestData:
    """Figures of an independent, slow implementation (three seeds)."""

    @pytest.fixture(autouse=True)
    def files(self, data_file):
        data_file("reuters21578_modapte_train.npz"), data_file("ap_blei.npz")

    def test_samples(self, tmp_path):
        report = samples.compute(Job("samples", runs=1, topics=[100], folder=tmp_path))
        for row in report.numbers["ratios"]:
            if row["chains"] == 1:
                expected = 0.949 if row["data"].startswith("Reuters") else 0.945
                assert row["θᵖ/θ, one"] == pytest.approx(expected, abs=0.006)
            else:
                assert 0.999 <= row["θᵖ/θ, all"] <= 1.0005
                assert row["φᵖ/φ, all"] == pytest.approx(0.986, abs=0.005)

    def test_topics(self, tmp_path):
        report = topics.compute(Job("topics", runs=1, topics=[20, 100], folder=tmp_path))
        for row in report.tables[0].records:
            assert (row["best"], row["worst"]) == ("CVB0", "VB") and row["CGSₚ/CGS"] < 1

    def test_convergence(self, tmp_path):
        report = convergence.compute(Job("convergence", runs=1, topics=[50], folder=tmp_path))
        assert "always above CGS (as in the paper)" in report.reading
