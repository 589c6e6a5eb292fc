"""Partially collapsed Gibbs sampling, beyond the laws."""

import math
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import kernels
from jaxlda.kernels.pcgs import _in_chunks, _one_by_one
from tests.laws.corpora import LONG, PREDICTION, make_data


def test_unknown_options_are_refused():
    with pytest.raises(ValueError, match="theta must be 'collapsed' or 'drawn'; got 'gone'"):
        kernels.pcgs(theta="gone")


def test_with_fixed_topics_it_is_eq_4():
    """The same random numbers give the same assignments as CGS on the same data."""
    cgs, pcgs = kernels.cgs(), kernels.pcgs()
    layout = cgs.prepare(PREDICTION)
    state, key = jax.jit(cgs.init)(jax.random.key(0), layout), jax.random.key(1)
    ours, _ = pcgs.step(key, state, layout)
    theirs, _ = cgs.step(jax.random.split(key, 3)[2], state, layout)
    jax.tree.map(np.testing.assert_array_equal, ours, theirs)


@pytest.mark.parametrize("theta", ["collapsed", "drawn"])
@pytest.mark.hours
def test_tiny_priors_leave_every_token_a_topic(theta):
    """Of a prior of 1e-4 nearly all draws are below the least float, in the topics and in the documents."""
    data = make_data([[0, 1, 2, 3] * 5, [3, 4] * 9, [5]], np.full(6, 1e-4), np.full(6, 1e-4))
    alg = kernels.pcgs(theta=theta)
    layout, step = alg.prepare(data), jax.jit(alg.step)
    state = jax.jit(alg.init)(jax.random.key(0), layout)
    for seed in range(30):
        state, _ = step(jax.random.key(seed), state, layout)
        counts, z = jax.jit(alg.readout)(state, layout)
        assert z.max() < 6
        np.testing.assert_array_equal(counts.n_dk.sum(1), data.tokens.n_d)


@pytest.mark.parametrize("form", [{}, {"most": math.inf, "looks_up": False}], ids=["on a GPU", "on a TPU"])
def test_chunks_of_tokens_give_what_one_token_after_another_gives(monkeypatch, form):
    alg = kernels.pcgs(theta="drawn")
    layout = alg.prepare(LONG)
    (block,) = layout.blocks
    rng = np.random.default_rng(0)
    theta = (jnp.asarray(rng.random((20, block.num_places)), jnp.float32) * (jnp.arange(block.num_places) < 3),)
    layout = layout._replace(phi=jnp.asarray(rng.random((40, block.num_places)), jnp.float32))
    u = jnp.asarray(rng.random(block.w.shape[0]), jnp.float32)
    module = sys.modules["jaxlda.kernels.pcgs"]  # the package's `pcgs` is the function
    monkeypatch.setattr(module, "_WEIGHTS", 8 * 300)
    monkeypatch.setattr(module, "_CHUNKS", 100)
    in_chunks = jax.jit(partial(_in_chunks, **form))(layout, theta, u)
    np.testing.assert_array_equal(in_chunks[0], jax.jit(_one_by_one)(layout, theta, u)[0])
