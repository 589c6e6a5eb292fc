"""Partially labeled LDA: several topics for each label, and some that belong to none."""

from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float32, Int
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from jaxlda.corpora.numbers import natural, positive_int
from jaxlda.models.labeled import LabeledLDA
from jaxlda.types import Algorithm

__all__ = ["PLDA"]


class PLDA(LabeledLDA):
    r"""Partially labeled LDA (Ramage, Manning and Dumais 2011): hidden topics within labels, and shared ones.

    Label l has the topics from ``l * topics_per_label`` on; the last ``background_topics`` belong to all documents. A
    document draws from the topics of its labels and from the shared ones. The score of a label is the sum over its
    topics; shared topics take up words that say nothing about labels.

    The topics within a label have no names, and are numbered differently in every chain: as in ``LDA``, the estimates
    are those of the best chain.

    Parameters
    ----------
    topics_per_label : int
        Topics of each label.
    background_topics : int
        Topics shared by all documents; may be 0.
    alpha : float or array, optional
        The prior of theta: a number, or ``(K,)`` with K all topics; 50 / K if not given.
    kernel, beta, rank_by, count, unlabeled
        As in ``LabeledLDA``.
    num_warmup, num_samples, thinning, num_chains, seed, estimator
        As in ``LabeledLDA``.
    chain_method, trace_every, gap_every, keep, progress, checkpoint, checkpoint_every
        As in ``LDA``.

    Attributes
    ----------
    label_of_topic_ : array ``(K,)``
        The label of each topic, as its place in ``classes_``; -1 for shared topics.
    classes_, run_, vocab_, n_features_in_, best_chain_
        As in ``LabeledLDA``.
    phi_, theta_ : arrays ``(K, V)``, ``(D, K)``
        Of the best chain.

    Examples
    --------
    >>> import jaxlda
    >>> texts = ["the cat the purr cat", "the dog bark the dog", "purr the cat dog bark the"]
    >>> corpus = jaxlda.Corpus.from_texts(texts, labels=[{"cats"}, {"dogs"}, {"cats", "dogs"}])
    >>> model = PLDA(topics_per_label=2, num_chains=1, count=1, progress=False).fit(corpus)
    >>> model.label_of_topic_.tolist()
    [0, 0, 1, 1, -1]
    >>> model.phi_.shape, model.predict_proba(corpus).shape
    ((5, 5), (3, 2))
    """

    _anchored: ClassVar[bool] = False

    def __init__(
        self,
        *,
        topics_per_label: int | Any = 2,
        background_topics: int | Any = 1,
        kernel: str | Algorithm | Any = "cgs",
        alpha: Any = None,
        beta: Any = 0.1,
        rank_by: str | Any = "soft_counts",
        count: str | int | float | Any = "metalabeler",
        unlabeled: str | Any = "error",
        num_warmup: int | Any = 200,
        num_samples: int | Any = 30,
        thinning: int | Any = 5,
        num_chains: int | Any = 4,
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
        self.topics_per_label = topics_per_label
        self.background_topics = background_topics

    @property
    def label_of_topic_(self) -> Int[np.ndarray, " K"]:
        """The label of each topic, as its place in ``classes_``; -1 for shared topics."""
        check_is_fitted(self, "run_")
        own = np.repeat(np.arange(len(self.classes_)), self._topics_each)
        return np.concatenate([own, np.full(self.run_.data.priors.alpha.shape[-1] - len(own), -1)])

    @property
    def labels_(self) -> sparse.csr_array:
        """The training labels, as indicators ``(D, L)``."""
        of_topics = super().labels_
        return of_topics[:, : len(self.classes_) * self._topics_each : self._topics_each]

    @property
    def _topics_each(self) -> int:
        return int(self._settings_["topics_per_label"])

    def _allowed(self, labels: sparse.csr_array) -> Any:
        each = positive_int(self.topics_per_label, "topics_per_label")
        shared = natural(self.background_topics, "background_topics")
        of_labels = np.repeat(labels.toarray(), each, axis=1)
        some = np.broadcast_to(np.diff(labels.indptr)[:, None] > 0, (labels.shape[0], shared))
        return np.concatenate([of_labels, some], axis=1)

    def _of_labels(self, of_topics: Float32[np.ndarray, "D K"]) -> Float32[np.ndarray, "D L"]:
        L, each = len(self.classes_), self._topics_each
        shares = of_topics[:, : L * each].reshape(-1, L, each).sum(axis=2)
        total = shares.sum(axis=1, keepdims=True)
        # All words may have gone to shared topics: then nothing tells the labels apart.
        return np.where(total > 0, shares / np.where(total > 0, total, 1), np.float32(1 / L))
