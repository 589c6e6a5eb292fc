"""Documents shared out between devices: who has which, and arrays on their way there and back.

Documents stay in their order, and every device has about equally many tokens. All devices have room for the same number
of entries and documents, with padding at the end as any run has it. On a mesh (chain, doc) an array that devices have
their own part of has the axes (C, shard, entries or documents, ...); one that is the same on all has (C, ...). A whole
one, as states are kept in files, has (entries or documents, ...): it can be shared out again otherwise.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Int, UInt32

from jaxlda.corpora.repeated import as_read
from jaxlda.estimators.documents import document_pairs
from jaxlda.kernels.layouts.sizes import padded, rounded_up
from jaxlda.kernels.layouts.tokens import DOCUMENTS, distinct_pairs
from jaxlda.running.placement import AXES
from jaxlda.running.processes import most, on_host
from jaxlda.running.sizes import Sizes, enlarged
from jaxlda.types import Counts, Data, Priors, Sharding, Tokens

__all__ = ["CHAINS", "COUNTS", "Placed", "Shards", "cut_documents", "place", "specs"]

CHAINS = AXES[0]
"""The axis of devices that share the chains between them."""
COUNTS: Any = Counts("documents", "all", "all")  # type: ignore[arg-type]
"""What counts are by: see ``Sharding``."""
ALL, OWN = PartitionSpec(CHAINS), PartitionSpec(CHAINS, DOCUMENTS)


def specs(kinds: Any) -> Any:
    """Where arrays of these kinds are on the mesh."""
    return jax.tree.map(lambda kind: ALL if kind == "all" else OWN, kinds)


class Likened(NamedTuple):
    """The pairs of documents whose likeness is kept."""

    shard: Int[Array, "P 2"]
    doc: Int[Array, "P 2"]
    """Its number there."""


class Placed(NamedTuple):
    """The data on the mesh. Own arrays of the devices have the shards in front."""

    entries: Tokens
    """Those of the algorithm: tokens, or distinct pairs."""
    pairs: Tokens | None
    """Distinct pairs to be scored; ``None`` where the entries are."""
    first: tuple[UInt32[Array, " S"], UInt32[Array, " S"]]
    """The first entry and document of each device in the whole corpus."""
    priors: Priors
    phi: Array | None
    likened: Likened
    layout: Any = None
    """What ``Sharding.prepare`` has made, without the data."""

    def specs(self) -> "Placed":
        """Where everything is."""
        own, everywhere = PartitionSpec(DOCUMENTS), PartitionSpec()
        priors: Any = Priors(own if self.priors.alpha.ndim == 3 else everywhere, everywhere)  # type: ignore[arg-type]
        parts: tuple[Any, ...] = (own, own, own, priors, everywhere, everywhere, own)
        return Placed(*parts)


def cut_documents(n_d: np.ndarray, num_shards: int) -> np.ndarray:
    """The first document of every shard, and the number of documents at the end; about equally many tokens in each.

    >>> cut_documents(np.array([5, 1, 1, 1, 4]), 2).tolist()
    [0, 2, 5]
    """
    ends = np.cumsum(n_d, dtype=np.int64)
    total = ends[-1] if len(ends) else 0
    # Where half of a document fits, it goes.
    inner = np.searchsorted(ends, total * np.arange(1, num_shards) / num_shards)
    bounds = np.concatenate([[0], np.minimum(inner + 1, len(n_d)), [len(n_d)]])
    return np.maximum.accumulate(bounds)


class Shards(NamedTuple):
    """Who has which documents, and how to share arrays out and bring them together."""

    mesh: Mesh
    sharding: Sharding
    room: Sizes
    """That of the whole."""
    docs: np.ndarray
    """The first document of every shard, and their number at the end."""
    tokens: np.ndarray
    """And the first token."""
    pairs: np.ndarray
    """And the first distinct pair; nothing where nobody needs them."""

    @property
    def num_shards(self) -> int:
        """S."""
        return self.mesh.shape[DOCUMENTS]

    def bounds(self, kind: str) -> tuple[np.ndarray, int]:
        """Where shards begin, and the size of the whole with its padding."""
        if kind == "documents":
            return self.docs, self.room.D
        if kind == "entries" and self.sharding.pairs:
            return self.pairs, rounded_up(int(self.pairs[-1]))
        return self.tokens, self.room.N

    def size(self, kind: str) -> int:
        """The size of one shard with its padding."""
        return _size(self.bounds(kind)[0], 64 if kind == "documents" else 1024)

    def whole(self, tree: Any) -> Any:
        """Arrays of one chain, whole, on the host of every process: all of them must ask."""
        return self._each(tree, lambda x, kind: self.joined(on_host(x), kind))

    def joined(self, x: np.ndarray, kind: str, axis: int = 0) -> np.ndarray:
        """Put the shards of one array together, padded as a run without shards has it.

        The shards are the given axis, their entries or documents the next.
        """
        if kind == "all":
            return x
        bounds, size = self.bounds(kind)
        before: tuple[Any, ...] = (slice(None),) * axis
        parts = [x[(*before, s, slice(0, n))] for s, n in enumerate(np.diff(bounds))]
        whole = np.concatenate(parts, axis)
        return whole if whole.shape[axis] == size else padded(whole, size, axis=axis)

    def split(self, tree: Any) -> Any:
        """Arrays of all chains, whole, on the devices of the mesh."""
        return self._each(tree, self._split)

    def zeros(self, shapes: Any) -> Any:
        """Arrays of zeros in the place of these whole ones of all chains."""
        return self._each(shapes, lambda x, kind: self._split(np.broadcast_to(np.zeros((), x.dtype), x.shape), kind))

    def _each(self, tree: Any, convert: Callable[[Any, str], Any]) -> Any:
        if tree is None:
            return None
        kinds = COUNTS if isinstance(tree, Counts) else self.sharding.state
        return jax.tree.map(convert, tree, jax.tree.broadcast(kinds, tree))

    def _split(self, x: Any, kind: str) -> Array:
        if kind == "all":
            return self.put(x.shape, ALL, lambda index: x[index])
        (bounds, _), size = self.bounds(kind), self.size(kind)

        def part(index: tuple) -> np.ndarray:
            s = index[1].start or 0
            own = x[(index[0], slice(bounds[s], bounds[s + 1]))]
            return padded(own, size, axis=1)[:, None]

        return self.put((x.shape[0], self.num_shards, size, *x.shape[2:]), OWN, part)

    def put(self, shape: tuple, spec: PartitionSpec, part: Callable[[Any], Any]) -> Array:
        """An array on the mesh, of which every process makes the parts of its own devices."""
        return jax.make_array_from_callback(shape, NamedSharding(self.mesh, spec), part)

    def by_shard(self, make: Callable[[int], Any]) -> Array:
        """An array with the shards in front, of which every process makes its own."""
        made = {s: np.asarray(make(s)) for s in self.own()}
        shape = (self.num_shards, *next(iter(made.values())).shape)
        return self.put(shape, PartitionSpec(DOCUMENTS), lambda index: made[index[0].start or 0][None])

    def everywhere(self, x: Any) -> Array:
        """An array that is the same on all devices."""
        whole = np.asarray(x)
        return self.put(whole.shape, PartitionSpec(), lambda index: whole[index])

    def own(self) -> list[int]:
        """The shards of this process."""
        mine = [d.process_index == jax.process_index() for d in self.mesh.devices.flat]
        _, shards = np.indices(self.mesh.devices.shape)
        return np.unique(shards.ravel()[mine]).tolist()


def _size(bounds: np.ndarray, least: int) -> int:
    return rounded_up(int(np.diff(bounds).max()), least)


def place(data: Data, mesh: Mesh, sharding: Sharding, room: Sizes, scored: bool) -> tuple[Shards, Placed]:
    """Share the data out.

    Every process is given all of them, and places those of its own devices; it writes no others out.

    Parameters
    ----------
    scored
        Whether the log-likelihood will be asked for, which distinct pairs are for.
    """
    (alpha, beta), phi = jax.tree.map(np.asarray, data[1:3])
    tokens: Any = Tokens(*map(as_read, data.tokens))
    docs = cut_documents(tokens.n_d, mesh.shape[DOCUMENTS])
    shards = Shards(mesh, sharding, room, docs, np.searchsorted(tokens.d, docs), np.zeros(1, int))
    own = {s: _tokens_of(shards, tokens, s) for s in shards.own()}
    entries = pairs = None
    if scored or sharding.pairs:  # first: to find them takes the most memory
        each = {s: distinct_pairs(one) for s, one in own.items()}
        number = most(np.array([len(each[s][0]) if s in each else 0 for s in range(shards.num_shards)]))
        shards = shards._replace(pairs=np.concatenate([[0], np.cumsum(number)]))
        pairs = _placed(shards, each, own, _size(shards.pairs, 1024))
        del each
    if not sharding.pairs:
        entries = _placed(shards, own, own, shards.size("tokens"))
    before = shards.bounds("entries")[0]
    first = shards.by_shard(lambda s: np.uint32(before[s])), shards.by_shard(lambda s: np.uint32(docs[s]))
    used: Any = pairs if entries is None else entries
    priors, known = _placed_priors(shards, alpha, beta, phi)
    likened = Likened(*map(shards.everywhere, _likened(tokens.n_d, room, docs)))
    return shards, Placed(used, None if entries is None else pairs, first, priors, known, likened)


def _tokens_of(shards: Shards, tokens: Tokens, s: int) -> Any:
    at, of = slice(*shards.tokens[s : s + 2]), slice(*shards.docs[s : s + 2])
    return Tokens(tokens.w[at], tokens.d[at] - np.int32(shards.docs[s]), tokens.m[at], tokens.n_d[of])


def _placed(shards: Shards, columns: dict[int, Any], own: dict[int, Any], size: int) -> Tokens:
    """Words, documents and multiplicities of the entries, padded; with the lengths of the documents."""
    D = shards.size("documents")
    w, m = (shards.by_shard(lambda s, i=i: padded(columns[s][i], size)) for i in (0, 2))  # type: ignore[misc]
    d = shards.by_shard(lambda s: padded(columns[s][1], size, value=D - 1))
    return Tokens(w, d, m, shards.by_shard(lambda s: padded(own[s].n_d, D)))


def _placed_priors(shards: Shards, alpha: Any, beta: Any, phi: Any) -> tuple[Priors, Array | None]:
    """Priors, and topics if they are known, with the room for words and topics that the whole has."""
    none: Any = np.zeros(0, np.int32)
    room = shards.room._replace(N=0, D=len(alpha) if alpha.ndim == 2 else 0)
    data = enlarged(Data(Tokens(none, none, none, none), Priors(alpha, beta), phi), room)
    prior, docs, D = np.asarray(data.priors.alpha), shards.docs, shards.size("documents")
    if prior.ndim == 2:
        placed = shards.by_shard(lambda s: padded(prior[docs[s] : docs[s + 1]], D))
    else:
        placed = shards.everywhere(prior)
    known = None if data.phi is None else shards.everywhere(data.phi)
    return Priors(placed, shards.everywhere(data.priors.beta)), known


def _likened(n_d: np.ndarray, room: Sizes, docs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.asarray(document_pairs(jnp.asarray(padded(n_d, room.D))))
    shard = np.clip(np.searchsorted(docs, pairs, side="right") - 1, 0, len(docs) - 2)
    return shard.astype(np.int32), (pairs - docs[shard]).astype(np.int32)
