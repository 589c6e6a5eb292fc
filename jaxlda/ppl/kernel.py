"""Any of our algorithms as a kernel of ``numpyro.infer.MCMC``."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray
from numpyro.infer.mcmc import MCMCKernel
from numpyro.util import is_prng_key

from jaxlda import estimators
from jaxlda.corpora.corpus import Corpus
from jaxlda.estimators import log_likelihood_terms
from jaxlda.kernels import find
from jaxlda.kernels.conditional import words_first
from jaxlda.kernels.joint import log_joint_terms
from jaxlda.ppl._documents import as_data
from jaxlda.ppl.model import dirichlet
from jaxlda.types import Algorithm, Data, Sample

__all__ = ["SITES", "CollapsedGibbs", "GibbsState"]

_NUM_TOPICS = 20  # of a corpus, where nobody says


def _log_joint(key: PRNGKeyArray, sample: Sample, data: Data) -> Float[Array, ""]:
    documents, topics = log_joint_terms(sample.counts, data)
    return documents.sum() + topics.sum()


def _log_likelihood(key: PRNGKeyArray, sample: Sample, data: Data) -> Float[Array, ""]:
    terms = log_likelihood_terms(estimators.phi(sample, data), estimators.theta(sample, data), data.tokens)
    return terms.sum() / jnp.maximum(data.tokens.n_d.sum(), 1)  # documents may have no words


SITES: dict[str, Callable[[PRNGKeyArray, Sample, Data], Array]] = {
    "log_joint": _log_joint,
    "topic_sizes": lambda key, sample, data: -jnp.sort(-sample.counts.n_k),
    "log_likelihood": _log_likelihood,
    "n_k": lambda key, sample, data: sample.counts.n_k,
    "n_dk": lambda key, sample, data: sample.counts.n_dk,
    "n_vk": lambda key, sample, data: sample.counts.n_vk,
    "phi_hat": lambda key, sample, data: estimators.phi(sample, data),
    "theta_hat": lambda key, sample, data: estimators.theta(sample, data),
    "phi": lambda key, sample, data: dirichlet(key, (sample.counts.n_vk + words_first(data.priors.beta)).T),
    "theta": lambda key, sample, data: dirichlet(key, sample.counts.n_dk + data.priors.alpha),
}
"""What a draw of ``CollapsedGibbs`` can consist of, by name; each is computed at every sweep."""


class GibbsState(NamedTuple):
    """The state of ``CollapsedGibbs``: what NumPyro collects, and what the next sweep needs."""

    sites: dict[str, Array]
    """The draw; zeros before the first sweep."""
    assigned: Int[Array, "*chains N"] | None
    """``z``, where there is one."""
    moved: Float[Array, "*chains"]
    """The share of the tokens whose topic changed in this sweep."""
    inner: Any
    """The state of the algorithm."""
    data: Data
    layout: Any
    """The data as the algorithm likes them best. Here, and not among the arguments, so that they are neither compiled
    into the program nor laid out anew at every sweep."""
    rng_key: Array

    @property
    def z(self) -> Int[Array, "*chains N"]:
        """The topic of each token."""
        if self.assigned is None:
            raise ValueError("this kernel has soft counts and no topic of each token: there is no z to collect")
        return self.assigned


class CollapsedGibbs(MCMCKernel):  # type: ignore[misc]
    r"""Any algorithm of ``jaxlda.kernels`` as a kernel of ``numpyro.infer.MCMC``.

    NumPyro counts differently: its ``num_samples`` are the sweeps after the burn-in, of which it keeps
    ``num_samples // thinning``, whereas ``jaxlda.run`` and ``LDA`` keep ``num_samples`` and take ``thinning`` times as
    many sweeps. Topics may change their numbers between chains, so R-hat means something only for quantities that do
    not depend on the numbers, as the default sites.

    Parameters
    ----------
    num_topics
        K, for a ``Corpus`` or counts; 20 if not given. A ``Data`` says it itself.
    kernel
        A name of ``jaxlda.kernels.KERNELS``, or an algorithm. (CVB0 is no sampler: its "draws" are its iterates.) With
        ``learn_alpha`` or ``learn_beta`` the sites follow the priors as they are learned, and
        ``extra_fields=("inner.alpha",)`` collects them.
    alpha, beta
        The priors as in ``Corpus.data``, 0.1 and 0.01 if not given. A ``Data`` has its own.
    sites
        What ``get_samples`` gives, names of ``SITES``:

        - ``log_joint``, :math:`\log p(w, z)` in single precision; ``log_likelihood``, per token (Eq. 55);
        - ``topic_sizes``, the tokens of each topic, largest first; ``n_k``, ``n_dk``, ``n_vk``: the counts;
        - ``phi_hat``, ``theta_hat``: the estimates of each draw (Eqs. 2 and 3), which are the means of
          :math:`p(\phi \mid z, w)` and :math:`p(\theta \mid z, w)`;
        - ``phi``, ``theta``: drawn from these distributions, so together posterior draws of what ``lda`` calls by these
          names, for intervals and for ``Predictive``.

        Everything named is computed at every sweep, also in the burn-in and between the draws that are kept, and stays
        in memory for all draws. (``log_joint`` takes a value of the gamma function for each of the (D + V) K counts,
        which in a small corpus can be as much work as the sweep.) phi_p and theta_p would double the time of a sweep:
        collect ``z`` and use ``jaxlda.estimators``, or use ``jaxlda.run``.

    Notes
    -----
    ``mcmc.run(key, data)`` takes a ``Data``, a ``Corpus`` or counts ``(D, V)``; with ``jit_model_args=True`` a ``Data``
    only. ``extra_fields=("z",)`` collects the topic of each token, ``"moved"`` the share of tokens that changed topic.
    All chain methods give the same z, bit for bit. To go on, set ``mcmc.post_warmup_state = mcmc.last_state`` and call
    ``mcmc.run(mcmc.last_state.rng_key, data)``: the chains go on as if they had never stopped. "vectorized" chains go
    on as such, and others not as "vectorized". Other data are refused; with ``jit_model_args=True``, where NumPyro
    shows shapes only, those of another shape. As with NumPyro's own kernels, every ``MCMC`` wants a kernel of its own.

    Examples
    --------
    >>> from numpyro.infer import MCMC
    >>> import jaxlda
    >>> corpus = jaxlda.datasets.load("bars").subset(range(20))
    >>> mcmc = MCMC(
    ...     CollapsedGibbs(num_topics=10),
    ...     num_warmup=20,
    ...     num_samples=30,
    ...     thinning=3,
    ...     num_chains=2,
    ...     chain_method="vectorized",
    ...     progress_bar=False,
    ... )
    >>> mcmc.run(jax.random.key(0), corpus, extra_fields=("z",))
    >>> {name: draws.shape for name, draws in mcmc.get_samples(group_by_chain=True).items()}
    {'log_joint': (2, 10), 'topic_sizes': (2, 10, 10)}
    >>> mcmc.get_extra_fields(group_by_chain=True)["z"].shape
    (2, 10, 2000)
    """

    sample_field = "sites"
    model = None  # for arviz.from_numpyro, which asks every kernel for one

    def __init__(
        self,
        num_topics: int | None = None,
        kernel: str | Algorithm | Any = "cgs",
        alpha: Any = None,
        beta: Any = None,
        *,
        sites: Sequence[str] = ("log_joint", "topic_sizes"),
    ) -> None:
        self.num_topics, self.alpha, self.beta = num_topics, alpha, beta
        self.algorithm = find(kernel)
        unknown = [name for name in sites if name not in SITES]
        if unknown or isinstance(sites, str) or not sites:
            raise ValueError(f"sites must be a sequence of names out of {', '.join(SITES)}; got {sites!r}")
        self.sites = tuple(sites)
        self._given: tuple[Any, Data, Any] | None = None
        self._sample_fn: Callable | None = None  # NumPyro initialises a kernel anew as long as this is None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_given": None, "_sample_fn": None}

    def init(
        self, rng_key: Array, num_warmup: int, init_params: Any, model_args: tuple, model_kwargs: dict[str, Any]
    ) -> GibbsState:
        """Give every token a first topic. A batch of keys makes a state of as many chains."""
        del num_warmup
        if init_params is not None:
            raise ValueError("CollapsedGibbs starts from random topics and takes no init_params")
        data, layout = self._prepared(_argument(model_args, model_kwargs))
        start = partial(_start, self.algorithm, self.sites)
        if not is_prng_key(rng_key):
            start = jax.vmap(start, in_axes=(0, None, None))
        self._sample_fn = self.algorithm.step
        return _state(start(rng_key, data, layout), data, layout)

    def sample(self, state: GibbsState, model_args: tuple, model_kwargs: dict[str, Any]) -> GibbsState:
        """One sweep."""
        self._check_same(state, model_args, model_kwargs)
        sweep = partial(_sweep, self.algorithm, self.sites)
        if not is_prng_key(state.rng_key):
            sweep = jax.vmap(sweep, in_axes=(0, 0, None, None))
        return _state(sweep(state.rng_key, state.inner, state.data, state.layout), state.data, state.layout)

    def get_diagnostics_str(self, state: GibbsState) -> str:
        """The text that NumPyro's progress bar shows for a single chain."""
        return f"{float(state.moved):.0%} of the tokens moved"

    def _prepared(self, source: Any) -> tuple[Data, Any]:
        # A matrix of counts can be changed in place, and is looked at again.
        if self._given is None or self._given[0] is not source or not isinstance(source, Corpus | Data):
            data = self._data(source)
            with jax.ensure_compile_time_eval():
                self._given = source, data, self.algorithm.prepare(data)
        return self._given[1:]

    def _data(self, source: Any) -> Data:
        said = isinstance(source, Data) or np.ndim(self.alpha) > 0 or np.ndim(self.beta) > 1
        K = _NUM_TOPICS if self.num_topics is None and not said else self.num_topics
        with jax.ensure_compile_time_eval():  # NumPyro may be compiling: chain_method="parallel", or a sweep
            return as_data(source, K, self.alpha, self.beta)

    def _check_same(self, state: GibbsState, model_args: tuple, model_kwargs: dict[str, Any]) -> None:
        """Refuse to go on with other data; this is Python, so it costs time when a program is compiled only."""
        if state.data.tokens.w.ndim != 1:
            raise ValueError(
                'these chains were started with another chain_method: a state of "vectorized" chains holds the data '
                "once, one of other methods holds them for every chain; go on with the method they were started with"
            )
        if self._given is None or not (model_args or model_kwargs):
            return
        known, data, _ = self._given
        source = _argument(model_args, model_kwargs)
        hidden = any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(source))
        theirs = source if hidden else self._data(source)
        same = jax.tree.map(jnp.shape, theirs) == jax.tree.map(jnp.shape, state.data)
        if same and not hidden and source is not known:
            same = all(map(np.array_equal, jax.tree.leaves(data), jax.tree.leaves(theirs)))
        if not same:
            raise ValueError(
                "these are not the data the chains were started with; to sample other data, use a new CollapsedGibbs "
                "and MCMC, or set post_warmup_state to None"
            )


def _argument(model_args: tuple, model_kwargs: dict[str, Any]) -> Any:
    arguments = [*model_args, *(value for name, value in model_kwargs.items() if name == "data")]
    if len(arguments) != 1 or len(model_args) + len(model_kwargs) != 1:
        raise TypeError("CollapsedGibbs takes one argument, the data: mcmc.run(key, data)")
    return arguments[0]


@partial(jax.jit, static_argnums=(0, 1))
def _start(algorithm: Algorithm, names: tuple[str, ...], rng_key: Array, data: Data, layout: Any) -> tuple:
    rng_key, key_init, key_sites = jax.random.split(rng_key, 3)
    inner = algorithm.init(_typed(key_init), layout)
    sample = algorithm.readout(inner, layout)
    # Nothing is collected before the first sweep, so the shapes will do; compiling the sites twice would take seconds.
    shapes = jax.eval_shape(partial(_draw, names), key_sites, sample, algorithm.view(inner, data))
    sites = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
    return sites, sample.z, jnp.float32(0), inner, rng_key


def _sweep(algorithm: Algorithm, names: tuple[str, ...], rng_key: Array, inner: Any, data: Data, layout: Any) -> tuple:
    rng_key, key_step, key_sites = jax.random.split(rng_key, 3)
    inner, info = algorithm.step(_typed(key_step), inner, layout)
    sample = algorithm.readout(inner, layout)
    moved = getattr(info, "moved", jnp.float32(jnp.nan))  # not every algorithm reports it
    return _draw(names, key_sites, sample, algorithm.view(inner, data)), sample.z, moved, inner, rng_key


def _state(new: tuple, data: Data, layout: Any) -> GibbsState:
    sites, z, moved, inner, rng_key = new
    return GibbsState(sites, z, moved, inner, data, layout, rng_key)


def _draw(names: tuple[str, ...], key: Array, sample: Sample, data: Data) -> dict[str, Array]:
    for name in names:
        if data.phi is not None and name in ("phi_hat", "phi"):
            raise ValueError(f"the data hold the topics fixed: there is no {name} to sample")
        if sample.z is None and name in ("phi", "theta"):
            raise ValueError(f"{name} is drawn given z, which this kernel does not have; ask for {name}_hat")
    keys = jax.random.split(_typed(key), len(names))
    return {name: SITES[name](k, sample, data) for name, k in zip(names, keys, strict=True)}


def _typed(key: Array) -> PRNGKeyArray:
    """NumPyro hands on whatever key it was given, also one of the old kind, an array of integers."""
    return key if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else jax.random.wrap_key_data(key)
