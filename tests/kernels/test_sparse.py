"""The sparse sampler, beyond the laws: words with many topics."""

from functools import cache

import jax
import numpy as np
import pytest
from scipy import stats

from jaxlda import kernels
from jaxlda.kernels.layouts.tokens import TokenLayout
from jaxlda.kernels.layouts.words import WordLists
from tests import reference
from tests.laws.corpora import FEW, LABELLED, MIXED, PREDICTION, make_data, pad

FALSE_ALARM = 1e-3
NUM_CHAINS = 3000


@cache
def swept() -> tuple:
    """Many chains, one sweep each from the same start; 60 topics, four words, of which each has dozens of topics."""
    rng = np.random.default_rng(0)
    alpha = rng.gamma(0.5, size=(6, 60))
    alpha[:, 57:] = 0.0  # room for topics
    alpha[2, 5:30] = 0.0
    data = make_data(rng.choice(4, (6, 30), p=[0.6, 0.2, 0.15, 0.05]).tolist(), alpha, [0.2, 0.05, 0.3, 1.0])
    alg = kernels.sparse()
    layout = alg.prepare(pad(data, 5))
    state = jax.jit(alg.init)(jax.random.key(0), layout)
    keys = jax.random.split(jax.random.key(1), NUM_CHAINS)
    z = jax.jit(jax.vmap(lambda key: alg.readout(alg.step(key, state, layout)[0], layout).z))(keys)
    n = len(data.tokens.w)
    return data, np.asarray(state.z)[:n].astype(int), np.asarray(z)[:, :n]


def p_value(z: np.ndarray, i: int, data) -> float:
    """Of the topics of token i against their full conditionals, given the other tokens of each chain."""
    p = reference.problem(data)
    wanted = np.array([reference.conditional(i, row, reference.counts(row, p), p) for row in z])
    observed = np.bincount(z[:, i], minlength=60)
    assert not observed[wanted.max(0) == 0].any()
    cells = wanted.sum(0) > 5
    difference = (observed - wanted.sum(0))[cells]
    covariance = np.diag(wanted[:, cells].sum(0)) - wanted[:, cells].T @ wanted[:, cells]
    return float(stats.chi2.sf(difference @ np.linalg.pinv(covariance) @ difference, cells.sum()))


def seen_by(i: int) -> tuple:
    """What token i sees when it is drawn, and draws: new topics before it, old ones after."""
    data, start, z = swept()
    return data, np.where(np.arange(z.shape[1]) > i, start, z)


@pytest.mark.slow
@pytest.mark.parametrize("i", [0, 179])
def test_the_first_and_the_last_token_follow_their_conditionals(i):
    """The last one reads lists that every other token has edited."""
    data, z = seen_by(i)
    assert p_value(z, i, data) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize(("i", "alpha", "beta"), [(0, 1, 10), (179, 5, 1)])
def test_that_comparison_notices_other_priors(i, alpha, beta):
    data, z = seen_by(i)
    priors = data.priors._replace(alpha=data.priors.alpha * alpha, beta=data.priors.beta * beta)
    assert p_value(z, i, data._replace(priors=priors)) < 1e-6


def test_what_is_laid_out_how():
    prepare = kernels.sparse().prepare
    shared = LABELLED._replace(priors=LABELLED.priors._replace(beta=MIXED.priors.beta))

    def kinds(*data):
        return [tuple(type(one) for one in prepare(one)) for one in data]

    nothing = type(None)
    assert kinds(MIXED, shared) == [(WordLists, nothing)] * 2
    assert kinds(LABELLED, FEW, PREDICTION) == [(nothing, TokenLayout)] * 3
