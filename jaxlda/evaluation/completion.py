r"""Document completion: how well one half of a document predicts the other.

Theta is inferred from the observed half with the topics fixed (Eq. 4), and the held half is scored with it (Eqs. 55 and
56). A likelihood of the very tokens that theta was fitted to would reward overfitting; this one does not.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int

from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation.inference import infer_theta
from jaxlda.evaluation.likelihood import log_likelihood_by_document, perplexity

__all__ = ["Completion", "Score", "check_halves", "completion_table", "document_completion"]


class Score(NamedTuple):
    """How well held-out tokens were predicted, document by document (for standard errors).

    Examples
    --------
    >>> score = Score(np.log([0.25, 0.5]), np.array([2, 1]))
    >>> round(score.perplexity, 3)
    2.0
    """

    log_likelihood: Float64[np.ndarray, " D"]
    """Of the held tokens of each document (Eq. 55)."""
    num_tokens: Int[np.ndarray, " D"]
    """The tokens of each document that were scored."""

    @property
    def per_token(self) -> float:
        """The mean log-likelihood per token."""
        return float(self.log_likelihood.sum() / self.num_tokens.sum())

    @property
    def perplexity(self) -> float:
        """The perplexity of the tokens that were scored (Eq. 56)."""
        return perplexity(float(self.log_likelihood.sum()), int(self.num_tokens.sum()))


class Completion(NamedTuple):
    """The score of each estimator of theta, from the same samples."""

    theta: Score
    """From the counts (Eq. 3)."""
    theta_p: Score | None
    """From the transition probabilities (Eq. 33); ``None`` where the counts are soft already, as those of CVB0."""

    @property
    def best(self) -> Score:
        """``theta_p`` where there is one."""
        return self.theta if self.theta_p is None else self.theta_p


def document_completion(phi: Any, alpha: Any, observed: Corpus, held: Corpus, **options: Any) -> Completion:
    """Infer theta from the observed halves, and score the held halves with it.

    Parameters
    ----------
    phi
        The topics ``(K, V)``.
    alpha
        The prior of the documents: a number, ``(K,)`` or ``(D, K)``.
    observed, held
        The halves of the same documents, such as those of ``Corpus.halves``, in the vocabulary of ``phi``.
    **options
        ``kernel``, ``num_warmup=50``, ``num_samples=30``, ``thinning=5``, ``num_chains=5``, ``seed=0``,
        ``chain_method`` and ``progress`` of :func:`~jaxlda.evaluation.infer_theta`.

    Returns
    -------
    Completion
        Log-likelihoods and perplexity for theta and theta_p, each averaged over all samples and chains.

    Examples
    --------
    >>> import jaxlda
    >>> corpus, truth = jaxlda.datasets.bars(num_docs=20)
    >>> result = document_completion(truth.phi, 1.0, *corpus.halves(), num_samples=1, num_chains=1)
    >>> result.theta_p.perplexity < result.theta.perplexity < corpus.num_words
    True
    """
    check_halves(observed, held)
    inferred = infer_theta(phi, alpha, observed, **options)
    theta, theta_p = (
        None if proportions is None else Score(log_likelihood_by_document(phi, proportions, held), held.n_d)
        for proportions in (inferred.theta, inferred.theta_p)
    )
    assert theta is not None
    return Completion(theta, theta_p)


def check_halves(observed: Corpus, held: Corpus) -> None:
    """Refuse what are no halves of the same documents, or have nothing to score."""
    if observed.counts.shape != held.counts.shape:
        raise ValueError(
            f"the observed half has shape (D, V) = {observed.counts.shape} and the held half {held.counts.shape}; "
            "give the two halves of the same documents in the same vocabulary"
        )
    if held.num_tokens == 0:
        raise ValueError("the held half has no tokens to score")


def completion_table(
    phis: Mapping[str, Any], alpha: Any, observed: Corpus, held: Corpus, **options: Any
) -> dict[tuple[str, str], Score]:
    """Score every pair of an estimate of phi and an estimator of theta.

    Parameters
    ----------
    phis
        Estimates of phi by name, such as ``{"phi": ..., "phi_p": ...}``.
    alpha, observed, held, **options
        As in :func:`document_completion`. Both estimators of theta read the same samples.

    Returns
    -------
    dict
        Of ``(name of phi, "theta" or "theta_p")``; without ``"theta_p"`` where the counts are soft already.

    Examples
    --------
    >>> import jaxlda
    >>> corpus, truth = jaxlda.datasets.bars(num_docs=20)
    >>> flat = np.full((1, 25), 1 / 25)
    >>> options = {"num_samples": 1, "num_chains": 1}
    >>> table = completion_table({"flat": flat}, 1.0, *corpus.halves(), **options)
    >>> {pair: round(score.perplexity, 3) for pair, score in table.items()}
    {('flat', 'theta'): 25.0, ('flat', 'theta_p'): 25.0}
    """
    table: dict[tuple[str, str], Score] = {}
    for name, phi in phis.items():
        result = document_completion(phi, alpha, observed, held, **options)
        table |= {(name, kind): score for kind, score in result._asdict().items() if score is not None}
    return table
