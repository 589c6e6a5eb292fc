"""Models of labelled documents: what they learn, and what they predict."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import jaxlda
from jaxlda import PLDA, Corpus, DependencyLDA, LabeledLDA, PriorLDA, evaluation
from jaxlda.evaluation import multilabel
from tests import reference
from tests.models.supervised import MODELS, NAMES, QUICK, SHORT, TEST, TOY, TRAIN, fitted
from tests.tiers import on_demand


@pytest.fixture(scope="module")
def labeled() -> LabeledLDA:
    return fitted(LabeledLDA)


@pytest.fixture(scope="module")
def prior() -> PriorLDA:
    return fitted(PriorLDA)


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

    def test_all_rankings_come_from_the_same_samples(self, labeled):
        found, model = labeled.rankings(TEST, **SHORT), pickle.loads(pickle.dumps(labeled))
        assert list(found) == ["soft_counts", "hard_counts", "theta_p", "theta"]
        for rank_by, scores in found.items():
            np.testing.assert_array_equal(model.set_params(rank_by=rank_by).decision_function(TEST, **SHORT), scores)
        with pytest.raises(ValueError, match=r"kinds must be of 'soft_counts', .*; got 'luck'"):
            labeled.rankings(TEST, ("theta", "luck"))

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
            np.testing.assert_array_equal(model.set_params(count=count).cut(scores, TEST), expected)
        np.testing.assert_array_equal(model.predict(TEST, **SHORT), by_rule[0.3])
        with pytest.raises(ValueError, match="count is 13, but there are only 12 labels"):
            model.set_params(count=13).cut(scores, TEST)

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
        assert model.score(X, [set(), set()]) == 0
        with pytest.raises(ValueError, match="y has 3 column"):
            model.score(X, np.eye(3, dtype=int)[[0, 1]])

    def test_prediction_has_the_prior_of_the_fit(self, labeled):
        model = pickle.loads(pickle.dumps(labeled)).set_params(alpha=1e-3)
        np.testing.assert_array_equal(model.prediction_alpha_, labeled.prediction_alpha_)
        np.testing.assert_array_equal(model.transform(TEST, **SHORT), labeled.transform(TEST, **SHORT))

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

    @pytest.mark.hours
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


@pytest.mark.hours
class TestDependencyLDA:
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> DependencyLDA:
        return fitted(DependencyLDA)

    def test_labels_that_go_together_share_topics(self, model):
        assert model.label_phi_.shape == (6, 12)
        np.testing.assert_allclose(model.label_phi_.sum(1), 1, rtol=1e-5)
        assert all((topic[k] > 0.1).all() for topic, k in zip(model.label_phi_, _pairs(model.label_phi_), strict=True))

    def test_the_prior_of_a_document_knows_the_partner(self, model):
        counts = TEST.counts.toarray()  # of the same size: programs are compiled for it already
        counts[0], counts[0, 0] = 0, 20
        alpha = model._new_alpha(Corpus.from_counts(counts), 0)
        assert alpha.shape == (40, 12)
        np.testing.assert_allclose(alpha.sum(1), 80, rtol=1e-4)
        common = model.prediction_alpha_
        assert alpha[0, 1] > 1.2 * common[1], "words of 'art' speak for 'bio' too"
        assert alpha[0, 2] < common[2]

    def test_without_rounds_it_is_prior_lda(self, model, prior):
        copy = pickle.loads(pickle.dumps(model)).set_params(rounds=0)
        np.testing.assert_array_equal(copy.decision_function(TEST, **SHORT), prior.decision_function(TEST, **SHORT))
        assert not np.array_equal(model.decision_function(TEST, **SHORT), prior.decision_function(TEST, **SHORT))

    def test_perplexity_has_the_prior_of_the_observed_halves(self, model):
        observed, held = TEST.halves(0)
        alpha = model._new_alpha(observed, 3)
        expected = evaluation.document_completion(model.phi_, alpha, observed, held, seed=3, **SHORT).best.perplexity
        assert model.perplexity((observed, held), seed=3, **SHORT) == pytest.approx(expected, rel=1e-6)

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


@pytest.mark.hours
class TestPLDA:
    @pytest.fixture(scope="class")
    @staticmethod
    def model() -> PLDA:
        return fitted(PLDA)

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


def test_a_label_without_documents_does_not_win():
    """Its words are all alike, so that words no other label has seen would go to it."""
    X = np.zeros((40, 12), int)
    X[:20, :3], X[20:, 3:6] = 2, 2
    Y = np.zeros((40, 3), int)
    Y[:20, 0], Y[20:, 1] = 1, 1
    model = PriorLDA(count=1, **TOY).fit(X, Y)
    new = np.zeros((1, 12), int)
    new[0, [0, 6]] = 1, 3  # word 6 was never seen
    assert model.decision_function(new)[0, 2] == 0
    assert model.predict_sets(new) == [{"label0"}]


@pytest.mark.parametrize("model", on_demand(MODELS, LabeledLDA))
def test_a_fit_that_was_stopped_goes_on(model, tmp_path):
    """By whoever looks on: from its checkpoint, or in memory; both as if it had never stopped."""
    options = {**MODELS[model], **QUICK, "checkpoint": tmp_path / "c.jaxlda", "gap_every": 5}
    partial = model(**options).fit(TRAIN, on_block=lambda now: True)
    assert 0 < partial.run_.sweep < partial.run_.schedule.total
    again = model(**options).fit(TRAIN)
    np.testing.assert_array_equal(again.phi_, fitted(model).phi_)
    assert not np.isnan(again.run_.trace["gap"][:, 4]).any()
    resumed = pickle.loads(pickle.dumps(partial)).set_params(checkpoint=None).resume()
    np.testing.assert_array_equal(resumed.phi_, fitted(model).phi_)
    with pytest.raises(ValueError, match="checkpoint of something else"):
        model(**options).fit(TRAIN, [["a", f"b{d % 2}"] for d in range(120)])


@pytest.mark.slow
@pytest.mark.usefixtures("named")
def test_what_is_learned_of_labels_goes_on_with_its_checkpoint(tmp_path):
    """Whatever seed it was drawn with, and on a processor whose last digits are others."""
    path = tmp_path / "a.jaxlda"
    options = {**TOY, "seed": None, "checkpoint": path}
    first = DependencyLDA(**options).fit(TRAIN)
    again = DependencyLDA(**options).fit(TRAIN)
    assert again.seed_ == first.seed_
    np.testing.assert_array_equal(again.label_phi_, first.label_phi_)
