"""Topics across many chains, draws, runs and seeds: matched to one reference, scored for stability, averaged."""

import operator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Float64, Int64

from jaxlda.alignment.distances import as_phi, as_threshold, distance, similarity
from jaxlda.alignment.matching import SHARED, Alignment, align, assign

__all__ = ["Average", "ChainAlignment", "Stability", "align_all", "average"]


class Stability(NamedTuple):
    """How alike each topic of the reference is in the others: the similarity of its partner there, 0 without one.

    The others are the chains that the reference is not taken from; of a single chain, its other draws. NaN where there
    are none: what was seen once cannot be assessed.
    """

    mean: Float64[np.ndarray, " K"]
    """The score: 1 where all the others have exactly this topic."""
    min: Float64[np.ndarray, " K"]
    sd: Float64[np.ndarray, " K"]
    """The standard deviation (of these values, not of a population that they stand for)."""
    found: Float64[np.ndarray, " K"]
    """The share of the others that have the topic."""


class ChainAlignment(NamedTuple):
    """The topics of many chains matched to those of a reference."""

    reference: int | None
    """The chain whose topics are the reference; ``None`` if they are of no chain."""
    reference_phi: Float[np.ndarray, "K V"]
    permutations: Int64[np.ndarray, "*batch K"]
    """For each chain (and draw) and each topic of the reference its partner, or -1: ``(C, K)`` or ``(C, S, K)``."""
    distances: Float64[np.ndarray, "*batch K"]
    """The distances to the partners, or NaN."""
    stability: Stability
    each: tuple[Alignment, ...]
    """One per chain (or per draw, chain after chain), with what is unmatched, split and merged."""
    metric: str
    threshold: float
    """The distance beyond which topics are not matched."""


class Average(NamedTuple):
    """Topics averaged over chains."""

    phi: Float64[np.ndarray, "K V"]
    """NaN for the topics that are not stable: using them by mistake must not go unnoticed."""
    stable: Bool[np.ndarray, " K"]
    """Which topics were averaged."""


def align_all(
    phis: Any,
    reference: Any = "medoid",
    metric: str = "jensen_shannon",
    threshold: float | int | None = None,
    rounds: int = 0,
    *,
    mixtures: bool = True,
) -> ChainAlignment:
    """Match the topics of many chains, draws, runs or seeds to those of one reference, and score their stability.

    Parameters
    ----------
    phis
        Topics ``(C, K, V)`` of chains (runs, seeds), ``(C, S, K, V)`` of their draws, or a list of ``(K, V)``, where K
        may differ. Of several draws, each is matched by itself: labels may switch within a chain.
    reference
        ``"medoid"``: the chain that is nearest to all others; the number of a chain; or topics ``(K, V)``. Of the draws
        of a chain the last one is the reference.
    metric, threshold, mixtures
        As in :func:`align`. To find the medoid, Hellinger stands in for Jensen-Shannon, being so much faster.
    rounds
        How often to go on with the mean of the matched topics as reference. One draw is a noisy reference and a mean
        is not; but similarities to a mean are higher than those between chains.

    Examples
    --------
    Chains 0 and 1 agree up to the order of their topics, chain 2 has one of its own:

    >>> phi = np.kron(np.eye(4), np.full(3, 1 / 3))
    >>> found = align_all([phi[[0, 1, 2]], phi[[2, 0, 1]], phi[[1, 0, 3]]])
    >>> found.reference, found.permutations.tolist()
    (0, [[0, 1, 2], [1, 2, 0], [1, 0, -1]])
    >>> found.stability.mean.tolist(), found.stability.min.tolist()
    ([1.0, 1.0, 0.5], [1.0, 1.0, 0.0])
    """
    cap = as_threshold(threshold, metric, SHARED)
    members, batch = _members(phis)
    S = batch[1] if len(batch) == 2 else 1
    last = members[S - 1 :: S]
    number = _reference(last, reference, metric, cap)
    phi = as_phi(reference if number is None else last[number], "the reference")
    each = [align(phi, member, metric, cap, mixtures=mixtures) for member in members]
    for _ in range(operator.index(rounds)):
        phi = _mean(members, np.stack([one.permutation for one in each]), otherwise=phi)
        each, number = [align(phi, member, metric, cap, mixtures=mixtures) for member in members], None
    # Draws of the reference chain are no independent witnesses; where it is alone, its last draw is number 0.
    numbers = np.arange(len(members)) // S if batch[0] > 1 else np.arange(1 - S, 1)
    others = np.full(len(members), True) if number is None else numbers != number
    distances = np.stack([one.distances for one in each])
    return ChainAlignment(
        reference=number,
        reference_phi=phi,
        permutations=np.stack([one.permutation for one in each]).reshape(*batch, -1),
        distances=distances.reshape(*batch, -1),
        stability=_stability(distances[others], metric),
        each=tuple(each),
        metric=metric,
        threshold=cap,
    )


def average(phis: Any, alignment: ChainAlignment, threshold: float | int = 0.9) -> Average:
    """The mean of each topic over all chains and draws that have it, if it is stable enough.

    Averaging topics that are not the same gives a blend that no chain has ever seen, so unstable topics come out as
    NaN, and it is an error if all are.

    Parameters
    ----------
    phis
        What was aligned, or another estimate of the same chains (``phi_p`` for ``phi``, say).
    alignment
        From :func:`align_all`.
    threshold
        The least mean stability, from 0 to 1.

    Examples
    --------
    >>> phi = np.kron(np.eye(4), np.full(2, 0.5))
    >>> chains = [phi[[0, 1, 2]], phi[[3, 0, 1]]]
    >>> result = average(chains, align_all(chains))
    >>> result.stable.tolist()
    [True, True, False]
    >>> result.phi[:, :5].tolist()
    [[0.5, 0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 0.0], [nan, nan, nan, nan, nan]]
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be from 0 to 1, as stability is; got {threshold!r}")
    members, batch = _members(phis)
    K, V = alignment.reference_phi.shape
    aligned, of_each = alignment.permutations.shape[:-1], alignment.permutations.reshape(-1, K)
    fits = all(phi.shape[1] == V and phi.shape[0] > p.max() for phi, p in zip(members, of_each, strict=False))
    if batch != aligned or not fits:
        raise ValueError(
            f"these are not the chains that were aligned: phis is {' x '.join(map(str, batch))} times "
            f"{members[0].shape}, the alignment {' x '.join(map(str, aligned))} times {(K, V)}"
        )
    stable = alignment.stability.mean >= threshold
    if not stable.any():
        highest = alignment.stability.mean.max()
        reason = "there is only one chain" if np.isnan(highest) else f"the highest is {highest:.3f}"
        raise ValueError(
            f"no topic has a stability of {threshold:.3g} or more ({reason}): an average would blend unrelated topics. "
            "Look at one chain at a time, or run the chains for longer"
        )
    mean = _mean(members, of_each, otherwise=np.full((K, V), np.nan))
    return Average(np.where(stable[:, None], mean, np.nan), stable)


def _members(phis: Any) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """The topics of all draws, a chain after another, and (C,) or (C, S)."""
    chains = [np.asarray(phi) for phi in phis]
    if {phi.ndim for phi in chains} == {2}:
        return chains, (len(chains),)
    if {phi.ndim for phi in chains} == {3} and len(sizes := {len(phi) for phi in chains}) == 1 and 0 not in sizes:
        return [draw for phi in chains for draw in phi], (len(chains), *sizes)
    raise ValueError(
        "phis must be topics (C, K, V) of chains, (C, S, K, V) of their draws, or a list of (K, V); "
        f"got {len(chains)} part(s) of shapes {', '.join(sorted({str(phi.shape) for phi in chains})) or 'none'}"
    )


def _reference(last: list[np.ndarray], reference: Any, metric: str, cap: float) -> int | None:
    """The number of the reference chain, or None if topics were given."""
    if isinstance(reference, str):
        if reference != "medoid":
            raise ValueError(f"reference must be 'medoid', the number of a chain, or topics (K, V); got {reference!r}")
        return _medoid(last, "hellinger" if metric == "jensen_shannon" else metric, cap)
    if np.ndim(reference) > 0:
        return None
    number = operator.index(reference)
    if not 0 <= number < len(last):
        raise ValueError(f"there is no chain {number}: phis has chains 0 to {len(last) - 1}")
    return number


def _medoid(phis: list[np.ndarray], metric: str, cap: float) -> int:
    """The one with the least sum of capped distances to all others; topics without a partner count as the cap."""
    cost = np.zeros((len(phis), len(phis)))
    for a in range(len(phis)):
        for b in range(a):
            d = distance(phis[a], phis[b], metric)
            partner = assign(d, cap)
            found = np.flatnonzero(partner >= 0)
            left = len(phis[a]) + len(phis[b]) - 2 * len(found)
            cost[a, b] = cost[b, a] = d[found, partner[found]].sum() + cap * left / 2
    return int(cost.sum(axis=1).argmin())


def _mean(members: list[np.ndarray], permutations: np.ndarray, otherwise: np.ndarray) -> Float64[np.ndarray, "K V"]:
    """The mean of the matched topics; ``otherwise`` where nobody has a topic."""
    total = np.zeros(otherwise.shape)
    for phi, permutation in zip(members, permutations, strict=True):
        has = permutation >= 0
        total[has] += phi[permutation[has]] / phi[permutation[has]].sum(axis=1, dtype=np.float64, keepdims=True)
    times = (permutations >= 0).sum(axis=0)[:, None]
    return np.where(times > 0, total / np.maximum(times, 1), otherwise)


def _stability(distances: Float64[np.ndarray, "others K"], metric: str) -> Stability:
    if not len(distances):
        return Stability(*np.full((4, distances.shape[1]), np.nan))
    found = ~np.isnan(distances)
    alike = np.where(found, similarity(distances, metric), 0.0)
    return Stability(alike.mean(axis=0), alike.min(axis=0), alike.std(axis=0), found.mean(axis=0))
