"""The distributions that single tokens would be drawn from."""

from typing import Any

import numpy as np
from jaxtyping import Float64

from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.types import Data, Sample

__all__ = ["transitions"]


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
    >>> import jax.numpy as jnp
    >>> import jaxlda
    >>> from jaxlda.types import Counts
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
