"""A sampler and the model it samples agree on the joint distribution (Geweke 2004).

(w, z) is drawn in two ways: forwards through the model, and by a chain that alternates a sweep of the kernel, z given
w, with new words, w given z (fresh topics from their prior, then words from the topics). If the kernel is right, both
have the same distribution, whatever the words, so errors show that a single corpus would hide. Chains start from
forward draws: a right one is stationary from the first sweep on, and their means are independent.
"""

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from scipy import stats

from jaxlda import kernels
from jaxlda.types import Algorithm, Data
from tests.laws.chains import under_jit
from tests.laws.corpora import EXACT, make_data
from tests.laws.plain import DEFECTS, Flawed, plain_cgs, recount
from tests.tiers import mostly_slow

FALSE_ALARM = 1e-3  # of all statistics together, over seeds
NUM_CHAINS, NUM_SWEEPS, NUM_FORWARD = 400, 200, 100_000

MODEL = make_data(
    [[0] * 4, [0] * 3, [0] * 2],
    [[0.4, 0.9, 0.2], [1.3, 0.3, 0.0], [0.5, 0.5, 1.5]],
    [[0.3, 0.8, 0.2], [1.1, 0.2, 0.5], [0.4, 0.4, 0.9]],
)
SHARED = MODEL._replace(priors=MODEL.priors._replace(beta=MODEL.priors.beta[0]))  # all topics have one prior
D, W = np.asarray(MODEL.tokens.d), MODEL.priors.beta.shape[1]


def categorical(rng: np.random.Generator, p: np.ndarray) -> np.ndarray:
    cumulative = np.cumsum(p, axis=-1)
    return (cumulative <= rng.uniform(size=p.shape[:-1])[..., None] * cumulative[..., -1:]).sum(-1)


def forward(rng: np.random.Generator, size: int, model: Data) -> tuple[np.ndarray, np.ndarray]:
    """Draw (z, w) as the model says: theta, phi, then a topic and a word for every token."""
    alpha = np.asarray(model.priors.alpha, np.float64)
    beta = np.broadcast_to(np.asarray(model.priors.beta, np.float64), (alpha.shape[1], W))
    theta, phi = rng.gamma(alpha, size=(size, *alpha.shape)), rng.gamma(beta, size=(size, *beta.shape))
    z = categorical(rng, theta[:, D])
    return z, categorical(rng, np.take_along_axis(phi, z[:, :, None], axis=1))


@partial(jax.jit, static_argnums=0)
def _backward(
    functions: tuple, model: Data, defect: Any, state: Any, keys: Any, phi: Any, u: Any, z: Any, w: Any
) -> tuple[Any, Any]:
    step, readout, lay_out = functions

    def sweep(carry, chance):
        (z, w), (key, phi, u) = carry, chance
        data = model._replace(tokens=model.tokens._replace(w=w))
        layout = lay_out(data) if defect is None else Flawed(data, defect)
        new, _ = step(key, state_at(state, z, data), layout)
        z = readout(new, layout).z
        cumulative = jnp.cumsum(phi, axis=1)[z]
        return (z, jnp.sum(cumulative <= u[:, None] * cumulative[:, -1:], axis=1, dtype=jnp.int32)), (z, w)

    return jax.vmap(lambda z, w, *chance: lax.scan(sweep, (z, w), chance)[1])(z, w, keys, phi, u)


def state_at(state: Any, z: Any, data: Data) -> Any:
    """Put the assignments z and their counts into a state; its rows may be longer than K."""
    n_dk, n_vk, n_k = recount(z, data)
    values = {"z": z, "j": (z,), "n_dk": n_dk, "n_dj": (n_dk,), "n_vk": n_vk, "n_k": n_k}

    def fitted(value: Any, like: Any) -> Any:
        widths = [(0, b - a) for a, b in zip(value.shape, like.shape, strict=True)]
        return jnp.pad(value, widths).astype(like.dtype)

    return type(state)(*(jax.tree.map(fitted, values[name], getattr(state, name)) for name in state._fields))


def statistics(z: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Statistics of (z, w) whose expectations are compared, (..., functions)."""
    topic, word, document = z[..., None] == np.arange(3), w[..., None] == np.arange(W), D[:, None] == np.arange(3)
    n_dk = np.einsum("...nk,nd->...dk", topic, document, dtype=float)
    n_vk = np.einsum("...nk,...nv->...vk", topic, word, dtype=float)
    return np.stack(
        [
            *(n_dk[..., d, k] for d in range(3) for k in range(2)),
            *(n_vk[..., v, k] for v in range(2) for k in range(3)),
            (n_dk**2).sum((-1, -2)),
            (n_vk**2).sum((-1, -2)),
            (n_vk.sum(-2) ** 2).sum(-1),
            (n_vk.sum(-1) ** 2).sum(-1),
            n_dk[..., 0, 0] * n_vk[..., 0, 0],
        ],
        axis=-1,
    )


@cache
def forward_moments(shared: bool) -> tuple[np.ndarray, np.ndarray]:
    f = statistics(*forward(np.random.default_rng(0), NUM_FORWARD, SHARED if shared else MODEL))
    return f.mean(0), f.var(0) / NUM_FORWARD


def p_value(alg: Algorithm, seed: int = 1, shared: bool = False) -> float:
    """Return the p-value of the worst statistic, corrected for their number."""
    rng, shape, model = np.random.default_rng(seed), (NUM_CHAINS, NUM_SWEEPS), SHARED if shared else MODEL
    z, w = forward(rng, NUM_CHAINS, model)
    keys = jax.random.split(jax.random.key(seed), shape)
    phi, u = (
        rng.gamma(model.priors.beta, size=(*shape, *MODEL.priors.beta.shape)),
        rng.random((*shape, len(D)), np.float32),
    )
    data = alg.prepare(model)
    defect = data.defect if isinstance(data, Flawed) else None
    state = jax.jit(alg.init)(keys[0, 0], data)
    functions = (alg.step, alg.readout, None if defect is not None else under_jit(alg, model))
    draws = _backward(functions, model, defect, state, keys, np.float32(phi), u, np.int32(z), np.int32(w))
    f = statistics(*(np.asarray(x) for x in draws)).mean(axis=1)
    mean, variance = forward_moments(shared)
    score = (f.mean(0) - mean) / np.sqrt(variance + f.var(0, ddof=1) / NUM_CHAINS)
    return min(1.0, float(2 * stats.norm.sf(np.abs(score).max()) * f.shape[1]))


@pytest.mark.parametrize("kernel", mostly_slow(EXACT, "cgs"))
def test_agrees_with_the_model(kernel):
    assert p_value(kernels.find(kernel)) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["cgs", "sparse"])
def test_agrees_with_the_model_where_topics_share_their_prior(kernel):
    assert p_value(kernels.find(kernel), shared=True) > FALSE_ALARM


@pytest.mark.slow
def test_the_comparison_accepts_a_right_sampler():
    assert p_value(plain_cgs()) > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("defect", DEFECTS)
def test_the_comparison_rejects_a_wrong_sampler(defect):
    assert p_value(plain_cgs(defect)) < 1e-6
