"""Which topic of one model is which of another: one to one where alike, and split, merged or absent elsewhere."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Float64, Int64
from scipy.optimize import linear_sum_assignment

from jaxlda.alignment.distances import as_phi, as_threshold, distance

__all__ = ["Alignment", "Mixture", "align", "assign"]

SHARED = 0.64  # of their mass, topics must share to be taken for one: a distance of 0.6 (Jensen-Shannon, Hellinger)
SHARE = 0.15  # of a topic, a part must explain to be called one, so that there are at most six
CANDIDATES = 8  # for these parts
GAIN = 0.9  # times the distance of the nearest part, or less, the mixture must be away
ITERATIONS = 100  # of EM for the shares, which need no more than two digits


class Mixture(NamedTuple):
    """A topic of one model that is several of the other."""

    topic: int
    """The topic that is split or merged."""
    parts: tuple[int, ...]
    """Topics of the other model, the largest share first."""
    shares: tuple[float, ...]
    """How much of the topic each part explains; they sum to 1."""
    distance: float
    """From the topic to the mixture of the parts."""
    nearest: float
    """From the topic to the nearest of its parts, for comparison."""


class Alignment(NamedTuple):
    """The topics of a model matched to those of a reference."""

    permutation: Int64[np.ndarray, " K1"]
    """For each topic of the reference its partner, or -1."""
    distances: Float64[np.ndarray, " K1"]
    """For each topic of the reference the distance to its partner, or NaN."""
    unmatched_reference: Int64[np.ndarray, " left1"]
    """Topics of the reference without a partner."""
    unmatched: Int64[np.ndarray, " left2"]
    """Topics of the model without a partner."""
    splits: tuple[Mixture, ...]
    """Topics of the reference that are several topics of the model."""
    merges: tuple[Mixture, ...]
    """Topics of the model that are several topics of the reference."""
    metric: str
    threshold: float
    """The distance beyond which topics are not matched."""


def align(
    reference_phi: Any,
    phi: Any,
    metric: str = "jensen_shannon",
    threshold: float | int | None = None,
    *,
    mixtures: bool = True,
) -> Alignment:
    r"""Match topics one to one where they are alike, and say which are split, merged or missing.

    Of all assignments :math:`\pi` this is the one with the smallest

    .. math:: \sum_k \min(d(\phi^{ref}_k, \phi_{\pi(k)}), \tau)

    (Hungarian method), without its pairs beyond the threshold :math:`\tau`. The cap matters: a hopeless pair must not
    gain from spoiling a good one.

    A topic of the reference is *split* if it is several topics of the model. Its parts are sought among its partner and
    those topics without a partner whose nearest topic in the reference it is: the eight nearest of these. It is split

    - if it has come apart: a mixture of parts is within the threshold of it, and nearer than any of them alone by at
      least a tenth. The shares :math:`w` maximise the likelihood of the topic,
      :math:`\sum_v \phi^{ref}_{kv} \log \sum_j w_j \phi_{jv}`, and parts with less than 0.15 are left out;
    - or else if it is there more than once: two or more parts are within the threshold themselves. Their shares are
      said to be equal.

    *Merges* are the same with the roles exchanged. A topic that is split keeps one of its parts as partner where that
    is near enough to pass for the whole.

    Parameters
    ----------
    reference_phi, phi
        Topics ``(K1, V)`` and ``(K2, V)`` over the same words; K1 and K2 may differ.
    metric
        As in :func:`distance`.
    threshold
        From 0 to 1. If not given, the distance of topics that agree on 64 % of their mass and have no other words in
        common: 0.6 for Jensen-Shannon and Hellinger, 0.36 for the cosine.
    mixtures
        Whether to look for splits and merges. Without, there are none, and it takes a fraction of the time.

    Examples
    --------
    A model with the topics in another order, one of them in two halves, and one that is new:

    >>> phi = np.kron(np.eye(4), np.full(4, 0.25))
    >>> halves = np.kron(np.eye(2), np.full(2, 0.5)) @ np.eye(4, 16)
    >>> found = align(phi[:3], np.concatenate([phi[[2, 1]], halves, phi[3:]]))
    >>> found.permutation.tolist(), found.distances.round(3).tolist()
    ([2, 1, 0], [0.558, 0.0, 0.0])
    >>> found.unmatched_reference.tolist(), found.unmatched.tolist()
    ([], [3, 4])
    >>> [(split.topic, split.parts, split.shares) for split in found.splits]
    [(0, (2, 3), (0.5, 0.5))]
    """
    threshold = as_threshold(threshold, metric, SHARED)
    reference_phi, phi = as_phi(reference_phi, "reference_phi"), as_phi(phi, "phi")
    d = distance(reference_phi, phi, metric)
    permutation = assign(d, threshold)
    matched = permutation >= 0
    inverse = np.full(len(phi), -1)
    inverse[permutation[matched]] = np.flatnonzero(matched)
    return Alignment(
        permutation=permutation,
        distances=np.where(matched, d[np.arange(len(d)), permutation], np.nan),
        unmatched_reference=np.flatnonzero(~matched),
        unmatched=np.flatnonzero(inverse < 0),
        splits=_mixtures(reference_phi, phi, d, permutation, inverse, metric, threshold) if mixtures else (),
        merges=_mixtures(phi, reference_phi, d.T, inverse, permutation, metric, threshold) if mixtures else (),
        metric=metric,
        threshold=threshold,
    )


def assign(d: Float64[np.ndarray, "K1 K2"], threshold: float) -> Int64[np.ndarray, " K1"]:
    """The partner of each row: the assignment of least capped distance, -1 for pairs beyond the threshold.

    Examples
    --------
    Without the cap, the sum would be least with the two crossed:

    >>> assign(np.array([[0.2, 0.3], [0.7, 0.9]]), threshold=0.6).tolist()
    [0, -1]
    """
    rows, columns = linear_sum_assignment(np.minimum(d, threshold))
    permutation = np.full(len(d), -1)
    permutation[rows] = np.where(d[rows, columns] <= threshold, columns, -1)
    return permutation


def _mixtures(
    wholes: np.ndarray,
    topics: np.ndarray,
    d: np.ndarray,
    partner: np.ndarray,
    inverse: np.ndarray,
    metric: str,
    threshold: float,
) -> tuple[Mixture, ...]:
    """Those of the wholes that are mixtures of several topics."""
    free = np.flatnonzero(inverse < 0)
    nearest = d[:, free].argmin(axis=0)
    found = []
    for k in np.unique(nearest):
        candidates = np.concatenate([partner[k : k + 1][partner[k : k + 1] >= 0], free[nearest == k]])
        candidates = candidates[np.argsort(d[k, candidates], kind="stable")][:CANDIDATES]
        if len(candidates) < 2:
            continue
        parts, shares = _parts(wholes[k], topics[candidates])
        together = _from_mixture(wholes[k], topics[candidates[parts]], shares, metric)
        if len(parts) < 2 or together > min(threshold, GAIN * d[k, candidates[0]]):
            parts = np.flatnonzero(d[k, candidates] <= threshold)
            if len(parts) < 2:
                continue
            shares = np.full(len(parts), 1 / len(parts))
            together = _from_mixture(wholes[k], topics[candidates[parts]], shares, metric)
        parts = candidates[parts]
        alone = float(d[k, parts].min())
        found.append(Mixture(int(k), tuple(parts.tolist()), tuple(shares.round(6).tolist()), together, alone))
    return tuple(found)


def _parts(whole: np.ndarray, topics: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The topics that have a share worth the name in the whole, and these shares, the largest first."""
    parts, shares = np.arange(len(topics)), _shares(whole, topics)
    while shares.min() < SHARE:  # one by one: the others grow when one goes
        parts = np.delete(parts, shares.argmin())
        shares = _shares(whole, topics[parts])
    order = np.argsort(-shares.round(6), kind="stable")  # rounded, lest copies change places
    return parts[order], shares[order]


def _from_mixture(whole: np.ndarray, topics: np.ndarray, shares: np.ndarray, metric: str) -> float:
    return distance(whole[None], shares[None] @ _normalised(topics), metric).item()


def _normalised(topics: np.ndarray) -> Float64[np.ndarray, "*K V"]:
    return topics / topics.sum(axis=-1, dtype=np.float64, keepdims=True)


def _shares(whole: Float[np.ndarray, " V"], topics: Float[np.ndarray, "K V"]) -> Float64[np.ndarray, " K"]:
    """The weights of the topics in the mixture most likely to give the whole (EM from equal weights)."""
    whole, topics = _normalised(whole), _normalised(topics)
    shares = np.full(len(topics), 1 / len(topics))
    used = (whole > 0) & topics.any(axis=0)
    if len(topics) == 1 or not used.any():
        return shares
    whole, topics = whole[used], topics[:, used]
    for _ in range(ITERATIONS):
        shares = shares * (topics @ (whole / (shares @ topics)))
        shares /= shares.sum()
    return shares
