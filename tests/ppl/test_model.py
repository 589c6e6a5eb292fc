"""The model in NumPyro is the one our log joint belongs to, and simulates as it should.

Statistical bounds state how often a right program would exceed them over seeds; seeds are fixed.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpyro.infer import NUTS, Predictive
from numpyro.infer.util import log_density
from scipy import stats
from scipy.special import gammaln

import jaxlda
from jaxlda import ppl
from jaxlda.kernels.joint import log_joint_terms
from tests import reference
from tests.laws.corpora import LABELLED, MIXED, PREDICTION, make_data, pad
from tests.ppl.samplers import mcmc

FALSE_ALARM = 1e-3

CORPORA = {"mixed": MIXED, "labelled": LABELLED, "prediction": PREDICTION, "padded": pad(MIXED, 4)}


def log_dirichlet(x, concentration):
    """Log density of each row; a parameter of zero takes its component out."""
    allowed = concentration > 0
    safe = np.where(allowed, concentration, 1.0)
    power = np.where(allowed, (safe - 1) * np.log(np.where(allowed, x, 1.0)) - gammaln(safe), 0.0)
    total = np.where(allowed.any(-1), concentration.sum(-1), 1.0)
    return float((power.sum(-1) + gammaln(total)).sum())


def random_point(data, seed):
    """Any phi, theta and z the model allows."""
    rng, p = np.random.default_rng(seed), reference.problem(data)
    theta = np.where(p.alpha > 0, rng.gamma(2.0, size=p.alpha.shape), 0.0)
    theta /= np.maximum(theta.sum(1, keepdims=True), 1e-9)
    phi = rng.dirichlet(np.full(p.beta.shape[1], 2.0), len(p.beta)) if p.phi is None else p.phi
    z = np.array([rng.choice(np.flatnonzero(p.alpha[d])) for d in p.d])
    return p, phi, theta, z


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("corpus", ["mixed", "labelled", "prediction"])
def test_log_joint_is_the_model_with_phi_and_theta_integrated_out(corpus, seed):
    """For any phi and theta, p(w, z) = p(w, z, phi, theta) / [p(phi | w, z) p(theta | w, z)]."""
    data = CORPORA[corpus]
    p, phi, theta, z = random_point(data, seed)
    n_dk, n_vk, n_k = reference.counts(z, p)
    values = {"theta": jnp.float32(theta), "z": jnp.int32(z)}
    conditional = log_dirichlet(theta, n_dk + p.alpha)
    if data.phi is None:
        values["phi"] = jnp.float32(phi)
        conditional += log_dirichlet(phi, n_vk.T + p.beta)
    model, _ = log_density(ppl.lda, (data,), {}, values)
    terms = log_joint_terms(jaxlda.types.Counts(*(jnp.asarray(n, jnp.int32) for n in (n_dk, n_vk, n_k))), data)
    collapsed = sum(np.asarray(term, np.float64).sum() for term in terms)
    assert float(model) - conditional == pytest.approx(collapsed, abs=2e-3)


@pytest.mark.parametrize("corpus", CORPORA)
def test_marginal_form_sums_over_z(corpus):
    data = CORPORA[corpus]
    p, phi, theta, _ = random_point(data, 0)
    values = {"theta": jnp.asarray(theta, jnp.float32)}
    prior = log_dirichlet(theta, p.alpha)
    if data.phi is None:
        values["phi"] = jnp.asarray(phi, jnp.float32)
        prior += log_dirichlet(phi, p.beta)
    model, trace = log_density(ppl.lda, (data,), {"marginal": True}, values)
    assert float(model) == pytest.approx(prior + reference.log_likelihood(phi, theta, p), abs=2e-3)
    assert "z" not in trace


def test_impossible_theta_has_no_density():
    _, phi, theta, z = random_point(LABELLED, 0)
    assert LABELLED.priors.alpha[1, 0] == 0
    theta[1, 0] = 0.1
    values = {"phi": jnp.float32(phi), "theta": jnp.float32(theta), "z": jnp.int32(z)}
    assert log_density(ppl.lda, (LABELLED,), {}, values)[0] == -jnp.inf


def pair_probabilities(data, same_document):
    """P(w_1 = a, w_2 = b) under the prior, for two tokens of document 0, or of the documents 0 and 1."""
    p = reference.problem(data)
    K, V = p.beta.shape
    total, beta_k = p.alpha.sum(1), p.beta.sum(1)
    table = np.zeros((V, V))
    for k in range(K):
        for j in range(K):
            if same_document:
                topics = p.alpha[0, k] * (p.alpha[0, j] + (j == k)) / (total[0] * (total[0] + 1))
            else:
                topics = p.alpha[0, k] * p.alpha[1, j] / (total[0] * total[1])
            for a in range(V):
                for b in range(V):
                    if j == k:
                        words = p.beta[k, a] * (p.beta[k, b] + (a == b)) / (beta_k[k] * (beta_k[k] + 1))
                    else:
                        words = p.beta[k, a] * p.beta[j, b] / (beta_k[k] * beta_k[j])
                    table[a, b] += topics * words
    return table


PRIOR = make_data(
    [[0, 0], [0, 0], []], [[0.4, 0.0, 1.1], [0.3, 0.8, 0.2], [0.0, 0.0, 0.0]], [[0.3, 0.9], [1.4, 0.2], [0.5, 0.5]]
)
NUM = 20_000


def simulate(**options):
    # All at the same size, and no program as a whole: what is compiled for one serves all.
    return Predictive(ppl.lda, num_samples=NUM, parallel=True)(jax.random.key(1), PRIOR, **options)


@pytest.mark.hours
@pytest.mark.parametrize("marginal", [False, True])
def test_prior_predictive_words(marginal):
    """Pearson's chi-square over independent draws of two tokens; false alarm 1e-3 a comparison."""
    draws = simulate(observe=False, marginal=marginal)
    w = np.asarray(draws["w"])
    for other, same_document in ((1, True), (2, False)):
        observed = np.bincount(2 * w[:, 0] + w[:, other], minlength=4)
        expected = NUM * pair_probabilities(PRIOR, same_document).ravel()
        assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM
    theta = np.asarray(draws["theta"])
    assert (theta[:, 0, 1] == 0).all() and (theta[:, 2] == 0).all()
    np.testing.assert_allclose(theta[:, :2].sum(-1), 1, rtol=1e-5)
    assert ("z" in draws) == (not marginal)
    if not marginal:
        assert not (draws["z"][:, :2] == 1).any()


@pytest.mark.hours
def test_words_are_conditioned_on_unless_asked_for():
    assert (simulate()["w"] == PRIOR.tokens.w).all()


GAPS = make_data([[1] * 2000], [0.5] * 3, [1.0] * 5, [[0, 0, 1, 0, 0], [0, 0.3, 0, 0.7, 0], [1, 0, 0, 0, 0]])
SECOND = {"theta": np.tile(np.float32([0.0, 1.0, 0.0]), (200, 1, 1))}


@pytest.mark.parametrize("marginal", [False, True])
def test_words_of_a_given_theta(marginal):
    w = Predictive(ppl.lda, SECOND)(jax.random.key(0), GAPS, observe=False, marginal=marginal)["w"]
    assert set(np.unique(w)) == {1, 3}
    assert abs(np.mean(w == 1) - 0.3) < 0.0032  # 4.4 standard errors: false alarm 1e-5


@pytest.mark.parametrize(("u", "word"), [(0.0, 1), (np.nextafter(np.float32(1), np.float32(0)), 3)])
def test_extreme_numbers_draw_nothing_impossible(monkeypatch, u, word):
    monkeypatch.setattr(jax.random, "uniform", lambda key, shape: jnp.full(shape, u, jnp.float32))
    draws = Predictive(ppl.lda, SECOND)(jax.random.key(0), GAPS, observe=False)
    assert (draws["z"] == 1).all() and (draws["w"] == word).all()


@pytest.mark.parametrize("jit_model_args", [False, True])
def test_nuts_refuses_forbidden_topics(jit_model_args):
    sampler = mcmc(NUTS(partial(ppl.lda, marginal=True)), 1, 1, 1, jit_model_args=jit_model_args)
    with pytest.raises(ValueError, match="forbids topics"):
        sampler.run(jax.random.key(0), LABELLED)
