"""A process that owns a file until it is ended: ``python -m tests.models.owners checkpoint|choose_k|reproduce PATH``.

It says a line when it owns it. With the toy algorithm nothing is compiled.
"""

import sys
import time

import jaxlda
from jaxlda.experiments import _parts
from jaxlda.kernels import KERNELS
from jaxlda.running import results
from tests.models.storing import CORPUS, quick
from tests.models.toy import toy


def wait(*args):
    """Say that the file is owned, and keep it."""
    print("owned", flush=True)
    time.sleep(600)


def checkpoint(path, hold=None):
    quick(checkpoint=path, num_samples=3).fit(CORPUS, on_block=hold)


def choose_k(path, hold=None):
    alpha = 0.1 if hold is None else lambda K: hold() if held(path) else 0.1
    jaxlda.choose_k(CORPUS, [2], path=path, alpha=alpha, kernel="toy", num_warmup=1, num_chains=1, progress=False)


def reproduce(path, hold=None):
    with _parts.Parts(path, "squares", {}, total=1, progress=False) as parts:
        parts.get("one", hold or (lambda: 1))


def held(path):
    return path.with_name(f".{path.name}.lock").exists()


def sigterm(path):
    """Sample for long, with a checkpoint only at the end; a line after the first block."""
    seen = []

    def say(run: results.Run):
        if run.sweep and not seen:
            seen.append(print("owned", flush=True))

    quick(checkpoint=path, num_samples=1_000_000, checkpoint_every=600).fit(CORPUS, on_block=say)


if __name__ == "__main__":
    from pathlib import Path

    KERNELS["toy"] = toy
    kind, path = sys.argv[1], Path(sys.argv[2])
    if kind == "sigterm":
        sigterm(path)
    else:
        globals()[kind](path, wait)
