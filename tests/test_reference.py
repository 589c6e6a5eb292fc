"""The reference must be right before anything is compared with it: each function against a second derivation."""

import itertools

import numpy as np
import pytest

from tests import reference

ASYMMETRIC = reference.Problem(
    w=np.array([0, 1, 0, 2, 2, 1]),
    d=np.array([0, 0, 0, 1, 1, 2]),
    alpha=np.array([[0.3, 0.8], [1.2, 0.4], [0.5, 0.5]]),
    beta=np.array([[0.2, 0.7, 0.4], [0.9, 0.1, 0.6]]),
)
MASKED = ASYMMETRIC._replace(
    alpha=np.array([[0.3, 0.8, 0.0], [0.0, 0.4, 0.7], [0.0, 0.0, 0.5]]), beta=np.full((3, 3), 0.3)
)
FIXED = ASYMMETRIC._replace(phi=np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]))
ONE_TOPIC = ASYMMETRIC._replace(alpha=np.full((3, 1), 0.5), beta=np.full((1, 3), 0.1))
PROBLEMS = {"asymmetric": ASYMMETRIC, "masked": MASKED, "fixed": FIXED, "one topic": ONE_TOPIC}


@pytest.fixture(params=PROBLEMS.values(), ids=PROBLEMS.keys())
def p(request):
    return request.param


def some_z(p: reference.Problem, seed: int = 0) -> np.ndarray:
    """Draw topics the priors allow."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(p.alpha.shape[1], p=p.alpha[d] / p.alpha[d].sum()) for d in p.d])


@pytest.mark.parametrize("phi", [None, FIXED.phi], ids=["learned", "fixed"])
def test_joint_sums_to_one_over_all_words_and_topics(phi):
    total = 0.0
    for w in itertools.product(range(3), repeat=3):
        p = ASYMMETRIC._replace(w=np.array(w), d=np.array([0, 0, 2]), phi=phi)
        for z in itertools.product(range(2), repeat=3):
            total += np.exp(reference.log_joint(*reference.counts(np.array(z), p)[:2], p))
    assert total == pytest.approx(1.0, rel=1e-12)


def test_joint_is_the_product_of_the_urn_draws(p):
    """p(w, z) token by token: a topic from the document's urn, then a word from the topic's urn."""
    z, log_p = some_z(p), 0.0
    for i, (w, d, k) in enumerate(zip(p.w, p.d, z, strict=True)):
        earlier = np.arange(len(z)) < i
        log_p += np.log(np.sum(earlier & (p.d == d) & (z == k)) + p.alpha[d, k])
        log_p -= np.log(np.sum(earlier & (p.d == d)) + p.alpha[d].sum())
        if p.phi is None:
            log_p += np.log(np.sum(earlier & (p.w == w) & (z == k)) + p.beta[k, w])
            log_p -= np.log(np.sum(earlier & (z == k)) + p.beta[k].sum())
        else:
            log_p += np.log(p.phi[k, w])
    assert reference.log_joint(*reference.counts(z, p)[:2], p) == pytest.approx(log_p, rel=1e-12)


def test_a_forbidden_topic_has_no_joint_probability():
    z = np.full(6, 2)
    assert reference.log_joint(*reference.counts(z, MASKED)[:2], MASKED) == -np.inf


def test_conditional_is_the_ratio_of_joints(p):
    z = some_z(p, 1)
    for i in range(len(z)):
        log_p = []
        for k in range(p.alpha.shape[1]):
            other = np.where(np.arange(len(z)) == i, k, z)
            log_p.append(reference.log_joint(*reference.counts(other, p)[:2], p))
        expected = np.exp(log_p) / np.exp(log_p).sum()
        np.testing.assert_allclose(reference.conditional(i, z, reference.counts(z, p), p), expected, atol=1e-12)


def test_posterior_is_invariant_under_the_update_of_every_token(p):
    """Sum over z of p(z) T_i(z -> z') = p(z'): the defining property of a Gibbs update."""
    posterior, n_topics = reference.enumerate_posterior(p), p.alpha.shape[1]
    assert posterior.probability.sum() == pytest.approx(1.0)
    place = n_topics ** np.arange(len(p.w))[::-1]
    for i in range(len(p.w)):
        after = np.zeros_like(posterior.probability)
        for z, probability in zip(posterior.z, posterior.probability, strict=True):
            if probability > 0:
                neighbours = z @ place + (np.arange(n_topics) - z[i]) * place[i]
                after[neighbours] += probability * reference.conditional(i, z, reference.counts(z, p), p)
        np.testing.assert_allclose(after, posterior.probability, atol=1e-12)


def test_marginals_agree_with_each_other(p):
    posterior, n_topics = reference.enumerate_posterior(p), p.alpha.shape[1]
    tokens = reference.token_marginals(posterior, n_topics)
    np.testing.assert_allclose(tokens.sum(axis=1), 1.0)
    expected = np.array([tokens[p.d == d].sum(axis=0) for d in range(len(p.alpha))])
    np.testing.assert_allclose(reference.mean_n_dk(posterior, p), expected)
    same = reference.pair_marginals(posterior)
    np.testing.assert_allclose(np.diag(same), 1.0)
    # E[sum_k n_dk^2] counts the ordered pairs of a document that share a topic.
    squares = sum(q * (reference.counts(z, p)[0] ** 2).sum(axis=1) for z, q in zip(*posterior, strict=True))
    np.testing.assert_allclose(squares, [same[np.ix_(p.d == d, p.d == d)].sum() for d in range(len(p.alpha))])


def test_sweep_turns_a_grid_of_uniforms_into_the_posterior():
    """Two tokens, two topics: a fine grid of u instead of chance, so the only error is the width of the grid."""
    p = ASYMMETRIC._replace(w=np.array([0, 1]), d=np.array([0, 0]))
    posterior, grid, after = reference.enumerate_posterior(p), (np.arange(60) + 0.5) / 60, np.zeros(4)
    for z, probability in zip(posterior.z, posterior.probability, strict=True):
        for u in itertools.product(grid, grid):
            new = reference.cgs_sweep(z, np.array(u), p)
            after[2 * new[0] + new[1]] += probability / len(grid) ** 2
    np.testing.assert_allclose(after, posterior.probability, atol=1 / 60)


def test_sweep_updates_in_order_and_never_forbids():
    z = some_z(MASKED)
    low, high = (reference.cgs_sweep(z, np.full(6, u), MASKED) for u in (0.0, 1 - 1e-16))
    np.testing.assert_array_equal(low, [0, 0, 0, 1, 1, 2])
    np.testing.assert_array_equal(high, [1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(z, some_z(MASKED), err_msg="the argument was changed")


@pytest.mark.parametrize("leave_out", ["token", "document", "none"])
def test_estimators_of_algorithm_1_are_those_of_soft_counts(p, leave_out):
    z = some_z(p, 2)
    n_dk, n_vk, n_k = reference.soft_counts(z, p, leave_out)
    np.testing.assert_allclose(n_dk.sum(axis=1), np.bincount(p.d, minlength=len(p.alpha)))
    np.testing.assert_allclose(n_vk.sum(axis=1), np.bincount(p.w, minlength=p.beta.shape[1]))
    np.testing.assert_allclose(n_k, n_vk.sum(axis=0))
    np.testing.assert_allclose(reference.theta_p(z, p, leave_out), reference.theta(n_dk, p))
    np.testing.assert_allclose(reference.phi_p(z, p, leave_out), reference.phi(n_vk, p))


@pytest.mark.parametrize(("leave_out", "unbiased"), [("token", True), ("document", False), ("none", False)])
def test_only_the_full_conditional_keeps_the_posterior_mean(leave_out, unbiased):
    """E[soft n_dk] = E[n_dk] exactly, if the soft counts are those of the Gibbs update (below Eq. 33)."""
    posterior = reference.enumerate_posterior(ASYMMETRIC)
    soft = sum(q * reference.soft_counts(z, ASYMMETRIC, leave_out)[0] for z, q in zip(*posterior, strict=True))
    error = np.abs(soft - reference.mean_n_dk(posterior, ASYMMETRIC)).max()
    assert (error < 1e-12) if unbiased else (error > 1e-3)


def test_leave_out_variants_differ_only_where_they_should():
    z = some_z(ASYMMETRIC)
    token, document, none = (reference.soft_counts(z, ASYMMETRIC, x)[0] for x in ("token", "document", "none"))
    assert np.abs(token - document).max() > 1e-3
    assert np.abs(document - none).max() > 1e-3
    # With the topics fixed, only n_dk knows the token.
    token, document, none = (reference.soft_counts(z, FIXED, x)[0] for x in ("token", "document", "none"))
    np.testing.assert_allclose(token, document)
    assert np.abs(document - none).max() > 1e-3


def test_pairs_are_the_bag_of_words():
    d, w, m = reference.pairs(ASYMMETRIC)
    np.testing.assert_array_equal(np.stack([d, w, m], axis=1), [[0, 0, 2], [0, 1, 1], [1, 2, 2], [2, 1, 1]])


def test_first_cvb0_update_of_a_hard_gamma_is_the_gibbs_conditional(p):
    """With one-hot gamma the expected counts are counts, so Eq. 6 is Eq. 1 for the pair that is updated first."""
    z = some_z(p)
    z[2] = z[0]  # equal tokens of a document share their gamma
    z[4] = z[3]
    gamma = np.eye(p.alpha.shape[1])[z[[0, 1, 3, 5]]]
    np.testing.assert_allclose(reference.cvb0_counts(gamma, p)[0], reference.counts(z, p)[0])
    after = reference.cvb0_sweep(gamma, p)
    np.testing.assert_allclose(after[0], reference.conditional(0, z, reference.counts(z, p), p))
    np.testing.assert_allclose(after.sum(axis=1), 1.0)


def test_cvb0_is_exact_for_documents_of_one_token_and_fixed_topics():
    p = FIXED._replace(w=np.array([0, 2, 1]), d=np.array([0, 1, 2]))
    gamma = reference.cvb0_sweep(np.full((3, 2), 0.5), p)
    np.testing.assert_allclose(gamma, reference.token_marginals(reference.enumerate_posterior(p), 2))


def test_cvb0_reaches_a_fixed_point(p):
    rng = np.random.default_rng(3)
    gamma = rng.dirichlet(np.ones(p.alpha.shape[1]), len(reference.pairs(p)[0]))
    for _ in range(300):
        gamma, old = reference.cvb0_sweep(gamma, p), gamma
    np.testing.assert_allclose(gamma, old, atol=1e-8)
    assert np.all(gamma[p.alpha[reference.pairs(p)[0]] == 0] == 0)


def test_chunks_of_cvb0_read_the_counts_they_began_with():
    gamma = np.random.default_rng(4).dirichlet(np.ones(2), 4)
    together, alone = reference.cvb0_sweep(gamma, ASYMMETRIC, chunk=4), reference.cvb0_sweep(gamma, ASYMMETRIC)
    np.testing.assert_allclose(together[0], alone[0], err_msg="nothing has changed before the first pair")
    assert np.abs(together[1:] - alone[1:]).max() > 1e-3
    # The last pair of a chunk of all, were it the first: the same counts, the same update.
    last = ASYMMETRIC._replace(d=(ASYMMETRIC.d + 1) % 3, alpha=np.roll(ASYMMETRIC.alpha, 1, axis=0))
    np.testing.assert_allclose(together[3], reference.cvb0_sweep(np.roll(gamma, 1, axis=0), last)[0])


def test_hard_soft_gap_by_hand():
    """One token of two topics: the soft count is the conditional, the hard count is one."""
    p = FIXED._replace(w=np.array([1]), d=np.array([1]))
    first = 0.3 * 1.2 / (0.3 * 1.2 + 0.2 * 0.4)
    assert reference.hard_soft_gap(np.array([0]), p) == pytest.approx(2 * (1 - first))


def test_log_likelihood_by_hand():
    p = FIXED._replace(w=np.array([0, 2]), d=np.array([0, 1]))
    theta = np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    expected = np.log(0.25 * 0.5 + 0.75 * 0.1) + np.log(0.5 * 0.2 + 0.5 * 0.7)
    assert reference.log_likelihood(FIXED.phi, theta, p) == pytest.approx(expected)
