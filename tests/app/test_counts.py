"""Questions about hard and soft counts."""

import numpy as np
import pytest

import jaxlda
from jaxlda_app.questions import counts
from tests.app.snapshots import HOSTILE, partial, snapshot_of


@pytest.fixture(scope="module")
def corpus():
    counted = jaxlda.datasets.load("bars").subset(range(30)).counts.toarray()
    counted[2] = 0
    return jaxlda.Corpus.from_counts(counted, [HOSTILE, *(f"word{v}" for v in range(24))])


@pytest.fixture(scope="module")
def snapshot(corpus):
    return snapshot_of(corpus, num_topics=5, gap_every=2)


@pytest.fixture(scope="module")
def cvb0(corpus):
    return snapshot_of(corpus, num_topics=3, kernel="cvb0", num_chains=1, gap_every=2)


class TestTrace:
    def test_has_every_chain(self, snapshot):
        trace, gap = counts.gap_trace(snapshot), snapshot.run.trace["gap"]
        assert trace.num_warmup == 3 and trace.lines["name"] == ["chain 0", "chain 1"]
        for values, x, y in zip(gap, trace.lines["xs"], trace.lines["ys"], strict=True):
            noted = np.flatnonzero(~np.isnan(values))
            assert x.tolist() == (noted + 1).tolist() and y.tolist() == values[noted].tolist()
        assert f"{gap[:, -1].mean():.3f} at sweep 7, {gap[:, 0].mean():.3f} at sweep 1 " in trace.note

    def test_before_it_was_measured(self, snapshot):
        trace = counts.gap_trace(partial(snapshot, 1))
        assert trace.lines["ys"][0].size == 0 and "not been measured" in trace.note and trace.num_warmup == 1


class TestComparison:
    def test_document_of_the_latest_sample(self, snapshot):
        run = snapshot.run
        sample = run.chain(1)
        soft = jaxlda.estimators.soften(sample, run.data)
        answer = counts.document_counts(snapshot, chain=1, document=4)
        assert answer.table.hard.tolist() == sample.counts.n_dk[4].tolist()
        np.testing.assert_allclose(answer.table.soft, soft.n_dk[4], atol=1e-4)
        assert answer.gap == pytest.approx(np.abs(sample.counts.n_dk[4] - soft.n_dk[4]).sum() / 100, rel=1e-3)
        assert answer.note.startswith("Document 4: 100 tokens") and "latest sample of chain 1" in answer.note

    def test_document_averaged_over_the_draws(self, snapshot):
        answer = counts.document_counts(snapshot, chain=0, document=4, mean=True)
        for name, soft in (("hard", False), ("soft", True)):
            expected = snapshot.run.counts(soft=soft, chain=0).n_dk[4]
            np.testing.assert_allclose(answer.table[name], expected, rtol=1e-6)
        assert "averaged over the draws of chain 0" in answer.note

    def test_word(self, snapshot):
        soft = jaxlda.estimators.soften(snapshot.run.chain(0), snapshot.run.data)
        answer = counts.word_counts(snapshot, 0, HOSTILE)
        np.testing.assert_allclose(answer.table.soft, soft.n_vk[0], atol=1e-4)
        assert answer.table.hard.tolist() == snapshot.run.chain(0).counts.n_vk[0].tolist()
        assert HOSTILE in answer.note
        mean = counts.word_counts(snapshot, 0, "word3", mean=True).table
        np.testing.assert_allclose(mean.soft, snapshot.run.counts(soft=True, chain=0).n_vk[4], rtol=1e-6)

    def test_no_word_is_the_most_frequent_one(self, snapshot):
        v = int(np.asarray(snapshot.corpus.counts.sum(axis=0)).argmax())
        assert f"“{snapshot.corpus.vocab[v]}”" in counts.word_counts(snapshot, 0, "").note

    def test_a_word_that_does_not_exist(self, snapshot):
        answer = counts.word_counts(snapshot, 0, "work")
        assert answer.note == "The vocabulary has no word “work”. It has word0, word1, word2, word3, word4."
        assert answer.gap is None and len(answer.table) == 5 and not answer.table.hard.any()
        assert counts.word_counts(snapshot, 0, "zzz").note == "The vocabulary has no word “zzz”."

    def test_an_empty_document(self, snapshot):
        answer = counts.document_counts(snapshot, 0, 2)
        assert answer.note == "Document 2 has no tokens." and answer.gap is None and not answer.table.soft.any()

    def test_a_document_beyond_the_last(self, snapshot):
        assert counts.document_counts(snapshot, 0, 999).note.startswith("Document 29")

    def test_before_the_first_draw(self, snapshot):
        early = partial(snapshot, 1)
        assert counts.document_counts(early, 0, 0, mean=True).note.endswith("as there are no draws yet.")
        assert counts.word_counts(early, 0, "word3", mean=True).table.hard.sum() > 0
        assert counts.gap_distribution(early, 0, mean=True).table["count"].sum() == 29


class TestDistribution:
    def test_mean_is_the_trace(self, snapshot):
        answer = counts.gap_distribution(snapshot, 1)
        assert answer.table["count"].sum() == 29 and "Gaps of 29 documents, in the latest sample" in answer.note
        middle = (answer.table.left + answer.table.right) / 2
        mean = (middle * answer.table["count"]).sum() / 29
        assert mean == pytest.approx(snapshot.run.trace["gap"][1, -1], abs=0.025)  # half a bin

    def test_of_the_draws(self, snapshot):
        answer = counts.gap_distribution(snapshot, 1, mean=True)
        assert answer.table["count"].sum() == 29 and "averaged" in answer.note
        latest = counts.gap_distribution(snapshot, 1)
        assert (answer.table["count"] != latest.table["count"]).any()


@pytest.mark.hours
def test_soft_counts_say_so(cvb0):
    assert counts.gap_trace(cvb0).note == counts.gap_distribution(cvb0, 0).note == counts.ALREADY
    for answer in (counts.document_counts(cvb0, 0, 4, mean=True), counts.word_counts(cvb0, 0, "word3")):
        assert counts.ALREADY in answer.note and answer.table.hard.isna().all() and answer.gap is None
    np.testing.assert_allclose(
        counts.document_counts(cvb0, 0, 4).table.soft, cvb0.run.chain(0).counts.n_dk[4], rtol=1e-6
    )


@pytest.mark.hours
def test_labels_are_the_names_of_topics(corpus):
    labelled = jaxlda.Corpus.from_counts(corpus.counts, labels=[{"a"}, {"b", HOSTILE}] * 15)
    answer = counts.document_counts(snapshot_of(labelled, "LabeledLDA"), 0, 0)
    assert answer.table.name.tolist() == [HOSTILE, "a", "b"] and answer.table.hard.tolist() == [0, 100, 0]


@pytest.mark.hours
def test_one_topic(corpus):
    snapshot = snapshot_of(corpus, num_topics=1, num_chains=1, num_samples=1)
    answer = counts.document_counts(snapshot, 0, 0)
    assert answer.table.hard.tolist() == [100] and answer.gap == pytest.approx(0, abs=1e-9)
