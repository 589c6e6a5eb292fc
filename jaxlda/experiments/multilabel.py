r"""Section 6 of the paper: labels of documents by Prior-LDA, from every pair of estimators and from CVB0.

A run trains one model of each kernel, infers the test documents once with phi and once with phi_p, and ranks their
labels by both thetas: four pairs of estimators from the same samples. The number of labels is the Meta-Labeler's.

Three rows are ours: labels ranked by the words that went to each, soft or hard counts, without the prior being added.
They explain the published table. Averaged over many samples theta and theta_p are the same thing (the paper's theory),
so that its 5x30 rows with theta_p cannot come from its formula; ranking by soft counts gives them, and the variant
``"program"`` (beta 0.01, on the words of each label only, without stop words) gives them to the second digit.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jaxlda import evaluation
from jaxlda.corpora import datasets
from jaxlda.corpora import readers as io
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.evaluation import MetaLabeler, multilabel
from jaxlda.experiments._job import Job, old_way
from jaxlda.experiments._multilabel_report import ZERO_DIVISION, Record, Results
from jaxlda.experiments._published import DATA_SETS
from jaxlda.experiments._report import Report
from jaxlda.models import PriorLDA

__all__ = ["SCALES", "compute", "load"]

# Function words that say nothing of a document's subject.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


class Scale(NamedTuple):
    """How much to compute."""

    runs: int
    configurations: tuple[tuple[int, int], ...]
    """Chains and samples of each, in training and in prediction."""
    curve: tuple[int, ...]
    """Numbers of samples of one chain, for the figure of the appendix."""
    num_warmup: int
    documents: int | None
    """How many documents at most to train on, and to test on; None: all."""


SCALES = {
    "full": Scale(5, ((1, 1), (5, 30)), (1, 2, 5, 10, 20, 30), 50, None),
    "smoke": Scale(2, ((1, 1), (2, 3)), (1, 2), 3, 150),
}


class _Task(NamedTuple):
    """Documents to learn from and to classify, and how many labels those get."""

    train: Corpus
    test: Corpus
    sizes: np.ndarray

    def measured(self, scores: np.ndarray) -> tuple[float, float, float]:
        labels = multilabel.top_n(scores, self.sizes)
        f1 = multilabel.f_measures(self.test.labels, labels, zero_division=ZERO_DIVISION)
        return f1.micro, f1.macro, f1.example


def compute(job: Job) -> Report:
    """Compute the paper's tables of micro-, macro- and example-based F1, for every data set there is.

    ``job.data`` is a folder with data sets of Mulan: ``bibtex-train.arff``, ``bibtex-test.arff``, ``bibtex.xml``, and
    so for delicious, bookmarks and bioasq. Without one, Bibtex as ``jaxlda.datasets.load`` finds it, or, at the scale
    ``"smoke"``, documents drawn from known labels.
    """
    chosen = job.plan(SCALES)
    records: list[Record] = []
    sizes, here = {}, []
    simulated = job.scale == "smoke" and job.data is None
    for name, train, test in _simulated(job.seed) if simulated else load(job.data):
        train, test = (x if chosen.documents is None else x.subset(slice(chosen.documents)) for x in (train, test))
        task = _Task(train, test, MetaLabeler().fit(train).predict(test.counts))
        sizes[name] = test.num_docs
        here.append(f"{name} ({train.num_docs:,} documents to train on, {test.num_docs:,} to test)")
        tasks = _tasks(task, chosen, job.seed)
        settings = {"scale": job.scale, "train": fingerprint(train), "test": fingerprint(test)}
        with job.parts(settings, len(tasks), name) as parts:
            for part, compute in tasks.items():
                records += [Record(name, *rest) for rest in parts.get(part, compute)]
    return Results(tuple(records), sizes).report(job.scale, f"{' and '.join(here)}, {chosen.runs} run(s)")


reproduce = old_way("multilabel")


def load(data: str | Path | None = None) -> Iterator[tuple[str, Corpus, Corpus]]:
    """The data sets of the paper that a folder has: name, training and test documents."""
    if data is None:
        yield "bibtex", datasets.load("bibtex"), datasets.load("bibtex", part="test")
        return
    folder = Path(data)
    found = [name for name in DATA_SETS if (folder / f"{name}-train.arff").is_file()]
    if not found:
        raise FileNotFoundError(
            f"{folder} has none of {', '.join(f'{name}-train.arff' for name in DATA_SETS)}; give a folder with data "
            "sets of Mulan: NAME-train.arff, NAME-test.arff and NAME.xml"
        )
    for name in found:
        train, test = (
            io.read_mulan(folder / f"{name}-{part}.arff", folder / f"{name}.xml") for part in ("train", "test")
        )
        yield name, train, test


def _simulated(seed: int) -> Iterator[tuple[str, Corpus, Corpus]]:
    corpus, _ = datasets.simulate(200, 8, 300, 40, labels_per_doc=2, seed=seed)
    train, test = corpus.split(test_size=0.25, seed=seed)
    yield "simulated", train, test


def _tasks(task: _Task, plan: Scale, seed: int) -> dict[str, Callable[[], list[list]]]:
    """Parts of the experiment by name, each giving the fields of records but the first."""
    tasks: dict[str, Callable[[], list[list]]] = {}
    for run in range(plan.runs):
        for size in plan.configurations:
            tasks[f"run {run}, {size[0]}x{size[1]}"] = partial(_paper, task, plan, size, run, seed)
        tasks[f"run {run}, program"] = partial(_program, task, plan, run, seed)
    if plan.curve:
        tasks["curve"] = partial(_curve_records, task, plan, seed)
    return tasks


def _paper(task: _Task, plan: Scale, size: tuple[int, int], run: int, seed: int) -> list[list]:
    chains, samples = size
    sweeps = {"num_warmup": plan.num_warmup, "num_chains": chains, "num_samples": samples}
    scores = _scores(task, sweeps, seed + run)
    return [["paper", f"{chains}x{samples}", method, run, *task.measured(x)] for method, x in scores]


def _program(task: _Task, plan: Scale, run: int, seed: int) -> list[list]:
    chains, samples = min(2, plan.configurations[-1][0]), plan.configurations[-1][1]
    sweeps = {"num_warmup": plan.num_warmup, "num_chains": chains, "num_samples": samples}
    scores = _scores_of_program(task, sweeps, seed + run)
    return [["program", f"{chains}x{samples}", "soft_counts", run, *task.measured(scores)]]


def _curve_records(task: _Task, plan: Scale, seed: int) -> list[list]:
    points = _curve(task, plan, seed)
    return [["curve", f"1x{samples}", method, 0, *task.measured(scores)] for samples, method, scores in points]


def _model(kernel: str, sweeps: dict[str, int], seed: int, **options: Any) -> PriorLDA:
    return PriorLDA(kernel=kernel, seed=seed, **sweeps, **options, trace_every=0, keep=(), progress=False)


def _fitted(model: PriorLDA, train: Corpus) -> PriorLDA:
    if not model.fit(train).run_.finished:  # stopped by Ctrl-C: half a fit is no part of the experiment
        raise KeyboardInterrupt
    return model


def _inferred(model: PriorLDA, phi: np.ndarray, test: Corpus, sweeps: dict[str, Any]) -> evaluation.Proportions:
    alpha = model.prediction_alpha_
    return evaluation.infer_theta(phi, alpha, test, kernel=model.run_.algorithm or "cgs", seed=model.seed, **sweeps)


def _scores(task: _Task, sweeps: dict[str, int], seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """What each method ranks labels by."""
    model = _fitted(_model("cgs", sweeps, seed), task.train)
    for kind in ("phi", "phi_p"):
        inferred = _inferred(model, model.estimates(kind), task.test, sweeps)
        assert inferred.theta_p is not None and inferred.n_dk_p is not None
        yield f"{kind}+theta", inferred.theta
        yield f"{kind}+theta_p", inferred.theta_p
        if kind == "phi":
            yield "soft_counts", inferred.n_dk_p
            yield "hard_counts", inferred.n_dk
    model = _fitted(_model("cvb0", sweeps, seed), task.train)
    inferred = _inferred(model, model.phi_, task.test, sweeps)
    yield "cvb0", inferred.theta
    yield "cvb0_counts", inferred.n_dk


def _scores_of_program(task: _Task, sweeps: dict[str, int], seed: int) -> np.ndarray:
    """Soft counts with beta 0.01, on the words of each label only, without stop words."""
    train, test = (_without_stop_words(corpus) for corpus in (task.train, task.test))
    model = _fitted(_model("cgs", sweeps, seed, beta=0.01), train)
    n_kv = np.mean([model.run_.counts(chain=chain).n_vk for chain in range(model.run_.num_chains)], axis=0).T
    weight = n_kv + 0.01 * (n_kv > 0)
    weight[~weight.any(axis=1)] = 1  # labels that no training document has
    phi = weight / weight.sum(axis=1, keepdims=True)
    known = phi.any(axis=0)  # words that no training document has are impossible everywhere, and say nothing
    phi, test = phi[:, known], Corpus(test.counts[:, np.flatnonzero(known)], test.vocab[known])
    soft = _inferred(model, phi, test, sweeps).n_dk_p
    assert soft is not None
    return soft


def _without_stop_words(corpus: Corpus) -> Corpus:
    kept = np.flatnonzero([word not in STOP_WORDS for word in corpus.vocab.tolist()])
    return Corpus(corpus.counts[:, kept], corpus.vocab[kept], None, corpus.labels, corpus.label_names)


def _curve(task: _Task, plan: Scale, seed: int) -> Iterator[tuple[int, str, np.ndarray]]:
    """The methods after each number of samples of one chain, in training and in prediction."""
    sweeps = {"num_warmup": plan.num_warmup, "num_chains": 1}
    one = {**sweeps, "num_samples": 1}
    models = {kernel: _fitted(_model(kernel, one, seed), task.train) for kernel in ("cgs", "cvb0")}
    for samples in plan.curve:
        for kernel, model in models.items():
            if not model.resume((samples - model.run_.num_draws) * model.thinning).run_.finished:
                raise KeyboardInterrupt
            inferred = _inferred(model, model.phi_, task.test, {**sweeps, "num_samples": samples})
            if kernel == "cvb0":
                yield samples, "cvb0", inferred.theta
                continue
            assert inferred.theta_p is not None and inferred.n_dk_p is not None
            yield samples, "phi_p+theta", inferred.theta
            yield samples, "phi_p+theta_p", inferred.theta_p
            yield samples, "soft_counts", inferred.n_dk_p
