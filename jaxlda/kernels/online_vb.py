r"""Online variational Bayes (Hoffman, Blei and Bach 2010): topics learned from documents that come and go.

A mini-batch of :math:`|B|` documents is brought to convergence with the topics held; what it says of the topics, scaled
up to a corpus of ``num_docs`` documents, moves them by a step that shrinks with time:

.. math:: n_{vk} \leftarrow (1 - \rho_t) n_{vk} + \rho_t \frac{D}{|B|} \sum_{d \in B} m_{dv} r_{dvk}, \quad
    \rho_t = (\tau + t)^{-\kappa}
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from jaxlda.corpora.numbers import positive_int
from jaxlda.kernels.bricks.draw import padded_size, sum_rows
from jaxlda.kernels.layouts.tokens import TokenLayout
from jaxlda.kernels.registry import online
from jaxlda.kernels.vb import VBState, bound, expected_counts, expected_log_phi, first_log_phi, prepare
from jaxlda.types import Counts, Data, Online, Priors, Sample

__all__ = ["OnlineVBInfo", "OnlineVBState", "online_vb"]

_ITERATIONS = 100  # a document is seen once: it converges now or never


class OnlineVBState(NamedTuple):
    """The expected counts of the words, and how many mini-batches were seen."""

    n_vk: Float[Array, "V P"]
    batches: Int[Array, ""]


class OnlineVBInfo(NamedTuple):
    """What an update reports."""

    rho: Float[Array, ""]
    """The weight of the new documents."""
    moved: Float[Array, ""]
    """How far the topics moved: the share of the words' probability that changed topic."""


def init(key: PRNGKeyArray, priors: Priors) -> OnlineVBState:
    """Topics that are nearly uniform, of as many tokens as there are words."""
    V, K = priors.beta.shape[-1], priors.alpha.shape[-1]
    size = padded_size(K)
    return OnlineVBState(jnp.exp(first_log_phi(key, (V, size))) * (jnp.arange(size) < K), jnp.int32(0))


@jax.jit
def _inferred(state: OnlineVBState, layout: TokenLayout) -> VBState:
    start = jnp.broadcast_to(layout.blocks[0].alpha > 0, (layout.num_docs, layout.row_length)).astype(jnp.float32)
    return expected_counts(layout, start, expected_log_phi(layout, state.n_vk, sum_rows(state.n_vk)), _ITERATIONS)


def readout(state: OnlineVBState, data: Data) -> Sample:
    """Give the topics learned so far, and the expected counts of these documents under them."""
    layout = prepare(data)
    K, n_vk = layout.num_topics, state.n_vk
    return Sample(Counts(_inferred(state, layout).n_dk[:, :K], n_vk[:, :K], sum_rows(n_vk)[:K]), None)


@online
def online_vb(num_docs: int, tau: float = 1.0, kappa: float = 0.7) -> Online:
    """Online variational Bayes, for mini-batches.

    Parameters
    ----------
    num_docs
        D, the number of documents of the whole corpus, seen or not.
    tau, kappa
        How slowly learning starts, and how fast the step shrinks; it converges for kappa above 0.5 and up to 1.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(50)).data(num_topics=10)
    >>> algorithm = online_vb(num_docs=50)
    >>> state = algorithm.init(jax.random.key(0), data.priors)
    >>> state, info = algorithm.update(jax.random.key(1), state, data)
    >>> algorithm.readout(state, data).counts.n_vk.shape
    (25, 10)
    """
    num_docs = positive_int(num_docs, "num_docs")
    if not (tau > 0 and 0.5 < kappa <= 1):
        raise ValueError(f"tau must be positive, and kappa above 0.5 and at most 1; got tau={tau}, kappa={kappa}")

    def update(key: PRNGKeyArray, state: OnlineVBState, batch: Data) -> tuple[OnlineVBState, OnlineVBInfo]:
        """Learn from some documents; ``key`` is unused, the algorithm is deterministic."""
        del key
        layout = prepare(batch)
        t = state.batches + 1
        rho = (tau + t.astype(jnp.float32)) ** -kappa
        seen = jnp.maximum((layout.data.tokens.n_d > 0).sum(), 1).astype(jnp.float32)
        n_vk = (1 - rho) * state.n_vk + rho * (num_docs / seen) * _inferred(state, layout).n_vk
        before, after = (n / jnp.maximum(n.sum(), 1) for n in (state.n_vk, n_vk))
        return OnlineVBState(n_vk, t), OnlineVBInfo(rho, jnp.abs(after - before).sum() / 2)

    options = (("num_docs", num_docs), ("tau", tau), ("kappa", kappa))
    return Online("online_vb", options, init, update, readout, bound)
