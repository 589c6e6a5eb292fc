r"""Section 5.6 of the paper: log-likelihood of the training documents, sweep by sweep, of CGS, CGS_p and CVB0.

CGS and CGS_p are the same chain, looked at with phi and theta or with phi_p and theta_p.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from jaxlda import estimators
from jaxlda.corpora.comparing import fingerprint
from jaxlda.estimators import log_likelihood_terms
from jaxlda.experiments import _tasks
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Mean, Report, Table, agreement, mean, rising
from jaxlda.experiments._tasks import ALPHA, BETA, Task
from jaxlda.experiments._training import samples_after
from jaxlda.kernels.layouts.tokens import distinct
from jaxlda.types import Counts, Data, Tokens

__all__ = ["SCALES", "compute"]

METHODS = {"cgs": "CGS", "cgs_p": "CGSₚ", "cvb0": "CVB0"}
EARLY = 5  # sweeps, at least, in which the paper sees CVB0 converge slowly
FEW = 100  # topics up to which it finds CVB0 ahead in the end


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    topics: tuple[int, ...]
    sweeps: tuple[int, ...]
    """After which the likelihood is taken."""


SCALES = {
    "full": Scale(
        5, (20, 50, 100, 200, 500), (1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 60, 80, 100, 140, 200, 250, 300, 350, 400)
    ),
    "smoke": Scale(2, (10,), (1, 2, 5, 10, 30)),
}


def compute(job: Job) -> Report:
    """Compute the paper's figure of convergence.

    At full scale on the training documents of Reuters-21578 and Associated Press, whichever there is.
    """
    chosen = job.plan(SCALES)
    tasks = _tasks.load(job.data, job.scale)
    values: dict[tuple[str, int, str], list[list[float]]] = {}
    for task in tasks:
        settings = {"sweeps": chosen.sweeps, "train": fingerprint(task.train)}
        pairs = list(product(chosen.topics, ("cgs", "cvb0")))
        cases = {f"K {K}, {kernel}": partial(_likelihoods, task, K, kernel, chosen.sweeps) for K, kernel in pairs}
        for (K, _), runs in zip(pairs, job.computed(cases, chosen.runs, settings, task.name), strict=True):
            values |= {(task.name, K, method): [run[method] for run in runs] for method in runs[0]}
    return _report(job, chosen, tasks, values)


reproduce = old_way("convergence")


def _likelihoods(task: Task, K: int, kernel: str, sweeps: tuple[int, ...], seed: int) -> dict[str, list[float]]:
    """Log-likelihood per token after each of the sweeps, of one chain."""
    data = task.train.data(K, ALPHA, BETA)
    pairs = distinct(data.tokens)  # equal tokens of a document are equally likely
    curves: dict[str, list[float]] = {"cgs": [], "cgs_p": []} if kernel == "cgs" else {kernel: []}
    for sample in samples_after(data, sweeps, seed, kernel):
        curves[kernel].append(_likelihood(sample.counts, data, pairs))
        if kernel == "cgs":
            curves["cgs_p"].append(_likelihood(estimators.soften(sample, data), data, pairs))
    return curves


def _likelihood(counts: Counts, data: Data, pairs: Tokens) -> float:
    terms = log_likelihood_terms(estimators.phi(counts, data), estimators.theta(counts, data), pairs)
    return float(np.asarray(terms, np.float64).sum() / np.asarray(pairs.n_d).sum())


def _report(
    job: Job, chosen: Scale, tasks: list[Task], values: Mapping[tuple[str, int, str], list[list[float]]]
) -> Report:
    means = {key: [mean(x) for x in zip(*runs, strict=True)] for key, runs in values.items()}
    shown = [t for t in chosen.sweeps if t in (1, 2, 5, 10, 20, 30, 60, 100, 200, 400)]
    rows = [
        {"data": name, "K": K, "method": METHODS[method]}
        | {f"sweep {t}": curve[chosen.sweeps.index(t)].show(3) for t in shown}
        for (name, K, method), curve in means.items()
    ]
    points = {
        (f"{name}, K = {K}", METHODS[method], float(t)): value
        for (name, K, method), curve in means.items()
        for t, value in zip(chosen.sweeps, curve, strict=True)
    }
    numbers = {
        "settings": {**chosen._asdict(), "alpha": ALPHA, "beta": BETA},
        "log_likelihood_per_token": [
            {"data": name, "K": K, "method": method, "runs": runs} for (name, K, method), runs in values.items()
        ],
    }
    sizes = " and ".join(f"{task.name} ({task.train.num_docs:,} documents)" for task in tasks)
    return Report(
        job.name,
        job.scale,
        "Log-likelihood of the training documents by sweeps: CGS, CGSₚ and CVB0 (section 5.6)",
        f"The paper: TASA, K 20 to 500, 400 sweeps, five runs. Here: {sizes}; K {', '.join(map(str, chosen.topics))}; "
        f"{chosen.sweeps[-1]} sweeps, α {ALPHA}, β {BETA}, {chosen.runs} run(s), ± their spread.",
        (Table("Log-likelihood per token (Eq. 55)", rows),),
        (
            Figure(
                "Log-likelihood by sweeps",
                _tasks.curve(points),
                {"x": "sweeps", "y": "log-likelihood per token", "log_x": True},
            ),
        ),
        " ".join(_reading(means, task.name, chosen) for task in tasks),
        numbers,
    )


def _reading(means: Mapping[tuple[str, int, str], list[Mean]], name: str, chosen: Scale) -> str:
    end = {(K, method): means[name, K, method][-1].mean for K in chosen.topics for method in METHODS}
    advantage = [end[K, "cgs_p"] - end[K, "cgs"] for K in chosen.topics]
    above = all(
        soft.mean > hard.mean
        for K in chosen.topics
        for t, soft, hard in zip(chosen.sweeps, means[name, K, "cgs_p"], means[name, K, "cgs"], strict=True)
        if t >= chosen.sweeps[-1] / 2
    )
    text = (
        f"{name}: in the second half of the sweeps CGSₚ is {'always' if above else 'not always'} above CGS "
        f"({agreement(above)}), at the end by {min(advantage):.3f} to {max(advantage):.3f} per token"
    )
    if len(advantage) > 1:
        grows = rising(advantage)
        text += f", {'more' if grows else 'not always more'} the more topics ({agreement(grows)})"
    text += ". "
    few, many = ([K for K in chosen.topics if (K <= FEW) == below] for below in (True, False))
    if few:
        ahead = [K for K in few if end[K, "cvb0"] > end[K, "cgs_p"]]
        text += f"CVB0 ends above both at {len(ahead)} of the {len(few)} numbers of topics up to {FEW}, "
        text += f"{agreement(len(ahead) == len(few))}. "
    if many:
        behind = [K for K in many if end[K, "cvb0"] < end[K, "cgs_p"]]
        text += f"Above, CGSₚ has caught up at {len(behind)} of {len(many)}, {agreement(len(behind) == len(many))}. "
    overtakes = [_overtakes(means, name, K, chosen.sweeps) for K in chosen.topics]
    slow = all(t is None or t >= EARLY for t in overtakes)
    shown = ", ".join(f"K {K}: {'never' if t is None else t}" for K, t in zip(chosen.topics, overtakes, strict=True))
    return (
        f"{text}The sweep from which CVB0 is ahead of CGS ({shown}) shows {'its slow' if slow else 'no such slow'} "
        f"beginning of {EARLY} sweeps or so, {agreement(slow)}."
    )


def _overtakes(
    means: Mapping[tuple[str, int, str], list[Mean]], name: str, K: int, sweeps: tuple[int, ...]
) -> int | None:
    """The first of the sweeps after which CVB0 is above CGS."""
    both = zip(sweeps, means[name, K, "cvb0"], means[name, K, "cgs"], strict=True)
    return next((t for t, ours, theirs in both if ours.mean > theirs.mean), None)
