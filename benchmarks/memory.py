"""Peak memory of a fit, each program in a process of its own.

    python -m benchmarks.memory                                        # 10 million tokens, cgs beside tomotopy
    python -m benchmarks.memory --tokens 1e8 --sweeps 3 --limit 8 --programs cgs

Words are drawn by Zipf's law, and topics play no role: memory does not depend on them. With ``--limit`` a program that
takes more gigabytes than that ends with an error.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.speed import Table, show

__all__ = ["beside"]

PROGRAMS = ("cgs", "tomotopy")
WORDS, LENGTH, PART = 50_000, 150, 10_000  # V, tokens of a document, documents drawn at once


def _counts(tokens: int) -> sparse.csr_matrix:
    """A table of counts (D, V), drawn in parts."""
    rng, parts = np.random.default_rng(0), []
    frequency = 1 / np.arange(1, WORDS + 1)
    cumulative = np.cumsum(frequency / frequency.sum())
    for start in range(0, tokens // LENGTH, PART):
        docs = min(PART, tokens // LENGTH - start)
        words = np.searchsorted(cumulative, rng.random(docs * LENGTH, np.float32)).clip(max=WORDS - 1)
        rows = np.repeat(np.arange(docs, dtype=np.int32), LENGTH)
        part = sparse.csr_matrix((np.ones(len(words), np.int32), (rows, words.astype(np.int32))), (docs, WORDS))
        parts.append(part)
    return sparse.vstack(parts, format="csr", dtype=np.int32)


def _gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def fitted(program: str, tokens: int, num_topics: int, sweeps: int) -> dict[str, Any]:
    """Fit, and say how much memory this process took at most, and how much the documents alone."""
    import jaxlda
    from benchmarks import peers

    corpus = jaxlda.Corpus.from_counts(_counts(tokens))
    documents, began = _gigabytes(), time.perf_counter()
    if program == "tomotopy":
        peers.tomotopy(corpus, num_topics, sweeps)()
    else:
        data = corpus.data(num_topics, alpha=0.1, beta=0.01)
        jaxlda.run(0, program, data, num_warmup=sweeps - 1, thinning=1, trace_every=0, soft=False)
    return {"documents (GB)": documents, "peak (GB)": _gigabytes(), "seconds": time.perf_counter() - began}


def beside(tokens: int, num_topics: int, sweeps: int, programs: tuple[str, ...] = PROGRAMS) -> Table:
    """Every program in a fresh process."""
    from benchmarks import peers

    table = []
    for program in programs:
        if program == "tomotopy" and not peers.installed("tomotopy"):
            continue
        one = json.dumps([program, tokens, num_topics, sweeps])
        command = [sys.executable, "-m", "benchmarks.memory", "--one", one]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")
        found = json.loads(done.stdout.splitlines()[-1])
        table.append({"program": program, "tokens": tokens, "K": num_topics, "sweeps": sweeps, **found})
    return table


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=float, default=1e7)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), help="kernels, or tomotopy")
    parser.add_argument("--limit", type=float, help="gigabytes")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(fitted(*json.loads(options.one))))
        return
    table = beside(int(options.tokens), options.topics, options.sweeps, tuple(options.programs))
    show("peak memory", table)
    peaks = {row["program"]: row["peak (GB)"] for row in table}
    if "cgs" in peaks and "tomotopy" in peaks:
        print(f"cgs / tomotopy: {peaks['cgs'] / peaks['tomotopy']:.2f}")
    if options.limit and max(peaks.values()) > options.limit:
        sys.exit(f"more than {options.limit} GB: {peaks}")


if __name__ == "__main__":
    main()
