"""The topic proportions of new documents when the topics are known (Eq. 4)."""

import itertools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float32, PRNGKeyArray

from jaxlda import estimators
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed
from jaxlda.kernels.auto import settled
from jaxlda.kernels.names import find
from jaxlda.running.driver import run
from jaxlda.running.schedule import checked_sweeps
from jaxlda.running.sizes import enlarged, rounded, sizes_of
from jaxlda.types import Algorithm, Data, Tokens

__all__ = ["Proportions", "infer_theta"]

# Fits with the same seed use the streams of their chains, which count up from 0.
_STREAM = 2**32 - 1
_LIMIT = 2**28  # bytes that the states of all chains may have together, or documents are inferred in parts


class Proportions(NamedTuple):
    """Both estimates of theta from the same samples, and the mean counts they were made of."""

    theta: Float32[np.ndarray, "D K"]
    """From the counts (Eq. 3)."""
    theta_p: Float32[np.ndarray, "D K"] | None
    """From the transition probabilities (Eq. 33); ``None`` where the counts are soft already, as those of CVB0."""
    n_dk: Float32[np.ndarray, "D K"]
    """Tokens of each topic: theta without its prior."""
    n_dk_p: Float32[np.ndarray, "D K"] | None
    """The same from the transition probabilities."""

    @property
    def best(self) -> Float32[np.ndarray, "D K"]:
        """``theta_p`` where there is one."""
        return self.theta if self.theta_p is None else self.theta_p


def infer_theta(
    phi: Any,
    alpha: Any,
    corpus: Corpus,
    *,
    kernel: str | Algorithm = "cgs",
    num_warmup: int = 50,
    num_samples: int = 30,
    thinning: int = 5,
    num_chains: int = 5,
    seed: int = 0,
    chain_method: str | None = None,
    progress: bool = False,
) -> Proportions:
    r"""Infer the topic proportions of documents with the topics held fixed (Eqs. 4 and 33).

    Averages over samples and chains, which is legitimate because fixed topics mean the same in all of them.

    Parameters
    ----------
    phi
        The topics ``(K, V)``.
    alpha
        The prior of the documents: a number, ``(K,)`` or ``(D, K)``.
    corpus
        The documents, in the vocabulary of ``phi``. Without tokens, a document's proportions are those of the prior.
    kernel
        A name of ``jaxlda.kernels.KERNELS``, or an algorithm.
    num_warmup, num_samples, thinning, num_chains
        Burn-in, draws, lag and chains as in ``jaxlda.run``.
    seed
        The same seed gives the same result.
    chain_method
        See ``jaxlda.running.placement.share_out``.
    progress
        Show a progress bar.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[9, 1], [0, 0]])
    >>> infer_theta([[0.9, 0.1], [0.1, 0.9]], 0.5, corpus).theta_p.round(1)
    array([[0.9, 0.1],
           [0.5, 0.5]], dtype=float32)
    """
    if not isinstance(corpus, Corpus):
        raise TypeError(
            f"infer_theta takes a Corpus after phi and alpha; got a {type(corpus).__name__}. Of counts, give "
            "Corpus.from_counts(counts)"
        )
    sweeps = checked_sweeps(num_warmup, num_samples, thinning, num_chains) | {
        "chain_method": chain_method,
        "progress": progress,
    }
    key = jax.random.fold_in(jax.random.key(checked_seed(seed)), _STREAM)
    data = corpus.data(alpha=alpha, phi=phi)
    algorithm = settled(find(kernel), data)
    parts = _parts(algorithm, data, num_chains)
    if len(parts) == 1:
        return _inferred(key, algorithm, data, sweeps)
    each = [
        _inferred(jax.random.fold_in(key, i), algorithm, _subset(data, part), sweeps) for i, part in enumerate(parts)
    ]
    joined = (None if of[0] is None else np.concatenate(of) for of in zip(*each, strict=True))
    return Proportions(*joined)  # type: ignore[arg-type]


def _inferred(key: PRNGKeyArray, algorithm: Algorithm, data: Data, sweeps: dict[str, Any]) -> Proportions:
    result = run(key, algorithm, data, **sweeps, trace_every=0, keep_partial=False)
    soft = result.chain(0).z is None

    def estimate(soft: bool) -> tuple[np.ndarray, np.ndarray]:
        counts = result.counts(soft=soft)
        return np.asarray(estimators.theta(counts, data), np.float32), np.asarray(counts.n_dk, np.float32)

    theta, n_dk = estimate(soft=False)
    theta_p, n_dk_p = (None, None) if soft else estimate(soft=True)
    return Proportions(theta, theta_p, n_dk, n_dk_p)


def _parts(algorithm: Algorithm, data: Data, num_chains: int) -> list[slice]:
    """Documents that are inferred at once: all, unless the states of the chains would take too much memory.

    With the topics fixed, documents have nothing to do with each other. CVB0 keeps K numbers for each pair of document
    and word, CGS one for each token.
    """
    roomy = enlarged(data, rounded(sizes_of(data)))
    state = jax.eval_shape(algorithm.init, jax.random.key(0), algorithm.prepare(roomy))
    size = num_chains * sum(x.size * x.dtype.itemsize for x in jax.tree.leaves(state))
    n_d = np.asarray(data.tokens.n_d, np.int64)
    pieces = min(-(-size // _LIMIT), len(n_d))
    if pieces <= 1:
        return [slice(None)]
    ends = np.searchsorted(np.cumsum(n_d), np.arange(1, pieces) * n_d.sum() / pieces, side="left") + 1
    bounds = np.unique([0, *np.minimum(ends, len(n_d)), len(n_d)]).tolist()
    return [slice(*pair) for pair in itertools.pairwise(bounds)]


def _subset(data: Data, documents: slice) -> Data:
    w, d, m, n_d = (np.asarray(x) for x in data.tokens)
    numbers = np.arange(len(n_d))[documents]
    own = (d >= numbers[0]) & (d <= numbers[-1])
    tokens = Tokens(*map(jnp.asarray, (w[own], d[own] - numbers[0], m[own], n_d[documents])))
    alpha = data.priors.alpha
    return data._replace(
        tokens=tokens, priors=data.priors._replace(alpha=alpha if alpha.ndim == 1 else alpha[documents])
    )
