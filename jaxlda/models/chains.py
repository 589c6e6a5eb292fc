"""Estimates and diagnostics of the chains of a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from jaxtyping import Float32
from sklearn.utils.validation import check_is_fitted

from jaxlda import estimators
from jaxlda.corpora.numbers import one_of
from jaxlda.kernels.names import described
from jaxlda.kernels.registry import WRAPPERS
from jaxlda.running.results import Run
from jaxlda.types import Algorithm

if TYPE_CHECKING:
    from jaxlda.diagnostics import Diagnostics

__all__ = ["KINDS", "Chains"]

KINDS = ("phi", "phi_p", "theta", "theta_p")


class Chains:
    """Estimates and diagnostics of a model that has a run, a best chain and words."""

    run_: Run
    best_chain_: int
    vocab_: np.ndarray
    doc_titles_: Any
    estimator: Any
    _topics_alpha: np.ndarray
    _soft_already: bool
    _pooled: bool = False
    """Whether topic k is the same in every chain, so that estimates are averaged over all of them."""

    if TYPE_CHECKING:

        def _names_of(self, chain: int | None = None) -> list[str] | None: ...

    def estimates(self, kind: str = "phi_p", chain: int | None = None) -> Float32[np.ndarray, "rows columns"]:
        """Any estimate of any chain, averaged over the chain's draws.

        Parameters
        ----------
        kind
            ``"phi"`` (Eq. 2) and ``"phi_p"`` (Eq. 41) are ``(K, V)``, ``"theta"`` (Eq. 3) and ``"theta_p"`` (Eq. 40)
            ``(D, K)``.
        chain
            If not given, the best chain: topic k of one chain is not topic k of another. Where labels make it the same
            in all of them, the average over all chains.
        """
        run = self._chains()
        soft = one_of(kind, "kind", KINDS).endswith("_p")
        if soft and self._soft_already:
            estimators.soften(run.chain(0), run.data)  # which refuses, and says why
        if chain is None and self._pooled:
            # Labels that always occur together could be exchanged between chains, but then they are the same to all.
            return np.mean([self.estimates(kind, chain) for chain in range(run.num_chains)], axis=0)
        chain = self.best_chain_ if chain is None else chain
        estimate = estimators.phi if kind.startswith("phi") else estimators.theta
        return np.asarray(estimate(run.counts(soft=soft, chain=chain), run.chain_data(chain)))

    @property
    def kernel_(self) -> str:
        """The kernel that the chains were drawn by, with its options: what ``kernel="auto"`` has chosen."""
        algorithm = self._chains().algorithm
        if algorithm is None:
            raise AttributeError("these chains were drawn by another program")
        while algorithm.name in WRAPPERS:
            algorithm = cast(Algorithm, dict(algorithm.options)["algorithm"])
        return described(algorithm)

    @property
    def alpha_(self) -> Float32[np.ndarray, "*D K"]:
        """The prior of theta: as given, or as the best chain has learned it."""
        check_is_fitted(self, "phi_")
        if not hasattr(self, "run_"):
            return self._topics_alpha
        return np.asarray(self.run_.chain_data(self.best_chain_).priors.alpha)

    @property
    def beta_(self) -> Float32[np.ndarray, "*K V"]:
        """The prior of phi: as given, or as the best chain has learned it."""
        return np.asarray(self._chains().chain_data(self.best_chain_).priors.beta)

    def to_arviz(self, var_names: str | Sequence[str] | None = None) -> Any:
        """The draws for ArviZ: ``InferenceData`` (ArviZ 0.23) or ``xarray.DataTree`` (1.x), with named coordinates.

        Topics have the numbers of the best chain, those of ``phi_``; those of other chains are put into that order.
        Groups and variables are those of ``jaxlda.diagnostics.to_arviz``. Phi, theta and the log-likelihood of each
        document are there if they were kept, see the parameter ``keep``.

        Parameters
        ----------
        var_names
            Which variables of the posterior to take; all if not given. ``["n_k"]`` makes ``az.loo`` and ``az.compare``
            quick, which look at every entry of phi and theta otherwise.
        """
        from jaxlda import diagnostics

        return diagnostics.to_arviz(
            self._chains(),
            reference=self.best_chain_,
            topics=self._names_of(),
            words=self.vocab_,
            docs=self.doc_titles_,
            var_names=var_names,
        )

    def diagnostics(self, **options: Any) -> "Diagnostics":
        """Judge whether the chains have converged: a verdict, R-hat, ESS and MCSE, and how many more sweeps it takes.

        Parameters
        ----------
        **options
            Those of ``jaxlda.diagnostics.diagnose``.
        """
        from jaxlda import diagnostics

        return diagnostics.diagnose(self._chains(), reference=self.best_chain_, words=self.vocab_, **options)

    def _chains(self) -> Run:
        check_is_fitted(self, "phi_")
        if not hasattr(self, "run_"):
            raise ValueError(
                "this model has topics only: it has no documents and no chains. Take one that was fitted, or saved "
                "without only='topics'"
            )
        return self.run_

    def _kind(self, symbol: str) -> str:
        if not hasattr(self, "run_"):  # topics alone, which remember what they are
            return "phi_p" if symbol == "phi" and getattr(self, "_topics_kind", None) == "phi_p" else symbol
        return f"{symbol}_p" if self.estimator == "cgs_p" and not self._soft_already else symbol
