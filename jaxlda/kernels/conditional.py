"""The full conditional of a topic assignment (Eqs. 1 and 4), and the priors in the shape it reads them."""

import jax.numpy as jnp
from jaxtyping import Array, Float, Num

from jaxlda.types import Priors

__all__ = ["beta_totals", "never_nothing", "weights", "weights_given_phi", "words_first"]


def weights(
    n_dk: Num[Array, " *K"],
    alpha: Float[Array, " *K"],
    n_vk: Num[Array, " *K"],
    beta: Float[Array, " *#K"],
    inverse: Float[Array, " *K"],
) -> Float[Array, " *K"]:
    r"""Weigh every topic for one token (Eq. 1): :math:`(n_{dk} + \alpha_k)(n_{vk} + \beta_v) / (n_k + \sum_v \beta_v)`.

    The counts leave the token out; ``inverse`` is the reciprocal of the denominator, which the callers keep up to date
    because dividing K times per token would double its cost. The factor :math:`1 / (N_d + \sum \alpha)` is the same for
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


def never_nothing(p: Float[Array, "*K"], *factors: Float[Array, "*#K"]) -> Float[Array, "*K"]:
    """The weights, but the least float32 where one is less and none of the factors is zero.

    Tiny priors have products that are zero in float32. Where all weights of a token were, a topic that its document
    forbids could be drawn.

    >>> never_nothing(jnp.array([0.0, 0.0]), jnp.array([1e-30, 0.0])).tolist()
    [1.1754943508222875e-38, 0.0]
    """
    floor = jnp.float32(jnp.finfo(jnp.float32).tiny)
    for factor in factors:
        floor = jnp.minimum(floor, factor)
    return jnp.maximum(p, floor)


def words_first(beta: Float[Array, " V"] | Float[Array, "K V"]) -> Float[Array, "V _"]:
    """Lay a prior over words out like ``n_vk``: (V, 1) if all topics share it, (V, K) otherwise."""
    return beta[:, None] if beta.ndim == 1 else beta.T


def beta_totals(priors: Priors) -> Float[Array, " K"]:
    r"""Sum the prior of every topic over the words, :math:`\sum_v \beta_{kv}`."""
    return jnp.broadcast_to(priors.beta.sum(-1, dtype=priors.beta.dtype), priors.alpha.shape[-1:])
