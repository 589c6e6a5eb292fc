"""Corpora of about the same size, and about as many topics, share compiled programs.

A run rounds its sizes up: tokens that do not count, documents without tokens, words that no document has and topics
that no document allows stand at the end of the data it samples, and are cut off what it gives. The draws are the same
with and without them.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from jaxlda.estimators.documents import PAIRS
from jaxlda.kernels.bricks.draw import padded_size
from jaxlda.kernels.layouts.sizes import LARGE, padded, rounded_up
from jaxlda.types import Counts, Covariates, Data, Priors, Sample, Tokens

__all__ = [
    "AXES",
    "Sizes",
    "cut",
    "cut_counts",
    "cut_data",
    "cut_draw",
    "cut_sample",
    "enlarged",
    "rounded",
    "shape_of",
    "sizes_of",
]


class Sizes(NamedTuple):
    """The sizes of the data that a run samples."""

    N: int
    D: int
    V: int
    K: int
    F: int = 0
    """Covariates."""

    @property
    def P(self) -> int:
        """Pairs of documents whose likeness is kept."""
        return min(PAIRS, self.D // 2)


def sizes_of(data: Data) -> Sizes:
    """The sizes of data."""
    F = 0 if data.covariates is None else data.covariates.x.shape[1]
    return Sizes(len(data.tokens.w), len(data.tokens.n_d), data.priors.beta.shape[-1], data.priors.alpha.shape[-1], F)


def rounded(sizes: Sizes) -> Sizes:
    """Sizes that many corpora share; those of a large corpus stay as they are.

    >>> rounded(Sizes(N=900, D=30, V=100, K=20))
    Sizes(N=1024, D=64, V=256, K=24, F=0)
    """
    N, D, V, K, F = sizes
    if N > LARGE:
        return sizes
    return Sizes(rounded_up(N), rounded_up(D, least=64), rounded_up(V, least=256), padded_size(K), F)


def enlarged(data: Data, sizes: Sizes) -> Data:
    """The data with room for more; every number that is drawn or counted stays the same.

    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=2, alpha=0.5, beta=0.1)
    >>> enlarged(data, Sizes(N=4, D=2, V=3, K=3)).priors.alpha.tolist()
    [0.5, 0.5, 0.0]
    """
    if sizes == sizes_of(data):
        return data
    (w, d, m, n_d), priors, phi, covariates = jax.tree.map(np.asarray, data)
    N, D, V, K, _ = sizes
    alpha, beta = padded(priors.alpha, K, axis=-1), padded(priors.beta, V, axis=-1)
    if alpha.ndim == 2:
        alpha = padded(alpha, D)
    if beta.ndim == 2:
        beta = padded(beta, K, value=1)  # it divides
    if phi is not None:
        phi = padded(padded(phi, V, axis=1), K)
    if covariates is not None:
        x, scale, effects = covariates
        covariates = Covariates(padded(x, D), scale, padded(effects, K, axis=1))
    tokens = Tokens(padded(w, N), padded(d, N, value=D - 1), padded(m, N), padded(n_d, D))
    return jax.device_put(Data(tokens, Priors(alpha, beta), phi, covariates))  # which compiles nothing


def cut(x: Any, *sizes: int) -> Any:
    """The first entries of the last axes; on the host, for JAX would compile a program for every shape.

    >>> cut(np.ones((2, 4, 4)), 3, 1).shape
    (2, 3, 1)
    """
    if x.shape[x.ndim - len(sizes) :] == sizes:
        return x
    first: tuple[Any, ...] = (..., *map(slice, sizes))
    part = np.ascontiguousarray(np.asarray(x)[first])
    return jax.device_put(part, x.sharding) if isinstance(x, jax.Array) else part


AXES = {"z": "N", "n_dk": "DK", "n_vk": "VK", "n_k": "K", "log_likelihood": "D", "likeness": "P"}
AXES |= {"phi": "KV", "phi_p": "KV", "theta": "DK", "theta_p": "DK", "effects": "FK"}
"""The axes of what can be kept of a draw of one chain, by name."""


def shape_of(name: str, sizes: Sizes) -> tuple[int, ...]:
    """The shape of what is kept of a draw of one chain.

    >>> shape_of("phi", Sizes(N=9, D=2, V=5, K=3))
    (3, 5)
    """
    return tuple(getattr(sizes, axis) for axis in AXES[name])


def cut_draw(name: str, x: np.ndarray, sizes: Sizes) -> np.ndarray:
    """What was kept of a draw, without the room.

    >>> cut_draw("phi", np.ones((4, 8, 16)), Sizes(N=9, D=2, V=5, K=3)).shape
    (4, 3, 5)
    """
    return cut(x, *shape_of(name, sizes))


def cut_counts(counts: Counts, sizes: Sizes) -> Counts:
    """Counts without the room."""
    _, D, V, K, _ = sizes
    return Counts(cut(counts.n_dk, D, K), cut(counts.n_vk, V, K), cut(counts.n_k, K))


def cut_sample(sample: Sample, sizes: Sizes) -> Sample:
    """A sample without the room."""
    return Sample(cut_counts(sample.counts, sizes), None if sample.z is None else cut(sample.z, sizes.N))


def cut_data(view: Data, data: Data) -> Data:
    """What a state has learned or drawn, without the room, with the tokens of the data it belongs to."""
    _, D, V, K, F = sizes_of(data)
    (alpha, beta), phi, covariates = view.priors, view.phi, data.covariates
    priors = Priors(cut(alpha, *(D, K)[2 - alpha.ndim :]), cut(beta, *(K, V)[2 - beta.ndim :]))
    if covariates is not None and view.covariates is not None:
        covariates = covariates._replace(effects=cut(view.covariates.effects, F, K))
    return Data(data.tokens, priors, None if phi is None else cut(phi, K, V), covariates)
