"""Distributions from counts: phi (Eq. 2) and theta (Eq. 3), of hard counts or of soft ones."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxlda.estimators.soft import LeaveOut, check_shapes, soften
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.types import Counts, Data, Priors, Sample

__all__ = ["phi", "phi_p", "theta", "theta_p"]


def phi(sample: Sample | Counts, data: Data | Priors) -> Float[Array, "*batch K V"]:
    r"""Estimate the topics (Eq. 2): :math:`\hat\phi_{kv} = (n_{kv} + \beta_v) / (n_k + \sum_v \beta_v)`.

    Where the data fix the topics, they are what they are.

    Parameters
    ----------
    sample
        A ``Sample`` or its ``Counts``, also those of several chains or draws at once.
    data
        What was sampled, or its ``Priors``.

    Examples
    --------
    >>> from jaxlda.types import Priors
    >>> counts = Counts(jnp.array([[2, 1]]), jnp.array([[2, 0], [0, 1]]), jnp.array([2, 1]))
    >>> print(phi(counts, Priors(jnp.ones(2), jnp.ones(2))))
    [[0.75       0.25      ]
     [0.33333334 0.6666667 ]]
    """
    counts, priors = _checked(sample, data, "phi")
    if isinstance(data, Data) and data.phi is not None:
        return jnp.broadcast_to(data.phi, (*counts.n_k.shape[:-1], *data.phi.shape))
    return _phi(counts, priors)


def theta(sample: Sample | Counts, data: Data | Priors) -> Float[Array, "*batch D K"]:
    r"""Estimate the documents' topic proportions (Eq. 3): :math:`(n_{dk} + \alpha_k) / (N_d + \sum_k \alpha_k)`.

    Parameters
    ----------
    sample, data
        As those of :func:`phi`.

    Examples
    --------
    >>> from jaxlda.types import Priors
    >>> counts = Counts(jnp.array([[2, 1]]), jnp.array([[2, 0], [0, 1]]), jnp.array([2, 1]))
    >>> print(theta(counts, Priors(jnp.ones(2), jnp.ones(2))))
    [[0.6 0.4]]
    """
    return _theta(*_checked(sample, data, "theta"))


def phi_p(sample: Sample, data: Data, *, leave_out: LeaveOut = "token") -> Float[Array, "*batch K V"]:
    r"""Estimate the topics from transition probabilities (Eq. 41): ``phi`` of the softened counts.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(0, "cgs", data, num_warmup=1)
    >>> phi_p(run.chain(0), data).sum(1).round(5).tolist()
    [1.0, 1.0]
    """
    return phi(soften(sample, data, leave_out=leave_out), data)


def theta_p(sample: Sample, data: Data, *, leave_out: LeaveOut = "token") -> Float[Array, "*batch D K"]:
    r"""Estimate the proportions from transition probabilities (Eqs. 33, 40): ``theta`` of the softened counts.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(0, "cgs", data, num_warmup=1)
    >>> theta_p(run.chain(0), data).sum(1).round(5).tolist()
    [1.0, 1.0]
    """
    return theta(soften(sample, data, leave_out=leave_out), data)


@jax.jit
def _phi(counts: Counts, priors: Priors) -> Float[Array, "*batch K V"]:
    totals = counts.n_k + beta_totals(priors)
    return jnp.swapaxes((counts.n_vk + words_first(priors.beta)) / totals[..., None, :], -1, -2)


@jax.jit
def _theta(counts: Counts, priors: Priors) -> Float[Array, "*batch D K"]:
    weight = counts.n_dk + priors.alpha
    total = counts.n_dk.sum(-1, keepdims=True) + priors.alpha.sum(-1, keepdims=True)
    # A document that allows no topic is empty (Corpus.data sees to it): its row stays zero.
    return weight / jnp.where(total > 0, total, 1.0)


def _checked(sample: Any, data: Any, name: str) -> tuple[Counts, Priors]:
    counts, priors = _counts(sample, name), _priors(data, name)
    check_shapes(counts, priors, len(data.tokens.n_d) if isinstance(data, Data) and data.tokens is not None else None)
    return counts, priors


def _counts(sample: Any, name: str) -> Counts:
    if isinstance(sample, Sample | Counts):
        return sample.counts if isinstance(sample, Sample) else sample
    raise TypeError(
        f"{name} takes a Sample or Counts, then Data or Priors; got {type(sample).__name__}. Of a run, give "
        "run.chain(0) or run.counts(chain=0), and run.data"
    )


def _priors(data: Any, name: str) -> Priors:
    if isinstance(data, Data | Priors):
        return data.priors if isinstance(data, Data) else data
    raise TypeError(
        f"{name} takes Data or Priors after the counts; got {type(data).__name__}. Of a corpus, give "
        "corpus.data(num_topics=...)"
    )
