r"""The full conditional of a topic assignment, and the joint probability it belongs to.

What the kernels draw from (Eqs. 1 and 4) and what measures them: the log joint and the log-likelihood of Eq. 55.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import gammaln, xlogy
from jaxtyping import Array, Float, Float64, Num

from jaxlda.kernels.bricks.draw import NARROW, folded, padded_size, rounded, sum_rows
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.rows import element, pad_last, row, write
from jaxlda.types import Counts, Data, Priors, Sample, Tokens

__all__ = [
    "beta_totals",
    "log_joint",
    "log_joint_terms",
    "log_likelihood_terms",
    "transitions",
    "weights",
    "weights_given_phi",
    "words_first",
]

_CHUNK = 4096  # tokens scored at once on an accelerator: bounds the memory, K numbers for each


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

    >>> print(weights_given_phi(jnp.array([1, 0]), jnp.array([0.5, 0.5]), jnp.array([0.25, 0.5])))
    [0.375 0.25 ]
    """
    return (n_dk + alpha) * phi_v


def transitions(sample: Sample, data: Data, tokens: Any) -> Float64[np.ndarray, "n K"]:
    """Give the distributions that a Gibbs update would draw the topics of some tokens from (Eqs. 1, 4 and 31).

    On the host, in float64, for the tokens of a document or of a word that somebody looks at. Summed over all tokens
    (``jaxlda.estimators.soften`` does that without holding N x K numbers) they are the soft counts.

    Parameters
    ----------
    sample
        Of one chain, with its assignments z.
    data
        What was sampled; ``run.chain_data(chain)``, where priors are learned.
    tokens
        Positions in ``data.tokens``: indices, a slice or a mask.

    Examples
    --------
    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=2, alpha=1.0, beta=1.0)
    >>> sample = Sample(
    ...     Counts(jnp.array([[2, 1]]), jnp.array([[2, 0], [0, 1]]), jnp.array([2, 1])), jnp.array([0, 0, 1])
    ... )
    >>> transitions(sample, data, [0]).round(3).tolist()  # 2 · 2/3 against 2 · 1/3
    [[0.667, 0.333]]
    """
    if sample.z is None:
        raise ValueError(
            "These counts come without the topic of each token (z), so there are no transition probabilities: CVB0 and "
            "variational Bayes have soft counts only."
        )
    w, d, z = (np.asarray(x)[tokens] for x in (data.tokens.w, data.tokens.d, sample.z))
    n_dk, n_vk, n_k = (np.asarray(n) for n in sample.counts)
    alpha = np.asarray(data.priors.alpha, np.float64)
    own = z[:, None] == np.arange(alpha.shape[-1])
    # As `weights` and `weights_given_phi` have it, but on the host: JAX would compile anew for every number of tokens.
    p = n_dk[d] - own + (alpha if alpha.ndim == 1 else alpha[d])
    if data.phi is None:
        beta, beta_k = np.asarray(words_first(data.priors.beta), np.float64), np.asarray(beta_totals(data.priors))
        p *= (n_vk[w] - own + beta[w]) / (n_k - own + beta_k)
    else:
        p *= np.asarray(data.phi)[:, w].T
    return p / p.sum(axis=1, keepdims=True)


def words_first(beta: Float[Array, " V"] | Float[Array, "K V"]) -> Float[Array, "V _"]:
    """Lay a prior over words out like ``n_vk``: (V, 1) if all topics share it, (V, K) otherwise."""
    return beta[:, None] if beta.ndim == 1 else beta.T


def beta_totals(priors: Priors) -> Float[Array, " K"]:
    r"""Sum the prior of every topic over the words, :math:`\sum_v \beta_{kv}`."""
    return jnp.broadcast_to(priors.beta.sum(-1, dtype=priors.beta.dtype), priors.alpha.shape[-1:])


@jax.jit
def log_joint_terms(counts: Counts, data: Data) -> tuple[Float[Array, " D"], Float[Array, " K"]]:
    r"""Evaluate :math:`\log p(w, z \mid \alpha, \beta)` as one term a document and one a topic.

    .. math:: \log p(w, z) = \sum_d \Big[\log\frac{\Gamma(\sum_k\alpha_k)}{\Gamma(N_d + \sum_k\alpha_k)}
        + \sum_k \log\frac{\Gamma(n_{dk} + \alpha_k)}{\Gamma(\alpha_k)}\Big]
        + \sum_k \Big[\log\frac{\Gamma(\sum_v\beta_v)}{\Gamma(n_k + \sum_v\beta_v)}
        + \sum_v \log\frac{\Gamma(n_{vk} + \beta_v)}{\Gamma(\beta_v)}\Big]

    Where ``data.phi`` fixes the topics, the second sum is :math:`\sum_{kv} n_{vk} \log \phi_{kv}`.

    Returned as terms because their sum has more digits than a float32: add them up in float64 on the host.

    >>> counts = Counts(jnp.array([[1, 0]]), jnp.array([[1, 0]]), jnp.array([1, 0]))
    >>> d, k = log_joint_terms(counts, Data(None, Priors(jnp.ones(2), jnp.ones(1))))
    >>> round(float(d.sum() + k.sum()), 4)  # log 1/2: one word, two equal topics
    -0.6931
    """
    priors = data.priors
    alpha = jnp.broadcast_to(priors.alpha, counts.n_dk.shape)
    allowed = alpha > 0
    safe = jnp.where(allowed, alpha, 1.0)
    by_topic = jnp.where(allowed, gammaln(counts.n_dk + safe) - gammaln(safe), 0.0)
    alpha_d = jnp.where(allowed.any(-1), sum_rows(alpha.T), 1.0)
    n_d = sum_rows(counts.n_dk.T)
    documents = gammaln(alpha_d) - gammaln(n_d + alpha_d) + sum_rows(by_topic.T)
    if data.phi is not None:
        return documents, sum_rows(xlogy(counts.n_vk, data.phi.T))
    beta, beta_k = words_first(priors.beta), beta_totals(priors)
    by_word = sum_rows(gammaln(counts.n_vk + beta) - gammaln(beta))
    return documents, gammaln(beta_k) - gammaln(counts.n_k + beta_k) + by_word


def log_joint(counts: Counts, data: Data) -> float:
    r"""Evaluate :math:`\log p(w, z \mid \alpha, \beta)` on the host, in float64 and by the counts that are not zero.

    The equation is in :func:`log_joint_terms`, which is for the device. There, most of the time goes into gamma
    functions of zero counts, whose terms cancel; here, K = 100 costs less than a tenth of a sweep.

    >>> n = jnp.array
    >>> data = Data(Tokens(n([0]), n([0]), n([1]), n([1])), Priors(jnp.ones(2), jnp.ones(1)))
    >>> round(log_joint(Counts(n([[1, 0]]), n([[1, 0]]), n([1, 0])), data), 4)  # log 1/2: one word, two equal topics
    -0.6931
    """
    from scipy.special import xlogy

    n_dk, n_vk, n_k, n_d = (np.asarray(n) for n in (*counts, data.tokens.n_d))
    alpha, beta = (np.asarray(prior, np.float64) for prior in data.priors)
    documents = _rise(n_dk, alpha) - _rise(n_d, alpha.sum(-1))
    if data.phi is not None:
        return float(documents + xlogy(n_vk, np.asarray(data.phi, np.float64).T).sum())
    return float(documents + _rise(n_vk.T, beta) - _rise(n_k, beta.sum(-1)))


def _rise(n: Num[np.ndarray, "..."], prior: Float64[np.ndarray, "..."] | np.float64) -> float:
    r"""Sum :math:`\log \Gamma(n + x) - \log \Gamma(x)` over all counts n with priors x."""
    from scipy.special import gammaln

    few = n.dtype.kind == "i" and n.max(initial=0) < n.size  # so many ones, twos, ...
    if few and prior.min() == prior.max():
        n = n.ravel(order="K")
        frequency = np.bincount(n.take(np.flatnonzero(n > 0)))  # three times as fast as n[n > 0]
        value = np.flatnonzero(frequency)
        x = prior.flat[0]
        return frequency[value] @ (gammaln(value + x) - gammaln(x)) if x > 0 else 0.0
    entry = np.flatnonzero(n)
    x = np.broadcast_to(prior, n.shape).ravel()[entry]
    return (gammaln(n.ravel()[entry] + x) - gammaln(x)).sum()


@jax.jit
def log_likelihood_terms(phi: Float[Array, "K V"], theta: Float[Array, "D K"], tokens: Tokens) -> Float[Array, " D"]:
    r"""Score the words of every document (Eq. 55): :math:`\sum_i \log \sum_k \phi_{k w_i} \theta_{dk}`.

    Add the terms up in float64 on the host, as those of ``log_joint_terms``.

    >>> n = jnp.array
    >>> tokens = Tokens(n([0, 1, 1]), n([0, 0, 1]), n([1, 1, 1]), n([2, 1]))
    >>> print(log_likelihood_terms(n([[0.5, 0.5]]), n([[1.0], [1.0]]), tokens))
    [-1.3862944 -0.6931472]
    """
    if tokens.w.shape[0] == 0:
        return jnp.zeros(theta.shape[0], theta.dtype)
    size = padded_size(phi.shape[0])
    arguments = (tokens.w, tokens.d, pad_last(theta, size), pad_last(phi.T, size))
    p = lax.platform_dependent(*arguments, cpu=token_loop(_probabilities), default=_probabilities_in_chunks)
    log_p = jnp.where(tokens.m > 0, jnp.log(p) * tokens.m, 0.0)
    return jnp.zeros(theta.shape[0], theta.dtype).at[tokens.d].add(log_p)


def _probabilities(w: Array, d: Array, theta: Float[Array, "D P"], phi: Float[Array, "V P"]) -> Float[Array, " N"]:
    """One token after another: what a CPU does best."""
    w, d = w.astype(jnp.uint32), d.astype(jnp.uint32)

    def body(carry: tuple) -> tuple:
        i, p = carry
        products = rounded(row(theta, element(d, i)) * row(phi, element(w, i)), i)
        return i + 1, write(p, folded(products), i)

    # The last lanes of all tokens are added up together: one by one that would take as long as everything before.
    start = (jnp.uint32(0), jnp.zeros((w.shape[0], NARROW), theta.dtype))
    return sum_rows(lax.while_loop(lambda carry: carry[0] < jnp.uint32(w.shape[0]), body, start)[1].T)


def _probabilities_in_chunks(
    w: Array, d: Array, theta: Float[Array, "D P"], phi: Float[Array, "V P"]
) -> Float[Array, " N"]:
    """Thousands of tokens at a time: what accelerators want."""
    return lax.map(lambda token: theta[token[1]] @ phi[token[0]], (w, d), batch_size=_CHUNK)
