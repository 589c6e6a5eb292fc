r"""Appendices B and C of the paper: the approximation behind phi_p (Eq. 47), both of its sides computed exactly.

The left side is the mean of :math:`(n_{kv} + \beta_v) / (n_k + \sum_v \beta_v)` over the samples that differ from a
given one in at most one token; the right side keeps the denominator of the given sample. Every neighbour is one token
that goes from a topic to another, so that both means are sums over words and topics of the weights of such moves: no
sampling, no approximation. Two readings of the paper's distribution over neighbours are computed:

* ``"posterior"``: the posterior restricted to the neighbours, :math:`p(z) \propto p(z \mid w)`, as it is written;
* ``"scan"``: a token is chosen at random and drawn from its full conditional, as a Gibbs sampler goes.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from jaxlda.corpora import datasets
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import one_of
from jaxlda.experiments import _tasks
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Mean, Report, Table, agreement, mean
from jaxlda.experiments._tasks import ALPHA, BETA
from jaxlda.experiments._training import one_sample
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.types import Data, Sample

__all__ = ["READINGS", "SCALES", "Sides", "compute", "load", "sides"]

READINGS = ("posterior", "scan")
ROUNDING = 1e-12  # what two sums of the same numbers may differ by, relatively
TOLERANCE = 0.15  # of the power with which the error falls
_CHUNK = 4096  # tokens at once: bounds the memory, K numbers for each


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    num_topics: int
    sweeps: int
    documents: tuple[int, ...]
    """How many of the documents, in one try after another."""


SCALES = {"full": Scale(5, 100, 100, (50, 100, 200, 400, 800, 1600, 2246)), "smoke": Scale(2, 5, 10, (15, 60))}


class Sides(NamedTuple):
    """Both sides of Eq. 47 for every topic and word, and what n_k is."""

    exact: Float64[np.ndarray, "K V"]
    approximate: Float64[np.ndarray, "K V"]
    totals: Float64[np.ndarray, " K"]
    r"""The denominators :math:`n_k + \sum_v \beta_v`."""
    n_k: Float64[np.ndarray, " K"]

    @property
    def errors(self) -> Float64[np.ndarray, " K"]:
        """The difference of the sides of each topic, summed over words."""
        return np.abs(self.exact - self.approximate).sum(1)

    @property
    def violations(self) -> int:
        r"""Words of topics that are not empty for which :math:`b S/(S+1) \le a \le b S/(S-1)` does not hold."""
        used = self.n_k > 0
        a, b, S = self.exact[used], self.approximate[used], self.totals[used, None]
        slack = ROUNDING * b
        return int(np.sum((a < b * S / (S + 1) - slack) | (a > b * S / (S - 1) + slack)))


def sides(sample: Sample, data: Data, reading: str = "posterior") -> Sides:
    r"""Compute both sides of Eq. 47 exactly, on the host, in float64.

    With weight :math:`p_{jk}` of the move of token j to topic k (all moves and staying add up to 1), topic k loses a
    token of word v with the sum of those of its tokens of word v that leave, and gains one with the sum of those that
    come; a lost token makes the denominator one less, one that is gained one more.

    Parameters
    ----------
    sample
        Assignments with their counts.
    data
        What they are of.
    reading
        ``"posterior"`` or ``"scan"``, see the module.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> both = sides(jaxlda.run(0, "cgs", data, num_warmup=1).chain(0), data)
    >>> both.violations
    0
    """
    one_of(reading, "reading", READINGS)
    if sample.z is None:
        raise ValueError("both sides of Eq. 47 are about neighbours of z, and this sample has none")
    n_dk, n_vk, n_k = (np.asarray(x, np.float64) for x in sample.counts)
    alpha = np.broadcast_to(np.asarray(data.priors.alpha, np.float64), n_dk.shape)
    beta = np.broadcast_to(np.asarray(words_first(data.priors.beta), np.float64), n_vk.shape)
    S = n_k + np.asarray(beta_totals(data.priors), np.float64)
    A, B = n_dk + alpha, (n_vk + beta) / S
    w, d, m = (np.asarray(x) for x in data.tokens[:3])
    real = m > 0
    w, d, z = w[real], d[real], np.asarray(sample.z)[real]
    lost, gained = np.zeros_like(n_vk), np.zeros_like(n_vk)
    for start in range(0, len(w), _CHUNK):
        ww, dd, zz = (x[start : start + _CHUNK] for x in (w, d, z))
        own = (A[dd, zz] - 1) * (n_vk[ww, zz] + beta[ww, zz] - 1) / (S[zz] - 1)  # the token itself left out
        p = A[dd] * B[ww]
        p[np.arange(len(zz)), zz] = 0.0
        p /= own[:, None] if reading == "posterior" else (own + p.sum(1))[:, None]
        np.add.at(gained, ww, p)
        np.add.at(lost, (ww, zz), p.sum(1))
    whole = 1 + lost.sum() if reading == "posterior" else float(len(w))
    lost, gained = lost / whole, gained / whole
    above, stays = n_vk + beta, 1 - lost.sum(0) - gained.sum(0)
    less = np.maximum(S - 1, np.finfo(np.float64).tiny)  # an empty topic loses nothing
    exact = above * stays / S + (above * lost.sum(0) - lost) / less + (above * gained.sum(0) + gained) / (S + 1)
    return Sides(exact.T, ((above - lost + gained) / S).T, S, n_k)


def compute(job: Job) -> Report:
    """Check the paper's bound and compute its figure.

    At full scale on more and more documents of Associated Press.
    """
    chosen = job.plan(SCALES)
    corpus = load(job.data, job.scale)
    settings = {"plan": chosen._replace(runs=0)._asdict(), "corpus": fingerprint(corpus)}
    cases = {f"{D} documents": partial(_checked, corpus, D, chosen) for D in chosen.documents}
    found = job.computed(cases, chosen.runs, settings)
    return _report(job, chosen, corpus, dict(zip(chosen.documents, found, strict=True)))


reproduce = old_way("phi-bound")


def load(data: str | Path | None, scale: str) -> Corpus:
    """Associated Press; for a check, the bundled Reuters corpus."""
    return datasets.load("ap", folder=data) if scale == "full" else _tasks.load(data, scale)[0].train


def _checked(corpus: Corpus, D: int, chosen: Scale, seed: int) -> dict[str, Any]:
    """One run over D documents drawn at random."""
    some = np.sort(np.random.default_rng(seed).permutation(corpus.num_docs)[:D])
    data = corpus.subset(some).data(chosen.num_topics, ALPHA, BETA)
    sample = one_sample(data, chosen.sweeps, seed)
    result: dict[str, Any] = {}
    for reading in READINGS:
        both = sides(sample, data, reading)
        used = both.n_k > 0
        relative = np.abs(both.exact / both.approximate - 1)[used].max(1) * both.totals[used]
        result[reading] = {
            "error": float(both.errors.sum() / chosen.num_topics),
            "largest_error": float(both.errors.max()),
            "violations": both.violations,
            "checked": int(used.sum() * both.exact.shape[1]),
            "largest_relative_error_times_n_k": float(relative.max()),
        }
    return result | {"n_k": float(both.n_k.mean()), "tokens": float(both.n_k.sum()), "empty": int((~used).sum())}


def _report(job: Job, chosen: Scale, corpus: Corpus, parts: Mapping[int, list[dict[str, Any]]]) -> Report:
    errors = {
        (reading, D): mean(run[reading]["error"] for run in runs) for reading in READINGS for D, runs in parts.items()
    }
    n_k = {D: mean(run["n_k"] for run in runs).mean for D, runs in parts.items()}
    slopes = {reading: _slope(n_k, {D: errors[reading, D] for D in parts}) for reading in READINGS}
    rows = [
        {"documents": D, "mean n_k": n_k[D], "empty topics": mean(run["empty"] for run in runs).mean}
        | {f"error, {reading}": errors[reading, D].mean for reading in READINGS}
        | {"± (posterior)": errors["posterior", D].spread}
        | {
            "violations": sum(run[reading]["violations"] for run in runs for reading in READINGS),
            "checked": sum(run[reading]["checked"] for run in runs for reading in READINGS),
            "relative × n_k": max(run[r]["largest_relative_error_times_n_k"] for run in runs for r in READINGS),
        }
        for D, runs in parts.items()
    ]
    points = {(reading, "|a − b| / K", float(D)): errors[reading, D] for reading in READINGS for D in parts}
    shapes = {"mean n_k": ".1f", "empty topics": ".1f", "relative × n_k": ".4f", "± (posterior)": ".1e"}
    shapes |= {f"error, {reading}": ".3e" for reading in READINGS}
    numbers = {
        "settings": {**chosen._asdict(), "alpha": ALPHA, "beta": BETA, "corpus": str(corpus)},
        "runs": {f"{D} documents": runs for D, runs in parts.items()},
        "slopes": slopes,
    }
    where = "Associated Press" if job.scale == "full" else "Reuters, 90 stories"
    return Report(
        job.name,
        job.scale,
        "The approximation behind φᵖ: Eq. 47 and its bound (appendices B and C)",
        f"The paper: New York Times, K 100, 100 sweeps, subsets of the documents. Here: {where} ({corpus}), K "
        f"{chosen.num_topics}, {chosen.sweeps} sweeps on subsets drawn at random, α {ALPHA}, β {BETA}, {chosen.runs} "
        "run(s). Both sides are exact sums over all samples that differ in one token, weighed by the posterior "
        "restricted to them, or as a Gibbs sampler visits them that chooses a token at random (scan).",
        (Table("Sum over words of |a − b| per topic, and topics and words outside of the bound", rows, shapes),),
        (
            Figure(
                "Difference of both sides of Eq. 47 per topic",
                _tasks.curve(points),
                {"x": "documents", "y": "|a − b| / K", "log_x": True},
            ),
        ),
        _reading(rows, slopes),
        numbers,
    )


def _slope(n_k: Mapping[int, float], errors: Mapping[int, Mean]) -> float:
    """Of log error against log n_k: -1 where the error falls like 1 / n_k."""
    x, y = np.log([n_k[D] for D in errors]), np.log([error.mean for error in errors.values()])
    return float(np.polyfit(x, y, 1)[0])


def _reading(rows: list[dict[str, Any]], slopes: Mapping[str, float]) -> str:
    violations, checked = (sum(row[name] for row in rows) for name in ("violations", "checked"))
    largest = max(row["relative × n_k"] for row in rows)
    powers = " and ".join(f"{slope:.2f} ({reading}: {_like(slope)})" for reading, slope in slopes.items())
    first, last = rows[0], rows[-1]
    return (
        f"The two-sided bound is checked for {checked:,} pairs of a topic that is not empty and a word, and "
        f"{'holds for all of them' if violations == 0 else f'is violated by {violations:,}'}, "
        f"{agreement(violations == 0)}. The largest relative difference of the sides is {largest:.3f} / (n_k + Σβ), "
        f"where the bound allows about 1. From {first['documents']:,} to {last['documents']:,} documents the error of "
        f"a topic falls from {first['error, posterior']:.1e} to {last['error, posterior']:.1e}, "
        f"{agreement(last['error, posterior'] < first['error, posterior'])}. Against the mean n_k it goes with the "
        f"power {powers}; the paper names no power, its bound goes with -1."
    )


def _like(slope: float) -> str:
    """A power in words; what differs from -1 by less than the tolerance counts as 1 / n_k."""
    if abs(slope + 1) < TOLERANCE:
        return f"1 / n_k to within {TOLERANCE}"
    return "faster than 1 / n_k" if slope < -1 else "slower than 1 / n_k"
