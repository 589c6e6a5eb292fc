"""A topic of probability zero is never drawn, not even where a sum rounds: tried at the worst of random numbers.

By chance such a number comes up once in some hundred million draws, that is, in a long run. Here every token gets one:
a document of one token has the weights alpha * phi, and its random number is put next to a bound between two topics.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import kernels
from tests.laws.corpora import make_data
from tests.tiers import mostly_slow

NUM_TOKENS = 30_000


def worst_numbers(rng: np.random.Generator, p: np.ndarray) -> np.ndarray:
    """Multiples of 2^-23 near the bounds of the distribution function, topics taken in order or in eight lanes."""
    n, K = p.shape
    lanes = np.pad(p, ((0, 0), (0, -K % 8))).reshape(n, -1, 8).swapaxes(1, 2).reshape(n, -1)
    u = np.empty(n)
    for rows, weights in ((slice(0, None, 2), p), (slice(1, None, 2), lanes)):
        cumulative = np.cumsum(weights[rows], axis=1)
        bound = cumulative[np.arange(len(cumulative)), rng.integers(0, cumulative.shape[1], len(cumulative))]
        u[rows] = np.floor(bound / cumulative[:, -1] * 2**23)
    return np.clip(u + rng.integers(-2, 3, n), 0, 2**23 - 1) / 2**23


@pytest.mark.parametrize("zeros", mostly_slow(["alpha (K)", "alpha (D, K)", "phi"], "alpha (D, K)"))
@pytest.mark.parametrize("K", mostly_slow([12, 150], 12))
def test_a_topic_of_probability_zero_is_never_drawn(K, zeros, monkeypatch):
    rng = np.random.default_rng(K)
    alpha, phi = rng.uniform(0.05, 1.0, K), rng.gamma(0.5, size=(K, NUM_TOKENS))
    if zeros == "phi":
        phi[rng.random(phi.shape) < 0.5] = 0.0
        phi[0] += 0.01  # every word has a topic
    else:
        alpha[K // 2 :] = 0.0
    rows = np.tile(alpha, (NUM_TOKENS, 1)) if zeros == "alpha (D, K)" else alpha
    data = make_data(np.arange(NUM_TOKENS)[:, None], rows, np.ones(NUM_TOKENS), phi / phi.sum(axis=1, keepdims=True))
    p = np.asarray(data.phi, np.float64).T * np.asarray(data.priors.alpha)

    alg = kernels.cgs()
    layout = alg.prepare(data)
    state = jax.jit(alg.init)(jax.random.key(0), layout)
    u = jnp.asarray(worst_numbers(rng, p), jnp.float32)
    monkeypatch.setattr(sys.modules["jaxlda.kernels.cgs"], "uniform", lambda key, n: u)
    state, _ = jax.jit(lambda *args: alg.step(*args))(jax.random.key(1), state, layout)
    drawn = p[np.arange(NUM_TOKENS), np.asarray(jax.jit(alg.readout)(state, layout).z)]
    assert not np.any(drawn == 0), f"{np.sum(drawn == 0)} of {NUM_TOKENS} tokens got a topic of probability zero"
