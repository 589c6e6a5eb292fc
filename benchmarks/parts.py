"""The parts of the benchmarks, each a function that gives a table: jaxlda beside other programs, in one run.

    python -m benchmarks.parts cost quality              # these parts, full size
    python -m benchmarks.parts cost --quick --json x.json

``python -m benchmarks`` runs all of them, with AVX-512 and with AVX2, and makes the page.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

import jaxlda
from benchmarks import blocks, memory, peers
from benchmarks.corpora import repeated, synthetic
from benchmarks.speed import SWEEPS, Table, ours, show
from benchmarks.timing import by_turns, once
from jaxlda import estimators, evaluation

__all__ = ["PARTS"]

CORES = min(os.cpu_count() or 1, 2)


def workers_of(n: int) -> str:
    """So many workers, in words."""
    return "1 worker" if n == 1 else f"{n} workers"


def _corpus(quick: bool) -> jaxlda.Corpus:
    return synthetic(300 if quick else 2_000)


def cost(quick: bool) -> Table:
    """(a) Nanoseconds per token and sweep (or pass), one core unless said otherwise."""
    corpus, table = _corpus(quick), []
    for K in (20, 100) if quick else (20, 100, 500, 1000, 5000):
        kernels = ["cgs"] * (K <= 1000) + ["sparse", "warp"] + ["pcgs", "light"] * (K <= 1000)
        actions: dict[str, tuple[Callable, int]] = {k: (ours(corpus, K, k).sweep, SWEEPS) for k in kernels}
        if peers.installed("tomotopy"):
            for n in (1, CORES):
                actions[f"tomotopy, {workers_of(n)}"] = peers.tomotopy(corpus, K, SWEEPS, workers=n), SWEEPS
        if K <= 500 and peers.installed("lda"):
            actions["lda"] = peers.lda(corpus, K, 1), 1
        if K <= 100 and peers.installed("gensim"):
            actions["gensim LdaMulticore"] = peers.gensim(corpus, K, CORES), 1
        if K <= 100 and peers.installed("sklearn"):
            for method in ("batch", "online"):
                actions[f"scikit-learn, {method}"] = peers.sklearn(corpus, K, method), 1
        seconds = by_turns({name: action for name, (action, _) in actions.items()}, rounds=1 if quick else 4)
        for name, (_, sweeps) in actions.items():
            table.append({"program": name, "K": K, "ns": seconds[name] / corpus.num_tokens / sweeps * 1e9})
    return table


def _perplexity(phi: Any, halves: tuple[jaxlda.Corpus, jaxlda.Corpus]) -> float:
    return evaluation.document_completion(phi, 0.1, *halves, num_samples=5, num_chains=1).best.perplexity


def seen_in_training(train: jaxlda.Corpus, test: jaxlda.Corpus) -> tuple[jaxlda.Corpus, jaxlda.Corpus]:
    """Both without the words that training documents do not have.

    Programs differ in what they know of such words: tomotopy nothing, jaxlda their prior. Scored, they would decide.
    """
    seen = np.flatnonzero(np.asarray(train.counts.sum(axis=0)).ravel())
    first, second = (jaxlda.Corpus.from_counts(one.counts[:, seen]) for one in (train, test))
    return first, second


def quality(quick: bool) -> Table:
    """(b) Seconds to the held-out perplexity that tomotopy reaches after 200 sweeps, on as many cores; ours by φᵖ."""
    if not peers.installed("tomotopy"):
        return []
    train, test = seen_in_training(*_corpus(quick).split(0.2, seed=0))
    halves, sweeps, table = test.halves(seed=0), 40 if quick else 200, []
    for K in (20,) if quick else (100, 1000):
        model = peers.tomotopy_model(train, K, workers=CORES)
        spent = once(partial(peers.train, model, sweeps, CORES))
        goal = _perplexity(peers.topics_of_tomotopy(model, train.num_words), halves)
        table.append({"program": f"tomotopy, {workers_of(CORES)}", "K": K, "perplexity": goal, "seconds": spent})
        for kernel in (f"blocks(workers={CORES})", "sparse", "warp"):
            for compiled in ("compile included", "compile excluded"):
                found = _until(goal, kernel, train.data(K), halves, 10, 4 * sweeps)
                table.append({"program": f"{kernel}, {compiled}", "K": K, **found})
    return table


def _until(goal: float, kernel: str, data: Any, halves: tuple, block: int, most: int) -> dict[str, Any]:
    """Sample until the perplexity is reached by phi_p, as models give it: computed once, and timed; judging is not.

    Twice in a process, the second is compiled.
    """
    spent, once_at_the_end, perplexity, began = 0.0, 0.0, float("inf"), time.perf_counter()
    options = {"num_warmup": most - 1, "thinning": 1, "trace_every": 0, "soft": False, "block": block}
    for run in jaxlda.run_blocks(0, kernel, data, **options):
        sample = jax.block_until_ready(run.chain(0))
        spent += time.perf_counter() - began
        if run.sweep:
            began = time.perf_counter()
            phi = jax.block_until_ready(estimators.phi_p(sample, data))
            once_at_the_end = once_at_the_end or time.perf_counter() - began  # of the first call: it may compile
            perplexity = _perplexity(phi, halves)
        if perplexity <= goal:
            break
        began = time.perf_counter()
    reached = perplexity <= goal
    return {"perplexity": perplexity, "seconds": spent + once_at_the_end if reached else float("nan")}


def cores(quick: bool) -> Table:
    """(c) One chain on one core and on two: nanoseconds per token and sweep."""
    topics = [20] if quick else [100, 500]
    return blocks.speed(_corpus(quick), topics, CORES, rounds=3 if quick else 20)


def chains(quick: bool) -> Table:
    """(d) Four chains with a verdict on convergence, against four runs of tomotopy."""
    corpus, K, sweeps = _corpus(quick), 20 if quick else 100, 20 if quick else 200

    def fitted() -> None:
        options = {"num_warmup": sweeps - 20, "num_samples": 4, "num_chains": 4, "progress": False}
        jaxlda.LDA(K, **options).fit(corpus).diagnostics()

    table = [{"program": "jaxlda, first time", "K": K, "seconds": once(fitted)}]
    table += [{"program": "jaxlda, compiled", "K": K, "seconds": once(fitted)}]
    if peers.installed("tomotopy"):
        four = [peers.tomotopy(corpus, K, sweeps, workers=CORES) for _ in range(4)]
        seconds = sum(once(work) for work in four)
        table.append({"program": f"tomotopy four times, {workers_of(CORES)}", "K": K, "seconds": seconds})
    return table


def peak(quick: bool) -> Table:
    """(e) Peak memory of a process, in GB."""
    return memory.beside(200_000 if quick else 10_000_000, 20 if quick else 100, sweeps=2)


def new_documents(quick: bool) -> Table:
    """(f) New documents per second, with topics that are known."""
    corpus, K = _corpus(quick), 20 if quick else 100
    train, test = corpus.split(0.5, seed=0)
    model = jaxlda.LDA(K, num_warmup=10, num_samples=1, num_chains=1, progress=False).fit(train)
    actions: dict[str, Callable] = {
        "jaxlda, 5 chains x 30 draws": partial(model.transform, test),
        "jaxlda, 1 chain x 1 draw": partial(model.transform, test, num_chains=1, num_samples=1),
    }
    if peers.installed("tomotopy"):
        other = peers.tomotopy_model(train, K)
        peers.train(other, 10, CORES)
        known = set(other.used_vocabs)
        texts = [[str(w) for w in words if str(w) in known] for words in peers.words_of(test)]
        docs = [other.make_doc(words) for words in texts if words]
        actions["tomotopy, 100 sweeps"] = partial(other.infer, docs, workers=CORES)
    if peers.installed("gensim"):
        lda = peers.lda_of_gensim(train, K, CORES)
        bags = peers._bags(test)
        actions["gensim"] = lambda: lda.inference(bags)
    if peers.installed("sklearn"):
        from sklearn.decomposition import LatentDirichletAllocation

        fitted = LatentDirichletAllocation(K, max_iter=2, random_state=0).fit(train.counts)
        actions["scikit-learn"] = partial(fitted.transform, test.counts)
    seconds = by_turns(actions, rounds=1 if quick else 3)
    return [{"program": name, "K": K, "documents per second": test.num_docs / s} for name, s in seconds.items()]


def growth(quick: bool) -> Table:
    """(g) Nanoseconds per token and sweep as N, V and K grow, one core."""
    base = synthetic(250)
    cases = [("N", f"{t} x", repeated(base, t), 100) for t in ((1, 4) if quick else (1, 4, 16, 64))]
    cases += [("V", str(v), synthetic(500, v), 100) for v in ((1000, 5000) if quick else (1000, 10_000, 100_000))]
    cases += [("K", str(K), base, K) for K in ((20, 100) if quick else (20, 100, 500, 1000, 2000))]
    table = []
    for grows, size, corpus, K in cases:
        kernels = ("cgs", "warp") if grows != "K" else ("cgs", "sparse", "warp")
        seconds = by_turns({k: ours(corpus, K, k).sweep for k in kernels}, rounds=2 if quick else 5)
        ns = {kernel: s / corpus.num_tokens / SWEEPS * 1e9 for kernel, s in seconds.items()}
        table += [{"grows": grows, "size": size, "kernel": kernel, "ns": value} for kernel, value in ns.items()]
    return table


PARTS: dict[str, Callable[[bool], Table]] = {
    "cost": cost,
    "quality": quality,
    "cores": cores,
    "chains": chains,
    "memory": peak,
    "new documents": new_documents,
    "growth": growth,
}


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all if none is named")
    parser.add_argument("--quick", action="store_true", help="small sizes: whether it works, not how fast it is")
    parser.add_argument("--json", type=Path, help="add the tables to this file")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        table = PARTS[name](options.quick)
        if table:
            show((PARTS[name].__doc__ or "").strip(), table)
        if options.json:
            before = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {}
            options.json.write_text(json.dumps(before | {name: table}, indent=1, default=_plain), encoding="utf-8")


def _plain(x: Any) -> Any:
    return x.item() if isinstance(x, np.generic) else str(x)


if __name__ == "__main__":
    main()
