"""Three ways to one posterior: collapsed Gibbs sampling, and NUTS and SVI on the marginal form of the model.

``SMALL`` can be listed: its 4096 assignments give the exact posterior, which all three are compared with. An asymmetric
prior of the topics pins their numbers. Statistical bounds state how often a right program would exceed them over seeds;
seeds are fixed.
"""

from functools import cache, partial
from typing import NamedTuple

import jax
import numpy as np
import pytest
from numpyro import diagnostics, optim
from numpyro.infer import NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoMultivariateNormal
from scipy import stats

from jaxlda import ppl
from tests import reference
from tests.laws.corpora import make_data
from tests.ppl.samplers import gibbs, mcmc

FALSE_ALARM = 1e-3

SMALL = make_data([[0, 0, 1, 0], [3, 2, 3, 3], [0, 2, 1, 3]], [0.6, 0.9], [[3.0, 2.0, 0.6, 0.5], [0.5, 0.7, 2.0, 3.0]])


class Moments(NamedTuple):
    """Mean and variance, a number for every entry of phi and theta."""

    mean: dict[str, np.ndarray]
    variance: dict[str, np.ndarray]


@cache
def exact() -> Moments:
    """Given z, phi and theta are Dirichlet; the posterior is the mixture of these over all z."""
    p = reference.problem(SMALL)
    posterior = reference.enumerate_posterior(p)
    first, second = {"phi": 0.0, "theta": 0.0}, {"phi": 0.0, "theta": 0.0}
    for z, weight in zip(posterior.z, posterior.probability, strict=True):
        n_dk, n_vk, _ = reference.counts(z, p)
        for name, concentration in (("phi", n_vk.T + p.beta), ("theta", n_dk + p.alpha)):
            total = concentration.sum(1, keepdims=True)
            first[name] += weight * concentration / total
            second[name] += weight * concentration * (concentration + 1) / (total * (total + 1))
    return Moments(first, {name: second[name] - first[name] ** 2 for name in first})


def worst_score(draws: dict, moments: Moments) -> float:
    """The largest deviation of a mean, or of a variance, in standard errors by the effective sample size."""
    scores = []
    for name, x in draws.items():
        centred = (np.asarray(x, np.float64) - moments.mean[name]) ** 2
        for value, target in ((np.asarray(x, np.float64), moments.mean[name]), (centred, moments.variance[name])):
            error = value.std((0, 1)) / np.sqrt(diagnostics.effective_sample_size(value))
            scores.append(np.abs((value.mean((0, 1)) - target) / error).max())
    return float(max(scores))


# Of 28 standard normal scores the largest exceeds this with probability 2e-4 (5e-4 allowing for estimated errors).
SCORE = 4.5


def test_the_prior_alone_would_not_pass():
    """What is compared below is moved by the data: the prior's means are far off."""
    p = reference.problem(SMALL)
    prior = {"phi": p.beta / p.beta.sum(1, keepdims=True), "theta": p.alpha / p.alpha.sum(1, keepdims=True)}
    assert all(np.abs(prior[name] - exact().mean[name]).max() > 0.06 for name in prior)


@pytest.fixture(scope="module")
def nuts():
    sampler = mcmc(NUTS(partial(ppl.lda, marginal=True)), 2000, 1, 300)
    sampler.run(jax.random.key(2), SMALL)
    return sampler


@pytest.mark.slow
def test_nuts_agrees(nuts):
    draws = nuts.get_samples(group_by_chain=True)
    assert set(draws) == {"phi", "theta"}
    assert worst_score(draws, exact()) < SCORE


@pytest.fixture(scope="module")
def gibbs_draws():
    sampler = gibbs(SMALL, 12_000, num_chains=1, num_warmup=50, sites=("phi", "theta", "phi_hat", "theta_hat"))
    return sampler.get_samples(group_by_chain=True)


@pytest.mark.slow
def test_collapsed_gibbs_agrees(gibbs_draws):
    assert worst_score({name: gibbs_draws[name] for name in ("phi", "theta")}, exact()) < SCORE


@pytest.mark.slow
@pytest.mark.parametrize("name", ["phi", "theta"])
def test_estimates_have_the_same_mean_and_less_variance(gibbs_draws, name):
    hat = np.asarray(gibbs_draws[f"{name}_hat"], np.float64)
    error = hat.std((0, 1)) / np.sqrt(diagnostics.effective_sample_size(hat))
    assert np.abs((hat.mean((0, 1)) - exact().mean[name]) / error).max() < SCORE
    assert (hat.var((0, 1)) < exact().variance[name]).all()


@pytest.mark.slow
def test_posterior_predictive_words(gibbs_draws):
    """Given the draws, words are independent, and their counts vary less than a multinomial's: false alarm < 1e-3."""
    draws = {name: np.concatenate(gibbs_draws[name]) for name in ("phi", "theta")}
    predictive = Predictive(ppl.lda, draws, parallel=True)
    w = np.asarray(jax.jit(lambda key: predictive(key, SMALL, observe=False)["w"])(jax.random.key(3)))
    probability = np.einsum("sdk,skv->dv", *(np.float64(draws[name]) for name in ("theta", "phi")))
    for d, i in enumerate((0, 4, 8)):
        expected = probability[d] * (len(w) / probability[d].sum())  # single precision: rows sum to nearly one
        assert stats.chisquare(np.bincount(w[:, i], minlength=4), expected).pvalue > FALSE_ALARM


@pytest.mark.hours  # of NumPyro, more than of the model, which NUTS tries
def test_svi_agrees():
    """A Gaussian guide is an approximation, hence a tolerance; the worst of six seeds was 0.012 off."""
    model = partial(ppl.lda, marginal=True)
    guide = AutoMultivariateNormal(model)
    svi = SVI(model, guide, optim.Adam(lambda i: 0.03 / (1 + i / 100)), Trace_ELBO(num_particles=8))
    result = svi.run(jax.random.key(0), 2000, SMALL, progress_bar=False)
    draws = guide.sample_posterior(jax.random.key(1), result.params, sample_shape=(20_000,))
    for name, mean in exact().mean.items():
        np.testing.assert_allclose(np.asarray(draws[name]).mean(0), mean, atol=0.02)


@pytest.mark.hours
def test_model_gives_arviz_its_dimensions(nuts):
    arviz = pytest.importorskip("arviz")
    tree = arviz.from_numpyro(nuts, log_likelihood=False)
    assert tree["posterior"]["phi"].dims == ("chain", "draw", "topic", "word")
    assert tree["posterior"]["theta"].dims == ("chain", "draw", "doc", "topic")
    assert tree["observed_data"]["w"].dims == ("token",)
