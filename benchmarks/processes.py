"""Peak memory per process, of one process and of several that share the documents.

    python -m benchmarks.processes --tokens 20000000 --topics 20 --processes 1 2

Every process makes the same simulated documents, and lays out its share of them; memory is the most that it had
resident at any time, with Python and JAX. It is told beside what it was before the run began.
"""

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import time

import jax
import numpy as np

import jaxlda

CHILD = "JAXLDA_BENCHMARK"


def simulated(num_tokens: int, num_topics: int, num_words: int = 20_000, doc_length: int = 100) -> jaxlda.types.Data:
    """Documents whose words follow Zipf's law; memory does not depend on topics that might be in them."""
    random = np.random.default_rng(0)
    D = num_tokens // doc_length
    rank = random.random(D * doc_length, dtype=np.float32)
    w = np.minimum(np.exp(rank * np.log(num_words)) - 1, num_words - 1).astype(np.int32)
    d = np.repeat(np.arange(D, dtype=np.int32), doc_length)
    tokens = jaxlda.types.Tokens(w, d, np.ones_like(w), np.full(D, doc_length, np.int32))
    priors = jaxlda.types.Priors(np.full(num_topics, 0.1, np.float32), np.full(num_words, 0.01, np.float32))
    return jax.tree.map(jax.numpy.asarray, jaxlda.types.Data(tokens, priors))  # as ``Corpus.data`` gives them


def peak() -> float:
    """The most memory that this process has had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(options: argparse.Namespace, number: int, process: int, address: str) -> None:
    """One of the processes."""
    if number > 1:
        jax.distributed.initialize(address, number, process, heartbeat_timeout_seconds=60)
    data = simulated(options.tokens, options.topics)
    before, began = peak(), time.perf_counter()
    run = jaxlda.run(0, "pcgs", data, num_warmup=options.sweeps - 1, num_samples=1, thinning=1, trace_every=2)
    told = {"process": process, "before": before, "peak": peak(), "seconds": time.perf_counter() - began}
    print(json.dumps(told | {"log_joint": float(np.nanmax(run.trace["log_joint"]))}))


def measured(options: argparse.Namespace, number: int) -> list[dict]:
    """What each of so many processes says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.processes", *sys.argv[1:]],
            env=os.environ | {CHILD: f"{number} {process} {address}"},
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
        print(f"{number} process(es): peak MB {told}; / one {most / first:.2f}; {rows[0]['seconds']:.0f} s")


if __name__ == "__main__":
    main()
