"""Models made from existing samples, of ``jaxlda.run`` or of other programs."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from jaxlda import estimators
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers import Imported
from jaxlda.models._fitting import Problem, drawn_seed, kept
from jaxlda.models.documents import documents, of_run
from jaxlda.running.checking import same_arrays
from jaxlda.running.results import KEEP, Run
from jaxlda.types import Sample

__all__ = ["from_run", "from_sample"]

WRAPPED = {"learn_alpha": "learn_alpha", "learn_beta": "learn_beta", "learn_effects": "covariates"}
"""What wraps a kernel, and the parameter of a model that asks for it."""


def from_sample(cls: Any, corpus: Any, priors: Any, sample: Any, parameters: dict[str, Any]) -> Any:
    """A model made from samples of another program; see ``LDA.from_sample``."""
    several = corpus if isinstance(corpus, list) and corpus else [corpus]
    if all(isinstance(one, Imported) for one in several):
        if sample is not None:
            raise TypeError("what jaxlda.io gives has its sample in it: give no other")
        corpus, sample = several[0].corpus, [one.sample for one in several]
        priors = _common_priors(several) if priors is None else priors
    if not isinstance(corpus, Corpus):
        raise TypeError(f"from_sample takes a Corpus, or what a function of jaxlda.io gave; got {corpus!r:.60}")
    if priors is None or sample is None:
        raise TypeError("from_sample needs priors and a sample beside the corpus")
    samples = [sample] if isinstance(sample, Sample) else list(sample)
    data = corpus.data(priors=priors)
    run = Run.from_samples(data, samples)
    names = kept(parameters.get("keep", "auto"), data, len(samples), 1, traced=True)
    soft = [estimators.soften(one, data) if {"phi_p", "theta_p"} & set(names) else None for one in samples]
    arrays: Any = {
        name: (np.stack([np.asarray(KEEP[name](*pair, data)) for pair in zip(samples, soft, strict=True)]),)
        for name in names
    }
    return from_run(cls, dataclasses.replace(run, kept=arrays), corpus, parameters)


def _common_priors(several: Sequence[Imported]) -> Any:
    """The priors and the documents that samples have in common."""
    first = several[0]
    for one in several[1:]:
        if (one.corpus.counts.shape != first.corpus.counts.shape) or (one.corpus.counts != first.corpus.counts).nnz:
            raise ValueError("the samples are of different documents: chains of one model have the same")
        if not same_arrays(one.priors, first.priors):
            raise ValueError("the samples have different priors, and a model has one: give it as priors=")
    return first.priors


def from_run(cls: Any, run: Any, corpus: Any, parameters: dict[str, Any]) -> Any:
    """A model made from a run; see ``LDA.from_run``."""
    if not isinstance(run, Run):
        raise TypeError(f"from_run takes a Run; got {run!r:.60}")
    corpus = corpus if isinstance(corpus, Corpus) else of_run(run, corpus)
    model = cls(**(_parameters_of(cls, run, parameters) | parameters))
    model._check()
    model.seed_ = drawn_seed(0 if model.seed is None else model.seed)
    corpus = documents(model, corpus, fitting=True)
    problem = model._problem(corpus, model._labels_of(run) if corpus.labels is None else None)
    _check_same(model, run, problem)
    vars(model).update(problem.found)
    model._settings_ = model._settings()
    model._conclude(run)
    return model


def _parameters_of(cls: Any, run: Run, given: dict[str, Any]) -> dict[str, Any]:
    """What a run says of the parameters of a model that would have drawn it; its seed it does not tell."""
    alpha, beta = (np.asarray(prior) for prior in run.data.priors)
    taken = {"num_topics": alpha.shape[-1], "num_chains": run.num_chains, "seed": None, "unlabeled": "skip"}
    names = cls._get_param_names()
    if "unlabeled" in names and alpha.ndim == 2:  # the prior of a topic, where it is allowed
        alpha = np.where(alpha.any(axis=0), alpha.max(axis=0), alpha.max())
    taken |= run.schedule._asdict() | {"alpha": _plain(alpha), "beta": _plain(beta)}
    if run.algorithm is not None:
        taken["kernel"] = run.algorithm
        while given.get(WRAPPED.get(taken["kernel"].name, "")):
            taken["kernel"] = dict(taken["kernel"].options)["algorithm"]  # the model itself will wrap it
    return {name: value for name, value in taken.items() if name in names}


def _plain(prior: np.ndarray) -> Any:
    """One number where those of all topics or words are the same, with the digits of single precision."""
    return float(str(prior.flat[0])) if prior.ndim == 1 and np.ptp(prior) == 0 else prior


def _check_same(model: Any, run: Run, problem: Problem) -> None:
    """Refuse chains that the model would not have drawn: it would tell and continue something else than there is."""
    schedule = run.schedule[::2] == (model.num_warmup, model.thinning)
    same = {
        "documents or priors": same_arrays(run.data, problem.data),
        "num_chains": run.num_chains == model.num_chains,
    }
    if run.algorithm is not None:
        same = {"the kernel": run.algorithm == problem.algorithm, **same, "num_warmup or thinning": schedule}
    if run.key is not None and model.seed is not None:
        same["the seed"] = same_arrays(jax.random.key_data(run.key), jax.random.key_data(jax.random.key(model.seed_)))
    if different := [name for name, is_same in same.items() if not is_same]:
        raise ValueError(
            f"the run differs from the model in {', '.join(different)}; give the parameters and the documents that the "
            "chains were started with"
        )
