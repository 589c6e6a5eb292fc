"""Damaged and forged files: refused in our own words, within a second and 256 MB; whatever is loaded can be used."""

import os
import random
import sys
import time
import warnings

import numpy as np
import pytest

import jaxlda
from jaxlda import Corpus
from jaxlda.running import archive, store
from tests.corpora.readers.fuzzing import MEGABYTES, SECONDS, forget_peak, memory, mutated
from tests.models.forging import forged, repacked
from tests.models.storing import quick

pytestmark = [
    pytest.mark.usefixtures("named"),
    pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's"),
]
CORPUS = Corpus.from_counts([[2, 1, 0], [0, 1, 2]], ["cat", "dog", "emu"], titles=["a", "b"], labels=[["x"], ["y"]])
SMALL = {"num_topics": 2, "num_warmup": 1, "num_samples": 2, "thinning": 1, "num_chains": 2, "keep": ("n_k", "phi")}
SHORT = {name: value for name, value in SMALL.items() if name not in ("num_topics", "keep")}


def model(**options):
    return quick(**(SMALL | options)).fit(CORPUS)


def write_model(path):
    model().save(path)


def write_labels(path):
    options = {"kernel": "toy", "progress": False, "trace_every": 0}
    jaxlda.PriorLDA(**SHORT, **options).fit(CORPUS).save(path)


def write_run(path):
    """Of real chains, with assignments; those of the first test here are compiled."""
    data = CORPUS.data(2)
    store.save(jaxlda.run(0, "cgs", data, **SHORT, keep=("z", "n_dk"), trace_every=1), path)


def write_sample(path):
    data = CORPUS.data(2)
    samples = [jaxlda.run(seed, "cgs", data, num_warmup=1).chain(0) for seed in (0, 1)]
    jaxlda.Run.from_samples(data, samples).save(path)


def write_topics(path):
    model().save(path, only="topics")


KINDS = {"model": write_model, "labels": write_labels, "run": write_run, "sample": write_sample, "topics": write_topics}


@pytest.fixture
def hurried(monkeypatch):
    """Files need not survive a power failure here."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def used(path):
    """Load a file and do with it what people do; whether it could be loaded."""
    try:
        loaded = jaxlda.load(path)
    except ValueError as error:
        assert type(error) is ValueError and path.name in str(error), error
        return False
    run = getattr(loaded, "run_", loaded)
    if isinstance(loaded, jaxlda.Run):
        assert np.isfinite(np.asarray(loaded.counts(chain=0).n_dk)).all()
    else:
        assert np.isfinite(loaded.phi_).all() and len(loaded.top_words(2)[0]) == 2
    if isinstance(run, jaxlda.Run) and run.algorithm is not None and run.schedule.total - run.sweep < 50:
        resumed(loaded, run)
    return True


def resumed(loaded, run):
    if loaded is run:
        longer = run.schedule._replace(num_samples=run.schedule.num_samples + 1)
        settings = {**longer._asdict(), "num_chains": run.num_chains, "keep": tuple(run.kept), "soft": run.soft}
        if longer.total - run.sweep < 50:
            jaxlda.run(run.key, run.algorithm, run.data, **settings, start=run)
        return
    try:
        loaded.set_params(checkpoint=None, progress=False).resume(1)
    except ValueError as error:  # of settings that are not those of the chains, which is told
        assert "the parameters have changed since the chains were started" in str(error), error
    else:
        assert np.isfinite(loaded.phi_).all()


def attacked(kind, times, tmp_path, sealed):
    """Try so many files; a share of them sealed. Give how many could be loaded."""
    path, rng = tmp_path / "a.jaxlda", random.Random(f"{kind} {times}")
    KINDS[kind](path)
    content, whole = path.read_bytes(), archive.read(path)
    used(path)  # compiles what is needed
    good = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(times):
            what = "bytes"
            if rng.random() < sealed:
                what = forged(whole, rng, path)
            elif rng.random() < 0.1:
                repacked(content, rng, path)
            else:
                path.write_bytes(mutated(content, rng))
            forget_peak()
            before, start = memory("VmRSS"), time.process_time()
            try:
                good += used(path)
            except Exception as error:
                raise AssertionError(f"{kind}, attempt {i} ({what}): {error!r}") from error
            spent, taken = time.process_time() - start, memory("VmHWM") - before
            assert spent < SECONDS, (kind, i, what, spent)
            assert taken < MEGABYTES << 10, (kind, i, what, taken)
    return good


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_files(kind, tmp_path, hurried):
    """In all: two thousand of each kind, one in ten of them sealed."""
    good = attacked(kind, 2000, tmp_path, sealed=0.1)
    assert 0 < good < 200  # changes that make no difference, or none that can be told: parameters, other numbers


@pytest.mark.fuzz
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_files(kind, tmp_path, hurried):
    attacked(kind, int(os.environ.get("JAXLDA_FUZZ", "100000")) // len(KINDS), tmp_path, sealed=0.2)


def test_some_files(tmp_path, hurried):
    """The same in short, without compiling."""
    attacked("model", 150, tmp_path, sealed=0.3)
