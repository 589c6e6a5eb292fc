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
TOY = {
    "kernel": "toy",
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
    return LDA(**(TOY | options))


def assert_same_run(one, other, rtol=0.0):
    """To the bit; floats as close as ``rtol`` says, where the chain methods differ."""
    (header, arrays), (other_header, other_arrays) = store.pack(one), store.pack(other)
    assert header == other_header and arrays.keys() == other_arrays.keys()
    for name, array in arrays.items():
        tolerance = rtol if np.asarray(array).dtype.kind == "f" else 0.0
        np.testing.assert_allclose(array, other_arrays[name], rtol=tolerance, err_msg=name, strict=True)


def assert_same(one, other, rtol=0.0):
    assert_same_run(one.run_, other.run_, rtol)
    for name in ("phi_", "theta_"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, err_msg=name, strict=True)
    np.testing.assert_array_equal(one.vocab_, other.vocab_)
    assert one.best_chain_ == other.best_chain_ and one.n_features_in_ == other.n_features_in_
