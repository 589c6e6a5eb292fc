"""Blocks, beyond the laws: threads change nothing, cells share nothing, and one worker is CGS."""

import os

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import kernels
from jaxlda.kernels.blocks import _keys
from jaxlda.kernels.layouts.blocks import Lists
from jaxlda.kernels.layouts.grid import lay_out_grid
from tests import reference
from tests.laws.chains import draws
from tests.laws.corpora import FEW, LONG, MIXED, PREDICTION, TINY, pad


def three_sweeps(step, alg, layout):
    state, infos = jax.jit(alg.init)(jax.random.key(0), layout), []
    for seed in range(3):
        state, info = step(jax.random.key(seed), state, layout)
        infos.append(float(info.moved))
    return jax.jit(alg.readout)(state, layout), infos


@pytest.mark.hours
@pytest.mark.parametrize("data", [MIXED, FEW, PREDICTION], ids=["mixed", "few labels", "prediction"])
@pytest.mark.parametrize("name", ["blocks(workers=2)", "learn_alpha(blocks(workers=2), start=2, every=1)"])
def test_threads_draw_what_one_program_draws(data, name):
    if name.startswith("learn") and data is FEW:
        pytest.skip("documents have priors of their own: nothing to learn")
    alg = kernels.find(name)
    layout = alg.prepare(pad(data, 3))
    ours, theirs = (three_sweeps(step, alg, layout) for step in (alg.threaded, jax.jit(alg.step)))
    jax.tree.map(np.testing.assert_array_equal, ours[0], theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6)


def test_one_worker_is_cgs():
    one, cgs, key = kernels.blocks(workers=1), kernels.cgs(), jax.random.key(4)
    grid, layout = one.prepare(MIXED), cgs.prepare(MIXED)
    start = jax.jit(one.init)(jax.random.key(0), grid)
    z = one.readout(start, grid).z
    state = jax.jit(cgs.init)(jax.random.key(0), layout)
    tables = reference.counts(np.asarray(z), reference.problem(MIXED))
    room = [(0, state.n_vk.shape[1] - 4)]
    n_dj, n_vk, n_k = (np.pad(x, [(0, 0)] * (x.ndim - 1) + room).astype(np.int32) for x in tables)
    state = state._replace(j=(np.uint32(z),), n_dj=(n_dj,), n_vk=n_vk, n_k=n_k)
    ours = one.readout(jax.jit(one.step)(key, start, grid)[0], grid)
    theirs = cgs.readout(jax.jit(cgs.step)(_keys(key, 1)[0], state, layout)[0], layout)
    jax.tree.map(np.testing.assert_array_equal, ours, theirs)


@pytest.mark.parametrize("workers", [2, 3])
def test_cells_of_a_round_share_nothing_and_all_tokens_are_in_one(workers):
    data = pad(LONG, 7)
    w, d = (np.asarray(x) for x in data.tokens[:2])
    grid = lay_out_grid(data, workers)
    n = int(data.tokens.n_d.sum())
    entry = [[np.asarray(own)[np.asarray(own) < len(w)] for own in row] for row in grid.entry]
    assert sorted(np.concatenate([own for row in entry for own in row])) == list(range(n))
    for r in range(workers):
        cells = [entry[p][(p + r) % workers] for p in range(workers)]
        for of in (w, d):
            sets = [set(of[own].tolist()) for own in cells]
            assert sum(map(len, sets)) == len(set.union(*sets))
    sizes = np.array([[len(own) for own in row] for row in entry])
    assert sizes.max() < 1.2 * n / workers**2


def test_labels_are_kept_in_lists():
    assert all(isinstance(block, Lists) for row in lay_out_grid(FEW, 2).cells for cell in row for block in cell.blocks)


def test_the_number_of_workers_is_recorded():
    assert kernels.find("blocks").options == (("workers", os.cpu_count()),)
    assert kernels.described(kernels.blocks(3)) == "blocks(workers=3)"
    with pytest.raises(ValueError, match="workers"):
        kernels.blocks(0)


@pytest.mark.slow
def test_runs_of_threads_and_of_one_program_are_the_same():
    settings = {"num_warmup": 5, "num_chains": 2, "keep": "z", "trace_every": 1}
    ours, theirs = (
        jaxlda.run(0, "blocks(workers=2)", MIXED, chain_method=method, **settings)
        for method in ("parallel", "vectorized")
    )
    np.testing.assert_array_equal(ours.z, theirs.z)
    np.testing.assert_allclose(ours.trace["moved"], theirs.trace["moved"], rtol=1e-6)


@pytest.mark.hours
def test_the_bias_of_shared_topics_is_what_the_docstring_says():
    """Total variation from the posterior; of 20,000 exact draws it is .02 by chance."""
    p = reference.problem(TINY["asymmetric"])
    posterior = reference.enumerate_posterior(p).probability
    z = draws(kernels.blocks(workers=2), 1, TINY["asymmetric"], 20_000)
    observed = np.bincount(z @ 2 ** np.arange(len(p.w))[::-1], minlength=len(posterior)) / len(z)
    assert 0.025 < np.abs(observed - posterior).sum() / 2 < 0.05
