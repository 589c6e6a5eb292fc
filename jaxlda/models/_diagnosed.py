"""What fitted models tell of their chains: to ArviZ, and in a verdict."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jaxlda.running.results import KEEP, Run
from jaxlda.types import Data

if TYPE_CHECKING:
    from jaxlda.diagnostics import Diagnostics

__all__ = ["LIMIT", "Diagnosed", "kept"]

LIMIT = 64 * 2**20  # bytes that ``keep="auto"`` may take for all draws of all chains


class Diagnosed:
    """``to_arviz`` and ``diagnostics`` for models with a run, a best chain and a vocabulary.

    The parameter ``keep`` says what is kept of every draw; ``"auto"`` if a model has none.
    """

    run_: Run
    best_chain_: int
    vocab_: np.ndarray
    doc_titles_: Any

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

        check_is_fitted(self, "run_")
        return diagnostics.to_arviz(
            self.run_,
            reference=self.best_chain_,
            topics=self._topic_names(),
            words=self.vocab_,
            docs=getattr(self, "doc_titles_", None),
            var_names=var_names,
        )

    def diagnostics(self, **options: Any) -> "Diagnostics":
        """Judge whether the chains have converged: a verdict, R-hat, ESS and MCSE, and how many more sweeps it takes.

        Parameters
        ----------
        **options
            ``min_ess=100`` and ``false_alarms=0.01`` of ``jaxlda.diagnostics.diagnose``.
        """
        from jaxlda import diagnostics

        check_is_fitted(self, "run_")
        return diagnostics.diagnose(self.run_, reference=self.best_chain_, words=self.vocab_, **options)

    def _topic_names(self) -> Sequence[Any] | np.ndarray | None:
        """Names of the topics: the labels where every label is one; or None, they are numbered."""
        classes = getattr(self, "classes_", ())
        return classes if len(classes) == self.run_.data.priors.alpha.shape[-1] else None

    def _kept(self, data: Data, sweeps: Mapping[str, Any], start: Run | None) -> tuple[str, ...]:
        """What to keep of every draw: of a run that goes on, nothing that its first draws do not have."""
        keep = getattr(self, "keep", "auto")
        traced = getattr(self, "trace_every", 1) != 0
        names = kept(keep, data, sweeps["num_chains"], sweeps["num_samples"], traced)
        if start is None or not start.num_draws:
            return names
        missing = [name for name in names if name not in start.kept]
        if missing and not isinstance(keep, str):
            warnings.warn(
                f"{', '.join(missing)} cannot be kept: the {start.num_draws} draw(s) there are of each chain do not "
                "have it. Fit anew (or give another checkpoint) to keep it of all draws.",
                UserWarning,
                stacklevel=4,
            )
        return tuple(name for name in names if name in start.kept)


def kept(keep: Any, data: Data, num_chains: int, num_samples: int, traced: bool) -> tuple[str, ...]:
    """The names a user wants kept of every draw; ``"auto"``: what diagnostics and ArviZ take, as far as it fits.

    >>> from jaxlda import Corpus
    >>> kept("auto", Corpus.from_counts([[1, 2]]).data(2), 4, 30, traced=False)
    ('n_k', 'similarity', 'phi', 'theta')
    """
    if not (isinstance(keep, str) and keep == "auto"):
        names = (keep,) if isinstance(keep, str) else tuple(keep) if isinstance(keep, list | tuple) else (keep,)
        for name in names:
            if not isinstance(name, str) or name not in KEEP:
                raise ValueError(f"keep must be 'auto' or names of {', '.join(KEEP)}; not {name!r}")
        return tuple(dict.fromkeys(names))
    D, K, V = len(data.tokens.n_d), data.priors.alpha.shape[-1], data.priors.beta.shape[-1]
    sizes = {"n_k": K, "similarity": min(D // 2, 16), "log_likelihood": D, "phi": K * V, "theta": D * K}
    if not traced:
        del sizes["log_likelihood"]  # would be computed for this alone, and cost as much as the trace
    fitting, left = [], LIMIT
    for name, size in sizes.items():
        needed = 4 * num_chains * num_samples * size
        if needed <= left:
            fitting.append(name)
            left -= needed
    return tuple(fitting)
