"""An algorithm that compiles in no time, for tests of everything around it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import pytest
from jaxtyping import Array, PRNGKeyArray

from jaxlda import evaluation
from jaxlda.evaluation import completion
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.registry import unchanged
from jaxlda.types import Algorithm, Counts, Data, Sample

__all__ = ["at_once", "toy"]


def prepare(data: Data) -> Data:
    return data


def init(key: PRNGKeyArray, data: Data) -> Counts:
    """Give every word a topic of its own while topics are learned, and what phi says of it once they are fixed."""
    w, d, m, n_d = data.tokens
    V, K = data.priors.beta.shape[-1], data.priors.alpha.shape[-1]
    allowed = (jnp.atleast_2d(data.priors.alpha) > 0).any(0).sum()  # the others make room, at the end
    of_word = jax.nn.one_hot(jnp.arange(V) % allowed, K) if data.phi is None else data.phi.T
    gamma = of_word[w] * m[:, None]
    gamma = gamma / jnp.maximum(gamma.sum(1, keepdims=True), 1e-30)

    def table(index: Array, rows: int) -> Array:
        return jnp.zeros((rows, K)).at[index].add(gamma)

    return Counts(table(d, n_d.shape[0]), table(w, V), gamma.sum(0))


class Info(NamedTuple):
    moved: Array


def step(key: PRNGKeyArray, state: Counts, data: Data) -> tuple[Counts, Info]:
    return state, Info(jnp.float32(0))


def readout(state: Counts, data: Data) -> Sample:
    return Sample(state, None)


class Toy(Algorithm):
    """An algorithm with a name that is the same in every process, as the names of tests must be."""

    def __repr__(self) -> str:
        return "toy"


def toy() -> Algorithm:
    return Toy("toy", (), init, step, readout, prepare, log_joint, unchanged)


@contextmanager
def at_once() -> Iterator[None]:
    """Infer from one state of one chain, whatever is asked for: those of the toy algorithm are all the same."""
    real = evaluation.infer_theta

    def infer(*arguments: Any, **options: Any) -> evaluation.Proportions:
        return real(*arguments, **(options | {"num_warmup": 0, "num_samples": 1, "thinning": 1, "num_chains": 1}))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluation, "infer_theta", infer)
        patch.setattr(completion, "infer_theta", infer)
        yield
