"""Models and runs as those see them who look at their topics."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.topics import fitted


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]])


def sampled(data, **options):
    return jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=2, **options)


def test_estimates_are_those_of_the_run(corpus):
    run = sampled(corpus.data(2), num_chains=2)
    about = fitted(run, 1)
    for estimator, soft in (("cgs", False), ("cgs_p", True), (None, True)):
        counts = run.counts(soft=soft, chain=1)
        np.testing.assert_array_equal(about.phi(estimator), jaxlda.estimators.phi(counts, run.data))
        np.testing.assert_array_equal(about.theta(estimator), jaxlda.estimators.theta(counts, run.data))
    assert about.frequency.tolist() == [2, 2, 2] and about.vocab.tolist() == ["w0", "w1", "w2"]
    assert fitted(about) is about


def test_a_run_that_kept_no_soft_counts_has_hard_ones(corpus):
    about = fitted(sampled(corpus.data(2), soft=False))
    np.testing.assert_array_equal(about.phi(), about.phi("cgs"))
    with pytest.raises(ValueError, match="soft counts of the draws were not kept"):
        about.phi("cgs_p")


def test_fixed_topics_are_what_they_are(corpus):
    phi = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], np.float32)
    np.testing.assert_array_equal(fitted(sampled(corpus.data(phi=phi))).phi(), phi)


def test_what_a_model_knows(corpus):
    run = sampled(corpus.data(2), num_chains=2)
    known = {"best_chain_": 1, "vocab_": np.array(["a", "b", "c"]), "doc_titles_": ("x", "y"), "estimator": "cgs"}
    about = fitted(SimpleNamespace(run_=run, classes_=["m", "n"], **known))
    assert (about.chain, about.vocab.tolist(), about.titles, about.names) == (
        1,
        ["a", "b", "c"],
        ("x", "y"),
        ["m", "n"],
    )
    np.testing.assert_array_equal(about.phi(), about.phi("cgs"))
    assert fitted(SimpleNamespace(run_=run, classes_=["one label", "has", "more topics"], **known)).names is None
