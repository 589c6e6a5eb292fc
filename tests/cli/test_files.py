"""Files as commands read them: every format, by its name, its ending or its first line."""

import argparse
import gzip
import zipfile

import pytest

from jaxlda.cli._files import FORMATS, add_input, read

FILES = {
    "text": ("a.txt", "cat dog\ndog eel\n"),
    "csv": ("a.csv", "text,labels\ncat dog,x\ndog eel,y;x\n"),
    "jsonl": ("a.jsonl", '{"text": "cat dog", "labels": ["x"]}\n{"text": "dog eel", "labels": ["x", "y"]}\n'),
    "ldac": ("a.ldac", "2 0:1 1:1\n2 1:1 2:1\n"),
    "uci": ("docword.a.txt", "2\n3\n4\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n"),
    "extreme": ("b.txt", "2 3 2\n0 0:1 1:1\n0,1 1:1 2:1\n"),
}
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
    assert {*FILES, "zip", "mulan"} == set(FORMATS)
