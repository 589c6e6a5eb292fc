"""Runs and samples that were not made here: shown like our own, and forgotten like our own."""

import gc
import weakref

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda_app import sources
from jaxlda_app.code import reproducing
from jaxlda_app.questions._chain import model_of
from jaxlda_app.store import Model, Snapshot
from tests.app.test_sources import GOOD

SWEEPS = {"num_warmup": 3, "num_samples": 2, "thinning": 2, "num_chains": 2}


def snapshot_of(source):
    model = source.model
    known = Model(type(model).__name__, model.get_params(deep=False))
    return Snapshot(known, model.run_, source.corpus, None, 1.0, 0.0, model.run_.best_chain, None, source.code)


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.simulate(30, 3, 20, 12, seed=1)[0]


def test_a_run_whose_key_came_from_split(corpus, tmp_path):
    """Its key belongs to no seed, which was once rebuilt from it, and refused."""
    key = jax.random.split(jax.random.key(1))[0]
    run = jaxlda.run(key, jaxlda.kernels.cgs(), corpus.data(3), **SWEEPS)
    jaxlda.running.store.save(run, tmp_path / "run.jaxlda")
    source = sources.read({"run.jaxlda": (tmp_path / "run.jaxlda").read_bytes()})
    assert not source.frozen
    snapshot = snapshot_of(source)
    np.testing.assert_array_equal(model_of(snapshot).phi_, jaxlda.LDA.from_run(run).phi_)
    assert source.model.resume(2).run_.num_draws == 3
    with pytest.raises(ValueError, match="not started from a seed"):
        reproducing(snapshot, "corpus = ...")


def test_the_sample_of_another_program_is_looked_at_like_our_own(tmp_path, monkeypatch):
    source = sources.modelled(sources.read(GOOD["state"]))
    snapshot = snapshot_of(source)
    model = model_of(snapshot)
    assert model.top_words(2) == source.model.top_words(2) and source.frozen
    code = reproducing(snapshot, source.code)
    for name, content in GOOD["state"].items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    names = {"print": lambda *values: None}
    exec(compile(code, "reproducing", "exec"), names)
    np.testing.assert_array_equal(names["model"].phi_, model.phi_)


def test_an_upload_is_forgotten():
    """The sample was once part of an algorithm, which the compiled programs of a run remember."""
    source = sources.modelled(sources.read(GOOD["state"]))
    remembered = [weakref.ref(source.corpus), weakref.ref(source.model.run_.chain(0).z), weakref.ref(source.model)]
    del source
    gc.collect()
    assert [reference() for reference in remembered] == [None] * 3


def test_topics_alone_are_not_shown(tmp_path):
    path = tmp_path / "t.jaxlda"
    jaxlda.LDA.from_topics([[0.5, 0.5]], ["a", "b"]).save(path, only="topics")
    with pytest.raises(ValueError, match=r"t\.jaxlda has topics only"):
        sources.read({"t.jaxlda": path.read_bytes()})


def test_the_best_chain_is_that_of_the_model(corpus):
    """By variational Bayes, too, whose chains are compared by their bound."""
    model = jaxlda.LDA(3, kernel="vb", progress=False, trace_every=1, **SWEEPS).fit(corpus)
    assert model.best_chain_ == model.run_.best_chain == snapshot_of(sources.Input("x", corpus, model)).best_chain
    bounds = model.run_.objective[:, -1]
    assert bounds[0] != bounds[1] and model.best_chain_ == int(np.argmax(bounds))
