"""Peak memory per process of a fit, of one process and of several that share the documents.

    python -m benchmarks.processes --tokens 20000000 --topics 20 --processes 1 2

Every process makes the same simulated corpus, and lays out its share of it; memory is the most that it had resident at
any time, with Python and JAX, the corpus, and the results. It is told beside what it was before the fit began, and with
a checksum of z, which is the same for any number of processes.
"""

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import time
import zlib

import jax
import numpy as np
from scipy import sparse

import jaxlda

CHILD = "JAXLDA_BENCHMARK"


def simulated(num_tokens: int, num_words: int = 20_000, doc_length: int = 100, part: int = 20_000) -> jaxlda.Corpus:
    """Documents whose words follow Zipf's law, drawn in parts; memory does not depend on topics that might be there."""
    random, parts = np.random.default_rng(0), []
    for start in range(0, num_tokens // doc_length, part):
        D = min(part, num_tokens // doc_length - start)
        rank = random.random(D * doc_length, dtype=np.float32)
        w = np.minimum(np.exp(rank * np.log(num_words)) - 1, num_words - 1).astype(np.int32)
        entries = np.ones_like(w), (np.repeat(np.arange(D, dtype=np.int32), doc_length), w)
        parts.append(sparse.csr_array(entries, (D, num_words)))
    return jaxlda.Corpus.from_counts(sparse.vstack(parts, format="csr"))


def peak() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(options: argparse.Namespace, number: int, process: int, address: str) -> None:
    """One of the processes."""
    if number > 1:
        jax.distributed.initialize(address, number, process, heartbeat_timeout_seconds=60)
    corpus = simulated(options.tokens)
    before, began = peak(), time.perf_counter()
    settings = {"num_warmup": options.sweeps - 1, "num_samples": 1, "thinning": 1, "num_chains": 1, "trace_every": 2}
    model = jaxlda.LDA(options.topics, kernel="pcgs", seed=0, progress=False, **settings).fit(corpus)
    assert model.phi_.shape[0] == model.theta_.shape[1] == options.topics
    told = {"process": process, "before": before, "peak": peak(), "seconds": time.perf_counter() - began}
    print(json.dumps(told | {"z": zlib.crc32(np.asarray(model.run_.chain(0).z))}))


def measured(options: argparse.Namespace, number: int) -> list[dict]:
    """What each of so many processes says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.processes", *sys.argv[1:]],
            env=os.environ | {CHILD: f"{number} {process} {address}", "JAXLDA_CACHE": "off"},  # all compile alike
            stdout=subprocess.PIPE,
            text=True,
        )
        for process in range(number)
    ]
    return [json.loads(process.communicate()[0].splitlines()[-1]) for process in processes]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=20_000_000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    if CHILD in os.environ:
        number, process, address = os.environ[CHILD].split()
        return child(options, int(number), int(process), address)
    first = 0.0
    for number in options.processes:
        rows = measured(options, number)
        most = max(row["peak"] for row in rows)
        first = first or most
        told = ", ".join(f"{row['peak']:.0f} (before the run {row['before']:.0f})" for row in rows)
        print(
            f"{number} process(es): peak MB {told}; / one {most / first:.2f}; "
            f"{rows[0]['seconds']:.0f} s; z {sorted({row['z'] for row in rows})}"
        )


if __name__ == "__main__":
    main()
