"""Runs beside each other, numbers of topics, and texts as they were written."""

import numpy as np
import pytest

import jaxlda
from jaxlda_app import sweeping
from jaxlda_app.jobs import Job, Jobs
from jaxlda_app.questions import compare, documents
from jaxlda_app.questions.texts import placed
from jaxlda_app.runs import Kept
from jaxlda_app.sweeping import Sweep, numbers
from tests.app.snapshots import HOSTILE, snapshot_of

BARS = jaxlda.datasets.bars(num_docs=60, size=4, doc_length=40)[0]


def kept(snapshot):
    one = Kept("run", snapshot.corpus, "bars", Job(None, None, snapshot.corpus))
    one.snapshot = snapshot
    return one


@pytest.fixture(scope="module")
def bars():
    return snapshot_of(BARS, num_topics=8, num_warmup=60, num_samples=3)


class TestPairs:
    def test_a_run_is_like_itself(self, bars):
        answer = compare.pairs(bars, 0, kept(bars), 0, soft=True)
        assert answer.table["this run"].tolist() == answer.table["the other"].tolist()
        assert set(answer.table["in common"]) == {"100%"} and "8 topics with half" in answer.note

    def test_what_one_has_and_the_other_not(self, bars):
        fewer = snapshot_of(BARS, num_topics=3, num_warmup=10)
        table = compare.pairs(bars, 0, kept(fewer), 9, soft=True).table
        assert {"only here"} <= set(table["in common"]) and len(table) >= 8
        assert sorted(name for name in table["this run"] if name) == sorted(f"topic {k}" for k in range(8))

    def test_words_that_both_have(self, bars):
        words = [f"word {v}" for v in range(BARS.num_words)]
        other = snapshot_of(jaxlda.Corpus.from_counts(BARS.counts, words), num_topics=2)
        assert "fewer than 10 words" in compare.pairs(bars, 0, kept(other), 0, True).note
        order = np.random.default_rng(0).permutation(BARS.num_words)
        shuffled = jaxlda.Corpus.from_counts(BARS.counts.toarray()[:, order], BARS.vocab[order])
        same = snapshot_of(shuffled, num_topics=8, num_warmup=60, num_samples=3)
        assert "words in common" not in compare.pairs(bars, 0, kept(same), 0, True).note

    def test_qualities(self, bars):
        table = compare.qualities(bars, 0, kept(bars), 0).set_index("measure")
        assert table["this run"].tolist() == table["the other"].tolist() and table["this run"]["topics"] == "8"


class TestSweep:
    @pytest.mark.parametrize("text", ["", "0", "5 x", "-3", "5000", "1 2 3 4 5 6 7 8 9"])
    def test_numbers_that_will_not_do(self, text):
        with pytest.raises(ValueError, match="numbers of topics"):
            numbers(text)

    @pytest.mark.slow
    def test_tells_number_by_number(self, monkeypatch, until):
        monkeypatch.setattr(sweeping, "FIT", {"num_warmup": 3, "num_samples": 1, "thinning": 1, "num_chains": 1})
        monkeypatch.setattr(sweeping, "INFERENCE", dict.fromkeys(["num_warmup", "num_samples", "num_chains"], 1))
        jobs, told = Jobs(), []
        sweep = Sweep(jobs, BARS, [2, 3], lambda *news: told.append(news), kernel="cvb0")
        assert jobs.reserved > 0
        until(sweep.ended.is_set)
        until(lambda: jobs.reserved == 0)
        assert [next for _, next, _ in told] == [2, 3, None] and not told[-1][2]
        assert told[-1][0].table.num_topics.tolist() == [2, 3] and told[-1][0].why
        jobs.close()


class TestTexts:
    def test_words_that_are_not_where_they_should_be(self):
        assert placed("a cat", ["dog"]) is None
        assert placed("in New York, New", ["new_york", "new"]) == [(3, 11), (13, 16)]
        assert placed("İstanbul", ["istanbul"]) is None  # whose small letters are more

    def test_as_written(self):
        texts = [f"The Cat, the cat & {HOSTILE} purrs {d}." for d in range(6)]
        snapshot = snapshot_of(jaxlda.Corpus.from_texts(texts, stop_words="english"), num_topics=2)
        page = documents.document_page(snapshot, 1, 0, soft=True, topic=0, found="cat")
        assert page.written and page.text.count('class="hit"') == 2 and "<script>" not in page.text
        assert page.text.count("<span") == page.length and ">Cat</span>, the <span" in page.text
        assert not documents.document_page(snapshot, 1, 0, soft=True, by_topic=True).written
        assert documents.search(snapshot, "cat").total == 6
