"""Perplexity against the number of samples that theta is averaged over: the paper's first experiment, sample by sample.

``document_completion`` gives the end of the curve. Here every sample is a point, and the curve can be looked at while
it grows.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxlda import estimators
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed, natural, positive_int
from jaxlda.evaluation.completion import check_halves
from jaxlda.evaluation.inference import _STREAM
from jaxlda.evaluation.likelihood import log_likelihood, perplexity
from jaxlda.kernels.names import find
from jaxlda.running.driver import run
from jaxlda.running.results import Run

__all__ = ["SampleCurve", "sample_curve"]


class SampleCurve(NamedTuple):
    """Perplexities of held halves after 1, 2, ... samples of theta, for every pair of estimators."""

    phis: Mapping[str, np.ndarray]
    """Estimates of phi by name."""
    held: Corpus
    """The halves that are scored."""
    runs: Mapping[str, Run]
    """The chains over the observed halves, for each phi."""
    perplexities: Mapping[tuple[str, str], tuple[float, ...]]
    """For each name of phi and ``"theta"`` or ``"theta_p"``, a number for each sample so far."""

    @property
    def num_samples(self) -> int:
        """How many samples there are of each chain."""
        return next(iter(self.runs.values())).num_draws

    def extended(self, more: int = 1) -> "SampleCurve":
        """The curve with more samples added."""
        now = self
        for _ in range(positive_int(more, "more")):
            now = now._next()
        return now

    def _next(self) -> "SampleCurve":
        runs, perplexities = {}, dict(self.perplexities)
        for name, before in self.runs.items():
            now = _advanced(before, self.num_samples + 1)
            runs[name] = now
            for kind in ("theta", "theta_p"):
                theta = estimators.theta(now.counts(soft=kind == "theta_p"), now.data)
                score = log_likelihood(self.phis[name], theta, self.held)
                perplexities[name, kind] += (perplexity(score, self.held.num_tokens),)
        return self._replace(runs=runs, perplexities=perplexities)


def sample_curve(
    phis: Mapping[str, Any],
    alpha: Any,
    observed: Corpus,
    held: Corpus,
    *,
    num_warmup: int = 50,
    thinning: int = 5,
    num_chains: int = 1,
    seed: int = 0,
) -> SampleCurve:
    """The beginning of a curve: after the burn-in, before the first sample.

    Parameters
    ----------
    phis
        Estimates of phi ``(K, V)`` by name, such as ``{"phi": ..., "phi_p": ...}``.
    alpha
        The prior of the documents: a number, ``(K,)`` or ``(D, K)``.
    observed, held
        The halves of the same documents, such as those of ``Corpus.halves``. Theta is sampled from the observed ones by
        collapsed Gibbs sampling with phi fixed (Eq. 4), and the others are scored (Eqs. 55 and 56).
    num_warmup, thinning, num_chains, seed
        As in :func:`~jaxlda.evaluation.infer_theta`, whose samples these are.

    Examples
    --------
    >>> import jaxlda
    >>> corpus, truth = jaxlda.datasets.bars(num_docs=30)
    >>> curve = sample_curve({"phi": truth.phi}, 1.0, *corpus.halves(), num_warmup=10).extended(2)
    >>> theta, theta_p = curve.perplexities["phi", "theta"], curve.perplexities["phi", "theta_p"]
    >>> len(theta), theta_p[0] < theta[0]
    (2, True)
    """
    if not phis:
        raise ValueError("give at least one estimate of phi")
    check_halves(observed, held)
    key = jax.random.fold_in(jax.random.key(checked_seed(seed)), _STREAM)
    options: dict[str, Any] = {
        "num_warmup": natural(num_warmup, "num_warmup"),
        "thinning": positive_int(thinning, "thinning"),
        "num_chains": positive_int(num_chains, "num_chains"),
        "trace_every": 0,
    }
    algorithm = find("cgs")
    runs = {
        name: run(key, algorithm, observed.data(alpha=alpha, phi=phi), num_samples=0, **options)
        for name, phi in phis.items()
    }
    none: tuple[float, ...] = ()
    pairs = {(name, kind): none for name in phis for kind in ("theta", "theta_p")}
    return SampleCurve({name: np.asarray(phi, np.float32) for name, phi in phis.items()}, held, runs, pairs)


def _advanced(before: Run, num_samples: int) -> Run:
    schedule = before.schedule._replace(num_samples=num_samples)
    assert before.key is not None and before.algorithm is not None
    return run(
        before.key,
        before.algorithm,
        before.data,
        **schedule._asdict(),
        num_chains=before.num_chains,
        trace_every=0,
        keep_partial=False,
        start=before,
    )
