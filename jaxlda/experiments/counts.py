r"""Appendix A of the paper: how far hard and soft counts are apart, sweep by sweep (Eq. 60) and for one document.

.. math:: \frac1D \sum_d \sum_k \Big| n_{dk} - \sum_j p_{djk} \Big|

The paper divides the counts of each document by its length first ("normalised"); both forms are given.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jaxlda import estimators
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.experiments import _tasks
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Mean, Report, Table, agreement, mean
from jaxlda.experiments._tasks import ALPHA, BETA
from jaxlda.experiments._training import samples_after
from jaxlda.types import Counts, Data

__all__ = ["SCALES", "compute", "load"]

TITLES = _tasks.TITLES | {"20newsgroups": "20 Newsgroups"}
SHOWN = (1, 5, 10, 20, 50)


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    num_topics: int
    sweeps: int
    """Over which the difference is followed."""
    panels: tuple[int, ...]
    """Sweeps after which one document is looked at."""


SCALES = {"full": Scale(5, 100, 50, (50, 100, 500, 1000)), "smoke": Scale(2, 10, 20, (5, 10, 20, 30))}


def compute(job: Job) -> Report:
    """Compute the paper's figures of hard and soft counts.

    At full scale on the training documents of Reuters-21578, Associated Press and 20 Newsgroups, whichever there are.
    """
    chosen = job.plan(SCALES)
    corpora = load(job.data, job.scale)
    gaps: dict[str, list[dict[str, list[float]]]] = {}
    document: dict[str, list[float]] = {}
    first = next(iter(corpora))
    for name, corpus in corpora.items():
        settings = {"plan": chosen._replace(runs=0)._asdict(), "corpus": fingerprint(corpus)}
        with job.parts(settings, chosen.runs + (name == first), name) as parts:
            gaps[name] = [
                parts.get(f"run {run}", partial(_gaps, corpus, chosen, job.seed + run)) for run in range(chosen.runs)
            ]
            if name == first:
                document = parts.get("one document", partial(_one_document, corpus, chosen, job.seed))
    return _report(job, chosen, corpora, gaps, first, document)


reproduce = old_way("counts")


def load(data: str | Path | None, scale: str) -> dict[str, Corpus]:
    """Corpora by name; where none is there, the error says what is missing."""
    if scale != "full":
        return {task.name: task.train for task in _tasks.load(data, scale)}
    return {TITLES[name]: corpus for name, corpus in _tasks.present(TITLES, data).items()}


def _counts(data: Data, sweeps: range | tuple[int, ...], seed: int) -> Iterator[tuple[Counts, Counts]]:
    """Hard and soft counts after each of the sweeps, of one chain."""
    for sample in samples_after(data, sweeps, seed):
        yield sample.counts, estimators.soften(sample, data)


def _gaps(corpus: Corpus, chosen: Scale, seed: int) -> dict[str, list[float]]:
    """Eq. 60 after every sweep: of shares, and of counts as they are."""
    data = corpus.data(chosen.num_topics, ALPHA, BETA)
    gaps: dict[str, list[float]] = {"normalised": [], "counts": []}
    for hard, soft in _counts(data, range(1, chosen.sweeps + 1), seed):
        gaps["normalised"].append(float(estimators.gap(hard, soft)))
        difference = np.abs(np.asarray(hard.n_dk) - np.asarray(soft.n_dk, np.float64))
        gaps["counts"].append(float(difference.sum() / corpus.num_docs))
    return gaps


def _one_document(corpus: Corpus, chosen: Scale, seed: int) -> dict[str, list[float]]:
    """The first document's difference in every topic, after each of a few sweeps."""
    data = corpus.data(chosen.num_topics, ALPHA, BETA)
    d = _first_document(corpus)
    pairs = zip(chosen.panels, _counts(data, chosen.panels, seed), strict=True)
    return {str(t): np.abs(np.asarray(hard.n_dk[d]) - np.asarray(soft.n_dk[d])).tolist() for t, (hard, soft) in pairs}


def _first_document(corpus: Corpus) -> int:
    return int(np.flatnonzero(corpus.n_d)[0])


def _report(
    job: Job,
    chosen: Scale,
    corpora: Mapping[str, Corpus],
    gaps: Mapping[str, list[dict[str, list[float]]]],
    first: str,
    document: Mapping[str, list[float]],
) -> Report:
    means = {
        (name, kind): [mean(x) for x in zip(*(run[kind] for run in runs), strict=True)]
        for name, runs in gaps.items()
        for kind in ("normalised", "counts")
    }
    shown = [t for t in SHOWN if t <= chosen.sweeps]
    rows = [
        {"data": name, "difference of": "shares" if kind == "normalised" else "counts"}
        | {f"sweep {t}": curve[t - 1].show(4 if kind == "normalised" else 2) for t in shown}
        for (name, kind), curve in means.items()
    ]
    length = int(corpora[first].n_d[_first_document(corpora[first])])
    panels = [
        {
            "sweep": int(t),
            "largest": max(values),
            "mean of topics": float(np.mean(values)),
            "sum": sum(values),
            "share of the tokens": sum(values) / length,
        }
        for t, values in document.items()
    ]
    points = {
        ("normalised", name, float(t)): value
        for (name, kind), curve in means.items()
        if kind == "normalised"
        for t, value in enumerate(curve, 1)
    }
    topics = {
        (f"sweep {t}", "first document", float(k)): Mean(value, 0.0)
        for t, values in document.items()
        for k, value in enumerate(values)
    }
    sizes = " and ".join(f"{name} ({corpus.num_docs:,} documents)" for name, corpus in corpora.items())
    numbers: dict[str, Any] = {
        "settings": {**chosen._asdict(), "alpha": ALPHA, "beta": BETA},
        "gaps": gaps,
        "document": {"data": first, "index": _first_document(corpora[first]), "tokens": length, "difference": document},
    }
    digits = dict.fromkeys(("largest", "mean of topics", "sum", "share of the tokens"), ".3f")
    return Report(
        job.name,
        job.scale,
        "Hard counts against soft counts (appendix A)",
        f"The paper: {_tasks.PAPER}; K 100, 50 sweeps; one document after 50, 100, 500 and 1000. Here: {sizes}; K "
        f"{chosen.num_topics}, {chosen.sweeps} sweeps, α {ALPHA}, β {BETA}, {chosen.runs} run(s), ± their spread; the "
        f"first document of {first} ({length} tokens).",
        (
            Table("Mean over documents of the sum over topics of |hard − soft| (Eq. 60)", rows),
            Table(f"The first document of {first}: |hard − soft| over the topics, in tokens", panels, digits),
        ),
        (
            Figure(
                "Difference of hard and soft shares", _tasks.curve(points), {"x": "sweep", "y": "Eq. 60, normalised"}
            ),
            Figure("One document: |hard − soft| in every topic", _tasks.curve(topics), {"x": "topic", "y": "tokens"}),
        ),
        _reading(means, document, length, chosen.sweeps),
        numbers,
    )


def _reading(
    means: Mapping[tuple[str, str], list[Mean]], document: Mapping[str, list[float]], length: int, sweeps: int
) -> str:
    text = ""
    for (name, kind), curve in means.items():
        if kind == "normalised":
            start, end, half = curve[0].mean, curve[-1].mean, curve[len(curve) // 2].mean
            falls = end < half < start
            text += (
                f"{name}: the difference {'falls' if falls else 'does not fall steadily'} from {start:.3f} after the "
                f"first sweep to {end:.3f} after {sweeps}, {end / start:.0%} of it: "
                f"{'it becomes less, but stays' if falls and end > 0.05 else 'it does not become less and stay'}, "
                f"{agreement(falls and end > 0.05)}. "
            )
    shares = [sum(values) / length for values in document.values()]
    text += (
        f"In the first document hard and soft counts differ by {min(shares):.0%} to {max(shares):.0%} of its {length} "
        f"tokens, {'at every sweep looked at' if min(shares) > 0.01 else 'not at every sweep'}, "
        f"{agreement(min(shares) > 0.01)}."
    )
    if len(shares) > 1:
        times = sum(a > b for a, b in pairwise(shares))
        text += f" From one of these sweeps to the next it becomes less {times} of {len(shares) - 1} times."
    return text
