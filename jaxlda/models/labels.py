"""What models of labels have in common: learning from labels, and predicting them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float32, Int
from scipy import sparse
from sklearn.svm import LinearSVR
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.validation import check_is_fitted

from jaxlda import evaluation
from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation import multilabel
from jaxlda.evaluation.quality.reading import training_counts
from jaxlda.evaluation.targets import in_columns_of, read_labels
from jaxlda.models import _inference
from jaxlda.models import parameters as declared
from jaxlda.models._fitting import Problem
from jaxlda.models.base import TopicModel
from jaxlda.models.documents import documents, trainable
from jaxlda.models.editing import Editing
from jaxlda.models.label_priors import LabelPrior
from jaxlda.models.tables import label_texts
from jaxlda.running.results import Run

__all__ = ["RANK_BY", "LabelModel"]

RANK_BY = declared.RANK_BY.choices


class LabelModel(Editing, TopicModel):
    """A model whose topics belong to labels, as its prior says.

    A subclass declares its ``parameters`` and its ``prior``, whose fields are parameters, too.
    """

    prior: ClassVar[type[LabelPrior]] = LabelPrior
    _found_names: ClassVar[tuple[str, ...]] = (
        *TopicModel._found_names,
        "classes_",
        "label_frequency_",
        "single_label_",
        "label_phi_",
    )
    _topics_names: ClassVar[tuple[str, ...]] = (*TopicModel._topics_names, "_metalabeler_numbers")
    _metalabeler: evaluation.MetaLabeler | None = None

    def decision_function(
        self, X: Any, *, alpha: Any = None, seed: int | None = None, **options: Any
    ) -> Float32[np.ndarray, "D L"]:
        """The scores that rank the labels of new documents, as shares; a document without known words gets the prior.

        A label without a training document gets nothing of counts: its words are all alike, and it would win those that
        no other label has seen.

        Parameters
        ----------
        X, alpha, seed, **options
            As in :meth:`transform`.
        """
        self._check()
        return self.rankings(X, (self.rank_by,), alpha=alpha, seed=seed, **options)[self.rank_by]

    def rankings(
        self, X: Any, kinds: Sequence[str] = RANK_BY, *, alpha: Any = None, seed: int | None = None, **options: Any
    ) -> dict[str, Float32[np.ndarray, "D L"]]:
        """What :meth:`decision_function` gives for several ``rank_by``, from the same samples of the documents.

        Parameters
        ----------
        X, alpha, seed, **options
            As in :meth:`transform`.
        kinds
            Values of ``rank_by``.
        """
        check_is_fitted(self, "phi_")
        if unknown := [kind for kind in kinds if kind not in RANK_BY]:
            raise ValueError(f"kinds must be of {', '.join(map(repr, RANK_BY))}; got {unknown[0]!r}")
        corpus, seed = documents(self, X), _inference.seed_of(self, seed)
        alpha = self._new_alpha(corpus, seed) if alpha is None else alpha
        inferred = _inference.inferred(self, corpus, alpha, seed, **options)
        return {kind: self._ranking(kind, inferred, corpus, alpha) for kind in kinds}

    def _ranking(self, kind: str, inferred: evaluation.Proportions, corpus: Corpus, alpha: Any) -> np.ndarray:
        if kind in ("theta", "theta_p"):
            return self._of_labels(inferred.best if kind == "theta_p" else inferred.theta)
        soft = None if kind == "hard_counts" else inferred.n_dk_p
        counts, n_d = inferred.n_dk if soft is None else soft, corpus.n_d[:, None].astype(np.float32)
        learned = sparse.csr_array(self.label_frequency_[None] > 0)
        counts = np.where(self._prior().allowed(learned), counts, 0)
        prior = np.broadcast_to(np.asarray(alpha, np.float32), counts.shape)
        return self._of_labels(np.where(n_d > 0, counts / np.maximum(n_d, 1), prior / prior.sum(1, keepdims=True)))

    def predict_proba(self, X: Any, **options: Any) -> Float32[np.ndarray, "D L"]:
        """Theta of new documents: the share of each label in their words, prior included.

        These are shares that add up to 1, not probabilities of each label by itself. :meth:`predict` takes the best
        labels by :meth:`decision_function`, which need not be the highest here, unless ``rank_by`` is theta, too.

        Parameters
        ----------
        X, **options
            As in :meth:`transform`.
        """
        return self._of_labels(_inference.theta(self, X, **options))

    def predict(self, X: Any, **options: Any) -> Int[np.ndarray, "D L"] | np.ndarray:
        """The labels of new documents as indicators: the best by ``rank_by``, as many as ``count`` says.

        Where the model learned one label for each document (``y`` with one dimension), the best label of each.

        Parameters
        ----------
        X
            As in :meth:`transform`.
        **options
            As in :meth:`transform`.
        """
        check_is_fitted(self, "phi_")
        corpus = documents(self, X)
        chosen = self.cut(self.decision_function(corpus, **options), corpus)
        return self.classes_[chosen.argmax(axis=1)] if self.single_label_ else chosen

    def cut(self, scores: Any, X: Any) -> Int[np.ndarray, "D L"]:
        """The best labels of documents as indicators: as many as ``count`` says.

        Parameters
        ----------
        scores
            ``(D, L)``, such as what :meth:`decision_function` gave for these documents.
        X
            The documents, as in :meth:`fit`.
        """
        check_is_fitted(self, "phi_")
        self._check()
        self._check_count(len(self.classes_))
        if self.single_label_:
            chosen = multilabel.top_n(scores, 1)
        elif self.count == "metalabeler":
            chosen = multilabel.top_n(scores, self.metalabeler_.predict(documents(self, X).counts))
        elif isinstance(self.count, float):
            chosen = multilabel.threshold(scores, self.count)
        else:
            chosen = multilabel.top_n(scores, self.count)
        return chosen.astype(np.int64)

    def predict_sets(self, X: Any, **options: Any) -> list[set]:
        """The labels of new documents as a set for each; see :meth:`predict`."""
        predicted, classes = self._indicators(self.predict(X, **options)), self.classes_.tolist()
        return [{classes[k] for k in np.flatnonzero(row)} for row in predicted]

    def score(self, X: Any, y: Any = None) -> float:
        """Micro F1 of :meth:`predict`; of models of one label for each document, that is their accuracy.

        Parameters
        ----------
        X, y
            As in :meth:`fit`; labels that the model does not know count as missed.
        """
        check_is_fitted(self, "phi_")
        corpus = documents(self, X)
        labels, classes = read_labels(y, corpus, self.classes_)
        truth, unknown = in_columns_of(self.classes_, labels, classes)
        predicted = np.pad(self._indicators(self.predict(corpus)), ((0, 0), (0, unknown)))
        return multilabel.f_measures(truth, predicted, zero_division=0).micro

    @property
    def label_of_topic_(self) -> Int[np.ndarray, " K"]:
        """The label of each topic, as its place in ``classes_``; -1 for topics that belong to all documents."""
        check_is_fitted(self, "phi_")
        return self._prior().label_of_topic(len(self.classes_))

    @property
    def labels_(self) -> sparse.csr_array:
        """The training labels, as indicators ``(D, L)``."""
        return self._prior().labels(np.asarray(self._chains().data.priors.alpha) > 0)

    @property
    def prediction_alpha_(self) -> Float32[np.ndarray, " K"]:
        """The prior of theta of new documents of which nothing is known."""
        check_is_fitted(self, "phi_")
        return self._prior().common_alpha(self.label_frequency_)

    @property
    def metalabeler_(self) -> evaluation.MetaLabeler:
        """The Meta-Labeler of the training documents, fitted when first asked for."""
        check_is_fitted(self, "phi_")
        if self._metalabeler is None and hasattr(self, "run_"):
            labels = self.labels_
            known = np.flatnonzero(np.diff(labels.indptr))
            self._metalabeler = evaluation.MetaLabeler().fit(training_counts(self.run_)[known], labels[known])
        elif self._metalabeler is None:
            idf, coefficients, intercept = self._metalabeler_numbers
            self._metalabeler = _of_numbers(idf, coefficients, intercept, len(self.classes_))
        return self._metalabeler

    # ------------------------------------------------------------------------------------------------------- inside

    @property
    def _pooled(self) -> bool:  # type: ignore[override]
        return self.prior.anchored

    def _prior(self, fitting: bool = False) -> LabelPrior:
        """The prior: of the chains as they were started, and with the parameters of prediction that there are now."""
        known = self.get_params(deep=False)
        if not fitting:
            check_is_fitted(self, "_settings_")
            known |= self._settings_ | {name: getattr(self, name) for name in self.prior.learns}
        return self.prior(**{field.name: known[field.name] for field in fields(self.prior) if field.name in known})

    def _default_names(self) -> list[str]:
        """Labels; numbered where a label has several topics."""
        of_topic = self.label_of_topic_.tolist()
        topics, so_far, names = Counter(of_topic), Counter[int](), []
        for label in of_topic:
            so_far[label] += 1
            name = "background" if label < 0 else str(self.classes_[label])
            names.append(name if topics[label] == 1 else f"{name} {so_far[label]}")
        return names

    def _label_texts(self, corpus: Corpus | None) -> list[str] | None:
        return label_texts(self.labels_, self.classes_)

    def _problem(self, corpus: Corpus, y: Any) -> Problem:
        prior = self._prior(fitting=True)
        labels, classes = read_labels(y, corpus)
        self._check_count(len(classes))
        corpus = trainable(corpus, labels, self.unlabeled)
        data = corpus.data(alpha=prior.training_alpha(labels), beta=self.beta)
        frequency = np.bincount(labels.indices, minlength=len(classes))
        found = {"vocab_": corpus.vocab, "classes_": classes, "label_frequency_": frequency}
        found |= {"single_label_": _one_each(y)} | prior.learned(labels, self.seed_)
        return Problem(self._kernel(data), data, found)

    def _new_alpha(self, corpus: Corpus, seed: int) -> Any:
        def infer(*arguments: Any, **options: Any) -> evaluation.Proportions:
            return _inference.inferred(self, *arguments, **options)

        return self._prior().new_alpha(self.label_frequency_, corpus, infer, seed)

    def _of_labels(self, of_topics: Float32[np.ndarray, "D K"]) -> Float32[np.ndarray, "D L"]:
        return self._prior().of_labels(of_topics, len(self.classes_))

    def _labels_of(self, run: Run) -> sparse.csr_array:
        return self._prior(fitting=True).labels(np.asarray(run.data.priors.alpha) > 0)

    def _indicators(self, predicted: np.ndarray) -> np.ndarray:
        return predicted if predicted.ndim == 2 else (predicted[:, None] == self.classes_).astype(np.int64)

    def _topics_only(self) -> dict[str, Any]:
        found: dict[str, Any] = {"_topics_alpha": self.prediction_alpha_}
        if not self.single_label_:
            fitted = self.metalabeler_
            intercept = np.atleast_1d(fitted.regression_.intercept_)
            found["_metalabeler_numbers"] = (fitted.idf_, fitted.regression_.coef_, intercept)
        return found

    def _conclude(self, result: Run) -> None:
        self._metalabeler = None
        super()._conclude(result)

    def _check(self) -> None:
        super()._check()
        for parameter in (declared.RANK_BY, declared.UNLABELED):
            declared.checked_choice(parameter, getattr(self, parameter.name))
        self._prior(fitting=True).check()
        whole = isinstance(self.count, int | np.integer) and not isinstance(self.count, bool) and self.count >= 0
        share = isinstance(self.count, float) and 0 <= self.count <= 1
        if not (whole or share or (isinstance(self.count, str) and self.count == "metalabeler")):
            raise ValueError(
                "count must be 'metalabeler', a number of labels, or a share as a float from 0 to 1; got "
                f"{self.count!r}"
            )

    def _check_count(self, num_labels: int) -> None:
        if isinstance(self.count, int | np.integer) and self.count > num_labels:
            raise ValueError(f"count is {self.count}, but there are only {num_labels} labels")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_label=True)
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def _one_each(y: Any) -> bool:
    """Whether there is one label for each document, not a collection."""
    if y is None or sparse.issparse(y) or getattr(y, "ndim", 1) != 1 or not isinstance(y, Iterable):
        return False
    return all(isinstance(label, str) or not isinstance(label, Iterable) for label in y)


def _of_numbers(idf: np.ndarray, coefficients: np.ndarray, intercept: np.ndarray, L: int) -> evaluation.MetaLabeler:
    """A fitted Meta-Labeler of its numbers."""
    fitted = evaluation.MetaLabeler()
    fitted.idf_, fitted.num_labels_, fitted.n_features_in_ = idf, L, len(idf)
    fitted.regression_ = LinearSVR()
    fitted.regression_.coef_, fitted.regression_.intercept_ = coefficients, intercept
    fitted.regression_.n_features_in_ = len(idf)
    return fitted
