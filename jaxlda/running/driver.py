"""The loop: burn-in, lag, chains, running means and traces.

``run_blocks`` yields after every block of sweeps, so progress bars, Ctrl-C, cancellation and a live view need nothing
special; ``run`` drives it to the end. Every sweep of every chain has its own random key, derived from the seed, the
chain's number and the sweep's number: z does not depend on blocks, on the chain method, on the number of devices, nor
on stopping and going on. Soft counts and traces do not either, but for rounding where chains run together.
"""

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jaxtyping import PRNGKeyArray

from jaxlda.corpora.callers import warn
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed, natural, positive_int
from jaxlda.corpora.repeated import written_out
from jaxlda.kernels.auto import settled
from jaxlda.kernels.layouts.tokens import single_precision
from jaxlda.kernels.names import find
from jaxlda.running.checking import check_whole, other_data
from jaxlda.running.collecting import extended
from jaxlda.running.interrupting import patient
from jaxlda.running.memory import check_memory
from jaxlda.running.observing import Notes, constants
from jaxlda.running.parts import regrouped
from jaxlda.running.placement import Group, mesh_of, num_workers, platform_of, share_out
from jaxlda.running.processes import agreed, asked_to_stop, check_same, is_first, others_may_end, several
from jaxlda.running.results import Run, named
from jaxlda.running.schedule import Schedule
from jaxlda.running.sharded import check_shardable, sharded_worker
from jaxlda.running.sizes import enlarged, rounded, sizes_of
from jaxlda.running.working import Worker
from jaxlda.types import Algorithm, Data

__all__ = ["run", "run_blocks"]

_NATURAL = ("num_warmup", "num_samples", "trace_every", "gap_every")
_POSITIVE = ("thinning", "num_chains")
_BLOCK_SECONDS = 0.4  # what a block should take if the caller does not say: at least two views per second


def _next_block(block: int | None, last: int, seconds: float) -> int:
    if block is not None:
        return block
    # At most four times the last block: one slow or fast measurement must not decide.
    return max(1, min(4 * last, round(last * _BLOCK_SECONDS / max(seconds, 1e-6))))


def _started(
    key: PRNGKeyArray,
    algorithm: Algorithm,
    data: Data,
    notes: Notes,
    places: list[Group] | Mesh,
    num_chains: int,
    start: Run | None,
) -> tuple[list[Worker], Run]:
    room = rounded(sizes_of(data)) if start is None else start.room or sizes_of(data)
    lock, layout, workers = threading.Lock(), None, list[Worker]()
    kept: dict[str, tuple[np.ndarray, ...]]
    if isinstance(places, Mesh):
        workers = [sharded_worker(key, algorithm, data, notes, places, num_chains, room, lock)]
    else:
        if start is None and places[0].device.platform == "cpu":
            check_memory(room, num_chains, len(places))
        roomy = enlarged(data, room)
        layout = algorithm.prepare(roomy)
        shared = (key, constants(algorithm, roomy, layout, notes))
        by_device = {group.device: jax.device_put(shared, group.device) for group in places}
        workers = [Worker(group, algorithm, by_device[group.device], data, notes, lock) for group in places]
    if start is None:
        parts = tuple(worker.start() for worker in workers)
        nothing = np.empty((num_chains, 0))
        trace = dict.fromkeys((algorithm.objective.__name__, "log_likelihood", "gap"), nothing)
        sweep, kept = 0, {name: () for name in notes.keep}
    else:
        parts = tuple(regrouped(start.parts, worker.group) for worker in workers)
        sweep, trace, kept = start.sweep, dict(start.trace), start.kept
    return workers, Run(algorithm, data, key, notes.schedule, parts, sweep, trace, kept, notes.soft, room, layout)


def _as_given(key: Any, algorithm: Any, data: Any) -> tuple[PRNGKeyArray, Algorithm, Data]:
    """What ``run`` was given, as it takes it: a seed stands for its key, a name for its algorithm."""
    if isinstance(key, int | np.integer):
        key = jax.random.key(checked_seed(key))
    elif not (isinstance(key, jax.Array) and jnp.issubdtype(key.dtype, jax.dtypes.prng_key) and key.ndim == 0):
        raise TypeError(f"key must be a seed such as 0, or a key such as jax.random.key(0); got {_named(key)}")
    if isinstance(data, Corpus):
        raise TypeError("run takes the data of a corpus: give corpus.data(num_topics=...)")
    if not isinstance(data, Data):
        raise TypeError(f"data must be a Data such as corpus.data(num_topics=...); got {_named(data)}")
    check_whole(data)
    return key, find(algorithm), single_precision(data)


def _named(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return type(value).__name__ + ("" if shape is None else f" of shape {shape}")


def _check_start(
    start: Run, key: PRNGKeyArray, algorithm: Algorithm, data: Data, num_chains: int, options: Notes
) -> None:
    schedule = options.schedule
    if not isinstance(start, Run):
        raise TypeError(f"start must be a Run, such as jaxlda.run gave; got {_named(start)}")
    if start.algorithm is None or start.key is None:
        raise ValueError("These samples were drawn by another program, which cannot be continued here; start anew.")
    if start.num_chains != num_chains:
        raise ValueError(f"The run to go on with has {start.num_chains} chains, not {num_chains}.")
    if not _same_key(start.key, key):
        raise ValueError("The run to go on with was started with another key; give the same one.")
    if start.algorithm != algorithm:
        raise ValueError("The run to go on with used another algorithm; give the same one.")
    if difference := other_data(start.data, data):
        raise ValueError(f"The run to go on with had other data: {difference}. Give the same.")
    burnt_in = start.sweep > min(start.schedule.num_warmup, schedule.num_warmup)
    if burnt_in and start.schedule[::2] != schedule[::2]:
        raise ValueError("The burn-in is over: num_warmup and thinning cannot change now, only num_samples.")
    if start.num_draws and start.soft != options.soft:
        raise ValueError(f"The run to go on with has soft={start.soft} and draws already; give the same.")
    if set(start.kept) != set(options.keep):
        raise ValueError(f"The run to go on with keeps {sorted(start.kept)}; give the same keep.")


def _same_key(one: PRNGKeyArray, other: PRNGKeyArray) -> bool:
    return one.dtype == other.dtype and np.array_equal(jax.random.key_data(one), jax.random.key_data(other))


class _Settings(NamedTuple):
    """The options of a run, and their defaults: those of ``run``."""

    num_warmup: int = 200
    num_samples: int = 1
    thinning: int = 5
    num_chains: int = 1
    keep: str | Sequence[str] = ()
    soft: bool = True
    trace_every: int = 20
    gap_every: int = 0
    block: int | None = None
    chain_method: str | None = None
    devices: Sequence[jax.Device] | Mesh | None = None
    start: Run | None = None


def run_blocks(
    key: PRNGKeyArray | int, algorithm: Algorithm | str, data: Data, **settings: Any
) -> Generator[Run, None, None]:
    """Sample, and yield the chains as they are after every block of sweeps.

    The arguments are those of ``run``. The first ``Run`` yielded is the start (no sweep done, or ``start`` itself);
    closing the generator, or an exception such as Ctrl-C, stops all chains after the sweep they are in. Every ``Run``
    that was yielded stays valid and can be continued.

    >>> import jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=10)
    >>> blocks = run_blocks(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=4, num_samples=2, block=5)
    >>> [part.sweep for part in blocks]
    [0, 5, 10, 14]
    """
    if unknown := settings.keys() - set(_Settings._fields):
        raise TypeError(f"run_blocks takes {', '.join(_Settings._fields)}; not {', '.join(sorted(unknown))}")
    options = _Settings(**settings)
    key, algorithm, data = _as_given(key, algorithm, data)
    whole = {name: natural(getattr(options, name), name) for name in _NATURAL}
    whole |= {name: positive_int(getattr(options, name), name) for name in _POSITIVE}
    schedule = Schedule(whole["num_warmup"], whole["num_samples"], whole["thinning"])
    notes = Notes(schedule, options.soft, named(options.keep), whole["trace_every"], whole["gap_every"])
    block = None if options.block is None else positive_int(options.block, "block")
    start, num_chains, chain_method = options.start, whole["num_chains"], options.chain_method
    before = start.algorithm if isinstance(start, Run) else None
    algorithm = settled(algorithm, data, platform=platform_of(options.devices), before=before)
    if start is not None:
        _check_start(start, key, algorithm, data, num_chains, notes)
    mesh = mesh_of(num_chains, chain_method, options.devices, learning=data.phi is None)
    places = share_out(num_chains, chain_method, options.devices) if mesh is None else mesh  # type: ignore[arg-type]
    if mesh is None:
        data = single_precision(written_out(data))
    with others_may_end():
        if mesh is not None:
            check_shardable(algorithm, data, key)
            sweep = 0 if start is None else start.sweep
            check_same({"documents or priors": data, "seeds": jax.random.key_data(key), "sweeps to start from": sweep})
            check_same({"algorithms or options": (algorithm.name, algorithm.options, notes, num_chains)})
        yield from _blocks(*_started(key, algorithm, data, notes, places, num_chains, start), block, chain_method)


def _blocks(workers: list[Worker], now: Run, block: int | None, chain_method: str | None) -> Iterator[Run]:
    yield now
    stop = threading.Event()
    size, total = block or 1, now.schedule.total
    groups = [worker.group for worker in workers]
    with ThreadPoolExecutor(num_workers(groups, chain_method), thread_name_prefix="jaxlda") as threads:
        try:
            while not now.finished:
                sweeps = range(now.sweep + 1, min(now.sweep + size, total) + 1)
                began = time.perf_counter()
                futures = [
                    threads.submit(worker.advance, part, sweeps, stop)
                    for worker, part in zip(workers, now.parts, strict=True)
                ]
                done = [future.result() for future in futures]
                now = extended(now, sweeps[-1], done)
                size = agreed(_next_block(block, len(sweeps), time.perf_counter() - began))
                yield now
        finally:
            stop.set()


def run(
    key: PRNGKeyArray | int,
    algorithm: Algorithm | str,
    data: Data,
    *,
    num_warmup: int = 200,
    num_samples: int = 1,
    thinning: int = 5,
    num_chains: int = 1,
    keep: str | Sequence[str] = (),
    soft: bool = True,
    trace_every: int = 20,
    gap_every: int = 0,
    block: int | None = None,
    chain_method: str | None = None,
    devices: Sequence[jax.Device] | Mesh | None = None,
    start: Run | None = None,
    progress: bool = False,
    keep_partial: bool = True,
    on_block: Callable[[Run], object] | None = None,
) -> Run:
    """Sample several chains and average over their draws.

    Parameters
    ----------
    key
        A seed or a random key (``jax.random.key(seed)``); everything random follows from it.
    algorithm
        Such as ``jaxlda.kernels.cgs()``, or its name; ``"cvb0(chunk=256)"`` is a name with an option,
        and ``"auto"`` stands for what ``jaxlda.kernels.choose`` chooses.
    data
        Such as ``corpus.data(num_topics=20)``.
    num_warmup, num_samples, thinning
        Burn-in, the number of draws kept, and the lag: the sweeps from one draw to the next (and from the end of the
        burn-in to the first). The run takes ``num_warmup + num_samples * thinning`` sweeps.
    num_chains
        Independent chains, run side by side.
    progress
        Show a progress bar.
    keep_partial
        What Ctrl-C does: return the draws so far, with a warning, or (``False``) raise as usual.
    on_block
        Called with the chains so far after every block of sweeps, such as to show them. If it returns ``True``, the
        run stops there, and can be continued.
    keep
        Names of arrays to keep of every draw, see ``jaxlda.running.results.KEEP``; the rest is averaged on the way.
    soft
        Average the soft counts too, for phi_p and theta_p of several draws; it costs one more sweep per draw.
    trace_every, gap_every
        Every how many sweeps to trace the objective, and the gap between hard and soft counts; 0: never. The
        log-likelihood, which takes longer, is traced every fourth time, or always where hard and soft counts are
        compared too. The objective of draws is traced besides, the gap of those whose soft counts are known, and the
        log-likelihood of those of which it is kept.
    block
        Sweeps per block; about two fifths of a second's worth if not given.
    chain_method, devices
        Which devices run what: see ``jaxlda.running.placement.share_out``. ``"sharded"`` shares the documents out
        between all devices, of all processes; a ``jax.sharding.Mesh`` with the axes chain and doc shares out both.
        Several processes share documents unless they are told otherwise; every one of them gets the whole result.
    start
        A ``Run`` to go on with, stopped early or with more ``num_samples`` than it had; bit for bit what one run would
        have given.

    Returns
    -------
    A ``Run``, which can be continued.

    >>> import jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=10)
    >>> result = run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2, keep=("z",))
    >>> result.z.shape == (2, 1, 2000)
    True
    """
    blocks = run_blocks(
        key,
        algorithm,
        data,
        num_warmup=num_warmup,
        num_samples=num_samples,
        thinning=thinning,
        num_chains=num_chains,
        keep=keep,
        soft=soft,
        trace_every=trace_every,
        gap_every=gap_every,
        block=block,
        chain_method=chain_method,
        devices=devices,
        start=start,
    )
    if on_block is not None and not callable(on_block):
        raise TypeError(f"on_block must be a function of a Run; got {_named(on_block)}")
    with patient():
        return _to_the_end(blocks, progress, keep_partial, on_block)


def _to_the_end(
    blocks: Generator[Run, None, None], progress: bool, keep_partial: bool, on_block: Callable[[Run], object] | None
) -> Run:
    now = first = next(blocks)
    try:
        for now in _with_bar(first, blocks) if progress and is_first() else blocks:
            if on_block is not None and asked_to_stop(on_block, now):
                break
    except KeyboardInterrupt:
        if now.sweep == 0 or not keep_partial or several():  # the others may be elsewhere
            raise
        warn(
            f"Stopped at sweep {now.sweep} of {now.schedule.total}, with {now.num_draws} draw(s) of each chain. To go "
            "on: resume() of a model, or start= of jaxlda.run.",
            RuntimeWarning,
        )
    finally:
        blocks.close()
    with others_may_end():
        return now.gathered()


def _with_bar(first: Run, blocks: Iterator[Run]) -> Iterator[Run]:
    from tqdm.auto import tqdm

    with tqdm(total=first.schedule.total, initial=first.sweep, unit="sweep") as bar:
        for now in blocks:
            bar.update(now.sweep - bar.n)
            likelihood = now.trace.get("log_likelihood", np.empty((1, 0)))
            seen = likelihood[:, ~np.isnan(likelihood).any(0)]
            if seen.size:
                bar.set_postfix_str(f"log-likelihood per token {seen[:, -1].mean():.4f}", refresh=False)
            yield now
