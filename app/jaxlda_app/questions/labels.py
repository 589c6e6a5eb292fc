"""What the view of labels asks: predictions for documents that were held out, against their labels."""

from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

import jaxlda
from jaxlda.evaluation import MetaLabeler, multilabel
from jaxlda.evaluation.by_label import label_table
from jaxlda.plots.scores import PAIRS
from jaxlda_app.questions._chain import capped, model_of, soft_already
from jaxlda_app.store import Snapshot

__all__ = ["COUNTS", "RANKINGS", "SUPERVISED", "Inferred", "Predictions", "inferred", "predictions", "tested"]

SUPERVISED = ("LabeledLDA", "PriorLDA", "DependencyLDA", "PLDA")
RANKINGS = {"evidence: the words alone": "counts", "θ: words and prior": "theta"}
COUNTS = {"as many as the Meta-Labeler expects": 0, "1 label": 1, "2 labels": 2, "3 labels": 3, "5 labels": 5}
SWEEPS: dict[str, Any] = {"num_warmup": 20, "num_samples": 10, "thinning": 2, "num_chains": 1}

_RANK_BY = {
    ("theta", "counts"): "hard_counts",
    ("theta_p", "counts"): "soft_counts",
    ("theta", "theta"): "theta",
    ("theta_p", "theta"): "theta_p",
}
_METALABELERS: WeakKeyDictionary[jaxlda.Corpus, MetaLabeler] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Inferred:
    """What the labels of documents are ranked by, however many of them are taken then."""

    corpus: jaxlda.Corpus
    """What the chains are about: another run has another."""
    documents: jaxlda.Corpus
    """That were inferred."""
    training: bool
    """Whether the chains learned from them."""
    scores: dict[tuple[str, str], np.ndarray]
    """``(D, L)`` for each pair of estimators, by its name, and ranking."""
    expected: np.ndarray
    """How many labels the Meta-Labeler gives each document."""
    sweep: int


class Predictions(NamedTuple):
    """Labels against truth."""

    labels: pd.DataFrame
    """One row per label: documents, predicted, correct, precision, recall and f1."""
    documents: pd.DataFrame
    """One row per document: title, its labels, those predicted, and how many are right."""
    scores: pd.DataFrame
    """One row per pair of estimators: micro, macro and example F1."""
    num_docs: int


def tested(snapshot: Snapshot) -> jaxlda.Corpus | None:
    """The documents to test on: those held out, or without any the training documents; ``None`` without labels."""
    documents = snapshot.corpus if snapshot.held is None else snapshot.held
    return documents if snapshot.model.name in SUPERVISED and documents.labels is not None else None


def inferred(snapshot: Snapshot) -> Inferred:
    """Rank the labels of the documents to test on with both estimates of phi, and both of theta."""
    documents = tested(snapshot)
    if documents is None:
        raise ValueError("Predictions need a supervised model, such as Labeled or Prior, and documents with labels.")
    documents = capped(documents)
    one = soft_already(snapshot)
    scores: dict[tuple[str, str], np.ndarray] = {}
    for phi in ("phi",) if one else ("phi", "phi_p"):
        model = model_of(snapshot, estimator="cgs_p" if phi == "phi_p" else "cgs")
        found = model.rankings(documents, **SWEEPS)
        for theta in ("theta",) if one else ("theta", "theta_p"):
            scores |= {(PAIRS[phi, theta], ranking): found[_RANK_BY[theta, ranking]] for ranking in RANKINGS.values()}
    expected = np.minimum(_metalabeler(snapshot.corpus).predict(documents.counts), len(model.classes_))
    return Inferred(snapshot.corpus, documents, snapshot.held is None, scores, expected, snapshot.run.sweep)


def predictions(snapshot: Snapshot, found: Inferred, pair: str, ranking: str, count: int) -> Predictions:
    """Give the documents labels, by one pair of estimators in detail and by all in numbers."""
    names = snapshot.corpus.label_names
    assert names is not None and found.documents.labels is not None
    truth = found.documents.labels.toarray().astype(bool)
    number = found.expected if count == 0 else min(count, truth.shape[1])
    given = {one: multilabel.top_n(scores, number) for (one, by), scores in found.scores.items() if by == ranking}
    predicted = given.get(pair, next(iter(given.values())))
    labels = label_table(truth, predicted, names.tolist())
    measures = [multilabel.f_measures(truth, guess, zero_division=0) for guess in given.values()]
    scores = pd.DataFrame({"pair": list(given), **{m: [getattr(f, m) for f in measures] for m in _MEASURES}})
    documents = _documents(found.documents, truth, predicted, names)
    return Predictions(labels, documents, scores, found.documents.num_docs)


_MEASURES = ("micro", "macro", "example")


def _documents(corpus: jaxlda.Corpus, truth: np.ndarray, predicted: np.ndarray, names: np.ndarray) -> pd.DataFrame:
    titles: Any = corpus.titles or [f"Document {d}" for d in range(corpus.num_docs)]
    return pd.DataFrame(
        {
            "title": list(titles),
            "labels": [", ".join(names[row].tolist()) for row in truth],
            "predicted": [", ".join(names[row].tolist()) for row in predicted],
            "correct": (truth & predicted).sum(axis=1),
            "wrong": (~truth & predicted).sum(axis=1),
            "missed": (truth & ~predicted).sum(axis=1),
        }
    )


def _metalabeler(corpus: jaxlda.Corpus) -> MetaLabeler:
    """It depends on the training documents alone, not on the chains."""
    if corpus not in _METALABELERS:
        assert corpus.labels is not None
        known = np.flatnonzero((np.diff(corpus.labels.indptr) > 0) & (corpus.n_d > 0))
        _METALABELERS[corpus] = MetaLabeler().fit(corpus.counts[known], corpus.labels[known])
    return _METALABELERS[corpus]
