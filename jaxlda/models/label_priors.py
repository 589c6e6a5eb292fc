"""What makes a model of labels: priors that say which topics belong to which label, and what new documents expect.

A supervised model is a prior, not a sampler. Everything that tells Labeled LDA, Prior-LDA, Dependency-LDA and PLDA
apart is here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float32, Int
from scipy import sparse

from jaxlda import evaluation
from jaxlda.corpora import priors
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import natural, positive_int

__all__ = ["BlockPrior", "DependencyPrior", "FrequencyPrior", "LabelPrior"]

LABEL_ALPHA, LABEL_BETA = 0.1, 0.01  # priors of the model of labels
# What a guess of the labels is worth.
ROUND: dict[str, Any] = {"num_warmup": 20, "num_samples": 10, "thinning": 2, "num_chains": 1}

Infer = Callable[..., evaluation.Proportions]
"""Infers new documents with a given alpha and the topics of the model."""


@dataclass(frozen=True)
class LabelPrior:
    r"""Topic k is label k; new documents expect all labels alike.

    .. math:: \alpha_{dk} = \alpha_k \text{ if document } d \text{ has label } k, \text{ else } 0

    >>> LabelPrior(0.5).training_alpha(sparse.csr_array(np.array([[True, False], [True, True]]))).tolist()
    [[0.5, 0.0], [0.5, 0.5]]
    """

    alpha: Any = None
    """A number or ``(K,)``; ``None``: 50 / K."""

    anchored: ClassVar[bool] = True
    """Whether topic k is the same in every chain."""
    learns: ClassVar[tuple[str, ...]] = ()
    """Names of what :meth:`learned` finds."""

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        if np.ndim(self.alpha) > 1:
            raise ValueError(
                f"alpha has shape {np.shape(self.alpha)}; give a number or (K,): labels say what each document may "
                "draw from, and new documents need a prior, too"
            )

    def label_of_topic(self, num_labels: int) -> Int[np.ndarray, " K"]:
        """The label that each topic belongs to; -1: to all."""
        return np.arange(num_labels)

    def allowed(self, labels: sparse.csr_array) -> Bool[np.ndarray, "D K"]:
        """The topics that documents of these labels may draw from."""
        own = self.label_of_topic(labels.shape[1])
        some = np.diff(labels.indptr)[:, None] > 0
        return np.where(own >= 0, labels.toarray()[:, own], some)

    def labels(self, allowed: Bool[np.ndarray, "D K"]) -> sparse.csr_array:
        """The labels of documents that may draw from these topics."""
        return sparse.csr_array(allowed)

    def training_alpha(self, labels: sparse.csr_array) -> Float32[Any, "D K"]:
        """The prior of the training documents."""
        allowed = self.allowed(labels)
        return priors.labeled(50 / allowed.shape[1] if self.alpha is None else self.alpha, allowed)

    def learned(self, labels: sparse.csr_array, seed: int) -> dict[str, Any]:
        """Learn from the labels alone, before the chains start."""
        return {}

    def common_alpha(self, frequency: Int[np.ndarray, " L"]) -> Float32[np.ndarray, " K"]:
        """The prior of new documents of which nothing is known; of the number of documents that have each label."""
        K = len(self.label_of_topic(len(frequency)))
        return np.broadcast_to(np.asarray(50 / K if self.alpha is None else self.alpha, np.float32), (K,))

    def new_alpha(self, frequency: Int[np.ndarray, " L"], corpus: Corpus, infer: Infer, seed: int) -> np.ndarray:
        """The prior ``(K,)`` or ``(D, K)`` of these new documents."""
        return self.common_alpha(frequency)

    def of_labels(self, of_topics: Float32[np.ndarray, "D K"], num_labels: int) -> Float32[np.ndarray, "D L"]:
        """Shares of labels from shares of topics."""
        return of_topics


@dataclass(frozen=True)
class FrequencyPrior(LabelPrior):
    r"""New documents expect labels as frequent as in training (Eq. 59).

    .. math:: \alpha_k = 50 \frac{f_k}{\sum_k f_k} + \frac{30}{K}

    >>> FrequencyPrior().common_alpha(np.array([3, 1])).tolist()
    [52.5, 27.5]
    """

    frequency_mass: Any = 50.0
    uniform_mass: Any = 30.0

    def check(self) -> None:  # noqa: D102
        super().check()
        for name, least in (("frequency_mass", "not negative"), ("uniform_mass", "greater than 0")):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise TypeError(f"{name} must be a number; got {value!r}")
            if not (0 <= value < np.inf) or (name == "uniform_mass" and value == 0):
                raise ValueError(f"{name} must be {least} and finite; got {value!r}")

    def common_alpha(self, frequency: Int[np.ndarray, " L"]) -> Float32[np.ndarray, " K"]:  # noqa: D102
        return self.spread(frequency / frequency.sum())

    def spread(self, shares: np.ndarray) -> Float32[np.ndarray, "*n K"]:
        """The prior of documents whose labels are expected in these shares (Eq. 59)."""
        return np.asarray(self.frequency_mass * shares + self.uniform_mass / shares.shape[-1], np.float32)


@dataclass(frozen=True)
class DependencyPrior(FrequencyPrior):
    r"""New documents expect labels that go together, by an LDA over the labels of the training documents.

    .. math:: \alpha_{dk} = 50 \sum_t \theta'_{dt} \phi'_{tk} + \frac{30}{K}
    """

    label_topics: Any = 20
    rounds: Any = 2
    label_phi_: Float32[np.ndarray, "T L"] | None = None

    learns: ClassVar[tuple[str, ...]] = ("label_phi_",)

    def check(self) -> None:  # noqa: D102
        super().check()
        positive_int(self.label_topics, "label_topics")
        natural(self.rounds, "rounds")

    def learned(self, labels: sparse.csr_array, seed: int) -> dict[str, Any]:
        """The topics of labels."""
        from jaxlda.models.lda import LDA

        sweeps: dict[str, Any] = {"num_chains": 1, "num_samples": 10, "trace_every": 0, "keep": (), "progress": False}
        model = LDA(self.label_topics, alpha=LABEL_ALPHA, beta=LABEL_BETA, seed=seed, **sweeps)
        return {"label_phi_": model.fit(_as_documents(labels.astype(np.int32))).phi_}

    def new_alpha(self, frequency: Int[np.ndarray, " L"], corpus: Corpus, infer: Infer, seed: int) -> np.ndarray:
        """Guess the labels, ask which go with them, and guess again."""
        alpha = np.broadcast_to(self.common_alpha(frequency), (corpus.num_docs, len(frequency)))
        for _ in range(self.rounds):
            counts = np.rint(infer(corpus, alpha, seed, **ROUND).n_dk)
            labels = _as_documents(sparse.csr_array(counts, dtype=np.int32))
            theta = evaluation.infer_theta(self.label_phi_, LABEL_ALPHA, labels, seed=seed, **ROUND).best
            alpha = self.spread(theta @ self.label_phi_)
        return alpha


@dataclass(frozen=True)
class BlockPrior(LabelPrior):
    """Several topics for each label, and some that belong to all documents.

    >>> BlockPrior(topics_per_label=2, background_topics=1).label_of_topic(2).tolist()
    [0, 0, 1, 1, -1]
    """

    topics_per_label: Any = 2
    background_topics: Any = 1

    anchored: ClassVar[bool] = False

    def check(self) -> None:  # noqa: D102
        super().check()
        positive_int(self.topics_per_label, "topics_per_label")
        natural(self.background_topics, "background_topics")

    def label_of_topic(self, num_labels: int) -> Int[np.ndarray, " K"]:  # noqa: D102
        own = np.repeat(np.arange(num_labels), self.topics_per_label)
        return np.concatenate([own, np.full(self.background_topics, -1)])

    def labels(self, allowed: Bool[np.ndarray, "D K"]) -> sparse.csr_array:  # noqa: D102
        return sparse.csr_array(allowed[:, : allowed.shape[1] - self.background_topics : self.topics_per_label])

    def of_labels(self, of_topics: Float32[np.ndarray, "D K"], num_labels: int) -> Float32[np.ndarray, "D L"]:
        """The sum over the topics of each label, without those that belong to all."""
        own = of_topics[:, : num_labels * self.topics_per_label]
        shares = own.reshape(-1, num_labels, self.topics_per_label).sum(axis=2)
        total = shares.sum(axis=1, keepdims=True)
        # All words may have gone to shared topics: then nothing tells the labels apart.
        return np.where(total > 0, shares / np.where(total > 0, total, 1), np.float32(1 / num_labels))


def _as_documents(labels: sparse.csr_array) -> Corpus:
    """Labels in the place of words."""
    return Corpus(labels, np.array([f"{k}" for k in range(labels.shape[1])]))
