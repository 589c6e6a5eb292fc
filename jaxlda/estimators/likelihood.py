"""The log-likelihood of documents (Eq. 55): by phi and theta, or by what the pass of ``soften`` has weighed."""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from jaxlda.kernels.bricks.draw import NARROW, folded, padded_size, sum_rows
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.rows import element, pad_last, row, write
from jaxlda.types import Data, Tokens

__all__ = ["log_likelihood_terms", "log_likelihoods"]

_CHUNK = 65536  # tokens scored at once on an accelerator: bounds the memory, K numbers for each


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
    arguments = (tokens.w, tokens.d, (tokens.m > 0).sum(), pad_last(theta, size), pad_last(phi.T, size))
    p = lax.platform_dependent(*arguments, cpu=token_loop(_probabilities), default=_probabilities_in_chunks)
    log_p = jnp.where(tokens.m > 0, jnp.log(p) * tokens.m, 0.0)
    return jnp.zeros(theta.shape[0], theta.dtype).at[tokens.d].add(log_p)


def _probabilities(
    w: Array, d: Array, num_tokens: Array, theta: Float[Array, "D P"], phi: Float[Array, "V P"]
) -> Float[Array, " N"]:
    """One token after another, up to the padding: what a CPU does best."""
    w, d, num_tokens = (x.astype(jnp.uint32) for x in (w, d, num_tokens))

    def body(carry: tuple) -> tuple:
        i, p = carry
        products = row(theta, element(d, i)) * row(phi, element(w, i))
        return i + 1, write(p, folded(products), i)

    # The last lanes of all tokens are added up together: one by one that would take as long as everything before.
    start = (jnp.uint32(0), jnp.zeros((w.shape[0], NARROW), theta.dtype))
    return sum_rows(lax.while_loop(lambda carry: carry[0] < num_tokens, body, start)[1].T)


def _probabilities_in_chunks(
    w: Array, d: Array, num_tokens: Array, theta: Float[Array, "D P"], phi: Float[Array, "V P"]
) -> Float[Array, " N"]:
    """Thousands of tokens at a time: what accelerators want."""
    return lax.map(lambda token: theta[token[1]] @ phi[token[0]], (w, d), batch_size=_CHUNK)


@jax.jit
def log_likelihoods(weight: Float[Array, " N"], data: Data) -> Float[Array, " D"]:
    r"""Score the words of every document by what its tokens weigh, see ``Softened``.

    .. math:: \sum_i \log \sum_k (n_{dk} + \alpha_k) \hat\phi_{kw_i} - N_d \log \Big(N_d + \sum_k \alpha_k\Big)

    That is Eq. 55 for phi and theta of the counts, which ``log_likelihood_terms`` takes a pass of its own
    for.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=1, alpha=1.0, beta=1.0)
    >>> round(float(jnp.exp(log_likelihoods(jnp.array([2.4, 2.4, 1.6]), data))[0]), 5)  # 3/5 · 3/5 · 2/5
    0.144
    """
    (_, d, m, n_d), alpha = data.tokens, data.priors.alpha
    totals = n_d + alpha.sum(-1)
    log_p = jnp.where(m > 0, jnp.log(weight) * m, 0.0)
    lengths = n_d * jnp.log(jnp.where(totals > 0, totals, 1.0))
    return jnp.zeros(n_d.shape[0], weight.dtype).at[d].add(log_p) - lengths
