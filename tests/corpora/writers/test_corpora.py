"""What is written is read again, whatever the kind of file."""

import dataclasses
from io import BytesIO as io_of

import numpy as np
import pytest

from jaxlda import Corpus, io
from jaxlda.corpora.readers.kinds import KINDS, WRITABLE

TEXTS = ["The cat, the dog", "", 'A "quoted" fox;\tand a hen\nin two lines', "naïve = cat", "=1+1 dog"]
WORDS = {"token_pattern": r"(?u)\S+", "lowercase": False}
ENDINGS = {kind: KINDS[kind].endings[0] if KINDS[kind].endings else ".docword" for kind in WRITABLE}


@pytest.fixture
def corpus():
    labels = [["pet"], [], ["wild", "farm"], ["pet"], []]
    table = {"year": [1984, 1990, 2001, 2002, 2003], "who": np.array(["a", None, "c", "d", "=e"], object)}
    found = Corpus.from_texts(TEXTS, titles=list("vwxyz"), labels=labels, stop_words=["the"])
    return found.with_metadata(table)


def same_counts(one, other):
    assert one.vocab.tolist() == other.vocab.tolist()
    np.testing.assert_array_equal(one.counts.toarray(), other.counts.toarray())


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("kind", [kind for kind in WRITABLE if kind in ("ldac", "uci", "svmlight", "mm")])
def test_counts(kind, packed, corpus, tmp_path):
    plain = dataclasses.replace(corpus, labels=None, label_names=None)
    name = {"uci": "docword.pets.txt"}.get(kind, f"pets{ENDINGS[kind]}") + packed
    files = io.write_corpus(plain, tmp_path / name)
    assert len(files) == 2 and files[0] == tmp_path / name
    told = []
    again = io.read_corpus(tmp_path / name, kind, report=told.append)  # the words are found beside it
    same_counts(again, plain)
    assert any("beside it" in line for line in told)
    assert (
        io.write_corpus(again, tmp_path / f"again-{name}", kind)
        and (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()
    )


@pytest.mark.parametrize("kind", ["text", "csv", "jsonl", "parquet", "mallet"])
def test_texts(kind, corpus, tmp_path):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    one = corpus if kind != "mallet" else dataclasses.replace(corpus, labels=None, label_names=None)
    path = tmp_path / f"pets{ENDINGS[kind]}"
    io.write_corpus(one, path)
    columns = {"labels": "labels", "title": "title"} if kind in ("csv", "jsonl", "parquet") else {}
    columns |= {"label_separator": ";"} if kind == "csv" else {}
    again = io.read_corpus(path, kind, **columns, **corpus.text_options)
    same_counts(again, corpus)
    if columns:
        assert again.titles == corpus.titles and again.texts == corpus.texts
        names = corpus.label_names.tolist()
        assert sorted(again.label_names.tolist()) == sorted(names)
        np.testing.assert_array_equal(again.labels.toarray(), corpus.labels.toarray())
        assert again.metadata.columns.tolist() == ["year", "who"]
        assert again.metadata.year.tolist() == corpus.metadata.year.tolist()
        assert again.metadata.who.fillna("").tolist() == ["a", "", "c", "d", "=e"]
        once = io.write_corpus(again, tmp_path / f"again{ENDINGS[kind]}")[0]
        assert io.read_corpus(once, kind, **columns, **corpus.text_options) == again


@pytest.mark.parametrize("kind", ["text", "csv", "jsonl", "mallet"])
def test_words_instead_of_texts(kind, tmp_path):
    corpus = Corpus.from_texts(TEXTS, stop_words="english")
    path = tmp_path / f"pets{ENDINGS[kind]}"
    io.write_corpus(corpus, path, words=True)
    again = io.read_corpus(path, kind, **({"header": True} if kind == "csv" else {}), **WORDS)
    same_counts(again, corpus)
    assert [again.tokens_of(d) for d in range(5)] == [corpus.tokens_of(d) for d in range(5)]
    bare = Corpus.from_counts(corpus.counts, corpus.vocab)
    io.write_corpus(bare, path)  # without order and texts
    same_counts(io.read_corpus(path, kind, **({"header": True} if kind == "csv" else {}), **WORDS), corpus)


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_labels_are_numbers_in_svmlight_and_have_names_beside(packed, corpus, tmp_path):
    some = corpus.subset([0, 2, 3, 4])
    files = io.write_corpus(some, tmp_path / f"a.svm{packed}")
    assert [file.name for file in files] == [f"a.svm{packed}", "a.svm.vocab", "a.svm.labels"]
    told = []
    again = io.read_corpus(files[0], report=told.append)
    same_counts(again, some)
    np.testing.assert_array_equal(again.labels.toarray(), some.labels.toarray())
    assert again.label_names.tolist() == some.label_names.tolist() == ["farm", "pet", "wild"]
    assert "labels are in a.svm.labels, beside it" in told
    one = some.subset([0, 2])  # of one label, and two that no document has
    assert io.read_corpus(io.write_corpus(one, tmp_path / "b.svm")[0]) == again.subset([0, 2])
    with pytest.raises(ValueError, match=r"line 2.*the label 2 has no name: there are 2, from 0 on"):
        io.read_svmlight(io_of(b"0 1:1\n2 1:1\n"), label_names=["a", "b"])
    with pytest.raises(ValueError, match=r"the label 0\.5 has no name"):
        io.read_svmlight(io_of(b"0.5 1:1\n"), label_names=["a", "b"])
    with pytest.raises(ValueError, match="document 1 has neither labels nor words"):
        io.write_corpus(corpus, tmp_path / "a.svm")


def test_what_cannot_be_written_is_said(corpus, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        io.write_corpus(corpus, tmp_path / "nowhere" / "pets.csv")
    with pytest.raises(ValueError, match=r"does not tell a kind; give one of text, csv"):
        io.write_corpus(corpus, tmp_path / "pets")
    with pytest.raises(ValueError, match=r"corpora are written as text, .*not as 'mulan'"):
        io.write_corpus(corpus, tmp_path / "pets.arff", "mulan")
    with pytest.raises(ValueError, match="document 2 has 2 labels, and a line of MALLET has one"):
        io.write_corpus(corpus, tmp_path / "pets.instances")
    with pytest.raises(ValueError, match="document 0 has 2 labels, and a line of MALLET has one"):
        io.write_corpus(corpus[2:], tmp_path / "pets.instances")
    with pytest.raises(ValueError, match="'new york' has a space in it"):
        io.write_corpus(Corpus.from_counts([[1]], ["new york"]), tmp_path / "a.txt")
    with pytest.raises(ValueError, match="has ';' in it"):
        io.write_corpus(Corpus.from_texts(["cat"], labels=[["a;b"]]), tmp_path / "a.csv")
    write = getattr(io.write_corpus, "__wrapped__", io.write_corpus)  # as it is without the types that tests check
    with pytest.raises(TypeError, match="takes a Corpus, then a path; got a str first"):
        write("a.csv", corpus)
    assert list(tmp_path.iterdir()) == [], "nothing is left of what failed"


@pytest.mark.parametrize("kind", ["ldac", "uci", "svmlight", "mm"])
def test_lists_have_a_word_per_line(kind, tmp_path):
    broken = Corpus.from_counts([[1, 2]], ["cat\n", "dog"])
    with pytest.raises(ValueError, match=r"the word 'cat\\n' has a line end in it, and words are written one per line"):
        io.write_corpus(broken, tmp_path / "a", kind)
    labelled = Corpus.from_counts([[1, 2]], ["cat", "dog"], labels=[["pet\r"]])
    if kind == "svmlight":
        with pytest.raises(ValueError, match=r"the word 'pet\\r' has a line end in it"):
            io.write_corpus(labelled, tmp_path / "a", kind)
    assert not list(tmp_path.iterdir()), "nothing is half written"
