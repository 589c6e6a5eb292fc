"""Effects of covariates on alpha: the gradient is the likelihood's, steps climb, and chains find the truth."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import gammaln

import jaxlda
from jaxlda.alignment import align
from jaxlda.kernels import cgs, effects, find, learn_beta, learn_effects
from jaxlda.kernels.joint import log_joint
from jaxlda.types import Counts, Covariates
from tests.tiers import mostly_slow

K, F = 4, 3
TRUE = np.array([[0.4, -0.3, 0.0, 0.2], [1.0, -1.0, 0.5, 0.0], [0.0, 1.2, -0.8, -0.4]])


def covariates(num_docs, rng, scale=(10.0, 1.0, 1.0)):
    x = np.stack([np.ones(num_docs), rng.standard_normal(num_docs), rng.integers(0, 2, num_docs)], axis=1)
    return Covariates(*(jnp.asarray(one, jnp.float32) for one in (x, scale, np.zeros((len(scale), K)))))


def simulated(seed, num_docs=400, doc_length=80, alpha=0.3):
    """A corpus whose alpha depends on covariates by ``TRUE``, ready to be sampled."""
    rng = np.random.default_rng(seed)
    known = covariates(num_docs, rng)
    alpha_dk = alpha * np.exp(np.asarray(known.x) @ TRUE)
    corpus, truth = jaxlda.datasets.simulate(num_docs, K, 60, doc_length, alpha=alpha_dk, beta=0.1, seed=seed)
    return corpus.data(K, alpha=alpha, beta=0.1)._replace(covariates=known), truth


def with_counts(seed=0, num_docs=60, zeros=False):
    """Counts of documents with covariates, of topics alone."""
    rng = np.random.default_rng(seed)
    known = covariates(num_docs, rng)
    n_dk = rng.multinomial(20, rng.dirichlet([0.3] * K, num_docs))
    n_dk[3] = 0
    alpha = np.full((num_docs, K), 0.4)
    if zeros:
        alpha[:20, 1], n_dk[:20, 1] = 0.0, 0
    data = jaxlda.Corpus.from_counts(n_dk, vocab=[f"w{k}" for k in range(K)]).data(alpha=alpha)
    return Counts(*map(jnp.asarray, (n_dk, np.eye(K, dtype=int), n_dk.sum(0)))), data._replace(covariates=known)


def log_density(counts, data, value):
    """log p(n, lambda), one number at a time, in float64."""
    x, scale, _ = (np.asarray(one, np.float64) for one in data.covariates)
    n, base, value = np.asarray(counts.n_dk), np.asarray(data.priors.alpha, np.float64), np.asarray(value, np.float64)
    total = -(value**2 / (2 * scale[:, None] ** 2)).sum()
    for d in range(len(n)):
        own = base[d] > 0
        alpha = base[d][own] * np.exp(x[d] @ value[:, own])
        total += gammaln(alpha.sum()) - gammaln(n[d].sum() + alpha.sum())
        total += (gammaln(n[d][own] + alpha) - gammaln(alpha)).sum()
    return total


@pytest.mark.parametrize("zeros", [False, True])
def test_gradient_is_that_of_finite_differences(zeros):
    counts, data = with_counts(zeros=zeros)
    value = np.random.default_rng(1).normal(0, 0.5, (F, K)).astype(np.float32)
    ours = np.asarray(jax.jit(effects.gradient)(counts, data, value))
    step = 1e-4
    for f in range(F):
        for k in range(K):
            up, down = value.astype(np.float64), value.astype(np.float64)
            up[f, k] += step
            down[f, k] -= step
            theirs = (log_density(counts, data, up) - log_density(counts, data, down)) / (2 * step)
            assert ours[f, k] == pytest.approx(theirs, rel=1e-4, abs=2e-3)


@pytest.mark.parametrize("start", [0.0, 2.0, -4.0])
def test_every_step_climbs_to_the_optimum(start):
    counts, data = with_counts()
    climb = jax.jit(effects.climb)
    value = jnp.full((F, K), start, jnp.float32)
    before = log_density(counts, data, value)
    for _ in range(30):
        value = climb(counts, data, value, 1)
        after = log_density(counts, data, value)
        assert after > before - 1e-3
        before = after
    value = climb(counts, data, value, 300)
    best = minimize(lambda flat: -log_density(counts, data, flat.reshape(F, K)), np.zeros(F * K), method="L-BFGS-B")
    np.testing.assert_allclose(value, best.x.reshape(F, K), atol=0.01)


def test_intercept_alone_is_minkas_iteration():
    counts, data = with_counts()
    ones = Covariates(jnp.ones((60, 1)), jnp.full(1, 1e4), jnp.zeros((1, K)))
    value = effects.climb(counts, data._replace(covariates=ones), jnp.zeros((1, K)), 2000)
    alpha = jaxlda.kernels.hyper.fixed_point(counts.n_dk, data.tokens.n_d, jnp.full(K, 0.4), 2000)
    np.testing.assert_allclose(0.4 * np.exp(value[0]), alpha, rtol=0.01)


@pytest.fixture(scope="module", params=mostly_slow(range(5), hours=lambda seed: seed > 0))
def fitted(request):
    data, truth = simulated(request.param)
    keep = ("effects",)
    run = jaxlda.run(request.param, learn_effects(cgs()), data, num_warmup=150, num_samples=20, thinning=5, keep=keep)
    return run, truth


def test_effects_are_recovered(fitted):
    """Five corpora: what topics have in common may be added to all effects of a covariate, so differences count."""
    run, truth = fitted
    phi = np.asarray(jaxlda.estimators.phi(run.counts(chain=0), run.chain_data(0)))
    order = align(truth.phi, phi).permutation
    found = run.effects[0].mean(axis=0)[:, order]
    assert run.effects.shape == (1, 20, F, K)
    assert np.abs(found - TRUE)[1:].max() < 0.45  # the standard error of one is about 0.12
    assert np.corrcoef(found[1:].ravel(), TRUE[1:].ravel())[0, 1] > 0.97


def test_alpha_of_a_draw_is_in_the_log_joint(fitted):
    run, _ = fitted
    view, sample = run.chain_data(0), run.chain(0)
    x, _, learned = run.data.covariates
    assert np.abs(run.state(0).effects[:, :K]).max() > 0.5 and not np.asarray(learned).any()
    expected = 0.3 * np.exp(np.asarray(x) @ np.asarray(view.covariates.effects))
    np.testing.assert_allclose(view.priors.alpha, expected, rtol=1e-4)
    assert run.trace["log_joint"][0, -1] == pytest.approx(log_joint(sample.counts, view), rel=1e-6)
    assert log_joint(sample.counts, view) > log_joint(sample.counts, run.data) + 50


@pytest.mark.hours
def test_stops_goes_on_and_is_saved(tmp_path):
    data, _ = simulated(0, num_docs=40, doc_length=20)
    algorithm = learn_beta(learn_effects(cgs(), every=3, start=2, num_iterations=2))
    options = {"num_warmup": 6, "num_samples": 3, "thinning": 2, "num_chains": 2, "keep": ("effects",)}
    whole = jaxlda.run(1, algorithm, data, **options)
    half = jaxlda.run(1, algorithm, data, **options | {"num_samples": 1})
    half.save(tmp_path / "half.jaxlda")
    loaded = jaxlda.load(tmp_path / "half.jaxlda")
    assert loaded.algorithm == algorithm and np.array_equal(loaded.data.covariates.x, data.covariates.x)
    again = jaxlda.run(loaded.key, algorithm, data, **options, start=loaded)
    assert np.array_equal(again.effects, whole.effects) and np.abs(whole.effects).max() > 0
    assert np.array_equal(again.chain(1).z, whole.chain(1).z)


@pytest.mark.parametrize(
    "kernel",
    mostly_slow(["cvb0", "pcgs", "sparse", "vb", "warp"], hours=lambda kernel: kernel not in ("cvb0", "pcgs")),
)
def test_other_kernels_learn_effects(kernel):
    data, _ = simulated(0, num_docs=40, doc_length=20)
    run = jaxlda.run(0, learn_effects(find(kernel), every=2, start=2), data, num_warmup=8)
    assert np.isfinite(run.objective[0, -1]) and np.abs(run.state(0).effects).max() > 0


def test_what_cannot_be_learned():
    data, _ = simulated(0, num_docs=40, doc_length=20)
    with pytest.raises(ValueError, match="these data have none"):
        jaxlda.run(0, learn_effects(cgs()), data._replace(covariates=None), num_warmup=1)


def test_a_view_of_a_view_is_the_view():
    _, data = with_counts()
    value = jnp.full((F, K), 0.3)
    once = effects._view(value, data)
    np.testing.assert_allclose(effects._view(value, once).priors.alpha, once.priors.alpha, rtol=1e-6)
