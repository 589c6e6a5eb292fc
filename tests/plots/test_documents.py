"""Documents seen through their topics: probabilities against soft counts, neighbours against plain loops."""

import math
from html.parser import HTMLParser

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.plots import documents

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module", params=["cgs", "cvb0"])
def run(request):
    corpus = jaxlda.datasets.simulate(12, 3, 15, 8, seed=3)[0]
    counts = corpus.counts.toarray()
    counts[4] = 0  # an empty document in the middle
    data = jaxlda.Corpus.from_counts(counts).data(3)
    algorithm = jaxlda.kernels.KERNELS[request.param]()
    return jaxlda.run(jax.random.key(0), algorithm, data, num_warmup=4, num_samples=1, thinning=1)


class Texts(HTMLParser):
    """The elements and the texts of a page, as a browser would read them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts, self.titles = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.titles += [value for name, value in attrs if name == "title"]

    def handle_data(self, data):
        self.texts.append(data)


class TestTokens:
    def test_probabilities_add_up_to_soft_counts(self, run):
        sample = run.chain(0)
        rows = [documents.token_probabilities(sample, run.data, d) for d in range(12)]
        sums = np.stack([row.sum(axis=0) for row in rows])
        if sample.z is None:  # responsibilities: close to the counts they were made of, at a fixed point
            np.testing.assert_allclose(sums.sum(axis=1), np.asarray(run.data.tokens.n_d), atol=1e-5)
        else:
            np.testing.assert_allclose(sums, jaxlda.estimators.soften(sample, run.data).n_dk, atol=1e-4)
        assert rows[4].shape == (0, 3)

    def test_hard_tokens_have_the_topics_that_were_drawn(self, run):
        sample, vocab = run.chain(0), np.array([f"w{v}" for v in range(15)])
        tables = [documents.token_table(sample, run.data, vocab, d) for d in range(12)]
        words = [word for table in tables for word in table.word]
        assert words == vocab[np.asarray(run.data.tokens.w)].tolist()
        if sample.z is not None:
            assert [k for table in tables for k in table.topic] == np.asarray(sample.z).tolist()
            assert all((table.probability == 1).all() for table in tables)

    def test_soft_tokens_have_the_most_probable_topic(self, run):
        sample, vocab = run.chain(0), np.array([f"w{v}" for v in range(15)])
        table = documents.token_table(sample, run.data, vocab, 2, soft=True)
        p = documents.token_probabilities(sample, run.data, 2)
        assert table.probability.tolist() == p.max(axis=1).tolist()
        assert table.topic.tolist() == p.argmax(axis=1).tolist()
        assert table.probability.lt(1).all()

    @pytest.mark.parametrize("document", [-1, 12])
    def test_unknown_document(self, run, document):
        with pytest.raises(IndexError, match=f"document {document} does not exist: the corpus has 12 documents"):
            documents.token_probabilities(run.chain(0), run.data, document)

    def test_fixed_topics(self):
        phi = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], np.float32)
        data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(phi=phi)
        for kernel in ("cgs", "cvb0"):
            run = jaxlda.run(jax.random.key(0), jaxlda.kernels.KERNELS[kernel](), data, num_warmup=2)
            assert documents.token_probabilities(run.chain(0), data, 1)[-1, 1] > 0.5


class TestHTML:
    def test_whatever_words_are_they_are_text(self):
        table = {"word": [HOSTILE, 'a" onmouseover="x'], "topic": [0, 1], "probability": [1.0, 0.25]}
        page = Texts(documents.tokens_as_html(table, names=[HOSTILE, "b"]))
        assert set(page.tags) == {"p", "span", "sub"}
        assert HOSTILE in page.texts and 'a" onmouseover="x' in page.texts
        assert page.titles == [f"topic 0: 1.00 · {HOSTILE}", "topic 1: 0.25 · b"]

    def test_opacity_colour_and_choice(self):
        table = {"word": ["a", "b", "c"], "topic": [5, 2, 5], "probability": [1.0, 0.5, 0.25]}
        page = documents.tokens_as_html(table, chosen=2)
        assert "#4477aa80" in page and "#ee667740" in page and "#4477aa20" in page
        assert page.count("underline") == 1

    def test_more_topics_than_colours(self):
        topics = np.repeat(np.arange(9), 9 - np.arange(9))
        colors = documents.topic_colors(topics)
        assert list(colors) == [0, 1, 2, 3, 4, 5] and len(set(colors.values())) == 6
        page = documents.tokens_as_html({"word": ["x"] * 45, "topic": topics, "probability": np.ones(45)})
        assert page.count("#bbbbbb80") == 3 + 2 + 1

    def test_long_and_empty_documents(self):
        long = {"word": ["x"] * 30, "topic": np.zeros(30, int), "probability": np.ones(30)}
        page = documents.tokens_as_html(long, most=10)
        assert page.count("<span") == 10 and "… and 20 more" in page
        empty = {"word": [], "topic": np.empty(0, int), "probability": []}
        assert documents.tokens_as_html(empty) == '<p class="tokens"></p>'


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
