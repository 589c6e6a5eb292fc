"""What is said for which numbers."""

import math

import numpy as np
import pytest

from jaxlda.diagnostics.convergence import Line, _outliers
from jaxlda.diagnostics.labels import Labels
from jaxlda.diagnostics.verdict import Evidence, judge


def line(kind="log joint", rhat=1.0, ess=300.0, topic=None, name=None, limit=1.05):
    return Line(name or kind, kind, topic, 0.0, 1.0, 0.1, ess, ess, rhat, limit)


def labels(matched):
    matched = np.asarray(matched)
    C, K = matched.shape
    return Labels(0, np.zeros((C, 9, K), int), matched, np.full(K, 0.987), np.zeros((C, K, 1)))


def evidence(**changes):
    usual = Evidence(4, 100, 700, True, True, labels(np.full((4, 3), True)), (line(),), {}, (), (), 1.05, 100, 0)
    return usual._replace(**changes)


def without(*pairs, C=4, K=10):
    matched = np.full((C, K), True)
    for chain, k in pairs:
        matched[chain, k] = False
    return labels(matched)


def test_agreement():
    assert judge(evidence()) == (
        True,
        "Converged: 4 chains of 100 draws agree. R-hat is at most 1.00 (1.05 is allowed), and there are at least 300 "
        "effective draws. All 3 topics are matched, with a stability of 0.98 or more.",
    )


def test_some_that_cannot_be_assessed_are_named():
    pair = (line("similarity", math.nan, name="a"), line("similarity", math.nan, name="b"))
    converged, words = judge(evidence(lines=(line(), *pair), still=("a", "b")))
    assert converged and words.endswith("2 quantities never move and cannot be assessed.")
    assert judge(evidence(lines=(line(), *pair), still=("a",)))[1].endswith(
        "1 quantity never moves and cannot be assessed. Seen too seldom to be assessed: b."
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"labels": without((1, 4), (3, 4), (1, 9), (3, 9)), "more": 500},
            "chains 1 and 3 disagree with the others on topics 4 and 9. Run 500 more sweeps.",
        ),
        (
            {"labels": without((1, 2))},
            "chain 1 disagrees with the others on topic 2. Run 700 more sweeps, as many as so far. Chains that stay",
        ),
        ({"labels": without((1, 2), (2, 2), (3, 2)), "more": 7001}, "all chains disagree on topic 2. Run 700 more"),
        ({"labels": without((1, 0), C=2), "num_chains": 2}, "chains 0 and 1 disagree on topic 0"),
        ({"labels": without(*((1, k) for k in range(10)))}, "chain 1 disagrees with the others on 10 topics"),
        (
            {"labels": without((1, 0), (1, 1), (2, 2), (2, 3), (3, 4), (3, 5), (1, 6), (2, 6), (0, 7))},
            "chain 1 disagrees with the others on topics 0 and 1; chain 2 disagrees with the others on topics 2 and 3; "
            "chain 3 disagrees with the others on topics 4 and 5; other chains on 2 more topics.",
        ),
        (
            {"lines": (line(), line("phi", 1.4, topic=1, name="a")), "outliers": {"a": (2,)}},
            "Not converged: chain 2 disagrees with the others on topic 1.",
        ),
        (
            {"lines": (line(rhat=1.23),), "outliers": {"log joint": (1,)}},
            "R-hat is 1.23 for log joint, more than chance",
        ),
        (
            {"lines": (line(rhat=2), line("similarity", 1.5), line("similarity"))},
            "R-hat is 2.00 for log joint and up to 1.50 for similarity (1 of 2), more than chance",
        ),
        ({"apart": ("log joint",)}, "chains stand still at different values of the log joint. Run"),
        ({"apart": ("log joint", "perplexity")}, "of the log joint and 1 more quantity. Run"),
    ],
)
def test_disagreement(changes, words):
    converged, verdict = judge(evidence(**changes))
    assert converged is False and verdict.startswith("Not converged: ")
    assert words in verdict


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"samples": False}, "the algorithm does not draw samples"),
        ({"num_chains": 1}, "there is only one chain, and nothing to compare it with. Use num_chains=4."),
        ({"enough": False, "num_draws": 1}, "there is one draw of each chain, in which nothing speaks against"),
        ({"enough": False, "num_draws": 0}, "there are 0 draws of each chain"),
        ({"lines": ()}, "the log joint was not traced. Use trace_every=20."),
        (
            {"lines": (line(rhat=math.nan), line("similarity")), "still": ("log joint",)},
            "the log joint does not move",
        ),
        ({"lines": (line(rhat=math.nan), line("similarity"))}, "the log joint was not traced at every draw, or is inf"),
        (
            {"lines": (line(ess=40),), "more": 1050},
            "have only 40 effective draws (100 are asked for) and R-hats up to 1.00. Run 1050 more sweeps.",
        ),
        (
            {"lines": (line(rhat=1.2, limit=1.3),)},
            "have only 300 effective draws and R-hats up to 1.20 (1.05 is allowed). Run 700 more sweeps.",
        ),
    ],
)
def test_what_cannot_be_assessed_is_no_pass(changes, words):
    converged, verdict = judge(evidence(**changes))
    assert converged is None and verdict.startswith("Cannot be assessed: ")
    assert words in verdict


@pytest.mark.parametrize(
    ("means", "chains"),
    [([0, 0.1, 5, 0.2], (2,)), ([0, 5, 0.1, 5.1], (1, 3)), ([5, 0, 0.1, 5.1], (1, 2)), ([1, 9], (1,))],
)
def test_who_is_away_from_the_others(means, chains):
    assert _outliers(np.repeat(np.array(means, float)[:, None], 5, axis=1)) == chains
