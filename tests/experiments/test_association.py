"""Word association: a check on a corpus whose topics are known; the paper's findings on 20 Newsgroups, marked data."""

import json

import numpy as np
import pytest

from jaxlda.corpora import datasets
from jaxlda.corpora.corpus import Corpus
from jaxlda.experiments import association
from jaxlda.experiments._job import Job


@pytest.fixture(scope="module")
def report():
    return association.compute(Job("association", scale="smoke", progress=False))


def test_every_number_is_there(report):
    stored = json.loads(report.to_json())["numbers"]
    assert list(stored["runs"]) == ["K 10", "K 40"] and [len(runs) for runs in stored["runs"].values()] == [2, 2]
    assert len(stored["runs"]["K 10"][0]["median_gain"]) == 10
    assert sum(group["pairs"] for group in stored["groups"]) == 5 * sum(group["cues"] for group in stored["groups"])
    (figure,) = report.figures
    assert set(figure.table["panel"]) == {"K = 10", "K = 40"} and figure.plot() is not None


def test_soft_topics_place_associates_of_rare_words_earlier(report):
    """A gain in both runs, fixed seed; the true topics decided what is associated."""
    for run in report.numbers["runs"]["K 40"]:
        assert np.mean(run["median_gain_by_decile"][:3]) > 0.5
        assert run["share_better"] > run["share_worse"]
        assert run["median_rank_phi"][0] < 300, "of 1,213 others: these topics know what belongs together"


def test_the_reading_follows_the_numbers(report):
    gain = np.mean([run["median_gain"][0] for run in report.numbers["runs"]["K 40"]])
    assert f"{gain:+.1f} at K 40" in report.reading
    assert "with K, " in report.reading


def test_groups_are_of_equal_width(report):
    widths = [group["to"] - group["from"] for group in report.numbers["groups"]]
    np.testing.assert_allclose(widths, widths[0])
    frequent = [group["cues"] for group in report.numbers["groups"]]
    assert frequent[0] == max(frequent), "most words are rare"


def test_norms_are_the_first_five_associates_in_the_vocabulary(tmp_path, monkeypatch):
    words = ["cat", "dog", "pet", "purr", "once"]
    corpus = Corpus.from_counts([[6, 5, 7, 9, 1]], words)
    monkeypatch.setattr(datasets, "load", lambda name, folder: corpus)
    pairs = [("cat", x) for x in ("dog", "tail", "cat", "once", "pet", "purr")] + [("dog", "cat"), ("fish", "cat")]
    cue, target = (np.array(column) for column in zip(*pairs, strict=True))
    np.savez(tmp_path / "usf_norms.npz", cue=cue, target=target)
    kept, norms = association.load(tmp_path)
    assert kept.vocab.tolist() == words[:4], "without the word that occurs once"
    named = [(words[c], words[t]) for c, t in zip(norms.cue, norms.target, strict=True)]
    assert named == [("cat", "dog"), ("cat", "pet"), ("dog", "cat")], "'purr' is the sixth associate"
    assert norms.group.tolist() == [9, 9, 0]


def test_missing_norms_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "load", lambda name, folder: Corpus.from_counts([[6]], ["cat"]))
    with pytest.raises(FileNotFoundError, match=r"usf_norms\.npz is not in .*; give the folder that holds it"):
        association.compute(Job("association", tmp_path, progress=False))


@pytest.mark.data
@pytest.mark.timeout(3600)
def test_the_findings_on_20_newsgroups(data_file, tmp_path, monkeypatch):
    """One run of K 100 and K 500; an independent, slow implementation found +9 to +13, and 0 to +1."""
    data_file("20newsgroups_train.npz"), data_file("usf_norms.npz")
    full = association.SCALES["full"]
    monkeypatch.setitem(association.SCALES, "full", full._replace(topics=(100, 500)))
    report = association.compute(Job("association", runs=1, folder=tmp_path))
    gain = {K: report.numbers["runs"][f"K {K}"][0]["median_gain"] for K in (100, 500)}
    assert 5 <= gain[100][0] <= 20
    assert all(-2 <= gain[100][group] <= 4 for group in (1, 2))
    assert gain[500][0] > gain[100][0]
