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
            if spent >= SECONDS:  # the file, or the collector of garbage? A file takes as long again
                start = time.process_time()
                used(path)
                spent = time.process_time() - start
            assert spent < SECONDS, (kind, i, what, spent)
            assert taken < MEGABYTES << 10, (kind, i, what, taken)
    return good


NUMBERS = (np.float64, np.float32, np.float16, np.int64, np.int32, np.int8, np.uint32, np.uint64, bool)


@pytest.mark.parametrize("kind", ["model", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("run", "sample"))])
def test_numbers_of_another_type_are_refused(kind, tmp_path, hurried):
    """Programs would be compiled for them, and draws of two types could not be saved again."""
    path = tmp_path / "a.jaxlda"
    KINDS[kind](path)
    header, arrays, _ = archive.read(path)
    of_run = [name for name in arrays if name.startswith(("data.", "chain", "kept.", "trace.", "key"))]
    assert len(of_run) > 8
    for name in of_run:
        for other in {np.dtype(number) for number in NUMBERS} - {arrays[name].dtype}:
            archive.write(path, header, arrays | {name: np.nan_to_num(arrays[name]).astype(other)})
            with pytest.raises(ValueError, match=r"a\.jaxlda' cannot be loaded"):
                jaxlda.load(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("inner.inner.n_dj.0", 5),
        ("inner.inner.n_vk", 5),
        ("inner.inner.n_k", -1),
        ("inner.alpha", 1e30),
        ("inner.alpha", np.float32(1e-40)),
    ],
)
def test_what_is_in_the_room_of_a_state_is_refused(name, number, tmp_path, hurried):
    """Topics that are not there would take tokens, and what comes of it could not be loaded."""
    path = tmp_path / "a.jaxlda"
    kernel = "learn_beta(learn_alpha(cgs, every=1, start=1), every=1, start=1)"
    store.save(jaxlda.run(0, kernel, CORPUS.data(2), **SHORT), path)
    header, arrays, _ = archive.read(path)
    state = arrays[f"chain1.state.{name}"]
    for at in (2, -1):
        forged = state.copy()
        forged[..., at] = number
        archive.write(path, header, arrays | {f"chain1.state.{name}": forged})
        with pytest.raises(ValueError, match="cannot be loaded: chain 1 has"):
            jaxlda.load(path)


@pytest.mark.slow
@pytest.mark.parametrize("learned", [1e-40, 1e13, -1.0])
def test_learned_priors_are_as_good_as_given_ones(learned, tmp_path, hurried):
    path = tmp_path / "a.jaxlda"
    store.save(jaxlda.run(0, "learn_beta(cgs, every=1, start=1)", CORPUS.data(2), **SHORT), path)
    header, arrays, _ = archive.read(path)
    archive.write(path, header, arrays | {"chain0.state.beta": np.float32(learned)})
    with pytest.raises(ValueError, match="chain 0 has learned a prior that none can be: beta must be"):
        jaxlda.load(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_files(kind, tmp_path, hurried):
    """In all: two thousand of each kind, one in ten of them sealed."""
    good = attacked(kind, 2000, tmp_path, sealed=0.1)
    assert 0 < good < 200  # changes that make no difference, or none that can be told: parameters, other numbers


@pytest.mark.fuzz
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_files(kind, tmp_path, hurried):
    attacked(kind, int(os.environ.get("JAXLDA_FUZZ", "100000")) // len(KINDS), tmp_path, sealed=0.2)


def test_some_files(tmp_path, hurried):
    """The same in short, without compiling."""
    attacked("model", 150, tmp_path, sealed=0.3)
