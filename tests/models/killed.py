"""A fit with checkpoints that is killed again and again: ``python -m tests.models.killed FOLDER KILLS SEED``.

Every life is a fork of this process, which has imported everything but started nothing of JAX, and finds its programs
in a cache: it costs a second, a new process several. Prints a line of JSON for each life: what its checkpoint holds.
"""

import hashlib
import json
import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path

import jax
import numpy as np

import jaxlda
from jaxlda.models import _checkpoint
from jaxlda.running import archive, driver

SETTINGS = {
    "num_topics": 6,
    "alpha": 0.3,
    "num_warmup": 50,
    "num_samples": 5000,
    "thinning": 2,
    "num_chains": 2,
    "trace_every": 0,
    "progress": False,
}


def corpus():
    return jaxlda.datasets.load("bars", num_docs=20, size=3, doc_length=20, alpha=0.3)


def digest(arrays):
    """Of all that goes on: states, sums and traces."""
    total = hashlib.sha256()
    for name in sorted(name for name in arrays if not name.startswith(("data", "params", "found"))):
        total.update(name.encode() + np.asarray(arrays[name]).tobytes())
    return total.hexdigest()


def live(path):
    """Fit, with a checkpoint as often as possible, on a slow disk: most moments are in the middle of writing one."""
    driver._BLOCK_SECONDS = 0.01
    _checkpoint.SHARE = 1
    add = archive._add

    def slowly(*args):
        time.sleep(0.002)
        add(*args)

    archive._add = slowly
    jaxlda.LDA(**SETTINGS, checkpoint=path, checkpoint_every=0).fit(corpus())


def identity(path):
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


def killed(path, delay):
    """Start a life and end it some time after its first checkpoint; whether it was killed before its end."""
    before = identity(path)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            live(path)
            code = 0
        finally:
            os._exit(code)
    while identity(path) == before and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.001)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(folder, kills, seed):
    path, moments = Path(folder) / "run.jaxlda", random.Random(seed)
    for name, value in {
        "jax_compilation_cache_dir": str(Path(folder) / "cache"),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }.items():
        jax.config.update(name, value)
    warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)  # harmless before anything of JAX is started
    for _ in range(kills):
        was_killed = killed(path, moments.uniform(0, 0.2))
        header, arrays, _ = archive.read(path)
        halfway = path.with_name(f".{path.name}.tmp").exists()
        line = {"sweep": header["run"]["sweep"], "digest": digest(arrays), "killed": was_killed, "halfway": halfway}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
