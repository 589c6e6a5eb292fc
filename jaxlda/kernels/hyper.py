r"""Priors learned while sampling: wrappers that take an algorithm and return one.

Given the counts of a sweep, the documents are draws from a Dirichlet-multinomial distribution, and so are the topics;
Minka's fixed-point iteration (Estimating a Dirichlet distribution, 2000) raises their likelihood as a function of
:math:`\alpha` or :math:`\beta`. Taking turns with sweeps it is a stochastic form of EM, as Wallach, Mimno and McCallum
(2009) recommend for topic models: an asymmetric alpha, a symmetric beta.

What is learned is part of the state, so that chains learn independently, and stopping and going on changes nothing.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int, Num, PRNGKeyArray

from jaxlda.corpora.numbers import positive_int
from jaxlda.kernels.bricks.draw import sum_rows
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.types import Algorithm, Counts, Data, Info, Priors, Sample

__all__ = [
    "AlphaState",
    "BetaState",
    "fixed_point",
    "learn_alpha",
    "learn_beta",
    "learned_priors",
    "present",
    "unwrapped",
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
    """One number for all words and topics; sweeps use it rounded, see ``learned_priors``."""
    sweep: Int[Array, ""]
    """Sweeps done."""


def _rise(n: Num[Array, "*n"], x: Float[Array, "*#n"]) -> Float[Array, "*n"]:
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
    likelihood. Rows without counts say nothing.

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
    size = n.shape[1]

    def iteration(_: Array, prior: Float[Array, " size"]) -> Float[Array, " size"]:
        above = sum_rows(_rise(n, prior[None]))
        below = sum_rows(_rise(totals, sum_rows(prior)[None]))
        if symmetric:
            above = jnp.broadcast_to(sum_rows(above) / size, (size,))
        new = prior * above / jnp.where(below > 0, below, 1.0)
        # The likelihood has a lower bound that touches it at the old value and rises steadily from there to the new
        # one: stopping half-way at the least value still raises it.
        new = jnp.maximum(new, jnp.minimum(prior, LEAST))
        return jnp.where(below > 0, new, prior)

    return lax.fori_loop(0, num_iterations, iteration, prior)


def _data(layout: Any) -> Data:
    """The data an algorithm has laid out, which it takes in place of the layout."""
    data = layout if isinstance(layout, Data) else getattr(layout, "data", None)
    if not isinstance(data, Data):
        raise TypeError(
            f"priors can be learned with algorithms whose prepare gives Data, or a layout with the field 'data' that "
            f"their other functions take in its place; this one gives {type(layout).__name__}"
        )
    return data


@dataclass(frozen=True, eq=False)
class _Learner:
    """The functions of an algorithm that learns one of the priors. They can be pickled, which closures cannot."""

    inner: Algorithm
    state: type[AlphaState] | type[BetaState]
    symmetric: bool
    every: int
    start: int
    num_iterations: int

    def __reduce__(self) -> tuple:
        # Through the cache: a copy is the same algorithm, and finds its compiled programs.
        return _learner, (self.inner, self.state, self.symmetric, self.every, self.start, self.num_iterations)

    def prepare(self, data: Data) -> Any:
        """Refuse priors that are not of the form to be learned; then the inner algorithm lays the data out."""
        if data.phi is None:
            self._check(data.priors)
        return self.inner.prepare(data)

    def _check(self, priors: Priors) -> None:
        symbol, size = ("alpha", "K") if self.state is AlphaState else ("beta", "V")
        prior = np.asarray(getattr(priors, symbol))
        if prior.ndim == 2:
            raise ValueError(
                f"learn_{symbol} learns a prior that all have in common, ({size},); these data have one with a row for "
                f"each {'document' if symbol == 'alpha' else 'topic'}, of shape {prior.shape}"
            )
        if self.symmetric and np.ptp(prior) > 0:
            raise ValueError(
                f"a symmetric {symbol} has one value for all; these data have values from {prior.min():g} to "
                f"{prior.max():g}. Start from one number{', or give symmetric=False' if symbol == 'alpha' else ''}"
            )

    def init(self, key: PRNGKeyArray, data: Any) -> AlphaState | BetaState:
        """Start from the priors of the data."""
        alpha, beta = _data(data).priors
        prior = alpha if self.state is AlphaState else beta[(0,) * beta.ndim]
        return self.state(self.inner.init(key, data), prior, jnp.int32(0))

    def step(self, key: PRNGKeyArray, state: AlphaState | BetaState, data: Any) -> tuple[AlphaState | BetaState, Info]:
        """One sweep with the present prior, and if it is time, a new prior from its counts."""
        layout, data = data, _data(data)
        present = _relaid(layout, _with_prior(state, data))
        inner, info = self.inner.step(key, state.inner, present)
        sweep = state.sweep + 1
        prior = state[1]
        if data.phi is None:
            due = (sweep >= self.start) & ((sweep - self.start) % self.every == 0)
            # Not lax.cond: under vmap it would compute a new prior at every sweep, while no iterations cost nothing.
            num_iterations = jnp.where(due, self.num_iterations, 0)
            prior = token_loop(self._learned)(self.inner.readout(inner, present).counts, data, prior, num_iterations)
        return self.state(inner, prior, sweep), info

    def _learned(self, counts: Counts, data: Data, prior: Array, num_iterations: Array) -> Array:
        if self.state is AlphaState:
            return fixed_point(counts.n_dk, data.tokens.n_d, prior, num_iterations, symmetric=self.symmetric)
        words = jnp.broadcast_to(prior, data.priors.beta.shape)
        return fixed_point(counts.n_vk.T, counts.n_k, words, num_iterations, symmetric=True)[0]

    def readout(self, state: AlphaState | BetaState, data: Any) -> Sample:
        """The sample of the inner algorithm."""
        return self.inner.readout(state.inner, data)


def _relaid(layout: Any, data: Data) -> Any:
    """The layout of other priors, where what was found on the host must be kept; otherwise the data themselves."""
    return layout.with_data(data) if hasattr(layout, "with_data") else data


def _with_prior(state: AlphaState | BetaState, data: Data) -> Data:
    if data.phi is not None:
        return data
    if isinstance(state, AlphaState):
        return data._replace(priors=data.priors._replace(alpha=state.alpha))
    (V,) = data.priors.beta.shape
    return data._replace(priors=data.priors._replace(beta=jnp.broadcast_to(_summable(state.beta, V), (V,))))


def _summable(x: Float[Array, ""], times: int) -> Float[Array, ""]:
    """Round to so few binary digits that adding ``times`` copies up is exact, in whatever order.

    Algorithms add beta up over the words when they lay out their data. Compiled into a sweep, that sum would be rounded
    differently in one chain and in a batch of chains. (0.003 % for 1,000 words, 0.2 % for 65,000; no further.)
    """
    dropped = min((times - 1).bit_length(), 16)
    bits = lax.bitcast_convert_type(x, jnp.uint32)
    bits = (bits + jnp.uint32((1 << dropped) >> 1)) & jnp.uint32(2**32 - (1 << dropped))
    return lax.bitcast_convert_type(bits, jnp.float32)


@lru_cache(maxsize=256)
def _learner(
    inner: Algorithm,
    state: type[AlphaState] | type[BetaState],
    symmetric: bool,
    every: int,
    start: int,
    num_iterations: int,
) -> _Learner:
    return _Learner(inner, state, symmetric, every, start, num_iterations)


def _algorithm(inner: Algorithm, *settings: Any) -> Algorithm:
    learner = _learner(inner, *settings)
    return Algorithm(learner.init, learner.step, learner.readout, learner.prepare)


def _checked(every: int, start: int, num_iterations: int) -> tuple[int, int, int]:
    numbers = {"every": every, "start": start, "num_iterations": num_iterations}
    every, start, num_iterations = (positive_int(value, name) for name, value in numbers.items())
    return every, start, num_iterations


def learn_alpha(
    algorithm: Algorithm, *, symmetric: bool = False, every: int = 10, start: int = 50, num_iterations: int = 5
) -> Algorithm:
    r"""Learn the prior of the documents' topics, :math:`\alpha`, from the counts of sweeps (see :func:`fixed_point`).

    The run starts with the alpha of its data, which must be shared by all documents. The learned one is part of the
    state: ``run.state(chain).alpha``, or :func:`learned_priors`. Where the data fix phi (new documents), nothing is
    learned: what is inferred about a document must not depend on its neighbours. Costs a few operations for each of
    the D x K counts and iteration, at the sweeps that learn. (Soft counts, as those of CVB0, are averages and vary less
    from document to document than samples do: from them, priors come out larger.)

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
    return _algorithm(algorithm, AlphaState, bool(symmetric), *_checked(every, start, num_iterations))


def learn_beta(algorithm: Algorithm, *, every: int = 10, start: int = 50, num_iterations: int = 5) -> Algorithm:
    r"""Learn the prior of the topics' words, one :math:`\beta` for all words, from the counts of sweeps.

    As :func:`learn_alpha`, with topics in the place of documents and words in that of topics; the data must start from
    a symmetric beta. The learned one is ``run.state(chain).beta``, or in :func:`learned_priors`.

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
    >>> state = learn_beta(learn_alpha(jaxlda.kernels.cgs())).init(jax.random.key(0), data)
    >>> float(state.beta), state.inner.alpha.tolist()  # before the first sweep
    (0.25, [0.5, 0.5])
    """
    return _algorithm(algorithm, BetaState, True, *_checked(every, start, num_iterations))


def unwrapped(algorithm: Algorithm) -> tuple[Algorithm, str, dict[str, Any]] | None:
    """What made an algorithm that learns priors: the one it wraps, the wrapper's name and options; ``None`` for others.

    Examples
    --------
    >>> from jaxlda.kernels import cgs
    >>> unwrapped(learn_beta(cgs(), every=5))[1:]
    ('learn_beta', {'every': 5, 'start': 50, 'num_iterations': 5})
    """
    learner = getattr(algorithm.init, "__self__", None)
    if not isinstance(learner, _Learner):
        return None
    options = {name: getattr(learner, name) for name in ("every", "start", "num_iterations")}
    if learner.state is BetaState:
        return learner.inner, "learn_beta", options
    return learner.inner, "learn_alpha", {"symmetric": learner.symmetric, **options}


def present(state: Any, data: Data) -> Data:
    """Put what a state has learned in the place of the priors of the data; nothing changes if it learns nothing.

    Examples
    --------
    >>> data = Data(None, Priors(jnp.ones(2), jnp.ones(3)))
    >>> present(AlphaState(None, jnp.array([0.5, 0.25]), 10), data).priors.alpha.tolist()
    [0.5, 0.25]
    """
    while isinstance(state, AlphaState | BetaState):
        data = _with_prior(state, data)
        state = state.inner
    return data


def learned_priors(run: Any, chain: int = 0) -> Priors:
    """The priors one chain of a ``Run`` has arrived at; those of the data where it learns none.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1], [1, 2]]).data(num_topics=2, alpha=0.5)
    >>> learned_priors(jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=1)).alpha.tolist()
    [0.5, 0.5]
    """
    return present(run.state(chain), run.data).priors
