"""What corpora do: tokens, data, splits, halves, subsets and changes of vocabulary."""

import pickle
import warnings

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.priors import make
from jaxlda.types import Priors
from tests.simulated import assert_canonical, matrices, small

# ------------------------------------------------------------------------------------------------------ tokens and data


@given(matrices())
def test_tokens_are_the_counts_in_order(dense):
    tokens = Corpus.from_counts(dense).tokens()
    assert all(array.dtype == jnp.int32 for array in tokens)
    w, d, m, n_d = map(np.asarray, tokens)
    again = np.zeros_like(dense)
    np.add.at(again, (d, w), m)
    np.testing.assert_array_equal(again, dense)
    assert (m == 1).all() and w.shape == d.shape == m.shape == (dense.sum(),)
    assert (np.diff(d * dense.shape[1] + w) >= 0).all()
    np.testing.assert_array_equal(n_d, dense.sum(axis=1))


def test_tokens_stay_when_the_corpus_is_tampered_with():
    corpus = small()
    tokens = corpus.tokens()
    corpus.counts.data[:] = 9
    assert tokens.n_d.tolist() == [3, 0, 4] and tokens.w.tolist() == [0, 0, 2, 1, 1, 1, 2]


def test_a_large_corpus_converts():
    rng = np.random.default_rng(0)
    D, V, N = 11_000, 30_000, 1_300_000
    pairs = (np.ones(N, np.int32), (rng.integers(D, size=N), rng.integers(V, size=N)))
    corpus = Corpus.from_counts(sparse.coo_array(pairs, shape=(D, V)))
    assert corpus.tokens().w.shape == (N,)
    observed, held = corpus.halves()
    assert observed.num_tokens + held.num_tokens == N


def test_data_has_the_priors_of_the_corpus():
    data = small().data(num_topics=4)
    assert data.phi is None
    np.testing.assert_allclose(data.priors.alpha, np.full(4, 0.1), rtol=1e-6)
    np.testing.assert_allclose(data.priors.beta, np.full(3, 0.01), rtol=1e-6)
    assert data.tokens.w.tolist() == small().tokens().w.tolist()


PHI = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])


@pytest.mark.parametrize(
    "options",
    [
        {"num_topics": 2},
        {"num_topics": np.int64(2).item(), "phi": PHI},
        {"phi": PHI},
        {"phi": jnp.asarray(PHI), "alpha": [0.3, 0.4]},
        {"alpha": [0.3, 0.4]},
        {"alpha": np.ones((3, 2))},
        {"beta": np.ones((2, 3))},
        {"priors": make(2, 3, 3)},
        {"priors": Priors(jnp.ones((3, 2)), jnp.ones((2, 3))), "phi": PHI},
    ],
)
def test_the_number_of_topics_follows_from_what_is_given(options):
    data = small().data(**options)
    assert data.priors.alpha.shape[-1] == 2
    if "phi" in options:
        np.testing.assert_array_equal(data.phi, PHI)
        assert data.phi.dtype == jnp.float32
    if "priors" in options:
        for made, given_prior in zip(data.priors, options["priors"], strict=True):
            np.testing.assert_array_equal(made, given_prior)


def test_data_does_not_share_memory_with_the_caller():
    phi, alpha = PHI.astype(np.float32), np.ones((3, 2), np.float32)
    data = small().data(phi=phi, alpha=alpha)
    phi[:], alpha[:] = 7, 7
    np.testing.assert_array_equal(data.phi, PHI)
    np.testing.assert_array_equal(data.priors.alpha, np.ones((3, 2)))


@pytest.mark.parametrize(
    "options, message",
    [
        ({}, "give num_topics, or phi, or priors"),
        ({"num_topics": 0}, "num_topics must be at least 1; got 0"),
        ({"num_topics": 3, "phi": PHI}, "num_topics says 3, phi says 2"),
        ({"num_topics": 3, "priors": make(2, 3, 3)}, "num_topics says 3, alpha says 2"),
        ({"alpha": [1, 1], "beta": np.ones((3, 3))}, "alpha says 2, beta says 3"),
        ({"priors": make(2, 3, 3), "alpha": 0.5}, "either priors, or alpha and beta"),
        ({"priors": make(2, 3, 3), "beta": 0.5}, "either priors, or alpha and beta"),
        ({"priors": make(2, 3, 4)}, r"beta has shape \(4,\); expected .*\(V,\) = \(3,\)"),
        ({"priors": Priors(jnp.ones((4, 2)), jnp.ones(3))}, r"alpha has shape \(4, 2\)"),
        ({"num_topics": 2, "alpha": np.diag([1, 0, 1])[:, :2]}, "document 2"),
        ({"num_topics": 2, "phi": np.ones(3)}, r"phi has shape \(3,\); expected \(K, V\) = \(2, 3\)"),
        ({"phi": PHI[:, :2]}, r"phi has shape \(2, 2\); expected \(K, V\) = \(2, 3\)"),
        ({"phi": PHI * np.nan}, "phi must be finite"),
        ({"phi": [[1.5, -0.5, 0], [1, 0, 0]]}, "not negative"),
        ({"phi": [[0.5, 0.5, 0], [0.5, 0.5, 0.5]]}, r"phi\[1\] sums to 1\.5, not 1"),
        ({"phi": [[0.5, 0.5, 0], [0.5, 0.5, 0]]}, "1 word.* such as 'c', have probability 0 under every topic"),
    ],
)
def test_contradictions_of_data(options, message):
    with pytest.raises(ValueError, match=message):
        small().data(**options)


def test_an_empty_document_may_forbid_every_topic():
    assert small().data(alpha=np.array([[1.0, 0], [0, 0], [0, 1]])).priors.alpha.shape == (3, 2)


def test_a_word_impossible_under_phi_may_be_in_the_vocabulary_if_no_document_uses_it():
    corpus = Corpus.from_counts([[1, 1, 0]])
    assert corpus.data(phi=[[0.5, 0.5, 0.0]]).phi.shape == (1, 3)


# ------------------------------------------------------------------------------------------------ split, halves, subset


@given(matrices(), st.integers(0, 5), st.floats(0.01, 0.99))
def test_split_partitions_the_documents(dense, seed, share):
    corpus = Corpus.from_counts(dense, titles=[str(d) for d in range(len(dense))])
    D = len(dense)
    if not 0 < np.ceil(round(share * D, 6)) < D:
        with pytest.raises(ValueError, match="one side"):
            corpus.split(share, seed)
        return
    parts = corpus.split(share, seed)
    rows = [[int(title) for title in part.titles] for part in parts]
    assert sorted(rows[0] + rows[1]) == list(range(D)) and all(row == sorted(row) for row in rows)
    assert len(parts[1]) == np.ceil(round(share * D, 6))
    for part, row in zip(parts, rows, strict=True):
        np.testing.assert_array_equal(part.counts.toarray(), dense[row])
    again = corpus.split(share, seed)
    assert [part.titles for part in again] == [part.titles for part in parts]


def test_split_sizes_and_seeds():
    corpus = Corpus.from_counts(np.ones((30, 1)), titles=[str(d) for d in range(30)])
    assert [len(part) for part in corpus.split(7)] == [23, 7]
    assert [len(part) for part in corpus.split()] == [24, 6]
    hundred = Corpus.from_counts(np.ones((100, 1)))
    assert [len(part) for part in hundred.split(0.07)] == [93, 7]  # 0.07 * 100 is just above 7 in floating point
    assert corpus.split(seed=0)[1].titles != corpus.split(seed=1)[1].titles


@pytest.mark.parametrize("size", [0, 3, -1, 0.0, 1.0, 1.5, float("nan"), True, 0.9])
def test_wrong_split_sizes(size):
    with pytest.raises(ValueError, match=r"test_size = .* leaves one side of the 3 document\(s\) empty"):
        small().split(size)


@given(matrices(), st.integers(0, 3))
def test_halves_add_up(dense, seed):
    corpus = Corpus.from_counts(dense, titles=["t"] * len(dense), labels=np.ones((len(dense), 1)))
    observed, held = corpus.halves(seed)
    for half in (observed, held):
        assert_canonical(half.counts)
        assert half.titles == corpus.titles and half.vocab is corpus.vocab and half.labels is corpus.labels
        half.tokens()
    np.testing.assert_array_equal((observed.counts + held.counts).toarray(), dense)
    np.testing.assert_array_equal(observed.n_d, dense.sum(axis=1) // 2)
    np.testing.assert_array_equal(corpus.counts.toarray(), dense)
    np.testing.assert_array_equal(corpus.halves(seed)[0].counts.toarray(), observed.counts.toarray())


def test_halves_are_drawn_at_random_for_each_document():
    # Of 2 tokens drawn from {a, a, a, b, b}, the number of a is hypergeometric: 0, 1, 2 with .1, .6, .3. The largest
    # of three normal deviations stays below 5 but for one seed in 1.7 million; the seed is fixed.
    D = 20_000
    observed, _ = Corpus.from_counts(np.tile([3, 2], (D, 1))).halves(seed=1)
    a = observed.counts.toarray()[:, 0]
    p = np.array([0.1, 0.6, 0.3])
    deviation = (np.bincount(a, minlength=3) - D * p) / np.sqrt(D * p * (1 - p))
    assert np.abs(deviation).max() < 5
    assert abs(np.corrcoef(a[:-1], a[1:])[0, 1]) < 5 / np.sqrt(D)  # neighbours are independent
    other, _ = Corpus.from_counts(np.tile([3, 2], (D, 1))).halves(seed=2)
    assert (other.counts != observed.counts).nnz > D / 4


@given(matrices(), st.data())
def test_subset_takes_titles_and_labels_along(dense, data):
    D = len(dense)
    indicators = data.draw(hnp.arrays(bool, (D, 3)))
    rows = data.draw(
        st.lists(st.integers(-D, D - 1), min_size=1)
        | hnp.arrays(bool, D).filter(np.any)
        | hnp.arrays(bool, D).filter(np.any).map(list)
        | st.slices(D).filter(lambda s: len(range(D)[s]) > 0)
    )
    corpus = Corpus.from_counts(dense, labels=indicators, titles=[str(d) for d in range(D)])
    part = corpus.subset(rows)
    index = np.arange(D)[rows]
    assert_canonical(part.counts)
    np.testing.assert_array_equal(part.counts.toarray(), dense[index])
    np.testing.assert_array_equal(part.labels.toarray(), indicators[index])
    assert part.titles == tuple(str(d) for d in index)
    assert part.vocab.tolist() == corpus.vocab.tolist() and part.label_names.tolist() == corpus.label_names.tolist()
    np.testing.assert_array_equal(part.n_d, dense[index].sum(axis=1))


def test_subset_of_one_and_of_small_unsigned_indices():
    corpus = small(titles=["x", "y", "z"])
    assert corpus.subset(2).titles == ("z",)
    assert corpus.subset(np.array([2, 2, 0], np.uint8)).titles == ("z", "z", "x")
    many = Corpus.from_counts(np.arange(1, 301)[:, None])  # more documents than the type of the indices can count
    assert many.subset(np.array([255, 3], np.uint8)).n_d.tolist() == [256, 4]
    assert corpus.subset([1]).num_tokens == 0  # only an empty document: fine, once the corpus exists


@pytest.mark.parametrize(
    "rows, error, message",
    [
        ([], ValueError, "no documents are selected"),
        (slice(3, None), ValueError, "no documents are selected"),
        ([False, False, False], ValueError, "no documents are selected"),
        ([True, False], ValueError, r"the mask has shape \(2,\); .* 3 documents"),
        ([0, 3], IndexError, "document 3 does not exist: the corpus has 3"),
        ([-4], IndexError, "document -4 does not exist"),
        ([0.0], TypeError, "integers, a slice or a mask; got an array of float64"),
        ([[0, 1]], TypeError, r"int64 \(1, 2\)"),
        (["x"], TypeError, "integers, a slice or a mask"),
    ],
)
def test_wrong_subsets(rows, error, message):
    with pytest.raises(error, match=message):
        small().subset(rows)


# --------------------------------------------------------------------------------------------------------- select_words


@given(matrices(), st.permutations(list(range(9))), st.integers(1, 9))
def test_select_words_follows_the_names(dense, order, size):
    corpus = Corpus.from_counts(dense, titles=["t"] * len(dense))
    vocab = [f"w{v}" for v in order[:size]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mapped = corpus.select_words(vocab)
    wide = np.zeros((len(dense), 9), int)
    wide[:, : dense.shape[1]] = dense
    assert_canonical(mapped.counts)
    np.testing.assert_array_equal(mapped.counts.toarray(), wide[:, order[:size]])
    assert mapped.vocab.tolist() == vocab and mapped.titles == corpus.titles
    lost = corpus.num_tokens - mapped.num_tokens
    assert len(caught) == (lost > 0)
    if lost:
        words = int((wide[:, order[size:]].sum(axis=0) > 0).sum())
        assert f"dropped {lost} of {corpus.num_tokens} tokens: {words} word(s)" in str(caught[0].message)


def test_select_words_of_the_same_vocabulary_is_the_same_corpus():
    corpus = small()
    assert corpus.select_words(["a", "b", "c"]) is corpus
    with pytest.raises(ValueError, match="more than once"):
        corpus.select_words(["a", "a"])
    with pytest.warns(UserWarning, match="dropped 7 of 7 tokens: 3 word"):
        assert corpus.select_words(["z"]).num_tokens == 0


# --------------------------------------------------------------------------------------------------------------- object


def test_repr_is_short():
    assert repr(small()) == "Corpus(3 documents, 3 words, 7 tokens)"
    assert repr(Corpus.from_counts([[1]], labels=[["x"]])) == "Corpus(1 document, 1 word, 1 token, 1 label)"
    assert repr(Corpus.from_counts([[1234]])) == "Corpus(1 document, 1 word, 1,234 tokens)"


def test_fields_cannot_be_replaced():
    with pytest.raises(AttributeError):
        small().counts = None


def test_pickling():
    corpus = pickle.loads(pickle.dumps(small(titles=["x", "y", "z"], labels=[["p"], [], ["q"]])))
    assert repr(corpus) == "Corpus(3 documents, 3 words, 7 tokens, 2 labels)" and corpus.titles == ("x", "y", "z")


def test_one_word_documents():
    corpus = Corpus.from_counts(np.eye(3))
    observed, held = corpus.halves()
    assert observed.num_tokens == 0 and held.num_tokens == 3
    assert observed.tokens().w.shape == (0,) and observed.data(2).tokens.n_d.tolist() == [0, 0, 0]


def test_the_default_split_of_ap_is_the_published_one(data_file):
    with np.load(data_file("ap_blei.npz"), allow_pickle=False) as f, np.load(data_file("ap_halves_seed2017.npz")) as h:
        indices, indptr = f["X_indices"].astype(np.int32), f["X_indptr"]
        x = sparse.csr_array((f["X_data"].astype(np.int32), indices, indptr), shape=tuple(f["shape"].tolist()))
        n_obs, n_held = np.diff(h["obs_ptr"]), np.diff(h["held_ptr"])
    _, test = Corpus.from_counts(x).split()
    np.testing.assert_array_equal(test.n_d, n_obs + n_held)
    np.testing.assert_array_equal(test.halves()[0].n_d, n_obs)


def test_words_must_be_possible_in_their_document():
    """Every word has a topic, but the second document does not allow the one of its word."""
    corpus = Corpus.from_counts([[1, 1], [0, 2]], ["a", "b"])
    phi = np.eye(2)
    assert corpus.data(phi=phi, alpha=[[0.1, 0.1], [0.0, 0.1]]).phi is not None
    with pytest.raises(ValueError, match="the word 'b' of document 1 has probability 0 under every topic that alpha"):
        corpus.data(phi=phi, alpha=[[0.1, 0.1], [0.1, 0.0]])


def test_counts_of_texts_do_not_overflow():
    assert Corpus.from_texts(["aa " * 300], dtype=np.int8).n_d.tolist() == [300]


def test_more_documents_asked_for_than_there_are():
    with pytest.raises(ValueError, match=r"no words are left.*min_df"):
        Corpus.from_texts(["aa", "bb"], min_df=5)


def test_a_corpus_is_indexed_as_a_matrix_of_documents():
    """As scikit-learn's splits do, by rows; for anything else it has no meaning."""
    corpus = Corpus.from_counts([[1, 0], [0, 2], [3, 0]], titles=["a", "b", "c"])
    assert corpus.shape == (3, 2)
    assert corpus[1:].titles == corpus[[1, 2]].titles == corpus[np.array([1, 2]), ...].titles == ("b", "c")
    assert corpus[-1].titles == ("c",) and corpus[np.array([True, False, False])].titles == ("a",)
    with pytest.raises(IndexError, match="document 3 does not exist"):
        corpus[3]
    with pytest.raises(TypeError, match="not iterable"):
        list(corpus)
    with pytest.raises(TypeError):
        np.asarray(corpus)
