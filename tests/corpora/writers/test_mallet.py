"""Files as MALLET writes them, written and read again."""

import gzip

import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import Corpus, io
from jaxlda.corpora import priors
from jaxlda.types import Counts, Sample


def sampled(corpus, K=3, seed=0, **prior):
    """Topics drawn by chance."""
    w, d = (np.asarray(x) for x in corpus.tokens()[:2])
    z = np.random.default_rng(seed).integers(K, size=w.size).astype(np.int32)
    n_dk, n_vk = np.zeros((corpus.num_docs, K), np.int32), np.zeros((corpus.num_words, K), np.int32)
    np.add.at(n_dk, (d, z), 1)
    np.add.at(n_vk, (w, z), 1)
    made = priors.make(K, corpus.num_docs, corpus.num_words, **prior)
    return made, Sample(Counts(*map(jnp.asarray, (n_dk, n_vk, n_dk.sum(0)))), jnp.asarray(z))


@pytest.mark.parametrize("name", ["state", "state.gz"])
@pytest.mark.parametrize("order", [True, False])
def test_states(name, order, tmp_path):
    texts = ["dog cat dog ant", "", "emu cat cat emu cat"]
    corpus = Corpus.from_texts(texts, titles=["a.txt", "my file.txt", "c.txt"], keep_order=order)
    prior, sample = sampled(corpus, alpha=[0.1, 0.25, 1 / 3])
    io.write_mallet_state(tmp_path / name, corpus, prior, sample)
    again = io.read_mallet_state(tmp_path / name)
    assert again.corpus.vocab.tolist() == corpus.vocab.tolist()
    assert again.corpus.titles == ("a.txt", "", "c.txt")  # of an empty document nothing is written
    np.testing.assert_array_equal(again.corpus.counts.toarray(), corpus.counts.toarray())
    np.testing.assert_array_equal(again.sample.z, sample.z)
    np.testing.assert_array_equal(again.priors.alpha, prior.alpha)
    np.testing.assert_array_equal(again.priors.beta, prior.beta)
    raw = (tmp_path / name).read_bytes()
    lines = (gzip.decompress(raw) if name.endswith("gz") else raw).decode().splitlines()
    words = [line.split()[-2] for line in lines[3:7]]
    assert words == (["dog", "cat", "dog", "ant"] if order else ["ant", "cat", "dog", "dog"])


def test_states_that_mallet_has_not(tmp_path):
    corpus = Corpus.from_counts([[1, 1]], ["new york", "b"])
    prior, sample = sampled(corpus)
    with pytest.raises(ValueError, match="'new york' has a space in it"):
        io.write_mallet_state(tmp_path / "state", corpus, prior, sample)
    plain = Corpus.from_counts([[1, 1]])
    with pytest.raises(ValueError, match="one alpha for each topic and one beta"):
        io.write_mallet_state(tmp_path / "state", plain, sampled(plain, beta=[0.1, 0.2])[0], sample)
    with pytest.raises(ValueError, match="no assignments z"):
        io.write_mallet_state(tmp_path / "state", plain, prior, sample._replace(z=None))


def test_topic_keys_and_doc_topics(tmp_path):
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.ones(4), 3).astype(np.float32)
    theta = rng.dirichlet(np.ones(3), 5).astype(np.float32)
    alpha = np.array([0.1, 0.5, 1 / 3], np.float32)
    vocab = np.array(["a", "b", "c", "d"])
    io.write_mallet_topic_keys(tmp_path / "keys", phi, alpha, vocab, words=2)
    prior, words = io.read_mallet_topic_keys(tmp_path / "keys")
    np.testing.assert_array_equal(prior, alpha)
    assert words == [vocab[np.argsort(-row)[:2]].tolist() for row in phi]
    titles = ["one", "two words", "é", "", "five"]
    io.write_mallet_doc_topics(tmp_path / "docs.gz", theta, titles)
    names, again = io.read_mallet_doc_topics(tmp_path / "docs.gz")
    np.testing.assert_array_equal(again, theta)
    assert names == titles


@pytest.mark.parametrize(
    "content", [b"1\t0.5\tcat\n", b"0\tx\tcat\n", b"0 0.5 cat\n", b"0\t-1\tcat\n", b"0\tnan\tcat\n"]
)
def test_wrong_topic_keys(content, tmp_path):
    (tmp_path / "keys").write_bytes(content)
    with pytest.raises(ValueError, match=r"keys.*line 1.*expected topic 0"):
        io.read_mallet_topic_keys(tmp_path / "keys")


@pytest.mark.parametrize(
    "content", [b"0\ta\t0.5\t0.5\n1\tb\t1\n", b"0\ta\t1\t0\n2\tb\t1\t0\n", b"0\ta\t1\t0\n1\tb\t\n"]
)
def test_wrong_doc_topics(content, tmp_path):
    (tmp_path / "docs").write_bytes(content)
    with pytest.raises(ValueError, match=r"docs.*line 2.*expected document 1"):
        io.read_mallet_doc_topics(tmp_path / "docs")
