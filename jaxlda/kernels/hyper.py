r"""Priors learned while sampling: wrappers that take an algorithm and return one.

Given the counts of a sweep, the documents are draws from a Dirichlet-multinomial distribution, and so are the topics;
Minka's fixed-point iteration (Estimating a Dirichlet distribution, 2000) raises their likelihood as a function of
:math:`\alpha` or :math:`\beta`. Taking turns with sweeps it is a stochastic form of EM, as Wallach, Mimno and McCallum
(2009) recommend for topic models: an asymmetric alpha, a symmetric beta.

What is learned is part of the state, so that chains learn independently, and stopping and going on changes nothing.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, Num, PRNGKeyArray

from jaxlda.corpora.numbers import positive_int
from jaxlda.kernels.bricks.draw import sum_rows
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.registry import wrapper
from jaxlda.types import Algorithm, Counts, Data, Layout, Sample

__all__ = [
    "AlphaState",
    "BetaState",
    "Learner",
    "checked_times",
    "fixed_point",
    "learn_alpha",
    "learn_beta",
    "learning",
    "rise",
]

# A topic that no document uses would get zero, which forbids it for ever.
LEAST = 1e-6


class AlphaState(NamedTuple):
    """The state of the algorithm that is wrapped, and the present alpha."""

    inner: Any
    alpha: Float[Array, " K"]
    sweep: Int[Array, ""]
    """Sweeps done."""


class BetaState(NamedTuple):
    """The state of the algorithm that is wrapped, and the present beta."""

    inner: Any
    beta: Float[Array, ""]
    """One number for all words and topics."""
    sweep: Int[Array, ""]
    """Sweeps done."""


def rise(n: Num[Array, "*n"], x: Float[Array, "*#n"]) -> Float[Array, "*n"]:
    r"""Compute :math:`\psi(x + n) - \psi(x)` for :math:`n \ge 0`, :math:`x > 0`, to a few units of the last digit.

    Subtracting two values of the digamma function would lose all digits where x is large and n small. Here the
    recurrence moves both to 4 and beyond, and in the asymptotic series there the difference of the reciprocals is
    written as a product: nothing is subtracted, and n = 0 gives exactly 0.
    """
    recurrence = sum(n / ((x + i) * (x + i + n)) for i in range(4))
    u, v = 1 / (x + 4), 1 / (x + 4 + n)
    uu, vv = u * u, v * v
    series = 0.5 + (u + v) * (1 / 12 - (uu + vv) / 120 + (uu * uu + uu * vv + vv * vv) / 252)
    return recurrence + jnp.log1p(n * u) + n * u * v * series


def fixed_point(
    n: Num[Array, "rows size"],
    totals: Num[Array, " rows"],
    prior: Float[Array, " size"],
    num_iterations: int | Int[Array, ""] = 1,
    *,
    symmetric: bool = False,
) -> Float[Array, " size"]:
    r"""Iterate towards the most likely parameter of the Dirichlet-multinomial distribution that counts were drawn from.

    .. math:: \alpha_k \leftarrow \alpha_k \frac{\sum_d \psi(n_{dk} + \alpha_k) - \psi(\alpha_k)}
        {\sum_d \psi(n_d + \sum_k \alpha_k) - \psi(\sum_k \alpha_k)}

    and with one value for all components, numerator and denominator averaged over them. Every iteration raises the
    likelihood. Rows without counts say nothing, and components of prior zero, which have none, stay at zero.

    Parameters
    ----------
    n, totals
        Counts, not necessarily whole, and their sum in each row.
    prior
        Where to start.
    num_iterations
        How many steps.
    symmetric
        Learn one value for all components; ``prior`` must have one already.

    Examples
    --------
    >>> n = jnp.array([[9, 1], [8, 2], [1, 9], [2, 8]])
    >>> [round(float(a), 3) for a in fixed_point(n, n.sum(1), jnp.ones(2), 100)]
    [0.964, 0.964]
    """
    size = (prior > 0).sum()

    def iteration(_: Array, prior: Float[Array, " size"]) -> Float[Array, " size"]:
        above = sum_rows(rise(n, jnp.where(prior > 0, prior, 1.0)[None]))
        below = sum_rows(rise(totals, sum_rows(prior)[None]))
        if symmetric:
            above = jnp.broadcast_to(sum_rows(above) / size, above.shape)
        new = prior * above / jnp.where(below > 0, below, 1.0)
        # The likelihood has a lower bound that touches it at the old value and rises steadily from there to the new
        # one: stopping half-way at the least value still raises it.
        new = jnp.maximum(new, jnp.minimum(prior, LEAST))
        return jnp.where(below > 0, new, prior)

    return lax.fori_loop(0, num_iterations, iteration, prior)


def _checked_prior(data: Data, symbol: str, symmetric: bool) -> Data:
    """The data, or an error where their prior is not of the form to be learned."""
    prior = np.asarray(getattr(data.priors, symbol))
    prior = prior if prior.ndim == 2 else prior[prior > 0]
    rows, size = ("document", "K") if symbol == "alpha" else ("topic", "V")
    if prior.ndim == 2:
        raise ValueError(
            f"learn_{symbol} learns a prior that all have in common, ({size},); these data have one with a row for "
            f"each {rows}, of shape {prior.shape}"
        )
    if symmetric and np.ptp(prior) > 0:
        raise ValueError(
            f"a symmetric {symbol} has one value for all; these data have values from {prior.min():g} to "
            f"{prior.max():g}. Start from one number{', or give symmetric=False' if symbol == 'alpha' else ''}"
        )
    return data


class Learner(NamedTuple):
    """What learning one prior and another differ in. A ``State`` is (inner state, what is learned, sweeps done)."""

    prepared: Callable[[Data], Data]
    """The data in the form that is laid out, or an error where nothing can be learned of them."""
    start: Callable[[Any, Data], Any]
    """``(inner state, data) -> State`` before the first sweep."""
    view: Callable[[Array, Data], Data]
    """The data with what was learned."""
    learned: Callable[[Counts, Data, Array, int], Array]
    """``(counts, data, what was learned, number of iterations) -> what is learned now``."""


def learning(
    inner: Algorithm, learner: Learner, name: str, options: dict[str, Any], every: int, start: int, num_iterations: int
) -> Algorithm:
    """Put an algorithm that learns a prior around one that does not."""
    if not isinstance(inner, Algorithm):
        raise TypeError(f"{name} takes an algorithm such as jaxlda.kernels.cgs(); got {inner!r}")

    def view(state: Any, data: Data) -> Data:
        return inner.view(state.inner, data if data.phi is not None else learner.view(state[1], data))

    def present(state: Any, layout: Layout) -> Layout:
        """The layout with the priors as they are now, those of the algorithm inside left to itself."""
        return layout if layout.data.phi is not None else layout.with_data(learner.view(state[1], layout.data))

    def prepare(data: Data) -> Layout:
        return inner.prepare(data if data.phi is not None else learner.prepared(data))

    def init(key: PRNGKeyArray, layout: Layout) -> Any:
        return learner.start(inner.init(key, layout), layout.data)

    def renewed(state: Any, layout: Layout, prior: Array, rounds: Array) -> Array:
        def learn(_: Array, prior: Array) -> Array:
            return learner.learned(inner.readout(state, layout).counts, layout.data, prior, num_iterations)

        # Not lax.cond: under vmap it would learn at every sweep, while a loop of no rounds costs nothing.
        return lax.fori_loop(0, rounds, learn, prior)

    def after_sweep(after: Any, prior: Array, sweep: Array, now: Layout) -> tuple[Array, Array]:
        """The prior after a sweep, and the number of sweeps."""
        sweep = sweep + 1
        if now.data.phi is None:
            due = (sweep >= start) & ((sweep - start) % every == 0)
            prior = token_loop(renewed)(after, now, prior, jnp.where(due, 1, 0))
        return prior, sweep

    def step(key: PRNGKeyArray, state: Any, layout: Layout) -> tuple[Any, Any]:
        """One sweep with the present prior, and if it is time, a new prior from its counts."""
        now = present(state, layout)
        after, info = inner.step(key, state.inner, now)
        return type(state)(after, *after_sweep(after, state[1], state[2], now)), info

    jitted = jax.jit(present), jax.jit(after_sweep)

    def threaded(key: PRNGKeyArray, state: Any, layout: Layout) -> tuple[Any, Any]:
        assert inner.threaded is not None
        now = jitted[0](state, layout)
        after, info = inner.threaded(key, state.inner, now)
        return type(state)(after, *jitted[1](after, state[1], state[2], now)), info

    def readout(state: Any, layout: Layout) -> Sample:
        return inner.readout(state.inner, layout)

    taken = (("algorithm", inner), *options.items())
    in_threads = None if inner.threaded is None else threaded
    return Algorithm(name, taken, init, step, readout, prepare, inner.objective, view, in_threads)


@wrapper
def learn_alpha(
    algorithm: Algorithm, *, symmetric: bool = False, every: int = 10, start: int = 50, num_iterations: int = 5
) -> Algorithm:
    r"""Learn the prior of the documents' topics, :math:`\alpha`, from the counts of sweeps (see :func:`fixed_point`).

    The run starts with the alpha of its data, which must be shared by all documents. The learned one is part of the
    state: ``run.chain_data(chain).priors``. Where the data fix phi (new documents), nothing is learned: what is
    inferred about a document must not depend on its neighbours. Costs a few operations for each of the D x K counts and
    iteration, at the sweeps that learn. (Soft counts, as those of CVB0, are averages and vary less from document to
    document than samples do: from them, priors come out larger.)

    Parameters
    ----------
    algorithm
        Such as ``jaxlda.kernels.cgs()``, or one that learns beta already.
    symmetric
        One value for all topics; otherwise one for each.
    every, start
        Learn after sweep ``start`` and every so many sweeps from there. Before topics have formed, every document
        seems to be about all of them, which teaches an alpha that keeps it so.
    num_iterations
        Steps of the fixed-point iteration each time.

    Examples
    --------
    >>> import jax, jaxlda
    >>> corpus, _ = jaxlda.datasets.bars(num_docs=50, size=2, alpha=0.1)
    >>> algorithm = learn_alpha(jaxlda.kernels.cgs(), symmetric=True, every=5, start=20)
    >>> data = corpus.data(num_topics=4, alpha=1.0)
    >>> run = jaxlda.run(jax.random.key(0), algorithm, data, num_warmup=60)
    >>> bool(0 < run.state(0).alpha[0] < 1.0)
    True
    """
    numbers = checked_times(every, start, num_iterations)
    symmetric = bool(symmetric)

    def learned(counts: Counts, data: Data, prior: Array, times: int) -> Array:
        return fixed_point(counts.n_dk, data.tokens.n_d, prior, times, symmetric=symmetric)

    learner = Learner(
        lambda data: _checked_prior(data, "alpha", symmetric),
        lambda inner, data: AlphaState(inner, data.priors.alpha, jnp.int32(0)),
        lambda prior, data: data._replace(priors=data.priors._replace(alpha=prior)),
        learned,
    )
    return learning(algorithm, learner, "learn_alpha", {"symmetric": symmetric, **numbers}, **numbers)


@wrapper
def learn_beta(algorithm: Algorithm, *, every: int = 10, start: int = 50, num_iterations: int = 5) -> Algorithm:
    r"""Learn the prior of the topics' words, one :math:`\beta` for all words, from the counts of sweeps.

    As :func:`learn_alpha`, with topics in the place of documents and words in that of topics; the data must start from
    a symmetric beta. The learned one is ``run.state(chain).beta``.

    Parameters
    ----------
    algorithm
        Such as ``jaxlda.kernels.cgs()``, or one that learns alpha already.
    every, start, num_iterations
        As in :func:`learn_alpha`.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1], [1, 2]]).data(num_topics=2, alpha=0.5, beta=0.25)
    >>> algorithm = learn_beta(learn_alpha(jaxlda.kernels.cgs()))
    >>> state = algorithm.init(jax.random.key(0), algorithm.prepare(data))
    >>> float(state.beta), state.inner.alpha.tolist()  # before the first sweep
    (0.25, [0.5, 0.5])
    """
    numbers = checked_times(every, start, num_iterations)

    def learned(counts: Counts, data: Data, prior: Array, times: int) -> Array:
        words = jnp.where(data.priors.beta > 0, prior, 0.0)
        return fixed_point(counts.n_vk.T, counts.n_k, words, times, symmetric=True)[0]

    def begun(inner: Any, data: Data) -> BetaState:
        beta = data.priors.beta
        return BetaState(inner, beta[(0,) * beta.ndim], jnp.int32(0))

    def view(prior: Array, data: Data) -> Data:
        beta = data.priors.beta
        return data._replace(priors=data.priors._replace(beta=jnp.where(beta > 0, prior, 0.0)))

    learner = Learner(lambda data: _checked_prior(data, "beta", True), begun, view, learned)
    return learning(algorithm, learner, "learn_beta", numbers, **numbers)


def checked_times(every: int, start: int, num_iterations: int) -> dict[str, int]:
    """The three numbers of a wrapper, by name."""
    numbers = {"every": every, "start": start, "num_iterations": num_iterations}
    return {name: positive_int(value, name) for name, value in numbers.items()}
