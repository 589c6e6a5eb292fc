"""Which topic is which in every draw of every chain of a run."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Float64, Int64

from jaxlda import estimators
from jaxlda.alignment.chains import align_all
from jaxlda.alignment.distances import distance, similarity
from jaxlda.alignment.matching import assign
from jaxlda.alignment.relabeling import relabel
from jaxlda.running.results import Run

__all__ = ["Labels", "label"]

# Both metrics put the same number on the same share of common mass; this one is a matrix product, and an alignment of
# a hundred topics must not take as long as the sampling.
METRIC = "hellinger"
FAR = 0.6  # from itself, a topic is to be looked for under other numbers


class Labels(NamedTuple):
    """The topics of all draws in the order of one chain's."""

    reference: int
    """The chain whose numbers the topics have."""
    permutations: Int64[np.ndarray, "C S K"]
    """The number that each topic has in each draw. Topics without a partner take what is left: see ``matched``."""
    matched: Bool[np.ndarray, "C K"]
    """Whether a chain has a topic of the reference."""
    stability: Float64[np.ndarray, " K"]
    """How alike a topic is in the other chains, from 0 to 1 (see ``alignment.Stability``); NaN for a single chain."""
    phi: Float[np.ndarray, "C K V"]
    """The mean topics of the chains, in the same order."""


def label(run: Run, reference: int | str = "medoid") -> Labels:
    """Number the topics of all draws and chains as one chain does.

    Within a chain, topics keep their numbers from draw to draw unless one has become unlike what it is in the last
    draw; where phi of every draw was kept, that is noticed and undone. Chains are then matched by the means of their
    draws (``alignment.align_all``), except where topics mean the same in all of them (``Run.anchored``).

    Parameters
    ----------
    run
        A run with or without kept draws.
    reference
        The number of a chain, or ``"medoid"``: the one that is nearest to all others.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_samples=2, num_chains=2)
    >>> label(run, reference=0).permutations[0].tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    if run.data.phi is not None:
        phi = np.repeat(np.asarray(run.data.phi)[None], run.num_chains, axis=0)
        within = [_unchanged(run, phi.shape[1])] * run.num_chains
    elif run.tied:
        phi = np.stack([_mean(run, chain) for chain in range(run.num_chains)])
        within = [_unchanged(run, phi.shape[1])] * run.num_chains
    else:
        pairs = [_within(run, chain) for chain in range(run.num_chains)]
        within, phi = [pair[0] for pair in pairs], np.stack([pair[1] for pair in pairs])
    found = align_all(phi, reference, METRIC, mixtures=False)
    number = 0 if found.reference is None else found.reference
    C, K = phi.shape[:2]
    if run.anchored:
        across, matched = np.tile(np.arange(K), (C, 1)), np.full((C, K), True)
        alike = similarity(np.stack([_apart(phi[number], one) for one in phi]), METRIC)
        stability = alike[np.arange(C) != number].mean(axis=0) if C > 1 else np.full(K, np.nan)
    else:
        across, matched = np.stack([_completed(p) for p in found.permutations]), found.permutations >= 0
        stability = found.stability.mean
    permutations = np.stack([one[:, order] for one, order in zip(within, across, strict=True)])
    return Labels(number, permutations, matched, stability, relabel(phi, across, axis=1))


def _unchanged(run: Run, K: int) -> Int64[np.ndarray, "S K"]:
    return np.tile(np.arange(K), (run.num_draws, 1))


def _mean(run: Run, chain: int) -> Float[np.ndarray, "K V"]:
    return np.asarray(estimators.phi(run.counts(chain=chain), run.chain_data(chain)))


def _within(run: Run, chain: int) -> tuple[Int64[np.ndarray, "S K"], Float[np.ndarray, "K V"]]:
    """The numbers that the topics of a chain's last draw have in each of its draws, and their mean."""
    mean = _mean(run, chain)
    permutations = _unchanged(run, len(mean))
    draws = [draw[chain] for draw in run.kept.get("phi", ())]
    for s, draw in enumerate(draws[:-1]):
        if (_apart(draws[-1], draw) > FAR).any():
            # Not ``align``, which also looks for topics that were split: that takes four times as long.
            permutations[s] = _completed(assign(distance(draws[-1], draw, METRIC), FAR))
    if (permutations != np.arange(len(mean))).any():
        total = sum(draw[order].astype(np.float64) for draw, order in zip(draws, permutations, strict=True))
        mean = (total / len(draws)).astype(mean.dtype)
    return permutations, mean


def _apart(a: Float[np.ndarray, "K V"], b: Float[np.ndarray, "K V"]) -> Float64[np.ndarray, " K"]:
    """The Hellinger distances of topics of the same number."""
    return np.sqrt(np.clip(1 - np.einsum("kv,kv->k", np.sqrt(a), np.sqrt(b), dtype=np.float64), 0, 1))


def _completed(permutation: Int64[np.ndarray, " K"]) -> Int64[np.ndarray, " K"]:
    """Give topics without a partner what is left: those of their own number first."""
    left = sorted(set(range(len(permutation))) - set(permutation.tolist()))
    full = permutation.copy()
    for k in np.flatnonzero(full < 0).tolist():
        if k in left:
            full[k] = k
            left.remove(k)
    full[full < 0] = left
    return full
