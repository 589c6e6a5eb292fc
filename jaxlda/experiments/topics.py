r"""Section 5.5 of the paper and its appendix on variational Bayes: perplexity against the number of topics.

Every algorithm is run as it usually is: one chain of training, one estimate of phi, one of theta for half of each test
document; the other half is scored. CGS and CGS_p read the same sample of the same chain.

The start of VB and its number of updates per document were chosen by held-out perplexity on the bundled Reuters corpus
(``jaxlda.kernels.vb`` has the figures), in its favour; nothing was chosen for the others.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise, product
from typing import NamedTuple

from jaxtyping import Array

from jaxlda import estimators, evaluation
from jaxlda.experiments import _tasks
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._report import Figure, Mean, Report, Table, agreement, mean
from jaxlda.experiments._tasks import ALPHA, BETA, Task
from jaxlda.experiments._training import one_sample

__all__ = ["SCALES", "compute"]

METHODS = {"cgs": "CGS", "cgs_p": "CGSₚ", "cvb0": "CVB0", "vb": "VB"}
FEW = 100  # up to here the paper finds CVB0 best, on Reuters


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    topics: tuple[int, ...]
    sweeps: int
    """Of CGS and CVB0, in training and in prediction."""
    vb_sweeps: int
    """Of variational Bayes in training, each of which updates a document until it converges, or 20 times."""


SCALES = {"full": Scale(5, (20, 50, 100, 200, 300, 500, 1000), 200, 100), "smoke": Scale(2, (10,), 30, 10)}

Levels = dict[str, list[float]]
"""Perplexities of the runs by method."""


def compute(job: Job) -> Report:
    """Compute the paper's figures of perplexity by topics.

    At full scale on Reuters-21578 and Associated Press, whichever there is.
    """
    chosen = job.plan(SCALES)
    tasks = _tasks.load(job.data, job.scale)
    levels: dict[tuple[str, int], Levels] = {(task.name, K): {} for task in tasks for K in chosen.topics}
    for task in tasks:
        settings = {"sweeps": [chosen.sweeps, chosen.vb_sweeps], **task.fingerprints}
        pairs = list(product(chosen.topics, COMPUTE))
        cases = {f"K {K}, {kernel}": partial(COMPUTE[kernel], task, K, chosen) for K, kernel in pairs}
        for (K, _), runs in zip(pairs, job.computed(cases, chosen.runs, settings, task.name), strict=True):
            levels[task.name, K] |= {method: [run[method] for run in runs] for method in runs[0]}
    return _report(job, chosen, tasks, levels)


reproduce = old_way("topics")


def _gibbs(task: Task, K: int, chosen: Scale, seed: int) -> dict[str, float]:
    data = task.train.data(K, ALPHA, BETA)
    sample = one_sample(data, chosen.sweeps, seed)
    hard = _completed(task, estimators.phi(sample.counts, data), "cgs", chosen.sweeps, seed)
    soft = _completed(task, estimators.phi_p(sample, data), "cgs", chosen.sweeps, seed)
    assert soft.theta_p is not None
    return {"cgs": hard.theta.perplexity, "cgs_p": soft.theta_p.perplexity}


def _variational(kernel: str, task: Task, K: int, chosen: Scale, seed: int) -> dict[str, float]:
    """CVB0 or variational Bayes. With the topics fixed, the latter is at its end after a few sweeps."""
    sweeps = chosen.sweeps if kernel == "cvb0" else chosen.vb_sweeps
    data = task.train.data(K, ALPHA, BETA)
    phi = estimators.phi(one_sample(data, sweeps, seed, kernel), data)
    sweeps = chosen.sweeps if kernel == "cvb0" else 10
    return {kernel: _completed(task, phi, kernel, sweeps, seed).theta.perplexity}


def _completed(task: Task, phi: Array, kernel: str, sweeps: int, seed: int) -> evaluation.Completion:
    options = {"num_warmup": 0, "num_samples": 1, "thinning": sweeps, "num_chains": 1, "seed": seed}
    return evaluation.document_completion(phi, ALPHA, task.observed, task.held, kernel=kernel, **options)


COMPUTE: dict[str, Callable[..., dict[str, float]]] = {
    "cgs": _gibbs,
    "cvb0": partial(_variational, "cvb0"),
    "vb": partial(_variational, "vb"),
}


def _report(job: Job, chosen: Scale, tasks: list[Task], levels: Mapping[tuple[str, int], Levels]) -> Report:
    means = {key: {method: mean(values) for method, values in own.items()} for key, own in levels.items()}
    rows = [
        {"data": name, "K": K}
        | {METHODS[method]: value.show(1) for method, value in own.items()}
        | {"CGSₚ/CGS": own["cgs_p"].mean / own["cgs"].mean, "best": METHODS[_best(own)], "worst": METHODS[_worst(own)]}
        for (name, K), own in means.items()
    ]
    points = {
        (name, METHODS[method], float(K)): value for (name, K), own in means.items() for method, value in own.items()
    }
    without = {key: value for key, value in points.items() if key[1] != METHODS["vb"]}
    axes = {"x": "topics", "y": "perplexity", "log_x": True}
    numbers = {
        "settings": {**chosen._asdict(), "alpha": ALPHA, "beta": BETA},
        "perplexities": [{"data": name, "K": K, **own} for (name, K), own in levels.items()],
        "crossing": {task.name: _crossing(means, task.name) for task in tasks},
    }
    return Report(
        job.name,
        job.scale,
        "Perplexity against the number of topics: CGS, CGSₚ, CVB0 and VB (section 5.5 and appendix)",
        f"The paper: {_tasks.PAPER}; K 20 to 1000; 200 sweeps in training and in prediction, one chain; VB by lda-c. "
        f"Here: {_tasks.names(tasks)}; K {', '.join(map(str, chosen.topics))}; {chosen.sweeps} sweeps, α {ALPHA}, β "
        f"{BETA}; VB with the same priors and a distribution over φ as well, {chosen.vb_sweeps} sweeps with up "
        f"to 20 updates of a document in each; {chosen.runs} run(s), ± their spread.",
        (Table("Perplexity of the second halves of test documents", rows, {"CGSₚ/CGS": ".4f"}),),
        (
            Figure("Perplexity against the number of topics", _tasks.curve(without), axes),
            Figure("The same with VB", _tasks.curve(points), axes),
        ),
        " ".join(_reading(means, task.name) for task in tasks),
        numbers,
    )


def _best(own: Mapping[str, Mean]) -> str:
    return min(own, key=lambda method: own[method].mean)


def _worst(own: Mapping[str, Mean]) -> str:
    return max(own, key=lambda method: own[method].mean)


def _crossing(means: Mapping[tuple[str, int], Mapping[str, Mean]], name: str) -> list[int] | None:
    """Two neighbouring numbers of topics between which CGS_p overtakes CVB0; ``None`` if it never does."""
    topics = [K for other, K in means if other == name]
    leads = {K: means[name, K]["cgs_p"].mean < means[name, K]["cvb0"].mean for K in topics}
    return next(([a, b] for a, b in pairwise(topics) if leads[b] and not leads[a]), None)


def _reading(means: Mapping[tuple[str, int], Mapping[str, Mean]], name: str) -> str:
    own = {K: values for (other, K), values in means.items() if other == name}
    better = all(values["cgs_p"].mean < values["cgs"].mean for values in own.values())
    gains = [1 - values["cgs_p"].mean / values["cgs"].mean for values in own.values()]
    text = (
        f"{name}: CGSₚ is {'better than CGS at every K' if better else 'not better than CGS at every K'} (by "
        f"{min(gains):.1%} to {max(gains):.1%}), {agreement(better)}. "
    )
    few = [K for K in own if K <= FEW]
    if few:
        first = [K for K in few if _best(own[K]) == "cvb0"]
        text += f"CVB0 is best at {len(first)} of the {len(few)} numbers of topics up to {FEW}, "
        text += f"{agreement(len(first) == len(few))}. "
    leads = [K for K, values in own.items() if values["cgs_p"].mean < values["cvb0"].mean]
    crossing = _crossing(means, name)
    if crossing:
        text += f"CGSₚ overtakes CVB0 between K {crossing[0]} and {crossing[1]} (in the paper above 50 to 200). "
    elif leads:
        text += f"CGSₚ is ahead of CVB0 at K {', '.join(map(str, leads))}, and nothing below was computed. "
    else:
        text += f"CGSₚ does not overtake CVB0 up to K {max(own)}; in the paper it does above 50 to 200. "
    last = all(_worst(values) == "vb" for values in own.values())
    text += f"VB is {'worst everywhere' if last else 'not always worst'}, {agreement(last)}."
    return text
