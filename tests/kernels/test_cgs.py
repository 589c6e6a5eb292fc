"""Exact collapsed Gibbs sampling, beyond the laws: its two loops draw alike."""

import sys

import jax
import numpy as np
import pytest

from jaxlda.kernels import cgs as make
from jaxlda.kernels.cgs import CGSState, sweep
from tests.kernels.test_in_place import copied
from tests.laws.corpora import LABELLED, LONG, MIXED, PREDICTION

MODULE = sys.modules[CGSState.__module__]  # the package has a function of that name


def swept(data, longest: int, monkeypatch) -> CGSState:
    """Three sweeps, document by document in rows of at most that many places."""
    monkeypatch.setattr(MODULE, "_SHORT", longest)
    algorithm = make()
    layout = algorithm.prepare(data)
    state = jax.jit(algorithm.init)(jax.random.key(0), layout)
    once = jax.jit(lambda u, state: sweep(layout, u, state))
    for seed in range(3):
        state = once(jax.random.uniform(jax.random.key(seed), layout.blocks[0].w.shape), state)
    return state


@pytest.mark.parametrize("data", [MIXED, LONG, LABELLED, PREDICTION], ids=["mixed", "long", "labelled", "phi"])
def test_short_and_long_rows_draw_alike(data, monkeypatch):
    """The laws hold the loop over documents; what longer rows have must draw the same."""
    short, long = swept(data, 128, monkeypatch), swept(data, 0, monkeypatch)
    assert len(np.unique(np.asarray(short.j[0]))) > 1
    jax.tree.map(np.testing.assert_array_equal, short, long)


@pytest.mark.slow
def test_long_rows_are_not_copied_either(monkeypatch):
    monkeypatch.setattr(MODULE, "_SHORT", 0)
    algorithm = make()
    layout = algorithm.prepare(MIXED)
    state = algorithm.init(jax.random.key(0), layout)
    loops = copied(algorithm.step, jax.random.key(0), state, layout, donate=1)
    assert loops and not any(loops.values()), loops
