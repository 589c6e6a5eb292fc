"""Runs as values: copied and pickled, they are the same chains and go on alike."""

import copy
import pickle

import pytest

import jaxlda
from tests.models.storing import CORPUS, assert_same_run
from tests.tiers import mostly_slow

SETTINGS = {"num_warmup": 4, "thinning": 2, "num_chains": 2, "keep": ("z",)}


@pytest.mark.parametrize("chain_method", mostly_slow(["parallel", "vectorized"], "parallel"))
def test_copies_go_on_alike(chain_method):
    data, settings = CORPUS.data(num_topics=6), SETTINGS | {"chain_method": chain_method}
    run = jaxlda.run(0, "cgs", data, **settings)
    longer = jaxlda.run(0, "cgs", data, **settings, num_samples=2, start=run)
    assert run.sample is run.sample  # what was computed on the way does not matter
    for same in (copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert_same_run(same, run)
        assert_same_run(jaxlda.run(0, "cgs", data, **settings, num_samples=2, start=same), longer)


def test_runs_of_other_programs_too():
    data = CORPUS.data(num_topics=6)
    sample = jaxlda.run(0, "cgs", data, num_warmup=1).chain(0)
    run = jaxlda.Run.from_samples(data, [sample])
    assert_same_run(pickle.loads(pickle.dumps(run)), run)
