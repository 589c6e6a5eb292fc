"""Documents seen through their topics: probabilities against soft counts, neighbours against plain loops."""

import math

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.topics import documents, tokens

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module", params=["cgs", "cvb0"])
def run(request):
    corpus = jaxlda.datasets.simulate(12, 3, 15, 8, seed=3)[0]
    counts = corpus.counts.toarray()
    counts[4] = 0  # an empty document in the middle
    data = jaxlda.Corpus.from_counts(counts).data(3)
    algorithm = jaxlda.kernels.KERNELS[request.param]()
    return jaxlda.run(jax.random.key(0), algorithm, data, num_warmup=4, num_samples=1, thinning=1)


class TestTokens:
    def test_probabilities_add_up_to_soft_counts(self, run):
        sample = run.chain(0)
        rows = [tokens.token_probabilities(sample, run.data, d) for d in range(12)]
        sums = np.stack([row.sum(axis=0) for row in rows])
        if sample.z is None:  # responsibilities: close to the counts they were made of, at a fixed point
            np.testing.assert_allclose(sums.sum(axis=1), np.asarray(run.data.tokens.n_d), atol=1e-5)
        else:
            np.testing.assert_allclose(sums, jaxlda.estimators.soften(sample, run.data).n_dk, atol=1e-4)
        assert rows[4].shape == (0, 3)

    def test_hard_tokens_have_the_topics_that_were_drawn(self, run):
        sample, vocab = run.chain(0), np.array([f"w{v}" for v in range(15)])
        tables = [tokens.token_table(sample, run.data, vocab, d) for d in range(12)]
        words = [word for table in tables for word in table.word]
        assert words == vocab[np.asarray(run.data.tokens.w)].tolist()
        if sample.z is not None:
            assert [k for table in tables for k in table.topic] == np.asarray(sample.z).tolist()
            assert all((table.probability == 1).all() for table in tables)

    def test_soft_tokens_have_the_most_probable_topic(self, run):
        sample, vocab = run.chain(0), np.array([f"w{v}" for v in range(15)])
        table = tokens.token_table(sample, run.data, vocab, 2, soft=True)
        p = tokens.token_probabilities(sample, run.data, 2)
        assert table.probability.tolist() == p.max(axis=1).tolist()
        assert table.topic.tolist() == p.argmax(axis=1).tolist()
        assert table.probability.lt(1).all()

    @pytest.mark.parametrize("document", [-1, 12])
    def test_unknown_document(self, run, document):
        with pytest.raises(IndexError, match=f"document {document} does not exist: the corpus has 12 documents"):
            tokens.token_probabilities(run.chain(0), run.data, document)

    def test_fixed_topics(self):
        phi = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], np.float32)
        data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(phi=phi)
        for kernel in ("cgs", "cvb0"):
            run = jaxlda.run(jax.random.key(0), jaxlda.kernels.KERNELS[kernel](), data, num_warmup=2)
            assert tokens.token_probabilities(run.chain(0), data, 1)[-1, 1] > 0.5


class TestNearest:
    def test_against_the_definition(self):
        theta = np.random.default_rng(0).dirichlet(np.ones(4), size=20)
        table = documents.nearest_documents(theta, 7, n=5)

        def hellinger(a, b):
            return math.sqrt(sum((math.sqrt(x) - math.sqrt(y)) ** 2 for x, y in zip(a, b, strict=True)) / 2)

        expected = sorted((hellinger(theta[7], theta[d]), d) for d in range(20) if d != 7)[:5]
        assert table.document.tolist() == [d for _, d in expected]
        np.testing.assert_allclose(table.distance, [h for h, _ in expected])

    def test_rounding_gives_no_nan(self):
        theta = np.full((3, 7), 1 / 7, np.float32)
        np.testing.assert_allclose(documents.nearest_documents(theta, 0).distance, 0, atol=1e-3)

    def test_empty_documents_have_no_neighbours_and_are_none(self):
        theta = np.array([[0.5, 0.5], [0.5, 0.5], [0.9, 0.1]])
        n_d = np.array([3, 0, 2])
        assert documents.nearest_documents(theta, 0, n_d=n_d).document.tolist() == [2]
        assert len(documents.nearest_documents(theta, 1, n_d=n_d)) == 0

    def test_only_document(self):
        assert len(documents.nearest_documents(np.ones((1, 2)), 0)) == 0


class TestFind:
    corpus = jaxlda.Corpus.from_texts(
        ["oil oil rises", "gold falls", "oil prices", "Iran Élan"],
        titles=["a", HOSTILE, "Gold and oil", "ÉLAN"],
        lowercase=False,
    )

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("oil", [2, 0]),  # a title counts more than words
            ("oil pri", [2]),  # all of them, beginnings too
            ("GOLD", [2, 1]),
            ("script", [1]),
            ("élan", [3]),
            ("iran", [3]),
            ("silver", []),
            ("  ", []),
            ("[", []),  # no pattern
        ],
    )
    def test_finds(self, text, found):
        assert documents.find_documents(self.corpus, text).document.tolist() == found

    def test_as_many_as_asked(self):
        assert documents.find_documents(self.corpus, "oil", n=1).document.tolist() == [2]

    def test_without_titles(self):
        corpus = jaxlda.Corpus.from_texts(["oil", "gold"])
        assert documents.find_documents(corpus, "oil").values.tolist() == [[0, "", 1]]
