"""Every kernel and estimator, compiled by the real compilers of TPUs and GPUs, without the devices.

    python -m benchmarks.accelerators                     # compile what is not in the JSON yet, and write the page
    python -m benchmarks.accelerators --targets a100 --programs warp --tokens 1e7 --topics 100 --chains 1 64
    python -m benchmarks.accelerators --page              # only the page, from the JSON

``benchmarks.targets`` says what must be installed. Each program is compiled in a process of its own; an hour in all.
"""

import argparse
import json
import math
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import hlo
from benchmarks.targets import TARGETS, prepare_environment

__all__ = ["PROGRAMS", "RESULTS", "Case", "compiled", "main"]

RESULTS = Path(__file__).parent / "results" / "accelerators.json"
LAUNCH = 3e-6  # seconds
WORDS, LENGTH, LONGEST = 50_000, 150, 1_000  # V, the mean number of tokens of a document, and the most
NEARBY = 1 / 4  # of the cache: a table up to that size is read once, of a larger one every row that is looked up
KERNELS = (
    "cgs",
    "sparse",
    "blocks(workers=2)",
    "light",
    "pcgs",
    "pcgs(theta='drawn')",
    "warp",
    "cvb0",
    "cvb0(chunk=4096)",
    "vb",
    "learn_alpha(algorithm=warp)",
)
ESTIMATORS = ("phi", "theta", "phi_p", "theta_p", "log_likelihood")
PROGRAMS = (*KERNELS, "cgs, topics given", "online_vb", *ESTIMATORS)
PARALLEL = ("pcgs(theta='drawn')", "warp")
TINY = (67, 131)  # documents and words of a corpus that is really laid out; its sizes are replaced by those asked for


class Case(NamedTuple):
    """What is compiled, for what."""

    program: str
    target: str
    devices: int
    tokens: int
    topics: int
    chains: int

    @property
    def documents(self) -> int:
        """D."""
        return self.tokens // LENGTH


def _laid_out(case: Case, algorithm: Any, given: bool = False) -> Any:
    """Shapes of a layout: a tiny corpus is laid out, and its sizes are replaced."""
    import jax
    import numpy as np

    import jaxlda

    (D, V), K = TINY, case.topics
    rng = np.random.default_rng(0)
    counts = np.zeros((D, V), np.int32)
    counts.flat[rng.choice(D * V, 1280, replace=False)] = 1  # so many pairs stay as many: nothing is rounded up
    corpus = jaxlda.Corpus.from_counts(counts)
    if algorithm.name == "blocks":  # whose cells have sizes of their own: a corpus of that size
        corpus, _ = jaxlda.datasets.simulate(case.documents, 20, 2_000, LENGTH)
        return algorithm.prepare(corpus.data(K, alpha=0.1, beta=0.01))
    data = corpus.data(phi=np.full((K, V), 1 / V), alpha=0.1) if given else corpus.data(K, alpha=0.1, beta=0.01)
    sizes = {
        data.tokens.w.shape[0]: case.tokens,
        D: case.documents,
        V: WORDS,
        D + 1: case.documents + 1,
        V + 1: WORDS + 1,
    }
    assert len(sizes) == 5 and not sizes.keys() & {1, K, 2**20}, "sizes of the tiny corpus must differ"

    def larger(x: Any) -> Any:
        return jax.ShapeDtypeStruct(tuple(sizes.get(n, n) for n in x.shape), x.dtype)

    return jax.tree.map(larger, algorithm.prepare(data) if algorithm.prepare else data)


def _program(case: Case) -> tuple[Callable, tuple, tuple[int | None, ...], tuple[int, ...]]:
    """A function of one chain, shapes of its arguments, the axis of chains of each, and which are given up."""
    import jax

    from jaxlda import estimators, kernels
    from jaxlda.kernels import online_vb
    from jaxlda.types import Sample

    key = jax.eval_shape(lambda: jax.random.key(0))
    if case.program in ESTIMATORS:
        sampler = kernels.find("cgs")
        layout = _laid_out(case, sampler)
        sample: Sample = jax.eval_shape(lambda k, x: sampler.readout(sampler.init(k, x), x), key, layout)
        if case.program == "log_likelihood":
            phi, theta = (jax.eval_shape(f, sample, layout.data) for f in (estimators.phi, estimators.theta))
            return estimators.log_likelihood_terms, (phi, theta, layout.data.tokens), (0, 0, None), ()
        return getattr(estimators, case.program), (sample, layout.data), (0, None), ()
    if case.program == "online_vb":
        layout = _laid_out(case, kernels.find("vb"))
        state = jax.eval_shape(kernels.online_vb(case.documents).init, key, layout.data.priors)
        return sys.modules[online_vb.__module__]._inferred, (state, layout), (0, None), ()
    given = case.program.endswith(", topics given")
    algorithm = kernels.find(case.program.removesuffix(", topics given"))
    layout = _laid_out(case, algorithm, given)
    return algorithm.step, (key, jax.eval_shape(algorithm.init, key, layout), layout), (0, 0, None), (1,)


# How often loops turn whose end the compiler cannot know, by the function that they come from.
TURNS = {
    "_block_by_position": LONGEST,
    "_converged_together": 20,  # at most, and the default
    "_at_document": LENGTH,
    "alias_of_tokens": None,  # one per token
    "fold_tokens": None,
    "weigh": 4,  # lists of words' topics, eight at a time
    "pick": 2,
    "find": 4,
    "_visited": 1 / 10,  # the prior's draws
    "elsewhere": 1 / 50,  # cvb0 counts anew
    "renewed": 1 / 10,  # learn_alpha
}


def _turns(case: Case) -> Callable[[list[str], int], float]:
    """How often loops turn whose end the compiler cannot know."""
    tokens = case.tokens / (4 if case.program.startswith("blocks") else 1)

    def turns(functions: list[str], size: int) -> float:
        if any(name.startswith(("_accepted", "_of_all_chains")) for name in functions[:3]):
            return math.ceil(math.log(size) / math.log(20) + 0.6)  # each attempt leaves one variable in twenty
        for name in (name.split(".")[-1] for name in functions[:8]):
            if name in TURNS:
                if name == "fold_tokens" and "_sweep.<locals>.document" in functions:
                    return LENGTH  # one document after another
                return TURNS[name] or tokens
        raise LookupError(f"a loop of {functions[:8]}: nobody says how often it turns")

    return turns


def compiled(case: Case) -> dict[str, Any]:
    """Compile a program, and say what it costs."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

    target = TARGETS[case.target]
    devices = target.devices(case.devices)
    function, arguments, axes, donated = _program(case)
    many, one = (SingleDeviceSharding(devices[0]),) * 2
    if case.chains > 1 or case.devices > 1:
        function = jax.vmap(function, axes)
    if case.devices > 1:
        mesh, split = Mesh(np.array(devices), ("chain",)), PartitionSpec("chain")
        specs = tuple(PartitionSpec() if axis is None else split for axis in axes)
        function = jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
        many, one = NamedSharding(mesh, split), NamedSharding(mesh, PartitionSpec())
    chains = (case.chains,) if case.chains > 1 or case.devices > 1 else ()

    def shapes(argument: Any, axis: int | None) -> Any:
        lead, sharding = ((), one) if axis is None else (chains, many)
        return jax.tree.map(lambda x: jax.ShapeDtypeStruct((*lead, *x.shape), x.dtype, sharding=sharding), argument)

    began = time.perf_counter()
    lowered = jax.jit(function, donate_argnums=donated).lower(*map(shapes, arguments, axes))
    program = lowered.compile()
    seconds = time.perf_counter() - began
    memory = program.memory_analysis()
    peak = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    peak += memory.temp_size_in_bytes
    cost = hlo.cost_of(hlo.parse(program.as_text()), _turns(case), int(target.cache * NEARBY))
    sweep = cost.launches * LAUNCH + cost.bytes / target.bandwidth
    return {
        "compile_seconds": round(seconds, 1),
        "peak_gb": peak / 1e9,
        "fits": peak <= target.memory,
        "launches": cost.launches,
        "trips": cost.trips,
        "bytes_per_token": cost.bytes * case.devices / (case.tokens * case.chains),
        "seconds": sweep,
        "tokens_per_second": case.tokens * case.chains / sweep,
    }


def _cases(options: argparse.Namespace) -> list[Case]:
    """All that is asked for: every program once per target, and sizes of those made for accelerators."""
    chosen = options.programs or PROGRAMS
    if options.tokens or options.topics or options.chains or options.devices:
        sizes = [
            (n, int(float(N)), K, C)
            for n in options.devices or [1]
            for N in options.tokens or [1e7]
            for K in options.topics or [100]
            for C in options.chains or [1]
        ]
        return [Case(program, t, *size) for t in options.targets for program in chosen for size in sizes]
    cases = []
    for target in options.targets:
        N = 10**6 if target == "v5e" else 10**7  # libtpu takes minutes for larger ones
        for program in chosen:
            tokens = 10**5 if program.startswith("blocks") else N
            cases += [Case(program, target, 1, tokens, 100, 1), Case(program, target, 4, tokens, 100, 4)]
    for program in (one for one in PARALLEL if one in chosen and "a100" in options.targets):
        sizes = ((N, K, C) for N in (10**6, 10**7, 10**8) for K in (100, 1000) for C in (1, 64))
        cases += [Case(program, "a100", 1, *size) for size in sizes if size[0] * size[2] < 5 * 10**9]
    return list(dict.fromkeys(cases))


def _pending(cases: list[Case], rows: list[dict[str, Any]], again: bool) -> list[Case]:
    """Those that have no figure of the present kernels, the most important first.

    Every program on one device, then on four, then sizes; those without any figure before those with an earlier one.
    What failed is compiled once more if it is asked for.
    """
    state = {_case(row): "earlier" if "earlier" in row else "error" if "error" in row else "known" for row in rows}
    wanted = {"earlier", "error"} if again else {"earlier"}
    pending = [case for case in cases if state.get(case, "earlier") in wanted]

    def importance(case: Case) -> tuple[bool, int, bool]:
        return (case.topics, case.chains) != (100, case.devices), case.devices, case in state

    return sorted(pending, key=importance)


def _case(row: dict[str, Any]) -> Case:
    return Case(*(row[field] for field in Case._fields))


def _in_process(case: Case, seconds: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.accelerators", "--one", json.dumps(case), "--timeout", f"{seconds}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return {"error": f"not compiled within {seconds} s of CPU time"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines:
        return json.loads(lines[-1])
    words = [line for line in done.stderr.splitlines() if "Error" in line or "EXHAUSTED" in line]
    return {"error": (words or [f"ended with {done.returncode}"])[-1][:300]}


def main() -> None:
    """Compile what is asked for; write JSON and page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", nargs="+", choices=list(TARGETS), default=list(TARGETS))
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--tokens", nargs="+", metavar="N")
    parser.add_argument("--topics", nargs="+", type=int, metavar="K")
    parser.add_argument("--chains", nargs="+", type=int)
    parser.add_argument("--devices", nargs="+", type=int)
    parser.add_argument("--timeout", type=int, default=900, help="seconds of CPU time for one program")
    parser.add_argument("--again", action="store_true", help="compile once more what failed before")
    parser.add_argument("--json", type=Path, default=RESULTS)
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    prepare_environment()
    if options.one:
        # Not of the clock: on a busy machine it says nothing of the compiler.
        resource.setrlimit(resource.RLIMIT_CPU, (options.timeout, options.timeout + 10))
        print(json.dumps(compiled(Case(*json.loads(options.one)))))
        return
    from benchmarks import accelerators_page

    options.json.parent.mkdir(exist_ok=True)
    rows = json.loads(options.json.read_text()) if options.json.exists() else []
    for case in [] if options.page else _pending(_cases(options), rows, options.again):
        if missing := TARGETS[case.target].missing:
            print(f"skipped: {missing}")
            continue
        row = case._asdict() | _in_process(case, options.timeout)
        rows = [other for other in rows if _case(other) != case] + [row]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print({name: value for name, value in row.items() if name != "trips"}, flush=True)
    print(f"wrote {accelerators_page.write(rows)}")


if __name__ == "__main__":
    main()
