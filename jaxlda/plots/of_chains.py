"""Figures of all chains of a model or a run: whether they have converged, and whether they agree on the topics."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from jaxlda import diagnostics
from jaxlda.corpora.numbers import one_of
from jaxlda.diagnostics.agreement import FEW
from jaxlda.diagnostics.quantities import by_draw
from jaxlda.diagnostics.tables import autocorrelation_table, evolution_table, rank_table, trace_table
from jaxlda.plots import chains, matrices
from jaxlda.plots.bars import gap_histogram
from jaxlda.plots.notebook import drawn_from
from jaxlda.running.results import Run
from jaxlda.topics import fitted, histogram_table, sampled_gaps, similarity_table, stability_table

__all__ = ["alignment", "autocorrelation", "ess", "gap", "ranks", "rhat", "stability", "trace"]

LABELS = {
    "bound": "bound of the log-likelihood",
    "log_joint": "log joint",
    "log_likelihood": "log-likelihood per token",
    "perplexity": "training perplexity",
    "moved": "share of the tokens that moved",
    "gap": "gap of hard and soft counts",
}


def trace(model: Any, *, series: str | None = None) -> Any:
    """What was traced of every chain, sweep by sweep; the burn-in is shaded.

    Parameters
    ----------
    model
        A fitted model, or a ``Run``.
    series
        A name of ``run.trace``, such as ``"log_joint"`` or ``"moved"``; or ``"perplexity"``, of the training documents.
        If not given, what the algorithm's chains are compared by: the log joint, or a bound.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``diagnostics.tables.trace_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> [line.name for line in trace(run).renderers]
    ['chain 0', 'chain 1']
    """
    run = fitted(model).run
    if series is None:
        series = run.objective_name.replace(" ", "_")
    values = np.exp(-_series(run, "log_likelihood")) if series == "perplexity" else _series(run, series)
    table = trace_table(values)
    if table.empty:
        raise ValueError(f"{series} was not traced: fit with trace_every=1 or more, or with gap_every for the gap")
    label = LABELS.get(series, series.replace("_", " "))
    return drawn_from(chains.trace_lines(table, min(run.schedule.num_warmup, run.sweep), label), table)


def ranks(model: Any, *, quantity: str | None = None, bins: int | None = None) -> Any:
    """How the draws of each chain rank among those of all chains: level lines, if the chains agree.

    Parameters
    ----------
    model
        A fitted model, a ``Run``, or what ``model.diagnostics()`` gave.
    quantity
        A name of ``model.diagnostics().table``; if not given, what chains are compared by: the log joint, or a bound.
    bins
        How many to count the ranks in; about the square root of the draws of a chain if not given.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``diagnostics.tables.rank_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> sweeps = {"num_warmup": 5, "num_samples": 8, "thinning": 1, "num_chains": 2}
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **sweeps)
    >>> ranks(run).xaxis.axis_label
    'rank of log joint among all draws'
    """
    quantity = _objective(model) if quantity is None else quantity
    table = rank_table(_draws(model, quantity, "ranks", chains=2), bins)
    return drawn_from(chains.rank_steps(table, quantity), table)


def autocorrelation(model: Any, *, quantity: str | None = None, max_lag: int = 40) -> Any:
    """How long each chain remembers: the autocorrelation against the lag, and what chance would give as a grey band.

    Parameters
    ----------
    model, quantity
        As in :func:`ranks`.
    max_lag
        The last lag, in draws.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``diagnostics.tables.autocorrelation_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> sweeps = {"num_warmup": 5, "num_samples": 8, "thinning": 1, "num_chains": 2}
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **sweeps)
    >>> autocorrelation(run).yaxis.axis_label
    'autocorrelation of log joint'
    """
    quantity = _objective(model) if quantity is None else quantity
    draws = _draws(model, quantity, "autocorrelation")
    S = draws.shape[1]
    table = autocorrelation_table(diagnostics.autocorrelation(draws, min(max_lag, S - 1)))
    return drawn_from(chains.autocorrelation_lines(table, S, quantity), table)


def rhat(model: Any, *, quantities: Sequence[str] | None = None) -> Any:
    """R-hat of the first draws, for more and more of them: it comes down to 1 as chains come to agree.

    Dashed lines are limits: what chance explains (``diagnostics.assess``), where the draws are enough to tell. The
    verdict judges many quantities at once, so that its limits are a little higher.

    Parameters
    ----------
    model
        As in :func:`ranks`.
    quantities
        Names of ``model.diagnostics().table``.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``diagnostics.tables.evolution_table``, with a column ``quantity``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> sweeps = {"num_warmup": 5, "num_samples": 8, "thinning": 1, "num_chains": 2}
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **sweeps)
    >>> jaxlda.plots.table_of(rhat(run, quantities=["log joint"])).draws.tolist()
    [4, 5, 6, 7, 8]
    """
    table = _evolution(model, quantities, "R-hat")
    return drawn_from(chains.evolution_lines(table, "rhat", "R-hat", "limit"), table)


def ess(model: Any, *, quantities: Sequence[str] | None = None, method: str = "bulk") -> Any:
    """Effective sample size of the first draws, for more and more of them: it grows in proportion, once chains agree.

    Parameters
    ----------
    model, quantities
        As in :func:`rhat`.
    method
        ``"bulk"`` or ``"tail"``.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``diagnostics.tables.evolution_table``, with a column ``quantity``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> sweeps = {"num_warmup": 5, "num_samples": 8, "thinning": 1, "num_chains": 2}
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **sweeps)
    >>> ess(run, quantities=["log joint"], method="tail").yaxis.axis_label
    'tail ESS'
    """
    one_of(method, "method", ("bulk", "tail"))
    table = _evolution(model, quantities, "ESS")
    return drawn_from(chains.evolution_lines(table, f"ess_{method}", f"{method} ESS"), table)


def gap(model: Any, *, by: str = "sweep", chain: int | None = None) -> Any:
    """The gap between hard and soft counts (Eq. 60): sweep by sweep, or as a histogram of documents.

    Parameters
    ----------
    model
        A fitted model, or a ``Run``; its algorithm has drawn topics, so not CVB0.
    by
        ``"sweep"``: the mean over all documents, at the draws and where ``gap_every`` asked for it; ``"document"``: of
        the present sample of one chain, at most five million tokens times topics, chosen at random.
    chain
        Of the documents; the best one if not given.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``diagnostics.tables.trace_table``, or ``topics.histogram_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> jaxlda.plots.table_of(gap(run, by="document"))["count"].sum().item()
    20
    """
    one_of(by, "by", ("sweep", "document"))
    about = fitted(model, chain)
    if about.soft_already:
        raise ValueError("there is no gap: the algorithm has soft counts only, like CVB0")
    if by == "sweep":
        return trace(model, series="gap")
    table = histogram_table(sampled_gaps(about.sample, about.data).gap)
    return drawn_from(gap_histogram(table), table)


def stability(model: Any, *, chain: int | None = None, estimator: str | None = None) -> Any:
    """Whether the other chains have the topics of one: bright squares where they do, with the number it has there.

    Parameters
    ----------
    model
        A fitted model, or a ``Run``, of two chains or more.
    chain
        Whose topics are looked for; the best one's if not given.
    estimator
        ``"cgs_p"`` or ``"cgs"``: of phi. The model's own if not given.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.stability_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> jaxlda.plots.table_of(stability(run)).topic.tolist()
    [0, 1, 2]
    """
    about = _several(model, chain)
    phis = np.stack([about.phi(estimator, one) for one in range(about.run.num_chains)])
    table = stability_table(phis, about.chain, about.run.tied, about.names)
    plot = matrices.stability_matrix(table)
    plot.xaxis.axis_label = f"topic of chain {about.chain}"
    return drawn_from(plot, table)


def alignment(model: Any, *, chain: int | None = None, other: int | None = None, estimator: str | None = None) -> Any:
    """Every topic of one chain against every topic of another, with partners on the diagonal: bright if they are alike.

    Parameters
    ----------
    model, chain, estimator
        As in :func:`stability`.
    other
        The other chain; the next one if not given.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.similarity_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> jaxlda.plots.table_of(alignment(run)).shape
    (3, 3)
    """
    about = _several(model, chain)
    other = (about.chain + 1) % about.run.num_chains if other is None else other
    table = similarity_table(about.phi(estimator), about.phi(estimator, other), about.run.tied)
    plot = matrices.aligned_matrix(table)
    plot.yaxis.axis_label = f"topic of chain {about.chain}"
    plot.xaxis.axis_label = f"topics of chain {other}, in the order of their partners"
    return drawn_from(plot, table)


def _several(model: Any, chain: int | None) -> Any:
    about = fitted(model, chain)
    if about.run.num_chains < 2:
        raise ValueError("there is only one chain, and nothing to compare it with: fit with num_chains=2 or more")
    return about


def _series(run: Run, name: str) -> np.ndarray:
    return run.trace[one_of(name, "series", [*run.trace, "perplexity"])]


def _draws(model: Any, quantity: str, what: str, chains: int = 1) -> np.ndarray:
    """The draws ``(C, S)`` of a quantity: read from the trace where that has it, for diagnosing takes long."""
    if isinstance(model, diagnostics.Diagnostics):
        draws = model.draws(quantity)
    else:
        run = fitted(model).run
        known = {one.name: one.draws for one in by_draw(run)}
        if quantity not in known and run.num_draws >= FEW:
            found = model.diagnostics() if hasattr(model, "diagnostics") else diagnostics.diagnose(run)
            known[quantity] = found.draws(quantity)
        draws = known.get(quantity, np.empty((run.num_chains, run.num_draws)))
    C, S = draws.shape
    if S < FEW:
        raise ValueError(f"{what} needs {FEW} draws or more of each chain; there are {S}: fit with more num_samples")
    if chains > C:
        raise ValueError(f"{what} compares chains, and there is only one: fit with num_chains=2 or more")
    return draws


def _objective(model: Any) -> str:
    """The name of what chains are compared by."""
    if isinstance(model, diagnostics.Diagnostics):
        return model.quantities[0].name if model.quantities else "log joint"
    return fitted(model).run.objective_name


def _evolution(model: Any, quantities: Sequence[str] | None, what: str) -> pd.DataFrame:
    quantities = (_objective(model), "perplexity") if quantities is None else quantities
    names = [quantities] if isinstance(quantities, str) else list(quantities)
    tables = [evolution_table(_draws(model, name, what, chains=2 if what == "R-hat" else 1)) for name in names]
    named = [table.assign(quantity=name) for table, name in zip(tables, names, strict=True)]
    return pd.concat(named, ignore_index=True)
