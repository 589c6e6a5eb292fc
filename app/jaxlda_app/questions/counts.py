"""What the view of hard and soft counts asks."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import topics
from jaxlda.plots.lines import lines_of, thinned
from jaxlda.types import Counts, Sample
from jaxlda_app.questions._chain import soft_already
from jaxlda_app.store import Snapshot

__all__ = ["GapTrace", "Gaps", "HardSoft", "document_counts", "gap_distribution", "gap_trace", "word_counts"]

ALREADY = (
    "These chains keep probabilities instead of assignments, as CVB0 does: their counts are soft already, and there is "
    "nothing hard to compare them with."
)
LATEST, MEAN = "in the latest sample of chain {}", "averaged over the draws of chain {} so far"
NO_DRAWS = "in the latest sample of chain {}, as there are no draws yet"


class GapTrace(NamedTuple):
    """The gap over sweeps."""

    lines: dict[str, list]
    num_warmup: int
    """Or the sweeps done, before it ends."""
    note: str
    """What is seen, in a sentence."""


class HardSoft(NamedTuple):
    """Hard and soft counts of one document or word."""

    table: pd.DataFrame
    """Topic, name, hard (NaN where counts are soft already), soft and difference."""
    note: str
    gap: float | None


class Gaps(NamedTuple):
    """The gaps of the documents."""

    table: pd.DataFrame
    """Left, right and count."""
    note: str


def gap_trace(snapshot: Snapshot) -> GapTrace:
    """The gap of every chain at the sweeps where it was noted."""
    run = snapshot.run
    sweep = np.arange(1, run.sweep + 1, dtype=float)
    points = [thinned(sweep, values) for values in run.trace["gap"]]
    lines = lines_of([x for x, _ in points], [y for _, y in points], [f"chain {c}" for c in range(run.num_chains)])
    noted = np.flatnonzero(~np.isnan(run.trace["gap"]).any(axis=0))
    if soft_already(snapshot):
        note = ALREADY
    elif not noted.size:
        note = "The gap has not been measured yet."
    else:
        first, last = (run.trace["gap"][:, noted[at]].mean() for at in (0, -1))
        note = (
            f"The gap between hard and soft counts of a document: {last:.3f} at sweep {noted[-1] + 1:,}, {first:.3f} "
            f"at sweep {noted[0] + 1:,} (means of the documents, and here of the chains; the burn-in is shaded). The "
            "surer the sampler is of the topics of its tokens, the closer counts come to the probabilities behind them."
        )
    return GapTrace(lines, min(run.schedule.num_warmup, run.sweep), note)


def document_counts(snapshot: Snapshot, chain: int, document: int, mean: bool = False) -> HardSoft:
    """A document's tokens by topic; a number that is too large is the last document."""
    run, corpus = snapshot.run, snapshot.corpus
    document = min(document, corpus.num_docs - 1)
    n_d = np.asarray(run.data.tokens.n_d)
    begin = int(n_d[:document].sum(dtype=np.int64))
    name = f"Document {document}" + ("" if corpus.titles is None else f" ({corpus.titles[document]})")
    if n_d[document] == 0:
        zeros = np.zeros(run.data.priors.alpha.shape[-1])
        return HardSoft(topics.hard_soft_table(zeros, zeros, snapshot.labels), f"{name} has no tokens.", None)
    sample, averaged = _counted(snapshot, chain, mean)
    soft: np.ndarray | None
    if averaged is not None:
        hard, soft = (np.asarray(table.n_dk[document]) for table in averaged)
    else:
        hard = np.asarray(sample.counts.n_dk[document])
        soft = _soft(snapshot, sample, chain, slice(begin, begin + int(n_d[document])))
    return _compared(
        snapshot, hard, soft, f"{name}: {n_d[document]:,} tokens", _when(chain, mean, averaged is not None)
    )


def word_counts(snapshot: Snapshot, chain: int, word: str, mean: bool = False) -> HardSoft:
    """A word's tokens by topic; if none is given, the most frequent one's."""
    run, vocab = snapshot.run, snapshot.corpus.vocab
    w = np.asarray(run.data.tokens.w)
    number = np.flatnonzero(vocab == word) if word else np.array([np.bincount(w, minlength=len(vocab)).argmax()])
    if not number.size:
        like = [str(other) for other in vocab[np.char.startswith(vocab, word[:3])][:5]]
        hint = f" It has {', '.join(like)}." if like else ""
        zeros = np.zeros(run.data.priors.alpha.shape[-1])
        table = topics.hard_soft_table(zeros, zeros, snapshot.labels)
        return HardSoft(table, f"The vocabulary has no word “{word}”.{hint}", None)
    v = int(number[0])
    sample, averaged = _counted(snapshot, chain, mean)
    tokens = np.flatnonzero((w == v) & (np.asarray(run.data.tokens.m) > 0))
    soft: np.ndarray | None
    if averaged is not None:
        hard, soft = (np.asarray(table.n_vk[v]) for table in averaged)
    else:
        hard = np.asarray(sample.counts.n_vk[v])
        soft = _soft(snapshot, sample, chain, tokens)
    return _compared(
        snapshot, hard, soft, f"“{vocab[v]}”: {tokens.size:,} tokens", _when(chain, mean, averaged is not None)
    )


def gap_distribution(snapshot: Snapshot, chain: int, mean: bool = False) -> Gaps:
    """How many documents have which gap; of one sample of a large corpus, a fixed choice of the documents."""
    sample, averaged = _counted(snapshot, chain, mean)
    if sample.z is None:
        return Gaps(topics.histogram_table(np.zeros(0)), ALREADY)
    if averaged is not None:
        gaps = topics.document_gaps(*(np.asarray(table.n_dk) for table in averaged))
    else:
        gaps = topics.sampled_gaps(sample, snapshot.run.chain_data(chain))
    total = int((np.asarray(snapshot.run.data.tokens.n_d) > 0).sum())
    which = f"{total:,} documents" if len(gaps.gap) == total else f"{len(gaps.gap):,} of {total:,} documents, at random"
    median = f": the median is {np.median(gaps.gap):.3f}" if len(gaps.gap) else ""
    return Gaps(
        topics.histogram_table(gaps.gap), f"Gaps of {which}, {_when(chain, mean, averaged is not None)}{median}."
    )


def _counted(snapshot: Snapshot, chain: int, mean: bool) -> tuple[Sample, tuple[Counts, Counts] | None]:
    """The present sample, and if asked for and there are any draws of both, the means of hard and soft counts."""
    run = snapshot.run
    sample = run.chain(chain)
    if not mean or not run.num_draws or not run.soft or sample.z is None:
        return sample, None
    return sample, (run.counts(chain=chain), run.counts(chain=chain, soft=True))


def _soft(snapshot: Snapshot, sample: Sample, chain: int, tokens: slice | np.ndarray) -> np.ndarray | None:
    return None if sample.z is None else topics.soft_row(sample, snapshot.run.chain_data(chain), tokens)


def _compared(snapshot: Snapshot, hard: np.ndarray, soft: np.ndarray | None, about: str, when: str) -> HardSoft:
    if soft is None:  # what was counted is soft
        table = topics.hard_soft_table(np.full(hard.shape, np.nan), hard, snapshot.labels)
        return HardSoft(table, f"{about}. {ALREADY}", None)
    gap = float(np.abs(hard - soft).sum() / hard.sum()) if hard.sum() > 0 else None
    apart = "" if gap is None else f", {gap / 2:.0%} of them counted elsewhere than their probabilities say"
    note = f"{about}{apart}, {when}."
    return HardSoft(topics.hard_soft_table(hard, soft, snapshot.labels), note, gap)


def _when(chain: int, mean: bool, averaged: bool) -> str:
    return (MEAN if averaged else NO_DRAWS if mean else LATEST).format(chain)
