"""What the Convergence view asks of whole runs: traces, the verdict, and how other algorithms would have done."""

from collections.abc import Iterator
from typing import NamedTuple

import jax
import numpy as np
import pandas as pd

import jaxlda
from jaxlda import diagnostics, estimators, evaluation
from jaxlda.plots.lines import lines_of
from jaxlda.running.results import Run
from jaxlda.types import Data
from jaxlda_app.questions._chain import soft_already
from jaxlda_app.questions._many import Band, Lines, many_lines
from jaxlda_app.store import Snapshot

__all__ = [
    "Curves",
    "KernelCurves",
    "Verdict",
    "compare",
    "curves",
    "shown_table",
    "verdict",
]

COMPARED_TOKENS = 200_000  # at most, to be done in seconds
COMPARED_SWEEPS = 100
LEVEL = 1e-4  # nats per token and sweep: a tenth of a per mille of perplexity


class Curves(NamedTuple):
    """Traces of every chain; of many chains, the best one, the median, and the band that nine of ten are in."""

    likelihood: Lines
    perplexity: Lines
    moved: Lines
    log_joint: Lines
    num_warmup: int
    sweep: int
    bands: dict[str, Band]
    """``x``, ``low`` and ``high`` of each trace; empty where every chain is drawn."""


class Verdict(NamedTuple):
    """Whether the chains have converged, in words and numbers."""

    words: str
    converged: bool | None
    table: pd.DataFrame
    limit: float = np.nan
    """What chance explains of the objective's R-hat; NaN where that cannot be told."""


class KernelCurves(NamedTuple):
    """Training log-likelihood per token of CGS, CGSₚ and CVB0 by sweep."""

    lines: Lines
    num_docs: int
    """That were sampled: all, or as many as can be compared in seconds."""


def curves(snapshot: Snapshot) -> Curves:
    """The traces, thinned to what a screen can show."""
    run, trace = snapshot.run, snapshot.run.trace
    traces = {
        "likelihood": trace["log_likelihood"],
        "perplexity": np.exp(-trace["log_likelihood"]),
        "moved": trace.get("moved", np.full((run.num_chains, run.sweep), np.nan)),
        "log_joint": run.objective,
    }
    sweep = np.arange(1, run.sweep + 1, dtype=float)
    drawn = {name: many_lines(sweep, values, snapshot.best_chain) for name, values in traces.items()}
    return Curves(
        **{name: lines for name, (lines, _) in drawn.items()},
        num_warmup=min(run.schedule.num_warmup, run.sweep),
        sweep=run.sweep,
        bands={name: band for name, (_, band) in drawn.items()},
    )


def verdict(snapshot: Snapshot) -> Verdict:
    """What the chains agree on, and the quantities with the highest R-hat; of chains that draw nothing, other words."""
    if soft_already(snapshot):
        return _settled(snapshot)
    run = snapshot.run
    found = diagnostics.diagnose(run, reference=snapshot.best_chain, words=snapshot.corpus.vocab)
    table = found.table.reset_index()[["quantity", "mean", "sd", "ess_bulk", "ess_tail", "rhat", "limit"]]
    worst = table.sort_values("rhat", ascending=False, na_position="last").head(20)
    limit = table.loc[table.quantity == run.objective_name, "limit"].max()
    return Verdict(found.verdict, found.converged, worst.reset_index(drop=True), float(limit))


def shown_table(table: pd.DataFrame, total: int) -> pd.DataFrame:
    """The table of the verdict for people: no more digits than mean anything. ``total``: the draws of all chains."""

    def size(value: float) -> str:
        if np.isnan(value):
            return "too few draws"
        return f"{total:,} or more" if value >= total else f"{value:,.0f}"

    return pd.DataFrame(
        {
            "quantity": table.quantity,
            "mean": [f"{value:.4g}" for value in table["mean"]],
            "standard deviation": [f"{value:.2g}" for value in table.sd],
            "ESS of the bulk": [size(value) for value in table.ess_bulk],
            "ESS of the tails": [size(value) for value in table.ess_tail],
            "R-hat": ["too few draws" if np.isnan(value) else f"{value:.3f}" for value in table.rhat],
            "limit": ["" if np.isnan(value) else f"{value:.3f}" for value in table.limit],
        }
    )


def _settled(snapshot: Snapshot) -> Verdict:
    """Of CVB0 and variational Bayes, which climb and draw nothing: whether they still climb."""
    run = snapshot.run
    trace = run.trace["log_likelihood"]
    (noted,) = np.nonzero(~np.isnan(trace).any(axis=0))
    what = "These chains climb to an optimum and draw nothing: R-hat and effective sample sizes do not apply to them."
    nothing = pd.DataFrame(columns=["quantity", "mean", "sd", "ess_bulk", "ess_tail", "rhat", "limit"], dtype=float)
    if noted.size < 2:
        return Verdict(f"{what} Whether they still climb cannot be told yet.", None, nothing)
    last, before = noted[-1], noted[max(noted.size - 1 - max(noted.size // 10, 1), 0)]
    rise = float(np.max(np.abs(trace[:, last] - trace[:, before])) / (last - before))
    ends = trace[:, last]
    level = rise < LEVEL
    apart = ""
    if run.num_chains > 1:
        apart = (
            f" They ended between {ends.min():.3f} and {ends.max():.3f}, from different starts: each has found an "
            "optimum of its own, and the best is shown."
        )
    words = (
        f"{what} The log-likelihood per token changed by {rise:.1g} per sweep lately: "
        + ("it is level." if level else "it still climbs; 100 more sweeps may help.")
        + apart
    )
    return Verdict(words, level, nothing)


def compare(snapshot: Snapshot, num_sweeps: int = COMPARED_SWEEPS) -> KernelCurves:
    """Run CGS and CVB0 from the beginning, and follow the training log-likelihood per token (Eq. 55) sweep by sweep.

    CGS and CGSₚ read the same chain, by counts and by transition probabilities.
    """
    data, num_docs = _small(snapshot)
    key = jax.random.key(snapshot.model.params["seed"] or 0)
    x: list[float] = []
    hard, soft, cvb0 = [], [], []
    for run in _at_some_sweeps(key, "cgs", data, num_sweeps):
        x.append(float(run.sweep))
        sample = run.chain(0)
        hard.append(_per_token(sample.counts, data))
        soft.append(_per_token(estimators.soften(sample, data), data))
    for run in _at_some_sweeps(key, "cvb0", data, num_sweeps):
        cvb0.append(_per_token(run.chain(0).counts, data))
    names = ["CGS: φ + θ", "CGSₚ: φᵖ + θᵖ", "CVB0"]
    return KernelCurves(lines_of([np.array(x)] * 3, [np.array(y) for y in (hard, soft, cvb0)], names), num_docs)


def _small(snapshot: Snapshot) -> tuple[Data, int]:
    """The data of the run, or of as many of its documents as can be compared in seconds."""
    corpus, data = snapshot.corpus, snapshot.run.data
    fitting = int(np.searchsorted(np.cumsum(corpus.n_d), COMPARED_TOKENS, side="right"))
    if fitting >= corpus.num_docs:
        return data, corpus.num_docs
    fitting = max(fitting, 1)
    alpha, beta = (np.asarray(prior) for prior in data.priors)
    alpha = alpha[:fitting] if alpha.ndim == 2 else alpha
    return corpus.subset(range(fitting)).data(alpha.shape[-1], alpha, beta), fitting


def _at_some_sweeps(key: jax.Array, kernel: str, data: Data, num_sweeps: int) -> Iterator[Run]:
    """A chain after 1, 2, 3, 5, 8, ... sweeps: most happens at the beginning."""
    wanted = np.unique(np.round(np.geomspace(1, num_sweeps, 20)).astype(int))
    run = None
    for sweep in wanted.tolist():
        run = jaxlda.run(
            key,
            jaxlda.kernels.KERNELS[kernel](),
            data,
            num_warmup=sweep,
            num_samples=0,
            trace_every=0,
            soft=False,
            start=run,
        )
        yield run


def _per_token(counts: jaxlda.types.Counts, data: Data) -> float:
    phi, theta = estimators.phi(counts, data), estimators.theta(counts, data)
    N = max(int(np.asarray(data.tokens.n_d).sum()), 1)
    return float(evaluation.log_likelihood(np.asarray(phi), np.asarray(theta), data.tokens)) / N
