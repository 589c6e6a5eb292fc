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
    "mallet": {"state.gz": gzip.compress(MALLET)},
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
    name, content = next(iter(GOOD["csv"].items()))
    assert sources.columns("csv", name, content) == (["title", "text", "label"], "text", "label", "title")
    corpus = sources.read(GOOD["csv"], text="text", labels="label", title="title").corpus
    assert corpus.titles == ("a", "b") and corpus.label_names.tolist() == ["x", "y"]
    assert sources.columns("csv", "x.tsv", b"body\tkind\n") == (["body", "kind"], "body", None, None)
    name, content = next(iter(GOOD["jsonl"].items()))
    assert sources.columns("jsonl", name, content) == (["text", "labels"], "text", "labels", None)
    with pytest.raises(ValueError, match="there are no columns"):
        sources.columns("jsonl", "x.jsonl", b"[1, 2]\n")


def test_words_are_counted_as_asked():
    files = {"a.txt": b"the cat sat\nthe dog sat\n"}
    assert sources.read(files, stop_words=True).corpus.vocab.tolist() == ["cat", "dog", "sat"]
    assert sources.read(files, min_df=2).corpus.vocab.tolist() == ["sat", "the"]


def test_folders_of_a_zip_are_labels():
    assert sources.read(GOOD["zip"]).corpus.label_names.tolist() == ["land"]
    assert sources.read({"x.zip": zipped(one="cat purr", two="dog")}).corpus.labels is None


def test_the_sample_of_another_program_is_a_run():
    source = sources.read(GOOD["mallet"])
    assert source.frozen and source.model.run_.num_draws == 1
    z = np.asarray(source.model.run_.chain(0).z)
    assert sorted(z.tolist()) == [0, 0, 1, 1]
    np.testing.assert_allclose(source.model.estimates("phi").sum(1), 1, rtol=1e-5)
    warp = {"z.txt": b"2 0:0 1:0\n1 2:1\n", "vocab.txt": b"cat\npurr\ndog\n"}
    assert sources.read(warp, "warplda").model.run_.num_chains == 1


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
    "empty": ({"a.txt": b""}, "no words are left"),
    "not text": ({"a.txt": b"caf\x81 cat"}, "a.txt, line 1: is not utf-8"),
    "no text column": ({"a.csv": b"name,age\nx,1\n"}, "there is no column 'text'"),
    "ragged table": ({"a.csv": b"text,label\ncat\n"}, "a.csv, line 2: has 1 cell"),
    "no JSON": ({"a.jsonl": b"{cat\n"}, "a.jsonl, line 1: is not JSON"),
    "broken zip": ({"a.zip": b"PK\x03\x04nonsense"}, "a.zip: cannot be read from the archive"),
    "broken gzip": ({"a.txt.gz": gzip.compress(b"cat purr\n" * 1000)[:40]}, "truncated or damaged"),
    "LDA-C": ({"a.ldac": b"2 0:2\n"}, "a.ldac, line 1"),
    "UCI": ({"docword.a.txt": b"2\n3\n5\n1 1 2\n"}, "docword.a.txt"),
    "MALLET": ({"s.gz": gzip.compress(MALLET.replace(b"bark 1", b"bark 9"))}, "s.gz, line 7"),
    "Mulan alone": ({"a.arff": ARFF}, "needs a second file"),
    "no run": ({"a.jaxlda": b"PK\x03\x04nonsense"}, "a.jaxlda"),
    "odd name": ({"../../etc/passwd\x00.txt": b""}, "no words are left"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_in_words(name, tmp_path, monkeypatch):
    files, message = BROKEN[name]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ValueError, match=message) as caught:
        sources.read(files)
    assert str(tmp_path) not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_large_files_are_refused():
    with pytest.raises(ValueError, match="holds more than 1000 bytes"):
        sources.read({"a.txt.gz": gzip.compress(b"cat " * 100_000)}, max_bytes=1000)
