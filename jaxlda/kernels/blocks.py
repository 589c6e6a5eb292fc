r"""One chain on all cores: collapsed Gibbs sampling in blocks that share no document and no word.

Documents and words are cut into P groups each, and the tokens into P x P blocks (Yan, Xu & Qi 2009). In a round, P
threads sweep P blocks, no two of which have a document or a word in common, by Eq. 1 (or Eq. 4); after P rounds every
token was drawn once. Threads share only the counts of topics, :math:`n_k`: each changes a copy of its own, and after
every round the changes of all are added up. So the counts of documents and words are those of the moment, as in
``cgs``; those of topics, sums over the whole corpus, may miss what the other threads did in this round.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, UInt32

from jaxlda.corpora.numbers import positive_int
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import unsigned
from jaxlda.kernels.cgs import CGSInfo, CGSState, checked_tokens, sweep_given_phi, word_counts
from jaxlda.kernels.cgs import init as init_cell
from jaxlda.kernels.cgs import moved as moved_in_cell
from jaxlda.kernels.cgs import sweep as sweep_tokens
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.grid import Grid, lay_out_grid
from jaxlda.kernels.layouts.tokens import TokenLayout
from jaxlda.kernels.registry import kernel, unchanged
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["BlocksState", "blocks"]

_MOST = 64  # workers: their square is the number of blocks


class BlocksState(NamedTuple):
    """Assignments of every cell, counts of every group of documents and of words, and those of topics."""

    j: tuple[tuple[tuple[UInt32[Array, " _"], ...], ...], ...]
    """By group of documents, group of words and block of the cell, as in ``CGSState``."""
    n_dj: tuple[tuple[Int[Array, "_ _"], ...], ...]
    n_vk: tuple[Int[Array, "_ P"], ...] | None
    """``None`` when the topics are fixed."""
    n_k: Int[Array, " P"] | None


def _added(*tables: Any) -> Any:
    return jax.tree.map(lambda *x: sum(x[1:], start=x[0]), *tables)


def init(key: PRNGKeyArray, grid: Grid) -> BlocksState:
    r"""Assign every token a topic drawn from :math:`\alpha_d`, as if it were alone in its document."""
    cells = [
        [init_cell(jax.random.fold_in(jax.random.fold_in(key, p), g), cell) for g, cell in enumerate(row)]
        for p, row in enumerate(grid.cells)
    ]
    words, totals = None, None
    if grid.data.phi is None:
        words = tuple(_added(*(cell.n_vk for cell in column)) for column in zip(*cells, strict=True))
        totals = _added(*(cell.n_k for row in cells for cell in row))
    j = tuple(tuple(cell.j for cell in row) for row in cells)
    return BlocksState(j, tuple(_added(*(cell.n_dj for cell in row)) for row in cells), words, totals)


def _sweep_cell(
    key: PRNGKeyArray, owned: CGSState, n_k: Int[Array, " P"] | None, cell: TokenLayout
) -> tuple[CGSState, Array]:
    """Draw the tokens of one cell; and the number of those that moved."""
    state = owned._replace(n_k=n_k)
    u = uniform(key, sum(cell.sizes))
    new = sweep_given_phi(cell, u, state) if n_k is None else token_loop(sweep_tokens)(cell, u, state)
    return new, moved_in_cell(cell, new, state) * cell.num_tokens


# Small programs, each called once or a few times per sweep: what threads would wait for while Python does it.
@partial(jax.jit, static_argnums=1)
def _keys(key: PRNGKeyArray, n: int) -> list[PRNGKeyArray]:
    return list(jax.random.split(key, n))


@jax.jit
def _report(moved: list[Array], tokens: Float[Array, ""]) -> CGSInfo:
    return CGSInfo(sum(moved, start=jnp.float32(0)) / tokens)


@jax.jit
def _merged(n_k: Int[Array, " P"], copies: list[Int[Array, " P"]]) -> Int[Array, " P"]:
    return n_k + sum((own - n_k for own in copies), start=jnp.zeros_like(n_k))


Together = Callable[[list[tuple]], list[tuple[CGSState, Array]]]
"""What takes the arguments of ``_sweep_cell`` for every cell of a round, and gives what that gives."""


def _rounds(key: PRNGKeyArray, state: BlocksState, grid: Grid, together: Together) -> tuple[BlocksState, CGSInfo]:
    """Sweep all cells, those of a round ``together``."""
    P, n_k = len(grid.cells), state.n_k
    keys = _keys(key, P * P)
    j, n_dj = [list(row) for row in state.j], list(state.n_dj)
    n_vk: list[Any] = [None] * P if state.n_vk is None else list(state.n_vk)
    moves = []
    for r in range(P):
        pairs = [(p, (p + r) % P) for p in range(P)]
        tasks = [(keys[p * P + g], CGSState(j[p][g], n_dj[p], n_vk[g], None), n_k, grid.cells[p][g]) for p, g in pairs]
        done = together(tasks)
        for (p, g), (own, moved) in zip(pairs, done, strict=True):
            j[p][g], n_dj[p], n_vk[g] = own[:3]
            moves.append(moved)
        if n_k is not None:
            n_k = _merged(n_k, [own.n_k for own, _ in done])
    words = None if n_k is None else tuple(n_vk)
    new = BlocksState(tuple(map(tuple, j)), tuple(n_dj), words, n_k)
    return new, _report(moves, grid.num_tokens)


def step(key: PRNGKeyArray, state: BlocksState, grid: Grid) -> tuple[BlocksState, CGSInfo]:
    """Draw the topic of every token once, one cell after another: what threads do, for any device."""
    if grid.data.tokens.w.shape[0] == 0:
        return state, CGSInfo(jnp.float32(0))
    return _rounds(key, state, grid, lambda tasks: [_sweep_cell(*task) for task in tasks])


def _threads(workers: int) -> Together:
    """Do the tasks of a round in threads; a program is compiled by one of them."""
    compiled = jax.jit(_sweep_cell, donate_argnums=1)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="jaxlda-blocks")
    known: set[tuple] = set()
    lock = threading.Lock()

    def work(task: tuple) -> tuple[CGSState, Array]:
        return jax.block_until_ready(compiled(*task))

    def in_turn(task: tuple) -> tuple[CGSState, Array]:
        shapes = tuple(x.shape for x in jax.tree.leaves(task))
        if shapes in known:
            return work(task)
        with lock:
            done = work(task)
            known.add(shapes)
        return done

    def together(tasks: list[tuple]) -> list[tuple[CGSState, Array]]:
        # The first one here: a thread that waits for the others is one too many.
        others = [pool.submit(in_turn, task) for task in tasks[1:]]
        return [in_turn(tasks[0]), *(other.result() for other in others)]

    return together


def readout(state: BlocksState, grid: Grid) -> Sample:
    """Topics in the place of places, in the order of the corpus, and the counts of all groups in one."""
    K = grid.data.priors.alpha.shape[-1]
    D, V = grid.data.tokens.n_d.shape[0], grid.data.priors.beta.shape[-1]
    n_dk, n_vk = jnp.zeros((D, K), jnp.int32), jnp.zeros((V, K), jnp.int32)
    z = []
    for p, row in enumerate(grid.cells):
        n_dk = n_dk.at[grid.documents[p]].add(row[0].n_dk(state.n_dj[p]), mode="drop")
        z.append([_topics(cell, j) for cell, j in zip(row, state.j[p], strict=True)])
        for g, cell in enumerate(row):
            if state.n_vk is None:
                n_vk = n_vk.at[grid.words[g]].add(word_counts(cell, state.j[p][g])[:, :K], mode="drop")
    if state.n_vk is not None:
        for words, table in zip(grid.words, state.n_vk, strict=True):
            n_vk = n_vk.at[words].add(table[:, :K], mode="drop")
    return Sample(Counts(n_dk, n_vk, n_vk.sum(0, dtype=jnp.int32)), grid.in_corpus(z))


def _topics(cell: TokenLayout, j: tuple[UInt32[Array, " _"], ...]) -> Int[Array, " n"]:
    """The topics of a cell's tokens, in its order."""
    z = jnp.zeros(cell.data.tokens.w.shape, jnp.int32)
    for block, places in zip(cell.blocks, j, strict=True):
        z = block.in_corpus(block.topic(unsigned(block.d), places).astype(jnp.int32), z)
    return z


@kernel
def blocks(workers: int | None = None) -> Algorithm:
    """Collapsed Gibbs sampling by several threads: one chain on all cores.

    Draws are the same for the same ``workers``, whatever the threads do and wherever they run. In a corpus of seven
    tokens, whose posterior can be listed, the total variation from it is .036 with two workers, where that of as many
    exact draws is .02 to .03 by chance; the larger a corpus is, the less does a round change its topics.

    Parameters
    ----------
    workers
        Groups of documents and of words, and threads; the number of cores if not given. With one, it is ``cgs``.

    Examples
    --------
    >>> import jaxlda
    >>> sampler = blocks(workers=2)
    >>> layout = sampler.prepare(jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2))
    >>> state = sampler.init(jax.random.key(0), layout)
    >>> state, info = sampler.step(jax.random.key(1), state, layout)
    >>> sampler.readout(state, layout).counts.n_dk.sum(1).tolist()
    [3, 3]
    """
    workers = positive_int(min(os.cpu_count() or 1, _MOST) if workers is None else workers, "workers")
    if workers > _MOST:
        raise ValueError(f"workers must be at most {_MOST}, for a sweep has as many rounds; got {workers}")
    together: list[Callable] = []

    def prepare(data: Data) -> Grid:
        return lay_out_grid(checked_tokens(data), workers)

    def threaded(key: PRNGKeyArray, state: BlocksState, grid: Grid) -> tuple[BlocksState, CGSInfo]:
        if not together:  # no threads before they are needed
            together.append(_threads(workers))
        if grid.data.tokens.w.shape[0] == 0:
            return state, CGSInfo(jnp.float32(0))
        return _rounds(key, state, grid, together[0])

    return Algorithm("blocks", (("workers", workers),), init, step, readout, prepare, log_joint, unchanged, threaded)
