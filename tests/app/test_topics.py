"""Questions about topics."""

import numpy as np
import pytest

import jaxlda
from jaxlda_app.questions import topics
from tests.app.snapshots import HOSTILE, partial, snapshot_of


@pytest.fixture(scope="module")
def bars():
    corpus = jaxlda.datasets.load("bars", num_docs=60)
    return snapshot_of(corpus, num_topics=10, num_warmup=60, num_samples=3, num_chains=3)


@pytest.fixture(scope="module")
def words():
    counted = jaxlda.datasets.load("bars").subset(range(30)).counts.toarray()
    counted[2] = 0
    vocab = [HOSTILE, *(f"word{v}" for v in range(24))]
    titles = [HOSTILE, *(f"story {d}" for d in range(29))]
    return jaxlda.Corpus.from_counts(counted, vocab, titles=titles, labels=[{"x"}, {"y", HOSTILE}, {"y"}] * 10)


class TestOverview:
    def test_shares_words_and_images(self, bars):
        answer = topics.overview(bars, chain=1, soft=True, weight=1.0)
        counts = bars.run.counts(chain=1)
        np.testing.assert_allclose(answer.table.share, counts.n_k / counts.n_k.sum(), rtol=1e-5)
        phi = jaxlda.estimators.phi(bars.run.counts(soft=True, chain=1), bars.run.data)
        np.testing.assert_array_equal(answer.images.phi, phi)
        assert answer.images.side == 5 and answer.chain == 1
        best = bars.corpus.vocab[np.argsort(-np.asarray(phi), axis=1)[:, :6]]
        assert answer.words == [", ".join(row) for row in best.tolist()]
        hard = topics.overview(bars, chain=1, soft=False, weight=1.0)
        assert (hard.images.phi != phi).any()

    def test_places_are_kept(self, bars):
        first = topics.overview(bars, 0, True, 0.6)
        start = first.table[["x", "y"]].to_numpy()
        again = topics.overview(bars, 0, True, 0.6, start=start)
        assert np.abs(again.table[["x", "y"]].to_numpy() - start).max() < 0.02
        other = topics.overview(bars, 0, True, 0.6, start=np.zeros((3, 2)))  # of another number of topics
        np.testing.assert_allclose(other.table[["x", "y"]], start)

    @pytest.mark.slow
    def test_words_that_are_no_pixels(self, words):
        assert topics.overview(snapshot_of(words, num_topics=2), 0, True, 0.6).images is None


class TestWords:
    def test_both_estimates(self, bars):
        answer = topics.top_words(bars, chain=0, topic=3, weight=1.0)
        for table, soft in ((answer.hard, False), (answer.soft, True)):
            phi = np.asarray(jaxlda.estimators.phi(bars.run.counts(soft=soft, chain=0), bars.run.data))
            assert table.word[0] == bars.corpus.vocab[phi[3].argmax()]
            np.testing.assert_allclose(table.probability, -np.sort(-phi[3])[:15], rtol=1e-6)
        shared = set(answer.hard.word) & set(answer.soft.word)
        assert answer.hard.shared.tolist() == [word in shared for word in answer.hard.word]
        assert (answer.changes["rank"] != answer.changes.rank_p).all() and answer.name == "topic 3"

    def test_a_topic_beyond_the_last(self, bars):
        assert topics.top_words(bars, 0, 99, 0.5).topic == 9

    @pytest.mark.slow
    def test_one_estimate(self, words):
        answer = topics.top_words(snapshot_of(words, num_topics=2, kernel="cvb0"), 0, 0, 0.6)
        assert answer.soft is None and answer.changes.empty and answer.note == topics.ALREADY

    def test_labels(self, words):
        snapshot = snapshot_of(words, "LabeledLDA")
        assert topics.top_words(snapshot, 0, 0, 0.6).name == f"topic 0: {HOSTILE}"
        assert topics.overview(snapshot, 0, True, 0.6).table.name.tolist() == [HOSTILE, "x", "y"]
        table = topics.stability(snapshot, 0, True).table
        assert table.partner.tolist() == [0, 1, 2]  # labels are the same in all chains


class TestStability:
    def test_partners_are_the_nearest(self, bars):
        table = topics.stability(bars, chain=2, soft=True).table
        phis = [np.asarray(jaxlda.estimators.phi(bars.run.counts(soft=True, chain=c), bars.run.data)) for c in range(3)]
        assert set(table.chain) == {0, 1}
        sure = table[table.similarity > 0.8]
        assert len(sure) >= 3
        for row in sure.itertuples():
            d = jaxlda.alignment.distance(phis[2][[row.topic]], phis[row.chain])[0]
            assert d.argmin() == row.partner and row.similarity == pytest.approx(1 - d.min() ** 2, abs=1e-5)

    @pytest.mark.slow
    def test_one_chain(self, words):
        answer = topics.stability(snapshot_of(words, num_topics=2, num_chains=1), 0, True)
        assert answer.table.empty and "one chain only" in answer.note


class TestAligned:
    def test_partners_are_on_the_diagonal(self, bars):
        table = topics.aligned(bars, chain=2, other=1, soft=True).table
        partners = topics.stability(bars, chain=2, soft=True).table.query("chain == 1")
        found = partners[partners.partner >= 0]
        assert len(found) >= 3
        assert [table.columns[k] for k in found.topic] == found.partner.tolist()
        np.testing.assert_allclose(np.diag(table)[found.topic], found.similarity, atol=1e-6)

    @pytest.mark.parametrize("other", [None, 2, 7])
    def test_the_next_chain_if_there_is_no_other(self, bars, other):
        assert "every topic of chain 0" in topics.aligned(bars, 2, other, True).note

    def test_one_chain(self, words):
        assert topics.aligned(snapshot_of(words, num_topics=2, num_chains=1), 0, None, True).table.empty


def test_representatives(words):
    snapshot = snapshot_of(words, num_topics=3)
    theta = np.asarray(jaxlda.estimators.theta(snapshot.run.counts(soft=True, chain=0), snapshot.run.data))
    table = topics.representatives(snapshot, 0, 1, soft=True)
    assert len(table) == 8 and 2 not in table.document.tolist()  # which is empty
    np.testing.assert_allclose(table.share, -np.sort(-np.delete(theta[:, 1], 2))[:8], rtol=1e-6)
    assert table.title.tolist() == [words.titles[d] for d in table.document]


def test_before_the_first_draw(bars, monkeypatch):
    early = partial(bars, 1)
    assert topics.top_words(early, 0, 0, 0.6).soft is not None
    assert len(topics.stability(early, 0, True).table) == 20 and len(topics.overview(early, 0, True, 0.6).table) == 10
    monkeypatch.setattr(topics, "AFFORDABLE", 10)
    answer = topics.top_words(early, 0, 0, 0.6)
    assert answer.soft is None and answer.note == topics.LATER
    assert len(topics.representatives(early, 0, 0, soft=True)) == 8


@pytest.mark.slow
def test_one_topic(words):
    snapshot = snapshot_of(words, num_topics=1, num_samples=1)
    assert topics.overview(snapshot, 0, True, 0.6).table[["x", "y", "share"]].values.tolist() == [[0, 0, 1]]
    assert topics.stability(snapshot, 0, True).table.similarity.tolist() == pytest.approx([1])
    assert topics.top_words(snapshot, 0, 0, 0.6).changes.empty
