"""From numbers to words: what chains agree on, what they disagree on, and what to do about it."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from jaxlda.alignment.labels import Labels
from jaxlda.diagnostics.assessment import draws_needed
from jaxlda.diagnostics.lines import Line

__all__ = ["Evidence", "judge"]

NAMES = 8  # of topics or chains in a sentence; more are counted
SOME = 0.1  # of the quantities may be left unjudged, if the objective is not among them
GROUPS = 3  # of chains that disagree on different topics


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
    lines: Sequence[Line]
    outliers: Mapping[str, tuple[int, ...]]
    """For quantities that chains disagree on, the chains that are away from the others."""
    min_ess: float | int
    more: int | None
    """Sweeps until all can be assessed and the lowest ESS reaches ``min_ess``; ``None``: no number can be told."""
    spacing: float = 1.0
    """Sweeps from one draw to the next."""
    objective: str = "log joint"
    """What chains are compared by."""


def judge(evidence: Evidence) -> tuple[bool | None, str]:
    """The verdict: True, False or None (cannot be assessed), and why.

    >>> judge(Evidence(4, 30, 350, False, True, None, (), {}, 100, None))
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
    high = [line for line in evidence.lines if line.converged is False]
    found = _on_topics(evidence, high)
    others = [line for line in high if line.topic is None]
    parts = [_rhats(evidence, kind, others) for kind in _kinds(others, "R-hat")]
    if parts:
        found.append(f"R-hat is {_list(parts)}, more than chance explains")
    for note, words in (
        ("away", "one chain is away from the others in {}"),
        ("frozen", "one chain never moves, while others do, in {}"),
        ("drifts", "all chains drift in the same direction in {}"),
    ):
        kinds = _kinds(others, note)
        if kinds:
            found.append(words.format(_list(kinds)))
    return found


def _kinds(lines: Sequence[Line], note: str) -> list[str]:
    return list(dict.fromkeys(line.kind for line in lines if line.note == note))


def _rhats(evidence: Evidence, kind: str, high: Sequence[Line]) -> str:
    worst = max((line for line in high if line.kind == kind and line.note == "R-hat"), key=lambda line: line.rhat)
    number = sum(line.kind == kind and line.note == "R-hat" for line in high)
    total = sum(line.kind == kind for line in evidence.lines)
    many = "" if total == 1 else f", {number} of {total}"
    return f"{'' if total == 1 else 'up to '}{worst.rhat:.2f} for {kind} (limit {worst.limit:.2f}{many})"


def _on_topics(evidence: Evidence, high: Sequence[Line]) -> list[str]:
    """Which chains disagree on which topics: because they do not have them, or have them otherwise."""
    if evidence.labels is None:
        return []
    disagreeing: dict[int, set[int]] = defaultdict(set)
    for chain, k in np.argwhere(~evidence.labels.matched).tolist():
        disagreeing[k].add(chain)
    for line in high:
        if line.topic is not None:
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
    on_the_way = all(line.note == "drifts" for line in evidence.lines if line.converged is False)
    if on_the_way and (evidence.labels is None or evidence.labels.matched.all()):
        return f"Run {evidence.num_sweeps} more sweeps, as many as so far."
    return (
        "How many more sweeps it takes cannot be told: chains that stay apart have found different solutions. Look at "
        "each of them, or try another number of topics."
    )


def _doubts(evidence: Evidence) -> str | None:
    if not evidence.enough:
        draws = f"there {'is one draw' if evidence.num_draws == 1 else f'are {evidence.num_draws} draws'} of each chain"
        return f"{draws}, in which nothing speaks against convergence or for it. Use num_samples=30 or more."
    name = evidence.objective
    objective = next((line for line in evidence.lines if line.kind == name), None)
    if objective is None:
        return f"the {name} was not traced. Use trace_every=20."
    if objective.note == "unknown":
        return f"the {name} was not traced at every draw, or is infinite."
    if objective.note in ("still", "seldom"):
        return f"the {name} hardly moves, too little to tell whether chains mix."
    stuck = [line.quantity for line in evidence.lines if line.note == "stuck"]
    if stuck:
        return f"chains stand still at different values of {_first(stuck)}: they may be stuck."
    return _too_few(evidence)


def _too_few(evidence: Evidence) -> str | None:
    few = [line for line in evidence.lines if line.note == "few"]
    if evidence.lines[0].note != "few" and len(few) <= SOME * len(_judged(evidence)):
        few = []  # single ones among many have long correlation times by chance
    more = evidence.more or evidence.num_sweeps
    if few:
        slowest = max(few, key=lambda line: 0.0 if math.isnan(line.time) else line.time)
        least = math.ceil((draws_needed(slowest.time) - evidence.num_draws) * evidence.spacing)
        return (
            f"{evidence.num_draws} draws of each chain are too few to judge {_first([line.quantity for line in few])}: "
            f"{slowest.time:.0f} draws or more of {slowest.quantity} are worth one independent draw. "
            f"Run at least {max(more, least)} more sweeps."
        )
    lowest = min((line.ess_bulk for line in _judged(evidence) if not math.isnan(line.ess_bulk)), default=0.0)
    if not lowest >= evidence.min_ess:
        return (
            f"the chains do not disagree more than by chance, but have only {lowest:.0f} effective draws "
            f"({evidence.min_ess:g} are asked for). Run {more} more sweeps."
        )
    return None


def _first(names: Sequence[str]) -> str:
    more = len(names) - 1
    return names[0] + (f" and {more} more quantit{'ies' if more > 1 else 'y'}" if more else "")


def _judged(evidence: Evidence) -> list[Line]:
    return [line for line in evidence.lines if line.converged is not None]


def _agreement(evidence: Evidence) -> str:
    judged = _judged(evidence)
    worst = max(judged, key=lambda line: line.rhat)
    lowest = min(line.ess_bulk for line in judged if not math.isnan(line.ess_bulk))
    words = (
        f"Converged: {evidence.num_chains} chains of {evidence.num_draws} draws agree. R-hat is at most "
        f"{worst.rhat:.2f}, where chance explains up to {worst.limit:.2f}, and there are at least {lowest:.0f} "
        "effective draws."
    )
    if evidence.labels is not None:
        least = math.floor(100 * evidence.labels.stability.min()) / 100  # 0.998 is not 1.00
        words += f" All {evidence.labels.stability.size} topics are matched, with a stability of {least:.2f} or more."
    still = sum(line.note == "still" for line in evidence.lines)
    if still:
        words += f" {still} quantit{'y never moves' if still == 1 else 'ies never move'} and cannot be assessed."
    few = sum(line.note == "few" for line in evidence.lines)
    if few:
        words += f" For {few} of {len(evidence.lines)} quantities the draws are too few to tell."
    seldom = [line.quantity for line in evidence.lines if line.note in ("seldom", "unknown")]
    if seldom:
        words += f" Seen too seldom, or moving too seldom, to be assessed: {_list(seldom[:NAMES])}."
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
