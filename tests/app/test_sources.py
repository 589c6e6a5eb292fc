"""Files of every format, and files that are none."""

import gzip
import io
import zipfile

import numpy as np
import pytest

import jaxlda
from jaxlda_app import sources

MALLET = b"""#doc source pos typeindex type topic
#alpha : 0.5 0.5
#beta : 0.01
0 one 0 0 cat 0
0 one 1 1 purr 0
1 two 0 2 dog 1
1 two 1 3 bark 1
"""
ARFF = b"@relation pets\n@attribute cat numeric\n@attribute dog numeric\n@attribute pet {0,1}\n@data\n2,0,1\n0,3,0\n"
XML = b'<labels xmlns="http://mulan.sourceforge.net/labels"><label name="pet"></label></labels>'


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/") + ".txt", text)
    return buffer.getvalue()


GOOD = {
    "text": {"pets.txt": b"cat purr cat\ndog bark dog\n"},
    "csv": {"pets.csv": b"title,text,label\na,cat purr,x;y\nb,dog bark,y\n"},
    "jsonl": {"pets.jsonl": b'{"text": "cat purr", "labels": ["x"]}\n{"text": "dog bark"}\n'},
    "zip": {"pets.zip": zipped(land__cat="cat purr", land__dog="dog bark")},
    "ldac": {"pets.ldac": b"2 0:2 1:1\n1 2:3\n", "pets.vocab": b"cat\npurr\ndog\n"},
    "uci": {"docword.pets.txt": b"2\n3\n3\n1 1 2\n1 2 1\n2 3 3\n", "vocab.pets.txt": b"cat\npurr\ndog\n"},
    "mulan": {"pets.arff": ARFF, "pets.xml": XML},
    "extreme": {"pets.data": b"2 3 2\n0 0:2 1:1\n1 2:3\n"},
    "svmlight": {"pets.svm": b"1 1:2 2:1\n0 3:3\n"},
    "mm": {"pets.mtx": b"%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 2\n1 2 1\n2 3 3\n"},
    "mallet": {"pets.instances": b"one\tland\tcat purr\ntwo\tsea\tdog bark\n"},
    "state": {"state.gz": gzip.compress(MALLET)},
}


@pytest.mark.parametrize("format", GOOD)
def test_formats_are_known_by_themselves(format):
    files = GOOD[format]
    assert sources.detect(files) == format
    source = sources.read(files)
    assert source.corpus.num_docs == 2 and source.name == next(iter(files))
    reverse = dict(reversed(files.items()))
    assert sources.detect(reverse) == format
    np.testing.assert_array_equal(sources.read(reverse).corpus.counts.toarray(), source.corpus.counts.toarray())


def test_columns_are_offered_and_chosen():
    found = sources.look(GOOD["csv"])
    assert found[:5] == ("csv", ["title", "text", "label"], "text", "label", "title")
    assert found.rows == [["a", "cat purr", "x;y"], ["b", "dog bark", "y"]]
    corpus = sources.read(GOOD["csv"], text="text", labels="label", title="title").corpus
    assert corpus.titles == ("a", "b") and corpus.label_names.tolist() == ["x", "y"]
    assert sources.look(GOOD["jsonl"])[:4] == ("jsonl", ["text", "labels"], "text", "labels")
    assert sources.look(GOOD["ldac"])[:2] == ("ldac", [])


REVIEWS = "id,headline,review,stars\n1,Good,the café was warm and kind,5\n2,Bad,a cold dinner of old fish,1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_tables_of_other_programs(delimiter, encoding):
    """The longest column is the text, whatever separates the cells, and in whatever encoding they are."""
    files = {"reviews.csv": REVIEWS.replace(",", delimiter).encode(encoding)}
    found = sources.look(files)
    assert found.columns == ["id", "headline", "review", "stars"] and found.text == "review"
    source = sources.read(files)
    assert source.corpus.num_docs == 2 and "café" in source.corpus.vocab
    assert ("windows-1252" in "".join(source.notes)) == (encoding == "latin-1")
    assert "encoding=" not in "".join(source.notes)


def test_names_that_are_not_common_ones():
    found = sources.look({"pets.csv": b"words,kind\ncat purr,land\ndog bark,land\n"})
    assert found.columns == ["words", "kind"] and found.text == "words"


def test_a_table_without_names():
    files = {"pets.csv": b"1,a cat purrs loudly\n2,a dog barks at it\n3,no shark swims here\n"}
    found = sources.look(files)
    assert found.columns == ["0", "1"] and found.text == "1"
    assert sources.read(files, text="1", title="0").corpus.titles == ("1", "2", "3")


def test_words_are_counted_as_asked():
    files = {"a.txt": b"the cat sat\nthe dog sat\n"}
    assert sources.read(files, stop_words=True).corpus.vocab.tolist() == ["cat", "dog", "sat"]
    assert sources.read(files, min_df=2).corpus.vocab.tolist() == ["sat", "the"]


def test_folders_of_a_zip_are_labels():
    assert sources.read(GOOD["zip"]).corpus.label_names.tolist() == ["land"]
    assert sources.read({"x.zip": zipped(one="cat purr", two="dog")}).corpus.labels is None


def test_the_sample_of_another_program_is_a_run():
    source = sources.modelled(sources.read(GOOD["state"]))
    assert source.frozen and source.model.run_.num_draws == 1
    z = np.asarray(source.model.run_.chain(0).z)
    assert sorted(z.tolist()) == [0, 0, 1, 1]
    np.testing.assert_allclose(source.model.estimates("phi").sum(1), 1, rtol=1e-5)
    warp = {"z.txt": b"2 0:0 1:0\n1 2:1\n", "vocab.txt": b"cat\npurr\ndog\n"}
    assert sources.modelled(sources.read(warp, "warplda")).model.run_.num_chains == 1


@pytest.mark.parametrize("kind", ["model", "labels", "run"])
@pytest.mark.slow
def test_a_saved_run_comes_back(kind, tmp_path):
    corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog"], labels=[["a"], ["b"]], titles=["one", "two"])
    settings = {"num_warmup": 5, "num_samples": 2, "thinning": 2, "num_chains": 1, "progress": False, "seed": 3}
    path = tmp_path / "pets.jaxlda"
    if kind == "labels":
        model = jaxlda.LabeledLDA(**settings).fit(corpus)
    else:
        model = jaxlda.LDA(2, **settings).fit(corpus)
    if kind == "run":
        jaxlda.running.store.save(model.run_, path)
    else:
        model.save(path)
    source = sources.read({"pets.jaxlda": path.read_bytes()})
    np.testing.assert_array_equal(source.corpus.counts.toarray(), corpus.counts.toarray())
    if kind != "run":
        assert source.corpus.vocab.tolist() == corpus.vocab.tolist()
    assert (source.corpus.labels is not None) == (kind == "labels")
    np.testing.assert_array_equal(source.model.resume(4).phi_, model.resume(4).phi_)


BROKEN = {
    "nothing": ({}, "choose a file first"),
    "empty": ({"a.txt": b""}, "a.txt: is empty"),
    "no words": ({"a.txt": b"the of\n"}, "no words are left"),
    "PDF": ({"a.pdf": b"%PDF-1.7\n\x00\x81"}, "a.pdf: is a PDF"),
    "a picture": ({"a.png": b"\x89PNG\r\n\x1a\n\x00\x00"}, "a.png: is not text"),
    "Excel": ({"a.xlsx": zipped(**{"[Content_Types]": ""}).replace(b".txt", b".xml")}, "is an Excel or Word file"),
    "damaged": ({"a.txt": "ä".encode() * 500 + b"\xff cat"}, "a.txt, line 1: is not utf-8"),
    "no text": ({"a.csv": b"text,label\n,x\n,y\n"}, "no words are left"),
    "ragged table": ({"a.csv": b"text,label\ncat\n"}, "a.csv, line 2: has 1 cell"),
    "no JSON": ({"a.jsonl": b"{cat\n"}, "a.jsonl, line 1: is not JSON"),
    "broken zip": ({"a.zip": b"PK\x03\x04nonsense"}, "a.zip"),
    "broken gzip": ({"a.txt.gz": gzip.compress(b"cat purr\n" * 1000)[:40]}, "truncated or damaged"),
    "LDA-C": ({"a.ldac": b"2 0:2\n"}, "a.ldac, line 1"),
    "UCI": ({"docword.a.txt": b"2\n3\n5\n1 1 2\n"}, "docword.a.txt"),
    "MALLET": ({"s.gz": gzip.compress(MALLET.replace(b"bark 1", b"bark 9"))}, "s.gz, line 7"),
    "Mulan alone": ({"a.arff": ARFF}, "needs a second file"),
    "no run": ({"a.jaxlda": b"PK\x03\x04nonsense"}, "a.jaxlda"),
    "odd name": ({"../../etc/passwd\x00.txt": b""}, "passwd.txt: is empty"),
}
JARGON = ("max_", "encoding=", "jaxlda.", "min_df", "stop_words", "token_pattern", "pip install", "/tmp")


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_words(name, tmp_path, monkeypatch):
    files, message = BROKEN[name]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ValueError, match=message) as caught:
        sources.read(files, stop_words=True)
    assert not [word for word in JARGON if word in str(caught.value).replace("a.jaxlda", "")]
    assert not list(tmp_path.rglob("*.*"))  # a folder of ours, which is empty


def test_large_files_are_refused():
    with pytest.raises(ValueError, match="holds more than 1000 bytes"):  # nor does anybody learn of max_bytes
        sources.read({"a.txt.gz": gzip.compress(b"cat " * 100_000)}, max_bytes=1000)


def test_a_few_bytes_do_not_make_a_large_run():
    with pytest.raises(ValueError, match="16000000 tokens, more than the 1000000 allowed: this server reads no larger"):
        sources.read({"a.ldac": b"1 0:16000000\n"})
    counts = b"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 16000000\n"
    with pytest.raises(ValueError, match="more than the 1000000 allowed"):
        sources.read({"a.mtx": counts})
