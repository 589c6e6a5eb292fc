"""Compiled programs: few of them, and kept between processes."""

import json
import os
import subprocess
import sys

import pytest

from jaxlda import startup

PROGRAM = """
import json, logging, sys
import jax
jax.config.update("jax_log_compiles", True)
names, hits = [], []

class Listener(logging.Handler):
    def emit(self, record):
        message = record.getMessage()
        if message.startswith("Finished XLA compilation"):
            names.append(message.split()[4])

for name in ("jax._src.dispatch", "jax._src.interpreters.pxla", "jax._src.compiler"):
    logging.getLogger(name).addHandler(Listener())
    logging.getLogger(name).propagate = False
jax.monitoring.register_event_listener(lambda event, **_: hits.append(1) if event.endswith("/cache_hits") else None)

import jaxlda
corpus = jaxlda.datasets.load("bars").subset(range(20))
settings = {"num_warmup": 25, "num_samples": 3, "num_chains": 2, "progress": False}
model = jaxlda.LDA(num_topics=5, **settings).fit(corpus)
first = sorted(set(names))
jaxlda.LDA(num_topics=5, **settings).fit(corpus)
folder = jax.config.values["jax_compilation_cache_dir"]
said = {"compiled": len(names), "names": first, "hits": len(hits), "folder": folder, "phi": model.phi_.tolist()}
print(json.dumps(said))
"""


def started(cache, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "JAXLDA_CACHE"))}
    environment |= {"JAXLDA_CACHE": str(cache), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0", **variables}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    return folder, started(folder)


def test_a_fit_compiles_few_programs(first):
    """The second fit, of the same shapes, none at all."""
    assert first[1]["compiled"] <= 12, first[1]["names"]


def test_another_process_finds_them(first):
    folder, before = first
    assert before["folder"].startswith(str(folder))
    after = started(folder)
    assert before["hits"] == 0 and after["hits"] >= 8
    assert after["phi"] == before["phi"]


@pytest.mark.hours
def test_the_cache_can_be_turned_off_or_be_jaxs_own(tmp_path):
    assert started("0")["folder"] is None
    assert started(tmp_path, JAX_COMPILATION_CACHE_DIR=str(tmp_path / "own"))["folder"] == str(tmp_path / "own")


def test_processors_do_not_share_programs(monkeypatch):
    """On a disk that several machines share."""
    monkeypatch.setenv("JAXLDA_CACHE", "here")
    mine = startup.cache_folder()
    monkeypatch.setattr(startup.platform, "machine", lambda: "another")
    assert mine != startup.cache_folder() and mine.parent == startup.cache_folder().parent
