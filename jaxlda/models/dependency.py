"""Dependency-LDA: Prior-LDA that knows which labels go together."""

from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float32
from scipy import sparse

from jaxlda import evaluation
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed, natural, positive_int
from jaxlda.models.lda import LDA
from jaxlda.models.prior import PriorLDA
from jaxlda.types import Algorithm

__all__ = ["DependencyLDA"]

LABEL_ALPHA, LABEL_BETA = 0.1, 0.01  # priors of the model of labels
ROUND: dict[str, Any] = {
    "num_warmup": 20,
    "num_samples": 10,
    "thinning": 2,
    "num_chains": 1,
}  # what a guess of the labels is worth


class DependencyLDA(PriorLDA):
    r"""Dependency-LDA (Rubin et al. 2012): an LDA over sets of labels gives every new document a prior of its own.

    The labels of each training document are a document of their own, and an LDA of ``label_topics`` topics over them,
    :math:`\phi'`, learns which labels go together. A new document starts with the prior of Prior-LDA; then, ``rounds``
    times, its words are assigned to labels, the topics :math:`\theta'_d` of these labels are inferred, and

    .. math:: \alpha_{dk} = 50 \sum_t \theta'_{dt} \phi'_{tk} + \frac{30}{K}

    takes the place of the prior.

    Parameters
    ----------
    label_topics : int
        Topics of the model of labels.
    rounds : int
        How often the prior of new documents is renewed; 0 makes it Prior-LDA.
    frequency_mass, uniform_mass : float
        The 50 and the 30 above.
    kernel, alpha, beta, rank_by, count, unlabeled
        As in ``PriorLDA``.
    num_warmup, num_samples, thinning, num_chains, seed, estimator
        As in ``PriorLDA``.
    chain_method, trace_every, gap_every, keep, progress, checkpoint, checkpoint_every
        As in ``LDA``.

    Attributes
    ----------
    label_phi_ : array ``(T, L)``
        The topics of labels.
    classes_, phi_, theta_, run_, vocab_, n_features_in_, best_chain_
        As in ``LabeledLDA``.

    Examples
    --------
    >>> import jaxlda
    >>> texts = ["cat purr cat pet", "dog bark dog pet", "cat purr pet", "dog bark pet"]
    >>> labels = [{"cats", "pets"}, {"dogs", "pets"}, {"cats", "pets"}, {"dogs", "pets"}]
    >>> corpus = jaxlda.Corpus.from_texts(texts, labels=labels)
    >>> model = DependencyLDA(label_topics=2, num_samples=5, num_chains=2, progress=False).fit(corpus)
    >>> model.label_phi_.shape
    (2, 3)
    """

    _found_names: ClassVar[tuple[str, ...]] = (*PriorLDA._found_names, "label_phi_")
    _harmless: ClassVar[tuple[str, ...]] = (*PriorLDA._harmless, "rounds")
    label_phi_: Float32[np.ndarray, "T L"]

    def __init__(
        self,
        *,
        label_topics: int | Any = 20,
        rounds: int | Any = 2,
        frequency_mass: float | Any = 50.0,
        uniform_mass: float | Any = 30.0,
        kernel: str | Algorithm | Any = "cgs",
        alpha: Any = None,
        beta: Any = 0.1,
        rank_by: str | Any = "soft_counts",
        count: str | int | float | Any = "metalabeler",
        unlabeled: str | Any = "error",
        num_warmup: int | Any = 50,
        num_samples: int | Any = 30,
        thinning: int | Any = 5,
        num_chains: int | Any = 5,
        seed: int | Any = 0,
        estimator: str | Any = "cgs_p",
        chain_method: str | Any = None,
        trace_every: int | Any = 20,
        gap_every: int | Any = 0,
        keep: Any = "auto",
        progress: bool | Any = True,
        checkpoint: Any = None,
        checkpoint_every: float | Any = 60.0,
    ) -> None:
        super().__init__(
            frequency_mass=frequency_mass,
            uniform_mass=uniform_mass,
            kernel=kernel,
            alpha=alpha,
            beta=beta,
            rank_by=rank_by,
            count=count,
            unlabeled=unlabeled,
            num_warmup=num_warmup,
            num_samples=num_samples,
            thinning=thinning,
            num_chains=num_chains,
            seed=seed,
            estimator=estimator,
            chain_method=chain_method,
            trace_every=trace_every,
            gap_every=gap_every,
            keep=keep,
            progress=progress,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
        )
        self.label_topics = label_topics
        self.rounds = rounds

    def _learned_from_labels(self, labels: sparse.csr_array) -> dict[str, Any]:
        model = LDA(
            positive_int(self.label_topics, "label_topics"),
            alpha=LABEL_ALPHA,
            beta=LABEL_BETA,
            num_chains=1,
            num_samples=10,
            seed=checked_seed(self.seed),
            trace_every=0,
            progress=False,
        )
        return {"label_phi_": model.fit(_as_documents(labels.astype(np.int32))).phi_}

    def _new_alpha(self, corpus: Corpus, seed: int | None) -> Float32[np.ndarray, "D K"]:
        alpha = np.broadcast_to(self._common_alpha(), (corpus.num_docs, len(self.classes_)))
        seed = self.seed if seed is None else seed
        for _ in range(natural(self.rounds, "rounds")):
            counts = np.rint(self._inferred(corpus, alpha, seed=seed, **ROUND).n_dk)
            labels = _as_documents(sparse.csr_array(counts, dtype=np.int32))
            theta = evaluation.infer_theta(self.label_phi_, LABEL_ALPHA, labels, seed=seed, **ROUND).best
            alpha = self._spread(theta @ self.label_phi_)
        return alpha

    def _check_choices(self) -> None:
        super()._check_choices()
        natural(self.rounds, "rounds")


def _as_documents(labels: sparse.csr_array) -> Corpus:
    """Labels in the place of words."""
    return Corpus(labels, np.array([f"{k}" for k in range(labels.shape[1])]))
