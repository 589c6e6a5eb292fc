"""What a token costs.

    python -m benchmarks.speed                       # everything; about ten minutes
    python -m benchmarks.speed sweep --topics 100    # exact sweeps beside tomotopy and lda
    python -m benchmarks.speed --json speed.json

Every figure is nanoseconds per token (or pair) and sweep, the best of several rounds by turns on one core; what counts
are the ratios. Run it on a quiet machine.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import jax

import jaxlda
from benchmarks import peers
from benchmarks.corpora import named, repeated, synthetic
from benchmarks.timing import by_turns
from jaxlda import estimators
from jaxlda.types import Algorithm, Data, Sample

SWEEPS = 4
Table = list[dict[str, Any]]


class Chain:
    """One chain of ours that can be asked for more sweeps, as the driver does them: the state is given up each time."""

    def __init__(self, algorithm: Algorithm, data: Data, seed: int = 0) -> None:
        self.layout = algorithm.prepare(data)
        self.key, self.count = jax.random.key(seed), 0
        self.state = jax.jit(algorithm.init)(self.key, self.layout)
        self.step = algorithm.threaded or jax.jit(algorithm.step, donate_argnums=1)
        self.readout = lambda: algorithm.readout(self.state, self.layout)

    def sweep(self, times: int = SWEEPS) -> None:
        """Advance the chain and wait for it."""
        for _ in range(times):
            self.count += 1
            self.state, _ = self.step(jax.random.fold_in(self.key, self.count), self.state, self.layout)
        jax.block_until_ready(self.state)


def ours(corpus: jaxlda.Corpus, num_topics: int, kernel: str = "cgs") -> Chain:
    """A chain with the settings the peers get."""
    return Chain(jaxlda.kernels.KERNELS[kernel](), corpus.data(num_topics, alpha=0.1, beta=0.01))


def sweep(topics: list[int], corpora: list[str]) -> Table:
    """Exact sweeps beside tomotopy (one worker) and lda."""
    table = []
    for name in corpora:
        corpus = named(name)
        for K in topics:
            chain = ours(corpus, K)
            programs: dict[str, Callable] = {
                "jaxlda": chain.sweep,
                "tomotopy": peers.tomotopy(corpus, K, SWEEPS),
                "lda": peers.lda(corpus, K, 1),
            }
            seconds = by_turns(programs, rounds=5 if K < 500 else 3)
            ns = {
                program: value / corpus.num_tokens / (1 if program == "lda" else SWEEPS) * 1e9
                for program, value in seconds.items()
            }
            ratios = {f"/ {peer}": ns["jaxlda"] / ns[peer] for peer in ("tomotopy", "lda")}
            table.append({"corpus": name, "K": K} | ns | ratios)
    return table


def many(corpora: list[str]) -> Table:
    """Exact sweeps with many topics, beside tomotopy (one worker); without the first twenty, which cost more."""
    table = []
    for name in corpora:
        corpus = named(name)
        for K, kernels in ((1000, ("cgs", "sparse")), (5000, ("sparse",))):
            chains = {kernel: ours(corpus, K, kernel) for kernel in kernels}
            programs: dict[str, Callable] = {kernel: chain.sweep for kernel, chain in chains.items()}
            programs["tomotopy"] = peers.tomotopy(corpus, K, SWEEPS)
            for chain in chains.values():
                chain.sweep(20)
            ns = {program: t / corpus.num_tokens / SWEEPS * 1e9 for program, t in by_turns(programs, rounds=3).items()}
            columns = {kernel: ns.get(kernel, float("nan")) for kernel in ("cgs", "sparse", "tomotopy")}
            table.append({"corpus": name, "K": K} | columns | {"sparse / tomotopy": ns["sparse"] / ns["tomotopy"]})
    return table


def scaling(num_topics: int = 100) -> Table:
    """The same documents 1, 4 and 16 times: the cost of a token should not depend on how many there are."""
    corpora = {times: repeated(synthetic(500), times) for times in (1, 4, 16)}
    chains = {times: ours(corpus, num_topics) for times, corpus in corpora.items()}
    seconds = by_turns({str(times): chain.sweep for times, chain in chains.items()})
    ns = {times: seconds[str(times)] / corpora[times].num_tokens / SWEEPS * 1e9 for times in corpora}
    return [{"documents": corpora[t].num_docs, "K": num_topics, "jaxlda": ns[t], "/ 1x": ns[t] / ns[1]} for t in ns]


def chains(num_topics: int = 100) -> Table:
    """Several chains at once, in threads: throughput against one chain."""
    corpus = synthetic()

    def work(group: list[Chain]) -> None:
        threads = [threading.Thread(target=chain.sweep) for chain in group]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    counts = sorted({1, 2, os.cpu_count() or 2, 2 * (os.cpu_count() or 2)})
    seconds = by_turns({str(n): partial(work, [ours(corpus, num_topics) for _ in range(n)]) for n in counts})
    ns = {n: seconds[str(n)] / corpus.num_tokens / SWEEPS / n * 1e9 for n in counts}
    return [{"chains": n, "K": num_topics, "a token and chain": ns[n], "throughput": ns[1] / ns[n]} for n in counts]


def soften(topics: list[int], corpora: list[str]) -> Table:
    """Soft counts of documents and words against one exact sweep."""
    table = []
    for name in corpora:
        corpus = named(name)
        for K in topics:
            chain = ours(corpus, K)
            chain.sweep()
            seconds = by_turns(
                {"sweep": partial(chain.sweep, 1), "soften": partial(_softened, chain.readout(), chain.layout.data)}
            )
            ns = {what: value / corpus.num_tokens * 1e9 for what, value in seconds.items()}
            table.append({"corpus": name, "K": K} | ns | {"/ sweep": ns["soften"] / ns["sweep"]})
    return table


def _softened(sample: Sample, data: Data) -> None:
    jax.block_until_ready(estimators.soften(sample, data))


def cvb0(topics: list[int], corpora: list[str]) -> Table:
    """A CVB0 sweep per (document, word) pair against tomotopy's exact sweep per token."""
    table = []
    for name in corpora:
        corpus = named(name)
        for K in topics:
            chain = ours(corpus, K, "cvb0")
            seconds = by_turns({"cvb0": chain.sweep, "tomotopy": peers.tomotopy(corpus, K, SWEEPS)}, rounds=3)
            pair = seconds["cvb0"] / corpus.counts.nnz / SWEEPS * 1e9
            token = seconds["tomotopy"] / corpus.num_tokens / SWEEPS * 1e9
            table.append(
                {"corpus": name, "K": K, "cvb0 per pair": pair, "tomotopy per token": token, "ratio": pair / token}
            )
    return table


def memory(corpora: list[str], num_topics: int = 100) -> Table:
    """Peak memory of ``soften`` beyond what goes in and comes out, in megabytes, as the compiler plans it."""
    table = []
    for name in corpora:
        chain = ours(synthetic(4_500) if name == "synthetic" else named(name), num_topics)
        sample, data = chain.readout(), chain.layout.data
        size = jax.jit(estimators.soften).lower(sample, data).compile().memory_analysis().temp_size_in_bytes
        V, N = data.priors.beta.shape[-1], data.tokens.w.shape[0]
        table.append({"corpus": name, "N": N, "V": V, "K": num_topics, "temporary MB": size / 2**20})
    return table


def startup() -> Table:
    """Seconds of the import, and of the first fit on the bundled corpus, compilation included, in fresh processes."""
    programs = {
        "import jax": "import jax",
        "import jaxlda": "import jaxlda",
        "first fit": (
            "import jaxlda; "
            "jaxlda.LDA(num_topics=20, num_warmup=200, progress=False).fit(jaxlda.datasets.load('reuters'))"
        ),
    }
    seconds = by_turns(
        {name: partial(subprocess.run, [sys.executable, "-c", code], check=True) for name, code in programs.items()},
        rounds=3,
    )
    extra = seconds["import jaxlda"] - seconds["import jax"]
    return [seconds | {"jaxlda beyond jax": extra}]


def show(title: str, table: Table) -> None:
    """Print a table of figures."""
    print(f"\n{title}")
    print("  ".join(f"{name:>16}" for name in table[0]))
    for row in table:
        cells = (f"{value:16.2f}" if isinstance(value, float) else f"{value:>16}" for value in row.values())
        print("  ".join(cells), flush=True)


def main() -> None:
    """Run the chosen measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ["sweep", "many", "scaling", "chains", "soften", "cvb0", "memory", "startup"]
    parser.add_argument("what", nargs="*", help=f"any of {', '.join(names)}; all if none is named")
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 100, 500])
    parser.add_argument("--corpora", nargs="+", default=["synthetic", "reuters21578"])
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    unknown = set(options.what) - set(names)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    both = (options.topics, options.corpora)
    actions: dict[str, Callable[[], Table]] = {
        "sweep": lambda: sweep(*both),
        "many": lambda: many(options.corpora),
        "scaling": scaling,
        "chains": chains,
        "soften": lambda: soften(*both),
        "cvb0": lambda: cvb0([K for K in options.topics if K <= 100], options.corpora),
        "memory": lambda: memory(options.corpora),
        "startup": startup,
    }
    print(f"JAX {jax.__version__}, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    results = {}
    for name in options.what or names:
        results[name] = actions[name]()
        show(f"{name}: {(actions[name].__doc__ or globals()[name].__doc__).strip().splitlines()[0]}", results[name])
    print(f"\npeak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2, default=float)


if __name__ == "__main__":
    main()
