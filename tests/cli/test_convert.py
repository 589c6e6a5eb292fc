"""``jaxlda convert`` and ``jaxlda info``."""

import json

import numpy as np
import pandas as pd
import pytest

import jaxlda
from jaxlda import LDA, Corpus, cli, io
from jaxlda.cli import convert
from jaxlda.corpora.readers.kinds import WRITABLE
from jaxlda.corpora.writers import corpora
from jaxlda.models.exports import WHAT
from jaxlda.running import archive
from tests.corpora.writers.test_mallet import sampled


@pytest.fixture
def files(tmp_path):
    corpus = Corpus.from_texts(["cat dog cat", "dog emu", "cat"], titles=["a", "b", "c"])
    corpus = corpus.with_metadata({"year": [1984, 1990, 1990]})
    io.write_corpus(corpus, tmp_path / "pets.csv")
    LDA.from_sample(corpus, *sampled(corpus)).save(tmp_path / "pets.jaxlda")
    io.write_mallet_state(tmp_path / "state.gz", corpus, *sampled(corpus))
    return tmp_path


def run(capsys, *arguments, code=0):
    assert cli.main([str(argument) for argument in arguments]) == code, capsys.readouterr().err
    return capsys.readouterr()


def test_the_lists_are_those_of_the_library():
    assert tuple(corpora._WRITERS) == WRITABLE and convert.WHAT == WHAT


def test_documents(files, capsys):
    told = run(capsys, "convert", files / "pets.csv", files / "pets.ldac", "--stop-words", "english").err
    assert "written:" in told and "pets.ldac.vocab" in told
    again = io.read_corpus(files / "pets.ldac")
    assert again.vocab.tolist() == ["cat", "dog", "emu"] and again.num_tokens == 6
    run(capsys, "convert", files / "pets.ldac", files / "words", "--to", "text", "--counted")
    assert (files / "words").read_text() == "cat cat dog\ndog emu\ncat\n"
    told = run(capsys, "convert", files / "pets.csv", files / "a.csv", "--what", "theta", code=2).err
    assert "holds documents" in told
    assert "does not tell a kind" in run(capsys, "convert", files / "pets.csv", files / "a", code=2).err


@pytest.mark.parametrize("source", ["pets.jaxlda", "state.gz"])
def test_models(files, source, capsys):
    run(capsys, "convert", files / source, files / "theta.csv", "--what", "theta")
    model = jaxlda.load(files / "pets.jaxlda")
    theta = pd.read_csv(files / "theta.csv")[["topic0", "topic1", "topic2"]].to_numpy(np.float32)
    np.testing.assert_array_equal(theta, model.theta_)
    run(capsys, "convert", files / source, files / "again.gz", "--what", "state")
    assert (files / "again.gz").read_bytes() == (files / "state.gz").read_bytes()
    assert "holds a model" in run(capsys, "convert", files / source, files / "a", "--to", "csv", code=2).err


def test_info(files, capsys):
    def told(name):
        return {row["what"]: row["value"] for row in json.loads(run(capsys, "info", files / name, "--json").out)}

    facts = told("pets.csv")
    assert (facts["documents"], facts["tokens"], facts["metadata"]) == (3, 6, "title, year")
    facts = told("pets.jaxlda")
    assert facts["kind"] == "LDA" and facts["metadata"] == "year" and facts["texts"] is True
    assert (facts["topics"], facts["words"], facts["titles"], facts["chains"]) == (3, 3, 3, 1)
    assert facts["draws per chain"] == 1 and facts["parameter num_topics"] == 3
    assert "a sample of MALLET" in run(capsys, "info", files / "state.gz").out
    model = jaxlda.load(files / "pets.jaxlda")
    model.save(files / "small.jaxlda", only="topics")
    assert "topics only" in run(capsys, "info", files / "small.jaxlda").out
    model.run_.save(files / "run.jaxlda")
    assert told("run.jaxlda")["kind"] == "run of jaxlda.run"
    assert "nothing" in run(capsys, "info", files / "nothing", code=2).err


@pytest.mark.parametrize(
    "change",
    [
        {"found": 3},
        {"found": {"vocab_": 10**400}},
        {"found": {"doc_columns_": {"texts": []}}},
        {"params": []},
        {"run": "x"},
        {"run": {"draws": 10**400, "num_chains": 1, "soft_counts": False}},
    ],
)
def test_forged_headers_are_told_in_words(files, change, capsys):
    header, arrays, _ = archive.read(files / "pets.jaxlda")
    archive.write(files / "forged.jaxlda", header | change, arrays)
    assert "cannot be loaded: " in run(capsys, "topics", files / "forged.jaxlda", code=2).err
    if "draws" not in change.get("run", {}):
        assert "cannot be loaded: " in run(capsys, "info", files / "forged.jaxlda", code=2).err


def test_a_file_is_not_written_over_itself(files, capsys):
    before = (files / "pets.csv").read_bytes()
    told = run(capsys, "convert", files / "pets.csv", files / "pets.csv", code=2)
    assert "give another one to write" in told.err and (files / "pets.csv").read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        "fit pets.csv --save pets.csv",
        "fit pets.csv --output ./pets.csv",
        "fit pets.csv --checkpoint link.csv",
        "fit words.txt --stop-words pets.csv --save pets.csv",
        "choose-k pets.csv --keep pets.csv",
        "infer pets.jaxlda pets.csv --output pets.csv",
        "classify pets.csv other.csv --save other.csv",
        "report pets.jaxlda --output pets.jaxlda",
        "estimate state.gz --save state.gz",
        "prevalence pets.jaxlda --by year --metadata pets.csv --output pets.csv",
    ],
)
def test_no_command_writes_over_what_it_reads(command, files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "words.txt").write_text("cat dog\n")
    (files / "other.csv").write_text("text\ncat dog\n")
    (files / "link.csv").symlink_to("pets.csv")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert "is the file to be read: give another one to write" in run(capsys, *command.split(), code=2).err
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_two_things_are_not_written_to_one_file(files, capsys):
    both = "--save", files / "a.json", "--output", files / "a.json"
    assert "--output and --save are both" in run(capsys, "fit", files / "pets.csv", *both, code=2).err
    assert not (files / "a.json").exists()
