"""Every kernel and wrapper, and data of any numbers, where JAX computes with 64 bits."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.hours

PROGRAM = """
import sys
import jax, numpy as np, jaxlda
from jaxlda.types import Covariates, Data, Priors, Tokens

given = jaxlda.datasets.load("bars").subset(range(30)).data(num_topics=4)
known = Covariates(np.arange(30.0)[:, None] / 30, np.ones(1), np.zeros((1, 4)))
given = given._replace(covariates=Covariates(*(np.asarray(x, np.float32) for x in known)))
wide = Data(
    Tokens(*(np.asarray(x, np.int64) for x in given.tokens)),
    Priors(*(np.asarray(x, np.float64) for x in given.priors)),
    covariates=known,
)
from jaxlda.kernels.registry import WRAPPERS

names = [*jaxlda.kernels.KERNELS, "cvb0(chunk=64)"]
names += [f"{wrapper}({kernel}, start=2, every=2)" for wrapper in WRAPPERS for kernel in sys.argv[1:] or names]
for name in names:
    runs = [jaxlda.run(0, name, data, num_warmup=4, num_chains=2, trace_every=1) for data in (given, wide)]
    for run in runs:
        assert not {str(x.dtype) for x in jax.tree.leaves(run.state(0))} & {"int64", "uint64", "float64"}, name
    jax.tree.map(np.testing.assert_array_equal, *(run.state(1) for run in runs))
online = jaxlda.kernels.online_vb(num_docs=30)
state = online.init(jax.random.key(0), wide.priors)
for _ in range(2):
    state, _ = online.update(jax.random.key(0), state, wide)
assert online.readout(state, wide).counts.n_vk.dtype == np.float32
sample = jaxlda.run(0, "cgs", wide, num_warmup=2).chain(0)
assert jaxlda.estimators.soften(sample, wide).n_vk.dtype == np.float32
"""


@pytest.mark.parametrize(
    "wrapped",
    [
        pytest.param(["cgs", "cvb0"], id="wrappers of a hard and of a soft kernel"),
        pytest.param([], id="wrappers of every kernel", marks=pytest.mark.hours),  # two minutes of compiling
    ],
)
def test_nothing_becomes_64_bits_wide(root, wrapped):
    environment = os.environ | {"JAX_ENABLE_X64": "1", "PYTHONPATH": str(root)}
    command = [sys.executable, "-c", PROGRAM, *wrapped]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
