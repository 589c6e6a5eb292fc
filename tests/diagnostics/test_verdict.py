"""What is said for which numbers."""

import math

import numpy as np
import pytest

from jaxlda.alignment.labels import Labels
from jaxlda.diagnostics.agreement import outliers
from jaxlda.diagnostics.assessment import assess
from jaxlda.diagnostics.lines import Line
from jaxlda.diagnostics.verdict import Evidence, judge


def line(kind="log joint", rhat=1.0, ess=300.0, topic=None, name=None, limit=1.05, note=""):
    note = note or ("R-hat" if rhat > limit else "")
    converged = {"": True, "R-hat": False, "away": False, "frozen": False, "drifts": False}.get(note)
    return Line(name or kind, kind, topic, 0.0, 1.0, 0.1, ess, ess, rhat, limit, 2.0, converged, note)


def labels(matched):
    matched = np.asarray(matched)
    C, K = matched.shape
    return Labels(0, np.zeros((C, 9, K), int), matched, np.full(K, 0.987), np.zeros((C, K, 1)))


def evidence(**changes):
    usual = Evidence(4, 100, 700, True, True, labels(np.full((4, 3), True)), (line(),), {}, 100, 0)
    return usual._replace(**changes)


def without(*pairs, C=4, K=10):
    matched = np.full((C, K), True)
    for chain, k in pairs:
        matched[chain, k] = False
    return labels(matched)


def test_agreement():
    assert judge(evidence()) == (
        True,
        "Converged: 4 chains of 100 draws agree. R-hat is at most 1.00, where chance explains up to 1.05, and there "
        "are at least 300 effective draws. All 3 topics are matched, with a stability of 0.98 or more.",
    )


def test_some_that_cannot_be_assessed_are_named():
    a, b = (line("likeness", math.nan, name=name, note="still") for name in "ab")
    converged, words = judge(evidence(lines=(line(), a, b)))
    assert converged and words.endswith("2 quantities never move and cannot be assessed.")
    assert judge(evidence(lines=(line(), a, b._replace(note="unknown"))))[1].endswith(
        "1 quantity never moves and cannot be assessed. Seen too seldom, or moving too seldom, to be assessed: b."
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"labels": without((1, 4), (3, 4), (1, 9), (3, 9)), "more": 500},
            "chains 1 and 3 disagree with the others on topics 4 and 9. How many more sweeps it takes cannot be told",
        ),
        (
            {"labels": without((1, 2))},
            "chain 1 disagrees with the others on topic 2. How many more sweeps it takes cannot be told: chains that",
        ),
        ({"labels": without((1, 2), (2, 2), (3, 2)), "more": 7001}, "all chains disagree on topic 2. How many"),
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
            "R-hat is 1.23 for log joint (limit 1.05), more than chance explains. How many more",
        ),
        (
            {"lines": (line(rhat=2), line("likeness", 1.5), line("likeness"))},
            "R-hat is 2.00 for log joint (limit 1.05) and up to 1.50 for likeness (limit 1.05, 1 of 2), more than",
        ),
        ({"lines": (line(), line("likeness", note="away"))}, "one chain is away from the others in likeness. How"),
        ({"lines": (line(note="frozen"),)}, "one chain never moves, while others do, in log joint. How"),
        (
            {"lines": (line(note="drifts"), line("perplexity", note="drifts"))},
            "all chains drift in the same direction in log joint and perplexity. Run 700 more sweeps, as many as so",
        ),
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
        ({"lines": (), "objective": "bound"}, "the bound was not traced. Use trace_every=20."),
        ({"lines": (line("bound", note="still"),), "objective": "bound"}, "the bound hardly moves"),
        (
            {"lines": (line(rhat=math.nan, note="still"), line("likeness"))},
            "the log joint hardly moves",
        ),
        (
            {"lines": (line(note="unknown"), line("likeness"))},
            "the log joint was not traced at every draw, or is inf",
        ),
        (
            {"lines": (line(), line("likeness", note="stuck"), line("topic size", note="stuck"))},
            "chains stand still at different values of likeness and 1 more quantity: they may be stuck.",
        ),
        (
            {"lines": (line(ess=40),), "more": 1050},
            "have only 40 effective draws (100 are asked for). Run 1050 more sweeps.",
        ),
        (
            {"lines": (line(), line("phi", note="few")), "more": None},
            "100 draws of each chain are too few to judge phi: 2 draws or more of phi are worth one independent draw. "
            "Run at least 700 more sweeps.",
        ),
        (
            {"lines": (line(), line("phi", note="few")._replace(time=50.0)), "more": None, "spacing": 5.0},
            "50 draws or more of phi are worth one independent draw. Run at least 1750 more sweeps.",
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
    assert outliers(np.repeat(np.array(means, float)[:, None], 5, axis=1)) == chains


def test_a_chain_is_named_only_where_it_is_alone():
    draws = np.random.default_rng(0).normal(size=(4, 100))
    apart = draws + np.array([[4.0], [4.0], [0.0], [0.0]])
    assert assess(apart).chain is None and "Not converged: the chains disagree. R-hat is 1.7" in str(assess(apart))
    assert assess(draws + np.array([[0.0], [0.0], [4.0], [0.0]])).chain == 2
