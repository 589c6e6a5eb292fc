"""jaxlda topics --quality, documents, choose-k: what a saved model holds, and how many topics to take."""

import csv
import io
import json

import pytest

import jaxlda as library
from tests.models.toy import toy

TEXTS = ["cat purr meow cat", "dog bark howl dog", "purr cat meow", "bark dog howl bark"] * 3
SOME = {"num_warmup": 1, "num_samples": 2, "num_chains": 2, "trace_every": 0, "progress": False}


@pytest.fixture
def model(tmp_path):
    """A saved model, with names."""
    corpus = library.Corpus.from_texts(TEXTS, titles=[f"text {i}" for i in range(len(TEXTS))])
    fitted = library.LDA(2, kernel=toy(), **SOME).fit(corpus)
    fitted.topic_names = ["dogs", "=cats"]
    fitted.save(tmp_path / "pets.jaxlda")
    fitted.save(tmp_path / "topics.jaxlda", only="topics")
    return fitted


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_names_are_shown(model, jaxlda, tmp_path):
    for file in ("pets.jaxlda", "topics.jaxlda"):
        assert [row["name"] for row in json.loads(jaxlda("topics", tmp_path / file, "--json").out)] == model.topic_names
        assert "dogs " in jaxlda("topics", tmp_path / file).out
    assert rows(jaxlda("topics", tmp_path / "pets.jaxlda", "--csv").out)[2][1] == "'=cats"  # no formula
    (tmp_path / "new.txt").write_text("cat dog\n", encoding="utf-8")
    inferred = jaxlda("infer", tmp_path / "pets.jaxlda", tmp_path / "new.txt", "--samples", 1, "--warmup", 1, "--quiet")
    assert rows(inferred.out)[0][:2] == ["document", "dogs"]


def test_quality(model, jaxlda, tmp_path):
    found = json.loads(jaxlda("topics", tmp_path / "pets.jaxlda", "--quality", "u_mass", "--words", 3, "--json").out)
    expected = model.topics(3, coherence="u_mass")
    assert [row["coherence"] for row in found] == pytest.approx(expected.coherence.tolist(), rel=1e-5)
    assert found[0].keys() == set(expected.columns)
    assert "coherence" in jaxlda("topics", tmp_path / "pets.jaxlda", "--quality").out
    (tmp_path / "other.txt").write_text("cat purr\ndog\nmeow bark howl\n", encoding="utf-8")
    other = ("topics", tmp_path / "topics.jaxlda", "--quality", "npmi", "--reference", tmp_path / "other.txt", "--json")
    assert json.loads(jaxlda(*other).out)[0].keys() == {"topic", "name", "words", "coherence", "exclusivity"}
    assert "leave out --chain" in jaxlda("topics", tmp_path / "pets.jaxlda", "--quality", "--chain", 1, code=2).err


def test_documents(model, jaxlda, tmp_path):
    head, *table = rows(jaxlda("documents", tmp_path / "pets.jaxlda", "--csv").out)
    assert head == ["document", "title", "tokens", "topic", "name", "share"] and len(table) == len(TEXTS)
    assert table[0][1] == "text 0" and table[0][4] in ("dogs", "'=cats")
    wide = rows(jaxlda("documents", tmp_path / "pets.jaxlda", "--theta", "--csv").out)[0]
    assert wide[-2:] == ["dogs", "'=cats"]
    jaxlda("documents", tmp_path / "pets.jaxlda", "--output", tmp_path / "d.json")
    assert len(json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))) == len(TEXTS)
    for topic in ("dogs", "0"):
        best = json.loads(jaxlda("documents", tmp_path / "pets.jaxlda", "--topic", topic, "--top", 2, "--json").out)
        assert [row["document"] for row in best] == model.top_documents(0, 2).document.tolist()
    assert "give a number below 2" in jaxlda("documents", tmp_path / "pets.jaxlda", "--topic", "7", code=2).err
    assert "topics only" in jaxlda("documents", tmp_path / "topics.jaxlda", code=2).err
    assert "text 3" in jaxlda("documents", tmp_path / "pets.jaxlda").out


def test_choose_k(jaxlda, tmp_path):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS * 2), encoding="utf-8")
    sampling = ("--warmup", 1, "--samples", 1, "--chains", 2, "--quiet", "--kernel", "toy")
    command = ("choose-k", tmp_path / "texts.txt", "--topics", 2, 3, *sampling, "--keep", tmp_path / "kept.json")
    told = jaxlda(*command)
    assert "suggested: " in told.out and "coherence" in told.out.splitlines()[0] and "stability" in told.out
    found = jaxlda(*command, "--json")
    rows = json.loads(found.out)
    assert [row["num_topics"] for row in rows] == [2, 3] and {"perplexity", "exclusivity"} <= rows[0].keys()
    assert "suggested: " in found.err and (tmp_path / "kept.json").exists()


@pytest.mark.slow
def test_a_state_of_mallet_is_as_good_as_a_model(jaxlda, tmp_path):
    state = tmp_path / "state.gz"
    corpus = library.Corpus.from_texts(TEXTS, titles=[f"text {i}" for i in range(len(TEXTS))])
    library.LDA(2, **SOME).fit(corpus).export(state, "state")
    head, *topics = rows(jaxlda("topics", state, "--csv").out)
    assert head == ["topic", "share", "words"] and len(topics) == 2
    assert "coherence" in jaxlda("topics", state, "--quality", "c_v", "--csv").out
    assert rows(jaxlda("documents", state, "--csv").out)[1][1] == "text 0"
    (tmp_path / "years.csv").write_text("who;year\n" + "a;1984\nb;1990\n" * 6, encoding="utf-8")
    found = json.loads(jaxlda("prevalence", state, "--by", "year", "--metadata", tmp_path / "years.csv", "--json").out)
    assert [row["year"] for row in found] == [1984, 1984, 1990, 1990]
    assert "give --metadata FILE" in jaxlda("prevalence", state, "--by", "year", code=2).err


@pytest.mark.parametrize("way", [[], ["llr"]])
def test_names_are_proposed(model, jaxlda, tmp_path, way):
    found = json.loads(jaxlda("topics", tmp_path / "pets.jaxlda", "--json", "--propose", *way).out)
    assert [row["name"] for row in found] == model.propose_names(*way) != model.topic_names
    found = json.loads(jaxlda("topics", tmp_path / "pets.jaxlda", "--quality", "--json", "--propose", *way).out)
    assert [row["name"] for row in found] == model.propose_names(*way)
    assert "leave out --chain" in jaxlda("topics", tmp_path / "pets.jaxlda", "--chain", 0, "--propose", code=2).err
