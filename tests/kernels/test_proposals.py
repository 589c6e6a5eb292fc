"""Proposals have the distribution that the acceptance ratios suppose, in every row; the false alarm rate is 1e-3."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxlda.kernels.layouts.orders import lay_out_orders
from jaxlda.kernels.proposals import choices, proposals, resolved
from tests.laws.corpora import LABELLED, MIXED, PREDICTION, pad

FALSE_ALARM = 1e-3
ROUNDS = 400


def expected(layout, order, z, of_tokens: bool) -> np.ndarray:
    """The distribution over topics that every row proposes from, (rows, K)."""
    rows, K = len(order.sizes), layout.num_topics
    p = np.broadcast_to(np.asarray(order.prior, np.float64), (rows, K)).copy()
    if of_tokens:
        n = int(order.start[-1])
        np.add.at(p, (np.asarray(order.row)[:n], np.asarray(z)[:n]), 1)
    return p / np.maximum(p.sum(1, keepdims=True), 1e-30)


@pytest.mark.parametrize("by", ["documents", "words"])
@pytest.mark.parametrize("data", [MIXED, LABELLED, PREDICTION], ids=["mixed", "labelled", "prediction"])
def test_proposals_come_from_counts_and_prior(data, by):
    layout = lay_out_orders(pad(data, 3))
    order, K = getattr(layout, by), layout.num_topics
    z = jnp.asarray(np.random.default_rng(0).integers(0, K, len(layout.by_word)), jnp.uint32)
    draw = jax.jit(lambda key: resolved(proposals(choices(key, order, K), z), z))
    n = int(order.start[-1])
    drawn = np.stack([draw(key) for key in jax.random.split(jax.random.key(1), ROUNDS)])[:, :n]
    p = expected(layout, order, z, of_tokens=by == "documents" or data.phi is None)
    row = np.asarray(order.row)[:n]
    observed = np.zeros(p.shape)
    np.add.at(observed, (np.tile(row, ROUNDS), drawn.ravel()), 1)
    wanted = p * (np.bincount(row, minlength=len(p)) * ROUNDS)[:, None]
    assert not observed[wanted == 0].any()
    cells = wanted > 5
    statistic = ((observed - wanted)[cells] ** 2 / wanted[cells]).sum()
    assert cells.sum() > 20
    assert stats.chi2.sf(statistic, cells.sum() - (wanted.sum(1) > 0).sum()) > FALSE_ALARM


def test_both_orders_hold_every_token():
    layout = lay_out_orders(pad(MIXED, 5))
    n = len(MIXED.tokens.w)
    by_word, by_document = np.asarray(layout.by_word), np.asarray(layout.by_document)
    np.testing.assert_array_equal(by_word[by_document], np.arange(n + 5))
    assert set(by_word[n:]) == set(range(n, n + 5)), "padding stays at the end"
    w = np.asarray(MIXED.tokens.w)[by_word[:n]]
    np.testing.assert_array_equal(w, np.sort(w))
    np.testing.assert_array_equal(layout.words.row[:n], w)
    np.testing.assert_array_equal(layout.words.sizes, np.bincount(w, minlength=15))
    np.testing.assert_array_equal(layout.documents.sizes, MIXED.tokens.n_d)


@pytest.mark.slow
def test_rare_priors_reach_every_topic():
    """Of a million tokens of one word the prior proposes one in 40,000; still all of its topics, equally often."""
    n, K = 2**20, 64
    layout = lay_out_orders(MIXED)
    row = jnp.zeros(n, jnp.uint32)
    units = jnp.full(1, -(2**32 // 40_000) % 2**32, jnp.uint32)
    order = layout.words._replace(row=row, start=jnp.array([0, n], jnp.uint32), tokens=units, table=None)
    draw = jax.jit(lambda key: choices(key, order, K))
    counts, rounds = np.zeros(K), 200
    for key in jax.random.split(jax.random.key(0), rounds):
        choice = draw(key)
        counts += np.bincount(np.asarray(choice.topic)[~np.asarray(choice.token)], minlength=K)
    assert stats.chisquare(counts).pvalue > FALSE_ALARM
    assert abs(counts.sum() - n * rounds / 40_000) < 5 * np.sqrt(n * rounds / 40_000)
