"""What the view of estimators asks."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import Corpus
from jaxlda.evaluation import SampleCurve, sample_curve
from jaxlda.evaluation.association import association_probabilities
from jaxlda.plots.rankings import lines_between
from jaxlda.topics import ranking_table
from jaxlda_app.questions._chain import capped, estimate, model_of, soft_already
from jaxlda_app.store import Snapshot
from jaxlda_app.words import counted

__all__ = ["NO_LINES", "Associations", "Progress", "associations", "further", "reading"]

BURN_IN = 20  # sweeps over the observed halves; the paper takes 50, which nobody waits for
SUGGESTIONS = 8
RARE = 10  # tokens of a word
NO_WORDS = ranking_table(np.empty(0), np.empty(0), np.empty(0, "U1"))
NO_LINES = lines_between(NO_WORDS)


@dataclass(frozen=True, eq=False)
class Progress:
    """A curve on its way, and what of the run it is about."""

    curve: SampleCurve
    corpus: Corpus
    """What the chains are about: another run has another."""
    sweep: int
    """Of the chain whose phi is held fixed."""
    chain: int
    documents: int
    """How many are tested on."""


def further(snapshot: Snapshot, chain: int, progress: Progress | None = None, more: int = 1) -> Progress:
    """A curve with more samples; without one, the beginning of the one of this snapshot."""
    if progress is None:
        if snapshot.held is None:
            raise ValueError("No documents were held out: start a run with a held-out share to compare estimators.")
        held = capped(snapshot.held)
        kinds = ("phi",) if soft_already(snapshot) else ("phi", "phi_p")
        phis = {kind: estimate(snapshot, kind, chain) for kind in kinds}
        curve = sample_curve(phis, _prior(snapshot, chain), *held.halves(), num_warmup=BURN_IN, num_chains=1)
        progress = Progress(curve, snapshot.corpus, snapshot.run.sweep, chain, held.num_docs)
    return replace(progress, curve=progress.curve.extended(more))


def reading(progress: Progress) -> str:
    """What the curve says, in words made of its numbers."""
    curve = progress.curve
    phi = "phi_p" if "phi_p" in curve.phis else "phi"
    theta, theta_p = curve.perplexities[phi, "theta"], curve.perplexities[phi, "theta_p"]
    documents = counted(progress.documents, "held-out document")
    about = f"{documents}, φ of chain {progress.chain} after sweep {progress.sweep:,}."
    if not theta:
        return about
    worth = next((s for s, value in enumerate(theta, 1) if value <= theta_p[0]), None)
    samples = counted(worth, "sample") if worth else f"more than {len(theta)} samples"
    return f"{about} One sample of θᵖ ({theta_p[0]:,.1f}) is worth {samples} of θ ({theta[0]:,.1f} with one)."


class Associations(NamedTuple):
    """The words that a cue leads to, by both estimators."""

    cue: str
    known: bool
    suggestions: list[str]
    """Words that begin like a cue that is not known."""
    table: pd.DataFrame
    lines: dict[str, list]
    """As ``jaxlda.plots.rankings.rankings`` draws them."""
    frequency: int


def associations(snapshot: Snapshot, cue: str, chain: int, n: int = 15) -> Associations:
    """The rankings of words by phi and by phi_p, given a word (Eq. 57); given none, a rare one, where they differ."""
    corpus = snapshot.corpus
    frequency = np.asarray(corpus.counts.sum(axis=0))
    if not cue.strip():
        cue = str(corpus.vocab[np.argmin(np.abs(frequency - RARE))])
    (found,) = np.nonzero(np.char.lower(corpus.vocab) == cue.strip().lower())
    if not found.size:
        return Associations(
            cue, False, _suggestions(corpus.vocab, frequency, cue), *_ranked(snapshot, None, chain, n), 0
        )
    v = int(found[0])
    return Associations(str(corpus.vocab[v]), True, [], *_ranked(snapshot, v, chain, n), int(frequency[v]))


def _ranked(snapshot: Snapshot, cue: int | None, chain: int, n: int) -> tuple[pd.DataFrame, dict[str, list]]:
    if cue is None:
        return NO_WORDS, NO_LINES
    first, second = (association_probabilities(estimate(snapshot, kind, chain), [cue])[0] for kind in ("phi", "phi_p"))
    table = ranking_table(first, second, snapshot.corpus.vocab, n, leave_out=[cue])
    return table, lines_between(table, n)


def _suggestions(vocab: np.ndarray, frequency: np.ndarray, cue: str) -> list[str]:
    """The most frequent words that begin like the cue; with fewer letters of it, if none does."""
    lower, start = np.char.lower(vocab), cue.strip().lower()
    while start:
        (like,) = np.nonzero(np.char.startswith(lower, start))
        if like.size:
            return vocab[like[np.argsort(-frequency[like], kind="stable")[:SUGGESTIONS]]].tolist()
        start = start[:-1]
    return []


def _prior(snapshot: Snapshot, chain: int) -> np.ndarray:
    """The prior of documents that were not trained on."""
    if snapshot.labels is None:
        return np.asarray(snapshot.run.chain_data(chain).priors.alpha)
    return model_of(snapshot).prediction_alpha_
