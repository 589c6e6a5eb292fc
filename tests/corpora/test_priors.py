"""Priors: every accepted form, and what every wrong one is told."""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

import jaxlda
from jaxlda import priors

K, D, V = 2, 3, 4


def test_symmetric():
    made = priors.symmetric(0.3, 5)
    assert isinstance(made, jax.Array) and made.dtype == jnp.float32 and made.shape == (5,)
    np.testing.assert_array_equal(made, np.full(5, 0.3, np.float32))


@pytest.mark.parametrize(
    "value, size, message",
    [
        (0, 3, "must be greater than 0; got 0"),
        (-1.0, 3, "must be greater than 0; got -1.0"),
        (1e-45, 3, "must be greater than 0"),
        (float("nan"), 3, "must be finite.*; got nan"),
        (1e39, 3, "must be finite in single precision; got inf"),
        (1.0, 0, "size must be at least 1; got 0"),
    ],
)
def test_wrong_symmetric(value, size, message):
    with pytest.raises(ValueError, match=message):
        priors.symmetric(value, size)


@pytest.mark.parametrize("alpha", [0.5, np.float64(0.5), jnp.float32(0.5), [0.5, 0.5], np.full(K, 0.5)])
@pytest.mark.parametrize("beta", [0.25, 1, [0.25] * V, np.full((K, V), 0.25)])
def test_every_form(alpha, beta):
    made = priors.make(K, D, V, alpha, beta)
    assert made.alpha.dtype == made.beta.dtype == jnp.float32
    assert isinstance(made.alpha, jax.Array) and isinstance(made.beta, jax.Array)
    np.testing.assert_array_equal(made.alpha, np.full(K, 0.5))
    np.testing.assert_array_equal(made.beta, np.broadcast_to(beta, (K, V) if np.ndim(beta) == 2 else (V,)))


def test_document_priors_may_forbid_topics():
    alpha = np.array([[1, 0], [0, 2], [3, 4]])
    np.testing.assert_array_equal(priors.make(K, D, V, alpha).alpha, alpha)


def test_square_shapes_are_not_confused():
    made = priors.make(3, 3, 3, [1, 2, 3], [4, 5, 6])
    assert made.alpha.tolist() == [1, 2, 3] and made.beta.tolist() == [4, 5, 6]
    rows = np.arange(1, 10).reshape(3, 3)
    made = priors.make(3, 3, 3, rows, rows)
    assert made.alpha.tolist() == made.beta.tolist() == rows.tolist()


@pytest.mark.parametrize(
    "alpha, beta, message",
    [
        (-0.5, 1, r"alpha must not be negative; got -0\.5$"),
        ([1, -2], 1, r"alpha must not be negative; got -2\.0 at index \[1\]"),
        ([[1, 1], [1, 1], [-3, 1]], 1, r"alpha must not be negative; got -3\.0 at index \[2, 0\]"),
        ([1, np.nan], 1, r"alpha must be finite.*; got nan at index \[1\]"),
        (np.inf, 1, "alpha must be finite"),
        (1e-40, 1, r"alpha must be 0 or at least 1\.2e-38"),
        (0, 1, "alpha is 0 for topic 0 in every document"),
        (1e38, 1, "alpha must be at most 1e"),
        (1, 1e38, "beta must be at most 1e"),
        ([1, 0], 1, "alpha is 0 for topic 1 in every document"),
        ([1, 1, 1], 1, r"alpha has shape \(3,\); expected a number, \(K,\) = \(2,\) or \(D, K\) = \(3, 2\)"),
        (np.ones((2, 3)), 1, r"alpha has shape \(2, 3\)"),
        (np.ones((1, 3, 2)), 1, r"alpha has shape \(1, 3, 2\)"),
        ([[1, 1], [0, 0], [0, 0]], 1, r"in 2 document\(s\) with tokens, the first being document 1.*without labels"),
        (1, 0, "beta must be positive.*impossible under every topic; got 0.0$"),
        (1, -1, "beta must be positive"),
        (1, 1e-40, "beta must be positive"),
        (1, [1, 1, 0, 1], r"beta must be positive.*; got 0\.0 at index \[2\]"),
        (1, np.nan, "beta must be finite"),
        (1, 1e39, "beta must be finite"),
        (1, [1, 1], r"beta has shape \(2,\); expected a number, \(V,\) = \(4,\) or \(K, V\) = \(2, 4\)"),
        (1, np.ones((4, 2)), r"beta has shape \(4, 2\)"),
    ],
)
def test_wrong_values_and_shapes(alpha, beta, message):
    with pytest.raises(ValueError, match=message):
        priors.make(K, D, V, alpha, beta)


@pytest.mark.parametrize("value", ["0.1x", None, {"a": 1}, [[1], [1, 2]]])
def test_what_is_no_number(value):
    with pytest.raises(TypeError, match="alpha must be a number or an array of numbers; got"):
        priors.make(K, D, V, value)
    with pytest.raises(TypeError, match="beta must be a number or an array of numbers; got"):
        priors.make(K, D, V, 1, value)


def test_empty_documents_need_no_topic():
    alpha = [[1, 1], [0, 0], [1, 1]]
    assert priors.make(K, D, V, alpha, n_d=[3, 0, 2]).alpha.tolist() == alpha
    with pytest.raises(ValueError, match="document 1"):
        priors.make(K, D, V, alpha, n_d=[3, 1, 2])


@pytest.mark.parametrize("sizes, name", [((0, 3, 4), "num_topics"), ((2, 0, 4), "D"), ((2, 3, -1), "V")])
def test_wrong_sizes(sizes, name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1"):
        priors.make(*sizes)


def test_positive_int():
    assert priors.positive_int(np.int64(3), "x") == 3
    with pytest.raises(TypeError, match=r"x must be an integer; got 2\.5"):
        priors.positive_int(2.5, "x")
    with pytest.raises(ValueError, match="x must be at least 1; got True"):
        priors.positive_int(True, "x")


def test_the_arrays_of_the_caller_are_copied():
    alpha = np.ones((D, K), np.float32)
    made = priors.make(K, D, V, alpha)
    alpha[:] = 7
    assert made.alpha.tolist() == [[1, 1]] * 3


@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)), st.sampled_from(["dense", "csr", "int"]))
def test_labeled_masks_the_prior(mask, form):
    D, K = mask.shape
    labels = {"dense": mask, "csr": sparse.csr_array(mask), "int": mask.astype(int).tolist()}[form]
    alpha = np.arange(1, K + 1)
    made = priors.labeled(alpha, labels)
    assert made.dtype == jnp.float32
    np.testing.assert_array_equal(made, alpha * mask)
    np.testing.assert_array_equal(priors.labeled(0.5, labels), 0.5 * mask)
    np.testing.assert_array_equal(priors.labeled(np.outer(np.arange(D), alpha), labels), np.arange(D)[:, None] * made)


@pytest.mark.parametrize(
    "alpha, labels, message",
    [
        (1, [True, False], r"documents x labels; got shape \(2,\)"),
        (1, [[0, 2]], "labels must be indicators"),
        (1, [[0.5, 1]], "labels must be indicators"),
        ([1, 1, 1], [[1, 0]], r"alpha has shape \(3,\); expected a number, \(K,\) = \(2,\)"),
        (-1, [[1, 0]], "alpha must not be negative"),
    ],
)
def test_wrong_labeled(alpha, labels, message):
    with pytest.raises(ValueError, match=message):
        priors.labeled(alpha, labels)


def test_a_document_without_labels_is_found_when_the_prior_is_made():
    alpha = priors.labeled(0.1, [[1, 0], [0, 0], [1, 1]])
    with pytest.raises(ValueError, match=r"document 1.*without labels"):
        priors.make(K, D, V, alpha)


class TestSeeded:
    VOCAB = np.array(["cat", "dog", "tax", "vote"])

    def test_boosts_the_seeds_only(self):
        made = priors.seeded(self.VOCAB, {2: ["vote", "cat", "cat"], 0: iter(["cat"]), 1: []}, 3, beta=0.1, boost=2)
        assert isinstance(made, jax.Array) and made.dtype == jnp.float32
        np.testing.assert_allclose(made, 0.1 + 2 * np.array([[1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]]), rtol=1e-6)
        np.testing.assert_array_equal(priors.make(3, D, V, beta=made).beta, made)

    def test_draws_its_words_to_its_topics(self):
        """Two blocks of words, either of which could be topic 0: the seeds decide, in each of eight chains."""
        counts = np.zeros((20, 6), int)
        counts[:10, :3], counts[10:, 3:] = 2, 2
        corpus = jaxlda.Corpus.from_counts(counts)
        for first, second in [("w0", "w5"), ("w5", "w0")]:
            beta = priors.seeded(corpus.vocab, {0: [first], 1: [second]}, 2)
            options = {"num_warmup": 30, "num_chains": 8, "trace_every": 0, "soft": False}
            run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(beta=beta), **options)
            mine = slice(0, 3) if first == "w0" else slice(3, 6)
            shares = np.asarray(run.sample.counts.n_vk)[:, mine, 0].sum(1) / 60
            assert shares.min() > 0.9, "topic 0 holds the words of its seed's block"

    @pytest.mark.parametrize(
        ("seeds", "options", "error", "message"),
        [
            ({0: ["cat", "cow", "ant"]}, {}, ValueError, "2 seed word.* of topic 0 are not .*: 'ant', 'cow'"),
            ({0: "cat"}, {}, TypeError, "seeds of topic 0 must be a list of words; got the string 'cat'"),
            ({2: ["cat"]}, {}, ValueError, "there is no topic 2 to seed: topics are 0 to 1"),
            ({-1: ["cat"]}, {}, ValueError, "there is no topic -1"),
            ({"animals": ["cat"]}, {}, TypeError, "by the number of their topic; got 'animals'"),
            ({0: ["cat"]}, {"boost": 0}, ValueError, "boost must be one number greater than 0; got 0"),
            ({0: ["cat"]}, {"beta": 0}, ValueError, "must be greater than 0"),
        ],
    )
    def test_wrong_seeds_are_told(self, seeds, options, error, message):
        with pytest.raises(error, match=message):
            priors.seeded(self.VOCAB, seeds, 2, **options)
