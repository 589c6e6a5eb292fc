"""Scalars of every draw that chains can be compared by."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from jaxlda import estimators
from jaxlda.alignment.labels import Labels
from jaxlda.running.results import Run

__all__ = ["NOTED", "Quantity", "by_draw", "by_sweep", "draw_sweeps"]

NOTED = ("n_k", "likeness")
"""What a run must keep of every draw (next to its trace) for the quantities that need no alignment."""

# Enough to see whether topics agree; each costs ArviZ about two milliseconds, and everything together must be small
# against the sampling.
SIZES = 16
WORDS = 5
ENTRIES = 200  # of phi


class Quantity(NamedTuple):
    """A scalar of every draw."""

    name: str
    kind: str
    """Which of them it belongs to: ``"log joint"`` or ``"bound"``, ``"perplexity"``, ``"topic size"``, ..."""
    topic: int | None
    """The topic of the reference that it is about, if any."""
    draws: Float[np.ndarray, "C S"]


def draw_sweeps(run: Run) -> np.ndarray:
    """The sweeps (from 1) after which the draws were taken."""
    return run.schedule.num_warmup + run.schedule.thinning * np.arange(1, run.num_draws + 1)


def by_draw(
    run: Run, labels: Labels | None = None, words: Sequence[str] | np.ndarray | None = None
) -> tuple[Quantity, ...]:
    """The quantities of the draws: those that no numbering of topics changes, and if aligned, phi and theta.

    What the run did not keep or trace is left out.

    Parameters
    ----------
    run
        Of which ``NOTED`` and perhaps ``phi`` and ``theta`` were kept.
    labels
        From :func:`~jaxlda.alignment.labels.label`. Topics that a chain does not have are left out.
    words
        The words by name.
    """
    quantities = [*_traced(run, draw_sweeps(run) - 1), *_invariant(run)]
    if labels is not None and run.data.phi is None:
        quantities += _phi(run, labels, words)
    if labels is not None:
        quantities += _theta(run, labels)
    return tuple(quantities)


def by_sweep(run: Run) -> tuple[Quantity, ...]:
    """The traced quantities of the second half of all sweeps: the next best thing where draws are few."""
    seen = np.flatnonzero(np.isfinite(run.objective).all(axis=0))
    return tuple(_traced(run, seen[seen >= run.sweep // 2]))


def _traced(run: Run, sweeps: np.ndarray) -> Iterator[Quantity]:
    if not run.objective.size:
        return
    objective, log_likelihood = run.objective[:, sweeps], run.trace["log_likelihood"][:, sweeps]
    if np.isnan(objective).all():
        return
    yield Quantity(run.objective_name, run.objective_name, None, objective)
    known = ~np.isnan(log_likelihood).all(axis=0)  # it is traced less often than there are draws
    if known.any():
        yield Quantity("perplexity", "perplexity", None, np.exp(-log_likelihood[:, known]))


def _invariant(run: Run) -> Iterator[Quantity]:
    if run.kept.get("n_k"):
        sizes = -np.sort(-run.n_k.astype(np.float64), axis=-1)
        for rank in sorted(set(np.linspace(0, sizes.shape[-1] - 1, SIZES).round().astype(int).tolist())):
            yield Quantity(f"size of the topic of rank {rank + 1}", "topic size", None, sizes[..., rank])
    if run.kept.get("likeness"):
        n_d = np.asarray(run.data.tokens.n_d)
        pairs, values = np.asarray(estimators.document_pairs(run.data.tokens.n_d)), run.likeness
        for i, (a, b) in enumerate(pairs.tolist()):
            if n_d[a] > 0 and n_d[b] > 0:
                yield Quantity(f"likeness of documents {a} and {b}", "likeness", None, values[..., i])


def _phi(run: Run, labels: Labels, words: Sequence[str] | np.ndarray | None) -> Iterator[Quantity]:
    """The most probable words of every topic that all chains have."""
    draws = run.kept.get("phi", ())
    topics = np.flatnonzero(labels.matched.all(axis=0)).tolist()
    if not draws or not topics:
        return
    C, count = run.num_chains, max(1, min(WORDS, ENTRIES // len(topics)))
    top = np.argsort(-labels.phi[labels.reference], axis=1, kind="stable")[:, :count]
    chains = np.arange(C)[:, None]
    for k in topics:
        numbers = labels.permutations[:, :, k]
        values = np.stack([draw[chains, numbers[:, s, None], top[k]] for s, draw in enumerate(draws)], axis=1)
        for i, v in enumerate(top[k].tolist()):
            name = f"phi of topic {k}, word {v if words is None else words[v]}"
            yield Quantity(name, "phi", k, values[..., i])


def _theta(run: Run, labels: Labels) -> Iterator[Quantity]:
    """The largest topic of a few documents, where all chains have it."""
    draws, n_d = run.kept.get("theta", ()), np.asarray(run.data.tokens.n_d)
    if not draws:
        return
    chains, last = np.arange(run.num_chains), labels.permutations[labels.reference, -1]
    for d in sorted(np.asarray(estimators.document_pairs(run.data.tokens.n_d)).ravel().tolist()):
        k = int(draws[-1][labels.reference, d][last].argmax())
        if n_d[d] > 0 and labels.matched[:, k].all():
            numbers = labels.permutations[:, :, k]
            values = np.stack([draw[chains, d, numbers[:, s]] for s, draw in enumerate(draws)], axis=1)
            yield Quantity(f"theta of document {d}, topic {k}", "theta", k, values)
