"""The Python code that gives what a snapshot shows, to the bit."""

import platform
from typing import Any

import jax
import numpy as np

import jaxlda
from jaxlda.models import parameters as declared
from jaxlda.types import Algorithm
from jaxlda_app.store import Snapshot
from jaxlda_app.words import counted

__all__ = ["reproducing"]

_COMPUTING = {one.name for one in declared.COMPUTING}  # which change nothing of what is sampled
_LONGEST = 200  # numbers of a prior that are written out


def reproducing(snapshot: Snapshot, loading: str | None) -> str:
    """Python code that samples the same chains up to the same sweep.

    Parameters
    ----------
    snapshot
        What is to be reproduced.
    loading
        Lines of code that make the corpus the documents were taken from, ``corpus``; ``None`` where there are none.
    """
    if loading is None:
        raise ValueError("It is not known how to load these documents again: export the run file instead.")
    run = snapshot.run
    if run.algorithm is None:
        sample = loading.removeprefix("corpus = ").removesuffix(".corpus")
        return f"import jaxlda\n\nmodel = jaxlda.LDA.from_sample({sample})\n\nprint(model.top_words(10))\n"
    if snapshot.model.params["seed"] is None:
        raise ValueError("The chains were not started from a seed: export the run file instead.")
    draws, thinning, rest = run.num_draws, run.schedule.thinning, 0
    changes = {"num_samples": draws}
    if draws:
        rest = run.sweep - run.schedule.num_warmup - draws * thinning
    elif run.sweep:  # the same sweeps, the last of which is looked at
        changes = {"num_warmup": run.sweep - 1, "num_samples": 1, "thinning": 1}
    else:
        raise ValueError("Nothing is sampled yet: there is nothing to reproduce.")
    lines = [
        f"# jaxlda {jaxlda.__version__}, JAX {jax.__version__}, Python {platform.python_version()}",
        f"# {run!r}",
        "import jaxlda",
        "",
        loading,
        *_split(snapshot),
        _model(snapshot, changes),
        "model.fit(corpus)",
        *(_further(rest) if rest else ()),
        "",
        "print(model.top_words(10))",
    ]
    return "\n".join(lines) + "\n"


def _split(snapshot: Snapshot) -> list[str]:
    if snapshot.held is None:
        return []
    seed = snapshot.model.params["seed"]
    return [f"corpus, held = corpus.split({snapshot.held.num_docs}, seed={seed})  # held: not sampled, but tested on"]


def _model(snapshot: Snapshot, changes: dict[str, int]) -> str:
    name, params = snapshot.model
    defaults = getattr(jaxlda, name)().get_params(deep=False)
    told = {
        key: value
        for key, value in (params | changes).items()
        if key not in _COMPUTING and (key in ("kernel", "seed") or np.ndim(value) or value != defaults[key])
    }
    arguments = "".join(f"    {key}={_written(key, value)},\n" for key, value in told.items())
    return f"model = jaxlda.{name}(\n{arguments})"


def _written(name: str, value: Any) -> str:
    if isinstance(value, int | float | str | None):
        return repr(value)
    if isinstance(value, Algorithm):
        return repr(jaxlda.kernels.described(value))
    array = np.asarray(value)
    if array.dtype.kind not in "biuf" or array.size > _LONGEST:
        raise ValueError(
            f"The code would not show {name}, which is more than a few numbers: export the run file instead."
        )
    return repr(array.tolist())


def _further(sweeps: int) -> list[str]:
    """Sweeps after the last draw change the state of the chains, and which of them is the best."""
    return [
        "",
        f"# {counted(sweeps, 'sweep')} further, without another draw",
        "run = model.run_",
        "schedule = run.schedule._replace(num_samples=run.num_draws + 1)._asdict()",
        "blocks = jaxlda.run_blocks(",
        "    run.key, run.algorithm, run.data, **schedule, num_chains=run.num_chains, keep=tuple(run.kept), start=run,",
        f"    block={sweeps},",
        ")",
        "next(blocks)  # the start",
        "model = type(model).from_run(next(blocks), corpus, **model.get_params())",
        "blocks.close()",
    ]
