"""WarpLDA's assignments and vocabularies."""

import gzip

import numpy as np
import pytest

from jaxlda import estimators
from jaxlda.corpora.readers import read_vocab, read_warplda
from tests.corpora.readers.files import write
from tests.corpora.readers.test_mallet import assert_ordered

Z = "4 2:1 0:0 2:3 2:1 \n0\n2 0:0 3:3\n"
VOCAB = "cat\ndog\nnaïve\nx y\n"


@pytest.fixture
def read(tmp_path):
    def reader(z=Z, vocab=VOCAB, **options):
        return read_warplda(write(tmp_path / "z", z), write(tmp_path / "vocab", vocab), **options)

    return reader


@pytest.mark.parametrize("z", [Z, Z.replace("\n", "\r\n"), gzip.compress(Z.encode())], ids=["plain", "crlf", "gzip"])
@pytest.mark.parametrize("vocab", [VOCAB, VOCAB.rstrip(), VOCAB.replace("\n", "\r\n"), "\ufeff" + VOCAB])
def test_what_is_kept(read, z, vocab):
    corpus, priors, sample = read(z, vocab)
    assert corpus.vocab.tolist() == ["cat", "dog", "naïve", "x y"] and corpus.titles is None
    assert corpus.counts.toarray().tolist() == [[1, 0, 3, 0], [0, 0, 0, 0], [1, 0, 0, 1]]
    assert sample.z.tolist() == [0, 1, 3, 1, 0, 3]
    assert sample.counts.n_dk.tolist() == [[1, 2, 0, 1], [0, 0, 0, 0], [1, 0, 0, 1]]
    np.testing.assert_allclose(priors.alpha, [0.1] * 4)
    np.testing.assert_allclose(priors.beta, [0.01] * 4)


def test_what_the_file_does_not_say(read):
    imported = read(num_topics=6, alpha=[1, 2, 3, 4, 5, 6], beta=0.5)
    assert imported.priors.alpha.tolist() == [1, 2, 3, 4, 5, 6] and imported.sample.counts.n_k.tolist() == [
        2,
        2,
        0,
        2,
        0,
        0,
    ]
    assert estimators.phi_p(imported.sample, imported.data).shape == (6, 4)
    with pytest.raises(ValueError, match="line 1: there is no topic 3: num_topics is 3"):
        read(num_topics=3)
    with pytest.raises(ValueError, match="num_topics must be at least 1"):
        read(num_topics=0)
    with pytest.raises(ValueError, match="beta must be positive"):
        read(beta=0)
    with pytest.raises(ValueError, match="3 documents and 4 words x 1000000000 topics are more counts than"):
        read(num_topics=10**9)


@pytest.mark.parametrize(
    "old, new, message",
    [
        (Z, "", "z, line 1: the file is empty or ends in the middle"),
        ("3:3\n", "3:3", "line 3: .*ends in the middle of a line"),
        ("2 0:0 3:3\n", "2 0:0\n", r"line 3: announces 2 token\(s\), but has 1: it is cut or damaged"),
        ("4 2:1", "3 2:1", r"line 1: announces 3 token\(s\), but has 4"),
        ("3:3", "4:3", "line 3: there is no word 4: the vocabulary has 4"),
        ("3:3", "3:99999999", "line 3: topic 99999999, although only 4 different ones occur"),
        ("3:3", "3:-1", "line 3: expected 'length word:topic word:topic ...', found '3:-1'"),
        ("3:3", "3", "line 3: expected .*found '3'"),
        ("3:3", "3:3:3", "line 3: expected .*found '3:3:3'"),
        ("3:3", "3:9999999999", "line 3: expected"),
        ("\n0\n", "\n\n", "line 2: expected .*found ''"),
        (Z, "0\n0\n", "z: there are no tokens"),
    ],
)
def test_wrong_assignments(read, old, new, message):
    assert Z.count(old) == 1
    with pytest.raises(ValueError, match=message):
        read(Z.replace(old, new))


@pytest.mark.parametrize(
    "vocab, message",
    [
        ("cat\ncat\n", "vocab, line 2: the word 'cat' is in line 1 already"),
        ("cat\n\ndog\n", "vocab, line 2: is empty"),
        ("", "vocab, line 1: is empty"),
        (b"cat\n\x81\n", "vocab, line 2: is not utf-8"),
        ("cat\ndog\n", "z, line 1: there is no word 2: the vocabulary has 2"),
    ],
)
def test_wrong_vocabularies(read, vocab, message):
    with pytest.raises(ValueError, match=message):
        read(vocab=vocab)


def test_vocabularies_in_other_encodings(tmp_path):
    assert read_vocab(write(tmp_path / "v", "é\n".encode("latin-1")), encoding="latin-1") == ["é"]


@pytest.mark.data
def test_a_real_file(data_file):
    imported = read_warplda(data_file("warplda.z.estimate"), data_file("warplda.vocab"))
    corpus = imported.corpus
    assert (corpus.num_tokens, corpus.num_docs, corpus.num_words) == (306_520, 900, 20_801)
    assert imported.priors.alpha.shape == (100,)
    for leave_out in ("token", "document", "none"):
        assert_ordered(imported, leave_out)
