r"""Section 5.4 of the paper: words that people associate, ranked by phi and by phi_p (Eq. 57).

Given a word (the cue), people were asked for the first word that came to their mind. Topics answer too: by how likely
each word of the vocabulary is, given the cue. The better the topics, the earlier come the words that people named; how
much earlier by phi_p than by phi is the gain, whose median is taken over cues that are about equally frequent.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jaxlda import estimators
from jaxlda.corpora import datasets
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation import association_probabilities, association_ranks
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Report, Table, agreement, mean, rising
from jaxlda.experiments._tasks import ALPHA, BETA, curve
from jaxlda.experiments._training import one_sample

__all__ = ["SCALES", "compute", "load"]

ASSOCIATES = 5  # of each cue: those that most people named
GROUPS = 10  # of cues, by frequency
RAREST, MOST_FREQUENT = 5, 10_000  # words outside are left out, as in the paper
ENOUGH = 100  # pairs: a median of fewer is not spoken of


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    topics: tuple[int, ...]
    sweeps: int


SCALES = {"full": Scale(5, (50, 100, 500, 1000), 250), "smoke": Scale(2, (10, 40), 30)}


class Norms(NamedTuple):
    """Pairs of words by their columns, in groups of about equally frequent cues."""

    cue: np.ndarray
    target: np.ndarray
    group: np.ndarray
    """The group of each pair, of equal width in frequency: most cues are in the first."""
    decile: np.ndarray
    """The same for groups of equal size."""
    edges: np.ndarray
    """Frequencies between which the groups are."""


def compute(job: Job) -> Report:
    """Compute the paper's figure of word association.

    At full scale on 20 Newsgroups with the USF norms; the check takes a corpus drawn from known topics, and as norms
    what those topics associate.
    """
    chosen = job.plan(SCALES)
    corpus, norms = load(job.data) if job.scale == "full" else _simulated(job.seed)
    settings = {"sweeps": chosen.sweeps, "corpus": fingerprint(corpus), "pairs": len(norms.cue)}
    cases = {f"K {K}": partial(_gains, corpus, norms, K, chosen.sweeps) for K in chosen.topics}
    found = job.computed(cases, chosen.runs, settings)
    return _report(job, chosen, corpus, norms, dict(zip(chosen.topics, found, strict=True)))


reproduce = old_way("association")


def load(data: str | Path | None = None) -> tuple[Corpus, Norms]:
    """20 Newsgroups without very rare and very frequent words, and the first five associates of its words."""
    corpus = datasets.load("20newsgroups", folder=data)
    kept = _usual_words(corpus)
    corpus = Corpus(corpus.counts[:, kept], corpus.vocab[kept])
    with np.load(datasets.data_file("usf_norms.npz", data), allow_pickle=False) as stored:
        cues, targets = stored["cue"].tolist(), stored["target"].tolist()  # strongest first within each cue
    column = {word: v for v, word in enumerate(corpus.vocab.tolist())}
    seen: dict[str, int] = {}
    pairs = []
    for cue, target in zip(cues, targets, strict=True):
        seen[cue] = seen.get(cue, 0) + 1
        if seen[cue] <= ASSOCIATES and cue in column and target in column and cue != target:
            pairs.append((column[cue], column[target]))
    return corpus, _norms(corpus, np.array(pairs))


def _simulated(seed: int) -> tuple[Corpus, Norms]:
    corpus, truth = datasets.simulate(400, 20, 1500, 80, alpha=ALPHA, beta=0.05, seed=seed)
    kept = _usual_words(corpus)
    p = association_probabilities(truth.phi[:, kept], np.arange(len(kept)))
    np.fill_diagonal(p, -1)
    targets = np.argsort(-p, axis=1)[:, :ASSOCIATES]
    corpus = Corpus(corpus.counts[:, kept], corpus.vocab[kept])
    return corpus, _norms(corpus, np.column_stack([np.repeat(np.arange(len(kept)), ASSOCIATES), targets.ravel()]))


def _usual_words(corpus: Corpus) -> np.ndarray:
    frequency = _frequency(corpus)
    return np.flatnonzero((frequency >= RAREST) & (frequency <= MOST_FREQUENT))


def _frequency(corpus: Corpus) -> np.ndarray:
    return np.asarray(corpus.counts.sum(axis=0)).ravel()


def _norms(corpus: Corpus, pairs: np.ndarray) -> Norms:
    cue, target = pairs.T
    frequency = _frequency(corpus)[cue]
    edges = np.linspace(frequency.min(), frequency.max(), GROUPS + 1)
    deciles = np.quantile(frequency, np.linspace(0, 1, GROUPS + 1))
    group, decile = (np.clip(np.searchsorted(x, frequency, "right") - 1, 0, GROUPS - 1) for x in (edges, deciles))
    return Norms(cue, target, group, decile, edges)


def _gains(corpus: Corpus, norms: Norms, K: int, sweeps: int, seed: int) -> dict[str, Any]:
    """How much earlier the associates come by phi_p than by phi, in one run."""
    data = corpus.data(K, ALPHA, BETA)
    sample = one_sample(data, sweeps, seed)
    rank, rank_p = (
        association_ranks(phi, norms.cue, norms.target)
        for phi in (estimators.phi(sample.counts, data), estimators.phi_p(sample, data))
    )
    gain = rank - rank_p
    return {
        "median_gain": _medians(gain, norms.group),
        "median_gain_by_decile": _medians(gain, norms.decile),
        "median_rank_phi": _medians(rank, norms.group),
        "median_rank_phi_p": _medians(rank_p, norms.group),
        "share_better": float(np.mean(gain > 0)),
        "share_worse": float(np.mean(gain < 0)),
    }


def _medians(values: np.ndarray, group: np.ndarray) -> list[float | None]:
    """Of each group; ``None`` for one without pairs."""
    return [float(np.median(values[group == g])) if (group == g).any() else None for g in range(GROUPS)]


def _report(
    job: Job, chosen: Scale, corpus: Corpus, norms: Norms, results: Mapping[int, list[dict[str, Any]]]
) -> Report:
    sizes = np.bincount(norms.group, minlength=GROUPS)
    present: list[int] = np.flatnonzero(sizes).tolist()
    cues = [len(np.unique(norms.cue[norms.group == g])) for g in range(GROUPS)]
    median = {(K, g): mean(run["median_gain"][g] for run in runs) for K, runs in results.items() for g in present}
    rows = [
        {"frequency": f"{norms.edges[g]:.0f}–{norms.edges[g + 1]:.0f}", "cues": cues[g], "pairs": int(sizes[g])}
        | {f"K {K}": median[K, g].show(1) for K in results}
        for g in present
    ]
    by_decile = [
        {"cues": f"tenth {g + 1}"}
        | {f"K {K}": mean(run["median_gain_by_decile"][g] for run in runs).show(1) for K, runs in results.items()}
        for g in range(GROUPS)
        if (norms.decile == g).any()
    ]
    points = {(f"K = {K}", "φᵖ against φ", g + 1.0): median[K, g] for K in results for g in present}
    axes = {"x": "group of cues, the rarest first", "y": "median gain", "ticks": {g + 1: str(g + 1) for g in present}}
    numbers = {
        "settings": {**chosen._asdict(), "alpha": ALPHA, "beta": BETA, "corpus": str(corpus)},
        "groups": [
            {"from": norms.edges[g], "to": norms.edges[g + 1], "cues": cues[g], "pairs": sizes[g]}
            for g in range(GROUPS)
        ],
        "runs": {f"K {K}": runs for K, runs in results.items()},
    }
    where = "20 Newsgroups with the USF norms" if job.scale == "full" else "a corpus drawn from known topics"
    return Report(
        job.name,
        job.scale,
        "Word association: φᵖ against φ (section 5.4)",
        f"The paper: TASA (26,186 words), 4,506 norms, K 50, 100, 500, 1000, 250 sweeps. Here: {where} "
        f"({corpus}; {len(np.unique(norms.cue))} cues, {len(norms.cue)} pairs of a cue and one of its first "
        f"{ASSOCIATES} associates), {chosen.sweeps} sweeps, α {ALPHA}, β {BETA}, {chosen.runs} run(s), ± their spread.",
        (
            Table("Median gain in rank (rank by φ − rank by φᵖ), cues in ten groups of equal width in frequency", rows),
            Table("The same, cues in ten groups of equal size, the rarest first", by_decile),
        ),
        (Figure("Median gain in rank by frequency of the cue", curve(points), axes),),
        _reading(results, median, sizes),
        numbers,
    )


def _reading(results: Mapping[int, Any], median: Mapping[tuple[int, int], Any], sizes: np.ndarray) -> str:
    topics = list(results)
    rarest = [median[K, 0].mean for K in topics]
    shown = ", ".join(f"{gain:+.1f} at K {K}" for gain, K in zip(rarest, topics, strict=True))
    others = [g for g in range(1, GROUPS) if sizes[g] >= ENOUGH]
    text = (
        f"In the group of the rarest cues, which has {sizes[0] / sizes.sum():.0%} of the pairs, the median gain of φᵖ "
    )
    text += f"is {shown}: φᵖ is better at {sum(gain > 0 for gain in rarest)} of {len(topics)} numbers of topics, "
    text += f"{agreement(all(gain > 0 for gain in rarest))}. "
    if others:
        rest = [median[K, g].mean for K in topics for g in others]
        par = all(abs(median[K, g].mean) < median[K, 0].mean for K in topics for g in others)
        text += (
            f"In the {len(others)} other group(s) with at least {ENOUGH} pairs it lies between {min(rest):+.1f} and "
        )
        text += (
            f"{max(rest):+.1f}, {'less than' if par else 'not always less than'} among the rarest, {agreement(par)}. "
        )
    if len(topics) > 1:
        grows = rising(rarest)
        text += f"The gain among the rarest {'grows' if grows else 'does not always grow'} with K, {agreement(grows)}."
    return text.strip()
