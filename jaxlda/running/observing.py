"""What a run notes of a chain: traces, soft counts, and arrays of draws.

One chain at a time, by the same programs whether chains run alone or in a batch: compilers round a sum or a gamma
function differently in programs of other shapes, and what a seed gives must not depend on the chain method.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array

from jaxlda.estimators import gap, log_likelihoods, soften, soften_and_weigh
from jaxlda.kernels.conditional import log_joint
from jaxlda.kernels.cvb0 import distinct
from jaxlda.kernels.hyper import present, unwrapped
from jaxlda.kernels.vb import bound, vb
from jaxlda.running.results import KEEP
from jaxlda.running.schedule import Schedule
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["Notes", "Observation", "Observer", "joined", "num_tokens"]

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

    def any(self, t: int) -> bool:
        """Whether there is anything to note after sweep ``t``."""
        return self.traces(t) or self.compares(t) or self.schedule.keeps(t)


def num_tokens(data: Data) -> int:
    """N, or 1 where there are none and something is divided by it."""
    return max(int(np.asarray(data.tokens.n_d).sum()), 1)


def joined(data: Data, notes: Notes) -> Data:
    """The data with equal tokens of a document as one, where likelihoods are noted: equal ones are equally likely."""
    if notes.trace_every == 0 and SCORES not in notes.keep:
        return data
    return data._replace(tokens=distinct(data.tokens))


class Observation(NamedTuple):
    """What was noted of one chain after one sweep."""

    trace: dict[str, Any]
    hard: Counts
    soft: Counts | None
    kept: dict[str, Array]


class _Programs(NamedTuple):
    readout: Callable
    soften: Callable
    weigh: Callable
    score: Callable
    keep: dict[str, Callable]


def _keeper(function: Callable) -> Callable:
    return jax.jit(lambda state, sample, soft, data: function(sample, soft, present(state, data)))


@lru_cache(maxsize=32)
def _programs(algorithm: Algorithm) -> _Programs:
    return _Programs(
        readout=jax.jit(algorithm.readout),
        soften=jax.jit(lambda state, sample, data, groups: soften(sample, present(state, data), groups)),
        weigh=jax.jit(lambda state, sample, data, groups: soften_and_weigh(sample, present(state, data), groups)),
        score=jax.jit(lambda state, weight, data: log_likelihoods(weight, present(state, data))),
        keep={name: _keeper(function) for name, function in KEEP.items()},
    )


def _objective(algorithm: Algorithm) -> Callable[[Counts, Data], float]:
    """What is traced as log joint: that, or the bound which variational Bayes maximises and which has no z."""
    while wrapped := unwrapped(algorithm):
        algorithm = wrapped[0]
    return bound if algorithm == vb() else log_joint


class Observer:
    """Looks at states of one algorithm and one set of data."""

    def __init__(self, algorithm: Algorithm, data: Data, pairs: Data, layout: Any, notes: Notes):
        self.programs = _programs(algorithm)
        self.objective = _objective(algorithm)
        self.data, self.pairs, self.layout, self.notes = data, pairs, layout, notes
        self.groups = getattr(layout, "groups", None)  # of documents, where they allow few topics each
        self.num_tokens = num_tokens(data)

    def __call__(self, state: Any, t: int) -> Observation:
        """What there is to note of one chain after sweep ``t``."""
        notes, programs, data = self.notes, self.programs, self.data
        keeps = notes.schedule.keeps(t)
        sample = programs.readout(state, self.layout)
        soft, scores = self._counted(state, sample, t)
        trace = {} if soft is None else {"gap": gap(sample.counts, soft)}
        if not notes.soft:
            soft = None  # computed for the gap, but not at every draw
        if scores is not None:
            # Summed in float64 on the host: it has more digits than a float32.
            trace[SCORES] = np.asarray(scores, np.float64).sum() / self.num_tokens
        if notes.traces(t) or (keeps and notes.trace_every > 0):  # draws always: convergence is judged by it
            trace["log_joint"] = self.objective(sample.counts, present(state, data))
        kept: dict[str, Any] = {}
        if keeps:
            kept = {
                name: scores if name == SCORES else programs.keep[name](state, sample, soft, data)
                for name in notes.keep
            }
        return Observation(trace, sample.counts, soft, kept)

    def _counted(self, state: Any, sample: Sample, t: int) -> tuple[Counts | None, Array | None]:
        """Soft counts, if they are asked for, and the log-likelihood of every document, if it is or costs little."""
        notes, programs, hard = self.notes, self.programs, sample.z is not None
        softens = hard and (notes.compares(t) or (notes.schedule.keeps(t) and notes.soft))
        # Weighing tokens costs half as much as scoring them, if it is done on the way; and where documents allow few
        # topics, less in any case.
        if notes.scores(t) or (softens and notes.traces(t)):
            if not softens and (self.groups is None or not hard):
                return None, programs.keep[SCORES](state, sample, None, self.pairs)
            soft, weight = programs.weigh(state, sample, self.data, self.groups)
            return soft if softens else None, programs.score(state, weight, self.data)
        return programs.soften(state, sample, self.data, self.groups) if softens else None, None
