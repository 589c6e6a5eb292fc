"""Questions about topics."""

import numpy as np
import pytest

import jaxlda
from jaxlda_app.questions import _chain, compare, topic, topics
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

    @pytest.mark.hours
    def test_words_that_are_no_pixels(self, words):
        assert topics.overview(snapshot_of(words, num_topics=2), 0, True, 0.6).images is None


class TestWords:
    def test_both_estimates(self, bars):
        for soft in (False, True):
            answer = topics.top_words(bars, chain=0, topic=3, weight=1.0, soft=soft)
            table = answer.table
            phi = np.asarray(jaxlda.estimators.phi(bars.run.counts(soft=soft, chain=0), bars.run.data))
            assert table.word[0] == bars.corpus.vocab[phi[3].argmax()] and answer.soft == soft
            np.testing.assert_allclose(table.probability, -np.sort(-phi[3])[:20], rtol=1e-6)
            np.testing.assert_allclose(answer.spread.sum(axis=1), 1, rtol=1e-5)
            assert (table.tokens <= table["all"]).all() and answer.name == "topic 3"
        assert (answer.changes["rank"] != answer.changes.rank_p).all()

    def test_a_topic_beyond_the_last(self, bars):
        assert topics.top_words(bars, 0, 99, 0.5).topic == 9

    @pytest.mark.hours
    def test_one_estimate(self, words):
        answer = topics.top_words(snapshot_of(words, num_topics=2, kernel="cvb0"), 0, 0, 0.6)
        assert not answer.soft and answer.changes.empty and answer.note == topics.ALREADY

    @pytest.mark.slow
    def test_labels(self, words):
        snapshot = snapshot_of(words, "LabeledLDA")
        assert topics.top_words(snapshot, 0, 0, 0.6).name == f"topic 0: {HOSTILE}"
        assert topics.overview(snapshot, 0, True, 0.6).table.name.tolist() == [HOSTILE, "x", "y"]
        table = compare.stability(snapshot, 0, True).table
        assert table.partner.tolist() == [0, 1, 2]  # labels are the same in all chains


class TestStability:
    def test_partners_are_the_nearest(self, bars):
        table = compare.stability(bars, chain=2, soft=True).table
        phis = [np.asarray(jaxlda.estimators.phi(bars.run.counts(soft=True, chain=c), bars.run.data)) for c in range(3)]
        assert set(table.chain) == {0, 1}
        sure = table[table.similarity > 0.8]
        assert len(sure) >= 3
        for row in sure.itertuples():
            d = jaxlda.alignment.distance(phis[2][[row.topic]], phis[row.chain])[0]
            assert d.argmin() == row.partner and row.similarity == pytest.approx(1 - d.min() ** 2, abs=1e-5)

    @pytest.mark.hours
    def test_one_chain(self, words):
        answer = compare.stability(snapshot_of(words, num_topics=2, num_chains=1), 0, True)
        assert answer.table.empty and "one chain only" in answer.note


class TestAligned:
    def test_partners_are_on_the_diagonal(self, bars):
        table = compare.aligned(bars, chain=2, other=1, soft=True).table
        partners = compare.stability(bars, chain=2, soft=True).table.query("chain == 1")
        found = partners[partners.partner >= 0]
        assert len(found) >= 3
        assert [table.columns[k] for k in found.topic] == found.partner.tolist()
        np.testing.assert_allclose(np.diag(table)[found.topic], found.similarity, atol=1e-6)

    @pytest.mark.parametrize("other", [None, 2, 7])
    def test_the_next_chain_if_there_is_no_other(self, bars, other):
        assert "every topic of chain 0" in compare.aligned(bars, 2, other, True).note

    def test_one_chain(self, words):
        assert compare.aligned(snapshot_of(words, num_topics=2, num_chains=1), 0, None, True).table.empty


def test_examples(words):
    snapshot = snapshot_of(words, num_topics=3)
    theta = np.asarray(jaxlda.estimators.theta(snapshot.run.counts(soft=True, chain=0), snapshot.run.data))
    answer = topic.examples(snapshot, 0, 1, soft=True)
    table = answer.table
    assert len(table) == 8 and 2 not in table.document.tolist()  # which is empty
    np.testing.assert_allclose(table.share, -np.sort(-np.delete(theta[:, 1], 2))[:8], rtol=1e-6)
    assert table.title.tolist() == [words.titles[d] for d in table.document]
    assert len(answer.passages) == 4 and answer.passages[0][0] == table.title[0] and not answer.passages[0][2]


def test_the_passage_is_the_one_about_the_topic():
    filler = "It rained all day long, and nobody went out at all, as it rained and rained. " * 8
    texts = [f"{filler} The cat purrs, a cat purrs. {filler}", f"{filler} The dog barks, a dog barks. {filler}"] * 5
    corpus = jaxlda.Corpus.from_texts(texts)
    snapshot = snapshot_of(corpus, num_topics=2, num_warmup=20)
    for k in range(2):
        shown = topic.examples(snapshot, 0, k, soft=True)
        _, passage, written = shown.passages[0]
        assert written and ("purrs" in passage or "barks" in passage) and len(passage) <= 600


class TestList:
    def test_is_that_of_the_model(self, bars):
        table = topics.topic_list(bars, bars.best_chain, quality=True, soft=True, weight=0.6)
        assert table.topic.tolist() == list(range(10)) and table.share.sum() == pytest.approx(1, abs=1e-4)
        assert {"share_low", "share_high", "coherence", "stability"} <= set(table)
        other = topics.topic_list(bars, 1 - min(bars.best_chain, 1), quality=False, soft=True, weight=0.6)
        assert "coherence" not in other and other.words.tolist() != table.words.tolist()

    def test_names_and_hidden_topics(self, bars):
        chain = bars.best_chain
        marked = bars._replace(names={(chain, 2): HOSTILE, (chain + 1, 3): "other"}, hidden=frozenset({(chain, 0)}))
        table = topics.topic_list(marked, chain, quality=False, soft=True, weight=0.6)
        assert table.topic.tolist() == list(range(1, 10)) and table.name.tolist()[:3] == ["topic 1", HOSTILE, "topic 3"]
        assert topics.top_words(marked, chain, 2, 0.6).name == f"topic 2: {HOSTILE}"

    def test_merged_topics_are_one(self, bars):
        model = topics.merged(bars._replace(names={(bars.best_chain, 4): "four"}), [1, 4], bars.best_chain)
        assert len(model.phi_) == 9 and model.topic_names[1] == "four"
        with pytest.raises(ValueError, match="best chain"):
            topics.merged(bars, [1, 4], bars.best_chain + 1)


def test_similar_topics(bars):
    table = topic.similar(bars, 0, 3, soft=True)
    assert len(table) == 8 and 3 not in table.topic.tolist()
    assert table["in common"].tolist() == sorted(table["in common"], reverse=True)


def test_groups_are_columns_that_group():
    columns = {"year": [1990, 2000] * 10, "number": range(20), "same": ["x"] * 20}
    corpus = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0].with_metadata(columns)
    snapshot = snapshot_of(corpus, num_topics=3)
    assert topic.groups(snapshot) == ["year"]
    drawn = jaxlda.plots.table_of(topic.over_groups(snapshot, 0, 1, "year"))
    assert drawn.year.tolist() == [1990, 2000] and set(drawn.topic) == {1}


def test_before_the_first_draw(bars, monkeypatch):
    early = partial(bars, 1)
    assert topics.top_words(early, 0, 0, 0.6).soft
    assert len(compare.stability(early, 0, True).table) == 20 and len(topics.overview(early, 0, True, 0.6).table) == 10
    monkeypatch.setattr(_chain, "AFFORDABLE", 10)
    answer = topics.top_words(early, 0, 0, 0.6)
    assert not answer.soft and answer.note == topics.LATER
    assert len(topic.examples(early, 0, 0, soft=True).table) == 8
    assert len(topics.topic_list(early, 0, quality=True, soft=True, weight=0.6)) == 10


@pytest.mark.hours
def test_one_topic(words):
    snapshot = snapshot_of(words, num_topics=1, num_samples=1)
    assert topics.overview(snapshot, 0, True, 0.6).table[["x", "y", "share"]].values.tolist() == [[0, 0, 1]]
    assert compare.stability(snapshot, 0, True).table.similarity.tolist() == pytest.approx([1])
    assert topics.top_words(snapshot, 0, 0, 0.6).changes.empty
