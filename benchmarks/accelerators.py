"""Every kernel and estimator, compiled by the real compilers of TPUs and GPUs, without the devices.

    python -m benchmarks.accelerators                     # compile what is not in the JSON yet, and write the page
    python -m benchmarks.accelerators --targets a100 --programs warp --tokens 1e7 --topics 100 --chains 1 64
    python -m benchmarks.accelerators --check             # mark what was compiled from other kernels than these
    python -m benchmarks.accelerators --page              # only the page, from the JSON

``benchmarks.targets`` says what must be installed; ``--check`` and ``--page`` need none of it. Each program is compiled
in a process of its own; hours in all, so that a run goes on where the last one stopped.
"""

import argparse
import hashlib
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

__all__ = ["PROGRAMS", "RESULTS", "Case", "compiled", "main", "source", "usual_tokens"]

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
# Documents, words, and pairs of both, of a corpus that is really laid out; its sizes are replaced by those asked for.
# There are as many pairs as they are rounded up to.
TINY, PAIRS = (67, 131), 4096


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
    counts.flat[rng.choice(D * V, PAIRS, replace=False)] = 1
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

    layout = jax.tree.map(larger, algorithm.prepare(data))
    assert layout.data.tokens.w.shape == (case.tokens,), "the tiny corpus is laid out in another size than it has"
    return layout


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
    parts = 2 if case.program.startswith("blocks") else 1  # of documents, and of words
    tokens = case.tokens / parts**2

    def turns(functions: list[str], size: int) -> float:
        if any(name.startswith(("_accepted", "_of_all_chains")) for name in functions[:3]):
            return math.ceil(math.log(size) / math.log(20) + 0.6)  # each attempt leaves one variable in twenty
        for name in (name.split(".")[-1] for name in functions[:8]):
            if name == "fold_tokens" and any(one.endswith(".<locals>.document") for one in functions):
                return LENGTH / parts  # one document after another
            if name == "_sweep_by_document":
                return tokens / (LENGTH / parts)
            if name in TURNS:
                return TURNS[name] or tokens
        raise LookupError(f"a loop of {functions[:8]}: nobody says how often it turns")

    return turns


def _lowered(case: Case, devices: list | None = None) -> Any:
    """What the compiler is given: for these devices, or for any of their platform."""
    import jax
    import numpy as np
    from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

    function, arguments, axes, donated = _program(case)
    many = one = SingleDeviceSharding(devices[0]) if devices else None
    if case.chains > 1:
        function = jax.vmap(function, axes)
    if devices and case.devices > 1:
        mesh, split = Mesh(np.array(devices), ("chain",)), PartitionSpec("chain")
        specs = tuple(PartitionSpec() if axis is None else split for axis in axes)
        function = jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
        many, one = NamedSharding(mesh, split), NamedSharding(mesh, PartitionSpec())
    chains = (case.chains,) if case.chains > 1 else ()

    def shapes(argument: Any, axis: int | None) -> Any:
        lead, sharding = ((), one) if axis is None else (chains, many)
        return jax.tree.map(lambda x: jax.ShapeDtypeStruct((*lead, *x.shape), x.dtype, sharding=sharding), argument)

    traced = jax.jit(function, donate_argnums=donated).trace(*map(shapes, arguments, axes))
    return traced.lower() if devices else traced.lower(lowering_platforms=(TARGETS[case.target].platform,))


def source(case: Case) -> str:
    """A short name for what the compiler is given: another one after a change of a kernel that matters to it."""
    return hashlib.sha256(_lowered(case).as_text().encode()).hexdigest()[:16]


def compiled(case: Case) -> dict[str, Any]:
    """Compile a program, and say what it costs."""
    target = TARGETS[case.target]
    began = time.process_time()  # of all threads: on a busy machine the clock says nothing of the compiler
    program = _lowered(case, target.devices(case.devices)).compile()
    seconds = time.process_time() - began
    memory = program.memory_analysis()
    peak = memory.argument_size_in_bytes + memory.output_size_in_bytes - memory.alias_size_in_bytes
    peak += memory.temp_size_in_bytes
    cost = hlo.cost_of(hlo.parse(program.as_text()), _turns(case), int(target.cache * NEARBY))
    sweep = cost.launches * LAUNCH + cost.bytes / target.bandwidth
    return {
        "source": source(case),
        "compile_seconds": round(seconds, 1),
        "peak_gb": peak / 1e9,
        "fits": peak <= target.memory,
        "launches": cost.launches,
        "loops": cost.loops,
        "bytes_per_token": cost.bytes * case.devices / (case.tokens * case.chains),
        "seconds": sweep,
        "tokens_per_second": case.tokens * case.chains / sweep,
    }


def usual_tokens(program: str, target: str) -> int:
    """How many tokens every program is compiled for."""
    if program.startswith("blocks"):
        return 10**5  # whose corpus is really laid out
    return 10**6 if target == "v5e" else 10**7  # libtpu takes minutes for larger ones


def _cases(options: argparse.Namespace) -> list[Case]:
    """All that is asked for: every program once per target, and sizes of those made for accelerators."""
    chosen = options.programs or PROGRAMS
    cases = [
        Case(program, target, devices, int(float(N)), K, C)
        for target in options.targets
        for program in chosen
        for devices in options.devices or (1, 4)
        for N in options.tokens or [usual_tokens(program, target)]
        for K in options.topics or [100]
        for C in options.chains or [devices]
    ]
    if not (options.tokens or options.topics or options.chains or options.devices):
        sizes = [(N, K, C) for N in (10**6, 10**7, 10**8) for K in (100, 1000) for C in (1, 64)]
        parallel = [program for program in PARALLEL if program in chosen]
        cases += [Case(program, t, 1, *size) for t in options.targets for program in parallel for size in sizes]
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


def _checked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, those marked as earlier whose programs are no longer what was compiled."""
    return [
        {name: value for name, value in row.items() if name != "earlier"}
        | ({} if "error" in row or row.get("source") == source(_case(row)) else {"earlier": True})
        for row in rows
    ]


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
    parser.add_argument(
        "--check", action="store_true", help="only mark what was compiled from other kernels than these"
    )
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    prepare_environment()
    if options.one:
        resource.setrlimit(resource.RLIMIT_CPU, (options.timeout, options.timeout + 10))
        print(json.dumps(compiled(Case(*json.loads(options.one)))))
        return
    from benchmarks import accelerators_page

    options.json.parent.mkdir(exist_ok=True)
    rows = json.loads(options.json.read_text()) if options.json.exists() else []
    if options.check:
        rows = _checked(rows)
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    for case in [] if options.page or options.check else _pending(_cases(options), rows, options.again):
        if missing := TARGETS[case.target].missing:
            print(f"skipped: {missing}")
            continue
        row = case._asdict() | _in_process(case, options.timeout)
        rows = [other for other in rows if _case(other) != case] + [row]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print({name: value for name, value in row.items() if name != "loops"}, flush=True)
    print(f"wrote {accelerators_page.write(rows)}")


if __name__ == "__main__":
    main()
