"""From numbers to words: what chains agree on, what they do not, and what to do about it."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxlda.diagnostics.labels import Labels

__all__ = ["Evidence", "judge"]

NAMES = 8  # of topics or chains in a sentence; more are counted
GROUPS = 3  # of chains that disagree on different topics
HOPELESS = 10  # times the sweeps so far: who needs more than that will hardly get there by waiting


class Evidence(NamedTuple):
    """What a verdict is made of."""

    num_chains: int
    num_draws: int
    num_sweeps: int
    samples: bool
    """Whether the algorithm draws samples at all."""
    enough: bool
    """Whether there are draws enough to pass."""
    labels: Labels | None
    lines: Sequence[Any]
    """Lines of the table, see ``convergence.Line``."""
    outliers: Mapping[str, tuple[int, ...]]
    """For quantities whose R-hat exceeds the limit, the chains that are away from the others."""
    apart: tuple[str, ...]
    """Quantities that stand still at different values."""
    still: tuple[str, ...]
    """Quantities that stand still in all draws, which are enough to tell."""
    max_rhat: float
    """The highest R-hat to pass."""
    min_ess: float | int
    more: int | None
    """Sweeps that the lowest ESS needs to reach ``min_ess``."""


def judge(evidence: Evidence) -> tuple[bool | None, str]:
    """The verdict: True, False or None (cannot be assessed), and why.

    >>> judge(Evidence(4, 30, 350, False, True, None, (), {}, (), (), 1.05, 100, None))
    (None, 'Cannot be assessed: the algorithm does not draw samples, so that its steps say nothing of a posterior.')
    """
    if not evidence.samples:
        return None, (
            "Cannot be assessed: the algorithm does not draw samples, so that its steps say nothing of a posterior."
        )
    if evidence.num_chains == 1:
        return None, ("Cannot be assessed: there is only one chain, and nothing to compare it with. Use num_chains=4.")
    reasons = _disagreements(evidence)
    if reasons:
        return False, f"Not converged: {'; '.join(reasons)}. {_advice(evidence)}"
    doubts = _doubts(evidence)
    if doubts:
        return None, f"Cannot be assessed: {doubts}"
    return True, _agreement(evidence)


def _disagreements(evidence: Evidence) -> list[str]:
    high = [line for line in evidence.lines if line.rhat > line.limit]
    found = _on_topics(evidence, [line for line in high if line.topic is not None])
    parts = []
    for kind in dict.fromkeys(line.kind for line in high if line.topic is None):
        rhats = [line.rhat for line in high if line.kind == kind]
        total = sum(line.kind == kind for line in evidence.lines)
        parts.append(
            f"{max(rhats):.2f} for {kind}"
            if total == 1
            else f"up to {max(rhats):.2f} for {kind} ({len(rhats)} of {total})"
        )
    if parts:
        found.append(f"R-hat is {_list(parts)}, more than chance")
    if evidence.apart:
        one, more = evidence.apart[0], len(evidence.apart) - 1
        others = f" and {more} more quantit{'ies' if more > 1 else 'y'}" if more else ""
        found.append(f"chains stand still at different values of the {one}{others}")
    return found


def _on_topics(evidence: Evidence, high: Sequence[Any]) -> list[str]:
    """Which chains disagree on which topics: because they do not have them, or have them otherwise."""
    if evidence.labels is None:
        return []
    disagreeing: dict[int, set[int]] = defaultdict(set)
    for chain, k in np.argwhere(~evidence.labels.matched).tolist():
        disagreeing[k].add(chain)
    for line in high:
        disagreeing[line.topic] |= set(evidence.outliers[line.quantity])
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for k in sorted(disagreeing):
        groups[tuple(sorted(disagreeing[k]))].append(k)
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))
    sentences = [f"{_who(chains, evidence.num_chains)} on {_named('topic', k)}" for chains, k in largest[:GROUPS]]
    rest = sum(len(topics) for _, topics in largest[GROUPS:])
    return [*sentences, f"other chains on {_counted(rest, 'more topic')}"] if rest else sentences


def _who(chains: Sequence[int], num_chains: int) -> str:
    if num_chains == 2:
        return "chains 0 and 1 disagree"
    if len(chains) >= num_chains - 1:
        return "all chains disagree"
    return f"{_named('chain', chains)} disagree{'s' if len(chains) == 1 else ''} with the others"


def _advice(evidence: Evidence) -> str:
    done, more = evidence.num_sweeps, evidence.more
    if more is not None and 0 < more <= HOPELESS * done:
        return f"Run {more} more sweeps."
    return (
        f"Run {done} more sweeps, as many as so far. Chains that stay apart have found different solutions: look at "
        "each of them, or try another number of topics."
    )


def _doubts(evidence: Evidence) -> str | None:
    if not evidence.enough:
        draws = f"there {'is one draw' if evidence.num_draws == 1 else f'are {evidence.num_draws} draws'} of each chain"
        return f"{draws}, in which nothing speaks against convergence or for it. Use num_samples=30 or more."
    judged = _judged(evidence)
    if not any(line.kind == "log joint" for line in judged):
        if "log joint" in evidence.still:
            return "the log joint does not move, so that chains cannot be told to mix."
        if any(line.kind == "log joint" for line in evidence.lines):
            return "the log joint was not traced at every draw, or is infinite."
        return "the log joint was not traced. Use trace_every=20."
    lowest, highest = min(line.ess_bulk for line in judged), max(line.rhat for line in judged)
    few, high = not lowest >= evidence.min_ess, highest > evidence.max_rhat
    if few or high:
        much = evidence.more or evidence.num_sweeps
        return (
            f"the chains do not disagree more than by chance, but have only {lowest:.0f} effective draws"
            f"{f' ({evidence.min_ess:g} are asked for)' if few else ''} and R-hats up to {highest:.2f}"
            f"{f' ({evidence.max_rhat:.2f} is allowed)' if high else ''}. Run {much} more sweeps."
        )
    return None


def _judged(evidence: Evidence) -> list[Any]:
    return [line for line in evidence.lines if not math.isnan(line.rhat)]


def _agreement(evidence: Evidence) -> str:
    judged = _judged(evidence)
    highest, lowest = max(line.rhat for line in judged), min(line.ess_bulk for line in judged)
    words = (
        f"Converged: {evidence.num_chains} chains of {evidence.num_draws} draws agree. R-hat is at most {highest:.2f} "
        f"({evidence.max_rhat:.2f} is allowed), and there are at least {lowest:.0f} effective draws."
    )
    if evidence.labels is not None:
        lowest = math.floor(100 * evidence.labels.stability.min()) / 100  # 0.998 is not 1.00
        words += f" All {evidence.labels.stability.size} topics are matched, with a stability of {lowest:.2f} or more."
    still = len(evidence.still)
    if still:
        words += f" {still} quantit{'y never moves' if still == 1 else 'ies never move'} and cannot be assessed."
    seldom = [line.quantity for line in evidence.lines if math.isnan(line.rhat) and line.quantity not in evidence.still]
    if seldom:
        words += f" Seen too seldom to be assessed: {_list(seldom[:NAMES])}."
    return words


def _named(noun: str, numbers: Sequence[int]) -> str:
    if len(numbers) > NAMES:
        return _counted(len(numbers), noun)
    return f"{noun}{'s' if len(numbers) > 1 else ''} {_list([str(number) for number in numbers])}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}"


def _list(parts: Sequence[str]) -> str:
    """Join as a sentence does."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
