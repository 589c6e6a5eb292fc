"""Estimates from other programs' samples: a check on states written here; the real ones, marked data."""

import json

import numpy as np
import pytest

from jaxlda.corpora.readers import read_warplda
from jaxlda.experiments import plugin
from jaxlda.experiments._job import Job
from tests import reference


@pytest.fixture(scope="module")
def report():
    return plugin.compute(Job("plugin", scale="smoke", progress=False))


def assert_ordered(likelihoods):
    first, soft_phi, soft_theta, both = (likelihoods[pair] for pair in plugin.PAIRS)
    assert first < min(soft_phi, soft_theta) and max(soft_phi, soft_theta) < both


def test_the_order_is_that_of_the_paper(report):
    for result in report.numbers["results"].values():
        for leave_out in plugin.LEAVE_OUT:
            assert_ordered(result["theirs"][leave_out])
        assert len(result["ours"]) == 2
    assert "φ + θ is the worst and φᵖ + θᵖ the best, as in the paper" in report.reading


def test_the_likelihoods_are_those_of_the_reference(tmp_path):
    (tmp_path / "z").write_text("4 0:0 1:1 1:0 2:1\n3 2:1 0:1 2:0\n", encoding="utf-8")
    (tmp_path / "vocab").write_text("cat\ndog\npet\n", encoding="utf-8")
    state = read_warplda(tmp_path / "z", tmp_path / "vocab")
    found = plugin._likelihoods(state.sample, state.data)
    problem, z = reference.problem(state.data), np.asarray(state.sample.z)
    n_dk, n_vk, _ = reference.counts(z, problem)
    for leave_out in plugin.LEAVE_OUT:
        phi = {"phi": reference.phi(n_vk, problem), "phi_p": reference.phi_p(z, problem, leave_out)}
        theta = {"theta": reference.theta(n_dk, problem), "theta_p": reference.theta_p(z, problem, leave_out)}
        expected = {f"{a}+{b}": reference.log_likelihood(phi[a], theta[b], problem) for a in phi for b in theta}
        assert found[leave_out] == pytest.approx(expected, rel=1e-5)


def test_both_formats_hold_the_same_sample(report):
    """The same tokens and topics were written to both, and the same priors: alpha 0.1."""
    for result in report.numbers["results"].values():
        for leave_out in plugin.LEAVE_OUT:
            assert result["by_alpha"]["0.1"][leave_out] == pytest.approx(result["theirs"][leave_out], rel=1e-6)
            assert result["by_alpha"]["0.5"][leave_out] != result["theirs"][leave_out]
    mallet, warplda = (report.numbers["results"][program]["theirs"] for program in ("MALLET", "WarpLDA"))
    for leave_out in plugin.LEAVE_OUT:
        for pair in plugin.PAIRS:
            assert mallet[leave_out][pair] == pytest.approx(warplda[leave_out][pair], rel=1e-6)


def test_the_table(report):
    table = report.tables[0]
    assert [record["estimates"] for record in table.records] == [*plugin.PAIRS.values()] * 2
    value = report.numbers["results"]["MALLET"]["theirs"]["token"]["phi+theta"]
    assert f"{value:,.0f}" in str(table)
    stored = json.loads(report.to_json())
    assert [record["α"] for record in stored["tables"][1]["records"]] == [0.01, 0.1, 0.5] * 2
    assert stored["tables"][1]["records"][0]["its α"] == pytest.approx(0.1)
    assert stored["tables"][2]["records"][0]["TASA"] == -2.572
    assert report.figures[0].plot() is not None


def test_a_wrong_order_is_told():
    right = dict(zip(plugin.PAIRS, (-4.0, -3.0, -2.0, -1.0), strict=True))
    wrong = dict(zip(plugin.PAIRS, (-4.0, -2.0, -3.0, -2.0), strict=True))
    result = {"theirs": {"token": right, "none": wrong}, "ours": [{"token": right}, {"token": wrong}]}
    result["by_alpha"] = {"0.1": {"token": right}, "0.5": {"token": wrong}}
    text = plugin._reading({"MALLET": result})
    assert "leaving each token out (Algorithm 1): φ + θ is the worst and φᵖ + θᵖ the best, as in the paper" in text
    assert "φ + θᵖ is better than φᵖ + θ (as in seven" in text and "φᵖ + θᵖ gains 75.00%" in text
    assert "leaving nothing out: φ + θ is not the worst, or φᵖ + θᵖ not the best, unlike the paper" in text
    assert "not better than φᵖ + θ (unlike in seven" in text
    assert "1 of 2 give that order" in text
    assert "With α 0.5, it would be another: priors must be those of the sample." in text


def test_missing_states_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"ap_mallet_state_K100\.gz is not in"):
        plugin.compute(Job("plugin", tmp_path, progress=False))


@pytest.mark.data
@pytest.mark.timeout(1800)
def test_real_states(data_file, tmp_path):
    for files in plugin.FILES.values():
        for file in files:
            data_file(file)
    report = plugin.compute(Job("plugin", runs=1, folder=tmp_path))
    sizes = {program: result["num_tokens"] for program, result in report.numbers["results"].items()}
    assert sizes == {"MALLET": 457_721, "WarpLDA": 306_520}
    for result in report.numbers["results"].values():
        for likelihoods in (result["theirs"], *result["ours"]):
            assert_ordered(likelihoods["token"])
            assert_ordered(likelihoods["none"])
