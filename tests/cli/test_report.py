"""``jaxlda report``: the dashboard's page about a run, from the command line."""

import re

import pytest

import jaxlda as library
from jaxlda import Corpus

TEXTS = [
    "cat dog cat pet cat dog pet",
    "sun moon sun star sun moon",
    "dog cat pet dog dog cat",
    "moon star sun star",
] * 4
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    corpus = Corpus.from_texts(TEXTS, titles=[HOSTILE, *(f"text {d}" for d in range(1, len(TEXTS)))])
    settings = {"num_warmup": 6, "num_samples": 8, "thinning": 1, "num_chains": 2, "seed": 1, "progress": False}
    library.LDA(2, trace_every=1, **settings).fit(corpus).save(folder / "pets.jaxlda")
    return folder / "pets.jaxlda"


def test_leads_with_what_matters(jaxlda, saved, tmp_path):
    output = tmp_path / "page.html"
    assert str(output) in jaxlda("report", saved, "-o", output).err
    page = output.read_text(encoding="utf-8")
    headings = re.findall(r"<h[12]>(.*?)</h[12]>", page)
    assert headings[:3] == ["Topics of pets", "Verdict", "Topics"]
    assert headings[3:6] == ["Map of the topics", "The topics in the other chains", "Log-likelihood by sweep"]
    assert "LDA with 2 topics, fitted by cgs to 16 documents of pets" in page
    assert page.count("<figcaption>") == len(re.findall('id="plot-', page)) >= 5
    assert "0.0 s, now" not in page  # nobody knows how long it took


def test_passages_are_in_the_order_of_the_text(jaxlda, saved, tmp_path):
    jaxlda("report", saved, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    topics = page[page.index("<h2>Topics</h2>") : page.index("<h2>Map of the topics</h2>")]
    assert any(f": {text}</li>" in topics for text in TEXTS)


def test_titles_stay_texts_and_nothing_is_loaded(jaxlda, saved, tmp_path):
    jaxlda("report", saved, "-o", tmp_path / "page.html", "--name", HOSTILE)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert HOSTILE not in page
    outside = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"\b(?:src|href)=", outside)


def test_beside_the_run_by_default(jaxlda, saved):
    jaxlda("report", saved, "--chain", 1)
    assert "Shown is chain 1." in saved.with_suffix(".html").read_text(encoding="utf-8")


def test_what_cannot_be_told(jaxlda, saved, tmp_path):
    assert "there is no chain 7" in jaxlda("report", saved, "--chain", 7, code=2).err
    library.LDA.from_topics([[0.5, 0.5]], ["a", "b"]).save(tmp_path / "topics.jaxlda", only="topics")
    assert "topics only" in jaxlda("report", tmp_path / "topics.jaxlda", code=2).err
