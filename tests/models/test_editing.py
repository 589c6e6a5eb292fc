"""Edited models: topics merged, dropped, sorted and seeded, by counts, and as files remember it."""

import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, Corpus
from jaxlda.evaluation import coherence
from tests.models.supervised import MODELS, fitted
from tests.models.toy import toy
from tests.tiers import on_demand

CORPUS = jaxlda.datasets.load("bars").subset(range(20))
WORDS = ["cat purr cat", "dog bark", "tax loan tax tax", "cat purr", "dog bark dog"]
SOME = {"num_warmup": 2, "num_samples": 3, "num_chains": 2, "trace_every": 0, "progress": False}


@pytest.fixture(scope="module")
def sampled():
    return LDA(5, keep=("n_k", "theta", "phi", "z"), alpha=[0.1, 0.2, 0.3, 0.4, 0.5], **SOME).fit(CORPUS)


@pytest.fixture(scope="module")
def soft():
    """Counts that are soft already."""
    return LDA(5, kernel=toy(), **SOME).fit(CORPUS)


def counts(model, *, soft=False):
    return [np.asarray(x) for x in model.run_.counts(soft=soft, chain=model.best_chain_)]


@pytest.mark.parametrize("name", ["sampled", "soft"])
def test_merged_counts_are_sums(name, request):
    model = request.getfixturevalue(name)
    merged = model.merge_topics([1, 3], [4, 0])
    assert merged.run_.num_chains == 1 and merged.num_topics == 3 and merged.run_.num_draws == model.run_.num_draws
    for hard in (False, True) if name == "sampled" else (False,):
        for old, new in zip(counts(model, soft=hard), counts(merged, soft=hard), strict=True):
            expected = np.stack([old[..., 4] + old[..., 0], old[..., 1] + old[..., 3], old[..., 2]], axis=-1)
            np.testing.assert_allclose(new, expected, rtol=1e-6)
    theta = model.estimates(model._kind("theta"), model.best_chain_)
    expected = np.stack([theta[:, 4] + theta[:, 0], theta[:, 1] + theta[:, 3], theta[:, 2]], axis=1)
    np.testing.assert_allclose(merged.theta_, expected, rtol=1e-5)
    assert merged.edits_ == ("merged topics 1, 3 into 1; 4, 0 into 0",)
    assert len(model.phi_) == 5 and not hasattr(model, "edits_")


def test_draws_and_topics_of_tokens_are_merged(sampled):
    merged, best = sampled.merge_topics([0, 4]), sampled.best_chain_
    z = np.asarray(sampled.run_.chain(best).z)
    np.testing.assert_array_equal(np.asarray(merged.run_.chain(0).z), np.where(z == 4, 0, z))
    assert merged.alpha_.tolist() == pytest.approx([0.6, 0.2, 0.3, 0.4])
    old, new = sampled.run_.n_k[best], merged.run_.n_k[0]
    np.testing.assert_array_equal(new[:, 0], old[:, 0] + old[:, 4])
    assert set(merged.run_.kept) == {"n_k", "theta"}
    np.testing.assert_allclose(merged.run_.theta.sum(axis=-1), 1, rtol=1e-5)


def test_merged_topics_are_the_mixture_of_their_parts(sampled):
    """But for the prior: of the counts of words, exactly."""
    merged = sampled.merge_topics([0, 1])
    old, new = counts(sampled, soft=True)[1], counts(merged, soft=True)[1]
    beta = 0.01
    expected = (old[:, 0] + old[:, 1] + beta) / (old[:, :2].sum() + beta * len(old))
    np.testing.assert_allclose(merged.phi_[0], expected, rtol=1e-5)
    np.testing.assert_allclose(new.sum(), old.sum(), rtol=1e-6)


@pytest.mark.parametrize("name", ["sampled", "soft"])
def test_dropped_topics_leave_the_others_as_they_were(name, request):
    model = request.getfixturevalue(name)
    best, left = model.best_chain_, [0, 1, 3]
    dropped = model.drop_topics(2, 4)
    np.testing.assert_allclose(dropped.phi_, model.estimates(model._kind("phi"), best)[left], rtol=1e-5)
    theta = model.estimates(model._kind("theta"), best)[:, left]
    np.testing.assert_allclose(dropped.theta_, theta / theta.sum(axis=1, keepdims=True), rtol=1e-5)
    assert dropped.edits_ == ("dropped topics 2, 4",)
    if name == "sampled":
        z = np.asarray(model.run_.chain(best).z)
        assert dropped.documents().tokens.sum() == np.isin(z, left).sum()
        assert set(dropped.run_.kept) == {"n_k", "theta", "phi"}
    assert np.isfinite(dropped.log_likelihood()) and len(dropped.topics()) == 3


def test_sorted_by_size(sampled):
    ordered = sampled.sort_topics()
    share = ordered.topics().share
    assert (share.diff().dropna() <= 0).all() and ordered.edits_[0].startswith("sorted by size: ")
    assert sorted(share) == pytest.approx(sorted(sampled.topics().share))
    assert ordered.sort_topics().topics().share.tolist() == pytest.approx(share.tolist())


@pytest.mark.slow
def test_edits_are_recorded_saved_and_told(sampled, tmp_path):
    sampled.topic_names = ["a", "b", "c", "d", "e"]
    try:
        edited = sampled.merge_topics(["a", "e"]).drop_topics("b").sort_topics()
        renamed = sampled.merge_topics(["a", "e"], names=["vowels"])
    finally:
        sampled.topic_names = None
    assert set(edited.topic_names) == {"a + e", "c", "d"} and renamed.topic_names == ["vowels", "b", "c", "d"]
    assert (
        edited.edits_[:2] == ("merged topics 0 (a), 4 (e) into 0", "dropped topics 1 (b)") and len(edited.edits_) == 3
    )
    edited.save(tmp_path / "a.jaxlda")
    again = jaxlda.load(tmp_path / "a.jaxlda")
    assert again.edits_ == edited.edits_ and again.topic_names == edited.topic_names
    np.testing.assert_array_equal(again.phi_, edited.phi_)
    np.testing.assert_array_equal(again.theta_, edited.theta_)
    with pytest.raises(ValueError, match="an edited model cannot go on"):
        again.resume(1)
    assert not hasattr(again.set_params(num_topics=2, alpha=0.1).fit(CORPUS), "edits_")


def test_an_edited_model_is_a_model(sampled):
    edited = sampled.merge_topics([0, 1])
    theta = edited.transform(CORPUS[:3], num_warmup=1, num_samples=1, num_chains=1)
    assert theta.shape == (3, 4) and edited.get_params()["estimator"] == "cgs_p"
    assert coherence(edited).values.shape == (4,)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda model: model.merge_topics(), ValueError, "give topics to merge"),
        (lambda model: model.merge_topics(0, 1), TypeError, "given as lists"),
        (lambda model: model.merge_topics([0]), ValueError, "needs two different topics"),
        (lambda model: model.merge_topics([0, 1], [1, 2]), ValueError, "in one group"),
        (lambda model: model.merge_topics([0, 9]), IndexError, "there is no topic 9"),
        (lambda model: model.merge_topics([0, 1], names=["a", "b"]), ValueError, r"1 group\(s\) to merge, and 2"),
        (lambda model: model.drop_topics(), ValueError, "at least one"),
        (lambda model: model.drop_topics(0, 1, 2, 3, 4), ValueError, "no topic would be left"),
    ],
)
def test_what_cannot_be_done_is_said(sampled, ask, error, message):
    with pytest.raises(error, match=message):
        ask(sampled)


def test_the_topic_of_all_tokens_cannot_be_dropped():
    lopsided = {"alpha": [1e6, 1e-6], "num_warmup": 5, "num_chains": 1, "progress": False}
    model = LDA(2, **lopsided).fit(np.array([[2, 1], [0, 1]]))
    with pytest.raises(ValueError, match="no token would be left"):
        model.drop_topics(0)
    assert model.drop_topics(1).phi_.shape == (1, 2)


def test_who_has_no_documents():
    with pytest.raises(ValueError, match="topics only"):
        LDA.from_topics(np.eye(2)).sort_topics()


@pytest.mark.parametrize("kind", on_demand(MODELS))
def test_models_of_labels_become_models_of_topics(kind, tmp_path):
    model = fitted(kind)
    first, second = model.topic_names[:2]
    merged = model.merge_topics([first, second])
    assert type(merged) is LDA and merged.topic_names[:2] == [f"{first} + {second}", model.topic_names[2]]
    sums = counts(model)[0]
    np.testing.assert_allclose(counts(merged)[0][:, 0], sums[:, 0] + sums[:, 1], rtol=1e-6)
    assert len(merged.topics()) == len(model.phi_) - 1 and not hasattr(model, "edits_")
    merged.save(tmp_path / "merged.jaxlda")
    assert jaxlda.load(tmp_path / "merged.jaxlda").topic_names == merged.topic_names
    dropped = model.drop_topics(first)
    assert np.isfinite(dropped.theta_).all() and dropped.topic_names == model.topic_names[1:]
    sizes = counts(model.sort_topics())[2]
    assert (np.diff(sizes) <= 0).all()


@pytest.mark.slow
def test_labels_that_become_one_topic_leave_every_document_the_same_prior():
    corpus = jaxlda.Corpus.from_texts(["cat purr", "goal team"] * 2, labels=[["pet"], ["sport"]] * 2)
    model = jaxlda.LabeledLDA(num_warmup=2, num_samples=2, num_chains=1, progress=False).fit(corpus)
    merged = model.merge_topics(["pet", "sport"])
    assert merged.topic_names == ["pet + sport"] and merged.theta_.tolist() == [[1.0]] * 4


SEEDS = {"money": ["tax", "loan"], "dogs": ("dog",)}


class TestSeedWords:
    def test_are_the_prior_and_the_names(self):
        corpus = Corpus.from_texts(WORDS)
        model = LDA(3, kernel=toy(), seed_words=SEEDS, beta=0.5, **SOME).fit(corpus)
        expected = jaxlda.priors.seeded(corpus.vocab, {0: ["tax", "loan"], 1: ["dog"]}, 3, beta=0.5)
        np.testing.assert_array_equal(model.beta_, expected)
        assert model.topic_names == ["money", "dogs", "topic 2"]
        assert model.merge_topics([0, 1]).topic_names == ["money + dogs", "topic 2"]

    def test_are_saved(self, tmp_path, monkeypatch):
        monkeypatch.setitem(jaxlda.kernels.KERNELS, "toy", toy)
        model = LDA(2, kernel="toy", seed_words=SEEDS, **SOME).fit(Corpus.from_texts(WORDS))
        model.save(tmp_path / "a.jaxlda")
        again = jaxlda.load(tmp_path / "a.jaxlda")
        assert again.seed_words == SEEDS and again.topic_names == ["money", "dogs"]

    @pytest.mark.parametrize(
        ("seeds", "error", "message"),
        [
            (["tax"], TypeError, "must be a dict"),
            ({"money": "tax"}, TypeError, "the seed words of 'money' must be a list"),
            ({"a": ["tax"], "b": ["dog"], "c": ["cat"]}, ValueError, "names 3 topics, but there are 2"),
            ({"money": ["gold"]}, ValueError, "not in the vocabulary: 'gold'"),
            ({" ": ["tax"]}, ValueError, "the name of topic 0"),
        ],
    )
    def test_are_checked(self, seeds, error, message):
        with pytest.raises(error, match=message):
            LDA(2, kernel=toy(), seed_words=seeds, **SOME).fit(Corpus.from_texts(WORDS))
