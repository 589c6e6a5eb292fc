"""MALLET's state files: round trips, every contradiction with its line, files damaged at random, and a real one."""

import gzip

import numpy as np
import pytest

import jaxlda
from jaxlda import alignment, estimators, evaluation
from jaxlda.corpora.readers import _source, read_mallet_state
from tests.corpora.readers.files import write

HEAD = "#doc source pos typeindex type topic\n#alpha : 0.5 0.25 1.0E-2 \n#beta : 0.01\n"
ROWS = [
    "0 a file.txt 0 7 über 1",
    "0 a file.txt 1 2 dog 0",
    "0 a file.txt 2 7 über 2",
    "0 a file.txt 3 7 über 1",
    "2 c.txt 0 2 dog 0",
    "2 c.txt 1 0 x,y 0",
]
STATE = HEAD + "\n".join(ROWS) + "\n"


@pytest.fixture
def read(tmp_path):
    return lambda content=STATE, **options: read_mallet_state(write(tmp_path / "state", content), **options)


def state_of(corpus, z, alpha, beta):
    """The file that MALLET would write of a sample."""
    w, d = np.asarray(corpus.tokens().w), np.asarray(corpus.tokens().d)
    pos = np.arange(len(d)) - np.repeat(np.cumsum(corpus.n_d) - corpus.n_d, corpus.n_d)
    rows = [f"{a} NA {b} {c} {corpus.vocab[c]} {k}" for a, b, c, k in zip(d, pos, w, z, strict=True)]
    head = [HEAD.split("\n")[0], "#alpha : " + " ".join(map(str, alpha)) + " ", f"#beta : {beta}"]
    return "\n".join(head + rows) + "\n"


@pytest.mark.parametrize(
    "content", [STATE, STATE.replace("\n", "\r\n"), gzip.compress(STATE.encode())], ids=["plain", "crlf", "gzip"]
)
def test_what_is_kept(read, content):
    corpus, priors, sample = read(content)
    assert corpus.vocab.tolist() == ["x,y", "dog", "über"]  # by typeindex; those that occur nowhere have no name
    assert corpus.titles == ("a file.txt", "", "c.txt")
    assert corpus.counts.toarray().tolist() == [[0, 1, 3], [0, 0, 0], [1, 1, 0]]
    np.testing.assert_allclose(priors.alpha, [0.5, 0.25, 0.01])
    np.testing.assert_allclose(priors.beta, [0.01] * 3)
    assert sample.z.tolist() == [0, 1, 2, 1, 0, 0]
    assert sample.counts.n_dk.tolist() == [[1, 2, 1], [0, 0, 0], [2, 0, 0]]
    assert sample.counts.n_vk.tolist() == [[1, 0, 0], [2, 0, 0], [0, 2, 1]]
    assert sample.counts.n_k.tolist() == [3, 2, 1]
    assert {array.dtype.name for array in (*sample.counts, sample.z)} == {"int32"}


def test_blocks_do_not_show(read, monkeypatch):
    whole = read()
    for size in (1, 30, 64, 100):
        monkeypatch.setattr(_source, "_BLOCK", size)
        parts = read()
        assert parts.sample.z.tolist() == whole.sample.z.tolist() and parts.corpus.titles == whole.corpus.titles
        with pytest.raises(ValueError, match="line 7: typeindex 7 has the word 'uber', but before 'über'"):
            read(STATE.replace("3 7 über", "3 7 uber"))


def test_sources_that_mallet_does_not_know_are_no_titles(read):
    assert read(STATE.replace("a file.txt", "NA").replace("c.txt", "NA")).corpus.titles is None
    assert read(STATE.replace("a file.txt", "")).corpus.titles == ("", "", "c.txt")


def test_other_encodings(read):
    assert read(STATE.encode("latin-1"), encoding="latin-1").corpus.vocab[2] == "über"
    with pytest.raises(ValueError, match=r"line 4: .*ber' is not utf-8; give encoding="):
        read(STATE.encode("latin-1"))
    with pytest.raises(ValueError, match="there is no encoding 'klingon'"):
        read(encoding="klingon")


def without(line):
    return HEAD + "\n".join(row for i, row in enumerate(ROWS) if i != line) + "\n"


@pytest.mark.parametrize(
    "content, message",
    [
        ("", r"state, line 1: the file is empty or ends in the middle of a line"),
        (STATE[:-1], "line 9: .*truncated"),
        (STATE[:-9], "line 9: .*truncated"),
        (gzip.compress(STATE.encode())[:-9], "the packed file is truncated or damaged"),
        (HEAD, "line 4: there are no tokens"),
        (STATE.replace("#doc", "#document"), "line 1: expected '#doc source pos typeindex type topic' as MALLET"),
        (STATE.replace("#alpha", "#alfa"), "line 2: expected '#alpha : number number ...', found '#alfa"),
        (STATE.replace("0.25", "x"), "line 2: expected '#alpha"),
        (STATE.replace("0.25", "-1"), "state: alpha must not be negative; got -1.0 at index"),
        (STATE.replace("0.25", "0"), "state: alpha is 0 for topic 1 in every document"),
        (STATE.replace("0.25", "1e999"), "state: alpha must be finite"),
        (STATE.replace("#beta : 0.01", "#beta : nan"), "line 3: expected '#beta : number', found '#beta : nan'"),
        (STATE.replace("#beta : 0.01\n", ""), "line 3: expected '#beta"),
        (STATE.replace("#beta : 0.01", "#beta : 0"), "state: beta must be positive"),
        (without(1), "line 5: expected position 1 of document 0, found 2: lines are missing or mixed up"),
        (without(0), "line 4: expected position 0 of document 0, found 1"),
        (without(4), "line 8: expected position 0 of document 2, found 1"),
        (STATE.replace(ROWS[1], ROWS[1] + "\n" + ROWS[1]), "line 6: expected position 2 of document 0, found 1"),
        (STATE.replace("2 c.txt 0", "2 c.txt 1"), "line 8: expected position 0 of document 2, found 1"),
        (HEAD + "\n".join(ROWS[4:] + ROWS[:4]) + "\n", "line 6: document 0 comes after document 2"),
        (STATE.replace("2 c.txt", "99999999 c.txt"), "line 8: document 99999999, although only 2 different ones occur"),
        (STATE.replace("0 7 über 1", "0 7 über 3"), "line 4: there is no topic 3: alpha has 3 values"),
        (
            STATE.replace("0 7 über 1", "0 7 über -1"),
            "line 4: expected 'doc source pos typeindex type topic', found '0 a",
        ),
        (STATE.replace("0 7 über 1", "0 7  1"), "line 4: expected 'doc source"),
        (STATE.replace("0 7 über 1", "0 über 1"), "line 4: expected 'doc source"),
        (STATE.replace(ROWS[1], "0 dog 0"), "line 5: expected 'doc source .*found '0 dog 0'"),
        (STATE.replace(ROWS[1], ""), "line 5: expected 'doc source .*found ''"),
        (STATE.replace(ROWS[1], "0 a file.txt 1 12345678901234567890 dog 0"), "line 5: expected 'doc source"),
        (STATE.replace("0 2 dog", "0 7 dog"), "line 8: typeindex 7 has the word 'dog', but before 'über'"),
        (STATE.replace("0 2 dog", "0 2 cat"), "line 8: typeindex 2 has the word 'cat', but before 'dog'"),
        (STATE.replace("0 2 dog", "0 3 dog"), "line 8: the word 'dog' has typeindex 3, but elsewhere 2"),
        (
            STATE.replace("0 a file.txt 3", "0 b file.txt 3"),
            "line 7: document 0 has the source 'b file.txt', but before",
        ),
    ],
)
def test_contradictions(read, content, message):
    with pytest.raises(ValueError, match=message):
        read(content)


def test_limits(read):
    with pytest.raises(ValueError, match="state: holds more than 1000000 bytes unpacked"):
        read(gzip.compress(b"0" * 30_000_000), max_bytes=1_000_000)


@pytest.mark.slow
def test_a_sample_of_ours_comes_back(tmp_path):
    """Estimators, log-likelihood and alignment of a file are those of the sample it was written from."""
    corpus, truth = jaxlda.datasets.bars(num_docs=12, size=3, doc_length=20)
    z, data = truth.z, corpus.data(6, alpha=0.25, beta=0.125)
    imported = read_mallet_state(write(tmp_path / "state", state_of(corpus, z, [0.25] * 6, 0.125)))
    assert (imported.corpus.counts != corpus.counts).nnz == 0 and imported.sample.z.tolist() == z.tolist()
    n_dk, n_vk = np.zeros((12, 6), int), np.zeros((9, 6), int)
    np.add.at(n_dk, (np.asarray(data.tokens.d), z), 1)
    np.add.at(n_vk, (np.asarray(data.tokens.w), z), 1)
    np.testing.assert_array_equal(imported.sample.counts.n_dk, n_dk)
    np.testing.assert_array_equal(imported.sample.counts.n_vk, n_vk)
    for leave_out in ("token", "document", "none"):
        soft = estimators.soften(imported.sample, imported.data, leave_out=leave_out)
        out = {"token": (1, 1), "document": (1, 0), "none": (0, 0)}[leave_out]
        np.testing.assert_allclose(soft.n_vk, softened(data, z, n_dk, n_vk, *out), rtol=1e-4, atol=1e-4)
    phi, phi_p = estimators.phi(imported.sample.counts, data), estimators.phi_p(imported.sample, imported.data)
    assert alignment.align(phi, phi_p).permutation.tolist() == list(range(6))
    theta = estimators.theta(imported.sample.counts, imported.data)
    expected = np.log((np.asarray(theta) @ np.asarray(phi))[np.asarray(data.tokens.d), np.asarray(data.tokens.w)]).sum()
    assert evaluation.log_likelihood(phi, theta, imported.corpus) == pytest.approx(expected, rel=1e-5)


def softened(data, z, n_dk, n_vk, in_document, in_topic):
    """Eq. 31 token by token."""
    soft = np.zeros(n_vk.shape)
    for w, d, k in zip(np.asarray(data.tokens.w), np.asarray(data.tokens.d), z, strict=True):
        own = np.arange(n_vk.shape[1]) == k
        a = n_dk[d] - own * in_document + 0.25
        b = (n_vk[w] - own * in_topic + 0.125) / (n_vk.sum(0) - own * in_topic + 9 * 0.125)
        soft[w] += a * b / (a * b).sum()
    return soft


def test_a_large_file_is_read(tmp_path):
    rng = np.random.default_rng(0)
    corpus = jaxlda.Corpus.from_counts(rng.poisson(0.1, (500, 4000)))
    path = write(tmp_path / "state", state_of(corpus, rng.integers(0, 5, corpus.num_tokens), [0.1] * 5, 0.01))
    assert read_mallet_state(path).corpus.num_tokens == corpus.num_tokens > 190_000


# ---------------------------------------------------------------------------------------------------------- a real file


@pytest.mark.data
def test_associated_press(data_file):
    """The paper's table of section 5.7: the four log-likelihoods are ordered."""
    corpus, priors, sample = imported = read_mallet_state(data_file("ap_mallet_state_K100.gz"))
    assert (corpus.num_tokens, corpus.num_docs, corpus.num_words) == (457_721, 2_248, 38_549)
    np.testing.assert_allclose(priors.alpha, np.full(100, 0.01), rtol=1e-6)
    np.testing.assert_allclose(priors.beta, np.full(38_549, 0.01), rtol=1e-6)
    for leave_out in ("token", "document", "none"):
        assert_ordered(imported, leave_out)
    assert sample.z.shape == (457_721,)


def assert_ordered(imported, leave_out):
    corpus, _, sample = imported
    data = imported.data
    soft = estimators.soften(sample, data, leave_out=leave_out)
    value = {
        (i, j): evaluation.log_likelihood(estimators.phi(a, data), estimators.theta(b, data), corpus)
        for i, a in enumerate((sample.counts, soft))
        for j, b in enumerate((sample.counts, soft))
    }
    mixed = value[1, 0], value[0, 1]
    assert value[0, 0] < min(mixed) <= max(mixed) < value[1, 1], value
