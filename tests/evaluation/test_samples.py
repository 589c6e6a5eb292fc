"""Curves over samples end where document completion is, and their beginnings do not change."""

import numpy as np
import pytest

import jaxlda
from jaxlda.evaluation import completion_table
from jaxlda.evaluation.samples import sample_curve

OPTIONS = {"num_warmup": 6, "thinning": 2, "num_chains": 2, "seed": 4}


@pytest.fixture(scope="module")
def halves():
    return jaxlda.datasets.simulate(25, 3, 30, 20, seed=2)[0].halves()


@pytest.fixture(scope="module")
def phis():
    rng = np.random.default_rng(0)
    return {"phi": rng.dirichlet(np.ones(30), 3).astype(np.float32), "phi_p": np.full((3, 30), 1 / 30, np.float32)}


@pytest.fixture(scope="module")
def curve(phis, halves):
    return sample_curve(phis, 0.5, *halves, **OPTIONS).extended(3)


def test_is_document_completion_after_as_many_samples(curve, phis, halves):
    for samples in (1, 3):
        table = completion_table(phis, 0.5, *halves, num_samples=samples, **OPTIONS)
        for pair, score in table.items():
            assert curve.perplexities[pair][samples - 1] == pytest.approx(score.perplexity, rel=1e-6), (pair, samples)
    assert curve.perplexities["phi_p", "theta"][0] == pytest.approx(30, rel=1e-5)


def test_sample_by_sample_or_at_once(curve, phis, halves):
    step = sample_curve(phis, 0.5, *halves, **OPTIONS)
    assert step.num_samples == 0 and set(step.perplexities.values()) == {()}
    for samples in (1, 2, 3):
        longer = step.extended()
        assert longer.num_samples == samples == step.num_samples + 1
        step = longer
    assert step.perplexities == curve.perplexities


@pytest.mark.slow
def test_theta_p_is_ahead_with_one_sample():
    # On the truth; three documents in four would have to disagree. The seed is fixed.
    corpus, truth = jaxlda.datasets.bars(num_docs=80)
    curve = sample_curve({"phi": truth.phi}, 1.0, *corpus.halves(), num_warmup=20).extended(8)
    theta, theta_p = curve.perplexities["phi", "theta"], curve.perplexities["phi", "theta_p"]
    assert theta_p[0] < theta[0] and theta[-1] < theta[0]
    assert theta[-1] - theta_p[-1] < (theta[0] - theta_p[0]) / 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phis": {}}, "give at least one estimate of phi"),
        ({"held": jaxlda.Corpus.from_counts([[1]])}, "give the two halves of the same documents"),
        ({"num_warmup": -1}, "num_warmup must not be negative; got -1"),
        ({"thinning": 0}, "thinning must be at least 1; got 0"),
        ({"num_chains": 0}, "num_chains must be at least 1; got 0"),
        ({"seed": -1}, "seed must not be negative; got -1"),
    ],
)
def test_errors(phis, halves, change, message):
    arguments = {"phis": phis, "alpha": 0.5, "observed": halves[0], "held": halves[1]} | change
    with pytest.raises(ValueError, match=message):
        sample_curve(**arguments)


def test_nothing_to_score(phis, halves):
    empty = halves[1]._with_data(np.zeros_like(halves[1].counts.data))
    with pytest.raises(ValueError, match="the held half has no tokens to score"):
        sample_curve(phis, 0.5, halves[0], empty)


def test_more_must_be_some(curve):
    with pytest.raises(ValueError, match="more must be at least 1; got 0"):
        curve.extended(0)
