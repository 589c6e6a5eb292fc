"""What views look at: a run after a block of sweeps, with what belongs to it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import jaxlda
from jaxlda import Corpus
from jaxlda.running.results import Run

__all__ = ["Model", "Snapshot", "kernel_name", "topic_labels"]

NONE: Mapping[Any, Any] = MappingProxyType({})


class Model(NamedTuple):
    """What was fitted: ``getattr(jaxlda, name)(**params)``."""

    name: str
    params: dict[str, Any]


class Snapshot(NamedTuple):
    """What is known after a block of sweeps; never changed, replaced by the next."""

    model: Model
    run: Run
    corpus: Corpus
    """The documents that are sampled."""
    held: Corpus | None
    """Documents of the same corpus that are not."""
    seconds: float
    tokens_per_second: float
    best_chain: int
    """The chain whose topics are shown if no other is chosen: that of the model."""
    labels: np.ndarray | None
    """What the topics stand for, a name for each, in supervised models."""
    loading: str | None = None
    """Python code that makes the corpus both were taken from; ``None`` where there is none."""
    names: Mapping[tuple[int, int], str] = NONE
    """What people call topics, by chain and number."""
    hidden: frozenset[tuple[int, int]] = frozenset()
    """Topics that people do not want to see, by chain and number."""


def kernel_name(model: Model, run: Run) -> str:
    """By what the chains are sampled: the kernel, with its options where it has any."""
    if run.algorithm is None:
        return "another program"
    try:
        return jaxlda.kernels.described(run.algorithm)
    except ValueError:  # one of somebody's own
        return run.algorithm.name


def topic_labels(model: Any, corpus: Corpus) -> np.ndarray | None:
    """What each topic stands for: its label, or one of its labels' topics; ``None`` where topics stand for nothing."""
    names = corpus.label_names
    if names is None or type(model) is jaxlda.LDA:
        return None
    if not isinstance(model, jaxlda.PLDA):
        return names
    own = model.label_of_topic_
    number = [int((own[:k] == label).sum()) + 1 for k, label in enumerate(own)]
    return np.array([f"{names[a] if a >= 0 else 'shared'} ({i})" for a, i in zip(own, number, strict=True)])
