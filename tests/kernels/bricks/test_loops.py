"""Loops over tokens: one form alone and under vmap, and the flag that makes them native on JAX before 0.12."""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxlda import startup
from jaxlda.kernels.bricks.loops import token_loop

OLD = startup.version() < startup.UNASKED


def running_sum(x, y):
    def body(i, carry):
        return lax.dynamic_update_slice(carry, (lax.dynamic_slice(carry, (i,), (1,)) * y + 1), (i + 1,))

    return lax.fori_loop(0, x.shape[0] - 1, body, x)


def test_vmap_gives_each_chain_what_it_gets_alone():
    loop = token_loop(running_sum)
    x, y = jnp.arange(12.0).reshape(3, 4) / 7, jnp.float32(0.3)
    np.testing.assert_array_equal(
        jax.jit(jax.vmap(loop, (0, None)))(x, y), np.stack([jax.jit(loop)(row, y) for row in x])
    )
    both = jax.jit(jax.vmap(loop))(x, jnp.arange(3.0))
    np.testing.assert_array_equal(both, np.stack([jax.jit(loop)(row, jnp.float32(i)) for i, row in enumerate(x)]))


PROGRAM = """
import json, os, sys
import jax
if "started" in sys.argv:
    jax.numpy.zeros(1)
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import jaxlda
data = jaxlda.datasets.load("bars").subset(range(10)).data(num_topics=10)
run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=3, num_chains=2, keep=("z",))
several = jaxlda.run(
    jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=3, num_chains=2, keep=("z",), chain_method="vectorized"
)
print(json.dumps({
    "flags": os.environ.get("XLA_FLAGS", ""),
    "warned": len(caught),
    "z": run.z.tolist(),
    "soft": run.counts(soft=True, chain=1).n_vk.tolist(),
    "trace": run.trace["log_joint"][:, 0].tolist(),
    "same": bool((run.z == several.z).all()),
    "devices": jax.device_count(),
}))
"""


def in_fresh_process(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("XLA_FLAGS", "JAXLDA_NATIVE")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=clean | environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def usual():
    return in_fresh_process()


@pytest.mark.slow
def test_the_flag_is_set_only_where_it_is_needed(usual):
    assert (startup.OPTION in usual["flags"]) == OLD
    assert (startup.VECTORS in usual["flags"]) == (not startup._other_devices())
    assert not usual["warned"]
    assert usual["same"]


@pytest.mark.hours
def test_backend_started_before_the_import(usual):
    late = in_fresh_process("started")
    assert late["warned"] == OLD  # it will be slow, and says so
    assert startup.OPTION not in late["flags"]
    assert late["same"]
    assert late["z"] == usual["z"]


@pytest.mark.hours
def test_switched_off(usual):
    off = in_fresh_process(JAXLDA_NATIVE="0")
    assert startup.OPTION not in off["flags"]
    assert not off["warned"]
    assert off["z"] == usual["z"]


@pytest.mark.hours
def test_double_precision_enabled_by_somebody_else(usual):
    double = in_fresh_process(JAX_ENABLE_X64="1")
    assert double["z"] == usual["z"]
    assert double["same"]


@pytest.mark.slow
def test_two_devices_give_the_same_as_one(usual):
    two = in_fresh_process(XLA_FLAGS="--xla_force_host_platform_device_count=2")
    assert two["devices"] == 2
    for what in ("z", "soft", "trace"):
        assert two[what] == usual[what]
    assert two["same"]
