"""Inference with known topics and document completion, against enumeration and sums written out by hand."""

import jax
import numpy as np
import pytest
from scipy import sparse

import jaxlda
from jaxlda import evaluation
from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation import inference
from jaxlda.kernels import KERNELS
from tests import reference
from tests.tiers import mostly_slow

PHI = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
ONE = {"num_samples": 1, "num_chains": 1}
SHORT = {"num_warmup": 5, "num_samples": 2, "num_chains": 2}
# At most sixteen documents and tokens: what is compiled for one of these corpora serves them all.
FEW = Corpus.from_counts([[4, 0, 1], [0, 0, 0], [1, 2, 0], [0, 1, 4]])


@pytest.fixture(scope="module")
def bars():
    corpus, truth = jaxlda.datasets.bars(num_docs=40, size=3, doc_length=40, alpha=0.3)
    return corpus.halves(seed=1), truth


class TestInference:
    def test_samples_the_exact_posterior_of_theta(self):
        """Copies of one document are independent: their mean is within 5 standard errors of the truth.

        False alarms: two correlated comparisons at 6e-7.
        """
        copies, document, alpha = 3000, [2, 1, 2], np.array([0.5, 1.0])
        corpus = Corpus.from_counts(np.tile(document, (copies, 1)))
        p = reference.problem(Corpus.from_counts([document]).data(alpha=alpha, phi=PHI))
        truth = reference.theta(reference.mean_n_dk(reference.enumerate_posterior(p), p), p)[0]
        result = evaluation.infer_theta(PHI, alpha, corpus, num_warmup=20, **ONE)
        for theta in result[:2]:
            error = theta[:, 0].std() / np.sqrt(copies)
            assert abs(theta[:, 0].mean() - truth[0]) < 5 * error < 0.05
        # The soft estimate is the mean of the hard one over what the next draw may be: less noise, same mean.
        assert result.theta_p[:, 0].std() < 0.8 * result.theta[:, 0].std()

    @pytest.mark.parametrize("kernel", mostly_slow(KERNELS, "cgs", hours=lambda kernel: kernel not in ("cvb0", "pcgs")))
    def test_rows_are_distributions_and_empty_documents_have_the_prior(self, kernel):
        alpha = np.array([0.2, 0.6])
        result = evaluation.infer_theta(PHI, alpha, FEW, kernel=kernel, **SHORT)
        for theta in (result.theta, result.best):
            assert theta.shape == (4, 2) and theta.dtype == np.float32
            np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-6)
            np.testing.assert_allclose(theta[1], [0.25, 0.75], rtol=1e-6)

    @pytest.mark.parametrize("kernel", mostly_slow(KERNELS, "cgs", hours=lambda kernel: kernel != "cvb0"))
    def test_nothing_but_empty_documents(self, kernel):
        corpus = Corpus(sparse.csr_array((2, 3), dtype=np.int32), np.array(["a", "b", "c"]))
        result = evaluation.infer_theta(PHI, [0.2, 0.6], corpus, kernel=kernel, **SHORT)
        np.testing.assert_allclose(result.theta, [[0.25, 0.75]] * 2, rtol=1e-6)

    @pytest.mark.slow
    def test_soft_kernels_have_no_theta_p(self):
        result = evaluation.infer_theta(PHI, 0.5, FEW, kernel="cvb0", **SHORT)
        assert result.theta_p is None and result.best is result.theta

    def test_is_the_run_of_its_seed(self):
        data = FEW.data(alpha=0.5, phi=PHI)
        key = jax.random.fold_in(jax.random.key(3), inference._STREAM)
        plain = jaxlda.run(key, jaxlda.kernels.cgs(), data, trace_every=0, thinning=5, **SHORT)
        result = evaluation.infer_theta(PHI, 0.5, FEW, seed=3, **SHORT)
        np.testing.assert_array_equal(result.theta, jaxlda.estimators.theta(plain.counts(), data))
        np.testing.assert_allclose(result.theta_p, jaxlda.estimators.theta(plain.counts(soft=True), data), rtol=1e-5)

    @pytest.mark.slow
    def test_a_document_may_forbid_topics(self):
        alpha = [[0.5, 0.0], [0.5, 0.5]]
        result = evaluation.infer_theta(PHI, alpha, Corpus.from_counts([[1, 1, 3], [1, 1, 3]]), **SHORT)
        for theta in result[:2]:
            np.testing.assert_array_equal(theta[0], [1, 0])
            assert 0 < theta[1, 0] < 1

    def test_the_seed_decides(self):
        one, same, other = (evaluation.infer_theta(PHI, 0.5, FEW, seed=seed, **SHORT).theta_p for seed in (1, 1, 2))
        np.testing.assert_array_equal(one, same)
        assert (one != other).any()

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"kernel": "gibs"}, ValueError, "no kernel 'gibs'; known are 'cgs', "),
            ({"kernel": 3}, TypeError, "a name or an Algorithm"),
            ({"num_warmup": -1}, ValueError, "num_warmup must not be negative; got -1"),
            ({"num_warmup": 1.5}, TypeError, "num_warmup must be an integer; got 1.5"),
            ({"num_samples": 0}, ValueError, "num_samples must be at least 1; got 0"),
            ({"thinning": 0}, ValueError, "thinning must be at least 1"),
            ({"num_chains": 0}, ValueError, "num_chains must be at least 1"),
            ({"seed": 2**32}, ValueError, r"seed must be below 2\*\*32"),
            ({"seed": True}, TypeError, "seed must be an integer"),
        ],
    )
    def test_wrong_options_are_told(self, options, error, message):
        # Bypassing the check of types by tests, which users do not have.
        infer = getattr(evaluation.infer_theta, "__wrapped__", evaluation.infer_theta)
        with pytest.raises(error, match=message):
            infer(PHI, 0.5, FEW, **options)

    @pytest.mark.parametrize("alpha", [0.5, [[0.5, 0.1], [0.2, 0.2], [0.9, 0.3], [0.4, 0.4]]], ids=["one", "each"])
    @pytest.mark.hours
    def test_parts_of_the_documents_are_the_same_documents(self, monkeypatch, alpha):
        """CVB0 ends where it ends, whatever its random start: in one go, or in parts that a small memory allows."""
        corpus = Corpus.from_counts([[3, 1, 2], [0, 0, 0], [1, 4, 0], [0, 1, 1]])
        options = {"kernel": "cvb0", "num_warmup": 200, "num_samples": 1, "num_chains": 2}
        whole = evaluation.infer_theta(PHI, alpha, corpus, **options)
        monkeypatch.setattr(inference, "_LIMIT", 500)
        parts = inference._parts(KERNELS["cvb0"](), corpus.data(alpha=alpha, phi=PHI), 2)
        assert len(parts) > 1 and [d for part in parts for d in range(4)[part]] == [0, 1, 2, 3]
        pieces = evaluation.infer_theta(PHI, alpha, corpus, **options)
        np.testing.assert_allclose(pieces.theta, whole.theta, atol=1e-4)
        np.testing.assert_allclose(pieces.n_dk, whole.n_dk, atol=1e-3)
        assert pieces.theta_p is None


class TestCompletion:
    def test_equal_topics_are_a_sum_by_hand(self):
        """Whatever theta is, the answer is the mean of log phi over the tokens that were held out."""
        corpus = Corpus.from_counts([[3, 0, 2], [1, 0, 0], [0, 0, 0], [0, 4, 1]])
        observed, held = corpus.halves()
        assert held.n_d.tolist() == [3, 1, 0, 3]  # odd documents: the larger half
        phi = np.array([[0.5, 0.3, 0.2]] * 2)
        result = evaluation.document_completion(phi, 0.1, observed, held, **ONE)
        expected = held.counts.toarray() @ np.log(phi[0])
        for score in result:
            np.testing.assert_allclose(score.log_likelihood, expected, rtol=1e-6)
            assert score.num_tokens.tolist() == [3, 1, 0, 3]
            assert score.per_token == pytest.approx(expected.sum() / 7, rel=1e-6)
            assert score.perplexity == pytest.approx(np.exp(-expected.sum() / 7), rel=1e-6)

    def test_scores_the_held_half_with_theta_of_the_observed_one(self, bars):
        (observed, held), truth = bars
        result = evaluation.document_completion(truth.phi, 0.3, observed, held, seed=4, **SHORT)
        inferred = evaluation.infer_theta(truth.phi, 0.3, observed, seed=4, **SHORT)
        for score, theta in zip(result, inferred[:2], strict=True):
            expected = evaluation.log_likelihood_by_document(truth.phi, theta, held)
            np.testing.assert_array_equal(score.log_likelihood, expected)

    @pytest.mark.hours
    def test_theta_p_needs_fewer_samples(self, bars):
        """The paper's claim: far ahead with one sample, level with many (seed fixed)."""
        halves, truth = bars
        one = evaluation.document_completion(truth.phi, 0.3, *halves, **ONE)
        many = evaluation.document_completion(truth.phi, 0.3, *halves, num_chains=3, num_samples=20)
        assert one.theta_p.perplexity < 0.99 * one.theta.perplexity
        assert many.theta_p.perplexity == pytest.approx(many.theta.perplexity, rel=1e-3)
        assert many.theta.perplexity < one.theta_p.perplexity

    @pytest.mark.hours
    def test_soft_kernels_have_one_score(self, bars):
        halves, truth = bars
        result = evaluation.document_completion(truth.phi, 0.3, *halves, kernel="cvb0", **SHORT)
        assert result.theta_p is None and result.best is result.theta
        assert result.theta.perplexity < 9

    def test_table_reads_the_same_samples(self, bars):
        halves, truth = bars
        phis = {"true": truth.phi, "flat": np.full((6, 9), 1 / 9)}
        table = evaluation.completion_table(phis, 0.3, *halves, **SHORT)
        assert list(table) == [("true", "theta"), ("true", "theta_p"), ("flat", "theta"), ("flat", "theta_p")]
        alone = evaluation.document_completion(truth.phi, 0.3, *halves, **SHORT)
        assert table["true", "theta"].perplexity == alone.theta.perplexity
        assert table["true", "theta_p"].perplexity == alone.theta_p.perplexity
        assert table["flat", "theta"].perplexity == pytest.approx(9, rel=1e-5)

    def test_table_of_a_soft_kernel(self, bars):
        halves, truth = bars
        table = evaluation.completion_table({"phi": truth.phi}, 0.3, *halves, kernel="cvb0", **SHORT)
        assert list(table) == [("phi", "theta")]

    def test_wrong_halves_are_told(self, bars):
        (observed, held), truth = bars
        with pytest.raises(ValueError, match="the two halves of the same documents"):
            evaluation.document_completion(truth.phi, 0.3, observed, held.subset(range(5)))
        nothing = Corpus(sparse.csr_array(held.counts.shape, dtype=np.int32), held.vocab)
        with pytest.raises(ValueError, match="no tokens to score"):
            evaluation.document_completion(truth.phi, 0.3, observed, nothing)
