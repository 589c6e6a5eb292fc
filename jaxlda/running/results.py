"""What a run gives: the state of every chain, the mean counts of its draws, and traces of how it got there."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float64, PRNGKeyArray

from jaxlda import estimators
from jaxlda.kernels.conditional import log_likelihood_terms
from jaxlda.kernels.hyper import present
from jaxlda.running.placement import Group
from jaxlda.running.schedule import Schedule
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["KEEP", "Part", "Run", "Trace"]

KEEP: dict[str, Callable[[Sample, Counts | None, Data], Array | None]] = {
    "z": lambda sample, soft, data: _assigned(sample),
    "n_dk": lambda sample, soft, data: sample.counts.n_dk,
    "n_vk": lambda sample, soft, data: sample.counts.n_vk,
    "n_k": lambda sample, soft, data: sample.counts.n_k,
    "phi": lambda sample, soft, data: _phi(sample.counts, data),
    "theta": lambda sample, soft, data: estimators.theta(sample.counts, data),
    "phi_p": lambda sample, soft, data: _phi(_softened(soft), data),
    "theta_p": lambda sample, soft, data: estimators.theta(_softened(soft), data),
    "similarity": lambda sample, soft, data: estimators.similarity(sample.counts, data),
    "log_likelihood": lambda sample, soft, data: _log_likelihood(sample, data),
}
"""Arrays a run can keep of every draw, by name. The last two are the likeness of a few documents
(``estimators.similarity``), and the log-likelihood of every document (Eq. 55) by phi and theta of the draw."""


def _phi(counts: Counts, data: Data) -> Array:
    """Where the topics are fixed, they are what they are."""
    return estimators.phi(counts, data) if data.phi is None else data.phi


def _log_likelihood(sample: Sample, data: Data) -> Array:
    return log_likelihood_terms(_phi(sample.counts, data), estimators.theta(sample.counts, data), data.tokens)


def _assigned(sample: Sample) -> Array:
    if sample.z is None:
        raise ValueError("z cannot be kept: the algorithm has soft counts, and no assignments.")
    return sample.z


def _softened(soft: Counts | None) -> Counts:
    if soft is None:
        raise ValueError(
            "phi_p and theta_p cannot be kept: the algorithm has no assignments z, or soft=False was given."
        )
    return soft


class Trace(NamedTuple):
    """One number a chain and sweep; NaN where it was not asked for."""

    log_joint: Float64[np.ndarray, "C T"]
    """log p(w, z | alpha, beta); of variational Bayes, which has no z, its bound of log p(w | alpha, beta)."""
    log_likelihood: Float64[np.ndarray, "C T"]
    """Training log-likelihood a token (Eq. 55) of the present phi and theta."""
    moved: Float64[np.ndarray, "C T"]
    """Share of the tokens whose topic changed."""
    gap: Float64[np.ndarray, "C T"]
    """Difference of hard and soft counts (Eq. 60, normalised)."""


class Part(NamedTuple):
    """A group of chains in the middle of a run."""

    group: Group
    state: Any
    hard: Counts | None
    """Sum of the counts of the draws; ``None`` before the first."""
    soft: Counts | None
    draws: int
    """How many draws were summed."""

    def of(self, tree: Any, chain: int) -> Any:
        """One chain's share of a tree of this group."""
        if not self.group.batched:
            return tree
        return jax.tree.map(lambda x: x[self.group.chains.index(chain)], tree)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run, finished or not. ``jaxlda.run(..., start=run)`` goes on where it stands.

    Arrays that were kept are attributes with axes (chain, draw, ...): ``jaxlda.run(..., keep=("z",)).z``.
    """

    algorithm: Algorithm
    data: Data
    key: PRNGKeyArray
    schedule: Schedule
    parts: tuple[Part, ...]
    sweep: int
    """Sweeps done."""
    trace: Trace
    kept: dict[str, tuple[np.ndarray, ...]]
    """For every name one array a draw, with the chains in front."""
    soft: bool
    """Whether the soft counts of the draws are averaged too."""
    layout: Any = None
    """The data as the algorithm has laid them out, for who looks at every block; ``None``: laid out when needed."""

    @property
    def num_chains(self) -> int:
        """C."""
        return sum(len(part.group.chains) for part in self.parts)

    @property
    def num_draws(self) -> int:
        """Draws kept of every chain so far."""
        return self.parts[0].draws

    @property
    def finished(self) -> bool:
        """Whether all sweeps are done."""
        return self.sweep >= self.schedule.total

    @property
    def anchored(self) -> bool:
        """Whether topic k means the same in every chain: phi is given, or one chain, or documents tell topics apart.

        They do as labels do: no two topics are allowed by the same documents. Topics that no document allows are the
        same in all chains, empty.
        """
        return self.num_chains == 1 or self.tied

    @property
    def tied(self) -> bool:
        """Whether topic k means the same in every draw of every chain, however many there are: see ``anchored``."""
        if self.data.phi is not None:
            return True
        alpha = np.asarray(self.data.priors.alpha)
        if alpha.ndim == 1:
            return False
        allowed = alpha[np.asarray(self.data.tokens.n_d) > 0] > 0
        allowed = allowed[:, allowed.any(axis=0)]
        return np.unique(allowed, axis=1).shape[1] == allowed.shape[1]

    def _part(self, chain: int) -> Part:
        for part in self.parts:
            if chain in part.group.chains:
                return part
        raise IndexError(f"There is no chain {chain}: this run has chains 0 to {self.num_chains - 1}.")

    def state(self, chain: int) -> Any:
        """The algorithm's own state of one chain."""
        part = self._part(chain)
        return part.of(part.state, chain)

    def chain(self, chain: int) -> Sample:
        """The present sample of one chain."""
        return self.algorithm.readout(self.state(chain), self._layout)

    def chain_data(self, chain: int) -> Data:
        """The data as one chain sees them: with the priors it has learned by now, if it learns any."""
        return present(self.state(chain), self.data)

    @cached_property
    def _layout(self) -> Any:
        return self.algorithm.prepare(self.data) if self.layout is None else self.layout

    @cached_property
    def sample(self) -> Sample:
        """The present sample of all chains, with the chains in front."""
        samples = [self.chain(chain) for chain in range(self.num_chains)]
        return jax.tree.map(lambda *x: jnp.stack([jax.device_put(y, jax.devices()[0]) for y in x]), *samples)

    def counts(self, *, soft: bool = False, chain: int | None = None) -> Counts:
        r"""Average the counts over the draws of one chain, or of all chains where topics mean the same in all.

        The estimators are functions of counts, so this is where samples are averaged: theta is linear in the counts
        (Eqs. 26 and 29 coincide), and phi of mean counts weighs every draw by the size of the topic. Before the first
        draw, the counts of the present state stand in.

        Parameters
        ----------
        soft
            Transition probabilities (Eq. 31) instead of hard counts.
        chain
            ``None`` averages over chains and is refused if they number their topics independently.
        """
        if chain is not None:
            return self._chain_counts(chain, soft)
        if not self.anchored:
            raise ValueError(
                f"Topic k of one chain is not topic k of another: averaging the {self.num_chains} chains would blend "
                "unrelated topics. Choose one (chain=0, say), or align the topics first. Averaging over chains is "
                "legitimate only with phi fixed or with topics tied to labels."
            )
        each = [self._chain_counts(chain, soft) for chain in range(self.num_chains)]
        return jax.tree.map(lambda *x: sum(jax.device_put(y, jax.devices()[0]) for y in x) / len(x), *each)

    def _chain_counts(self, chain: int, soft: bool) -> Counts:
        part = self._part(chain)
        total = part.soft if soft else part.hard
        if total is not None:
            return jax.tree.map(lambda x: x / part.draws, part.of(total, chain))
        if not soft:
            return self.chain(chain).counts
        sample = self.chain(chain)
        if self.num_draws and sample.z is not None:
            raise ValueError("The soft counts of the draws were not kept: run with soft=True.")
        return estimators.soften(sample, self.chain_data(chain))  # which says why, where there is nothing to soften

    def __getattr__(self, name: str) -> Any:
        kept = self.__dict__.get("kept", {})
        if name in kept:
            return np.stack(kept[name], axis=1) if kept[name] else np.empty((self.num_chains, 0))
        if name in KEEP:
            raise AttributeError(f"{name} was not kept: run with keep=({name!r},).")
        raise AttributeError(f"'Run' has no attribute {name!r}")

    def __repr__(self) -> str:
        return (
            f"Run({self.num_chains} chains, sweep {self.sweep} of {self.schedule.total}, {self.num_draws} draws each)"
        )
