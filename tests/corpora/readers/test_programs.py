"""Models of tomotopy, lda, gensim and scikit-learn: their own phi and theta come out, and phi_p where there is a z."""

import logging
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

import jaxlda
from jaxlda import alignment, estimators, evaluation
from jaxlda.corpora.readers import from_gensim, from_lda, from_sklearn, from_tomotopy

X = np.array([[4, 1, 0, 0, 2], [0, 0, 0, 0, 0], [0, 3, 5, 1, 0], [1, 0, 2, 2, 0]])
WORDS = ["ant", "bee", "cat", "dog", "eel"]
TEXTS = [[word for word, n in zip(WORDS, row, strict=True) for _ in range(n)][::-1] for row in X.tolist()]


def refuses_soft_counts(imported):
    assert imported.sample.z is None
    with pytest.raises(ValueError, match="without the topic of each token"):
        estimators.phi_p(imported.sample, imported.data)


# ------------------------------------------------------------------------------------------------------------- tomotopy


def trained_tomotopy(texts=TEXTS, uids=None, **options):
    tomotopy = pytest.importorskip("tomotopy")
    documents = tomotopy.utils.Corpus()
    for i, text in enumerate(texts):
        documents.add_doc(text, **({} if uids is None else {"uid": uids[i]}))
    model = tomotopy.LDAModel(**({"k": 3, "alpha": 0.2, "eta": 0.05, "seed": 1, "corpus": documents} | options))
    model.train(20, workers=1)
    return model


def test_tomotopy_has_everything():
    texts = [text for text in TEXTS if text]  # tomotopy skips empty ones
    model = trained_tomotopy(texts, uids=["x", "y", "z"])
    imported = from_tomotopy(model)
    corpus, priors, sample = imported
    np.testing.assert_array_equal(corpus.select_words(WORDS).counts.toarray(), X[[0, 2, 3]])
    assert corpus.titles == ("x", "y", "z")
    np.testing.assert_allclose(priors.alpha, model.alpha, rtol=1e-6)
    phi = np.array([model.get_topic_word_dist(k) for k in range(3)])
    theta = np.array([doc.get_topic_dist() for doc in model.docs])
    np.testing.assert_allclose(estimators.phi(sample.counts, imported.data), phi, rtol=1e-4)
    np.testing.assert_allclose(estimators.theta(sample.counts, imported.data), theta, rtol=1e-4)
    seen = {
        (d, model.vocabs[w], int(k))
        for d, doc in enumerate(model.docs)
        for w, k in zip(doc.words, doc.topics, strict=True)
    }
    w, d = np.asarray(corpus.tokens().w), np.asarray(corpus.tokens().d)
    assert {(int(i), str(corpus.vocab[v]), int(k)) for i, v, k in zip(d, w, np.asarray(sample.z), strict=True)} == seen
    phi_p = estimators.phi_p(sample, imported.data)
    np.testing.assert_allclose(phi_p.sum(1), np.ones(3), rtol=1e-5)
    assert alignment.align(phi, phi_p).permutation.shape == (3,)
    assert np.isfinite(evaluation.log_likelihood(phi_p, estimators.theta_p(sample, imported.data), corpus))


def test_tomotopy_keeps_the_order_of_words():
    """So that windows can slide over them."""
    texts = [text.split() for text in ("dog cat ant dog emu cat", "the emu the dog", "the the the")]
    found = from_tomotopy(trained_tomotopy(texts, rm_top=1)).corpus
    assert [" ".join(found.tokens_of(d)) for d in range(2)] == ["dog cat ant dog emu cat", "emu dog"]
    assert np.isfinite(jaxlda.evaluation.coherence([["dog", "cat"]], "c_v", reference=found).values).all()


def test_words_that_tomotopy_leaves_out():
    model = trained_tomotopy(["a a b c d".split(), "b b c".split(), ["q"], "a z a c".split()], min_cf=2, rm_top=1)
    corpus, _, sample = from_tomotopy(model)
    assert corpus.vocab.tolist() == list(model.used_vocabs) == ["c", "b"] or corpus.vocab.tolist() == ["b", "c"]
    assert corpus.n_d.tolist() == [2, 3, 0, 1] and corpus.num_tokens == model.num_words == len(sample.z)
    assert corpus.titles is None


def test_wrong_tomotopy_models():
    tomotopy = pytest.importorskip("tomotopy")
    with pytest.raises(ValueError, match="the model has no documents"):
        from_tomotopy(tomotopy.LDAModel(k=2))
    with pytest.raises(ValueError, match="no token has a topic"):
        from_tomotopy(trained_tomotopy([["a"], ["b"]], rm_top=2))
    with pytest.raises(ValueError, match=r"weighs its words \(tw is not TermWeight.ONE\)"):
        from_tomotopy(trained_tomotopy(tw=tomotopy.TermWeight.IDF))
    with pytest.raises(TypeError, match="takes an LDAModel; a HDPModel is another model"):
        from_tomotopy(tomotopy.HDPModel())
    with pytest.raises(
        TypeError, match=r"takes a tomotopy.LDAModel with documents; this dict has no docs, used_vocabs"
    ):
        from_tomotopy({})


# ------------------------------------------------------------------------------------------------------------------ lda


@pytest.fixture(scope="module")
def lda_model():
    import lda

    logging.getLogger("lda").addHandler(logging.NullHandler())
    return lda.LDA(n_topics=3, n_iter=20, alpha=0.2, eta=0.05, random_state=1).fit(X[[0, 2, 3]])


def test_lda_keeps_counts(lda_model):
    imported = from_lda(lda_model, sparse.csr_array(X[[0, 2, 3]]), vocab=WORDS, titles=["x", "y", "z"])
    corpus, priors, sample = imported
    assert corpus.vocab.tolist() == WORDS and corpus.titles == ("x", "y", "z") and sample.counts.n_vk.dtype == "int32"
    np.testing.assert_allclose(estimators.phi(sample.counts, imported.data), lda_model.topic_word_, rtol=1e-5)
    np.testing.assert_allclose(estimators.theta(sample.counts, imported.data), lda_model.doc_topic_, rtol=1e-5)
    np.testing.assert_allclose(priors.alpha, [0.2] * 3, rtol=1e-6)
    refuses_soft_counts(imported)


def test_lda_without_documents_is_one_document(lda_model):
    imported = from_lda(lda_model, vocab=WORDS)
    assert imported.corpus.counts.toarray().tolist() == [X.sum(0).tolist()] and imported.corpus.titles == (
        "all documents",
    )
    np.testing.assert_allclose(estimators.phi(imported.sample.counts, imported.data), lda_model.topic_word_, rtol=1e-5)
    assert imported.sample.counts.n_dk.tolist() == [lda_model.nz_.tolist()]


def test_an_interrupted_lda_still_has_z():
    import lda

    model = lda.LDA(n_topics=3, n_iter=20, random_state=1)
    model._initialize(X)  # what fit does first, and an interrupt leaves behind
    imported = from_lda(model)
    np.testing.assert_array_equal(imported.corpus.counts.toarray(), X)
    np.testing.assert_array_equal(imported.sample.counts.n_dk, model.ndz_)
    np.testing.assert_array_equal(imported.sample.counts.n_vk, model.nzw_.T)
    assert estimators.phi_p(imported.sample, imported.data).shape == (3, 5)


def test_wrong_lda_models(lda_model):
    with pytest.raises(ValueError, match=r"X has 4 document\(s\) and 5 words, the model 3 document\(s\) and 5 words"):
        from_lda(lda_model, X)
    with pytest.raises(ValueError, match="X has other documents than the model was fitted on"):
        from_lda(lda_model, X[[0, 3, 2]])
    with pytest.raises(TypeError, match=r"from_lda takes a fitted lda\.LDA; this SimpleNamespace has no nzw_, ndz_"):
        from_lda(SimpleNamespace(alpha=1, eta=1))


# --------------------------------------------------------------------------------------------------------------- gensim

BAGS = [[(int(v), int(n)) for v, n in enumerate(row) if n] for row in X]


class StandIn:
    """The part of gensim's LdaModel that is read: expected counts, priors, names, and inference of gamma."""

    def __init__(self, eta=0.05):
        rng = np.random.default_rng(0)
        self.alpha, self.eta = np.array([0.5, 0.25, 1.0], np.float32), np.full(5, eta, np.float32)
        share = rng.dirichlet(np.ones(3), 5)
        self.state = SimpleNamespace(sstats=(X.sum(0)[:, None] * share).T.astype(np.float32))
        self.id2word = dict(enumerate(WORDS))

    def get_topics(self):
        topics = self.state.sstats + self.eta
        return topics / topics.sum(1, keepdims=True)

    def inference(self, bags):
        share = self.state.sstats / self.state.sstats.sum(0)
        rows = [sum((n * share[:, v] for v, n in bag), np.zeros(3)) for bag in bags]
        return np.array(rows) + self.alpha, None


@pytest.fixture(scope="module", params=["stand-in", "gensim"])
def gensim_model(request):
    if request.param == "stand-in":
        return StandIn()
    models = pytest.importorskip("gensim.models")
    return models.LdaModel(BAGS, num_topics=3, id2word=dict(enumerate(WORDS)), alpha="auto", passes=5, random_state=0)


def test_gensim(gensim_model):
    imported = from_gensim(gensim_model, BAGS, titles=list("abcd"))
    corpus, _, sample = imported
    np.testing.assert_array_equal(corpus.counts.toarray(), X)
    assert corpus.vocab.tolist() == WORDS and corpus.titles == tuple("abcd")
    np.testing.assert_allclose(estimators.phi(sample.counts, imported.data), gensim_model.get_topics(), rtol=1e-4)
    gamma = gensim_model.inference(BAGS)[0]
    theta = gamma / gamma.sum(1, keepdims=True)
    np.testing.assert_allclose(
        estimators.theta(sample.counts, imported.data), theta, atol=0.02
    )  # inference starts anew
    np.testing.assert_allclose(sample.counts.n_dk.sum(1), X.sum(1), rtol=1e-5)
    refuses_soft_counts(imported)


def test_gensim_without_documents_is_one_document(gensim_model):
    imported = from_gensim(gensim_model)
    assert imported.corpus.counts.toarray().tolist() == [X.sum(0).tolist()]
    np.testing.assert_allclose(
        estimators.phi(imported.sample.counts, imported.data), gensim_model.get_topics(), rtol=1e-4
    )


def test_expected_counts_are_brought_to_whole_lengths():
    model = StandIn()
    model.state.sstats = model.state.sstats * np.float32(1.3)  # as online updates leave them
    imported = from_gensim(model)
    assert imported.corpus.n_d.tolist() == [np.rint(1.3 * X.sum(0)).sum()]
    theta = np.asarray(estimators.theta(imported.sample.counts, imported.data))
    np.testing.assert_allclose(theta.sum(1), [1.0], rtol=1e-6)


def test_wrong_gensim_models():
    with pytest.raises(ValueError, match="document 1 has word 5, but the model has 5 words"):
        from_gensim(StandIn(), [[(0, 1)], [(5, 1)]])
    with pytest.raises(ValueError, match="not a whole number"):
        from_gensim(StandIn(), [[(0, 0.5)]])
    with pytest.raises(TypeError, match="from_gensim takes a trained gensim LdaModel; this list has no state"):
        from_gensim([])


# --------------------------------------------------------------------------------------------------------- scikit-learn


@pytest.fixture(scope="module")
def sklearn_model():
    return LatentDirichletAllocation(3, doc_topic_prior=0.2, topic_word_prior=0.05, random_state=0).fit(X)


def test_sklearn(sklearn_model):
    imported = from_sklearn(sklearn_model, X, vocab=WORDS)
    corpus, priors, sample = imported
    phi = sklearn_model.components_ / sklearn_model.components_.sum(1, keepdims=True)
    np.testing.assert_allclose(estimators.phi(sample.counts, imported.data), phi, rtol=1e-4)
    np.testing.assert_allclose(estimators.theta(sample.counts, imported.data), sklearn_model.transform(X), rtol=1e-4)
    np.testing.assert_allclose(priors.beta, [0.05] * 5, rtol=1e-6)
    refuses_soft_counts(imported)
    expected = np.log(
        (sklearn_model.transform(X) @ phi)[np.asarray(corpus.tokens().d), np.asarray(corpus.tokens().w)]
    ).sum()
    found = evaluation.log_likelihood(
        *(f(sample.counts, imported.data) for f in (estimators.phi, estimators.theta)), corpus
    )
    assert found == pytest.approx(expected, rel=1e-4)


def test_sklearn_names_and_no_documents():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=WORDS)
    model = LatentDirichletAllocation(2, random_state=0).fit(table)
    assert from_sklearn(model).corpus.vocab.tolist() == WORDS
    assert from_sklearn(model, table).corpus.vocab.tolist() == WORDS
    assert from_sklearn(model).corpus.counts.toarray().tolist() == [X.sum(0).tolist()]


def test_wrong_sklearn_models(sklearn_model):
    with pytest.raises(ValueError, match=r"X has 1 document\(s\) and 2 words, the model 1 document\(s\) and 5 words"):
        from_sklearn(sklearn_model, [[1, 2]])
    with pytest.raises(TypeError, match=r"takes a fitted LatentDirichletAllocation; .* has no components_"):
        from_sklearn(LatentDirichletAllocation(3))
    with pytest.raises(TypeError, match=r"not a Corpus: give corpus\.counts"):
        from_sklearn(sklearn_model, jaxlda.Corpus.from_counts(X, WORDS))


def test_names_are_public():
    names = [
        "from_gensim",
        "from_lda",
        "from_multilabel",
        "from_sklearn",
        "from_tomotopy",
        "read_mallet_state",
        "read_warplda",
    ]
    assert set(names) <= set(dir(jaxlda.io)) and all(callable(getattr(jaxlda.io, name)) for name in names)
    with pytest.raises(AttributeError, match="has no attribute 'read_everything'"):
        _ = jaxlda.io.read_everything
