"""What the view of labels asks: predictions for documents that were held out, against their labels."""

from dataclasses import dataclass
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

import jaxlda
from jaxlda.evaluation import MetaLabeler, Proportions, infer_theta, multilabel
from jaxlda.plots.estimates import PAIRS
from jaxlda.plots.labels import label_table
from jaxlda_app.questions._chain import capped, model_of, soft_already
from jaxlda_app.store import Snapshot

__all__ = ["COUNTS", "RANKINGS", "SUPERVISED", "Inferred", "Predictions", "inferred", "predictions"]

SUPERVISED = ("LabeledLDA", "PriorLDA")
RANKINGS = {"evidence: the words alone": "counts", "θ: words and prior": "theta"}
COUNTS = {"as many as the Meta-Labeler expects": 0, "1 label": 1, "2 labels": 2, "3 labels": 3, "5 labels": 5}
SWEEPS: dict[str, Any] = {"num_warmup": 20, "num_samples": 10, "thinning": 2, "num_chains": 1}

_METALABELERS: WeakKeyDictionary[jaxlda.Corpus, MetaLabeler] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Inferred:
    """The topics of held-out documents, whatever labels are made of them then."""

    corpus: jaxlda.Corpus
    """What the chains are about: another run has another."""
    held: jaxlda.Corpus
    trained: np.ndarray
    """Which labels have a training document."""
    by_phi: dict[str, Proportions]
    prior: np.ndarray
    expected: np.ndarray
    """How many labels the Meta-Labeler gives each document."""
    sweep: int


class Predictions(NamedTuple):
    """Labels against truth."""

    labels: pd.DataFrame
    """A row a label: documents, predicted, correct, precision, recall, f1, and the size of its mark."""
    documents: pd.DataFrame
    """A row a document: title, its labels, those predicted, and how many are right."""
    scores: pd.DataFrame
    """A row a pair of estimators: micro, macro and example F1."""
    num_docs: int


def inferred(snapshot: Snapshot) -> Inferred:
    """Infer the held-out documents with both estimates of phi."""
    if snapshot.model.name not in SUPERVISED or snapshot.held is None or snapshot.held.labels is None:
        raise ValueError("Predictions need a supervised model (Labeled or Prior) and held-out documents with labels.")
    model, held = model_of(snapshot), capped(snapshot.held)
    alpha = model.prediction_alpha_
    kinds = ("phi",) if soft_already(snapshot) else ("phi", "phi_p")
    by_phi = {
        kind: infer_theta(model.estimates(kind), alpha, held, kernel=snapshot.run.algorithm, **SWEEPS) for kind in kinds
    }
    trained = np.any(np.asarray(snapshot.run.data.priors.alpha) > 0, axis=0)
    expected = np.minimum(_metalabeler(snapshot.corpus).predict(held.counts), len(trained))
    return Inferred(snapshot.corpus, held, trained, by_phi, alpha, expected, snapshot.run.sweep)


def predictions(snapshot: Snapshot, found: Inferred, pair: str, ranking: str, count: int) -> Predictions:
    """Give the held-out documents labels, by one pair of estimators in detail and by all in numbers."""
    names = snapshot.corpus.label_names
    assert names is not None and found.held.labels is not None
    truth = found.held.labels.toarray().astype(bool)
    number = found.expected if count == 0 else min(count, truth.shape[1])
    given = {
        PAIRS[phi, theta]: multilabel.top_n(_scores(found, phi, theta, ranking), number)
        for phi, proportions in found.by_phi.items()
        for theta in (("theta",) if proportions.theta_p is None else ("theta", "theta_p"))
    }
    predicted = given.get(pair, next(iter(given.values())))
    labels = label_table(truth, predicted, names.tolist())
    labels["size"] = 6 + 24 * np.sqrt(labels.documents / max(labels.documents.max(), 1))
    measures = [multilabel.f_measures(truth, guess, zero_division=0) for guess in given.values()]
    scores = pd.DataFrame({"pair": list(given), **{m: [getattr(f, m) for f in measures] for m in _MEASURES}})
    return Predictions(labels, _documents(found.held, truth, predicted, names), scores, found.held.num_docs)


_MEASURES = ("micro", "macro", "example")


def _scores(found: Inferred, phi: str, theta: str, ranking: str) -> np.ndarray:
    """What labels are ranked by; as shares of the evidence, labels without a training document get nothing."""
    proportions = found.by_phi[phi]
    if ranking == "theta":
        return getattr(proportions, theta)
    counts: Any = proportions.n_dk if theta == "theta" else proportions.n_dk_p
    empty = found.held.n_d[:, None] == 0
    return np.where(empty, found.prior, np.where(found.trained, counts, 0))


def _documents(held: jaxlda.Corpus, truth: np.ndarray, predicted: np.ndarray, names: np.ndarray) -> pd.DataFrame:
    titles: Any = held.titles or [f"Held-out document {d}" for d in range(held.num_docs)]
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
