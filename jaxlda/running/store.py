"""Runs in files: saved at any moment, loaded anywhere, and continued as if they had never stopped.

A file has the numbers and the algorithm's name. How the state of a chain is built from its numbers is asked of the
algorithm, not of the file: nothing in a file decides which code runs.
"""

import dataclasses
import os
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlda.corpora import priors
from jaxlda.kernels.names import described, find
from jaxlda.running import archive
from jaxlda.running.checking import check_counts, check_data, check_header, check_kept, check_samples, check_trace
from jaxlda.running.parts import Part
from jaxlda.running.placement import Group
from jaxlda.running.results import Run
from jaxlda.running.sizes import Sizes, cut_counts, enlarged, sizes_of
from jaxlda.types import Counts, Covariates, Data, Priors, Sample, Tokens

__all__ = ["pack", "save", "unpack"]


def save(run: Run, path: str | os.PathLike) -> None:
    """Save a run, finished or not; ``jaxlda.load(path)`` gives it back, ``jaxlda.run(..., start=it)`` goes on with it.

    Parameters
    ----------
    run
        Of an algorithm that is registered (``jaxlda.kernels.kernel``), or of samples of another program.
    path
        A file, which is replaced if there is one.

    Examples
    --------
    >>> import jaxlda
    >>> from tempfile import TemporaryDirectory
    >>> data = jaxlda.Corpus.from_counts([[2, 1], [1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=3)
    >>> with TemporaryDirectory() as folder:
    ...     save(run, f"{folder}/run.jaxlda")
    ...     jaxlda.load(f"{folder}/run.jaxlda")
    Run(1 chain, sweep 8 of 8, 1 draw each)
    """
    header, arrays = pack(run)
    archive.write(path, {"run": header}, arrays)


def pack(run: Run) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run as a header for JSON, and arrays by name; what was kept is one array per draw, as ``archive`` takes it."""
    header = {
        "algorithm": None if run.algorithm is None else described(run.algorithm),
        "schedule": run.schedule._asdict(),
        "sweep": run.sweep,
        "draws": run.num_draws,
        "num_chains": run.num_chains,
        "soft": run.soft,
        "soft_counts": run.parts[0].soft is not None,
        "kept": sorted(run.kept),
        "trace": sorted(run.trace),
        "key": None if run.key is None else str(jax.random.key_impl(run.key)),
        "room": None if run.room is None else list(run.room),
    }
    arrays: dict[str, Any] = {} if run.key is None else {"key": np.asarray(jax.random.key_data(run.key))}
    arrays |= _leaves("data", run.data) | {f"trace.{name}": series for name, series in run.trace.items()}
    for chain in range(run.num_chains):
        part = run._part(chain)
        for field in ("state", "hard", "soft"):
            arrays |= _leaves(f"chain{chain}.{field}", part.of(getattr(part, field), chain))
    arrays |= {f"kept.{name}": draws for name, draws in run.kept.items() if draws}
    return header, arrays


def unpack(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Run:
    """The run that was packed, on the first device; an error says what is wrong if no run can be like this."""
    schedule = check_header(header)
    draws, chains = header["draws"], range(header["num_chains"])
    told = {f"trace.{name}" for name in header["trace"]} | {f"kept.{name}" for name in header["kept"] if draws}
    if {name for name in arrays if name.startswith(("trace.", "kept."))} != told:
        raise ValueError("its header and its arrays disagree on what was traced and kept")
    given: dict[str, Any] = dict(arrays)
    raw = Data(
        Tokens(*(given[f"data.tokens.{name}"] for name in Tokens._fields)),
        Priors(*(given[f"data.priors.{name}"] for name in Priors._fields)),
        given.get("data.phi"),
        Covariates(*(given[f"data.covariates.{name}"] for name in Covariates._fields))
        if "data.covariates.x" in given
        else None,
    )
    check_data(raw)
    data = jax.tree.map(jnp.asarray, raw)
    algorithm = None if header["algorithm"] is None else find(header["algorithm"])
    kept = {name: tuple(arrays[f"kept.{name}"]) if draws else () for name in header["kept"]}
    if algorithm is None:
        drawn = _of_samples(header, data, arrays)
        check_kept(kept, draws, len(chains), raw, drawn.parts[0].state)
        return dataclasses.replace(drawn, kept=kept, schedule=schedule)
    trace = {name: arrays[f"trace.{name}"] for name in header["trace"]}
    needed = (algorithm.objective.__name__, "log_likelihood", "gap")
    check_trace(trace, needed, (len(chains), header["sweep"]))
    key = jax.random.wrap_key_data(jnp.asarray(arrays["key"]), impl=header["key"])
    if key.shape != () or arrays["key"].dtype != np.uint32:
        raise ValueError(f"its key is {key.size} key(s) in {arrays['key'].dtype}, not one in uint32")
    room = _room(header.get("room"), data)
    layout = algorithm.prepare(data if room is None else enlarged(data, room))
    state = jax.eval_shape(algorithm.init, key, layout)
    sample = jax.eval_shape(algorithm.readout, state, layout)
    check_kept(kept, draws, len(chains), raw, sample)
    counts = jax.tree.map(lambda count: jax.ShapeDtypeStruct(count.shape, jnp.float32), sample.counts)  # sums of many
    if header["soft_counts"] != (draws > 0 and header["soft"] and sample.z is not None):
        raise ValueError("its header and its arrays disagree on whether it has soft counts")

    def part(chain: int) -> Part:
        return Part(
            Group((chain,), jax.local_devices()[0], False),
            _rebuilt(f"chain{chain}.state", state, arrays),
            _rebuilt(f"chain{chain}.hard", counts, arrays) if draws else None,
            _rebuilt(f"chain{chain}.soft", counts, arrays) if header["soft_counts"] else None,
            draws,
        )

    parts = tuple(part(chain) for chain in chains)
    run = Run(algorithm, data, key, schedule, parts, header["sweep"], trace, kept, header["soft"], room, layout)
    _check_chains(run)
    return run


def _check_chains(run: Run) -> None:
    """Refuse chains that are in no state of these documents, or whose draws are of others."""
    _, D, V, K, _ = sizes_of(run.data)
    for chain, part in enumerate(run.parts):
        what = f"chain {chain}"
        if not all(np.isfinite(x).all() for x in jax.tree.leaves(part.state)):
            raise ValueError(f"{what} has numbers that are not finite")
        check_samples([run.chain(chain)], run.data)
        present = run._roomy_sample(chain).counts
        of_draws = ((", hard,", part.hard, part.draws), (", soft,", part.soft, part.draws))
        for name, total, times in (("", present, 1), *of_draws):
            if total is not None:  # all of them, and without the room, in which there is nothing
                check_counts(total, run._roomy, times, what + name)
                check_counts(cut_counts(total, sizes_of(run.data)), run.data, times, what + name)
        if np.asarray(run._roomy_data(chain).priors.alpha)[..., K:].any():
            raise ValueError(f"{what} has learned a prior of topics that are not there")
        try:
            priors.make(K, D, V, *run.chain_data(chain).priors, n_d=run.data.tokens.n_d)
        except ValueError as error:
            raise ValueError(f"{what} has learned a prior that none can be: {error}") from None


def _room(stored: list[int] | None, data: Data) -> Sizes | None:
    """The sizes of the states' arrays, as far as they are sensible: not much more than the data need."""
    if stored is None:
        return None
    least, room = sizes_of(data), Sizes(*stored)
    if not all(type(size) is int and n <= size <= 4 * n + 1024 for n, size in zip(least, room, strict=True)):
        raise ValueError(f"its states have room for {tuple(room)}, which does not go with data of {tuple(least)}")
    return room


def _of_samples(header: dict[str, Any], data: Data, arrays: dict[str, np.ndarray]) -> Run:
    """A run of samples that another program has drawn, or whose topics were edited since."""
    N, D, V, K, _ = sizes_of(data)

    def sample(chain: int) -> Sample:
        assigned = f"chain{chain}.state.z" in arrays
        z, counts = jax.ShapeDtypeStruct((N,), jnp.int32), jnp.int32 if assigned else jnp.float32
        like = Counts(*(jax.ShapeDtypeStruct(shape, counts) for shape in ((D, K), (V, K), (K,))))  # type: ignore[arg-type]
        return _rebuilt(f"chain{chain}.state", Sample(like, z if assigned else None), arrays)  # type: ignore[arg-type]

    samples = [sample(chain) for chain in range(header["num_chains"])]
    run = Run.from_samples(data, samples)
    draws, trace = header["draws"], {name: arrays[f"trace.{name}"] for name in header["trace"]}
    check_trace(trace, ("log_likelihood", "gap"), (run.num_chains, header["sweep"]))
    parts = [
        part._replace(**{kind: _sums(chain, kind, getattr(part, kind), arrays, draws) for kind in ("hard", "soft")})
        for chain, part in enumerate(run.parts)
    ]
    parts = [part._replace(draws=draws) for part in parts]
    return dataclasses.replace(run, parts=tuple(parts), sweep=header["sweep"], trace=trace, soft=header["soft"])


def _sums(chain: int, kind: str, like: Any, arrays: dict[str, np.ndarray], draws: int) -> Any:
    """The sum of the counts of a chain's draws; of edited ones, not all documents need have all their tokens."""
    if like is None:
        return None
    sums = _rebuilt(f"chain{chain}.{kind}", like, arrays)
    n_dk, n_vk, n_k = (np.asarray(x) for x in sums)
    if not all(np.isfinite(x).all() and (x >= 0).all() for x in (n_dk, n_vk, n_k)):
        raise ValueError(f"chain {chain} has counts that are negative or not finite")
    for table in (n_dk, n_vk):
        if not np.allclose(table.sum(axis=0, dtype=np.float64), n_k, rtol=1e-3, atol=1e-3 * max(n_k.sum(), 1)):
            raise ValueError(f"chain {chain} has counts that do not add up")
    tokens = float(np.asarray(like.n_k).sum())  # of one draw: those of others may differ where a topic was left out
    if not tokens / 2 < max(n_k.sum(dtype=np.float64) / max(draws, 1), 1e-300) < max(2 * tokens, 1e-299):
        raise ValueError(f"chain {chain} has counts that are not those of {draws} draw(s)")
    return sums


def _named(prefix: str, tree: Any) -> list[tuple[str, Any]]:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return [(f"{prefix}.{jax.tree_util.keystr(path, simple=True, separator='.')}", leaf) for path, leaf in leaves]


def _leaves(prefix: str, tree: Any) -> dict[str, np.ndarray]:
    return {name: np.asarray(leaf) for name, leaf in _named(prefix, tree)}


def _rebuilt(prefix: str, like: Any, arrays: dict[str, np.ndarray]) -> Any:
    """Arrays in a structure that has the same names, shapes and dtypes."""
    leaves = []
    for name, leaf in _named(prefix, like):
        array = arrays[name]
        if (array.shape, array.dtype) != (leaf.shape, leaf.dtype):
            raise ValueError(
                f"{name} is {array.dtype} of shape {array.shape}; this version of jaxlda has {leaf.dtype} of "
                f"shape {leaf.shape}"
            )
        leaves.append(jnp.asarray(array))
    return jax.tree.unflatten(jax.tree.structure(like), leaves)
