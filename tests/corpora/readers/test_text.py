"""Texts in files: lines, tables, JSON lines and zip archives."""

import csv
import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given, settings

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers import read_csv, read_jsonl, read_text, read_zip
from tests.corpora.readers.files import mutations, survives, write

LINES = "the cat sat\n\nthe naïve dog\n"
CSV = 'id,text,kind\r\n1,"a cat, ""sat""\nand left",pet;small\r\n\r\n2,a shark,\r\n3,a dog,pet\r\n'
JSONL = """{"text": "a cat sat", "kind": ["pet", "small"], "id": "one"}

{"text": "a shark"}
{"text": "a dog", "kind": "pet"}
"""
FILES = {"land/one.txt": "a cat", "sea/deep/two.txt": "a naïve shark", "top.txt": "a dog", "sea/notes.md": "nothing"}
FILES |= {"__MACOSX/land/one.txt": "junk", ".hidden/three.txt": "junk", "land/.one.txt": "junk"}


def zipped(files=FILES, method=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.mkdir("empty.txt")
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


@pytest.fixture
def file(tmp_path):
    return lambda content, name="file": write(tmp_path / name, content)


# ---------------------------------------------------------------------------------------------------------------- lines


@pytest.mark.parametrize(
    "change", [str.encode, str.rstrip, lambda s: s.replace("\n", "\r\n"), lambda s: gzip.compress(s.encode())]
)
def test_lines(file, change):
    corpus = read_text(file(change(LINES)), stop_words=["the"])
    assert corpus.vocab.tolist() == ["cat", "dog", "naïve", "sat"]
    assert corpus.counts.toarray().tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]]


def test_lines_end_at_line_ends_only(file):
    assert read_text(file("one\u2028two\x0bthree\x85four\n")).num_docs == 1


def test_wrong_lines(file):
    with pytest.raises(ValueError, match=r"file, line 3: is not utf-8 .* give encoding="):
        read_text(file(LINES.encode("latin-1")))
    assert "naïve" in read_text(file(LINES.encode("latin-1")), encoding="latin-1").vocab
    with pytest.raises(ValueError, match="file: no words are left"):
        read_text(file(""))
    with pytest.raises(ValueError, match="file: holds more than 5 bytes"):
        read_text(file(LINES), max_bytes=5)


# --------------------------------------------------------------------------------------------------------------- tables


def test_table(file):
    corpus = read_csv(file(CSV), labels="kind", label_separator=";", title="id")
    assert corpus.vocab.tolist() == ["and", "cat", "dog", "left", "sat", "shark"] and corpus.titles == ("1", "2", "3")
    assert corpus.label_names.tolist() == ["pet", "small"]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [1, 0]]
    assert read_csv(file(CSV), labels=2).label_names.tolist() == ["pet", "pet;small"]
    plain = read_csv(file(CSV), 1, header=False)
    assert plain.num_docs == 4 and "text" in plain.vocab and plain.labels is None and plain.titles is None


def test_delimiters(file):
    table = "text\tkind\nsome cats, dogs\tpet\n"
    assert read_csv(file(table, "x.tsv"), labels="kind").vocab.tolist() == ["cats", "dogs", "some"]
    assert read_csv(file(gzip.compress(table.encode()), "x.TSV.gz"), labels="kind").num_docs == 1
    assert read_csv(file(table.replace("\t", ";")), delimiter=";").num_docs == 1


def test_long_cells_are_read_and_the_limit_put_back(file):
    before = csv.field_size_limit()
    corpus = read_csv(file("text\n" + "word " * 100_000 + "\n"))
    assert corpus.num_tokens == 100_000 and csv.field_size_limit() == before
    with pytest.raises(ValueError, match="line 2"):
        read_csv(file('text\n"open\n'))
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    "content, options, message",
    [
        ("", {}, "file: is empty"),
        ("\n\n", {}, "file: is empty"),
        (CSV, {"text": "body"}, "line 1: there is no column 'body'; there are 'id', 'text', 'kind'"),
        (CSV, {"text": 3}, "line 1: there is no column 3; there are 'id', 'text', 'kind'"),
        (CSV, {"text": -1}, "line 1: there is no column -1"),
        (CSV, {"header": False}, "line 1: there is no column 'text'; there are 0 to 2"),
        (CSV.replace("id", "text"), {}, "line 1: there are 2 columns 'text'; give the number of one"),
        (CSV.replace("2,a", "2,x,a"), {}, r"line 5: has 4 cell\(s\), but the first row has 3"),
        (CSV.replace("2,a shark,", "2"), {}, r"line 5: has 1 cell\(s\)"),
        (CSV + '4,"open', {}, "line 7: cannot read this row as a table: unexpected end"),
        (CSV.replace('left"', 'left"x'), {}, "line 2: cannot read this row as a table"),
        (CSV.encode("utf-16"), {}, "line 1: is not utf-8"),
        ("text,kind\na cat,\n", {"labels": "kind"}, "file: there are no labels at all"),
        ("text\n", {}, "file: the corpus has no documents"),
    ],
)
def test_wrong_tables(file, content, options, message):
    with pytest.raises(ValueError, match=message):
        read_csv(file(content), **options)


# ----------------------------------------------------------------------------------------------------------- JSON lines


def test_json_lines(file):
    corpus = read_jsonl(file(JSONL), labels="kind", title="id")
    assert corpus.vocab.tolist() == ["cat", "dog", "sat", "shark"] and corpus.titles == ("one", "", "")
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [1, 0]]
    assert read_jsonl(file(JSONL)).labels is None
    nothing = JSONL.replace('"kind": "pet"', '"kind": null')
    assert read_jsonl(file(nothing), labels="kind").labels.toarray().sum() == 2


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('{"text": "a shark"}', '{"text": "a shark"', "file, line 3: is not JSON: "),
        ('{"text": "a shark"}', '["a shark"]', "line 3: expected an object {...}, found "),
        ('{"text": "a shark"}', '{"txt": "a shark"}', "line 3: has no 'text'; it has 'txt'"),
        ('{"text": "a shark"}', "{}", "line 3: has no 'text'; it has nothing"),
        ('"a shark"', "null", "line 3: 'text' is 'None', not a string"),
        ('"a shark"', '"\\ud800"', "line 3: 'text' has half a character"),
        ('["pet", "small"]', '["pet", 3]', "line 1: 'kind' is '3', not a string"),
        ('["pet", "small"]', '{"a": 1}', "line 1: 'kind' is .* not a string"),
        ('"one"', "1", "line 1: 'id' is '1', not a string"),
        ('"a shark"', "[" * 100_000, "line 3: is not JSON"),
        ('"a shark"', "9" * 5000, "line 3: is not JSON"),
        (JSONL, "", "file: the corpus has no documents"),
    ],
)
def test_wrong_json_lines(file, old, new, message):
    assert JSONL.count(old) == 1
    with pytest.raises(ValueError, match=message):
        read_jsonl(file(JSONL.replace(old, new)), labels="kind", title="id")


def test_json_keys_are_free(file):
    content = json.dumps({"a b": "x cat"}) + "\n"
    assert read_jsonl(file(content), "a b", token_pattern="[a-z]+").vocab.tolist() == ["cat", "x"]


# ------------------------------------------------------------------------------------------------------------------ zip


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip(file, method):
    corpus = read_zip(file(zipped(method=method)), labels="folder")
    assert corpus.titles == ("land/one.txt", "sea/deep/two.txt", "top.txt")
    assert corpus.vocab.tolist() == ["cat", "dog", "naïve", "shark"] and corpus.label_names.tolist() == ["deep", "land"]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1], [1, 0], [0, 0]]
    assert read_zip(file(zipped()), "*.md").titles == ("sea/notes.md",)


def encrypted():
    content = bytearray(zipped({"one.txt": "a cat"}))
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(sign) + offset] |= 1
    return bytes(content)


def damaged():
    content = bytearray(zipped({"one.txt": "a cat"}, zipfile.ZIP_STORED))
    content[content.index(b"a cat")] ^= 1
    return bytes(content)


@pytest.mark.parametrize(
    "content, options, message",
    [
        (b"", {}, "file: cannot be read from the archive: File is not a zip file"),
        (zipped()[:-30], {}, "file: cannot be read from the archive"),
        (zipped(), {"pattern": "*.csv"}, r"file: has no files '\*.csv'; it has "),
        (encrypted(), {}, "file: one.txt: cannot be read from the archive: .*encrypted"),
        (damaged(), {}, "file: one.txt: cannot be read from the archive: Bad CRC-32"),
        (zipped({"one.txt": "a\nna\xefve".encode("latin-1")}), {}, "file: one.txt, line 2: is not utf-8"),
        (zipped({"one.txt": " " * 10_000_000}), {"max_bytes": 100_000}, "file: holds more than 100000 bytes unpacked"),
        (zipped({"one.txt": "?"}), {}, "file: no words are left"),
        (zipped(), {"labels": "name"}, "labels must be 'folder' or None; got 'name'"),
    ],
)
def test_wrong_zips(file, content, options, message):
    with pytest.raises(ValueError, match=message):
        read_zip(file(content), **options)


def test_two_files_of_a_name(file):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("one.txt", "a cat")
        archive.writestr("one.txt", "a dog")
    with pytest.raises(ValueError, match=r"has two files 'one\.txt'"):
        read_zip(file(content.getvalue()))


# --------------------------------------------------------------------------------------------------------------- damage


@settings(max_examples=150)
@given(mutations(LINES.encode()), mutations(CSV.encode()), mutations(JSONL.encode()), mutations(zipped()))
def test_damaged_files(tmp_path_factory, lines, table, objects, archive):
    folder = tmp_path_factory.getbasetemp()
    readers = [
        (lines, read_text, {}),
        (table, read_csv, {"labels": "kind", "title": "id"}),
        (objects, read_jsonl, {"labels": "kind", "title": "id"}),
        (archive, read_zip, {"labels": "folder"}),
    ]
    for content, read, options in readers:
        path = write(folder / "damaged.text", content)
        found = survives(lambda read=read, path=path, options=options: read(path, **options))
        assert found is None or isinstance(found, Corpus)
