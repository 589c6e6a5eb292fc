"""A Gibbs sampler in plain JAX, right or wrong on purpose.

A statistical test proves something only if it can fail. Each defect here is an error that a kernel could have; the
tests must reject all of them, and accept the sampler without a defect.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.registry import unchanged
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["DEFECTS", "Flawed", "plain_cgs", "recount"]

DEFECTS = {
    "token counted": "the token is not left out of any count",
    "token counted in n_k": "the token is left out of n_dk and n_vk only",
    "symmetric alpha": "alpha is replaced by its mean over the allowed topics",
    "symmetric beta": "beta is replaced by its mean over words",
    "synchronous": "every token is drawn from the counts the sweep began with",
}


class Flawed(NamedTuple):
    """Data, and the defect as an array: all defects share one compiled program."""

    data: Data
    defect: Bool[Array, " defects"]

    def has(self, name: str) -> Bool[Array, ""]:
        return self.defect[list(DEFECTS).index(name)]

    def priors(self) -> tuple[Float[Array, "D K"], Float[Array, "K V"]]:
        alpha, beta = self.data.priors
        alpha = jnp.broadcast_to(alpha, (self.data.tokens.n_d.shape[0], alpha.shape[-1]))
        beta = jnp.broadcast_to(beta, (alpha.shape[-1], beta.shape[-1]))
        allowed = alpha > 0
        mean_alpha = jnp.where(allowed, alpha.sum(1, keepdims=True) / allowed.sum(1, keepdims=True), 0.0)
        alpha = jnp.where(self.has("symmetric alpha"), mean_alpha, alpha)
        return alpha, jnp.where(self.has("symmetric beta"), beta.mean(1, keepdims=True), beta)


class Info(NamedTuple):
    moved: Float[Array, ""]


class State(NamedTuple):
    z: Int[Array, " N"]
    n_dk: Int[Array, "D K"]
    n_vk: Int[Array, "V K"]
    n_k: Int[Array, " K"]


def recount(z: Int[Array, " N"], data: Data) -> Counts:
    """Count the assignments."""
    n_docs, n_topics = data.tokens.n_d.shape[0], data.priors.alpha.shape[-1]
    zero_dk, zero_vk = jnp.zeros((n_docs, n_topics), int), jnp.zeros((data.priors.beta.shape[-1], n_topics), int)
    n_vk = zero_vk.at[data.tokens.w, z].add(data.tokens.m)
    return Counts(zero_dk.at[data.tokens.d, z].add(data.tokens.m), n_vk, n_vk.sum(0))


def _draw(u: Float[Array, ""], p: Float[Array, " K"]) -> Int[Array, ""]:
    cumulative = jnp.cumsum(p)
    return jnp.sum(cumulative <= u * cumulative[-1])


def init(key: PRNGKeyArray, flawed: Flawed) -> State:
    data = flawed.data
    alpha, _ = flawed.priors()
    z = jax.vmap(_draw)(jax.random.uniform(key, data.tokens.w.shape), alpha[data.tokens.d])
    return State(z, *recount(z, data))


def step(key: PRNGKeyArray, state: State, flawed: Flawed) -> tuple[State, Info]:
    data = flawed.data
    alpha, beta = flawed.priors()
    topics = jnp.arange(alpha.shape[1])

    def update(counts: Counts, token: tuple) -> tuple[Counts, Int[Array, ""]]:
        w, d, m, old, u = token
        read = jax.tree.map(partial(jnp.where, flawed.has("synchronous")), Counts(*state[1:]), counts)
        own = m * (topics == old)
        left_out = jnp.where(flawed.has("token counted"), 0, own)
        from_n_k = jnp.where(flawed.has("token counted in n_k"), 0, left_out)
        if data.phi is None:
            word = (read.n_vk[w] - left_out + beta[:, w]) / (read.n_k - from_n_k + beta.sum(1))
        else:
            word = data.phi[:, w]
        p = word * jnp.where(alpha[d] > 0, read.n_dk[d] - left_out + alpha[d], 0.0)
        new = jnp.where(m > 0, _draw(u, p), old)
        change = m * (topics == new) - own
        return Counts(counts.n_dk.at[d].add(change), counts.n_vk.at[w].add(change), counts.n_k + change), new

    w, d, m, _ = data.tokens
    tokens = (w, d, m, state.z, jax.random.uniform(key, w.shape))
    counts, z = lax.scan(update, Counts(*state[1:]), tokens)
    return State(z, *counts), Info(moved=jnp.mean(z != state.z))


def readout(state: State, flawed: Flawed) -> Sample:
    return Sample(Counts(*state[1:]), state.z)


def plain_cgs(defect: str | None = None) -> Algorithm:
    """Return the sampler of Eqs. 1 and 4 with one of ``DEFECTS``, or none; it insists on ``prepare``."""
    flawed = partial(Flawed, defect=jnp.array([name == defect for name in DEFECTS]))
    return Algorithm("plain", (("defect", defect),), init, step, readout, flawed, log_joint, unchanged)
