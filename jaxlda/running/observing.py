"""What is noted of chains while they run: traces, sums of the draws, and what is kept of every draw.

Everything that a sweep is asked for is one compiled program over all chains of a group; only the objective is computed
on the host, in float64.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from jaxlda.estimators import gap, log_likelihoods
from jaxlda.estimators.soft import softened
from jaxlda.kernels.layouts.tokens import TokenLayout, distinct, lay_out
from jaxlda.running.parts import Part
from jaxlda.running.results import KEEP, check_keep, jitted_readout, log_likelihood
from jaxlda.running.schedule import Schedule
from jaxlda.running.sizes import cut_counts, cut_data, sizes_of
from jaxlda.running.turns import Turns
from jaxlda.types import Algorithm, Counts, Data

__all__ = ["Constants", "Notes", "Observer", "Seen", "Wanted", "constants", "looked"]

SCORES = "log_likelihood"


class Notes(NamedTuple):
    """What to note, and when."""

    schedule: Schedule
    soft: bool
    keep: tuple[str, ...]
    trace_every: int
    gap_every: int

    def traces(self, t: int) -> bool:
        """Whether sweep ``t`` is traced."""
        return self.trace_every > 0 and (t % self.trace_every == 0 or t == 1)

    def scores(self, t: int) -> bool:
        """Whether the log-likelihood after sweep ``t`` is asked for, whatever it costs."""
        drawn = self.schedule.keeps(t) and SCORES in self.keep
        # Every fourth time, for it takes five times as long as the log joint.
        return drawn or (self.traces(t) and (t == 1 or t // self.trace_every % 4 == 0))

    def compares(self, t: int) -> bool:
        """Whether hard and soft counts are compared after sweep ``t``."""
        return self.gap_every > 0 and (t % self.gap_every == 0 or t == 1)

    def judges(self, t: int) -> bool:
        """Whether the objective is computed; of draws always, for convergence is judged by it."""
        return self.traces(t) or (self.trace_every > 0 and self.schedule.keeps(t))

    def any(self, t: int) -> bool:
        """Whether there is anything to note after sweep ``t``."""
        return self.traces(t) or self.compares(t) or self.schedule.keeps(t)


def num_tokens(data: Data) -> int:
    """N, or 1 where there are none and something is divided by it."""
    return max(int(np.asarray(data.tokens.n_d).sum()), 1)


class Wanted(NamedTuple):
    """What one compiled program computes."""

    softens: bool
    scores: bool
    draws: bool
    """Whether the counts are added to those of the draws before."""
    adds_soft: bool
    keep: tuple[str, ...]


class Constants(NamedTuple):
    """What every look needs besides the state; see :func:`constants`."""

    layout: Any
    """The algorithm's own."""
    tokens: TokenLayout | None
    """That of the soft counts; ``None`` where there are none."""
    data: Data
    """As large as the run has made room for."""
    pairs: Data
    """With equal tokens of a document as one, where likelihoods are noted: equal ones are equally likely."""


def constants(algorithm: Algorithm, data: Data, layout: Any, notes: Notes) -> Constants:
    """Lay out what looking at states takes, once per run."""
    key = jax.eval_shape(lambda: jax.random.key(0))
    sample = jax.eval_shape(lambda key, layout: algorithm.readout(algorithm.init(key, layout), layout), key, layout)
    check_keep(notes.keep, sample.z is not None, notes.soft)
    tokens = None
    if sample.z is not None:
        # The algorithm's own layout if it is one of tokens: the same, without the memory of another.
        own = isinstance(layout, TokenLayout) and all(map(np.array_equal, layout.data.tokens[:2], data.tokens[:2]))
        tokens = layout if own else lay_out(data)
    pairs = data
    if notes.trace_every > 0 or SCORES in notes.keep:
        pairs = data._replace(tokens=distinct(data.tokens))
    return Constants(layout, tokens, data, pairs)


class Seen(NamedTuple):
    """What was seen of a chain, or of a batch of chains."""

    counts: Counts
    gap: Any
    scores: Any
    hard: Counts | None
    soft: Counts | None
    kept: dict[str, Any]


def looked(
    algorithm: Algorithm, wanted: Wanted, state: Any, hard: Counts | None, soft: Counts | None, constants: Constants
) -> Seen:
    """Look at one chain, under ``jit``."""
    layout, tokens, data, pairs = constants
    sample, view = algorithm.readout(state, layout), algorithm.view(state, data)
    soft_counts, scores = None, None
    if wanted.softens:
        assert tokens is not None
        # Weighing tokens costs half as much as scoring them, if it is done on the way.
        # It is done always: what is traced must not change a bit of the counts.
        soft_counts, weight = softened(sample, tokens.with_data(view))
        scores = log_likelihoods(weight, view) if wanted.scores and weight is not None else None
    elif wanted.scores:
        scores = log_likelihood(sample, algorithm.view(state, pairs))
    kept: dict[str, Any] = {
        name: scores if name == SCORES else KEEP[name](sample, soft_counts if wanted.adds_soft else None, view)
        for name in wanted.keep
    }
    return Seen(
        sample.counts,
        None if soft_counts is None else gap(sample.counts, soft_counts),
        scores,
        _sum(hard, sample.counts) if wanted.draws else None,
        _sum(soft, soft_counts) if wanted.draws and wanted.adds_soft and soft_counts is not None else None,
        kept,
    )


def _sum(total: Counts | None, counts: Counts) -> Counts:
    # Integers would overflow, after many draws.
    return jax.tree.map(lambda x, y: x + y.astype(jnp.float32), total, counts)


@lru_cache(maxsize=64)
def _program(algorithm: Algorithm, wanted: Wanted, batched: bool) -> Callable[..., Seen]:
    one = partial(looked, algorithm, wanted)
    return jax.jit(jax.vmap(one, (0, 0, 0, None)) if batched else one)


class Observer:
    """Looks at the chains of one group."""

    def __init__(self, algorithm: Algorithm, constants: Constants, data: Data, notes: Notes, turns: Turns):
        self.algorithm, self.constants, self.data, self.notes, self.turns = algorithm, constants, data, notes, turns
        self.num_tokens = num_tokens(data)
        self.assigned = constants.tokens is not None
        blocks = () if constants.tokens is None else constants.tokens.blocks
        self.short = any(block.listed for block in blocks)

    def __call__(self, part: Part, t: int) -> tuple[Part, dict[str, Any], dict[str, Any]]:
        """Note what is due after sweep ``t``: give the sums of the draws, a row of the trace, and what is kept."""
        notes, keeps, hard = self.notes, self.notes.schedule.keeps(t), self.assigned
        softens = notes.compares(t) or (keeps and notes.soft) or (notes.scores(t) and self.short)
        wanted = Wanted(
            softens=hard and softens,
            scores=notes.scores(t) or (hard and softens and notes.traces(t)),
            draws=keeps,
            adds_soft=hard and notes.soft,
            keep=notes.keep if keeps else (),
        )
        if keeps and part.hard is None:
            part = self._with_sums(part, wanted.adds_soft)
        sums = (part.hard, part.soft) if keeps else (None, None)
        with self.turns(wanted):
            seen = self._seen(part, sums, wanted)
        row: dict[str, Any] = {}
        if seen.gap is not None:
            row["gap"] = seen.gap
        if seen.scores is not None:
            # Summed in float64 on the host: it has more digits than a float32.
            row[SCORES] = np.asarray(seen.scores, np.float64).sum(-1) / self.num_tokens
        if notes.judges(t):
            row[self.algorithm.objective.__name__] = self._objective(part, seen.counts)
        if keeps:
            part = part._replace(hard=seen.hard, soft=seen.soft, draws=part.draws + 1)
        return part, row, seen.kept

    def _seen(self, part: Part, sums: tuple, wanted: Wanted) -> Seen:
        if not (wanted.softens or wanted.scores or wanted.draws or part.group.batched):
            # The counts alone: with the program that reads out single chains, one less to compile.
            counts = jitted_readout(self.algorithm)(part.state, self.constants.layout).counts
            return Seen(counts, None, None, None, None, {})
        return _program(self.algorithm, wanted, part.group.batched)(part.state, *sums, self.constants)

    def _with_sums(self, part: Part, soft: bool) -> Part:
        """Sums of no draws."""
        readout = self.algorithm.readout
        readout = jax.vmap(readout, (0, None)) if part.group.batched else readout
        counts = jax.eval_shape(readout, part.state, self.constants.layout).counts
        zeros = jax.tree.map(lambda x: np.zeros(x.shape, np.float32), counts)
        placed = partial(jax.device_put, zeros, part.group.device)
        return part._replace(hard=placed(), soft=placed() if soft else None)

    def _objective(self, part: Part, counts: Counts) -> Any:
        counts = cut_counts(jax.tree.map(np.asarray, counts), sizes_of(self.data))

        def view(state: Any) -> Data:
            return cut_data(self.algorithm.view(state, self.constants.data), self.data)

        if not part.group.batched:
            return self.algorithm.objective(counts, view(part.state))
        views = [view(part.of(part.state, chain)) for chain in part.group.chains]
        each = [jax.tree.map(lambda x, i=i: x[i], counts) for i in range(len(views))]
        return np.array([self.algorithm.objective(one, view) for one, view in zip(each, views, strict=True)])
