"""What a run gives: the state of every chain, the mean counts of its draws, and traces of how it got there."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float64, PRNGKeyArray

from jaxlda import estimators
from jaxlda.corpora.callers import warn
from jaxlda.corpora.repeated import written_out
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.tokens import single_precision
from jaxlda.running.checking import check_samples, check_whole
from jaxlda.running.parts import Part, gathered, on_device, part_of
from jaxlda.running.placement import Group
from jaxlda.running.schedule import Schedule
from jaxlda.running.sizes import Sizes, cut_counts, cut_data, cut_sample, enlarged, sizes_of
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["KEEP", "Part", "Run", "Trace"]

Trace = Mapping[str, np.ndarray]
"""Series (C, T) by name, one number per chain and sweep; NaN where it was not asked for. They are ``moved`` and what
else the algorithm's ``Info`` has, the objective under its own name (``log_joint``, or ``bound`` of variational Bayes),
``log_likelihood`` per token (Eq. 55) of the present phi and theta, and ``gap`` of hard and soft counts (Eq. 60)."""


class Series(dict[str, np.ndarray]):
    """A trace; its series were attributes in version 0.1, and still are until 0.3, with a warning."""

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in self:
            raise AttributeError(f"there is no series {name!r}; the trace has {', '.join(self)}")
        text = f"trace.{name} is now trace[{name!r}]; the old way goes with version 0.3"
        warn(text, DeprecationWarning)
        return self[name]


# A dict to JAX, too.
jax.tree_util.register_pytree_with_keys(
    Series,
    lambda one: ([(jax.tree_util.DictKey(name), one[name]) for name in sorted(one)], tuple(sorted(one))),
    lambda names, columns: Series(zip(names, columns, strict=True)),
)

RENAMED = {"similarity": "likeness"}
"""What could be kept of draws under other names in version 0.1."""


def named(keep: Any) -> tuple[Any, ...]:
    """Names to keep by what they are called now; old ones warn.

    >>> named("phi")
    ('phi',)
    """
    names = tuple(keep) if isinstance(keep, Iterable) and not isinstance(keep, str) else (keep,)
    for old in (name for name in names if isinstance(name, str) and name in RENAMED):
        text = f"keep={old!r} is now {RENAMED[old]!r}; the old name goes with version 0.3"
        warn(text, DeprecationWarning)
    return tuple(RENAMED.get(name, name) if isinstance(name, str) else name for name in names)


KEEP: dict[str, Callable[[Sample, Counts | None, Data], Array | None]] = {
    "z": lambda sample, soft, data: sample.z,
    "n_dk": lambda sample, soft, data: sample.counts.n_dk,
    "n_vk": lambda sample, soft, data: sample.counts.n_vk,
    "n_k": lambda sample, soft, data: sample.counts.n_k,
    "phi": lambda sample, soft, data: estimators.phi(sample, data),
    "theta": lambda sample, soft, data: estimators.theta(sample, data),
    "phi_p": lambda sample, soft, data: estimators.phi(_softened(soft), data),
    "theta_p": lambda sample, soft, data: estimators.theta(_softened(soft), data),
    "likeness": lambda sample, soft, data: estimators.likeness(sample.counts, data),
    "log_likelihood": lambda sample, soft, data: log_likelihood(sample, data),
    "effects": lambda sample, soft, data: _effects(data),
}
"""Arrays a run can keep of every draw, by name. The last three are the likeness of a few documents
(``estimators.likeness``), the log-likelihood of every document (Eq. 55) by phi and theta of the draw, and the effects
of covariates on alpha, of which there are none where there are no covariates."""


def log_likelihood(sample: Sample, data: Data) -> Array:
    """The log-likelihood of every document by phi and theta of a sample (Eq. 55)."""
    phi, theta = estimators.phi(sample, data), estimators.theta(sample, data)
    return estimators.log_likelihood_terms(phi, theta, data.tokens)


def _effects(data: Data) -> Array:
    return jnp.zeros((0, data.priors.alpha.shape[-1])) if data.covariates is None else data.covariates.effects


def _softened(soft: Counts | None) -> Counts:
    assert soft is not None, "check_keep has refused it"
    return soft


def check_keep(keep: Sequence[Any], assigned: bool, soft: bool) -> None:
    """Refuse what cannot be kept of draws, before the first sweep: of those without assignments, or soft counts."""
    if not all(isinstance(name, str) for name in keep):
        raise TypeError(f"keep must be names such as 'phi', or none as (); got {keep!r}")
    unknown = set(keep) - set(KEEP)
    if unknown:
        raise ValueError(f"keep knows {', '.join(KEEP)}; not {', '.join(sorted(unknown))}.")
    if "z" in keep and not assigned:
        raise ValueError("z cannot be kept: the algorithm has soft counts, and no assignments.")
    if {"phi_p", "theta_p"} & set(keep) and not (assigned and soft):
        raise ValueError(
            "phi_p and theta_p cannot be kept: the algorithm has no assignments z, or soft=False was given."
        )


@jax.jit
def _mean(total: Counts, draws: Array) -> Counts:
    return jax.tree.map(lambda x: x / draws, total)


@jax.jit
def _mean_of_chains(each: list[Counts]) -> Counts:
    return jax.tree.map(lambda *x: sum(x) / len(x), *each)


def _narrow(sample: Sample) -> Sample:
    """A sample in the types that kernels have: counts are whole where z is known, floats where it is not."""
    if sample.z is None:
        return Sample(Counts(*(jnp.asarray(count, jnp.float32) for count in sample.counts)), None)
    return jax.tree.map(lambda x: jnp.asarray(x, jnp.int32), sample)


@lru_cache(maxsize=32)
def jitted_readout(algorithm: Algorithm) -> Callable[[Any, Any], Sample]:
    """The compiled ``readout`` of an algorithm."""
    return jax.jit(algorithm.readout)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A run, finished or not. ``jaxlda.run(..., start=run)`` goes on where it stands.

    Arrays that were kept are attributes with axes (chain, draw, ...): ``jaxlda.run(..., keep=("z",)).z``.
    """

    algorithm: Algorithm | None
    """``None`` where another program has drawn the samples."""
    data: Data
    key: PRNGKeyArray | None
    schedule: Schedule
    parts: tuple[Part, ...]
    sweep: int
    """Sweeps done."""
    trace: Trace
    kept: dict[str, tuple[np.ndarray, ...]] = field(default_factory=dict)
    """For every name one array per draw, with the chains in front."""
    soft: bool = True
    """Whether the soft counts of the draws are averaged too."""
    room: Sizes | None = None
    """Sizes of the arrays of states and sums, which other runs have too; ``None``: those of the data."""
    layout: Any = None
    """The data as the algorithm has laid them out, for who looks at every block; ``None``: laid out when needed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "trace", Series(self.trace))

    @classmethod
    def from_samples(cls, data: Data, samples: Sequence[Any]) -> "Run":
        """Samples of other programs as a finished run: every sample is a chain.

        Parameters
        ----------
        data
            The documents and priors that they are samples of.
        samples
            At least one ``Sample``, each of all documents.

        Examples
        --------
        >>> import jaxlda
        >>> data = jaxlda.Corpus.from_counts([[2, 1], [1, 2]]).data(num_topics=2)
        >>> sample = jaxlda.run(0, "cgs", data, num_warmup=1).chain(0)
        >>> Run.from_samples(data, [sample, sample])
        Run(2 chains, sweep 1 of 1, 1 draw each)
        """
        samples = [samples] if isinstance(samples, Sample) else list(samples)
        check_whole(data)
        data, device = single_precision(data), jax.local_devices()[0]
        check_samples(samples, data)
        placed = jax.device_put([_narrow(sample) for sample in samples], device)
        hard = [jax.tree.map(jnp.float32, sample.counts) for sample in placed]
        soft = [None if sample.z is None else estimators.soften(sample, data) for sample in placed]
        groups = (Group((i,), device, False) for i in range(len(samples)))
        parts = [Part(*fields, 1) for fields in zip(groups, placed, hard, soft, strict=True)]
        N = max(float(np.sum(data.tokens.n_d)), 1.0)
        columns = {
            "log_joint": [log_joint(sample.counts, data) for sample in placed],
            "log_likelihood": [log_likelihood(sample, data).sum() / N for sample in placed],
        } | dict.fromkeys(("moved", "gap"), [np.nan] * len(samples))
        trace = {name: np.asarray(column, np.float64)[:, None] for name, column in columns.items()}
        return cls(None, data, None, Schedule(0, 1, 1), tuple(parts), 1, trace)

    @property
    def num_chains(self) -> int:
        """C, the number of chains."""
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
        return part_of(self.parts, chain)

    def state(self, chain: int) -> Any:
        """The algorithm's own state of one chain."""
        part = self._part(chain)
        return part.of(part.state, chain)

    def chain(self, chain: int) -> Sample:
        """The present sample of one chain."""
        return cut_sample(self._roomy_sample(chain), sizes_of(self.data))

    def chain_data(self, chain: int) -> Data:
        """The data as one chain sees them: with what it has learned or drawn by now, if it does."""
        return cut_data(self._roomy_data(chain), self._written)

    def _roomy_sample(self, chain: int) -> Sample:
        """The present sample of one chain, with room."""
        state = self.state(chain)
        return state if self.algorithm is None else jitted_readout(self.algorithm)(state, self._layout)

    def _roomy_data(self, chain: int) -> Data:
        """The data as one chain sees them, with room."""
        return self.data if self.algorithm is None else self.algorithm.view(self.state(chain), self._roomy)

    @cached_property
    def _written(self) -> Data:
        """The data with their tokens written out, which only the end of a run of several processes does."""
        return written_out(self.data)

    @cached_property
    def _roomy(self) -> Data:
        return self._written if self.room is None else enlarged(self._written, self.room)

    @cached_property
    def _layout(self) -> Any:
        if self.algorithm is None or self.layout is not None:
            return self.layout
        return self.algorithm.prepare(self._roomy)

    @property
    def objective_name(self) -> str:
        """What chains are compared by, in words: "log joint", or "bound" of variational Bayes."""
        return self._objective.__name__.replace("_", " ")

    @property
    def _objective(self) -> Callable[[Counts, Data], float]:
        return log_joint if self.algorithm is None else self.algorithm.objective

    @property
    def objective(self) -> Float64[np.ndarray, "C T"]:
        """The trace of what chains are compared by; NaN where it was not asked for."""
        nothing = np.empty((self.num_chains, 0))
        return self.trace.get(self._objective.__name__, nothing)

    @cached_property
    def best_chain(self) -> int:
        """The chain whose present state has the highest objective."""
        if self.num_chains == 1:
            return 0
        each = [self._objective(self.chain(chain).counts, self.chain_data(chain)) for chain in range(self.num_chains)]
        return int(np.argmax(each))

    def gathered(self) -> "Run":
        """The run with every chain whole in this process, wherever its documents are; all processes must ask."""
        if all(part.group.shards is None for part in self.parts):
            return self
        return replace(self, parts=gathered(self.parts), data=self._written)

    def save(self, path: str | os.PathLike) -> None:
        """Save the run, finished or not: ``jaxlda.load(path)`` gives it back.

        Parameters
        ----------
        path
            A file, which is replaced if there is one.
        """
        from jaxlda.running import store

        store.save(self, path)

    @cached_property
    def sample(self) -> Sample:
        """The present sample of all chains, with the chains in front."""
        samples = [self.chain(chain) for chain in range(self.num_chains)]
        return jax.tree.map(lambda *x: jnp.stack([jax.device_put(y, jax.local_devices()[0]) for y in x]), *samples)

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
            return cut_counts(self._chain_counts(chain, soft), sizes_of(self.data))
        if not self.anchored:
            raise ValueError(
                f"Topic k of one chain is not topic k of another: averaging the {self.num_chains} chains would blend "
                "unrelated topics. Choose one (chain=0, say), or align the topics first. Averaging over chains is "
                "legitimate only with phi fixed or with topics tied to labels."
            )
        each = [self._chain_counts(chain, soft) for chain in range(self.num_chains)]
        return cut_counts(_mean_of_chains(jax.device_put(each, jax.local_devices()[0])), sizes_of(self.data))

    def _chain_counts(self, chain: int, soft: bool) -> Counts:
        """Mean counts of the draws of one chain, with room, or those of its present state."""
        part = self._part(chain)
        total = part.soft if soft else part.hard
        if total is not None:
            return _mean(part.of(total, chain), np.float32(part.draws))
        sample = self._roomy_sample(chain)
        if not soft:
            return sample.counts
        if self.num_draws and sample.z is not None:
            raise ValueError("The soft counts of the draws were not kept: run with soft=True.")
        return estimators.soften(sample, self._roomy_data(chain))  # which says why, where there is nothing to soften

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the devices, which belong to this process, and what follows from the rest."""
        whole = self.gathered()
        state = {one.name: getattr(whole, one.name) for one in fields(self)}
        return state | {"parts": on_device(None, whole.parts), "layout": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"parts": on_device(jax.local_devices()[0], state["parts"])})

    def __getattr__(self, name: str) -> Any:
        kept = self.__dict__.get("kept", {})
        if name in kept:
            return np.stack(kept[name], axis=1) if kept[name] else np.empty((self.num_chains, 0))
        if name in RENAMED:
            text = f"run.{name} is now run.{RENAMED[name]}; the old name goes with version 0.3"
            warn(text, DeprecationWarning)
            return getattr(self, RENAMED[name])
        if name in KEEP:
            raise AttributeError(f"{name} was not kept: run with keep=({name!r},).")
        raise AttributeError(f"'Run' has no attribute {name!r}")

    def __repr__(self) -> str:
        chains, draws = (
            f"{n} {what}{'s' * (n != 1)}" for n, what in ((self.num_chains, "chain"), (self.num_draws, "draw"))
        )
        return f"Run({chains}, sweep {self.sweep} of {self.schedule.total}, {draws} each)"
