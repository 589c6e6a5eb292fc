r"""The full conditional of a topic assignment, and the joint probability it belongs to.

Everything that samples, softens or scores uses these functions, so that Eqs. 1 and 4 are written once.
"""

import jax.numpy as jnp
from jax.scipy.special import gammaln
from jaxtyping import Array, Float, Num

from jaxlda.types import Counts, Priors

__all__ = ["LogJoint", "beta_totals", "log_joint_terms", "weights", "weights_given_phi", "words_first"]

LogJoint = tuple[Float[Array, " D"], Float[Array, " K"]]


def weights(
    n_dk: Num[Array, " *K"],
    alpha: Float[Array, " *K"],
    n_vk: Num[Array, " *K"],
    beta: Float[Array, " *#K"],
    inverse: Float[Array, " *K"],
) -> Float[Array, " *K"]:
    r"""Weigh every topic for one token (Eq. 1): :math:`(n_{dk} + \alpha_k)(n_{vk} + \beta_v) / (n_k + \sum_v \beta_v)`.

    The counts leave the token out; ``inverse`` is the reciprocal of the denominator, which the callers keep up to date
    because dividing K times a token would double its cost. The factor :math:`1 / (N_d + \sum \alpha)` is the same for
    all topics and left away.

    >>> row = jnp.ones(2)
    >>> weights(2 * row, 0.5 * row, 3 * row, 0.5 * row, row / 7).round(3).tolist()
    [1.25, 1.25]
    """
    return (n_dk + alpha) * (n_vk + beta) * inverse


def weights_given_phi(
    n_dk: Num[Array, " *K"], alpha: Float[Array, " *K"], phi_v: Float[Array, " *K"]
) -> Float[Array, " *K"]:
    r"""Weigh every topic for one token when the topics are known (Eq. 4): :math:`(n_{dk} + \alpha_k)\,\phi_{kv}`.

    >>> weights_given_phi(jnp.array([1, 0]), jnp.array([0.5, 0.5]), jnp.array([0.2, 0.4])).round(3).tolist()
    [0.3, 0.2]
    """
    return (n_dk + alpha) * phi_v


def words_first(beta: Float[Array, " V"] | Float[Array, "K V"]) -> Float[Array, "V _"]:
    """Lay a prior over words out like ``n_vk``: (V, 1) if all topics share it, (V, K) otherwise."""
    return beta[:, None] if beta.ndim == 1 else beta.T


def beta_totals(priors: Priors) -> Float[Array, " K"]:
    r"""Sum the prior of every topic over the words, :math:`\sum_v \beta_{kv}`."""
    return jnp.broadcast_to(priors.beta.sum(-1), priors.alpha.shape[-1:])


def log_joint_terms(counts: Counts, priors: Priors) -> LogJoint:
    r"""Evaluate :math:`\log p(w, z \mid \alpha, \beta)` as one term a document and one a topic.

    .. math:: \log p(w, z) = \sum_d \Big[\log\frac{\Gamma(\sum_k\alpha_k)}{\Gamma(N_d + \sum_k\alpha_k)}
        + \sum_k \log\frac{\Gamma(n_{dk} + \alpha_k)}{\Gamma(\alpha_k)}\Big]
        + \sum_k \Big[\log\frac{\Gamma(\sum_v\beta_v)}{\Gamma(n_k + \sum_v\beta_v)}
        + \sum_v \log\frac{\Gamma(n_{vk} + \beta_v)}{\Gamma(\beta_v)}\Big]

    Returned as terms because their sum has more digits than a float32: add them up in float64 on the host.

    >>> counts = Counts(jnp.array([[1, 0]]), jnp.array([[1, 0]]), jnp.array([1, 0]))
    >>> d, k = log_joint_terms(counts, Priors(jnp.ones(2), jnp.ones(1)))
    >>> round(float(d.sum() + k.sum()), 4)    # log 1/2: one word, two equal topics
    -0.6931
    """
    alpha = jnp.broadcast_to(priors.alpha, counts.n_dk.shape)
    allowed = alpha > 0
    safe = jnp.where(allowed, alpha, 1.0)
    by_topic = jnp.where(allowed, gammaln(counts.n_dk + safe) - gammaln(safe), 0.0).sum(-1)
    total = jnp.where(allowed.any(-1), alpha.sum(-1), 1.0)
    documents = gammaln(total) - gammaln(counts.n_dk.sum(-1) + total) + by_topic
    beta, beta_k = words_first(priors.beta), beta_totals(priors)
    by_word = (gammaln(counts.n_vk + beta) - gammaln(beta)).sum(-2)
    return documents, gammaln(beta_k) - gammaln(counts.n_k + beta_k) + by_word
