"""The estimators against Algorithm 1 written out, and against the posterior mean they estimate."""

import inspect
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxlda import estimators, kernels
from jaxlda.types import Counts, Data, Priors, Sample, Tokens
from tests import reference
from tests.laws.chains import draws
from tests.laws.corpora import MIXED, PREDICTION, TINY, make_data, pad
from tests.laws.plain import recount
from tests.tiers import mostly_slow

LEAVE_OUT = ["token", "document", "none"]
SIZE = 12  # entries of every corpus below, the rest being padding: few shapes, few compilations

positive = st.sampled_from([0.01, 0.3, 1.0, 2.5])


def sample_of(z, data: Data) -> Sample:
    z = jnp.asarray(z, jnp.int32)
    return Sample(recount(z, data), z)


@st.composite
def problems(draw, *sizes: tuple[int, int, int]) -> tuple[Data, np.ndarray]:
    """A corpus of up to twelve tokens and an assignment that its priors allow; padded."""
    D, V, K = draw(st.sampled_from(sizes))

    def matrix(rows: int, columns: int, entries) -> np.ndarray:
        return np.reshape(draw(st.lists(entries, min_size=rows * columns, max_size=rows * columns)), (rows, columns))

    docs = [draw(st.lists(st.integers(0, V - 1), max_size=SIZE // D)) for _ in range(D)]
    matrices = draw(st.sampled_from(["", "alpha", "beta", "phi", "alpha and phi"]))
    alpha = matrix(D, K, st.just(0.0) | positive) if "alpha" in matrices else matrix(1, K, positive)[0]
    beta = matrix(K, V, positive) if "beta" in matrices else matrix(1, V, positive)[0]
    phi = matrix(K, V, positive) if "phi" in matrices else None
    if alpha.ndim == 2:
        stuck = ~alpha.any(axis=1) & np.array([len(doc) > 0 for doc in docs])
        alpha[stuck, 0] = 0.5  # only an empty document may forbid every topic
    data = make_data(docs, alpha, beta, None if phi is None else phi / phi.sum(axis=1, keepdims=True))
    allowed = [np.flatnonzero(row) for row in reference.problem(data).alpha]
    z = [allowed[d][draw(st.integers(0, len(allowed[d]) - 1))] for d in np.asarray(data.tokens.d)]
    return pad(data, SIZE - len(z)), np.array(z, np.int64)


def assert_close(ours, theirs) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


@settings(max_examples=20)
@given(problems((3, 4, 3)))
def test_estimators_are_those_of_the_reference(problem):
    check_estimators(*problem, "token")


@pytest.mark.slow
@settings(max_examples=45)
@given(problems((3, 4, 3), (2, 5, 9)), st.sampled_from(LEAVE_OUT))
def test_all_variants_are_those_of_the_reference(problem, leave_out):
    check_estimators(*problem, leave_out)


def check_estimators(data: Data, z: np.ndarray, leave_out: str) -> None:
    p = reference.problem(data)
    sample = sample_of(np.pad(z, (0, SIZE - len(z))), data)
    hard, soft = reference.counts(z, p), reference.soft_counts(z, p, leave_out)
    assert_close(estimators.theta(sample.counts, data), reference.theta(hard[0], p))
    fixed = data.phi is not None  # then phi is what it is
    assert_close(estimators.phi(sample.counts, data), p.phi if fixed else reference.phi(hard[1], p))
    jax.tree.map(np.testing.assert_array_equal, estimators.theta(sample, data), estimators.theta(sample, data.priors))
    softened = estimators.soften(sample, data, leave_out=leave_out)
    for ours, theirs in zip(softened, soft, strict=True):
        assert jnp.issubdtype(ours.dtype, jnp.floating)
        assert_close(ours, theirs)
    phi_p = np.asarray(estimators.phi_p(sample, data, leave_out=leave_out))
    theta_p = np.asarray(estimators.theta_p(sample, data, leave_out=leave_out))
    assert_close(phi_p, p.phi if fixed else reference.phi_p(z, p, leave_out))
    assert_close(theta_p, reference.theta_p(z, p, leave_out))
    # Conservation, and distributions that are distributions.
    assert_close(softened.n_dk.sum(1), data.tokens.n_d)
    assert_close(softened.n_vk.sum(1), np.bincount(p.w, minlength=p.beta.shape[1]))
    assert_close(softened.n_k, softened.n_vk.sum(0))
    assert_close(phi_p.sum(axis=1), 1.0)
    assert_close(theta_p.sum(axis=1), p.alpha.any(axis=1))
    assert not theta_p[p.alpha == 0].any()


@pytest.mark.parametrize("data", [MIXED, PREDICTION], ids=["learned", "fixed"])
def test_the_default_is_algorithm_1(data):
    p = reference.problem(data)
    z = np.random.default_rng(0).integers(0, 4, len(p.w))
    sample = sample_of(z, data)
    assert_close(estimators.theta_p(sample, data), reference.theta_p(z, p))
    assert_close(estimators.phi_p(sample, data), reference.phi_p(z, p) if data.phi is None else p.phi)
    for ours, theirs in zip(estimators.soften(sample, data), reference.soft_counts(z, p), strict=True):
        assert_close(ours, theirs)


def test_padding_changes_no_bit():
    rng = np.random.default_rng(0)
    z = rng.integers(0, 4, len(MIXED.tokens.w))
    padded = pad(MIXED, 5)
    for z_padding in (0, 3):
        ours = estimators.soften(sample_of(z, MIXED), MIXED)
        theirs = estimators.soften(sample_of(np.pad(z, (0, 5), constant_values=z_padding), padded), padded)
        jax.tree.map(np.testing.assert_array_equal, ours, theirs)


@pytest.mark.parametrize("alpha", [[0.0], [1.0]], ids=["no topic allowed", "own weight zero"])
def test_padding_of_an_empty_document_is_inert(alpha):
    """Padding has no weight, so nothing may be divided by the sum of its weights."""
    data = pad(make_data([[0, 1, 1], []], [[0.5], alpha], [0.1, 0.2]), 2)
    for ours, theirs in zip(
        estimators.soften(sample_of(np.zeros(5), data), data), ([[3], [0]], [[1], [2]], [3]), strict=True
    ):
        assert_close(ours, theirs)


@pytest.mark.parametrize("phi", [None, [[0.5, 0.5], [0.9, 0.1]]], ids=["learned", "fixed"])
def test_nothing_but_empty_documents(phi):
    data = make_data([[], []], [0.5, 1.5], [0.1, 0.3], phi)
    sample = sample_of(np.zeros(0), data)
    assert not any(np.asarray(n).any() for n in estimators.soften(sample, data))
    assert_close(estimators.theta_p(sample, data), [[0.25, 0.75]] * 2)
    assert_close(estimators.phi_p(sample, data), phi or [[0.25, 0.75]] * 2)


def test_gap_is_the_distance_of_hard_and_soft_counts():
    p = reference.problem(MIXED)
    z = np.random.default_rng(1).integers(0, 4, len(p.w))
    sample = sample_of(z, MIXED)
    gap = float(estimators.gap(sample.counts, estimators.soften(sample, MIXED)))
    assert gap == pytest.approx(reference.hard_soft_gap(z, p), rel=1e-5)
    assert float(estimators.gap(sample.counts, sample.counts)) == 0


@pytest.mark.parametrize("estimator", [estimators.soften, estimators.phi_p, estimators.theta_p])
def test_a_sample_without_z_is_refused(estimator):
    alg = kernels.cvb0()
    layout = alg.prepare(MIXED)
    sample = jax.jit(alg.readout)(jax.jit(alg.init)(jax.random.key(0), layout), layout)
    with pytest.raises(ValueError, match=r"\bz\b.*phi and theta already are"):
        estimator(sample, MIXED)


def test_an_unknown_variant_is_refused():
    soften = inspect.unwrap(estimators.soften)  # as users have it, without the type checks of the tests
    with pytest.raises(ValueError, match=r"'token', 'document' or 'none'.*'word'"):
        soften(sample_of(np.zeros(len(MIXED.tokens.w)), MIXED), MIXED, leave_out="word")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(MIXED, id="learned", marks=pytest.mark.hours),
        pytest.param(PREDICTION, id="fixed", marks=pytest.mark.hours),
    ],
)
def test_samples_with_chain_and_draw_axes(data):
    z = np.random.default_rng(2).integers(0, 4, (2, 3, len(data.tokens.w)))
    samples = jax.vmap(jax.vmap(sample_of, (0, None)), (0, None))(z, data)
    for estimator in (estimators.soften, estimators.phi_p, estimators.theta_p):
        batched = jax.jit(jax.vmap(jax.vmap(estimator, (0, None)), (0, None)))(samples, data)
        single = estimator(sample_of(z[1, 2], data), data)
        jax.tree.map(lambda a, b: assert_close(a[1, 2], b), batched, single)
    # phi and theta take leading axes as they are.
    assert_close(estimators.theta(samples.counts, data)[1, 2], estimators.theta(sample_of(z[1, 2], data).counts, data))
    assert_close(estimators.phi(samples.counts, data)[0, 1], estimators.phi(sample_of(z[0, 1], data).counts, data))


@pytest.mark.parametrize("platform", mostly_slow(["cpu", "cuda", "tpu"], "cuda"))
@pytest.mark.parametrize("data", [MIXED, PREDICTION], ids=["learned", "fixed"])
def test_lowers_for_every_platform(data, platform):
    sample = sample_of(np.zeros(len(data.tokens.w)), data)

    def all_of_them(sample, data):
        variants = [estimators.soften(sample, data, leave_out=name) for name in LEAVE_OUT]
        return variants, estimators.phi_p(sample, data), estimators.theta_p(sample, data)

    lowered = jax.jit(all_of_them).trace(sample, data).lower(lowering_platforms=(platform,))
    assert "stablehlo" in lowered.as_text()


@cache
def listed(name: str) -> tuple[Data, reference.Enumeration, Sample]:
    """Every assignment of a tiny corpus, as samples."""
    data = TINY[name]
    posterior = reference.enumerate_posterior(reference.problem(data))
    return data, posterior, jax.vmap(sample_of, (0, None))(posterior.z, data)


def over_samples(estimator, samples: Sample, data: Data, **options) -> np.ndarray:
    estimate = jax.jit(jax.vmap(lambda sample, data: estimator(sample, data, **options), (0, None)))
    return np.asarray(estimate(samples, data), np.float64)


@pytest.mark.parametrize(("leave_out", "unbiased"), [("token", True), ("document", False), ("none", False)])
@pytest.mark.parametrize("name", mostly_slow(["asymmetric", "fixed topics"], "asymmetric"))
def test_the_expectation_of_theta_p_is_the_posterior_mean(name, leave_out, unbiased):
    """Exactly, summed over every z (below Eq. 33); leaving out less is biased, unless there is no more to leave out."""
    data, posterior, samples = listed(name)
    p = reference.problem(data)
    exact = reference.theta(reference.mean_n_dk(posterior, p), p)
    estimates = over_samples(estimators.theta_p, samples, data, leave_out=leave_out)
    error = np.abs(np.einsum("s,sdk->dk", posterior.probability, estimates) - exact).max()
    unbiased = unbiased or (leave_out == "document" and data.phi is not None)
    assert (error < 1e-5) if unbiased else (error > 1e-3)


def variance(estimates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    mean = np.einsum("s,sdk->dk", weights, estimates)
    return np.einsum("s,sdk->dk", weights, (estimates - mean) ** 2)


@pytest.mark.slow
def test_averages_of_draws_converge_to_the_posterior_mean_and_theta_p_varies_less():
    """Rao and Blackwell: both estimators average to the same, theta_p with the smaller variance.

    The seed is fixed. Over seeds, the bound on the means (4.5 standard errors; two estimators of two free numbers each)
    fails with probability below 5e-5, the one on the variances (six of their standard errors) more rarely still.
    """
    data, posterior, samples = listed("fixed topics")
    p = reference.problem(data)
    exact = reference.theta(reference.mean_n_dk(posterior, p), p)
    z = draws(kernels.cgs(), 7, data, 4000)
    drawn = jax.vmap(sample_of, (0, None))(z, data)

    def theta(sample: Sample, data: Data):
        return estimators.theta(sample.counts, data)

    variances = []
    for estimator in (theta, estimators.theta_p):
        exact_variance = variance(over_samples(estimator, samples, data), posterior.probability)
        estimates = over_samples(estimator, drawn, data)
        error = np.abs(estimates.mean(axis=0) - exact) / np.sqrt(exact_variance / len(z))
        assert error.max() < 4.5
        np.testing.assert_allclose(estimates.var(axis=0), exact_variance, rtol=0.2)
        variances.append(exact_variance)
    assert np.all(variances[1] < 0.75 * variances[0])


def test_averaged_counts_are_counts():
    """Eq. 29: the estimate from averaged soft counts is the average of the estimates, with documents' lengths fixed."""
    data, _, samples = listed("fixed topics")
    soft = jax.vmap(estimators.soften, (0, None))(samples, data)
    mean = Counts(*(n.mean(0) for n in soft))
    assert_close(estimators.theta(mean, data), over_samples(estimators.theta_p, samples, data).mean(axis=0))


def test_a_very_frequent_word_keeps_the_rows_of_phi_p_normalised():
    """Two million tokens of one word: single precision cannot add that many small numbers exactly."""
    n, K = 2_000_000, 20
    z = jnp.asarray(np.random.default_rng(0).integers(0, K, n), jnp.int32)
    n_k = jnp.bincount(z, length=K).astype(jnp.int32)
    tokens = Tokens(jnp.zeros(n, jnp.int32), jnp.zeros(n, jnp.int32), jnp.ones(n, jnp.int32), jnp.array([n]))
    data = Data(tokens, Priors(jnp.full(K, 0.1), jnp.full(1, 0.01)))
    phi = estimators.phi_p(Sample(Counts(n_k[None], n_k[None], n_k), z), data)
    np.testing.assert_allclose(phi.sum(axis=1), 1, atol=1e-5)
