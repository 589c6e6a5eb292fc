r"""Section 5.3 of the paper: perplexity against the number of samples, for four pairs of estimators.

Topics are learned once: phi and phi_p come from the same sample. Theta is then sampled for half of the tokens of every
test document with the topics fixed, averaged over more and more samples of one chain or several, and the other half is
scored. Both estimators of theta read the same samples.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from jaxlda import estimators
from jaxlda.evaluation import sample_curve
from jaxlda.experiments import _tasks
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Mean, Report, Table, agreement, mean
from jaxlda.experiments._tasks import ALPHA, BETA, Task
from jaxlda.experiments._training import one_sample

__all__ = ["SCALES", "compute"]

PAIRS = {"phi+theta": "φ + θ", "phi+theta_p": "φ + θᵖ", "phi_p+theta": "φᵖ + θ", "phi_p+theta_p": "φᵖ + θᵖ"}
SHOWN = (1, 2, 5, 10, 20, 30)  # numbers of samples in the table; the figure has all
THINNING = 5


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    topics: tuple[int, ...]
    sweeps: int
    """Of training."""
    num_warmup: int
    num_samples: int
    chains: tuple[int, ...]
    """In prediction."""


SCALES = {"full": Scale(5, (20, 50, 100, 500), 200, 50, 30, (1, 5)), "smoke": Scale(2, (10,), 30, 10, 3, (1, 2))}

Key = tuple[str, int, int, str]
"""Data set, number of topics, number of chains, pair of estimators."""


def compute(job: Job) -> Report:
    """Compute the paper's figures of perplexity by samples.

    At full scale on Reuters-21578 and Associated Press, whichever there is.
    """
    chosen = job.plan(SCALES)
    tasks = _tasks.load(job.data, job.scale)
    curves: dict[Key, list[list[float]]] = {}
    for task in tasks:
        settings = {"plan": chosen._replace(runs=0, topics=())._asdict(), **task.fingerprints}
        cases = {f"K {K}": partial(_perplexities, task, K, chosen) for K in chosen.topics}
        for K, runs in zip(chosen.topics, job.computed(cases, chosen.runs, settings, task.name), strict=True):
            for chains, pairs in runs[0].items():
                curves |= {(task.name, K, int(chains), pair): [run[chains][pair] for run in runs] for pair in pairs}
    return _report(job, chosen, tasks, curves)


reproduce = old_way("samples")


def _perplexities(task: Task, K: int, chosen: Scale, seed: int) -> dict[int, dict[str, tuple[float, ...]]]:
    """Of one run: for each number of chains and pair of estimators, after each number of samples."""
    data = task.train.data(K, ALPHA, BETA)
    sample = one_sample(data, chosen.sweeps, seed)
    phis = {"phi": estimators.phi(sample.counts, data), "phi_p": estimators.phi_p(sample, data)}
    options = {"num_warmup": chosen.num_warmup, "thinning": THINNING, "seed": seed}
    curves = {}
    for chains in chosen.chains:
        beginning = sample_curve(phis, ALPHA, task.observed, task.held, num_chains=chains, **options)
        grown = beginning.extended(chosen.num_samples)
        curves[chains] = {f"{phi}+{theta}": values for (phi, theta), values in grown.perplexities.items()}
    return curves


def _report(job: Job, chosen: Scale, tasks: list[Task], curves: Mapping[Key, list[list[float]]]) -> Report:
    means = {key: [mean(values) for values in zip(*runs, strict=True)] for key, runs in curves.items()}
    shown = [n for n in SHOWN if n <= chosen.num_samples]
    levels = [
        {"data": name, "K": K, "chains": chains, "estimators": PAIRS[pair]}
        | {f"S = {n}": values[n - 1].show(1) for n in shown}
        for (name, K, chains, pair), values in means.items()
    ]
    ratios = [
        _ratios(curves, task.name, K, chains) for task in tasks for K in chosen.topics for chains in chosen.chains
    ]
    points = {
        (f"{name}, K = {K}, {chains} chain(s)", PAIRS[pair], float(n + 1)): value
        for (name, K, chains, pair), values in means.items()
        for n, value in enumerate(values)
    }
    numbers = {
        "settings": {**chosen._asdict(), "alpha": ALPHA, "beta": BETA, "thinning": THINNING},
        "perplexities": [
            {"data": name, "K": K, "chains": chains, "pair": pair, "runs": runs}
            for (name, K, chains, pair), runs in curves.items()
        ],
        "ratios": ratios,
    }
    shape = {name: ".4f" for name in RATIOS}
    return Report(
        job.name,
        job.scale,
        "Perplexity against the number of samples (section 5.3)",
        f"The paper: {_tasks.PAPER}; K 20, 50, 100, 500; one training sample after 200 sweeps; in prediction burn-in "
        f"50, lag 5, one chain and five. Here: {_tasks.names(tasks)}; K {', '.join(map(str, chosen.topics))}; "
        f"{chosen.sweeps} training sweeps, burn-in {chosen.num_warmup}, lag {THINNING}, {chosen.num_samples} samples, "
        f"α {ALPHA}, β {BETA}, {chosen.runs} run(s), ± their spread. A bag of words has no order: halves are drawn.",
        (
            Table("Perplexity after S samples", levels),
            Table("Ratios of perplexities, and how many samples of θ one of θᵖ is worth", ratios, shape),
        ),
        (
            Figure(
                "Perplexity against the number of samples", _tasks.curve(points), {"x": "samples", "y": "perplexity"}
            ),
        ),
        _reading(ratios, chosen.num_samples),
        numbers,
    )


RATIOS = ("θᵖ/θ, one", "spread", "θᵖ/θ, all", "φᵖ/φ, one", "φᵖ/φ, all")


def _ratios(curves: Mapping[Key, list[list[float]]], name: str, K: int, chains: int) -> dict[str, Any]:
    """Theta_p against theta (with phi) and phi_p against phi (with theta_p), run by run; after one sample and all."""

    def ratio(above: str, below: str, sample: int) -> Mean:
        runs = zip(curves[name, K, chains, above], curves[name, K, chains, below], strict=True)
        return mean(x[sample] / y[sample] for x, y in runs)

    one = ratio("phi+theta_p", "phi+theta", 0)
    both = (curves[name, K, chains, pair] for pair in ("phi+theta_p", "phi+theta"))
    worth = mean(_worth(x[0], y) for x, y in zip(*both, strict=True))
    values = (
        one.mean,
        one.spread,
        ratio("phi+theta_p", "phi+theta", -1).mean,
        ratio("phi_p+theta_p", "phi+theta_p", 0).mean,
        ratio("phi_p+theta_p", "phi+theta_p", -1).mean,
    )
    head = {"data": name, "K": K, "chains": chains}
    return head | dict(zip(RATIOS, values, strict=True)) | {"worth": round(worth.mean, 1)}


def _worth(one: float, many: Sequence[float]) -> int:
    """How many samples of theta it takes to be as good; one more than there are, where they do not suffice."""
    return next((n for n, value in enumerate(many, 1) if value <= one), len(many) + 1)


def _reading(ratios: list[dict[str, Any]], num_samples: int) -> str:
    def span(name: str) -> str:
        values = [row[name] for row in ratios]
        return f"{min(values):.3f} to {max(values):.3f}"

    better = all(row["θᵖ/θ, one"] < 1 for row in ratios)
    meets = all(abs(row["θᵖ/θ, all"] - 1) < abs(row["θᵖ/θ, one"] - 1) / 2 for row in ratios)
    steady = all(row["φᵖ/φ, one"] < 1 and row["φᵖ/φ, all"] < 1 for row in ratios)
    worth = [row["worth"] for row in ratios]
    single = [row for row in ratios if row["chains"] == 1]
    text = (
        f"With one sample, the perplexity of θᵖ is {span('θᵖ/θ, one')} times that of θ, "
        f"{'lower in every setting' if better else 'not lower in every setting'}, {agreement(better)}. "
        f"One sample of θᵖ is worth {min(worth):.1f} to {max(worth):.1f} of θ. After {num_samples} samples the ratio "
        f"is {span('θᵖ/θ, all')}: the two {'meet' if meets else 'have not met'}, {agreement(meets)}. "
        f"φᵖ against φ, with θᵖ, is {span('φᵖ/φ, one')} at one sample and {span('φᵖ/φ, all')} at all of them, "
        f"{'a steady advantage' if steady else 'no steady advantage'}, {agreement(steady)}."
    )
    gains = {name: [row["θᵖ/θ, one"] for row in single if row["data"] == name] for name in {r["data"] for r in single}}
    if all(len(values) > 1 for values in gains.values()):
        grows = all(a > b for values in gains.values() for a, b in pairwise(values))
        text += f" The gain of θᵖ from one sample {'grows' if grows else 'does not always grow'} with K."
    return text
