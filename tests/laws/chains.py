"""Drawing from many chains, and comparing what was drawn with the exact posterior."""

from functools import partial
from typing import Any

import jax
import numpy as np
from jax import lax
from jaxtyping import Array, Int, PRNGKeyArray
from scipy import stats

from jaxlda.kernels.layouts.orders import TwoOrders, lay_out_orders
from jaxlda.kernels.layouts.tokens import lay_out_rows
from jaxlda.kernels.layouts.words import ListsOrRows, lay_out_words
from jaxlda.types import Algorithm, Data
from tests import reference

__all__ = ["chi_square", "draws", "under_jit"]


# The functions of an algorithm are static without its ``prepare``: algorithms that differ only there compile once.
@partial(jax.jit, static_argnums=0, static_argnames=("num_chains", "num_draws", "num_warmup", "thinning"))
def _run(
    functions: tuple, key: PRNGKeyArray, data: Any, *, num_chains: int, num_draws: int, num_warmup: int, thinning: int
):
    init, step, readout = functions

    def sweeps(state: Any, key: PRNGKeyArray, n: int) -> Any:
        return lax.scan(lambda s, k: (step(k, s, data)[0], None), state, jax.random.split(key, n))[0]

    def draw(state: Any, key: PRNGKeyArray) -> tuple[Any, Int[Array, " N"]]:
        state = sweeps(state, key, thinning)
        return state, readout(state, data).z

    def chain(key: PRNGKeyArray) -> Int[Array, "S N"]:
        start, warmup, keep = jax.random.split(key, 3)
        state = sweeps(init(start, data), warmup, num_warmup)
        return lax.scan(draw, state, jax.random.split(keep, num_draws))[1]

    return jax.vmap(chain)(jax.random.split(key, num_chains))


def draws(
    alg: Algorithm, seed: int, data: Data, num_chains: int, num_draws: int = 1, num_warmup: int = 30, thinning: int = 1
) -> np.ndarray:
    """Draw z, (num_chains * num_draws, N)."""
    settings = {"num_chains": num_chains, "num_draws": num_draws, "num_warmup": num_warmup, "thinning": thinning}
    z = np.asarray(_run((alg.init, alg.step, alg.readout), jax.random.key(seed), alg.prepare(data), **settings))
    return z.reshape(num_chains * num_draws, -1)


def under_jit(alg: Algorithm, data: Data) -> Any:
    """How to lay such data out under ``jit``, where words are traced: what ``prepare`` does on the host."""
    layout = alg.prepare(data)
    if isinstance(layout, ListsOrRows):
        if layout.lists is None:
            return lambda data: ListsOrRows(None, lay_out_rows(data))
        return lambda data: ListsOrRows(lay_out_words(data), None)
    return lay_out_orders if isinstance(layout, TwoOrders) else lay_out_rows


def chi_square(z: np.ndarray, posterior: reference.Enumeration, n_topics: int, least: float = 10.0) -> float:
    """Return the p-value of draws of z against p(z | w), by Pearson's chi-square over all z.

    States are pooled, the least probable first, until each cell expects at least ``least`` draws. The pooling knows the
    exact probabilities only, so the p-value is uniform if the draws are independent and right. Zero if something
    impossible was drawn.
    """
    place = n_topics ** np.arange(z.shape[1])[::-1]
    observed = np.bincount(z @ place, minlength=len(posterior.probability))
    if np.any(observed[posterior.probability == 0]):
        return 0.0
    order = np.argsort(posterior.probability, kind="stable")
    order = order[posterior.probability[order] > 0]
    expected, observed = posterior.probability[order] * len(z), observed[order]
    # Cells are runs of the ordered states; what remains at the end of the last full run joins it.
    starts, filled = [0], 0.0
    for i, e in enumerate(expected):
        filled += e
        if filled >= least and i + 1 < len(expected):
            starts, filled = [*starts, i + 1], 0.0
    if filled < least and len(starts) > 1:
        starts = starts[:-1]
    cells = np.add.reduceat(expected, starts), np.add.reduceat(observed, starts)
    if len(starts) == 1:
        return 1.0
    statistic = np.sum((cells[1] - cells[0]) ** 2 / cells[0])
    return float(stats.chi2.sf(statistic, len(starts) - 1))
