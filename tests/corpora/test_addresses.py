"""The State of the Union addresses: passages, metadata, and topics that peak when they should."""

import gzip
import json

import pytest

from docs.addresses import draw, fitted, peaks
from jaxlda import datasets
from jaxlda.corpora.passages import passages


def test_passages_end_with_sentences():
    text = " ".join(f"This is sentence number {i}, it has nine words." for i in range(100))
    pieces = passages(text, 200)
    assert " ".join(pieces) == text
    assert len(pieces) == round(len(text.split()) / 200)
    assert all(piece.endswith("words.") and 150 <= len(piece.split()) <= 250 for piece in pieces)


def test_passages_without_sentences():
    pieces = passages("word " * 1000, 100)
    assert [len(piece.split()) for piece in pieces] == [100] * 10
    assert passages("  \n ") == [] and passages("one two") == ["one two"]
    with pytest.raises(ValueError, match="words must be at least 1"):
        passages("one", 0)


@pytest.fixture
def folder(tmp_path):
    rows = [
        {"year": 1862, "president": "Abraham Lincoln", "party": "r", "text": "War and union. " * 100},
        {"year": 2002, "president": "George W. Bush", "party": "r", "text": "Terror and freedom. " * 80},
    ]
    with gzip.open(tmp_path / "sotu.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_addresses_are_cut_and_known(folder):
    corpus = datasets.load("sotu", folder=folder, words=100, max_df=1.0, min_df=1)
    assert corpus.num_docs == 5 and corpus.titles[1] == "1862 Abraham Lincoln, passage 2"
    assert corpus.metadata.year.tolist() == [1862] * 3 + [2002] * 2
    assert corpus.metadata.party.unique().tolist() == ["Republican"]
    whole = datasets.load("sotu", folder=folder, words=None, max_df=1.0, min_df=1)
    assert whole.titles == ("1862 Abraham Lincoln", "2002 George W. Bush")
    with pytest.raises(FileNotFoundError, match=r"sotu\.jsonl\.gz is not in"):
        datasets.load("sotu", folder=folder / "elsewhere")


@pytest.mark.data
def test_topics_peak_in_the_civil_war_and_after_2001(data_file, tmp_path):
    """K 50: the lower ends of their bands are above twice the median of all years."""
    model = fitted(data_file("sotu.jsonl.gz").parent)
    assert model.theta_.shape[0] == pytest.approx(9000, rel=0.05)
    table = model.prevalence("year")
    assert table.attrs["draws"] == 20
    clear = peaks(table)
    war, late = clear[clear.year.between(1861, 1865)], clear[clear.year > 2001]
    assert len(war) and len(late)
    words = model.top_words(20)
    assert any({"union", "southern", "rebellion", "slavery", "insurrection"} & set(words[k]) for k in war.index)
    assert any({"terror", "terrorists", "iraq", "jobs", "border"} & set(words[k]) for k in late.index)
    draw(model, tmp_path / "sotu.png")
    assert "1862" in json.loads((tmp_path / "sotu.json").read_text())["reading"]
