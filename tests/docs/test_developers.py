"""The kernel of the developer guide, run as it is printed and held to the laws."""

import re
from pathlib import Path

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.kernels import KERNELS, described, find, learn_alpha
from tests import reference
from tests.laws import test_counts as counts
from tests.laws.chains import chi_square, draws
from tests.laws.corpora import TINY
from tests.tiers import mostly_slow

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "developers.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", GUIDE, flags=re.DOTALL | re.MULTILINE)
FALSE_ALARM = 1e-3


@pytest.fixture(scope="module")
def names():
    """What the blocks of the guide define."""
    defined = {}
    for block in BLOCKS:
        exec(block, defined)
    yield defined
    del KERNELS["uncollapsed"]


@pytest.mark.slow
def test_it_runs_as_printed(names):
    run = names["run"]
    assert {"moved", "largest", "log_joint"} <= run.trace.keys()
    assert np.all((run.trace["largest"] > 0.1) & (run.trace["largest"] < 1))
    assert described(run.algorithm) == "uncollapsed(batch=1024)"
    assert find("uncollapsed") == names["uncollapsed"]() != run.algorithm


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(
    "corpus", mostly_slow(["mixed", "labelled", "prediction"], hours=lambda corpus: corpus != "labelled")
)
def test_it_keeps_the_laws_of_counts(corpus):
    for law in (
        counts.test_counts_are_conserved,
        counts.test_counts_are_those_of_z,
        counts.test_moved_is_the_share_that_changed_topic,
    ):
        law("uncollapsed", corpus)
    counts.test_forbidden_topics_never_appear("uncollapsed")


@pytest.mark.parametrize(
    "name", mostly_slow(["asymmetric", "labelled", "fixed topics"], hours=lambda name: name != "labelled")
)
def test_it_samples_the_posterior(names, name):
    """Rejects a right kernel with probability 1e-3 over seeds; the seed is fixed."""
    p = reference.problem(TINY[name])
    z = draws(names["uncollapsed"](batch=16), 1, TINY[name], 4000, num_warmup=60)
    assert chi_square(z, reference.enumerate_posterior(p), p.alpha.shape[1]) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.usefixtures("names")
def test_it_is_saved_learned_around_and_modelled(tmp_path):
    corpus = jaxlda.datasets.load("bars").subset(range(10))
    options = {"num_warmup": 2, "num_samples": 1, "thinning": 1, "num_chains": 2}
    run = jaxlda.run(0, learn_alpha(find("uncollapsed(batch=64)"), start=1), corpus.data(num_topics=3), **options)
    run.save(tmp_path / "run.jaxlda")
    again = jaxlda.load(tmp_path / "run.jaxlda")
    assert again.algorithm == run.algorithm
    jax.tree.map(np.testing.assert_array_equal, again.sample, run.sample)
    model = jaxlda.LDA(3, kernel="uncollapsed(batch=64)", progress=False, **options).fit(corpus)
    assert model.phi_.shape == (3, 25)
