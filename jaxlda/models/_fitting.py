"""The fit of a model: what is sampled, what is kept, checkpoints, and what must not change on the way."""

import dataclasses
import math
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxlda.corpora.callers import warn
from jaxlda.corpora.numbers import checked_seed, natural
from jaxlda.corpora.replacing import check_writable
from jaxlda.kernels.names import described, find
from jaxlda.kernels.registry import DEFERRED
from jaxlda.models import files
from jaxlda.models._checkpoint import Checkpoint, Termination, changes, checked_checkpoint
from jaxlda.running.checking import other_data
from jaxlda.running.driver import run
from jaxlda.running.owning import owned
from jaxlda.running.processes import agreed, is_first
from jaxlda.running.results import KEEP, Run, named
from jaxlda.running.sizes import shape_of, sizes_of
from jaxlda.types import Algorithm, Data

__all__ = ["LIMIT", "Problem", "all_or_nothing", "check_settings", "drawn_seed", "kept", "sample"]

LIMIT = 64 * 2**20  # bytes that ``keep="auto"`` may take for all draws of all chains


class Problem(NamedTuple):
    """What a model samples."""

    algorithm: Algorithm
    data: Data
    found: dict[str, Any]
    """What was found in the documents: attributes of the fitted model."""


def sample(
    model: Any,
    problem: Problem,
    sweeps: dict[str, Any],
    *,
    start: Run | None = None,
    on_block: Callable[[Run], object] | None = None,
) -> Run:
    """Run the chains, from the start or from where a run or a checkpoint stands."""
    settings = model._settings() if start is None else model._settings_
    if model.checkpoint is None:
        result = _sampled(model, problem, sweeps, start, on_block)
    else:
        checked_checkpoint(model.checkpoint, model.checkpoint_every)
        with _owned(model.checkpoint), Termination() as termination:
            result = _kept_safe(model, problem, sweeps, start, on_block, settings, termination)
    model._settings_ = settings
    return result


def _owned(path: str | os.PathLike) -> AbstractContextManager:
    """Be the only one who writes a checkpoint; of several processes, the first one does."""
    if not is_first():
        return nullcontext()
    check_writable(path)
    return owned(path, "give another path as checkpoint")


def _kept_safe(
    model: Any,
    problem: Problem,
    sweeps: dict[str, Any],
    start: Run | None,
    on_block: Callable[[Run], object] | None,
    settings: dict[str, Any],
    termination: Termination,
) -> Run:
    """Sample with checkpoints, from the one there is, to a last one at the end."""
    checkpoint, stored = _checkpoint(model, problem, settings)
    if start is None and stored is not None:
        start = _continued(model.checkpoint, stored, sweeps)
        problem = _as_before(model, problem, start)
    if start is not None and stored is not None and stored.sweep > start.sweep:
        raise ValueError(
            f"'{Path(model.checkpoint)}' is at sweep {stored.sweep} already, this model at {start.sweep}: another "
            "process went on with it. Go on from there with jaxlda.load(path).resume(), or give another path as "
            "checkpoint"
        )

    def after(now: Run) -> object:
        checkpoint(now)
        return None if on_block is None else on_block(now)

    result = _sampled(model, problem, sweeps, start, after)
    termination.sampling = False
    try:
        checkpoint.now(result)
    except KeyboardInterrupt:
        warn(f"'{model.checkpoint}' was not written to the end: an older file stays", RuntimeWarning)
    return result


def _sampled(
    model: Any,
    problem: Problem,
    sweeps: dict[str, Any],
    start: Run | None,
    on_block: Callable[[Run], object] | None,
) -> Run:
    keep = _kept(model, problem.data, sweeps, start)
    if start is not None:
        start = dataclasses.replace(start, kept={name: start.kept.get(name, ()) for name in keep})
    key: Any = jax.random.key(model.seed_) if start is None else start.key
    return run(
        key,
        problem.algorithm,
        problem.data,
        **sweeps,
        keep=keep,
        soft=True if start is None else start.soft,
        chain_method=model.chain_method,
        trace_every=natural(model.trace_every, "trace_every"),
        gap_every=natural(model.gap_every, "gap_every"),
        progress=bool(model.progress),
        start=start,
        on_block=on_block,
    )


def drawn_seed(seed: Any) -> int:
    """The seed, or one from the operating system in the place of ``None``."""
    return agreed(secrets.randbits(32)) if seed is None else checked_seed(seed)


def first_seed(model: Any) -> int:
    """The seed that a fit begins with: in the place of ``None``, that of the checkpoint it will go on with."""
    seed = model.seed
    if seed is None and model.checkpoint is not None and os.path.exists(model.checkpoint):
        seed = files.seed(model.checkpoint)
    return drawn_seed(seed)


def check_settings(model: Any) -> None:
    """Refuse to continue chains that were started with other parameters."""
    if changed := changes(model._settings_, model._settings()):
        raise ValueError(
            f"the parameters have changed since the chains were started: {changed}. Chains go on as they began: "
            "set them back (to sample more, give more_sweeps), or fit anew"
        )


@contextmanager
def all_or_nothing(model: Any) -> Iterator[None]:
    """Restore a model if changing it fails."""
    before = dict(vars(model))
    try:
        yield
    except BaseException:
        vars(model).clear()
        vars(model).update(before)
        raise


# ------------------------------------------------------------------------------------------------------- checkpoints


def _checkpoint(model: Any, problem: Problem, settings: dict[str, Any]) -> tuple[Checkpoint, Run | None]:
    """What writes the checkpoints of a fit, and the run in the file, if there is one."""
    path, every = checked_checkpoint(model.checkpoint, model.checkpoint_every)
    described(problem.algorithm)  # or raise now, not in the middle
    stored = None
    if os.path.exists(path):
        stored, model.seed_ = _own(model, path, settings, problem)
    found = files.found(model) | problem.found
    files.header(model, path, found, settings, {})  # or raise now
    return Checkpoint(path, every, lambda now: files.write(model, path, now, found, settings)), stored


def _own(model: Any, path: str | os.PathLike, settings: dict[str, Any], problem: Problem) -> tuple[Run, int]:
    """The run and the seed of a file, if it is one of this model and these data."""
    content = files.read(path)
    if content.model is None:
        difference = "it is a run, not a model"
    elif content.model is not type(model):
        difference = f"it is a {content.model.__name__}, not a {type(model).__name__}"
    elif content.run is None:
        difference = "it has topics only, and no chains to go on with"
    else:
        difference = changes(content.settings, {k: v for k, v in settings.items() if k != "num_samples"})
        difference = difference or other_data(content.run.data, problem.data)
        found = files.found(model) | problem.found
        unasked = ("seed_", "doc_columns_", "written_", "covariates_")  # what chains do not depend on
        if not difference and not all(_alike(content.found.get(k), v) for k, v in found.items() if k not in unasked):
            difference = "the words or labels are not the same"
    if difference or content.run is None:
        raise ValueError(
            f"'{Path(path)}' is a checkpoint of something else: {difference}. Give another path as checkpoint, or "
            "remove the file"
        )
    return content.run, content.found.get("seed_", model.seed_)


def _alike(before: Any, now: Any) -> bool:
    """Whether what was found is the same; numbers that were computed may differ by their last digits."""
    if all(isinstance(one, np.ndarray) and one.dtype.kind == "f" for one in (before, now)):
        return before.shape == now.shape and np.allclose(before, now, rtol=1e-3, atol=1e-6)
    return not changes({"": before}, {"": now})


def _as_before(model: Any, problem: Problem, start: Run) -> Problem:
    """The problem with the kernel of the checkpoint where it was chosen: this machine might ask for another."""
    if start.algorithm is None or find(model.kernel).name not in DEFERRED:
        return problem
    return problem._replace(algorithm=start.algorithm)


def _continued(path: str | os.PathLike, stored: Run, sweeps: dict[str, Any]) -> Run:
    total = stored.schedule._replace(num_samples=sweeps["num_samples"]).total
    if stored.sweep > total:
        raise ValueError(
            f"'{Path(path)}' is at sweep {stored.sweep} already, but num_samples={sweeps['num_samples']} asks for "
            f"{total}: sweeps cannot be undone. Give a larger num_samples, or go on with jaxlda.load(path).resume()"
        )
    return stored


# ------------------------------------------------------------------------------------------- what is kept of draws


def _kept(model: Any, data: Data, sweeps: Mapping[str, Any], start: Run | None) -> tuple[str, ...]:
    """What to keep of every draw: of a run that goes on, nothing that its first draws do not have."""
    names = kept(model.keep, data, sweeps["num_chains"], sweeps["num_samples"], model.trace_every != 0)
    if start is None or not start.num_draws:
        return names
    missing = [name for name in names if name not in start.kept]
    if missing and not isinstance(model.keep, str):
        warn(
            f"{', '.join(missing)} cannot be kept: the {start.num_draws} draw(s) of each chain so far do not "
            "have it. Fit anew (or give another checkpoint) to keep it of all draws."
        )
    return tuple(name for name in names if name in start.kept)


def kept(keep: Any, data: Data, num_chains: int, num_samples: int, traced: bool) -> tuple[str, ...]:
    """The names a user wants kept of every draw; ``"auto"``: what diagnostics and ArviZ take, as far as it fits.

    >>> from jaxlda import Corpus
    >>> kept("auto", Corpus.from_counts([[1, 2]]).data(2), 4, 30, traced=False)
    ('n_k', 'likeness', 'phi', 'theta')
    """
    if not (isinstance(keep, str) and keep == "auto"):
        names = named(keep if isinstance(keep, str | list | tuple) else (keep,))
        for name in names:
            if not isinstance(name, str) or name not in KEEP:
                raise ValueError(f"keep must be 'auto' or names of {', '.join(KEEP)}; not {name!r}")
        return tuple(dict.fromkeys(names))
    # Likelihoods that are not traced would be computed for this alone, and cost as much as the trace.
    names = ("n_k", "likeness", *(("log_likelihood",) if traced else ()), "phi", "theta")
    names += () if data.covariates is None else ("effects",)
    fitting, left = [], LIMIT
    for name in names:
        needed = 4 * num_chains * num_samples * math.prod(shape_of(name, sizes_of(data)))
        if needed <= left:
            fitting.append(name)
            left -= needed
    return tuple(fitting)
