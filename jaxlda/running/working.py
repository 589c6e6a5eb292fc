"""Chains at work: the compiled programs of a group of chains, and sweep after sweep of it."""

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PRNGKeyArray

from jaxlda.running.collecting import Done
from jaxlda.running.observing import Constants, Notes, Observer
from jaxlda.running.parts import Part
from jaxlda.running.placement import Group
from jaxlda.running.turns import Turns
from jaxlda.types import Algorithm, Data

__all__ = ["Programs", "Worker", "sweep_key"]


def sweep_key(key: PRNGKeyArray, chain: Array, t: Array) -> PRNGKeyArray:
    """The key of sweep ``t`` of a chain, by these numbers alone; the start is sweep 0."""
    return jax.random.fold_in(jax.random.fold_in(key, chain), t)


class Programs(NamedTuple):
    """The compiled pieces of a run, for one chain or a batch of chains."""

    init: Callable
    sweep: Callable


@lru_cache(maxsize=32)
def _programs(algorithm: Algorithm, batched: bool, threaded: bool = False) -> Programs:
    def init(key: PRNGKeyArray, chain: Array, layout: Any) -> Any:
        return algorithm.init(sweep_key(key, chain, jnp.uint32(0)), layout)

    def sweep(state: Any, key: PRNGKeyArray, chain: Array, t: Array, layout: Any) -> tuple:
        return algorithm.step(sweep_key(key, chain, t), state, layout)

    def sweep_in_threads(state: Any, key: PRNGKeyArray, chain: Any, t: Any, layout: Any) -> tuple:
        assert algorithm.threaded is not None
        return algorithm.threaded(own_key(key, chain, t), state, layout)

    own_key = jax.jit(sweep_key)

    def compiled(function: Callable, in_axes: tuple, **options: Any) -> Callable:
        return jax.jit(jax.vmap(function, in_axes) if batched else function, **options)

    return Programs(
        compiled(init, (None, 0, None)),
        # The state is given up to its successor: nothing is copied between sweeps.
        sweep_in_threads if threaded else compiled(sweep, (0, None, 0, None, None), donate_argnums=0),
    )


@jax.jit
def _copied(state: Any) -> Any:
    return jax.tree.map(jnp.copy, state)


class Worker:
    """Advances one group of chains. What it returns is new; what it was given stays as it was."""

    def __init__(
        self,
        group: Group,
        algorithm: Algorithm,
        shared: tuple[PRNGKeyArray, Constants],
        data: Data,
        notes: Notes,
        lock: threading.Lock,
    ):
        key, constants = shared
        self.group, self.notes, self.turns = group, notes, Turns(lock)
        threaded = algorithm.threaded is not None and not group.batched and group.device.platform == "cpu"
        self.programs = _programs(algorithm, group.batched, threaded)
        self.key, self.layout = key, constants.layout
        self.observe = Observer(algorithm, constants, data, notes, self.turns)
        chains = np.asarray(group.chains if group.batched else group.chains[0], np.uint32)
        self.chains = jax.device_put(chains, group.device)

    def start(self) -> Part:
        """The chains before their first sweep."""
        return Part(self.group, self.programs.init(self.key, self.chains, self.layout), None, None, 0)

    def advance(self, part: Part, sweeps: range, stop: threading.Event) -> Done:
        """Do some sweeps; fewer if told to stop."""
        # A copy, because sweeps give up the state they start from, and a block that is cut short must leave no trace.
        with self.turns("copy"):
            part = part._replace(state=_copied(part.state))
        rows, draws = [], []
        for t in sweeps:
            if stop.is_set():  # nobody waits for the result
                break
            with self.turns("sweep"):
                state, info = self.programs.sweep(part.state, self.key, self.chains, np.uint32(t), self.layout)
            part = part._replace(state=state)
            row = dict(info._asdict())  # on the device still: asking for the numbers would wait for them
            if self.notes.any(t):
                part, seen, kept = self.observe(part, t)
                if twice := row.keys() & seen.keys():
                    raise ValueError(f"every trace has {', '.join(twice)}; rename what the Info of the algorithm has")
                row |= seen
                draws += [kept] if self.notes.schedule.keeps(t) else []
            rows.append(row)
        jax.block_until_ready(part.state)
        return part, rows, draws
