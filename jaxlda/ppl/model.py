"""Latent Dirichlet Allocation as a NumPyro model, and the distributions it is made of."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax import lax
from jax.scipy.special import gammaln, xlogy
from jax.typing import ArrayLike
from jaxtyping import Array, Float, PRNGKeyArray
from numpyro import distributions as dist
from numpyro.distributions import constraints

from jaxlda.ppl._documents import as_data

__all__ = ["dirichlet", "lda"]


def lda(
    data: Any,
    num_topics: int | None = None,
    alpha: Any = None,
    beta: Any = None,
    *,
    observe: bool = True,
    marginal: bool = False,
) -> None:
    r"""Latent Dirichlet Allocation as a NumPyro model.

    .. math:: \phi_k \sim \mathrm{Dir}(\beta_k), \quad \theta_d \sim \mathrm{Dir}(\alpha_d), \quad
        z_i \sim \theta_{d_i}, \quad w_i \sim \phi_{z_i}

    The sites ``phi`` (K, V), ``theta`` (D, K), ``z`` (N,) and ``w`` (N,) stand in the plates ``topic``, ``doc`` and
    ``token``.

    Parameters
    ----------
    data
        A ``Data`` (``corpus.data(...)``), a ``Corpus``, or counts ``(D, V)``. Where ``data.phi`` fixes the topics there
        is no site ``phi``. Where :math:`\alpha_{dk} = 0` forbids topics, :math:`\theta_d` has the Dirichlet of those
        that remain, which can be simulated and scored, but not be sampled by NUTS nor fitted by SVI.
    num_topics, alpha, beta
        As in ``Corpus.data``. A ``Data`` has its own, which what is given here must agree with.
    observe
        Condition on the words. Predictive checks need ``observe=False``: then words are drawn, for documents as long as
        those of the data.
    marginal
        Sum over the topics of the tokens, :math:`w_i \sim \sum_k \theta_{d_i k} \phi_k`: no site ``z``, everything that
        remains is continuous. The form for NUTS and SVI.

    Examples
    --------
    A prior predictive check; with ``mcmc.get_samples()`` of sites phi and theta, ``Predictive`` does a posterior one.

    >>> from numpyro.infer import Predictive
    >>> draws = Predictive(lda, num_samples=3)(jax.random.key(0), [[2, 1, 0], [0, 1, 2]], num_topics=2, observe=False)
    >>> draws["phi"].shape, draws["theta"].shape, draws["w"].shape
    ((3, 2, 3), (3, 2, 2), (3, 6))
    """
    data = as_data(data, num_topics, alpha, beta)
    (w, d, m, n_d), priors, phi = data[:3]
    with numpyro.plate("doc", n_d.shape[0]):
        theta = numpyro.sample("theta", _proportions(priors.alpha), infer={"event_dims": ["topic"]})
    if phi is None:
        with numpyro.plate("topic", priors.alpha.shape[-1]):
            phi = numpyro.sample("phi", dist.Dirichlet(priors.beta), infer={"event_dims": ["word"]})
    observed = w if observe else None
    with numpyro.plate("token", w.shape[0]), numpyro.handlers.mask(mask=m > 0):
        if marginal:
            numpyro.sample("w", _Mixture(theta, phi, d), obs=observed)
        else:
            z = numpyro.sample("z", _Rows(theta, d))
            numpyro.sample("w", _Rows(phi, z), obs=observed)


class _Rows(dist.Distribution):  # type: ignore[misc]
    """Categorical variables, each with one row of a table as its probabilities.

    ``dist.Categorical(table[row])`` would hold a row for every token, N x V numbers.
    """

    pytree_data_fields = ("table", "row")

    def __init__(self, table: ArrayLike, row: ArrayLike) -> None:
        self.table, self.row = jnp.asarray(table), jnp.asarray(row)
        super().__init__(batch_shape=self.row.shape)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.table.shape[1] - 1)

    def log_prob(self, value: Array) -> Array:
        return jnp.log(self.table[self.row, value])

    def sample(self, key: PRNGKeyArray, sample_shape: tuple[int, ...] = ()) -> Array:
        # One column after another (jnp.cumsum sums in another order): adding zero must change nothing, see below.
        _, sums = lax.scan(lambda s, p: (s + p, s + p), jnp.zeros(self.table.shape[0]), self.table.T)
        cumulative = sums.T
        total = cumulative[self.row, -1]
        u = jax.random.uniform(key, sample_shape + self.batch_shape)
        # Below the total, whatever the rounding: the column found has a sum above its neighbour's, so it is possible.
        t = jnp.minimum(u * total, jnp.nextafter(total, jnp.zeros_like(total)))
        columns = self.table.shape[1]
        low, high = jnp.zeros(t.shape, jnp.int32), jnp.full(t.shape, columns - 1, jnp.int32)
        for _ in range(columns.bit_length()):  # halves [low, high] until it is the first column whose sum exceeds t
            middle = (low + high) // 2
            beyond = cumulative[self.row, middle] > t
            low, high = jnp.where(beyond, low, jnp.minimum(middle + 1, high)), jnp.where(beyond, middle, high)
        return low


class _Mixture(dist.Distribution):  # type: ignore[misc]
    """Words drawn from the topics in the proportions of each token's document."""

    pytree_data_fields = ("theta", "phi", "d")

    def __init__(self, theta: ArrayLike, phi: ArrayLike, d: ArrayLike) -> None:
        self.theta, self.phi, self.d = jnp.asarray(theta), jnp.asarray(phi), jnp.asarray(d)
        super().__init__(batch_shape=self.d.shape)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.phi.shape[1] - 1)

    def log_prob(self, value: Array) -> Array:
        return jnp.log((self.theta[self.d] * self.phi.T[value]).sum(-1))

    def sample(self, key: PRNGKeyArray, sample_shape: tuple[int, ...] = ()) -> Array:
        key_z, key_w = jax.random.split(key)
        return _Rows(self.phi, _Rows(self.theta, self.d).sample(key_z, sample_shape)).sample(key_w)


def _proportions(alpha: Float[Array, "*D K"]) -> dist.Distribution:
    # What cannot be seen, inside a compiled function (jit_model_args=True), might be zero.
    positive = alpha.ndim == 1 or not (isinstance(alpha, jax.core.Tracer) or (np.asarray(alpha) == 0).any())
    return dist.Dirichlet(alpha) if positive else _SparseDirichlet(alpha)


class _SparseSimplex(constraints.Constraint):  # type: ignore[misc]
    """Distributions over what a document allows."""

    event_dim = 1


@dist.biject_to.register(_SparseSimplex)
def _refuse(constraint: Any) -> None:
    raise ValueError(
        "alpha is a matrix that forbids topics (or may do so: inside a compiled function it cannot be looked at), and "
        "the number of topics a document allows is not the same for all, so theta has no unconstrained form for NUTS "
        "or SVI: use jaxlda.ppl.CollapsedGibbs, or an alpha without zeros and without jit_model_args."
    )


class _SparseDirichlet(dist.Distribution):  # type: ignore[misc]
    """The Dirichlet over the components with a positive parameter; the others are zero."""

    pytree_data_fields = ("alpha",)
    support = _SparseSimplex()

    def __init__(self, alpha: Float[Array, "D K"]) -> None:
        self.alpha = alpha
        super().__init__(batch_shape=alpha.shape[:1], event_shape=alpha.shape[1:])

    def log_prob(self, value: Array) -> Array:
        allowed = self.alpha > 0
        safe = jnp.where(allowed, self.alpha, 1.0)
        total = jnp.where(allowed.any(-1), self.alpha.sum(-1), 1.0)
        density = (xlogy(safe - 1, jnp.where(allowed, value, 1.0)) - gammaln(safe)).sum(-1) + gammaln(total)
        return jnp.where((allowed | (value == 0)).all(-1), density, -jnp.inf)

    def sample(self, key: PRNGKeyArray, sample_shape: tuple[int, ...] = ()) -> Array:
        return dirichlet(key, jnp.broadcast_to(self.alpha, sample_shape + self.alpha.shape))


def dirichlet(key: PRNGKeyArray, concentration: Float[Array, "*batch n"]) -> Float[Array, "*batch n"]:
    """Draw distributions; a parameter of zero gives a zero, and a row of zeros (an empty document) stays one."""
    allowed = concentration > 0
    gamma = jax.random.loggamma(key, jnp.where(allowed, concentration, 1.0))
    return jnp.where(allowed, jax.nn.softmax(gamma, axis=-1, where=allowed), 0.0)
