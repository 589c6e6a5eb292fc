"""One kernel, many forms: alone, in a scan, among other chains, for any device, compiled once; always one result."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxlda import kernels
from jaxlda.types import Algorithm, Data
from tests.laws.corpora import FEW, FOUR, LABELLED, MIXED, PREDICTION
from tests.tiers import EVERY, each_kernel, each_on, on_demand

CORPORA = {"mixed": MIXED, "labelled": LABELLED, "few labels": FEW, "prediction": PREDICTION}
NUM_CHAINS, NUM_SWEEPS = 3, 4
# Where to see that starts differ: nearly uniform ones lead to the same end unless all topics are alike.
APART = {"vb": "four"}

every_kernel = pytest.mark.parametrize("kernel", each_kernel())
every_run = pytest.mark.parametrize(("kernel", "corpus"), each_on(CORPORA))


@cache
def prepared(kernel: str, corpus: str) -> tuple[Algorithm, Data]:
    alg = kernels.find(kernel)
    return alg, alg.prepare(FOUR if corpus == "four" else CORPORA[corpus])


def chain(alg: Algorithm, key, data: Data):
    """Run one chain in a scan."""
    start, *keys = jax.random.split(key, NUM_SWEEPS + 1)
    state, infos = lax.scan(lambda s, k: alg.step(k, s, data), alg.init(start, data), jnp.stack(keys))
    return jax.jit(alg.readout)(state, data), infos


@cache
def chains_alone(kernel: str, corpus: str):
    """Run every chain by itself, a jitted sweep at a time: the form that the others are compared with."""
    alg, data = prepared(kernel, corpus)
    init, step, readout = (jax.jit(f) for f in (alg.init, alg.step, alg.readout))
    results = []
    for key in jax.random.split(jax.random.key(3), NUM_CHAINS):
        start, *keys = jax.random.split(key, NUM_SWEEPS + 1)
        state = init(start, data)
        for k in keys:
            state, _ = step(k, state, data)
        results.append(jax.tree.map(np.asarray, readout(state, data)))
    return results


def assert_same(ours, theirs) -> None:
    """Hard samples are equal to the last bit; soft ones may round differently in another form."""
    if ours.z is None:
        assert theirs.z is None
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4), ours.counts, theirs.counts)
    else:
        jax.tree.map(np.testing.assert_array_equal, ours, theirs)


@every_run
def test_chains_together_are_the_chains_alone(kernel, corpus):
    alg, data = prepared(kernel, corpus)
    together = jax.jit(jax.vmap(chain, in_axes=(None, 0, None)), static_argnums=0)
    samples, _ = together(alg, jax.random.split(jax.random.key(3), NUM_CHAINS), data)
    for c, alone in enumerate(chains_alone(kernel, corpus)):
        assert_same(alone, jax.tree.map(lambda x, c=c: x[c], samples))


@every_kernel
def test_a_chain_in_a_scan_is_the_chain_in_a_loop(kernel):
    alg, data = prepared(kernel, "mixed")
    key = jax.random.split(jax.random.key(3), NUM_CHAINS)[0]
    sample, _ = jax.jit(chain, static_argnums=0)(alg, key, data)
    assert_same(chains_alone(kernel, "mixed")[0], sample)


@every_kernel
def test_the_key_decides_everything(kernel):
    alg, data = prepared(kernel, APART.get(kernel, "mixed"))
    run = jax.jit(chain, static_argnums=0)
    first, again, other = (run(alg, jax.random.key(seed), data)[0] for seed in (0, 0, 1))
    jax.tree.map(np.testing.assert_array_equal, first, again)
    assert np.abs(first.counts.n_dk - other.counts.n_dk).sum() > 1


@every_kernel
def test_chains_differ_from_each_other(kernel):
    first, second, third = (sample.counts.n_dk for sample in chains_alone(kernel, APART.get(kernel, "mixed")))
    assert np.abs(first - second).sum() > 1 and np.abs(second - third).sum() > 1


@pytest.mark.parametrize("platform", on_demand(["cuda", "tpu"], "cuda"))
@pytest.mark.parametrize(("kernel", "corpus"), on_demand([(k, c) for k in EVERY for c in CORPORA], ("cgs", "mixed")))
def test_lowers_for_every_platform(kernel, corpus, platform):
    alg, data = prepared(kernel, corpus)
    keys = jax.random.split(jax.random.key(0), NUM_CHAINS)
    for step, key, init in (
        (alg.step, keys[0], alg.init),
        (jax.vmap(alg.step, in_axes=(0, 0, None)), keys, jax.vmap(alg.init, in_axes=(0, None))),
    ):
        state = jax.eval_shape(init, key, data)
        lowered = jax.jit(step).trace(key, state, data).lower(lowering_platforms=(platform,))
        assert "stablehlo" in lowered.as_text()


@every_kernel
def test_compiles_once(kernel):
    """The same shapes never trace twice: not in the second sweep, not with another key, not with other words."""
    alg, data = prepared(kernel, "mixed")
    traces = []

    @jax.jit
    def step(key, state, data):
        traces.append(1)
        return alg.step(key, state, data)

    state = jax.jit(alg.init)(jax.random.key(0), data)
    for seed in range(3):
        state, _ = step(jax.random.key(seed), state, data)
    renamed = MIXED._replace(tokens=MIXED.tokens._replace(w=13 - MIXED.tokens.w))
    other = alg.prepare(renamed)
    step(jax.random.key(9), jax.jit(alg.init)(jax.random.key(1), other), other)
    assert len(traces) == 1
