r"""Section 5.8 of the paper: whether CGSₚ is worth its time.

phi_p and theta_p cost about as much as another sweep. In that time a chain that is still on its way gets better too, so
at first the standard estimates may be ahead; once the chain has arrived, they have nothing to gain from more time. The
log-likelihood of both is put against the seconds spent on the sweeps and the estimates, compilation not counted.
"""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxlda import estimators, evaluation, kernels
from jaxlda.corpora import datasets
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Mean, Report, Table, agreement, mean, rising
from jaxlda.experiments._tasks import ALPHA, BETA, curve
from jaxlda.running.driver import run_blocks
from jaxlda.types import Data, Sample

__all__ = ["SCALES", "compute"]

Point = dict[str, Any]  # sweeps, seconds, overhead and log-likelihood with and without _p
LINES = {"": "CGS (φ + θ)", "_p": "CGSₚ (φᵖ + θᵖ)"}


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    topics: tuple[int, ...]
    sweeps: tuple[int, ...]
    """After which to look; multiples of the first."""


SCALES = {
    "full": Scale(5, (50, 100, 500, 1000), (10, 20, 50, 100, 200, 500, 1000)),
    "smoke": Scale(2, (10, 40), (2, 4, 10, 20, 40)),
}


def compute(job: Job) -> Report:
    """Compute log-likelihood against time.

    At full scale on Reuters-21578; the check takes the small Reuters corpus that comes with the package.
    """
    chosen = job.plan(SCALES)
    corpus = datasets.load("reuters21578", folder=job.data) if job.scale == "full" else datasets.load("reuters")
    settings = {"sweeps": chosen.sweeps, "corpus": fingerprint(corpus)}
    cases = {f"K {K}": partial(_points, corpus, K, chosen.sweeps) for K in chosen.topics}
    found = job.computed(cases, chosen.runs, settings)
    return _report(job, chosen, corpus, dict(zip(chosen.topics, found, strict=True)))


reproduce = old_way("overhead")


def _points(corpus: Corpus, K: int, sweeps: tuple[int, ...], seed: int) -> list[Point]:
    """Time and log-likelihood after each number of sweeps of one chain."""
    data = corpus.data(K, ALPHA, BETA)
    arguments = (jax.random.key(seed), kernels.cgs(), data)
    options: dict[str, Any] = {"num_warmup": 0, "num_samples": 1, "trace_every": 0, "soft": False}
    *_, once = run_blocks(*arguments, **options, thinning=1, block=1)
    for soft in (False, True):
        _estimates(once.chain(0), data, soft)  # all is compiled now, which is not to be timed
    seconds = 0.0
    points: list[Point] = []
    blocks = run_blocks(*arguments, **options, thinning=sweeps[-1], block=sweeps[0])
    next(blocks)  # the start
    while True:
        begin = time.perf_counter()
        now = next(blocks, None)
        seconds += time.perf_counter() - begin
        if now is None:
            return points
        if now.sweep in sweeps:
            points.append({"sweeps": now.sweep, "seconds": seconds, **_measured(now.chain(0), data, corpus)})


def _measured(sample: Sample, data: Data, corpus: Corpus) -> Point:
    point = {}
    for suffix, soft in (("", False), ("_p", True)):
        begin = time.perf_counter()
        phi, theta = _estimates(sample, data, soft)
        point[f"overhead{suffix}"] = time.perf_counter() - begin
        point[f"log_likelihood{suffix}"] = evaluation.log_likelihood(phi, theta, data.tokens) / corpus.num_tokens
    return point


def _estimates(sample: Sample, data: Data, soft: bool) -> tuple[jax.Array, jax.Array]:
    counts = estimators.soften(sample, data) if soft else sample.counts
    return jax.block_until_ready((estimators.phi(counts, data), estimators.theta(counts, data)))


def _overtaking(points: list[Point]) -> Point | None:
    """The first point from which on CGSₚ is ahead of what CGS has reached in the same time; ``None`` if never.

    The log-likelihood of CGS is taken to grow evenly in the logarithm of the time between points, and after the last.
    """
    times = np.log([point["seconds"] + point["overhead"] for point in points])
    reached = np.array([point["log_likelihood"] for point in points])
    slopes = np.diff(reached) / np.diff(times)
    since = None
    for i, point in enumerate(points):
        now = np.log(point["seconds"] + point["overhead_p"])
        j = min(max(i, int(np.searchsorted(times, now)) - 1), len(slopes) - 1)
        ahead = point["log_likelihood_p"] > reached[j] + slopes[j] * (now - times[j])
        since = (since or point) if ahead else None
    return since


def _report(job: Job, chosen: Scale, corpus: Corpus, results: Mapping[int, list[list[Point]]]) -> Report:
    rows: list[dict[str, Any]] = []
    points: dict[tuple[str, str, float], Mean] = {}
    for K, runs in results.items():
        for i, sweeps in enumerate(chosen.sweeps):
            average = {name: mean(run[i][name] for run in runs) for name in runs[0][i]}
            for suffix, title in LINES.items():
                seconds = average["seconds"].mean + average[f"overhead{suffix}"].mean
                points[f"K = {K}", title, seconds] = average[f"log_likelihood{suffix}"]
            rows.append(
                {
                    "K": K,
                    "sweeps": sweeps,
                    "seconds": average["seconds"].mean,
                    "for φ, θ": average["overhead"].mean,
                    "for φᵖ, θᵖ": average["overhead_p"].mean,
                    "in sweeps": float(np.median([run[i]["overhead_p"] / _per_sweep(run) for run in runs])),
                    "CGS": average["log_likelihood"].show(4),
                    "CGSₚ": average["log_likelihood_p"].show(4),
                }
            )
    ordered = sorted(points.items(), key=lambda point: list(LINES.values()).index(point[0][1]))
    axes = {"x": "seconds", "y": "log-likelihood per token", "log_x": True}
    formats = {"seconds": ".2f", "for φ, θ": ".4f", "for φᵖ, θᵖ": ".3f", "in sweeps": ".1f"}
    return Report(
        job.name,
        job.scale,
        "Run-time overhead: CGSₚ against CGS (section 5.8)",
        "The paper: WarpLDA, 50 to 5000 iterations, K 50, 100, 500, 1000, TASA; Reuters-21578 and others in its "
        f"appendix. Here: exact collapsed Gibbs sampling of jaxlda, which needs fewer sweeps, on {corpus}, "
        f"α {ALPHA}, β {BETA}, {chosen.runs} run(s), ± their spread; one chain, compilation not counted.",
        (Table("Log-likelihood per token, and seconds: of the sweeps, and of the estimates on top", rows, formats),),
        (Figure("Log-likelihood against time", curve(dict(ordered)), axes),),
        _reading(results),
        {"settings": chosen._asdict(), "corpus": str(corpus), "runs": {f"K {K}": runs for K, runs in results.items()}},
    )


def _per_sweep(run: list[Point]) -> float:
    return run[-1]["seconds"] / run[-1]["sweeps"]


def _reading(results: Mapping[int, list[list[Point]]]) -> str:
    sentences, wins, gains = [], True, []
    for K, runs in results.items():
        cost = np.median([point["overhead_p"] / _per_sweep(run) for run in runs for point in run])
        since = sorted(point["sweeps"] for point in map(_overtaking, runs) if point is not None)
        wins &= len(since) == len(runs)
        gains.append(mean(run[-1]["log_likelihood_p"] - run[-1]["log_likelihood"] for run in runs).mean)
        after = f", after {'–'.join(map(str, dict.fromkeys([since[0], since[-1]])))} sweeps" if since else ""
        sentences.append(
            f"K {K}: φᵖ and θᵖ cost {cost:.1f} sweeps; at equal time, CGSₚ is ahead for good in {len(since)} of "
            f"{len(runs)} run(s){after}, and ends {gains[-1]:+.4f} per token above CGS."
        )
    sentences.append(
        f"So CGSₚ {'is' if wins else 'is not always'} the better use of time in the end, {agreement(wins)}."
    )
    if len(gains) > 1:
        grows = rising(gains)
        sentences.append(f"Its lead {'grows' if grows else 'does not always grow'} with K, {agreement(grows)}.")
    return " ".join(sentences)
