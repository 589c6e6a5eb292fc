r"""A prior that depends on what is known of documents: Dirichlet-multinomial regression (Mimno and McCallum, 2008).

.. math:: \alpha_{dk} = \alpha_k \exp(x_d \cdot \lambda_k), \quad \lambda_{fk} \sim \mathrm{N}(0, s_f^2)

with the covariates :math:`x_d` of document d (its year, its party) and their effects :math:`\lambda_k` on topic k.
Given the counts of a sweep, the documents are draws from Dirichlet-multinomial distributions. Taking turns with sweeps,
the effects climb to where these counts and their own prior are most likely: a stochastic form of EM.

Each step maximises a lower bound that touches the likelihood where it stands, the one of Minka's fixed-point iteration.
With :math:`a_{dk} = \alpha_{dk} [\psi(\alpha_{dk} + n_{dk}) - \psi(\alpha_{dk})]` and
:math:`b_d = \psi(\sum_k \alpha_{dk} + n_d) - \psi(\sum_k \alpha_{dk})` it is, up to a constant,

.. math:: \sum_{dk} \big[ a_{dk}\, x_d \cdot \lambda_k - b_d\, \alpha_k \exp(x_d \cdot \lambda_k) \big]
    - \sum_{fk} \frac{\lambda_{fk}^2}{2 s_f^2},

a Poisson regression for each topic. It has the gradient of the likelihood, so the two come to rest at the same place.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax
from jax.scipy.linalg import cho_factor, cho_solve
from jaxtyping import Array, Float, Int, Num

from jaxlda.kernels.hyper import Learner, checked_times, learning, rise
from jaxlda.kernels.registry import wrapper
from jaxlda.types import Algorithm, Counts, Covariates, Data

__all__ = ["EffectsState", "climb", "gradient", "learn_effects"]

# Beyond, a prior says the same; zero would forbid a topic for ever.
LEAST, MOST = 1e-6, 1e6


class EffectsState(NamedTuple):
    """The state of the algorithm that is wrapped, and the present effects."""

    inner: Any
    effects: Float[Array, "F K"]
    sweep: Int[Array, ""]
    """Sweeps done."""


def _alpha(effects: Float[Array, "F K"], data: Data) -> Float[Array, "D K"]:
    """The prior by these effects; the data's own has some in it already, perhaps."""
    assert data.covariates is not None
    base, (x, _, present) = data.priors.alpha, data.covariates
    alpha = base * jnp.exp(jnp.matmul(x, effects - present, precision="highest"))
    return jnp.where(base > 0, jnp.clip(alpha, LEAST, MOST), 0.0)


def _bound(
    n_dk: Num[Array, "D K"], n_d: Num[Array, " D"], alpha: Float[Array, "D K"]
) -> tuple[Float[Array, "D K"], Float[Array, "D K"]]:
    """What the regressions explain, a, and what they expect now, b alpha."""
    seen = alpha * rise(n_dk, jnp.where(alpha > 0, alpha, 1.0))
    total = alpha.sum(1)
    return seen, rise(n_d, jnp.where(total > 0, total, 1.0))[:, None] * alpha


def gradient(counts: Counts, data: Data, effects: Float[Array, "F K"]) -> Float[Array, "F K"]:
    r"""The gradient of the log posterior density of effects, given the counts.

    .. math:: \frac{\partial}{\partial \lambda_{fk}} = \sum_d x_{df} \alpha_{dk} \big[\psi(\alpha_{dk} + n_{dk})
        - \psi(\alpha_{dk}) - \psi(\alpha_{d\cdot} + n_d) + \psi(\alpha_{d\cdot})\big] - \lambda_{fk} / s_f^2

    Parameters
    ----------
    counts
        Of the present state.
    data
        With covariates.
    effects
        Where, F x K.

    Examples
    --------
    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[3, 0], [0, 3]]).data(num_topics=2, alpha=1.0)
    >>> known = Covariates(jnp.array([[1.0], [-1.0]]), jnp.ones(1), jnp.zeros((1, 2)))
    >>> counts = Counts(jnp.array([[3, 0], [0, 3]]), jnp.array([[3, 0], [0, 3]]), jnp.array([3, 3]))
    >>> gradient(counts, data._replace(covariates=known), jnp.zeros((1, 2))).astype(int)  # topic 0 goes with x
    Array([[ 1, -1]], dtype=int32)
    """
    assert data.covariates is not None
    return _slope(effects, data.covariates, *_bound(counts.n_dk, data.tokens.n_d, _alpha(effects, data)))


def _slope(
    effects: Float[Array, "F K"], known: Covariates, seen: Float[Array, "D K"], expected: Float[Array, "D K"]
) -> Float[Array, "F K"]:
    x, scale, _ = known
    return jnp.matmul(x.T, seen - expected, precision="highest") - effects / scale[:, None] ** 2


def climb(
    counts: Counts, data: Data, effects: Float[Array, "F K"], num_iterations: int | Int[Array, ""] = 1
) -> Float[Array, "F K"]:
    """Climb towards the effects that are most likely given the counts; see the module.

    Parameters
    ----------
    counts, data
        As in :func:`gradient`.
    effects
        Where to start.
    num_iterations
        How many steps; each raises the posterior density.

    Examples
    --------
    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[3, 0], [0, 3]]).data(num_topics=2, alpha=1.0)
    >>> known = Covariates(jnp.array([[1.0], [-1.0]]), jnp.ones(1), jnp.zeros((1, 2)))
    >>> counts = Counts(jnp.array([[3, 0], [0, 3]]), jnp.array([[3, 0], [0, 3]]), jnp.array([3, 3]))
    >>> climb(counts, data._replace(covariates=known), jnp.zeros((1, 2)), 50)[0, 0] > 0.7
    Array(True, dtype=bool)
    """
    known = data.covariates
    assert known is not None
    x, scale, _ = known
    prior = jnp.diag(1 / scale**2)

    def iteration(_: Array, effects: Float[Array, "F K"]) -> Float[Array, "F K"]:
        seen, expected = _bound(counts.n_dk, data.tokens.n_d, _alpha(effects, data))
        slope = _slope(effects, known, seen, expected)
        curvature = jnp.einsum("df,dk,dg->kfg", x, expected, x, precision="highest") + prior
        step = cho_solve(cho_factor(curvature), slope.T[..., None])[..., 0].T
        # Newton's step, but no document's log alpha changes by more than 1: then the bound rises, for its curvature
        # along the step grows at most e-fold.
        reach = jnp.abs(jnp.matmul(x, step, precision="highest")).max(0)
        return effects + step / jnp.maximum(reach, 1.0)

    return lax.fori_loop(0, num_iterations, iteration, effects)


@wrapper
def learn_effects(algorithm: Algorithm, *, every: int = 10, start: int = 20, num_iterations: int = 5) -> Algorithm:
    r"""Learn alpha from covariates of the documents: :math:`\alpha_{dk} = \alpha_k \exp(x_d \cdot \lambda_k)`.

    The data must have ``covariates``, and may have any alpha, which the effects multiply. The learned ones are
    ``run.state(chain).effects``, those of draws ``run.effects`` with ``keep=("effects",)``. Where topics are known
    (``data.phi``) nothing is learned: new documents have an alpha of their own.

    Parameters
    ----------
    algorithm
        Such as ``jaxlda.kernels.cgs()``.
    every, start
        Sweeps from one time to the next, and before the first one.
    num_iterations
        Steps of :func:`climb` each time.

    Examples
    --------
    >>> import jax, jaxlda
    >>> corpus = jaxlda.Corpus.from_counts([[9, 1], [1, 9]] * 20)
    >>> data = corpus.data(num_topics=2, alpha=0.5)
    >>> known = Covariates(jnp.array([[1.0], [-1.0]] * 20), jnp.ones(1), jnp.zeros((1, 2)))
    >>> run = jaxlda.run(0, learn_effects(jaxlda.kernels.cgs()), data._replace(covariates=known), num_warmup=60)
    >>> bool(abs(run.state(0).effects[0, 0] - run.state(0).effects[0, 1]) > 1)  # the topics differ in it
    True
    """
    numbers = checked_times(every, start, num_iterations)
    learner = Learner(_prepared, _start, _view, climb)
    return learning(algorithm, learner, "learn_effects", dict(numbers), **numbers)


def _prepared(data: Data) -> Data:
    """The data with a prior for each document, as it will have to be."""
    if data.covariates is None:
        raise ValueError(
            "learn_effects learns how alpha depends on covariates, and these data have none: give "
            "jaxlda.LDA(covariates=[names of columns]), or data._replace(covariates=...)"
        )
    return _view(data.covariates.effects, data)


def _start(inner: Any, data: Data) -> EffectsState:
    # Of new documents, whose topics are known, nothing is learned.
    effects = jnp.zeros((0, data.priors.alpha.shape[-1])) if data.covariates is None else data.covariates.effects
    return EffectsState(inner, effects, jnp.int32(0))


def _view(effects: Array, data: Data) -> Data:
    """The data with these effects in their prior."""
    assert data.covariates is not None
    alpha = _alpha(effects, data)
    covariates: Covariates = data.covariates._replace(effects=effects)
    return data._replace(priors=data.priors._replace(alpha=alpha), covariates=covariates)
