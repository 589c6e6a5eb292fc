"""Rules and measures for several labels a document, against hand computations and the paper's printed figures."""

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse, stats

from jaxlda.evaluation.multilabel import (
    average_ranks,
    f_measures,
    indicator,
    ranking_measures,
    threshold,
    top_n,
    z_test,
)

SCORES = np.array([[0.1, 0.4, 0.4, 0.1], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25]])
PAIRS = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: st.tuples(hnp.arrays(bool, shape), hnp.arrays(bool, shape))
)

# ---------------------------------------------------------------------------------------------------------------- rules


def test_top_n_takes_the_best_and_of_equals_the_first():
    assert top_n(SCORES, 2).astype(int).tolist() == [[0, 1, 1, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    assert top_n(SCORES, [0, 4, 3]).sum(1).tolist() == [0, 4, 3]
    assert top_n(sparse.csr_array(SCORES), np.array([1, 1, 1], np.uint8)).astype(int).tolist() == [
        [0, 1, 0, 0],
        [1, 0, 0, 0],
        [1, 0, 0, 0],
    ]
    assert top_n([[-np.inf, np.inf]], 1).tolist() == [[False, True]]


@given(hnp.arrays(float, (4, 5), elements=st.floats(-3, 3)), hnp.arrays(np.int64, 4, elements=st.integers(0, 5)))
def test_top_n_leaves_nothing_better_out(scores, n):
    chosen = top_n(scores, n)
    assert chosen.sum(1).tolist() == n.tolist()
    for row, taken in zip(scores, chosen, strict=True):
        if 0 < taken.sum() < 5:
            assert row[taken].min() >= row[~taken].max()


def test_threshold():
    assert threshold(SCORES, 0.25).sum(1).tolist() == [2, 1, 4]
    assert threshold(SCORES, [0.2, 0.5, 0.1, 1.0]).astype(int).tolist() == [[0, 0, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0]]
    assert threshold(SCORES, 0.5, at_least=2).sum(1).tolist() == [2, 2, 2]
    assert threshold(SCORES, 0.5).sum() == 1


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: top_n(SCORES, 1.5), TypeError, "whole number"),
        (lambda: top_n(SCORES, [1, 2]), ValueError, r"n has shape \(2,\).* each of the 3 documents"),
        (lambda: top_n(SCORES, 5), ValueError, "between 0 and the number of labels, 4; got 5 to 5"),
        (lambda: top_n(SCORES, [-1, 0, 2]), ValueError, "got -1 to 2"),
        (lambda: top_n([0.5, 0.5], 1), ValueError, r"matrix of documents x labels; got shape \(2,\)"),
        (lambda: top_n([["a"]], 1), TypeError, "of numbers"),
        (lambda: top_n([[1, 2], [3]], 1), ValueError, "rows differ in length"),
        (lambda: top_n([[np.nan, 1]], 1), ValueError, "NaN"),
        (lambda: threshold(SCORES, [0.1, 0.2]), ValueError, r"t has shape \(2,\).* 4 labels"),
        (lambda: threshold(SCORES, np.nan), ValueError, "t must not be NaN"),
        (lambda: threshold(SCORES, 0.5, at_least=9), ValueError, "between 0 and the number of labels"),
        (lambda: average_ranks([1.0, 2.0]), ValueError, "methods x data sets"),
    ],
)
def test_wrong_rules(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ------------------------------------------------------------------------------------------------------------- measures


def f1(truth, guess, zero):
    hits, wrong = (truth & guess).sum(), (truth ^ guess).sum()
    return 2 * hits / (2 * hits + wrong) if hits or wrong else zero


@pytest.mark.parametrize("zero", [0, 1])
@given(pair=PAIRS)
def test_f_measures_by_definition(zero, pair):
    truth, guess = pair
    found = f_measures(truth, sparse.coo_array(guess), zero_division=zero)
    assert found.micro == pytest.approx(f1(truth, guess, zero))
    assert found.macro == pytest.approx(np.mean([f1(t, g, zero) for t, g in zip(truth.T, guess.T, strict=True)]))
    assert found.example == pytest.approx(np.mean([f1(t, g, zero) for t, g in zip(truth, guess, strict=True)]))
    assert found.zero_division == zero


def test_f_measures_by_hand():
    truth = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    guess = [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    zero, one = (f_measures(truth, guess, zero_division=z) for z in (0, 1))
    # 2 hits, 1 missed, 1 too many; labels 1, 2/3, 0 and undefined; documents 2/3, 2/3 and undefined
    assert zero[:3] == pytest.approx((2 / 3, (5 / 3) / 4, (4 / 3) / 3))
    assert one[:3] == pytest.approx((2 / 3, (8 / 3) / 4, (7 / 3) / 3))
    left_out = f_measures(truth, guess, zero_division=float("nan"))
    assert left_out[:3] == pytest.approx((2 / 3, (5 / 3) / 3, 2 / 3))


def test_the_choice_is_not_made_silently():
    with pytest.raises(TypeError, match="zero_division"):
        f_measures([[1, 0]], [[1, 0]])
    with pytest.raises(ValueError, match=r"0, 1 or nan; got 0\.5"):
        f_measures([[1, 0]], [[1, 0]], zero_division=0.5)


@pytest.mark.parametrize(
    "labels, predicted, error, message",
    [
        ([[1, 0]], [[1], [0]], ValueError, r"labels has shape \(1, 2\) and predicted \(2, 1\)"),
        ([[2, 0]], [[1, 0]], ValueError, "labels has 2; indicators are 0 and 1"),
        ([[1, 0]], [[0.5, 0]], ValueError, r"predicted has 0\.5"),
        ([1, 0], [1, 0], ValueError, "matrix of documents x labels"),
        ([["x", "y"]], [[1, 0]], TypeError, "matrix of 0 and 1, not of"),
        (np.zeros((0, 3)), np.zeros((0, 3)), ValueError, "nothing to measure"),
    ],
)
def test_wrong_indicators(labels, predicted, error, message):
    with pytest.raises(error, match=message):
        f_measures(labels, predicted, zero_division=0)


def test_an_indicator_is_a_matrix_of_its_own():
    given_matrix = sparse.csr_array(np.array([[1, 0], [0, 1]]))
    given_matrix.data[0] = 0
    made = indicator(given_matrix)
    assert made.dtype == bool and made.nnz == 1 and given_matrix.nnz == 2


@given(
    hnp.arrays(bool, (4, 5)).filter(np.any),
    hnp.arrays(float, (4, 5), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])),
)
def test_ranking_measures_by_definition(truth, scores):
    precision, depth, wrong = [], [], []
    for relevant, row in zip(truth, scores, strict=True):
        if relevant.any():
            rank = np.array([(row >= s).sum() for s in row])
            hits = np.array([(relevant & (row >= s)).sum() for s in row])
            precision.append((hits / rank)[relevant].mean())
            depth.append(rank[relevant].max())
            best = np.flatnonzero(row == row.max())
            wrong.append(1 - relevant[best].mean())
    expected = np.mean(precision), np.mean(depth), np.mean(wrong)
    assert ranking_measures(truth, scores) == pytest.approx(expected)


@pytest.mark.parametrize(
    "labels, scores, message",
    [
        ([[1, 0]], [[0.5, 0.2, 0.1]], r"labels has shape \(1, 2\) and scores \(1, 3\)"),
        ([[1]], [[0.5]], "at least two labels"),
        ([[0, 0]], [[0.5, 0.1]], "no document has a label"),
    ],
)
def test_wrong_rankings(labels, scores, message):
    with pytest.raises(ValueError, match=message):
        ranking_measures(labels, scores)


# ---------------------------------------------------------------------------------------------------- comparing methods


def test_z_test_is_the_normal_approximation_of_the_binomial():
    test = z_test(0.45, 0.5, 400)  # 20 below 200, of a spread of 10
    assert test.z == pytest.approx(-2.0) and test.p_value == pytest.approx(2 * stats.norm.cdf(-2))
    assert z_test(0.55, 0.5, 400).p_value == pytest.approx(test.p_value)
    exact = stats.binomtest(180, 400, 0.5).pvalue
    assert test.p_value == pytest.approx(exact, abs=0.01)
    assert z_test(0.3, 0.3, 10) == (0.0, 1.0)


def test_z_test_marks_as_the_paper_does():
    """Its Bibtex column, 2,515 test documents: CGS is marked against the best, phi_p + theta_p and CVB0 are not."""
    marks = [z_test(f, 0.2985, 2515).p_value < 0.05 for f in (0.2388, 0.2985, 0.2337, 0.2900, 0.2907)]
    assert marks == [True, False, True, False, False]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((1.5, 0.5, 10), "between 0 and 1; got 1.5"),
        ((0.5, 0.0, 10), "strictly between 0 and 1"),
        ((0.5, 1.0, 10), "strictly between 0 and 1"),
        ((0.5, 0.5, 0), "size must be at least 1; got 0"),
    ],
)
def test_wrong_z_tests(arguments, message):
    with pytest.raises(ValueError, match=message):
        z_test(*arguments)


def test_average_ranks_of_the_paper():
    """Micro-F of five methods on four data sets, and the ranks printed beside (1 chain x 1 sample)."""
    printed = [
        [0.2126, 0.3075, 0.2388, 0.1546],
        [0.2472, 0.3616, 0.2985, 0.1696],
        [0.2127, 0.3081, 0.2337, 0.1542],
        [0.2531, 0.3623, 0.2900, 0.1712],
        [0.2761, 0.4122, 0.2907, 0.1810],
    ]
    assert average_ranks(printed).tolist() == [4.5, 2.5, 4.5, 2.25, 1.25]
    assert average_ranks(-np.array(printed), higher_is_better=False).tolist() == [4.5, 2.5, 4.5, 2.25, 1.25]


@given(hnp.arrays(float, (5, 3), elements=st.sampled_from([0.0, 0.5, 1.0])))
def test_average_ranks_share_ties(scores):
    np.testing.assert_allclose(average_ranks(scores), stats.rankdata(-scores, axis=0).mean(axis=1))
