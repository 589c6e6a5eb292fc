"""Chains whose documents are shared out between devices: the same kernels, each device with its own documents.

One program runs on all devices of a mesh (chain, doc). What kernels sum over documents, they sum over devices too
(``TokenLayout.summed``); random numbers are numbered by the place of a token or a document in the whole corpus, so that
z does not depend on the mesh.
"""

import threading
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec
from jaxtyping import Array, PRNGKeyArray

from jaxlda import estimators
from jaxlda.estimators.documents import alike
from jaxlda.kernels.cgs import checked_tokens
from jaxlda.kernels.layouts.tokens import DOCUMENTS, Shard, few_topics, lay_out_rows
from jaxlda.kernels.registry import KERNELS
from jaxlda.running.collecting import Done
from jaxlda.running.observing import SCORES, Constants, Notes, Observer, Seen, Wanted, looked
from jaxlda.running.parts import Part
from jaxlda.running.placement import Group
from jaxlda.running.processes import on_host
from jaxlda.running.results import check_keep
from jaxlda.running.shards import ALL, CHAINS, COUNTS, OWN, Likened, Placed, Shards, place, specs
from jaxlda.running.sizes import Sizes, cut_counts, sizes_of
from jaxlda.running.turns import Turns
from jaxlda.running.working import Programs, Worker, sweep_key
from jaxlda.types import Algorithm, Counts, Data, Priors, Sharding, Tokens

__all__ = ["ShardedWorker", "check_shardable", "sharded_worker"]

KINDS = dict.fromkeys(("n_dk", "theta", "theta_p", SCORES), "documents") | {"z": "tokens"}
"""What kept arrays are by, of which devices have their own; the others are the same on all."""


def check_shardable(algorithm: Algorithm, data: Data, key: PRNGKeyArray) -> None:
    """Refuse what cannot be shared out between devices, in a sentence."""
    if algorithm.sharding is None:
        able = ", ".join(repr(name) for name, make in sorted(KERNELS.items()) if make().sharding is not None)
        raise ValueError(
            f"{algorithm.name!r} needs all documents in one place, and cannot share them out between devices or "
            f"processes: choose one of {able}, or chain_method='parallel'"
        )
    if not algorithm.sharding.pairs:
        checked_tokens(data)
    if few_topics(data):
        raise ValueError(
            "documents that allow only a few topics each, as those with labels, cannot be shared out between devices: "
            "choose chain_method='parallel'"
        )
    if str(jax.random.key_impl(key)) != "threefry2x32":
        raise ValueError("devices can share a key of JAX's default kind only: give a seed, or jax.random.key(seed)")


def _here(placed: Placed, sharding: Sharding) -> Constants:
    """The documents of this device, laid out."""
    own = partial(jax.tree.map, lambda x: x[0])
    alpha, beta = placed.priors
    data = Data(Tokens(*own(placed.entries)), Priors(alpha[0] if alpha.ndim == 3 else alpha, beta), placed.phi)
    pairs = data if placed.pairs is None else data._replace(tokens=Tokens(*own(placed.pairs)))
    rows = lay_out_rows(data)._replace(shard=Shard(*own(placed.first)))
    layout = rows if placed.layout is None else own(placed.layout)._replace(data=rows.data)
    return Constants(layout, None if sharding.pairs else rows, data, pairs)


def _prepared(placed: Placed, sharding: Sharding, mesh: Mesh) -> Placed:
    """With what the algorithm lays out by itself, once per run."""
    if sharding.prepare is None:
        return placed

    def prepare(placed: Placed) -> Any:
        layout = sharding.prepare(_here(placed, sharding).layout)  # type: ignore[misc]
        return jax.tree.map(lambda x: x[None], layout._replace(data=None))

    return placed._replace(layout=_on_mesh(mesh, prepare, (), PartitionSpec(DOCUMENTS))(placed))


def _with_own(tree: Any, kinds: Any, change: Callable[[Array], Array]) -> Any:
    """The tree with a change of what devices have of their own; arrays that are the same on all stay."""
    if tree is None:
        return None
    return jax.tree.map(lambda x, kind: x if kind == "all" else change(x), tree, jax.tree.broadcast(kinds, tree))


def _inside(tree: Any, kinds: Any) -> Any:
    """Arrays of one device, without the axis of shards."""
    return _with_own(tree, kinds, lambda x: x[:, 0])


def _outside(tree: Any, kinds: Any) -> Any:
    """With the axis of shards."""
    return _with_own(tree, kinds, lambda x: x[:, None])


def _on_mesh(mesh: Mesh, function: Callable, in_specs: tuple, out_specs: Any, **options: Any) -> Callable:
    """Compile a function of one device's share, whose last argument is ``Placed``, for all devices of a mesh."""

    def mapped(*arguments: Any) -> Any:
        every = (*in_specs, arguments[-1].specs())
        # Replicated results are sums over the devices: no need to let JAX trace what varies, which loops would have
        # to declare.
        return jax.shard_map(function, mesh=mesh, in_specs=every, out_specs=out_specs, check_vma=False)(*arguments)

    return jax.jit(mapped, **options)


@lru_cache(maxsize=32)
def _programs(algorithm: Algorithm, mesh: Mesh) -> Programs:
    sharding = algorithm.sharding
    assert sharding is not None
    kinds, everywhere = sharding.state, PartitionSpec()

    def init(key: PRNGKeyArray, chains: Array, placed: Placed) -> Any:
        layout = _here(placed, sharding).layout
        states = jax.vmap(lambda chain: algorithm.init(sweep_key(key, chain, jnp.uint32(0)), layout))(chains)
        return _outside(states, kinds)

    def sweep(state: Any, key: PRNGKeyArray, chains: Array, t: Array, placed: Placed) -> tuple:
        layout = _here(placed, sharding).layout

        def one(state: Any, chain: Array) -> tuple:
            return algorithm.step(sweep_key(key, chain, t), state, layout)

        state, info = jax.vmap(one)(_inside(state, kinds), chains)
        return _outside(state, kinds), info

    return Programs(
        _on_mesh(mesh, init, (everywhere, ALL), specs(kinds)),
        _on_mesh(mesh, sweep, (specs(kinds), everywhere, ALL, everywhere), (specs(kinds), ALL), donate_argnums=0),
    )


@lru_cache(maxsize=64)
def _program(algorithm: Algorithm, look: Wanted, mesh: Mesh) -> Callable[..., Seen]:
    sharding = algorithm.sharding
    assert sharding is not None
    simple = look._replace(keep=tuple(name for name in look.keep if name != "likeness"))

    def see(state: Any, hard: Counts | None, soft: Counts | None, placed: Placed) -> Seen:
        constants = _here(placed, sharding)
        one = jax.vmap(partial(looked, algorithm, simple), (0, 0, 0, None))
        seen = one(_inside(state, sharding.state), _inside(hard, COUNTS), _inside(soft, COUNTS), constants)
        if "likeness" in look.keep:
            seen.kept["likeness"] = _likeness(seen.counts, constants, placed.likened)
        return Seen(
            _outside(seen.counts, COUNTS),
            None if seen.gap is None else _mean_gap(seen.gap, constants),
            None if seen.scores is None else seen.scores[:, None],
            _outside(seen.hard, COUNTS),
            _outside(seen.soft, COUNTS),
            {name: x[:, None] if name in KINDS else x for name, x in seen.kept.items()},
        )

    counts: Any = specs(COUNTS)
    kept = {name: OWN if name in KINDS else ALL for name in look.keep}
    sums: tuple[Any, Any] = (counts if look.draws else None, counts if look.draws and look.adds_soft else None)
    out: Any = Seen(counts, ALL, OWN, *sums, kept)  # type: ignore[arg-type]
    return _on_mesh(mesh, see, (specs(sharding.state), *sums), out)


def _mean_gap(gap: Array, constants: Constants) -> Array:
    """The mean over the documents of all devices, of those over their own."""
    number, summed = (constants.data.tokens.n_d > 0).sum(), constants.layout.summed
    return summed(gap * number) / jnp.maximum(summed(number), 1)


def _likeness(counts: Counts, constants: Constants, likened: Likened) -> Array:
    """``estimators.likeness`` of documents that different devices have."""
    theta = estimators.theta(counts, constants.data)
    here = likened.shard == lax.axis_index(DOCUMENTS)
    both = jnp.where(here[..., None], theta[:, jnp.where(here, likened.doc, 0)], 0.0)
    return alike(constants.layout.summed(both))


class ShardedObserver(Observer):
    """Looks at chains whose documents are shared out."""

    def __init__(self, shards: Shards, placed: Placed, algorithm: Algorithm, data: Data, notes: Notes, turns: Turns):
        super().__init__(algorithm, Constants(None, None, data, data), data, notes, turns)
        self.shards, self.placed, self.assigned = shards, placed, not shards.sharding.pairs

    def _seen(self, part: Part, sums: tuple, look: Wanted) -> Seen:
        seen = _program(self.algorithm, look, self.shards.mesh)(part.state, *sums, self.placed)
        return seen._replace(
            gap=None if seen.gap is None else self._joined(seen.gap, "gap"),
            scores=None if seen.scores is None else self._joined(seen.scores, SCORES),
            kept={name: self._joined(x, name) for name, x in seen.kept.items()},
        )

    def _joined(self, x: Array, name: str) -> Any:
        return self.shards.joined(on_host(x), KINDS.get(name, "all"), axis=1)

    def _with_sums(self, part: Part, soft: bool) -> Part:
        room, C = self.shards.room, len(part.group.chains)
        shapes = ((C, room.D, room.K), (C, room.V, room.K), (C, room.K))
        whole = Counts(*(jax.ShapeDtypeStruct(shape, np.dtype(np.float32)) for shape in shapes))  # type: ignore[arg-type]
        return part._replace(hard=self.shards.zeros(whole), soft=self.shards.zeros(whole) if soft else None)

    def _objective(self, part: Part, counts: Counts) -> Any:
        kinds = zip(counts, COUNTS, strict=True)
        joined: Any = (self.shards.joined(on_host(x), kind, axis=1) for x, kind in kinds)
        whole = cut_counts(Counts(*joined), sizes_of(self.data))
        each = [Counts(*(x[i] for x in whole)) for i in range(len(part.group.chains))]
        return np.array([self.algorithm.objective(one, self.data) for one in each])


class ShardedWorker(Worker):
    """Advances all chains on all devices of a mesh."""

    def __init__(
        self,
        group: Group,
        algorithm: Algorithm,
        key: PRNGKeyArray,
        placed: Placed,
        data: Data,
        notes: Notes,
        turns: Turns,
    ):
        shards = group.shards
        self.group, self.notes, self.turns, self.layout = group, notes, turns, placed
        self.programs = _programs(algorithm, shards.mesh)
        words = np.asarray(jax.random.key_data(key))
        self.key = jax.random.wrap_key_data(shards.everywhere(words))
        self.observe = ShardedObserver(shards, placed, algorithm, data, notes, turns)
        chains = np.asarray(group.chains, np.uint32)
        self.chains = shards.put(chains.shape, PartitionSpec(CHAINS), lambda index: chains[index])

    def advance(self, *arguments: Any) -> Done:
        """Do some sweeps; fewer if told to stop."""
        part, rows, draws = super().advance(*arguments)
        return part, [{name: on_host(x) for name, x in row.items()} for row in rows], draws


def sharded_worker(
    key: PRNGKeyArray,
    algorithm: Algorithm,
    data: Data,
    notes: Notes,
    mesh: Mesh,
    num_chains: int,
    room: Sizes,
    lock: threading.Lock,
) -> ShardedWorker:
    """Share the documents out, and give who advances the chains."""
    sharding = algorithm.sharding
    assert sharding is not None
    check_keep(notes.keep, not sharding.pairs, notes.soft)
    shards, placed = place(data, mesh, sharding, room, scored=notes.trace_every > 0 or SCORES in notes.keep)
    placed = _prepared(placed, sharding, mesh)
    group = Group(tuple(range(num_chains)), jax.local_devices()[0], True, shards)
    return ShardedWorker(group, algorithm, key, placed, data, notes, Turns(lock))
