"""How far topics are from each other: for all pairs at once, without an array of pairs x words."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Float64
from scipy.special import rel_entr

from jaxlda.corpora.numbers import one_of

__all__ = ["METRICS", "as_phi", "as_threshold", "distance", "divergence_by_word", "similarity"]

METRICS = ("jensen_shannon", "hellinger", "cosine")

WORDS = 128  # at a time: a block of them for a few hundred topics stays in the processor's cache
TINY = np.float32(1e-30)  # stands for 0 where logarithms are taken: x log x is 0 there, not NaN
# Single precision leaves an error near 1e-6 in a divergence, hence half of that over the distance in the distance.
# Pairs below this divergence are therefore computed again, in double precision.
NEAR = 0.04
PARALLEL = 10**8  # logarithms from which on more than one thread is worth its while


def distance(phi_a: Any, phi_b: Any, metric: str = "jensen_shannon") -> Float64[np.ndarray, "K1 K2"]:
    r"""Distances of all topics of one model to all topics of another, from 0 (equal) to 1 (no word in common).

    .. math::
        d_{JS}(p, q) &= \sqrt{H\big(\tfrac{p+q}{2}\big) - \tfrac{1}{2} H(p) - \tfrac{1}{2} H(q)},
            \quad H(p) = -\sum_v p_v \log_2 p_v \\
        d_{H}(p, q) &= \sqrt{1 - \sum_v \sqrt{p_v q_v}} \\
        d_{\cos}(p, q) &= 1 - \frac{\sum_v p_v q_v}{\lVert p \rVert \lVert q \rVert}

    The first two are metrics and weigh all words; the cosine is all but blind to rare words. Two topics that agree on a
    share s of their mass and have no other words in common are :math:`\sqrt{1-s}` apart in the first two: see
    :func:`similarity`.

    Jensen-Shannon takes K1 K2 V logarithms, the other two are matrix products: much faster where K is large.

    Parameters
    ----------
    phi_a, phi_b
        Topics ``(K1, V)`` and ``(K2, V)`` over the same words: no negative numbers, and no rows of zeros. Rows need not
        sum to 1; counts ``n_kv`` are as good.
    metric
        ``"jensen_shannon"``, ``"hellinger"`` or ``"cosine"``.

    Returns
    -------
    array ``(K1, K2)``
        Right to 1e-5 at least; equal topics are at 0 to 1e-7.

    Examples
    --------
    >>> phi = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.25, 0.25, 0.25, 0.25]])
    >>> distance(phi, phi[:1]).ravel().round(3).tolist()
    [0.0, 1.0, 0.558]
    >>> distance(phi, phi[:1], "cosine").ravel().round(3).tolist()
    [0.0, 1.0, 0.293]
    """
    one_of(metric, "metric", METRICS)
    phi_a, phi_b = as_phi(phi_a, "phi_a"), as_phi(phi_b, "phi_b")
    if phi_a.shape[1] != phi_b.shape[1]:
        raise ValueError(
            f"the topics are over different words: phi_a has {phi_a.shape[1]}, phi_b has {phi_b.shape[1]}; "
            "jaxlda.alignment.compare matches models by the words that they share"
        )
    norm = _length if metric == "cosine" else _total
    scale_a, scale_b = norm(phi_a), norm(phi_b)
    if metric == "jensen_shannon":
        squared = _divergence(phi_a, phi_b, scale_a, scale_b)
    else:
        squared = 1 - _overlap(phi_a, phi_b, scale_a, scale_b, roots=metric == "hellinger")
    squared = np.clip(squared, 0, 1)  # rounding, nothing else
    return squared if metric == "cosine" else np.sqrt(squared)


def similarity(d: Any, metric: str = "jensen_shannon") -> Float64[np.ndarray, "..."]:
    r"""How much of their mass two topics have in common, from 0 to 1, by their distance.

    .. math:: 1 - d_{JS}^2, \quad 1 - d_H^2 = \sum_v \sqrt{p_v q_v}, \quad 1 - d_{\cos}

    Exactly so if they agree on a share of their mass and have no other words in common (for Jensen-Shannon and
    Hellinger), which makes one number mean much the same whatever the metric.

    Parameters
    ----------
    d
        Distances of any shape.
    metric
        The metric they are measured in.

    Examples
    --------
    >>> topics = np.array([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]])
    >>> [similarity(distance(topics, topics, metric), metric)[0, 1].round(2).item() for metric in METRICS]
    [0.6, 0.6, 0.69]
    """
    one_of(metric, "metric", METRICS)
    d = np.asarray(d, dtype=np.float64)
    return np.asarray(1 - d if metric == "cosine" else 1 - d**2)


def divergence_by_word(p: Float[np.ndarray, "*#K V"], q: Float[np.ndarray, "*#K V"]) -> Float64[np.ndarray, "*K V"]:
    r"""The contribution of each word to the squared Jensen-Shannon distance of topics that sum to 1; never negative.

    .. math:: \tfrac{1}{2} p_v \log_2 \frac{2 p_v}{p_v + q_v} + \tfrac{1}{2} q_v \log_2 \frac{2 q_v}{p_v + q_v}

    Examples
    --------
    >>> divergence_by_word(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.0, 0.5])).tolist()
    [0.0, 0.25, 0.25]
    """
    p, q = p.astype(np.float64), q.astype(np.float64)
    middle = (p + q) / 2
    return np.maximum(rel_entr(p, middle) + rel_entr(q, middle), 0) / np.log(4)


def as_threshold(threshold: float | int | None, metric: str, shared: float) -> float:
    """The distance that is given, or else the distance of topics of this similarity."""
    one_of(metric, "metric", METRICS)
    if threshold is None:
        return 1 - shared if metric == "cosine" else float(np.sqrt(1 - shared))
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be from 0 to 1, as distances are; got {threshold!r}")
    return float(threshold)


def as_phi(phi: Any, name: str) -> Float[np.ndarray, "K V"]:
    """Topics as an array of floats, or a clear error."""
    phi = np.asarray(phi)
    if phi.dtype.kind not in "biuf" and phi.dtype.name != "bfloat16":
        raise TypeError(f"{name} must be an array of numbers, not of {phi.dtype}")
    if phi.dtype not in (np.float32, np.float64):
        phi = phi.astype(np.float64)
    if phi.ndim != 2 or 0 in phi.shape:
        raise ValueError(f"{name} must have a row for each topic and a column for each word; got shape {phi.shape}")
    bad: Bool[np.ndarray, "K V"] = ~(np.isfinite(phi) & (phi >= 0))
    if bad.any():
        k, v = (int(i[0]) for i in np.nonzero(bad))
        raise ValueError(f"{name} must hold probabilities, but topic {k} has {phi[k, v]} for word {v}")
    if not (mass := phi.any(axis=1)).all():
        raise ValueError(f"topic {int(np.argmin(mass))} of {name} has no mass: all its words have probability 0")
    return phi


def _total(phi: np.ndarray) -> Float64[np.ndarray, "K 1"]:
    return phi.sum(axis=1, dtype=np.float64, keepdims=True)


def _length(phi: np.ndarray) -> Float64[np.ndarray, "K 1"]:
    return np.sqrt(np.einsum("kv,kv->k", phi, phi, dtype=np.float64))[:, None]


def _blocks(V: int, size: int) -> list[slice]:
    return [slice(v, v + size) for v in range(0, V, size)]


def _overlap(a: np.ndarray, b: np.ndarray, scale_a: np.ndarray, scale_b: np.ndarray, roots: bool) -> np.ndarray:
    total = np.zeros((len(a), len(b)))
    for words in _blocks(a.shape[1], 32 * WORDS):
        p, q = a[:, words] / scale_a, b[:, words] / scale_b
        total += np.sqrt(p) @ np.sqrt(q).T if roots else p @ q.T
    return total


def _divergence(a: np.ndarray, b: np.ndarray, scale_a: np.ndarray, scale_b: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergences: the entropy of p + q for every pair, less what each topic has by itself."""
    workers = min(os.cpu_count() or 1, len(a)) if len(a) * b.size > PARALLEL else 1
    parts = np.array_split(np.arange(len(a)), workers)
    with ThreadPoolExecutor(workers) as pool:  # NumPy lets go of the interpreter's lock while it computes
        divergence = np.concatenate(list(pool.map(lambda k: _screen(a[k], b, scale_a[k], scale_b), parts)))
    for i, j in np.argwhere(divergence < NEAR):
        divergence[i, j] = divergence_by_word(a[i] / scale_a[i], b[j] / scale_b[j]).sum()
    return divergence


def _screen(a: np.ndarray, b: np.ndarray, scale_a: np.ndarray, scale_b: np.ndarray) -> np.ndarray:
    """The same in single precision."""
    mixed = np.zeros((len(a), len(b)))
    own_a, own_b = np.zeros(len(a)), np.zeros(len(b))
    for words in _blocks(a.shape[1], WORDS):
        p, q = (np.maximum(x[:, words] / s, TINY).astype(np.float32) for x, s in ((a, scale_a), (b, scale_b)))
        own_a += np.einsum("kv,kv->k", p, np.log2(p), dtype=np.float64)
        own_b += np.einsum("kv,kv->k", q, np.log2(q), dtype=np.float64)
        both, logs = np.empty_like(q), np.empty_like(q)
        for i, row in enumerate(p):
            np.add(row, q, out=both)
            np.log2(both, out=logs)
            mixed[i] += np.vecdot(both, logs)
    return 1 + (own_a[:, None] + own_b - mixed) / 2
