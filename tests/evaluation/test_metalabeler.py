"""The Meta-Labeler: its features by hand, its regression by another solver, its place in scikit-learn."""

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from jaxlda import datasets
from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation.metalabeler import MetaLabeler
from jaxlda.evaluation.multilabel import f_measures, top_n


def labelled(D=120, V=12, L=6, seed=0):
    """Documents in which word 0 stands for one label, word 1 for two, and so on; the others are noise."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, D)
    X = rng.poisson(0.5, (D, V))
    X[:, :4] = 0
    X[np.arange(D), size - 1] = rng.integers(1, 4, D)
    return X, top_n(rng.random((D, L)), size), size


def test_it_learns_the_number_of_labels():
    X, Y, size = labelled()
    model = MetaLabeler(C=10).fit(X[:80], Y[:80])
    assert model.score(X[80:], Y[80:]) > 0.9  # by chance .25
    assert model.predict(X[80:]).dtype == np.int64
    assert np.mean(model.predict(X[80:]) == size[80:]) == model.score(X[80:], Y[80:])


def test_features_and_regression_by_hand():
    X, Y, size = labelled(D=40, V=8)
    X[:, 7] = 0  # a word nobody has
    X[3] = 0  # a document without words
    model = MetaLabeler(tol=1e-10).fit(X, Y)
    features = np.where(X > 0, 1 + np.log(np.maximum(X, 1)), 0.0)
    has = (X > 0).sum(0)
    features = features * np.where(has > 0, np.log(40 / np.maximum(has, 1)), 0.0)
    features /= np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-300)
    design = np.c_[features, np.ones(40)]  # the constant term is regularised too, as in LibLinear
    solution = np.linalg.solve(np.eye(9) / 2 + design.T @ design, design.T @ size)
    raw = design @ solution
    np.testing.assert_allclose(model.regression_.predict(model._features(sparse.csr_array(X))), raw, atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), np.clip(np.rint(raw), 1, 6))
    # and the loss is the squared one: the same by direct minimisation
    loss = lambda b: b @ b / 2 + ((design @ b - size) ** 2).sum()  # noqa: E731
    found = optimize.minimize(loss, np.zeros(9), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(found.x, solution, atol=1e-5)


def test_predictions_stay_between_one_and_the_number_of_labels():
    X = np.eye(4, dtype=int)
    low = MetaLabeler(C=1e6).fit(X, np.zeros((4, 3)))
    assert low.predict(X).tolist() == [1, 1, 1, 1]
    Y = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]])
    model = MetaLabeler(C=1e6, fit_intercept=False).fit(X, Y)
    assert model.predict(X).tolist() == [1, 2, 3, 3]
    model.regression_.coef_ *= 100
    assert model.predict(X).tolist() == [3, 3, 3, 3]
    assert model.predict(np.zeros((2, 4))).tolist() == [1, 1]  # nothing known: the constant term, here none


def test_forms_of_input_agree():
    X, Y, _ = labelled(D=40)
    corpus = Corpus.from_counts(X, labels=Y)
    expected = MetaLabeler().fit(X, Y).predict(X)
    for counts, labels in [
        (sparse.coo_array(X), sparse.csc_array(Y)),
        (corpus, None),
        (X.tolist(), Y.astype(int).tolist()),
        (X, [set(np.flatnonzero(row).tolist()) for row in Y]),
    ]:
        np.testing.assert_array_equal(MetaLabeler().fit(counts, labels).predict(counts), expected)
    assert MetaLabeler().fit(corpus).score(corpus) == MetaLabeler().fit(X, y=Y).score(X, y=Y)


def test_scikit_learn():
    model = MetaLabeler(C=3, epsilon=0.1)
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model.fit(*labelled()[:2])), "idf_")
    texts = ["one apple", "one pear", "two apple pear", "two pear"] * 5
    Y = np.array([[1, 0], [1, 0], [1, 1], [1, 1]] * 5)
    pipeline = make_pipeline(CountVectorizer(), MetaLabeler(C=100)).fit(texts, Y)
    assert pipeline.predict(["one apple", "two pear"]).tolist() == [1, 2]
    search = GridSearchCV(pipeline, {"metalabeler__C": [1e-6, 100]}, cv=2).fit(texts, Y)
    assert search.best_params_ == {"metalabeler__C": 100} and search.best_score_ == 1.0


@pytest.mark.parametrize(
    "X, y, message",
    [
        ([[1, 0], [0, 1]], None, "learns from labels: give y"),
        (Corpus.from_counts([[1, 0], [0, 1]]), None, "learns from labels"),
        ([[1, 0], [0, 1]], [[1, 1]], r"labels are for 1 document\(s\), but the corpus has 2"),
        ([[1, 0], [0, 1]], np.zeros((2, 0)), "no labels at all"),
        ([[0.5, 0], [0, 1]], [[1], [1]], "LDA needs counts"),
        ([[1, 0], [0, 1]], np.array([[2, 0], [0, 1]]), "only 0 and 1"),
    ],
)
def test_wrong_input(X, y, message):
    with pytest.raises(ValueError, match=message):
        MetaLabeler().fit(X, y)


def test_wrong_prediction():
    with pytest.raises(NotFittedError):
        MetaLabeler().predict([[1, 0]])
    with pytest.raises(ValueError, match="X has 3 words; the Meta-Labeler was fitted with 2"):
        MetaLabeler().fit([[1, 0], [0, 1]], [[1, 0], [1, 1]]).predict([[1, 0, 1]])


def test_bibtex(data_file):
    """Better than the mean number of labels everywhere; the perfect ranking cut by it shows what it costs."""
    data_file("bibtex_train.npz"), data_file("bibtex_test.npz")
    train, test = datasets.load("bibtex"), datasets.load("bibtex", part="test")
    model = MetaLabeler().fit(train)
    size = np.diff(test.labels.indptr)
    predicted = model.predict(test)
    constant = np.full(size.shape, round(np.diff(train.labels.indptr).mean()))
    assert np.abs(predicted - size).mean() < np.abs(constant - size).mean() - 0.05
    oracle = top_n(test.labels.toarray() + 0.0, predicted)
    assert f_measures(test.labels, oracle, zero_division=1).example > 0.75


def test_words_of_a_corpus_are_translated():
    texts, labels = ["cat", "dog dog"] * 10, [{"a"}, {"a", "b", "c"}] * 10
    model = MetaLabeler().fit(Corpus.from_texts(texts, labels=labels))
    swapped = Corpus.from_counts([[1, 0], [0, 2]], ["dog", "cat"])
    assert model.predict(swapped).tolist() == [3, 1]
