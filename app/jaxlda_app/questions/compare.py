"""What the Compare view asks: the topics of chains and runs beside each other."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import alignment, topics
from jaxlda.evaluation import quality
from jaxlda_app.questions._chain import called, estimate, metric_for, model_of, phi_once, shown_kind, topic_names
from jaxlda_app.runs import Kept
from jaxlda_app.store import Snapshot
from jaxlda_app.words import counted

__all__ = ["Aligned", "Pairs", "Partners", "aligned", "pairs", "qualities", "stability"]

ALIKE, ALONE = 0.5, 0.25  # shares of mass in common: a partner, and none
WORDS = 8
SHARED = 10  # words that two runs must have in common


class Partners(NamedTuple):
    """The topics of a chain in the others."""

    table: pd.DataFrame
    """Topic, name, chain, partner and similarity."""
    note: str


class Aligned(NamedTuple):
    """Each topic of a chain against each of another."""

    table: pd.DataFrame
    """As ``jaxlda.topics.similarity_table`` makes it; empty where there is one chain only."""
    note: str


class Pairs(NamedTuple):
    """The topics of one run, each with its partner in another."""

    table: pd.DataFrame
    """Topic and words of the first, in common, topic and words of the second; those without a partner at the end."""
    note: str


def stability(snapshot: Snapshot, chain: int, soft: bool) -> Partners:
    """Whether the other chains have the topics of this one."""
    run = snapshot.run
    C = run.num_chains
    if C == 1:
        empty = topics.stability_table(np.ones((1, 1, 1)), 0)
        return Partners(empty, "There is one chain only: with two or more, topics that all of them find can be told.")
    kind = _compared_kind(snapshot, soft)
    phis = np.stack([phi_once(snapshot, kind, one) for one in range(C)])
    table = topics.stability_table(phis, chain, run.tied, snapshot.labels, metric_for(phis[0], C - 1))
    mean = table.groupby("topic").similarity.mean()
    note = (
        f"The topics of chain {chain} in {counted(C - 1, 'other chain')}: the number is the partner's there, the "
        f"colour how much of their mass they have in common. {int((mean >= 0.8).sum())} of {len(mean)} topics share "
        "80 % or more with the others on average; a topic that other chains do not find may be one of chance."
    )
    return Partners(table, note)


def aligned(snapshot: Snapshot, chain: int, other: int | None, soft: bool) -> Aligned:
    """Each topic of a chain against each of another; if that is not given or the same, against the next chain's."""
    C = snapshot.run.num_chains
    if C == 1:
        return Aligned(pd.DataFrame(), "")
    if other is None or other == chain or other >= C:
        other = (chain + 1) % C
    kind = _compared_kind(snapshot, soft)
    phi, partners = (phi_once(snapshot, kind, one) for one in (chain, other))
    table = topics.similarity_table(phi, partners, snapshot.run.tied, metric_for(phi))
    note = (
        f"Every topic of chain {chain} against every topic of chain {other}, partners on the diagonal: where it is "
        "bright, both found the same; a second bright place in a row or column is a topic that one of them has split."
    )
    return Aligned(table, note)


def pairs(snapshot: Snapshot, chain: int, other: Kept, other_chain: int, soft: bool) -> Pairs:
    """The topics of this run and those of another, with their partners: the best of all one-to-one matches."""
    theirs = other.snapshot
    if theirs is None:
        return Pairs(pd.DataFrame(), "The other run has not found anything yet.")
    other_chain = min(other_chain, theirs.run.num_chains - 1)
    a, b = _on_shared_words(snapshot, chain, theirs, other_chain, soft)
    if a is None or b is None:
        return Pairs(pd.DataFrame(), f"These runs have fewer than {SHARED} words in common: they cannot be compared.")
    alike = 1 - alignment.distance(a, b, "hellinger") ** 2
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(-alike)
    order = np.argsort(-alike[rows, columns], kind="stable")
    ours, others = topic_names(snapshot, chain, WORDS), topic_names(theirs, other_chain, WORDS)
    names = [called(snapshot, chain, k) for k in range(len(a))], [called(theirs, other_chain, k) for k in range(len(b))]
    known = [(int(k), int(j), float(alike[k, j])) for k, j in zip(rows[order], columns[order], strict=True)]
    matched = [(k, j, p) for k, j, p in known if p >= ALONE]
    lines = [(names[0][k], ours[k], f"{p:.0%}", names[1][j], others[j]) for k, j, p in matched]
    only = (
        sorted(set(range(len(a))) - {k for k, _, _ in matched}),
        sorted(set(range(len(b))) - {j for _, j, _ in matched}),
    )
    lines += [(names[0][k], ours[k], "only here", "", "") for k in only[0]]
    lines += [("", "", "only there", names[1][j], others[j]) for j in only[1]]
    table = pd.DataFrame(lines, columns=["this run", "its words", "in common", "the other", "its words "], dtype=object)
    both = sum(p >= ALIKE for _, _, p in matched)
    note = (
        f"{counted(both, 'topic')} with half of the mass or more in common with a partner; {len(only[0])} are in this "
        f"run only, {len(only[1])} in the other only (less than {ALONE:.0%} in common)."
    )
    return Pairs(table, note)


def qualities(snapshot: Snapshot, chain: int, other: Kept, other_chain: int) -> pd.DataFrame:
    """How good the topics of both are, a row for each measure."""
    columns = {"this run": _quality(snapshot)}
    if other.snapshot is not None:
        columns["the other"] = _quality(other.snapshot)
    return pd.DataFrame(columns).rename_axis("measure").reset_index()


def _quality(snapshot: Snapshot) -> dict[str, str]:
    run, model = snapshot.run, model_of(snapshot)
    likelihood = run.trace["log_likelihood"][snapshot.best_chain]
    known = likelihood[np.isfinite(likelihood)]
    table = model.topics(10, coherence=None)
    found = {
        "topics": f"{len(table):,}",
        "chains": f"{run.num_chains}",
        "sweeps": f"{run.sweep:,}",
        "log-likelihood per token": f"{known[-1]:.4f}" if known.size else "not noted",
        "coherence (NPMI, mean)": f"{quality.coherence(model, draws=False).mean:.3f}",
        "exclusivity (mean)": f"{quality.exclusivity(model, draws=False).mean:.3f}",
        "diversity (mean)": f"{quality.diversity(model, draws=False).mean:.3f}",
    }
    if "stability" in table:
        found["stability between chains (mean)"] = f"{table.stability.mean():.3f}"
    return found


def _on_shared_words(
    one: Snapshot, chain: int, other: Snapshot, other_chain: int, soft: bool
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The topics of both, as distributions over the words that both have."""
    a = estimate(one, shown_kind(one, soft), chain)
    b = estimate(other, shown_kind(other, soft), other_chain)
    words, mine, theirs = np.intersect1d(one.corpus.vocab, other.corpus.vocab, return_indices=True)
    if len(words) < SHARED:
        return None, None
    a, b = a[:, mine], b[:, theirs]
    return a / a.sum(axis=1, keepdims=True), b / b.sum(axis=1, keepdims=True)


def _compared_kind(snapshot: Snapshot, soft: bool) -> str:
    """The estimate by which chains are compared: before the first draw, softening all of them would cost too much."""
    return shown_kind(snapshot, soft) if snapshot.run.num_draws else "phi"
