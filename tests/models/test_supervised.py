"""Models of labelled documents: what they learn, what they predict, and what they refuse."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import jaxlda
from jaxlda import PLDA, Corpus, DependencyLDA, LabeledLDA, PriorLDA, evaluation
from jaxlda.evaluation import multilabel
from tests import reference
from tests.models.light import light

SHORT = {"num_warmup": 20, "num_samples": 4, "num_chains": 2}
QUICK = {**SHORT, "progress": False}
LIGHT = {"kernel": light(), "num_warmup": 1, "num_samples": 1, "num_chains": 1, "trace_every": 0, "progress": False}
NAMES = ["art", "bio", "chem", "dance", "eco", "film", "geo", "hist", "info", "jazz", "kite", "law"]
MODELS = [LabeledLDA, PriorLDA, DependencyLDA, PLDA]


def simulated(num_docs: int, seed: int) -> Corpus:
    """Twelve labels with five words each, and ten words anybody uses; "art" and "bio" go together, and so on."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((num_docs, 12), bool)
    counts = np.zeros((num_docs, 70), int)
    for d in range(num_docs):
        pair = 2 * rng.choice(6, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
        labels[d, [pair, pair + 1] if rng.random() < 0.7 else [pair + rng.integers(2)]] = True
        for k in rng.choice(np.flatnonzero(labels[d]), 20):
            counts[d, 5 * k + rng.integers(5) if rng.random() < 0.8 else 60 + rng.integers(10)] += 1
    return Corpus.from_counts(counts, labels=labels, label_names=NAMES)


TRAIN, TEST = simulated(120, 0), simulated(40, 1)


@pytest.fixture(scope="module")
def labeled() -> LabeledLDA:
    return LabeledLDA(**QUICK).fit(TRAIN)


@pytest.fixture(scope="module")
def prior() -> PriorLDA:
    return PriorLDA(**QUICK).fit(TRAIN)


def micro(predicted: np.ndarray) -> float:
    return multilabel.f_measures(TEST.labels, predicted, zero_division=0).micro


class TestLabeledLDA:
    def test_topics_are_the_labels(self, labeled):
        assert labeled.classes_.tolist() == NAMES
        assert labeled.phi_.shape == (12, 70) and labeled.theta_.shape == (120, 12)
        assert (labeled.theta_[~TRAIN.labels.toarray()] == 0).all()
        np.testing.assert_allclose(labeled.theta_.sum(1), 1, rtol=1e-5)
        own = np.array([phi[5 * k : 5 * k + 5].sum() for k, phi in enumerate(labeled.phi_)])
        assert (own > 0.4).all()

    def test_the_prior_is_that_of_eq_5(self, labeled):
        np.testing.assert_allclose(labeled.alpha_, TRAIN.labels.toarray() * 50 / 12, rtol=1e-6)

    def test_estimates_are_averages_over_draws_and_chains(self, labeled):
        p = reference.problem(labeled.run_.data)
        counts = [labeled.run_.counts(chain=chain) for chain in range(2)]
        expected = np.mean([reference.phi(np.asarray(c.n_vk, np.float64), p) for c in counts], axis=0)
        np.testing.assert_allclose(labeled.estimates("phi"), expected, rtol=1e-5)
        expected = np.mean([reference.theta(np.asarray(c.n_dk, np.float64), p) for c in counts], axis=0)
        np.testing.assert_allclose(labeled.estimates("theta"), expected, rtol=1e-5)
        assert not np.array_equal(labeled.estimates("phi", chain=0), labeled.estimates("phi", chain=1))
        np.testing.assert_array_equal(labeled.phi_, labeled.estimates("phi_p"))

    def test_finds_the_labels_of_new_documents(self, labeled):
        assert micro(labeled.predict(TEST, **SHORT)) > 0.85

    def test_sets_are_the_indicators_by_name(self, labeled):
        sets = labeled.predict_sets(TEST, **SHORT)
        assert sets == [{NAMES[k] for k in np.flatnonzero(row)} for row in labeled.predict(TEST, **SHORT)]

    def test_proportions_are_theta(self, labeled):
        proba = labeled.predict_proba(TEST, **SHORT)
        np.testing.assert_array_equal(proba, labeled.transform(TEST, **SHORT))
        np.testing.assert_allclose(proba.sum(1), 1, rtol=1e-5)

    @pytest.mark.parametrize("rank_by", ["theta", "theta_p", "soft_counts", "hard_counts"])
    def test_ranks_by_what_it_is_told(self, labeled, rank_by):
        inferred = evaluation.infer_theta(labeled.phi_, 50 / 12, TEST, **SHORT)
        n_d = TEST.n_d[:, None]
        expected = {
            "theta": inferred.theta,
            "theta_p": inferred.theta_p,
            "soft_counts": inferred.n_dk_p / n_d,
            "hard_counts": inferred.n_dk / n_d,
        }[rank_by]
        model = pickle.loads(pickle.dumps(labeled)).set_params(rank_by=rank_by)
        np.testing.assert_allclose(model.decision_function(TEST, **SHORT), expected, rtol=1e-6)
        # The same thing: theta is the counts with the prior added.
        np.testing.assert_allclose(inferred.theta_p, (inferred.n_dk_p + 50 / 12) / (n_d + 50), rtol=1e-5)

    def test_how_many_labels_is_a_choice(self, labeled):
        scores = labeled.decision_function(TEST, **SHORT)
        sizes = evaluation.MetaLabeler().fit(TRAIN).predict(TEST.counts)
        by_rule = {
            "metalabeler": multilabel.top_n(scores, sizes),
            3: multilabel.top_n(scores, 3),
            0.3: multilabel.threshold(scores, 0.3),
        }
        model = pickle.loads(pickle.dumps(labeled))
        for count, expected in by_rule.items():
            np.testing.assert_array_equal(model.set_params(count=count).predict(TEST, **SHORT), expected)

    def test_a_document_without_words_has_the_prior(self, labeled):
        corpus = Corpus(sparse.csr_array((1, 70), dtype=np.int32), TRAIN.vocab)
        np.testing.assert_allclose(labeled.decision_function(corpus, **SHORT), np.full((1, 12), 1 / 12), rtol=1e-5)
        assert labeled.predict(corpus, **SHORT).sum() >= 1

    def test_unknown_words_are_dropped_and_counted(self, labeled):
        corpus = Corpus.from_counts([[3, 2]], vocab=["w0", "new"])
        with pytest.warns(UserWarning, match=r"dropped 2 of 5 tokens: 1 word\(s\), such as 'new'"):
            predicted = labeled.predict(corpus, **SHORT)
        assert predicted[0, 0] == 1

    def test_scores_by_micro_f1(self, labeled):
        model = pickle.loads(pickle.dumps(labeled))
        model.predict = lambda X: np.eye(12, dtype=int)[[0, 1]]
        X = TEST.subset([0, 1])
        assert model.score(X, [{"art"}, {"art", "bio"}]) == pytest.approx(2 * 2 / 5)
        assert model.score(X, [{"art"}, {"new"}]) == pytest.approx(2 * 1 / 4), "labels it does not know are missed"
        assert model.score(X, np.eye(12, dtype=int)[[0, 1]]) == 1
        with pytest.raises(ValueError, match="y has 3 column"):
            model.score(X, np.eye(3, dtype=int)[[0, 1]])

    def test_more_sweeps_are_one_longer_fit(self, labeled):
        longer = LabeledLDA(**(QUICK | {"num_samples": 6})).fit(TRAIN)
        resumed = pickle.loads(pickle.dumps(labeled)).resume(10)
        np.testing.assert_array_equal(resumed.phi_, longer.phi_)

    def test_a_file_gives_the_same_predictions(self, labeled, tmp_path):
        labeled.save(tmp_path / "model.jaxlda")
        loaded = jaxlda.load(tmp_path / "model.jaxlda")
        assert type(loaded) is LabeledLDA and loaded.classes_.tolist() == NAMES
        np.testing.assert_array_equal(loaded.predict(TEST, **SHORT), labeled.predict(TEST, **SHORT))


class TestPriorLDA:
    def test_the_priors_are_eqs_58_and_59(self, prior):
        np.testing.assert_allclose(prior.alpha_, TRAIN.labels.toarray() * 50 / 12, rtol=1e-6)
        f = TRAIN.labels.toarray().sum(0)
        expected = 50 * f / f.sum() + 30 / 12
        np.testing.assert_allclose(prior.prediction_alpha_, expected, rtol=1e-6)
        scores = prior.transform(Corpus(sparse.csr_array((1, 70), dtype=np.int32), TRAIN.vocab), **SHORT)
        np.testing.assert_allclose(scores[0], expected / 80, rtol=1e-5)

    def test_masses_are_parameters_of_prediction(self, prior):
        model = pickle.loads(pickle.dumps(prior)).set_params(frequency_mass=0, uniform_mass=6.0)
        given = prior.decision_function(TEST, alpha=0.5, **SHORT)
        np.testing.assert_array_equal(model.decision_function(TEST, **SHORT), given)
        assert not np.array_equal(prior.decision_function(TEST, **SHORT), given)

    def test_by_default_it_ranks_by_soft_counts(self):
        assert PriorLDA().rank_by == "soft_counts" and PriorLDA().beta == 0.1

    def test_with_cvb0_there_is_one_kind_of_counts(self):
        model = PriorLDA(kernel="cvb0", **QUICK).fit(TRAIN)
        scores = {}
        for rank_by in ("theta", "theta_p", "soft_counts", "hard_counts"):
            scores[rank_by] = model.set_params(rank_by=rank_by).decision_function(TEST, **SHORT)
        np.testing.assert_array_equal(scores["theta"], scores["theta_p"])
        np.testing.assert_array_equal(scores["soft_counts"], scores["hard_counts"])
        assert micro(model.predict(TEST, **SHORT)) > 0.85

    def test_perplexity_is_that_of_its_prior(self, prior):
        observed, held = TEST.halves(0)
        f = TRAIN.labels.toarray().sum(0)
        alpha = 50 * f / f.sum() + 30 / 12
        expected = evaluation.document_completion(prior.phi_, alpha, observed, held, **SHORT).best.perplexity
        assert prior.perplexity((observed, held), **SHORT) == pytest.approx(expected, rel=1e-6)


class TestDependencyLDA:
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> DependencyLDA:
        return DependencyLDA(label_topics=6, **QUICK).fit(TRAIN)

    def test_labels_that_go_together_share_topics(self, model):
        assert model.label_phi_.shape == (6, 12)
        np.testing.assert_allclose(model.label_phi_.sum(1), 1, rtol=1e-5)
        assert all((topic[k] > 0.1).all() for topic, k in zip(model.label_phi_, _pairs(model.label_phi_), strict=True))

    def test_the_prior_of_a_document_knows_the_partner(self, model):
        corpus = Corpus.from_counts(np.eye(2, 70, 0, dtype=int) * 20 + np.eye(2, 70, 5, dtype=int) * 0)
        alpha = model._new_alpha(corpus)
        assert alpha.shape == (2, 12)
        np.testing.assert_allclose(alpha.sum(1), 80, rtol=1e-4)
        common = model._common_alpha()
        assert alpha[0, 1] > 1.2 * common[1], "words of 'art' speak for 'bio' too"
        assert alpha[0, 2] < common[2]

    def test_without_rounds_it_is_prior_lda(self, model, prior):
        copy = pickle.loads(pickle.dumps(model)).set_params(rounds=0)
        np.testing.assert_array_equal(copy.decision_function(TEST, **SHORT), prior.decision_function(TEST, **SHORT))
        assert not np.array_equal(model.decision_function(TEST, **SHORT), prior.decision_function(TEST, **SHORT))

    def test_finds_the_labels_of_new_documents(self, model):
        assert micro(model.predict(TEST, **SHORT)) > 0.85

    def test_a_file_has_the_topics_of_labels(self, model, tmp_path):
        model.save(tmp_path / "model.jaxlda")
        loaded = jaxlda.load(tmp_path / "model.jaxlda")
        np.testing.assert_array_equal(loaded.label_phi_, model.label_phi_)
        np.testing.assert_array_equal(loaded.decision_function(TEST, **SHORT), model.decision_function(TEST, **SHORT))


def _pairs(label_phi: np.ndarray) -> list[np.ndarray]:
    """The pair of labels each topic is about."""
    return [2 * (int(topic.argmax()) // 2) + np.arange(2) for topic in label_phi]


class TestPLDA:
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> PLDA:
        return PLDA(topics_per_label=2, background_topics=2, alpha=0.5, **QUICK).fit(TRAIN)

    def test_topics_belong_to_labels_or_to_all(self, model):
        assert model.label_of_topic_.tolist() == [*np.repeat(np.arange(12), 2), -1, -1]
        allowed = model.theta_ > 0
        for k, label in enumerate(model.label_of_topic_):
            expected = np.ones(120, bool) if label < 0 else TRAIN.labels.toarray()[:, label]
            np.testing.assert_array_equal(allowed[:, k], expected)
        np.testing.assert_array_equal(model.labels_.toarray(), TRAIN.labels.toarray())

    def test_words_of_all_documents_are_in_the_background(self, model):
        common = model.phi_[:, 60:].sum(1)
        assert common[-2:].mean() > 0.6 > 0.3 > common[:-2].mean()

    def test_estimates_are_those_of_one_chain(self, model):
        np.testing.assert_array_equal(model.phi_, model.estimates("phi_p", chain=model.best_chain_))

    def test_a_label_has_the_sum_of_its_topics(self, model):
        theta = model.transform(TEST, **SHORT)
        of_labels = np.array([[row[2 * k] + row[2 * k + 1] for k in range(12)] for row in theta])
        expected = of_labels / of_labels.sum(1, keepdims=True)
        np.testing.assert_allclose(model.predict_proba(TEST, **SHORT), expected, rtol=1e-5)

    def test_finds_the_labels_of_new_documents(self, model):
        assert micro(model.predict(TEST, **SHORT)) > 0.85

    def test_a_file_gives_the_same_predictions(self, model, tmp_path):
        model.save(tmp_path / "model.jaxlda")
        loaded = jaxlda.load(tmp_path / "model.jaxlda")
        np.testing.assert_array_equal(loaded.label_of_topic_, model.label_of_topic_)
        np.testing.assert_array_equal(loaded.predict(TEST, **SHORT), model.predict(TEST, **SHORT))


Y = TRAIN.labels.toarray()
FORMS = {
    "array": Y,
    "integers": Y.astype(int),
    "sparse": sparse.csr_matrix(Y),
    "table": pd.DataFrame(Y.astype(int), columns=NAMES),
    "lists of 0 and 1": Y.astype(int).tolist(),
    "sets of names": [{NAMES[k] for k in np.flatnonzero(row)} for row in Y],
    "lists of numbers": [np.flatnonzero(row).tolist() for row in Y],
    "sets of tuples": [{(int(k), "x") for k in np.flatnonzero(row)} for row in Y],
}


@pytest.mark.parametrize("form", FORMS)
def test_labels_come_in_many_forms(form):
    X = TRAIN.counts
    model = LabeledLDA(**LIGHT).fit(X, FORMS[form])
    expected = LabeledLDA(**LIGHT).fit(TRAIN)
    np.testing.assert_array_equal(model.labels_.toarray(), Y)
    np.testing.assert_array_equal(model.alpha_, expected.alpha_)
    classes = {
        "table": NAMES,
        "sets of names": NAMES,
        "lists of numbers": list(range(12)),
        "sets of tuples": [(k, "x") for k in range(12)],
    }
    assert model.classes_.tolist() == classes.get(form, [f"label{k}" for k in range(12)])


def test_one_label_a_document():
    model = LabeledLDA(**LIGHT).fit([[2, 0], [0, 1], [1, 1]], np.array([7, 3, 7]))
    assert model.classes_.tolist() == [3, 7]
    assert model.labels_.toarray().tolist() == [[False, True], [True, False], [False, True]]


def test_labels_given_win_over_those_of_the_corpus():
    assert LabeledLDA(**LIGHT).fit(TRAIN, [["one"]] * 120).classes_.tolist() == ["one"]


@pytest.mark.parametrize("model", MODELS)
def test_documents_without_labels(model):
    X, y = [[2, 0], [0, 3], [1, 1]], [["a"], [], ["a", "b"]]
    with pytest.raises(ValueError, match=r"1 document\(s\) have no label, the first being document 1"):
        model(**LIGHT).fit(X, y)
    fitted = model(unlabeled="skip", **LIGHT).fit(X, y)
    assert fitted.theta_.shape[0] == 3, "rows are those of the caller"
    assert fitted.run_.data.tokens.n_d.tolist() == [2, 0, 2]
    assert (fitted.theta_[1] == 0).all()
    with pytest.raises(ValueError, match="no document has both words and labels"):
        model(unlabeled="skip", **LIGHT).fit([[0, 0], [0, 3]], [["a"], []])


def test_an_empty_document_needs_no_label():
    assert LabeledLDA(**LIGHT).fit([[2, 1], [0, 0]], [["a"], []]).theta_.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "requires y to be passed, but the target y is None: give indicators"),
        ("ab", TypeError, "y must be a matrix or a list with an entry for each document"),
        (5, TypeError, "y must be a matrix or a list with an entry for each document"),
        ([["a"]], ValueError, r"labels are for 1 document\(s\), but the corpus has 2"),
        ([[7]], ValueError, r"labels are for 1 document\(s\), but the corpus has 2"),
        ([[2, 0], [0, 1]], ValueError, None),
        ([[None], ["a"]], TypeError, r"y\[0\] is \[None\]"),
        ([[{}], [1]], TypeError, r"y\[0\] is \[\{\}\]"),
        ([["a"], [1]], TypeError, "mixes labels of different kinds"),
        ([[], []], ValueError, "no labels at all"),
        (np.array([[2, 0], [0, 1]]), ValueError, "only 0 and 1"),
    ],
)
def test_labels_that_are_refused(y, error, message):
    if message is None:  # numbers in lists that are no indicators are labels
        assert LabeledLDA(**LIGHT).fit([[2, 0], [0, 3]], y).classes_.tolist() == [0, 1, 2]
        return
    with pytest.raises(error, match=message):
        LabeledLDA(**LIGHT).fit([[2, 0], [0, 3]], y)


@pytest.mark.parametrize(
    ("model", "params", "error", "message"),
    [
        (LabeledLDA, {"rank_by": "luck"}, ValueError, "rank_by must be one of 'soft_counts'"),
        (LabeledLDA, {"rank_by": 1}, ValueError, "rank_by must be one of"),
        (LabeledLDA, {"count": "many"}, ValueError, "count must be 'metalabeler', a number of labels or a share"),
        (LabeledLDA, {"count": True}, ValueError, "count must be"),
        (LabeledLDA, {"unlabeled": "ignore"}, ValueError, "unlabeled must be 'error' or 'skip'; got 'ignore'"),
        (LabeledLDA, {"estimator": "map"}, ValueError, "estimator must be 'cgs_p' or 'cgs'"),
        (LabeledLDA, {"alpha": [1.0]}, ValueError, "alpha has shape"),
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
        model(**(LIGHT | params)).fit([[2, 0], [0, 3]], [["a"], ["b", "a"]])


def test_asking_too_early_is_told():
    from sklearn.exceptions import NotFittedError

    for ask in ("predict", "predict_proba", "decision_function", "predict_sets", "transform", "score"):
        with pytest.raises(NotFittedError):
            getattr(PriorLDA(), ask)([[1, 0]])


INDICATORS = "labels out are indicators, also where every document has one"
INFERRED = "fit_transform gives theta of the training labels, transform infers it without knowing them"
EXPECTED = {
    "check_estimator_sparse_array": INDICATORS,
    "check_estimator_sparse_matrix": INDICATORS,
    "check_transformer_general": INFERRED,
    "check_transformer_data_not_an_array": INFERRED,
}


@pytest.mark.slow
@parametrize_with_checks(
    [model(count=1, **LIGHT) for model in (PriorLDA, PLDA)], expected_failed_checks=lambda estimator: EXPECTED
)
def test_scikit_learn_check(estimator, check):
    """Compiled anew for the shapes of every check, hence slow."""
    check(estimator)


def test_a_pipeline_from_texts_to_labels():
    texts = ["cat purr meow cat", "dog bark howl dog", "purr cat bark dog"] * 8
    y = [{"cats"}, {"dogs"}, {"cats", "dogs"}] * 8
    model = PriorLDA(**(QUICK | {"num_samples": 2}), trace_every=0)
    pipeline = make_pipeline(CountVectorizer(), model).fit(texts, y)
    assert pipeline.predict(["meow purr", "howl bark"]).argmax(1).tolist() == [0, 1]
    assert pipeline.predict(texts).shape == (24, 2)


def test_a_grid_search_tries_parameters():
    grid = {"count": [1, 12], "beta": [0.1, 1.0]}
    search = GridSearchCV(PriorLDA(**LIGHT), grid, cv=2, error_score="raise").fit(TRAIN.counts, Y)
    assert search.best_params_["count"] in (1, 12)
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    by_name = GridSearchCV(PriorLDA(**LIGHT), grid, cv=2, scoring="f1_micro", error_score="raise").fit(TRAIN.counts, Y)
    np.testing.assert_allclose(by_name.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"])


@pytest.mark.parametrize("model", MODELS)
def test_clones_have_the_same_parameters(model):
    params = {"beta": 0.2, "count": 2, "num_chains": 3, "keep": (), "checkpoint_every": 5.0}
    copy = clone(model(**params))
    assert {name: copy.get_params()[name] for name in params} == params
    assert "num_topics" not in copy.get_params()


@pytest.mark.parametrize("model", MODELS)
def test_a_checkpoint_goes_on(model, tmp_path):
    options = QUICK | {"num_samples": 2, "num_chains": 1, "trace_every": 0}
    first = model(checkpoint=tmp_path / "c.jaxlda", **options).fit(TRAIN)
    again = model(checkpoint=tmp_path / "c.jaxlda", **options).fit(TRAIN)
    np.testing.assert_array_equal(first.phi_, again.phi_)
    with pytest.raises(ValueError, match="checkpoint of something else"):
        model(checkpoint=tmp_path / "c.jaxlda", **options).fit(TRAIN, [["a", f"b{d % 2}"] for d in range(120)])


@pytest.mark.parametrize("model", MODELS)
def test_who_looks_on_may_stop_it(model):
    options = QUICK | {"num_samples": 2, "num_chains": 1, "trace_every": 0, "gap_every": 5}
    whole = model(**options).fit(TRAIN)
    partial = model(**options).fit(TRAIN, on_block=lambda now: True)
    assert not partial.run_.finished
    np.testing.assert_array_equal(partial.resume().phi_, whole.phi_)
    assert not np.isnan(whole.run_.trace.gap[:, 4]).any()


def test_a_label_without_documents_does_not_win():
    """Its words are all alike, so that words no other label has seen would go to it."""
    X = np.zeros((40, 12), int)
    X[:20, :3], X[20:, 3:6] = 2, 2
    Y = np.zeros((40, 3), int)
    Y[:20, 0], Y[20:, 1] = 1, 1
    model = PriorLDA(num_warmup=10, num_samples=5, num_chains=1, count=1, progress=False).fit(X, Y)
    new = np.zeros((1, 12), int)
    new[0, [0, 6]] = 1, 3  # word 6 was never seen
    assert model.decision_function(new)[0, 2] == 0
    assert model.predict_sets(new) == [{"label0"}]


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X = np.eye(6, dtype=int)[np.arange(30) % 6]
    model = LabeledLDA(num_warmup=5, num_samples=2, num_chains=1, count=1, progress=False).fit(X, np.arange(30) % 3)
    before = model.predict_sets(X[:3])
    with pytest.raises(ValueError, match="beta"):
        model.set_params(beta=-1).fit(X, ["a", "b"] * 15)
    assert model.classes_.tolist() == [0, 1, 2] and model.set_params(beta=0.1).predict_sets(X[:3]) == before
