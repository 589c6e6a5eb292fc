"""The stated share of false alarms holds, and disagreement is seen: by simulation.

``python -m tests.diagnostics.test_false_alarms`` prints the tables.
"""

import itertools
import sys
from typing import NamedTuple

import numpy as np
import pytest

from jaxlda.diagnostics import assess
from jaxlda.diagnostics.agreement import compare
from tests.diagnostics.processes import AGREEING, DISAGREEING, gaussian

STATED, ALLOWED = 0.01, 0.02


class Cell(NamedTuple):
    """How often there was a verdict, and how often it was "not converged"."""

    total: int
    given: int
    failed: int
    drifts: int


def cell(process, chains: int, draws: int, rho: float, repeats: int, seed: int, alarms: float = STATED) -> Cell:
    rng = np.random.default_rng([seed, chains, draws, round(100 * rho)])
    found = compare(process(rho, (repeats, chains, draws), rng), alarms)
    given = found.passed | found.failed
    return Cell(repeats, int(given.sum()), int(found.failed.sum()), int(found.drifts.sum()))


def too_many(failed: int, given: int, share: float) -> bool:
    """Whether so many failures have a chance of less than 1 in 100,000 if the share is true."""
    from scipy.special import bdtrc

    return failed > 0 and float(bdtrc(failed - 1, given, share)) < 1e-5


def check(one: Cell, where: tuple) -> None:
    assert not too_many(one.failed, one.total, STATED), (where, one)
    assert not too_many(one.drifts, one.total, STATED), (where, one)
    if one.given >= 100:  # of those that were judged; fewer say nothing of a share of 2 %
        assert not too_many(one.failed, one.given, ALLOWED), (where, one)


FAST = [(2, 30), (4, 10), (4, 30), (4, 100), (16, 30), (64, 5), (64, 30)]


@pytest.mark.parametrize("process", AGREEING)
def test_chains_that_agree_are_seldom_said_to_disagree(process):
    """Each assertion fails with a chance below 1 in 100,000 if the share is 1 % (2 % of those judged)."""
    for (chains, draws), rho in itertools.product(FAST, (0.0, 0.5, 0.9)):
        repeats = min(400, 60_000 // (chains * draws))
        check(cell(AGREEING[process], chains, draws, rho, repeats, 1), (chains, draws, rho))


def test_verdicts_are_given_where_draws_are_enough():
    given = {(C, S): cell(gaussian, C, S, 0.5, 60, 2) for C, S in [(64, 5), (4, 10), (2, 100), (4, 100), (64, 40)]}
    assert given[64, 5].given == given[4, 10].given == 0
    assert all(given[one].given > 30 for one in [(2, 100), (4, 100), (64, 40)])


@pytest.mark.parametrize("disagreement", ["two modes", "one away", "one frozen", "one wider"])
@pytest.mark.parametrize(("chains", "draws", "rho"), [(2, 150, 0.0), (4, 150, 0.3), (16, 100, 0.5), (64, 40, 0.3)])
def test_disagreement_is_seen(disagreement, chains, draws, rho):
    """In nine of ten cases at least."""
    found = cell(DISAGREEING[disagreement], chains, draws, rho, 40, 3)
    assert found.given > 36 and found.failed >= 36, found


@pytest.mark.parametrize("chains", [12, 64])
def test_a_common_drift_is_seen(chains):
    """In few draws, too."""
    assert cell(DISAGREEING["all drift"], chains, 16, 0.5, 40, 3).drifts >= 36


def test_one_array_at_a_time_gives_the_same():
    rng = np.random.default_rng(4)
    draws = np.concatenate([gaussian(0.3, (5, 4, 60), rng), DISAGREEING["two modes"](0.3, (5, 4, 60), rng)])
    together = compare(draws, 0.01)
    for i, each in enumerate(map(assess, draws)):
        assert (each.converged is True) == bool(together.passed[i])
        assert (each.converged is False) == bool(together.failed[i])


GRID = (
    (2, 3, 4, 8, 16, 64, 256),
    (4, 5, 8, 10, 12, 16, 20, 30, 50, 100, 300, 1000),
    (0.0, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98),
)


def repeats_of(chains: int, draws: int) -> int:
    return int(np.clip(2_000_000 // (chains * draws), 100, 1000))


@pytest.mark.hours
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("process", AGREEING)
def test_the_whole_grid(process):
    for chains, draws, rho in itertools.product(*GRID):
        one = cell(AGREEING[process], chains, draws, rho, repeats_of(chains, draws), 5)
        check(one, (chains, draws, rho))


@pytest.mark.hours
@pytest.mark.timeout(3600)
def test_small_shares():
    """A hundred quantities share 1 %: each has one in ten thousand, and there the tails must be right, too."""
    for chains, draws, rho in [(4, 100, 0.5), (4, 300, 0.9), (16, 100, 0.5), (64, 50, 0.0)]:
        one = cell(gaussian, chains, draws, rho, 20_000, 6, alarms=STATED / 100)
        assert not too_many(one.failed, one.total, 2 * STATED / 100), one


def table(processes: dict, chains: tuple, draws: tuple, rhos: tuple, most: int = 1000) -> None:
    for name, process in processes.items():
        print(f"\n{name}: share of verdicts, and of these the per cent that are 'not converged'; rho {rhos}")
        for C, S in itertools.product(chains, draws):
            cells = [cell(process, C, S, rho, min(most, repeats_of(C, S)), 5) for rho in rhos]
            shown = "  ".join(f"{x.given / x.total:4.2f} {100 * x.failed / max(x.given, 1):5.1f}" for x in cells)
            print(f"{C:4d} x {S:4d}   {shown}", flush=True)


if __name__ == "__main__":
    if "power" in sys.argv:
        table(DISAGREEING, (2, 4, 16, 64, 256), (16, 20, 30, 50, 100, 300), (0.0, 0.5, 0.9), 100)
    else:
        table(AGREEING, *GRID)
