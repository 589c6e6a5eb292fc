"""What tokens weigh on the way to soft counts: the likelihood of every document, for half its price."""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxlda
from jaxlda import estimators
from jaxlda.kernels.layouts.blocks import Lists
from jaxlda.kernels.layouts.tokens import lay_out
from jaxlda.types import Sample
from tests import reference
from tests.laws.corpora import FEW, LABELLED, LONG, PREDICTION, make_data, pad
from tests.laws.plain import recount
from tests.tiers import mostly_slow

CORPORA = {"long": LONG, "labelled": pad(LABELLED, 3), "few labels": pad(FEW, 3), "fixed topics": pad(PREDICTION, 3)}


@pytest.fixture(scope="module", params=mostly_slow(["cpu", "accelerator"], "cpu"), autouse=True)
def form(request) -> Iterator[str]:
    """Both forms of the loop: the accelerator's is the default of ``platform_dependent``."""
    if request.param == "cpu":
        yield request.param
        return
    jax.clear_caches()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lax, "platform_dependent", lambda *args, default, **others: default(*args))
        yield request.param
    jax.clear_caches()


def sample_of(data) -> tuple[Sample, np.ndarray]:
    p, rng = reference.problem(data), np.random.default_rng(0)
    z = np.array([rng.choice(np.flatnonzero(p.alpha[d])) for d in p.d])
    padded = jnp.asarray(np.pad(z, (0, len(data.tokens.w) - len(z))), jnp.int32)
    return Sample(recount(padded, data), padded), z


@pytest.mark.parametrize(
    ("corpus", "leave_out"),
    [("long", "token"), ("labelled", "document"), ("few labels", "token"), ("fixed topics", "none")],
)
def test_tokens_weigh_what_phi_and_theta_say(corpus, leave_out):
    """Whatever is left out of the soft counts: nothing is left out of the likelihood (Eq. 55)."""
    data = CORPORA[corpus]
    p, (sample, z) = reference.problem(data), sample_of(data)
    assert isinstance(lay_out(data).blocks[0], Lists) == (corpus == "few labels")
    soft, weight = estimators.soften_and_weigh(sample, data, leave_out=leave_out)
    for ours, theirs in zip(soft, reference.soft_counts(z, p, leave_out), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    n_dk, n_vk, _ = reference.counts(z, p)
    phi = reference.phi(n_vk, p) if data.phi is None else p.phi
    probability = np.einsum("nk,kn->n", reference.theta(n_dk, p)[p.d], phi[:, p.w])
    lengths = np.bincount(p.d, minlength=len(p.alpha)) + p.alpha.sum(1)
    np.testing.assert_allclose(weight[: len(z)], probability * lengths[p.d], rtol=1e-5)
    expected = np.bincount(p.d, np.log(probability), len(p.alpha))
    np.testing.assert_allclose(estimators.log_likelihoods(weight, data), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("num_docs", "num_topics"), mostly_slow([(50, 9), (100, 33), (30, 130)], (50, 9)))
def test_weighing_changes_no_bit_of_the_soft_counts(num_docs, num_topics, form):
    """What is traced of a run must not change its estimates; on accelerators nobody promises the order of a sum."""
    if form != "cpu":
        pytest.skip("the order of sums is the accelerator's")
    data = jaxlda.datasets.simulate(num_docs, 5, 150, 60, seed=0)[0].data(num_topics)
    sample, _ = sample_of(data)
    both = estimators.soften(sample, data), estimators.soften_and_weigh(sample, data).counts
    jax.tree.map(np.testing.assert_array_equal, *both)


def test_documents_without_tokens_score_nothing():
    data = make_data([[], []], [[0.5, 1.5], [0.0, 0.0]], [0.1, 0.3])
    sample, _ = sample_of(data)
    soft, weight = estimators.soften_and_weigh(sample, data)
    assert weight.shape == (0,) and not np.asarray(soft.n_vk).any()
    np.testing.assert_array_equal(estimators.log_likelihoods(weight, data), [0, 0])


def test_samples_without_z_have_nothing_to_weigh():
    sample, _ = sample_of(LONG)
    with pytest.raises(ValueError, match=r"\bz\b"):
        estimators.soften_and_weigh(sample._replace(z=None), LONG)
