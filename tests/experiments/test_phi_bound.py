"""Eq. 47 and its bound: against the listing of all neighbours; a check; the paper's figure on AP, marked data."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import datasets, kernels
from jaxlda.experiments import phi_bound
from jaxlda.experiments._job import Job
from jaxlda.types import Sample
from tests import reference
from tests.laws.corpora import LABELLED, MIXED, TINY, pad
from tests.laws.plain import recount


def sample_of(data, seed=0):
    alg = kernels.cgs()
    layout = alg.prepare(data)
    return jax.jit(alg.readout)(jax.jit(alg.init)(jax.random.key(seed), layout), layout)


def listed(sample, data, reading):
    """Both sides by their definition: every neighbour of z, its weight, and phi of its counts."""
    p = reference.problem(data)
    z = np.asarray(sample.z)[: len(p.w)]
    phi, weight = [], []
    totals = reference.counts(z, p)[2] + p.beta.sum(1)
    numerators = []

    def note(z, w):
        n_dk, n_vk, _ = reference.counts(z, p)
        phi.append(reference.phi(n_vk, p))
        numerators.append((n_vk.T + p.beta) / totals[:, None])
        weight.append(np.exp(reference.log_joint(n_dk, n_vk, p)) if reading == "posterior" else w)

    if reading == "posterior":
        note(z, None)
    for i in range(len(z)):
        conditional = reference.conditional(i, z, reference.counts(z, p), p)
        for k in np.flatnonzero(conditional):
            if reading == "scan" or k != z[i]:
                moved = z.copy()
                moved[i] = k
                note(moved, conditional[k] / len(z))
    weight = np.array(weight) / np.sum(weight)
    return np.tensordot(weight, phi, 1), np.tensordot(weight, numerators, 1)


@pytest.mark.parametrize("reading", phi_bound.READINGS)
@pytest.mark.parametrize("data", [TINY["asymmetric"], TINY["three topics"], TINY["labelled"], pad(MIXED, 3)])
def test_both_sides_are_those_of_the_listing(data, reading):
    sample = sample_of(data)
    both = phi_bound.sides(sample, data, reading)
    exact, approximate = listed(sample, data, reading)
    np.testing.assert_allclose(both.exact, exact, rtol=1e-5)
    np.testing.assert_allclose(both.approximate, approximate, rtol=1e-5)
    np.testing.assert_allclose(both.errors, np.abs(exact - approximate).sum(1), rtol=1e-2)
    assert np.all(both.errors > 0)


@pytest.mark.parametrize("reading", phi_bound.READINGS)
@pytest.mark.parametrize("seed", range(3))
def test_the_bound_holds(seed, reading):
    for data in (MIXED, LABELLED):
        assert phi_bound.sides(sample_of(data, seed), data, reading).violations == 0


def test_violations_are_noticed():
    both = phi_bound.sides(sample_of(MIXED), MIXED)
    above = both._replace(exact=both.approximate * (both.totals / (both.totals - 1.01))[:, None])
    below = both._replace(exact=both.approximate * (both.totals / (both.totals + 1.01))[:, None])
    assert above.violations == below.violations == both.exact.size
    empty = above._replace(n_k=np.zeros_like(both.n_k))
    assert empty.violations == 0, "of empty topics the paper says nothing"


def test_an_empty_topic_loses_nothing():
    z = jnp.zeros(len(MIXED.tokens.w), jnp.int32)
    both = phi_bound.sides(Sample(recount(z, MIXED), z), MIXED)
    assert np.isfinite(both.exact).all() and (both.exact > 0).all()
    np.testing.assert_allclose(both.exact.sum(1), 1, rtol=1e-6)


def test_what_cannot_be_is_told():
    sample = sample_of(MIXED)
    with pytest.raises(ValueError, match="reading must be 'posterior' or 'scan'; got 'tea'"):
        phi_bound.sides(sample, MIXED, "tea")
    with pytest.raises(ValueError, match="neighbours of z, and this sample has none"):
        phi_bound.sides(sample._replace(z=None), MIXED)


@pytest.mark.hours
def test_check():
    report = phi_bound.compute(Job("phi-bound", scale="smoke", progress=False))
    stored = json.loads(report.to_json())["numbers"]
    assert [len(runs) for runs in stored["runs"].values()] == [2, 2]
    few, many = ([run["posterior"]["error"] for run in runs] for runs in stored["runs"].values())
    assert max(many) < min(few)
    assert all(
        run[r]["violations"] == 0 for runs in stored["runs"].values() for run in runs for r in phi_bound.READINGS
    )
    assert "holds for all of them, as in the paper" in report.reading
    assert all(f"{slope:.2f} ({reading}: " in report.reading for reading, slope in stored["slopes"].items())
    (figure,) = report.figures
    assert set(figure.table["x"]) == {15.0, 60.0} and figure.plot() is not None


def test_powers_in_words():
    words = [phi_bound._like(slope) for slope in (-1.1, -0.9, -1.4, -0.5)]
    assert words == ["1 / n_k to within 0.15"] * 2 + ["faster than 1 / n_k", "slower than 1 / n_k"]


def test_missing_data_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"ap_blei\.npz is not in"):
        phi_bound.compute(Job("phi-bound", tmp_path, progress=False))


@pytest.mark.data
@pytest.mark.timeout(3600)
def test_the_findings_on_ap(data_file, tmp_path):
    data_file("ap_blei.npz")
    assert datasets.load("ap").num_docs == phi_bound.SCALES["full"].documents[-1]
    report = phi_bound.compute(Job("phi-bound", runs=2, folder=tmp_path))
    rows = report.tables[0].records
    assert sum(row["violations"] for row in rows) == 0 and sum(row["checked"] for row in rows) > 10**7
    errors = [row["error, posterior"] for row in rows]
    assert errors == sorted(errors, reverse=True)
    assert report.numbers["slopes"]["posterior"] < -0.8
