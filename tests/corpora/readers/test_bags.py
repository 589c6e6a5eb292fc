"""LDA-C and UCI files of counts."""

import gzip

import lda.utils
import numpy as np
import pytest
from hypothesis import given

from jaxlda.corpora.readers import _source, read_ldac, read_uci, read_vocab
from tests.corpora.readers.files import write
from tests.simulated import matrices

COUNTS = [[1, 0, 3, 0], [0, 0, 0, 0], [0, 2, 0, 10]]
LDAC = "2 0:1 2:3\n0\n2 3:10 1:2\n"
UCI = "3\n4\n4\n1 1 1\n1 3 3\n3 2 2\n3 4 10\n"
WORDS = ["ant", "bee", "cat", "dog"]


@pytest.fixture
def ldac(tmp_path):
    return lambda content=LDAC, *vocab, **options: read_ldac(write(tmp_path / "x.ldac", content), *vocab, **options)


@pytest.fixture
def uci(tmp_path):
    return lambda content=UCI, *vocab, **options: read_uci(write(tmp_path / "docword", content), *vocab, **options)


@pytest.mark.parametrize(
    "change", [str.encode, lambda s: s.replace("\n", "\r\n"), str.rstrip, lambda s: gzip.compress(s.encode())]
)
def test_counts(ldac, uci, tmp_path, change):
    for corpus in (ldac(change(LDAC)), uci(change(UCI))):
        assert corpus.counts.toarray().tolist() == COUNTS and corpus.vocab.tolist() == ["w0", "w1", "w2", "w3"]
    for vocab in (WORDS, str(write(tmp_path / "vocab", "\n".join(WORDS))), tmp_path / "vocab"):
        assert ldac(LDAC, vocab).vocab.tolist() == uci(UCI, vocab).vocab.tolist() == WORDS


def test_a_vocabulary_may_have_more_words_than_occur(ldac):
    assert ldac(LDAC, [*WORDS, "eel"]).num_words == 5


@given(matrices(max_count=12))
def test_round_trips(tmp_path_factory, dense):
    folder = tmp_path_factory.getbasetemp()
    lines = [f"{(row > 0).sum()} " + " ".join(f"{v}:{n}" for v, n in enumerate(row) if n) for row in dense]
    padded = np.zeros_like(dense)
    found = read_ldac(write(folder / "trip.ldac", "\n".join(lines) + "\n")).counts.toarray()
    padded[:, : found.shape[1]] = found
    np.testing.assert_array_equal(padded, dense)
    d, w = dense.nonzero()
    entries = [f"{a + 1} {b + 1} {dense[a, b]}" for a, b in zip(d, w, strict=True)]
    sizes = [str(size) for size in (*dense.shape, len(entries))]
    for block in (16, 1 << 25):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_source, "_BLOCK", block)
            found = read_uci(write(folder / "trip.uci", "\n".join(sizes + entries) + "\n"))
        np.testing.assert_array_equal(found.counts.toarray(), dense)


def test_the_package_lda_reads_the_same(ldac):
    content = LDAC.replace("\n0\n", "\n")  # it cannot read empty documents
    np.testing.assert_array_equal(lda.utils.ldac2dtm(content.splitlines()), ldac(content).counts.toarray())


@pytest.mark.parametrize(
    "old, new, message",
    [
        (LDAC, "", r"x\.ldac: the corpus has no documents"),
        (LDAC, "0\n0\n", r"x\.ldac: the corpus has no tokens"),
        ("2 0:1 2:3", "3 0:1 2:3", r"line 1: announces 3 word\(s\), but has 2: it is cut or damaged"),
        ("3:10 1:2\n", "3:10", r"line 3: announces 2 word\(s\), but has 1"),
        ("2 0:1 2:3", "2 0:1 0:3", "line 1: word 0 occurs twice; a sample of WarpLDA is read by"),
        ("3:10", "3:x", "line 3: expected 'number word:count word:count ...', found '3:x'"),
        ("3:10", "3:-1", "line 3: expected .*found '3:-1'"),
        ("3:10", "3:1.5", r"line 3: expected .*found '3:1\.5'"),
        ("3:10", "99999999:1", "has 100000000 words, more than the 524288 allowed; give a larger max_size"),
        ("3:10", "3:300000000", "has 300000006 tokens, more than the 16777216 allowed; give a larger max_tokens"),
        ("\n0\n", "\nx\n", "line 2: expected .*found 'x'"),
    ],
)
def test_wrong_ldac(ldac, old, new, message):
    assert LDAC.count(old) == 1
    with pytest.raises(ValueError, match=message):
        ldac(LDAC.replace(old, new))


def test_words_beyond_the_vocabulary(ldac, uci):
    with pytest.raises(ValueError, match="line 3: there is no word 3: the 3 are numbered from 0 to 2"):
        ldac(LDAC, WORDS[:3])
    with pytest.raises(ValueError, match="line 2: announces 4 words, but vocab has 3"):
        uci(UCI, WORDS[:3])
    with pytest.raises(ValueError, match="more than once"):
        uci(UCI, ["a", "a", "b", "c"])


@pytest.mark.parametrize(
    "old, new, message",
    [
        (UCI, "", "docword, line 1: expected the number of documents, found ''"),
        (UCI, "3\n", "line 2: expected the number of words, found ''"),
        (UCI, "3\n4\nx\n", "line 3: expected the number of entries, found 'x'"),
        (UCI, "3\n4\n0\n", "docword: the corpus has no tokens"),
        ("3\n4\n4\n1 1", "3\n999999999\n4\n1 1", "line 2: has 999999999 words, more than the 524288 allowed"),
        ("3 4 10\n", "", "has 3 entries, but line 3 announces 4; is it truncated"),
        ("3 4 10", "3 4", "line 7: expected 'document word count', found '3 4'"),
        ("3 4 10", "3 4 10 1", "line 7: expected 'document word count', found '3 4 10 1'"),
        ("3 4 10", "3 4 x", "line 7: expected"),
        ("3 4 10\n", "\n3 4 10\n", "line 7: expected 'document word count', found ''"),
        ("3\n4\n4\n1 1", "999999999\n4\n4\n1 1", "line 1: has 999999999 documents, more than the 524288 allowed"),
        ("3\n4\n4\n1 1", "10000000000\n4\n4\n1 1", "line 1: has 10000000000 documents, more than the 524288"),
        ("3 4 10", "3 4 -2", "line 7: there is no count -2: it is from 0"),
        ("3 4 10", "4 4 10", "line 7: there is no document 4: it is from 1 to 3"),
        ("3 4 10", "0 4 10", "line 7: there is no document 0"),
        ("3 4 10", "3 5 10", "line 7: there is no word 5: it is from 1 to 4"),
        ("3 4 10", "3 4 3000000000", "line 7: there is no count 3000000000"),
        ("3 4 10", "3 2 10", "line 7: document 3 has word 2 twice"),
    ],
)
def test_wrong_uci(uci, old, new, message):
    assert UCI.count(old) == 1
    with pytest.raises(ValueError, match=message):
        uci(UCI.replace(old, new))


# ------------------------------------------------------------------------------------------ as other programs write


@pytest.mark.parametrize(
    "change", [lambda s: s + "\n", lambda s: s + " \n\n", lambda s: " " + s, lambda s: s.replace("0:1", "0:1.0")]
)
def test_forgiving_ldac(ldac, change):
    assert ldac(change(LDAC)).counts.toarray().tolist() == COUNTS


def test_blank_lines_are_counted(ldac):
    with pytest.warns(UserWarning, match=r"x\.ldac: 1 blank line\(s\) are ignored, the first being line 2"):
        assert ldac(LDAC.replace("\n0\n", "\n\n0\n") + "\n").num_docs == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.replace(" ", "\t"),
        lambda s: s.replace("\n", "  \n"),
        lambda s: s.replace("\n", " \r\n"),
        lambda s: s.replace(" ", "   "),
        lambda s: s + "\n\n",
        lambda s: s.replace("3\n4\n4\n", "3\n4\n5\n") + "2 2 0\n",
        lambda s: s.replace("3 4 10", "3 4 10.0"),
        lambda s: s.replace("1 1 1", " 1 1 1"),
    ],
)
def test_forgiving_uci(uci, change):
    assert uci(change(UCI)).counts.toarray().tolist() == COUNTS


def test_limits_can_be_raised(ldac, uci):
    assert ldac("1 0:30000000\n", max_tokens=10**8).num_tokens == 30_000_000
    assert ldac("1 600000:1\n", max_size=10**6).num_words == 600_001
    assert uci(UCI.replace("3\n4\n4\n1 1", "3\n600000\n4\n1 1"), max_size=10**6).num_words == 600_000


@pytest.mark.parametrize(
    "content", ["ant\nbee\n", "ant\nbee\n\n", "ant\r\nbee\r\n \r\n", "7\n1\tbee\t1\n0\tant\t2\n", "\ufeffant\nbee"]
)
def test_vocabularies(tmp_path, content):
    assert read_vocab(write(tmp_path / "vocab", content)) == ["ant", "bee"]
    assert read_vocab(write(tmp_path / "vocab", content.encode("utf-16"))) == ["ant", "bee"]


def test_vocabularies_in_other_encodings(tmp_path):
    with pytest.warns(UserWarning, match="vocab: is not UTF-8; read as windows-1252"):
        assert read_vocab(write(tmp_path / "vocab", "ant\nnaïve\n".encode("latin-1"))) == ["ant", "naïve"]


def test_dictionaries_of_gensim(tmp_path):
    assert read_vocab(write(tmp_path / "dict", "2\n2\tcat\t1\n0\tant\t2\n")) == ["ant", "w1", "cat"]
    with pytest.raises(ValueError, match="line 3: the number 0 has two words"):
        read_vocab(write(tmp_path / "dict", "2\n0\tcat\t1\n0\tant\t2\n"))
    with pytest.raises(ValueError, match="has 100000000 words, more than the 524288 allowed"):
        read_vocab(write(tmp_path / "dict", "2\n99999999\tcat\t1\n"))


def test_a_dictionary_that_gensim_has_pickled(tmp_path):
    (tmp_path / "words.dict").write_bytes(b"\x80\x05\x95\xff")
    with pytest.raises(ValueError, match=r"words\.dict: is a pickle, which is not read.*save_as_text"):
        read_vocab(tmp_path / "words.dict")
