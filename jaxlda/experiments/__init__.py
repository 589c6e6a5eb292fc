"""The experiments of the paper, one file for each section; ``scale="smoke"`` shows in seconds that one works.

:func:`reproduce` computes one by its name. It gives a report: ``str`` shows tables beside the paper's and a reading of
them, ``save(folder)`` writes them with every number and figures.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from jaxlda.corpora.numbers import checked_seed
from jaxlda.experiments._job import Job

__all__ = ["EXPERIMENTS", "Experiment", "reproduce"]


class Experiment(NamedTuple):
    """An experiment of the paper, as the list has it."""

    module: str
    """Of this package; its ``compute(job)`` gives the report."""
    section: str
    """Where in the paper."""
    about: str


EXPERIMENTS = {
    "samples": Experiment("samples", "section 5.3", "perplexity by the number of samples, four pairs of estimators"),
    "association": Experiment("association", "section 5.4", "words that people associate, ranked by φ and by φᵖ"),
    "topics": Experiment("topics", "section 5.5", "perplexity by the number of topics: CGS, CGSₚ, CVB0 and VB"),
    "convergence": Experiment("convergence", "section 5.6", "log-likelihood by sweeps: CGS, CGSₚ and CVB0"),
    "plugin": Experiment("plugin", "section 5.7", "better estimates from samples of MALLET and WarpLDA"),
    "overhead": Experiment("overhead", "section 5.8", "log-likelihood of CGS and CGSₚ against the time they take"),
    "multilabel": Experiment("multilabel", "section 6", "labels of documents by Prior-LDA, four estimators and CVB0"),
    "counts": Experiment("counts", "appendix A", "how far hard and soft counts are apart (Eq. 60)"),
    "phi-bound": Experiment("phi_bound", "appendices B and C", "the approximation behind φᵖ (Eq. 47) and its bound"),
}
"""Name -> experiment, in the order of the paper; modules are loaded when they are asked for."""


def reproduce(
    name: str,
    data: str | Path | None = None,
    *,
    scale: str = "full",
    seed: int = 0,
    runs: int | None = None,
    folder: str | Path | None = None,
    progress: bool = True,
    topics: Sequence[int] | None = None,
) -> Any:
    """Compute an experiment of the paper.

    Parameters
    ----------
    name
        One of ``EXPERIMENTS``.
    data
        The folder with the data sets; that of the environment variable ``JAXLDA_DATA`` if not given.
    scale
        ``"full"``: as the paper, as far as the data at hand allow; ``"smoke"``: a check that it works.
    seed
        Of the first run; the others count up.
    runs
        How many runs to average, if not those of the scale.
    folder
        Where finished parts are kept (at full scale), so that another call computes only the rest.
    progress
        Show a bar.
    topics
        Numbers of topics K to compute, where those of the paper are not all wanted and the experiment has several.

    Returns
    -------
    A report: ``print`` it, ``save`` it.

    Examples
    --------
    >>> reproduce("tea leaves")
    Traceback (most recent call last):
    ...
    ValueError: there is no experiment 'tea leaves'; known are ...
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; known are {', '.join(EXPERIMENTS)}")
    module = import_module(f"jaxlda.experiments.{EXPERIMENTS[name].module}")
    job = Job(name, data, scale, checked_seed(seed), runs, folder if scale == "full" else None, progress, topics)
    return module.compute(job)
