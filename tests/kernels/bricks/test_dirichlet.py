"""Gamma variables and Dirichlet draws of any shape, compared with their distributions.

Each comparison rejects a right program with probability 1e-3 over seeds; the seeds are fixed.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from scipy import stats

from jaxlda.kernels.bricks import dirichlet as brick
from jaxlda.kernels.bricks.dirichlet import dirichlet, log_gamma

FALSE_ALARM = 1e-3


def p_value(shape: float, draws: np.ndarray) -> float:
    return stats.kstest(draws, stats.loggamma(shape).cdf).pvalue


@pytest.mark.parametrize("shape", [1e-3, 0.01, 0.5, 1.0, 3.01, 1e5])
def test_gamma_variables_have_their_distribution(shape):
    draws = np.asarray(jax.jit(log_gamma)(jax.random.key(1), jnp.full(20_000, shape)), np.float64)
    assert np.isfinite(draws).all()
    assert p_value(shape, draws) > FALSE_ALARM
    assert p_value(shape * 1.15, draws) < 1e-6  # it would notice


def test_the_generator_does_not_matter():
    draws = jax.jit(log_gamma)(jax.random.key(0, impl="rbg"), jnp.full((100, 100), 0.3))
    assert p_value(0.3, np.ravel(draws).astype(np.float64)) > FALSE_ALARM


def test_all_at_once_is_chunk_after_chunk(monkeypatch):
    """What an accelerator does, and what a CPU does; the last chunk is a part of one."""
    shape = jnp.asarray(np.random.default_rng(0).gamma(0.1, 10, (130, 70)), jnp.float32)
    assert shape.size % brick._CHUNK and shape.size > brick._CHUNK
    cpu = jax.jit(lambda key: log_gamma(key, shape))(jax.random.key(0))
    monkeypatch.setattr(lax, "platform_dependent", lambda *args, default, cpu: default(*args))
    np.testing.assert_array_equal(jax.jit(lambda key: log_gamma(key, shape))(jax.random.key(0)), cpu)


@pytest.mark.slow
def test_chains_that_try_together_draw_what_each_draws_alone(monkeypatch):
    """On an accelerator all chains try until the last one is done."""
    shapes = jnp.asarray(np.random.default_rng(0).gamma(0.1, 10, (3, 9001)), jnp.float32)
    keys = jax.random.split(jax.random.key(0), 3)
    alone = [jax.jit(log_gamma)(key, shape) for key, shape in zip(keys, shapes, strict=True)]
    monkeypatch.setattr(lax, "platform_dependent", lambda *args, default, cpu: default(*args))
    together = jax.jit(jax.vmap(lambda key, shape: log_gamma(key, shape)))(keys, shapes)
    np.testing.assert_array_equal(together, np.stack(alone))
    of_one_shape = jax.jit(jax.vmap(lambda key, shape: log_gamma(key, shape), (0, None)))(keys, shapes[0])
    np.testing.assert_allclose(of_one_shape[0], alone[0], rtol=1e-3)


def test_a_dirichlet_draw_has_its_moments():
    a = np.array([0.01, 0.3, 0.0, 2.0, 7.0])
    concentration = jnp.tile(jnp.asarray(a, jnp.float32)[:, None], (1, 20_000))
    x = np.asarray(jax.jit(dirichlet)(jax.random.key(2), concentration), float)
    np.testing.assert_allclose(x.sum(0), 1, rtol=1e-6)
    assert not x[2].any()
    mean = a / a.sum()
    variance = mean * (1 - mean) / (a.sum() + 1)
    some = a > 0
    score = (x.mean(1) - mean)[some] / np.sqrt(variance[some] / x.shape[1])
    assert 2 * stats.norm.sf(np.abs(score).max()) * some.sum() > FALSE_ALARM
    np.testing.assert_allclose(x.var(1)[some], variance[some], rtol=0.3)


def test_draws_of_tiny_concentrations_choose_one():
    """Every gamma variable is below the least float; the shares are not."""
    x = np.asarray(jax.jit(dirichlet)(jax.random.key(0), jnp.full((3, 4000), 1e-4)))
    np.testing.assert_allclose(x.sum(0), 1, rtol=1e-6)
    assert np.mean(x.max(0) < 0.98) < 0.01
    assert stats.chisquare(np.bincount(x.argmax(0), minlength=3)).pvalue > FALSE_ALARM


@pytest.mark.hours
def test_counted_ones_never_get_nothing():
    x = dirichlet(jax.random.key(0), jnp.tile(jnp.array([[1e-3], [1.001], [1e6]], jnp.float32), (1, 10_000)))
    assert x[1].min() > 0
    assert not dirichlet(jax.random.key(0), jnp.zeros((3, 2))).any()
