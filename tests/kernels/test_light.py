"""LightLDA, beyond the laws."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxlda import kernels
from jaxlda.kernels.proposals import resolved
from tests import reference
from tests.laws.chains import draws
from tests.laws.corpora import LABELLED, MIXED, TINY, pad

module = importlib.import_module("jaxlda.kernels.light")  # the package's `light` is the function
FALSE_ALARM = 1e-3


@pytest.mark.parametrize("data", [MIXED, LABELLED], ids=["beta of words", "beta of topics and words"])
@pytest.mark.hours
def test_words_propose_from_what_the_acceptance_supposes(data):
    """Of all proposals to the tokens of a word, as many of each topic as q says."""
    layout = kernels.light().prepare(pad(data, 3))
    tables = kernels.light().init(jax.random.key(0), layout)
    stale = module._stale(layout, tables)
    z = tables.z[layout.by_word]
    draw = jax.jit(lambda key: resolved(module._from_words(key[None], layout, tables, stale)[0].k, z))
    n, rounds = int(layout.words.start[-1]), 400
    drawn = np.stack([draw(key) for key in jax.random.split(jax.random.key(1), rounds)])[:, :n]
    prior = np.broadcast_to(np.asarray(layout.words.prior, np.float64), tables.n_vk.shape)
    q = np.asarray(tables.n_vk) * np.asarray(stale.weight) + prior * float(stale.prior)
    word = np.asarray(layout.words.row)[:n]
    wanted = (q / q.sum(1, keepdims=True)) * (np.bincount(word, minlength=len(q)) * rounds)[:, None]
    observed = np.zeros(q.shape)
    np.add.at(observed, (np.tile(word, rounds), drawn.ravel()), 1)
    cells = wanted > 5
    assert cells.sum() > 30
    statistic = ((observed - wanted)[cells] ** 2 / wanted[cells]).sum()
    assert stats.chi2.sf(statistic, cells.sum() - (wanted.sum(1) > 0).sum()) > FALSE_ALARM


@pytest.mark.hours
def test_with_fixed_topics_nothing_is_stale():
    """Words propose from phi: there the default is exact, too."""
    p = reference.problem(TINY["fixed topics"])
    alg = kernels.light()
    layout = alg.prepare(TINY["fixed topics"])
    ours, theirs = (
        kernels.light(delayed=delayed).step(jax.random.key(1), alg.init(jax.random.key(0), layout), layout)[0]
        for delayed in (True, False)
    )
    jax.tree.map(np.testing.assert_array_equal, ours, theirs)
    assert len(p.w) == ours.z.shape[0]


@pytest.mark.hours
def test_the_bias_of_stale_proposals_is_what_the_docstring_says():
    """Total variation from the posterior; of 20,000 exact draws it is .02 by chance."""
    p = reference.problem(TINY["asymmetric"])
    posterior = reference.enumerate_posterior(p).probability
    z = draws(kernels.light(), 1, TINY["asymmetric"], 20_000)
    observed = np.bincount(z @ 2 ** np.arange(len(p.w))[::-1], minlength=len(posterior)) / len(z)
    assert 0.025 < np.abs(observed - posterior).sum() / 2 < 0.06


@pytest.mark.hours
def test_padding_and_reports():
    alg = kernels.light(steps=2)
    layout = alg.prepare(pad(MIXED, 4))
    state, info = jax.jit(alg.step)(jax.random.key(1), alg.init(jax.random.key(0), layout), layout)
    assert 0 < info.accepted < 1 and 0 < info.moved < 1
    assert not jnp.any(state.z[-4:])
