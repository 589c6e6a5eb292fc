"""Files as commands read them: every format, by its name, its ending or its first line."""

import argparse
import gzip
import io
import json
import os
import threading
import zipfile
from pathlib import Path

import pytest

from jaxlda import cli
from jaxlda.cli._files import add_input, read
from jaxlda.corpora.readers.kinds import KINDS

FILES = {
    "text": ("a.txt", "cat dog\ndog eel\n"),
    "csv": ("a.csv", "text,labels\ncat dog,x\ndog eel,y;x\n"),
    "jsonl": ("a.jsonl", '{"text": "cat dog", "labels": ["x"]}\n{"text": "dog eel", "labels": ["x", "y"]}\n'),
    "ldac": ("a.ldac", "2 0:1 1:1\n2 1:1 2:1\n"),
    "uci": ("docword.a.txt", "2\n3\n4\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n"),
    "extreme": ("b.txt", "2 3 2\n0 0:1 1:1\n0,1 1:1 2:1\n"),
    "mallet": ("a.instances", "1 x cat dog\n2 y dog eel\n"),
    "svmlight": ("a.svm", "1 1:1 2:1\n-1 2:1 3:1\n"),
    "mm": ("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 4\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n"),
}
LDAC = b"2 0:1 1:1\n2 1:1 2:1\n"
COUNTS = [[1, 1, 0], [0, 1, 1]]
LABELS = [[1, 0], [1, 1]]


def options(*arguments):
    parser = argparse.ArgumentParser()
    add_input(parser, choose_words=True, labels=True)
    return parser.parse_args([str(argument) for argument in arguments])


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", FILES)
def test_formats(kind, packed, tmp_path):
    name, content = FILES[kind]
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    other = path.rename(tmp_path / "other") if kind != "csv" else path  # nothing in the name says what it is
    corpus = read(other, options("--format", kind), "labels")
    assert corpus.counts.toarray().tolist() == COUNTS
    if kind in ("csv", "jsonl", "extreme"):
        assert corpus.labels.toarray().astype(int).tolist() == LABELS
    by_name = read(other.rename(path), options(), "labels")
    assert by_name.counts.toarray().tolist() == COUNTS and by_name.vocab.tolist() == corpus.vocab.tolist()


def test_archives(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x/one.md", "cat dog")
        archive.writestr("y/two.md", "dog eel")
    corpus = read(tmp_path / "a.zip", options("--pattern", "*.md"), "labels")
    assert corpus.counts.toarray().tolist() == COUNTS and corpus.label_names.tolist() == ["x", "y"]
    assert read(tmp_path / "a.zip", options("--pattern", "*.md")).labels is None


def test_mulan(tmp_path):
    header = "@relation r\n@attribute cat numeric\n@attribute dog numeric\n@attribute x {0,1}\n@data\n"
    (tmp_path / "a.arff").write_text(header + "{0 0.5,2 1}\n{1 1}\n", encoding="utf-8")
    xml = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="x"/></labels>'
    (tmp_path / "a.xml").write_text(xml, encoding="utf-8")
    corpus = read(tmp_path / "a.arff", options("--xml", tmp_path / "a.xml", "--presence"))
    assert corpus.counts.toarray().tolist() == [[1, 0], [0, 1]] and corpus.label_names.tolist() == ["x"]
    with pytest.raises(ValueError, match=r"a\.arff, line 6: .*0\.5"):
        read(tmp_path / "a.arff", options("--xml", tmp_path / "a.xml"))


def test_words_are_chosen(tmp_path):
    (tmp_path / "a.txt").write_text("The cat the dog\nthe dog eel\n", encoding="utf-8")
    (tmp_path / "stop").write_text("The\neel\n", encoding="utf-8")
    vocab = lambda *arguments: read(tmp_path / "a.txt", options(*arguments)).vocab.tolist()  # noqa: E731
    assert vocab() == ["cat", "dog", "eel", "the"]
    assert vocab("--min-df", 2) == ["dog", "the"]
    assert vocab("--max-df", 0.5) == ["cat", "eel"]
    assert vocab("--stop-words", "english") == ["cat", "dog", "eel"]
    assert vocab("--stop-words", tmp_path / "stop") == ["cat", "dog"]


def test_columns_and_words_have_names(tmp_path):
    (tmp_path / "a.tsv").write_bytes("body\thead\tkind\nKäfig\teins\tx|y\n".encode("latin-1"))
    corpus = read(
        tmp_path / "a.tsv",
        options("--text", "body", "--title", "head", "--separator", "|", "--encoding", "latin-1"),
        "kind",
    )
    assert (
        corpus.vocab.tolist() == ["käfig"] and corpus.titles == ("eins",) and corpus.label_names.tolist() == ["x", "y"]
    )
    (tmp_path / "vocab").write_text("ant\nbee\ncow\n", encoding="utf-8")
    (tmp_path / "a.dat").write_text("1 2:1\n", encoding="utf-8")
    assert read(tmp_path / "a.dat", options("--vocab", tmp_path / "vocab")).vocab.tolist() == ["ant", "bee", "cow"]


def test_a_broken_packed_file_is_told(tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(b"\x1f\x8b broken")
    with pytest.raises(ValueError, match="the packed file is truncated or damaged"):
        read(tmp_path / "a.txt.gz", options())


def test_without_a_separator_a_cell_is_a_label(tmp_path):
    (tmp_path / "a.csv").write_text("text,labels\ncat,x;y\n", encoding="utf-8")
    assert read(tmp_path / "a.csv", options("--separator", ""), "labels").label_names.tolist() == ["x;y"]


def test_every_format_is_tested():
    assert {*FILES, "zip", "mulan", "folder", "parquet"} == set(KINDS)


def test_folders_and_their_labels(tmp_path):
    for name, text in (("x/one.txt", "cat dog"), ("y/two.TXT", "dog eel")):
        (tmp_path / "texts" / name).parent.mkdir(parents=True)
        (tmp_path / "texts" / name).write_text(text, encoding="utf-8")
    corpus = read(tmp_path / "texts", options(), "labels")
    assert corpus.counts.toarray().tolist() == COUNTS and corpus.label_names.tolist() == ["x", "y"]


def test_standard_input(monkeypatch, capsys):
    for content in (
        b"cat dog\ndog eel\n",
        gzip.compress(b"text;kind\ncat dog;x\ndog eel;y\n"),
        b"2 0:1 1:1\n2 1:1 2:1\n",
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read(Path("-"), options()).counts.toarray().tolist() == COUNTS
    told = capsys.readouterr().err
    assert "standard input: recognised: text (a document per line)" in told
    assert "recognised: csv" in told and "cells are separated by ';'" in told and "recognised: ldac" in told


def test_pipes(tmp_path):
    """``jaxlda fit <(zcat texts.gz)``: a file that has a name and cannot be read twice."""
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("cat dog\ndog eel\n", encoding="utf-8"))
    writer.start()
    assert read(tmp_path / "pipe", options()).counts.toarray().tolist() == COUNTS
    writer.join()


def test_tables_as_they_are(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("1:cat dog\n2:dog eel\n", encoding="utf-8")
    corpus = read(tmp_path / "a.csv", options("--delimiter", ":", "--no-header", "--encoding", "ascii"))
    assert corpus.counts.toarray().tolist() == COUNTS
    assert "texts are in column 1" in capsys.readouterr().err
    (tmp_path / "a.csv").write_text("text:kind\ncat dog:x\n", encoding="utf-8")
    assert read(tmp_path / "a.csv", options("--delimiter", ":", "--header")).num_docs == 1
    assert options("--delimiter", "tab").delimiter == "\t"


def test_options_of_another_format_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("cat dog\n", encoding="utf-8")
    with pytest.raises(ValueError, match="'delimiter' is no option for files of kind 'text'"):
        read(tmp_path / "a.txt", options("--delimiter", ";"))


def test_limits(tmp_path):
    (tmp_path / "a.ldac").write_text("1 0:20000000\n", encoding="utf-8")
    with pytest.raises(ValueError, match="give a larger max_tokens"):
        read(tmp_path / "a.ldac", options())
    assert read(tmp_path / "a.ldac", options("--max-tokens", 10**8)).num_tokens == 20_000_000


def test_what_is_no_text_is_refused(jaxlda, tmp_path):
    (tmp_path / "m.data").write_text("5.1 3.5\n4.9 3.0\n", encoding="utf-8")
    assert "holds numbers, but the first lines do not tell" in jaxlda("fit", tmp_path / "m.data", code=2).err


@pytest.mark.parametrize(
    "arguments",
    [("fit", ""), ("infer", "", "x"), ("infer", "x", " "), ("fit", "x", "--save", ""), ("fit", "x", "--checkpoint", ""),
     ("fit", "x", "--vocab", ""), ("fit", "x", "--output", ""), ("convert", "x", "")],
)  # fmt: skip
def test_an_empty_name_is_not_this_folder(arguments, capsys):
    """As of a variable of a shell that is not set."""
    with pytest.raises(SystemExit, match="2"):
        cli.main([*arguments])
    assert "must be the name of a file or folder, not '" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------------ what is shown


def test_files_do_not_steer_the_terminal(jaxlda, tmp_path, monkeypatch):
    (tmp_path / "vocab").write_text("=cat\x1b[31m\ndog\x9b1m\neel\u202e\n", encoding="utf-8")
    (tmp_path / "a.ldac").write_text("3 0:5 1:4 2:3\n3 0:1 1:2 2:1\n", encoding="utf-8")
    fit = ("fit", tmp_path / "a.ldac", "--vocab", tmp_path / "vocab", "--topics", 1, "--chains", 1, "--kernel", "toy")
    model = tmp_path / "m.jaxlda"
    shown = [jaxlda(*fit, "--warmup", 1, "--samples", 1, "--quiet", "--save", model).out]
    shown += [jaxlda("topics", model, *form).out for form in ((), ("--csv",), ("--json",))]
    for text in shown:
        assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text and "dog" in text
    assert "'=cat" in shown[2] and json.loads(shown[3])[0]["words"] == ["=cat\x1b[31m", "dog\x9b1m", "eel\u202e"]
    bad = tmp_path / "x\x1b[2J.csv"
    bad.write_text("", encoding="utf-8")
    assert "\x1b" not in jaxlda("fit", bad, code=2).err


@pytest.mark.parametrize("name", ["theta.xlsx", "theta.parquet", "theta.tsv", "theta.csv.gz"])
def test_other_outputs_are_refused(name, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["infer", "model", "file", "--output", str(tmp_path / name)])
    assert f"{name} cannot be written: files are .csv, .json, .txt, .npz or have no ending" in capsys.readouterr().err


def test_messages_name_the_options_of_the_command(tmp_path, capsys):
    (tmp_path / "a.ldac").write_bytes(LDAC)
    (tmp_path / "vocab").write_bytes(b"cat\n\x81\x8d\ndog\n")
    assert cli.main(["fit", str(tmp_path / "a.ldac"), "--vocab", str(tmp_path / "vocab"), "--encoding", "utf-8"]) == 2
    assert "is not utf-8 (invalid start byte); give --encoding if" in capsys.readouterr().err
