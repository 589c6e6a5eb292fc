"""Coherence is that of gensim and tomotopy, where they count the same."""

import numpy as np
import pytest
from scipy import sparse

import jaxlda
from jaxlda import Corpus
from jaxlda.evaluation import coherence
from tests.tiers import mostly_slow

gensim_models = pytest.importorskip("gensim.models")
tomotopy = pytest.importorskip("tomotopy")
WINDOWS = {"c_npmi": 10, "c_uci": 10, "c_v": 110}


def topics_of(corpus, K=12, n=8, seed=0):
    """Words that occur, drawn by chance: what is measured does not depend on who chose them."""
    rng = np.random.default_rng(seed)
    frequent = np.argsort(-np.asarray(corpus.counts.sum(axis=0)), kind="stable")[:400]
    return [corpus.vocab[rng.choice(frequent, n, replace=False)].tolist() for _ in range(K)]


def texts_of(corpus, seed=0):
    """The words of each document in some order: bags have none."""
    rng = np.random.default_rng(seed)
    rows = np.split(np.repeat(corpus.counts.indices, corpus.counts.data), np.cumsum(corpus.n_d)[:-1])
    return [corpus.vocab[rng.permutation(row)].tolist() for row in rows]


def windows_of(texts, size):
    """Every window as a text of its own, in which no word comes twice."""
    return [sorted(set(text[i : i + size])) for text in texts for i in range(max(1, len(text) - size + 1))]


def of_gensim(topics, texts, measure, size=None):
    from gensim.corpora import Dictionary

    words = Dictionary(texts)
    bags = [words.doc2bow(text) for text in texts]
    options = {"corpus": bags} if measure == "u_mass" else {"texts": texts, "window_size": size}
    model = gensim_models.CoherenceModel(
        topics=topics, dictionary=words, coherence=measure, topn=len(topics[0]), processes=1, **options
    )
    return model.get_coherence_per_topic()


def of_tomotopy(topics, texts, measure, size=0):
    """A word that all texts have is asked for, too: texts without any would not be counted."""
    from tomotopy.coherence import Coherence

    corpus = tomotopy.utils.Corpus()
    for text in texts:
        corpus.add_doc([*text, "everywhere"])
    options = {"coherence": measure, "top_n": len(topics[0]), "window_size": size}
    return [Coherence(corpus, targets=["everywhere", *words], **options).get_score(words=words) for words in topics]


@pytest.fixture(scope="module")
def reuters():
    return jaxlda.datasets.load("reuters")


@pytest.fixture(scope="module")
def newsgroups(data_file):
    stored = np.load(data_file("20newsgroups_train.npz"), allow_pickle=False)
    parts = stored["X_data"].astype(np.int32), stored["X_indices"].astype(np.int32), stored["X_indptr"].astype(np.int32)
    return Corpus.from_counts(sparse.csr_array(parts, shape=tuple(stored["shape"])), stored["vocab"])


def _all_together(corpus, words):
    present = corpus.counts[:, np.flatnonzero(np.isin(corpus.vocab, words))] > 0
    return ((present.T.astype(int) @ present.astype(int)).toarray() > 0).all()


@pytest.mark.parametrize("name", mostly_slow(["reuters", "newsgroups"], "reuters"))
def test_in_documents(name, request):
    corpus = request.getfixturevalue(name)
    topics = topics_of(corpus, K=7, n=5)
    texts = [words.tolist() for words in np.split(corpus.vocab[corpus.counts.indices], corpus.counts.indptr[1:-1])]
    ours = coherence(topics, "u_mass", reference=corpus).values
    np.testing.assert_allclose(ours, of_gensim(topics, texts, "u_mass"), rtol=0, atol=1e-6)
    # Of pairs that are never together, tomotopy's epsilon makes another number.
    together = [words for words in topics if _all_together(corpus, words)]
    ours = coherence(together, "u_mass", reference=corpus).values
    assert len(together) >= 3
    np.testing.assert_allclose(ours, of_tomotopy(together, texts, "u_mass"), rtol=0, atol=1e-6)
    ours = coherence(topics, "npmi", reference=corpus).values
    np.testing.assert_allclose(ours, of_tomotopy(topics, texts, ("DOCUMENT", "ONE_ONE", "NPMI")), rtol=0, atol=1e-6)


@pytest.mark.parametrize("measure", WINDOWS)
@pytest.mark.parametrize("name", ["reuters", "newsgroups"])
def test_in_windows(name, measure, request):
    """They are given the windows one by one, in which both count right."""
    corpus = request.getfixturevalue(name)[:25]
    topics, texts = topics_of(corpus, K=5), texts_of(corpus)
    size = 25 if measure == "c_v" else WINDOWS[measure]
    ours = coherence(topics, measure, texts=texts, window=size).values
    windows = windows_of(texts, size)
    np.testing.assert_allclose(ours, of_gensim(topics, windows, measure, size), rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours, of_tomotopy(topics, windows, measure, 1000), rtol=0, atol=1e-6)


def test_gensim_agrees_on_texts_where_no_word_comes_twice(reuters):
    texts = [list(dict.fromkeys(text)) for text in texts_of(reuters[:60])]
    topics = topics_of(reuters[:60])
    assert max(map(len, texts)) > 2 * 25
    ours = coherence(topics, "c_v", texts=texts, window=25).values
    np.testing.assert_allclose(ours, of_gensim(topics, texts, "c_v", 25), rtol=0, atol=1e-6)


@pytest.mark.parametrize("measure", WINDOWS)
def test_gensim_agrees_once_its_window_keeps_words_that_come_twice(reuters, measure, monkeypatch):
    """The window of Röder et al. (2015) is boolean: it has a word or not. Counted anew for each, gensim's has, too."""
    from gensim.topic_coherence.text_analysis import WordOccurrenceAccumulator

    def counted_anew(self, window, doc_num):
        self._uniq_words[:] = False
        self._uniq_words[np.unique(window)] = True

    monkeypatch.setattr(WordOccurrenceAccumulator, "_slide_window", counted_anew)
    texts, topics = texts_of(reuters[:60]), topics_of(reuters[:60])
    assert any(len(set(text)) < len(text) for text in texts)
    size = WINDOWS[measure]
    ours = coherence(topics, measure, texts=texts).values
    np.testing.assert_allclose(ours, of_gensim(topics, texts, measure, size), rtol=0, atol=1e-6)


def test_both_lose_words_that_come_twice():
    """What the docstring says of them; once it is no longer so, the docstring is to be changed."""
    texts = [["a", "a", "b", "c", "d"]] * 2 + [["c", "a", "e", "f"]]  # the window "a b" follows "a a"
    ours = coherence([["a", "b"]], "c_uci", texts=texts, window=2).values[0]
    p = np.array([2 * 2 + 2, 2 * 2, 2]) / 11  # a, b, both; of 4 + 4 + 3 windows
    assert ours == pytest.approx(np.log(p[2] / (p[0] * p[1])))
    assert of_gensim([["a", "b"]], texts, "c_uci", 2)[0] != pytest.approx(ours, abs=1e-3)
    assert of_tomotopy([["a", "b"]], texts, "c_uci", 2)[0] != pytest.approx(ours, abs=1e-3)
