"""One way to read every kind of file: which kind it is, and what is refused."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pytest

from jaxlda.corpora.readers import read_corpus, recognise
from jaxlda.corpora.readers.kinds import KINDS
from tests.corpora.readers.files import write
from tests.corpora.readers.test_archives import zipped
from tests.corpora.readers.test_matrices import MARKET
from tests.corpora.readers.test_mulan import MEKA, SPARSE, XML
from tests.corpora.readers.test_parquet import parquet

COUNTS = [[1, 1, 0], [0, 1, 1]]
MTX = "%%MatrixMarket matrix coordinate integer general\n2 3 4\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n"
# kind, name, content of (cat dog, dog eel)
FILES = [
    ("text", "a.txt", "cat dog\ndog eel\n"),
    ("text", "a.md", "cat dog\ndog eel\n"),
    ("text", "a", "cat dog\ndog eel\n"),
    ("csv", "a.csv", "text,labels\ncat dog,x\ndog eel,y\n"),
    ("csv", "a.tsv", "text\tlabels\ncat dog\tx\ndog eel\ty\n"),
    ("csv", "a.tab", "labels\ttext\nx\tcat dog\ny\tdog eel\n"),
    ("csv", "a.txt", "text;labels\ncat dog;x\ndog eel;y\n"),
    ("csv", "a", "id,text\n1,cat dog\n2,dog eel\n"),
    ("jsonl", "a.jsonl", '{"text": "cat dog"}\n{"text": "dog eel"}\n'),
    ("jsonl", "a.json", '{"text": "cat dog"}\n{"text": "dog eel"}\n'),
    ("jsonl", "a.json", '[\n {"text": "cat dog"},\n {"text": "dog eel"}\n]\n'),
    ("jsonl", "a.txt", '{"text": "cat dog"}\n{"text": "dog eel"}\n'),
    ("jsonl", "a", '["cat dog", "dog eel"]'),
    ("mallet", "a.txt", "1\tx\tcat dog\n2\ty\tdog eel\n"),
    ("mallet", "a.instances", "1 x cat dog\n2 y dog eel\n"),
    ("ldac", "a.ldac", "2 0:1 1:1\n2 1:1 2:1\n"),
    ("ldac", "a.dat", "2 0:1 1:1\n2 1:1 2:1\n"),
    ("ldac", "a.data", "2 0:1 1:1\n2 1:1 2:1\n\n"),
    ("uci", "docword.a.txt", "2\n3\n4\n1 1 1\n1 2 1\n2 2 1\n2 3 1\n"),
    ("uci", "a.data", "2\n3\n4\n1\t1\t1\n1 2 1\n2 2 1\n2 3 1\n"),
    ("svmlight", "a.svm", "1 1:1 2:1\n-1 2:1 3:1\n"),
    ("svmlight", "a.dat", "1 1:1 2:1\n-1 2:1 3:1\n"),
    ("svmlight", "a.data", "1,2 qid:3 1:1 2:1 # x\n-1 2:1 3:1\n"),
    ("mm", "a.mtx", MTX),
    ("mm", "a.txt", MTX),
    ("extreme", "a.txt", "2 3 2\n0 0:1 1:1\n0,1 1:1 2:1\n"),
    ("extreme", "a.data", "2 3 2\n0 0:1 1:1\n 1:1 2:1\n"),
]


@pytest.mark.parametrize("kind, name, content", FILES)
def test_kinds_are_recognised(kind, name, content, tmp_path):
    path = write(tmp_path / name, content)
    told = []
    corpus = read_corpus(path, report=told.append)
    assert corpus.counts.toarray().tolist() == COUNTS
    assert recognise(path) == kind and told[0] == f"recognised: {kind} ({KINDS[kind].about})"
    for pack, ending in ((gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")):
        packed = write(tmp_path / (name + ending), pack(content.encode()))
        assert read_corpus(packed).counts.toarray().tolist() == COUNTS
    bare = read_corpus(io.BytesIO(content.encode()), kind)
    assert bare.counts.toarray().tolist() == COUNTS


def test_every_kind_is_recognised():
    assert {kind for kind, _, _ in FILES} | {"zip", "folder", "parquet", "mulan"} == set(KINDS)


def test_archives_and_folders(tmp_path):
    assert recognise(io.BytesIO(zipped())) == "zip" and recognise(tmp_path) == "folder"
    assert read_corpus(io.BytesIO(zipped())).num_docs == 3
    write(tmp_path / "one.txt", "cat dog")
    write(tmp_path / "two.TXT", "dog eel")
    assert read_corpus(tmp_path).counts.toarray().tolist() == COUNTS
    assert read_corpus(str(tmp_path), pattern="o*", max_size=5).num_docs == 1
    told = []
    single = zipped({"a.csv": "text,labels\ncat dog,x\ndog eel,y\n"})
    assert read_corpus(io.BytesIO(single), report=told.append).num_docs == 2 and told[0].startswith("recognised: csv")


def test_parquet_and_arff(tmp_path):
    with pytest.warns(UserWarning, match="missing"):
        assert read_corpus(io.BytesIO(parquet())).num_docs == 3
    assert recognise(io.BytesIO(SPARSE.encode())) == "mulan"
    with pytest.warns(UserWarning, match="weights"):
        assert read_corpus(write(tmp_path / "m.arff", MEKA)).num_docs == 3
    for name in ("pets.arff", "pets-train.arff"):  # whose labels lie beside them
        path = write(tmp_path / name, SPARSE)
        with pytest.raises(ValueError, match="is an ARFF file: name its labels"):
            read_corpus(path)
        write(tmp_path / "pets.xml", XML)
        told = []
        assert read_corpus(path, report=told.append).label_names.tolist() == ["TAG_b", "TAG_a"]
        assert told[-1] == "labels are in pets.xml, beside it"
        (tmp_path / "pets.xml").unlink()


def test_a_vocabulary_lies_beside(tmp_path):
    path = write(tmp_path / "docword.kos.txt.gz", gzip.compress(b"1\n2\n1\n1 1 1\n"))
    assert read_corpus(path).vocab.tolist() == ["w0", "w1"]
    write(tmp_path / "vocab.kos.txt", "cat\ndog\n")
    assert read_corpus(path).vocab.tolist() == ["cat", "dog"]
    assert read_corpus(path, vocab=["a", "b"]).vocab.tolist() == ["a", "b"]


def workbook():
    return zipped({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<x/>"})


def arrays():
    file = io.BytesIO()
    np.savez(file, counts=np.eye(2))
    return file.getvalue()


def saved():
    """A model, as far as its members tell."""
    file = io.BytesIO(arrays())
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("header.json", "{}")
    return file.getvalue()


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.xlsx", workbook(), "a.xlsx: is an Excel or Word file; save it as CSV"),
        ("a.npz", arrays(), "is a file of NumPy arrays"),
        ("a.jaxlda", saved(), "is a model or run saved by jaxlda, not a corpus"),
        ("a.pkl", b"\x80\x04\x95x", "is a pickle, which is not read"),
        ("a.txt", b"%PDF-1.7 cat", "is a PDF; save it as text"),
        ("a.txt", b"#doc source pos typeindex type topic\n", "is a sample of MALLET; read it with .*read_mallet_state"),
        ("a.html", b"<!DOCTYPE html><p>cat", "is a web page"),
        ("a.txt", b"<?xml version='1.0'?><a/>", "is an XML file"),
        ("a.txt", b"cat\0dog", "is not text, nor any other kind that is read; those are text"),
        ("a.bin", bytes(range(256)), "is not text"),
        (
            "a.parquet",
            b"cat dog\n",
            r"the ending '\.parquet' and the first lines do not tell what kind it is; say which",
        ),
        ("a.data", b"cat dog\ndog eel\n", r"the ending '\.data' and the first lines do not tell"),
        ("a.foo", b"5.1,3.5,1.4\n4.9,3.0,1.4\n", "holds numbers, but the first lines do not tell which kind"),
        ("a.txt", b"5.1,3.5,1.4\n4.9,3.0,1.4\n", "holds numbers, but the first lines do not tell which kind"),
        ("a.foo", b"\n" * 70_000 + b"cat dog\n", r"the ending '\.foo' and the first lines do not tell"),
        ("a.txt", b"", "a.txt: is empty"),
        ("a.txt", b" \n\n", "a.txt: is empty"),
        ("a.json", b"cat dog\n", "line 1: is not JSON"),
        ("a.mtx", b"cat dog\n", "line 1: expected '%%MatrixMarket"),
        ("a.svm", b"cat dog\n", "line 1: expected 'label word:value"),
        ("a.zip", b"cat dog\n", r"the ending '\.zip' and the first lines do not tell"),
        ("a.tar", bytes(257) + b"ustar  ", "is a tar archive; unpack it"),
    ],
)
def test_what_is_no_corpus_is_refused(name, content, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        read_corpus(write(tmp_path / name, content))


def test_no_path_is_not_the_current_folder():
    with pytest.raises(ValueError, match="the path is empty"):
        read_corpus("")


def test_options(tmp_path):
    path = write(tmp_path / "a.csv", "a;b\ncat dog;x\n")
    assert read_corpus(path, delimiter=";", header=False, min_df=1, labels=None).num_docs == 2
    with pytest.raises(ValueError, match="'delimiter' is no option for files of kind 'text'"):
        read_corpus(path, "text", delimiter=";")
    with pytest.raises(ValueError, match="'min_df' is no option for files of kind 'ldac'"):
        read_corpus(io.BytesIO(b"1 0:1\n"), min_df=2)
    with pytest.raises(ValueError, match="there is no kind 'excel'; known are 'text', 'csv'"):
        read_corpus(path, "excel")
    with pytest.raises(ValueError, match="more than the 10 allowed"):
        read_corpus(io.BytesIO(b"1 0:11\n"), max_tokens=10)


def test_other_encodings():
    table = "text;labels\ncat dog;x\ndog eel;y\n".encode("utf-16")
    assert recognise(io.BytesIO(table)) == "csv"
    assert recognise(io.BytesIO("ein Käfig\nzwei Käfige\n".encode("latin-1"))) == "text"


def test_real_names(tmp_path):
    assert recognise(write(tmp_path / "m.mm", MARKET)) == "mm"
    with zipfile.ZipFile(tmp_path / "data.jsonl.zip", "w") as archive:
        archive.writestr("data.jsonl", '{"text": "a cat"}\n')
    assert recognise(tmp_path / "data.jsonl.zip") == "zip" and read_corpus(tmp_path / "data.jsonl.zip").num_docs == 1
