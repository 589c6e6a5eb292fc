"""Runs as values: copied and pickled, they are the same chains and go on alike."""

import copy
import pickle

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.types import Sample
from tests.models.storing import CORPUS, assert_same_run
from tests.tiers import on_demand

SETTINGS = {"num_warmup": 4, "thinning": 2, "num_chains": 2, "keep": ("z",)}


@pytest.mark.parametrize("chain_method", on_demand(["parallel", "vectorized"], "parallel"))
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


@pytest.mark.parametrize(("field", "value"), [("m", 0.5), ("m", np.nan), ("n_d", 2.0**31), ("w", 0.5)])
def test_tokens_that_are_no_whole_numbers_are_refused(field, value):
    data = CORPUS.data(num_topics=6)
    sample = jaxlda.run(0, "cgs", data, num_warmup=1).chain(0)
    column = np.array(getattr(data.tokens, field), np.float64)
    whole = data._replace(tokens=data.tokens._replace(**{field: column.copy()}))
    column[1] = value
    broken = data._replace(tokens=data.tokens._replace(**{field: column}))
    for take in (
        lambda data: jaxlda.run(0, "cgs", data, num_warmup=1),
        lambda data: jaxlda.Run.from_samples(data, sample),
    ):
        np.testing.assert_array_equal(take(whole).chain(0).z, sample.z)
        with pytest.raises(ValueError, match=rf"the tokens' {field} must be whole numbers, less than 2\*\*31"):
            take(broken)


@pytest.mark.parametrize("assigned", [True, False])
def test_samples_may_come_in_any_numbers(assigned, tmp_path):
    data = CORPUS.data(num_topics=6)
    counts, z = jaxlda.run(0, "cgs", data, num_warmup=1).chain(0)
    wide = jax.tree.map(lambda x: np.asarray(x, np.float64 if assigned else np.int64), counts)
    run = jaxlda.Run.from_samples(data, Sample(wide, np.asarray(z, np.uint8) if assigned else None))
    run.save(tmp_path / "a.jaxlda")
    assert_same_run(jaxlda.load(tmp_path / "a.jaxlda"), run)
