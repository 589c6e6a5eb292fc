"""Models of labelled documents in use: labels given in any form, parameters, scikit-learn, files, interruptions."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from jaxlda import LDA, PLDA, DependencyLDA, LabeledLDA, PriorLDA
from tests.models.supervised import MODELS, NAMES, QUICK, TOY, TRAIN, Y
from tests.models.toy import at_once
from tests.tiers import on_demand


@pytest.mark.parametrize("y", [Y, [{NAMES[k] for k in np.flatnonzero(row)} for row in Y]], ids=["matrix", "sets"])
def test_labels_beside_counts_are_those_of_a_corpus(y):
    """All forms of labels are in tests/evaluation/test_targets.py."""
    model, expected = LabeledLDA(**TOY).fit(TRAIN.counts, y), LabeledLDA(**TOY).fit(TRAIN)
    np.testing.assert_array_equal(model.labels_.toarray(), Y)
    np.testing.assert_array_equal(model.alpha_, expected.alpha_)
    assert len(model.classes_) == 12


def test_labels_given_win_over_those_of_the_corpus():
    assert LabeledLDA(**TOY).fit(TRAIN, [["one"]] * 120).classes_.tolist() == ["one"]


@pytest.mark.parametrize("model", on_demand(MODELS, LabeledLDA))
def test_documents_without_labels(model):
    X, y = [[2, 0], [0, 3], [1, 1]], [["a"], [], ["a", "b"]]
    with pytest.raises(ValueError, match=r"1 document\(s\) have no label, the first being document 1"):
        model(**TOY).fit(X, y)
    skipped = model(unlabeled="skip", **TOY).fit(X, y)
    assert skipped.theta_.shape[0] == 3, "rows are those of the caller"
    assert skipped.run_.data.tokens.n_d.tolist() == [2, 0, 2]
    assert (skipped.theta_[1] == 0).all()
    with pytest.raises(ValueError, match="no document has both words and labels"):
        model(unlabeled="skip", **TOY).fit([[0, 0], [0, 3]], [["a"], []])


def test_an_empty_document_needs_no_label():
    assert LabeledLDA(**TOY).fit([[2, 1], [0, 0]], [["a"], []]).theta_.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(
    ("model", "params", "error", "message"),
    [
        (LabeledLDA, {"rank_by": "luck"}, ValueError, "rank_by must be one of 'soft_counts'"),
        (LabeledLDA, {"rank_by": 1}, ValueError, "rank_by must be one of"),
        (LabeledLDA, {"count": "many"}, ValueError, "count must be 'metalabeler', a number of labels, or a share"),
        (LabeledLDA, {"count": -1}, ValueError, "count must be"),
        (LabeledLDA, {"count": 1.5}, ValueError, "a share as a float from 0 to 1; got 1.5"),
        (LabeledLDA, {"count": float("nan")}, ValueError, "count must be"),
        (LabeledLDA, {"count": np.array([1, 2])}, ValueError, "count must be"),
        (PLDA, {"count": 3}, ValueError, "count is 3, but there are only 2 labels"),
        (LabeledLDA, {"count": True}, ValueError, "count must be"),
        (LabeledLDA, {"unlabeled": "ignore"}, ValueError, "unlabeled must be 'error' or 'skip'; got 'ignore'"),
        (LabeledLDA, {"estimator": "map"}, ValueError, "estimator must be 'cgs_p' or 'cgs'"),
        (LabeledLDA, {"alpha": [1.0]}, ValueError, "alpha has shape"),
        (LabeledLDA, {"alpha": np.ones((2, 2))}, ValueError, r"alpha has shape \(2, 2\); give a number or \(K,\)"),
        (PLDA, {"alpha": np.ones((2, 5))}, ValueError, r"alpha has shape \(2, 5\); give a number or \(K,\)"),
        (LabeledLDA, {"kernel": "gibs"}, ValueError, "there is no kernel 'gibs'"),
        (PriorLDA, {"frequency_mass": -1}, ValueError, "frequency_mass must be not negative"),
        (PriorLDA, {"uniform_mass": 0}, ValueError, "uniform_mass must be greater than 0"),
        (PriorLDA, {"uniform_mass": "x"}, TypeError, "uniform_mass must be a number"),
        (DependencyLDA, {"rounds": -1}, ValueError, "rounds must not be negative"),
        (DependencyLDA, {"label_topics": 0}, ValueError, "label_topics must be at least 1"),
        (PLDA, {"topics_per_label": 0}, ValueError, "topics_per_label must be at least 1"),
        (PLDA, {"background_topics": -1}, ValueError, "background_topics must not be negative"),
    ],
)
def test_parameters_that_are_refused(model, params, error, message):
    with pytest.raises(error, match=message):
        model(**(TOY | params)).fit([[2, 0], [0, 3]], [["a"], ["b", "a"]])


def test_asking_too_early_is_told():
    from sklearn.exceptions import NotFittedError

    for ask in ("predict", "predict_proba", "decision_function", "predict_sets", "transform", "score"):
        with pytest.raises(NotFittedError):
            getattr(PriorLDA(), ask)([[1, 0]])


OTHER_DATA = "the check has negative features, documents without a label, or targets that are no labels"
INFERRED = "fit_transform gives theta of the training labels, transform infers it without knowing them"
EXPECTED = {
    "check_classifier_data_not_an_array": OTHER_DATA,
    "check_classifiers_classes": OTHER_DATA,
    "check_classifiers_train": OTHER_DATA,
    "check_decision_proba_consistency": OTHER_DATA,
    "check_supervised_y_2d": OTHER_DATA,
    "check_classifier_multioutput": OTHER_DATA,
    "check_classifiers_multilabel_output_format_decision_function": OTHER_DATA,
    "check_classifiers_multilabel_output_format_predict": OTHER_DATA,
    "check_classifiers_multilabel_output_format_predict_proba": OTHER_DATA,
    "check_classifiers_multilabel_representation_invariance": OTHER_DATA,
    "check_transformer_general": INFERRED,
    "check_transformer_data_not_an_array": INFERRED,
}


@pytest.mark.hours  # minutes of compiling; the gate has the checks of LDA, whose base they share
@parametrize_with_checks([PriorLDA(count=1, **TOY)], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_check(estimator, check):
    """Compiled anew for the shapes of every check, hence slow."""
    check(estimator)


@pytest.mark.hours
@parametrize_with_checks([PLDA(count=1, **TOY)], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_check_of_a_sibling(estimator, check):
    check(estimator)


def test_a_pipeline_from_texts_to_labels():
    texts = ["cat purr meow cat", "dog bark howl dog", "purr cat bark dog"] * 8
    y = [{"cats"}, {"dogs"}, {"cats", "dogs"}] * 8
    model = PriorLDA(**(QUICK | {"num_samples": 2, "num_chains": 1}), trace_every=0)
    pipeline = make_pipeline(CountVectorizer(), model).fit(texts, y)
    assert pipeline.predict(["meow purr", "howl bark"]).argmax(1).tolist() == [0, 1]


@pytest.mark.slow
def test_a_grid_search_tries_parameters():
    """Documents as counts and labels, or both in a corpus; scored by itself or by scikit-learn."""
    grid = {"count": [1, 12]}
    options = {"cv": 2, "refit": False, "error_score": "raise"}
    with at_once():
        found = [
            GridSearchCV(PriorLDA(**TOY), grid, **options).fit(TRAIN.counts, Y),
            GridSearchCV(PriorLDA(**TOY), grid, scoring="f1_micro", **options).fit(TRAIN.counts, Y),
            GridSearchCV(PriorLDA(**TOY), grid, **options).fit(TRAIN),
        ]
        each = cross_val_score(PriorLDA(count=1, **TOY), TRAIN, cv=2, error_score="raise")
    scores = [search.cv_results_["mean_test_score"] for search in found]
    assert len(set(scores[0])) > 1
    np.testing.assert_allclose(scores[1:], [scores[0]] * 2)
    assert each.mean() == pytest.approx(scores[0][0])


@pytest.mark.parametrize("model", MODELS)
def test_clones_have_the_same_parameters(model):
    params = {"beta": 0.2, "count": 2, "num_chains": 3, "keep": (), "checkpoint_every": 5.0}
    copy = clone(model(**params))
    assert {name: copy.get_params()[name] for name in params} == params
    assert "num_topics" not in copy.get_params()


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X = np.eye(6, dtype=int)[np.arange(30) % 6]
    model = LabeledLDA(count=1, **TOY).fit(X, np.arange(30) % 3)
    before = model.predict_sets(X[:3])
    with pytest.raises(ValueError, match="beta"):
        model.set_params(beta=-1).fit(X, ["a", "b"] * 15)
    assert model.classes_.tolist() == [0, 1, 2] and model.set_params(beta=0.1).predict_sets(X[:3]) == before


@pytest.mark.parametrize("model", [LabeledLDA, PriorLDA])
def test_one_label_for_each_document_gives_one_back(model):
    X, y = np.eye(6, dtype=int)[np.arange(30) % 6] * 3, np.array(["air", "land", "sea"])[np.arange(30) % 3]
    fitted = model(**TOY).fit(X, y)
    assert is_classifier(fitted) and fitted.classes_.tolist() == ["air", "land", "sea"]
    assert fitted.predict(X).tolist() == y.tolist() and fitted.score(X, y) == 1
    assert fitted.score(X, ["air"] * 30) == pytest.approx(1 / 3)
    assert fitted.predict_sets(X[:2]) == [{"air"}, {"land"}]
    numbers = model(**TOY).fit(X, np.arange(30) % 3 + 5)
    assert numbers.predict(X[:3]).tolist() == [5, 6, 7]
    with at_once():
        assert cross_val_score(model(**TOY), X, y, cv=2, error_score="raise").mean() > 0.9


def test_sets_of_labels_give_indicators():
    X = np.eye(6, dtype=int)[np.arange(30) % 6] * 3
    fitted = LabeledLDA(count=1, **TOY).fit(X, [{"air"}, {"land"}, {"sea"}] * 10)
    assert fitted.predict(X[:3]).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert not is_classifier(LDA())
