"""What tokens weigh on the way to soft counts: the likelihood of every document, for half its price."""

from collections.abc import Iterator
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxlda
from jaxlda import estimators
from jaxlda.estimators.soft import softened
from jaxlda.kernels.layouts.blocks import Lists
from jaxlda.kernels.layouts.tokens import lay_out
from jaxlda.types import Data, Priors, Sample, Tokens
from tests import reference
from tests.laws.corpora import FEW, LABELLED, LONG, PREDICTION, make_data, pad
from tests.laws.plain import recount
from tests.tiers import mostly_slow

CORPORA = {"long": LONG, "labelled": pad(LABELLED, 3), "few labels": pad(FEW, 3), "fixed topics": pad(PREDICTION, 3)}


@pytest.fixture(
    scope="module", params=mostly_slow(["cpu", "accelerator"], "cpu", hours=lambda form: True), autouse=True
)
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
    mostly_slow(
        [("long", "token"), ("labelled", "document"), ("few labels", "token"), ("fixed topics", "none")],
        ("labelled", "document"),
    ),
)
def test_tokens_weigh_what_phi_and_theta_say(corpus, leave_out):
    """Whatever is left out of the soft counts: nothing is left out of the likelihood (Eq. 55)."""
    data = CORPORA[corpus]
    p, (sample, z) = reference.problem(data), sample_of(data)
    assert isinstance(lay_out(data).blocks[0], Lists) == (corpus == "few labels")
    soft, weight = softened(sample, lay_out(data), leave_out)
    for ours, theirs in zip(soft, reference.soft_counts(z, p, leave_out), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    n_dk, n_vk, _ = reference.counts(z, p)
    phi = reference.phi(n_vk, p) if data.phi is None else p.phi
    probability = np.einsum("nk,kn->n", reference.theta(n_dk, p)[p.d], phi[:, p.w])
    lengths = np.bincount(p.d, minlength=len(p.alpha)) + p.alpha.sum(1)
    np.testing.assert_allclose(weight[: len(z)], probability * lengths[p.d], rtol=1e-5)
    expected = np.bincount(p.d, np.log(probability), len(p.alpha))
    np.testing.assert_allclose(estimators.log_likelihoods(weight, data), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("num_docs", "num_topics"), mostly_slow([(50, 9), (100, 33), (30, 130)]))
def test_weighing_changes_no_bit_of_the_soft_counts(num_docs, num_topics, form):
    """What is traced of a run must not change its estimates; on accelerators nobody promises the order of a sum."""
    if form != "cpu":
        pytest.skip("the order of sums is the accelerator's")
    data = jaxlda.datasets.simulate(num_docs, 5, 150, 60, seed=0)[0].data(num_topics)
    sample, _ = sample_of(data)
    layout = lay_out(data)
    asked, unasked = jax.jit(softened)(sample, layout), jax.jit(lambda *given: softened(*given).counts)(sample, layout)
    jax.tree.map(np.testing.assert_array_equal, asked.counts, unasked)
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-6), asked.counts, estimators.soften(sample, data))


def many_tokens(case: str, num_tokens: int) -> Data:
    """More tokens than a float32 can add up one by one: of one word, or of many documents; with labels, or without."""
    length = num_tokens if case.startswith("one word") else 50
    words = [0] if case.startswith("one word") else [0, 0, 0, 1]
    d = np.repeat(np.arange(num_tokens // length, dtype=np.int32), length)
    alpha = np.full(70, 0.1, np.float32)
    if case.endswith("labels"):
        alpha = np.zeros((d[-1] + 1, 70), np.float32)
        alpha[:, [3, 30, 69]] = 0.1
    w = np.resize(np.array(words, np.int32), len(d))
    tokens = Tokens(*map(jnp.asarray, (w, d, np.ones_like(d), np.bincount(d).astype(np.int32))))
    return Data(tokens, Priors(jnp.asarray(alpha), jnp.full(2, 0.01, jnp.float32)))


def exact_soft_counts(z: np.ndarray, data: Data, counts) -> tuple[np.ndarray, np.ndarray]:
    """In float64, of every distinct (document, word, topic) once."""
    w, d = (np.asarray(x) for x in data.tokens[:2])
    alpha, beta = (np.asarray(x, np.float64) for x in data.priors)
    n_dk, n_vk, n_k = (np.asarray(x, np.float64) for x in counts)
    soft_dk, soft_vk = np.zeros_like(n_dk), np.zeros_like(n_vk)
    same, times = np.unique((d.astype(np.int64) * 2 + w) * 70 + z, return_counts=True)
    for some in np.array_split(np.arange(len(times)), len(times) // 50_000 + 1):
        d, w, z = same[some] // 140, same[some] // 70 % 2, same[some] % 70
        own = np.arange(70) == z[:, None]
        p = n_dk[d] - own + (alpha if alpha.ndim == 1 else alpha[d])
        p *= (n_vk[w] - own + beta[w, None]) / (n_k - own + beta.sum())
        p *= (times[some] / p.sum(1))[:, None]
        np.add.at(soft_dk, d, p)
        np.add.at(soft_vk, w, p)
    return soft_dk, soft_vk


@pytest.mark.parametrize(
    ("case", "num_tokens"),
    mostly_slow(
        [
            *((case, 400_000) for case in ("one word", "one word, labels", "two words", "two words, labels")),
            ("one word", 40_000_000),
            ("two words", 100_000_000),  # takes 9 GB
        ],
        ("one word", 400_000),
        ("two words", 400_000),
        hours=lambda case: case[1] > 1e7,
    ),
)
def test_no_token_is_lost(case, num_tokens, form):
    """Each soft count to 1e-5, however many tokens there are."""
    if form != "cpu" and num_tokens > 1e6:
        pytest.skip("takes minutes on a CPU")
    data = many_tokens(case, num_tokens)
    z = np.random.default_rng(0).choice([3, 30, 69], num_tokens, p=[0.9, 0.09, 0.01])
    sample = Sample(recount(jnp.asarray(z, jnp.int32), data), jnp.asarray(z, jnp.int32))
    soft = estimators.soften(sample, data)
    for ours, theirs in zip(soft, exact_soft_counts(z, data, sample.counts), strict=False):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(np.asarray(ours, np.float64).sum(1), theirs.sum(1), rtol=1e-5)
    np.testing.assert_allclose(soft.n_k, np.asarray(soft.n_vk, np.float64).sum(0), rtol=1e-6)


def test_documents_without_tokens_score_nothing():
    data = make_data([[], []], [[0.5, 1.5], [0.0, 0.0]], [0.1, 0.3])
    sample, _ = sample_of(data)
    soft, weight = softened(sample, lay_out(data))
    assert weight.shape == (0,) and not np.asarray(soft.n_vk).any()
    np.testing.assert_array_equal(estimators.log_likelihoods(weight, data), [0, 0])


def test_samples_without_z_have_nothing_to_soften():
    sample, _ = sample_of(LONG)
    with pytest.raises(ValueError, match=r"\bz\b"):
        estimators.soften(sample._replace(z=None), LONG)
