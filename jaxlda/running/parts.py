"""Groups of chains in the middle of a run, and chains in other groups than they were."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array

from jaxlda.running.placement import Group
from jaxlda.types import Counts

__all__ = ["Part", "gathered", "on_device", "part_of", "regrouped"]


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
        """One chain's share of a tree of this group. Where several processes share it, all of them must ask."""
        if not self.group.batched:
            return tree
        own = _picked(tree, np.int32(self.group.chains.index(chain)))
        return own if self.group.shards is None else self.group.shards.whole(own)


@jax.jit
def _picked(tree: Any, i: Array) -> Any:
    """One entry of the first axis of every array."""
    return jax.tree.map(lambda x: lax.dynamic_index_in_dim(x, i, keepdims=False), tree)


def on_device(device: Any, parts: Sequence[Part]) -> tuple[Part, ...]:
    """The same parts, said to be on this device."""
    return tuple(part._replace(group=part.group._replace(device=device)) for part in parts)


def part_of(parts: Sequence[Part], chain: int) -> Part:
    """The part that a chain belongs to."""
    for part in parts:
        if chain in part.group.chains:
            return part
    last = sum(len(part.group.chains) for part in parts) - 1
    raise IndexError(f"There is no chain {chain}: this run has chains 0 to {last}.")


def regrouped(parts: Sequence[Part], group: Group) -> Part:
    """Take the chains of a group out of others, however those had grouped them."""

    def take(field: str) -> Any:
        each = []
        for chain in group.chains:
            part = part_of(parts, chain)
            each.append(part.of(getattr(part, field), chain))
        if group.shards is not None:
            return group.shards.split(jax.tree.map(lambda *x: np.stack(x), *each))
        each = jax.device_put(each, group.device)
        return jax.tree.map(lambda *x: jnp.stack(x), *each) if group.batched else each[0]

    return Part(group, take("state"), take("hard"), take("soft"), parts[0].draws)


def gathered(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The same chains, each whole on the first device of this process. All processes must ask."""
    chains = sorted(chain for part in parts for chain in part.group.chains)
    return tuple(regrouped(parts, Group((chain,), jax.local_devices()[0], False)) for chain in chains)
