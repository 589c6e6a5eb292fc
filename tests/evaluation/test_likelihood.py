"""Log-likelihood and perplexity against sums written out by hand."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import evaluation
from jaxlda.corpora.corpus import Corpus
from jaxlda.types import Tokens
from tests import reference

RNG = np.random.default_rng(0)
CORPUS = Corpus.from_counts(np.vstack([RNG.poisson(1.0, (6, 8)), np.zeros((1, 8), int)]))
PHI = RNG.dirichlet(np.ones(8), 3)
THETA = RNG.dirichlet(np.ones(3), 7)


def test_is_equation_55():
    expected = reference.log_likelihood(PHI, THETA, reference.problem(CORPUS.data(3)))
    assert evaluation.log_likelihood(PHI, THETA, CORPUS) == pytest.approx(expected, rel=1e-6)


def test_by_document():
    terms = evaluation.log_likelihood_by_document(PHI, THETA, CORPUS)
    dense = CORPUS.counts.toarray()
    expected = [sum(n * math.log(THETA[d] @ PHI[:, v]) for v, n in enumerate(row)) for d, row in enumerate(dense)]
    np.testing.assert_allclose(terms, expected, rtol=1e-6)
    assert terms.dtype == np.float64 and terms[-1] == 0  # the last document is empty


def test_tokens_with_frequencies_and_padding_are_the_same_documents():
    coo = CORPUS.counts.tocoo()
    w, d, m = (np.append(x, last) for x, last in ((coo.col, 5), (coo.row, 6), (coo.data, 0)))
    pairs = Tokens(*map(jnp.asarray, (w, d, m, CORPUS.n_d)))
    expected = evaluation.log_likelihood_by_document(PHI, THETA, CORPUS.tokens())
    np.testing.assert_array_equal(expected, evaluation.log_likelihood_by_document(PHI, THETA, CORPUS))
    np.testing.assert_allclose(evaluation.log_likelihood_by_document(PHI, THETA, pairs), expected, rtol=1e-6)


def test_adds_up_in_double_precision():
    corpus = Corpus.from_counts(np.tile([[1, 0], [0, 1]], (5000, 1)))
    phi, theta = [[0.3, 0.7]], np.ones((10000, 1))
    expected = math.fsum(evaluation.log_likelihood_by_document(phi, theta, corpus))
    assert evaluation.log_likelihood(phi, theta, corpus) == pytest.approx(expected, rel=1e-12)


def test_an_impossible_word_has_infinite_perplexity():
    log_likelihood = evaluation.log_likelihood([[1.0, 0.0]], [[1.0]], Corpus.from_counts([[1, 1]]))
    assert log_likelihood == -np.inf
    assert evaluation.perplexity(log_likelihood, 2) == np.inf


def test_perplexity_of_a_fair_choice_is_the_number_of_words():
    V = 8
    log_likelihood = evaluation.log_likelihood(np.full((3, V), 1 / V), THETA, CORPUS)
    assert evaluation.perplexity(log_likelihood, CORPUS.num_tokens) == pytest.approx(V, rel=1e-6)


def test_perplexity_beyond_floating_point_is_infinite():
    assert evaluation.perplexity(-1000.0, 1) == np.inf


def test_nothing_to_score_is_told():
    with pytest.raises(ValueError, match="there are none to score"):
        evaluation.perplexity(0.0, 0)


@pytest.mark.parametrize(
    ("phi", "theta", "documents", "message"),
    [
        (PHI, THETA[:, :2], CORPUS, r"\(3, 8\) and theta \(7, 2\)"),
        (PHI[0], THETA, CORPUS, r"phi has shape \(8,\)"),
        (PHI, THETA[:5], CORPUS, "theta has 5 rows, but there are 7 documents"),
        (PHI[:, :7], THETA, CORPUS, "phi is about 7 words, but the documents have 8"),
        (PHI[:, :2], THETA, CORPUS.tokens(), "phi is about 2 words"),
    ],
)
def test_shapes_that_do_not_fit_are_told(phi, theta, documents, message):
    with pytest.raises(ValueError, match=message):
        evaluation.log_likelihood(phi, theta, documents)


@pytest.mark.parametrize(
    ("phi", "theta", "message"),
    [
        (2 * PHI, THETA, r"phi\[\d\] sums to 2, not 1; divide each row by its sum"),
        (PHI, THETA * 0.9, r"theta\[\d\] sums to 0.9, not 1; divide each row by its sum"),
        (np.where(PHI == PHI.max(), np.nan, PHI), THETA, "phi must be finite and not negative"),
        (PHI, THETA - 0.5, "theta must be finite and not negative: each row is a distribution over topics"),
    ],
)
@pytest.mark.parametrize("documents", [CORPUS, CORPUS.tokens()], ids=["corpus", "tokens"])
def test_refuses_what_is_no_distribution(phi, theta, message, documents):
    with pytest.raises(ValueError, match=message):
        evaluation.log_likelihood(phi, theta, documents)


def test_an_empty_document_may_allow_no_topic():
    theta = np.vstack([THETA[:-1], np.zeros(3)])
    assert evaluation.log_likelihood(PHI, theta, CORPUS) == evaluation.log_likelihood(PHI, THETA, CORPUS)
