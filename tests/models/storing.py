"""What tests of saved models share."""

import numpy as np

from jaxlda import LDA
from jaxlda.kernels import cgs, learn_alpha, learn_beta
from jaxlda.running import store
from tests.models import killed

CORPUS = killed.corpus()
OPTIONS = {
    "num_topics": 6,
    "alpha": 0.3,
    "num_warmup": 4,
    "num_samples": 1,
    "thinning": 2,
    "num_chains": 2,
    "progress": False,
}
LIGHT = {
    "kernel": "light",
    "num_topics": 3,
    "num_warmup": 2,
    "num_samples": 1,
    "num_chains": 2,
    "trace_every": 0,
    "progress": False,
}
LEARNER = learn_beta(learn_alpha(cgs(), every=2, start=2), every=3, start=2)


def lda(**options):
    return LDA(**(OPTIONS | options))


def quick(**options):
    """A model that needs no compiling."""
    return LDA(**(LIGHT | options))


def assert_same_run(one, other):
    (header, arrays), (other_header, other_arrays) = store.pack(one), store.pack(other)
    assert header == other_header and arrays.keys() == other_arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, other_arrays[name], err_msg=name, strict=True)


def assert_same(one, other):
    assert_same_run(one.run_, other.run_)
    for name in ("phi_", "theta_", "vocab_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name, strict=True)
    assert one.best_chain_ == other.best_chain_ and one.n_features_in_ == other.n_features_in_
