r"""Dirichlet draws of any concentration in float32, whole tables at once.

A symmetric prior of .01 is usual for topics. Half of the gamma variables of such a shape are below 1e-38, the least
float32, and where a topic is empty, all of them may be: so they are drawn, and normalised, as logarithms.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Float, PRNGKeyArray, UInt32

from jaxlda.kernels.bricks.draw import sum_ahead
from jaxlda.kernels.bricks.random import uniform_pairs

__all__ = ["dirichlet", "log_gamma"]

_CHUNK = 8192  # variables at once on a CPU: the fewer, the sooner all have been accepted
_LEAST = -3e38  # of a logarithm: those of tiny shapes are beyond what a float32 holds


def log_gamma(key: PRNGKeyArray, shape: Float[Array, "*n"], first: UInt32[Array, ""] | int = 0) -> Float[Array, "*n"]:
    r"""Draw the logarithms of independent gamma variables; of shape zero, that of nothing.

    A variable of shape a is one of shape a + 1 times :math:`U^{1/a}`; that of shape a + 1 is drawn by Marsaglia and
    Tsang (2000), who reject one candidate in twenty at most. ``first`` is the number of the first variable, where they
    are part of a longer sequence.

    >>> x = jnp.exp(log_gamma(jax.random.key(0), jnp.full(100_000, 2.5)))
    >>> round(float(x.mean()), 1), round(float(x.var()), 1)
    (2.5, 2.5)
    """
    a = lax.optimization_barrier(shape.ravel())  # what is rounded here must not depend on what surrounds it
    if a.shape[0] <= _CHUNK:
        log_x = _all_at_once(key, a, jnp.uint32(first))
    else:
        log_x = lax.platform_dependent(key, a, jnp.uint32(first), cpu=_in_chunks, default=_of_all_chains)
    return lax.optimization_barrier(log_x).reshape(shape.shape)


def _in_chunks(key: PRNGKeyArray, a: Float[Array, " n"], first: UInt32[Array, ""]) -> Float[Array, " n"]:
    chunks = jnp.pad(a, (0, -a.shape[0] % _CHUNK)).reshape(-1, _CHUNK)
    starts = first + _CHUNK * jnp.arange(chunks.shape[0], dtype=jnp.uint32)
    return lax.map(lambda chunk: _all_at_once(key, *chunk), (chunks, starts)).ravel()[: a.shape[0]]


def _all_at_once(key: PRNGKeyArray, a: Float[Array, " n"], first: UInt32[Array, ""]) -> Float[Array, " n"]:
    """All try again until the last one has succeeded, 6 times or so for a million."""
    return _logarithms(key, a, first, _accepted(partial(_attempt, key, a, first), a))


def _of_all_chains(key: PRNGKeyArray, a: Float[Array, " n"], first: UInt32[Array, ""]) -> Float[Array, " n"]:
    """The same for an accelerator: batched, all chains try until the last variable of any has succeeded.

    A loop under ``vmap`` would ask twice in every round which chains are not done yet, and hold the others back: four
    launches per round that change nothing, as a variable that has succeeded stays as it is.
    """

    @custom_vmap
    def candidates(key: PRNGKeyArray, a: Float[Array, " n"], first: UInt32[Array, ""]) -> Float[Array, " n"]:
        return _accepted(partial(_attempt, key, a, first), a)

    @candidates.def_vmap
    def together(axis_size: int, in_batched: list[bool], *arguments: Any) -> tuple[Array, bool]:
        axes = tuple(0 if batched else None for batched in in_batched)
        each = jax.vmap(_attempt, (*axes, None, 0, 0))
        a = arguments[1] if in_batched[1] else jnp.broadcast_to(arguments[1], (axis_size, *arguments[1].shape))
        return _accepted(partial(each, *arguments), a), True

    return _logarithms(key, a, first, candidates(key, a, first))


def _accepted(attempt: Callable, a: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """What all variables have at last, after as many attempts as the last one needs."""

    def again(carry: tuple) -> tuple:
        times, log_v, done = carry
        return times + 1, *attempt(times, log_v, done)

    start = (jnp.uint32(1), jnp.zeros_like(a), a <= 0)
    return lax.while_loop(lambda carry: ~carry[2].all(), again, start)[1]


def _attempt(
    key: PRNGKeyArray, a: Float[Array, " n"], first: UInt32[Array, ""], times: Array, log_v: Array, done: Array
) -> tuple[Array, Array]:
    """Draw a candidate for every variable; those that have one keep theirs."""
    d, c = _shapes(a)
    u, accept = uniform_pairs(jax.random.fold_in(key, times), a.shape[0], first)
    x = jnp.float32(np.sqrt(2)) * lax.erf_inv(2 * u - jnp.float32(1 - 2**-23))  # symmetric, and never infinite
    root = 1 + c * x
    new = 3 * jnp.log(jnp.maximum(root, jnp.float32(1e-30)))
    good = (root > 0) & (jnp.log1p(-accept) < x * x / 2 + d * (1 - root * root * root + new))
    return jnp.where(done, log_v, new), done | good


def _shapes(a: Float[Array, " n"]) -> tuple[Array, Array]:
    d = a + jnp.float32(1 - 1 / 3)
    return d, 1 / jnp.sqrt(9 * d)


def _logarithms(key: PRNGKeyArray, a: Float[Array, " n"], first: UInt32[Array, ""], log_v: Array) -> Array:
    """The variables, from what was accepted for those of shape a + 1."""
    u, _ = uniform_pairs(jax.random.fold_in(key, 0), a.shape[0], first)
    log_x = jnp.log(_shapes(a)[0]) + log_v + jnp.log1p(-u) / jnp.where(a > 0, a, 1.0)
    return jnp.where(a > 0, jnp.maximum(log_x, jnp.float32(_LEAST)), -jnp.inf)


def dirichlet(
    key: PRNGKeyArray,
    concentration: Float[Array, "rows columns"],
    axis: int = 0,
    first_row: UInt32[Array, ""] | int = 0,
) -> Float[Array, "rows columns"]:
    """Draw from Dirichlet distributions along an axis; zero where the concentration is.

    A concentration of 1 or more never gives zero. Where all are zero, so is the draw. Rows of zeros at the end change
    nothing in those before. ``first_row`` is the number of the first row, where the table is part of a larger one.

    >>> x = dirichlet(jax.random.key(0), jnp.array([[1e-3, 0.0], [1e-3, 2.0]]))
    >>> x.sum(0).tolist(), float(x[0, 1])
    ([1.0, 1.0], 0.0)
    """
    log_x = log_gamma(key, concentration, first_row * concentration.shape[1])
    top = jnp.maximum(log_x.max(axis, keepdims=True), jnp.float32(_LEAST))
    x = jnp.where(concentration > 0, jnp.exp(log_x - top), 0.0)
    total = jnp.expand_dims(sum_ahead(jnp.moveaxis(x, axis, 0)), axis)
    return x / jnp.where(total > 0, total, 1.0)
