"""Have the chains of a run converged? The numbers of every quantity, and their meaning in words."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jaxlda.alignment.labels import Labels, label
from jaxlda.diagnostics.agreement import FEW, outliers
from jaxlda.diagnostics.assessment import check_number
from jaxlda.diagnostics.lines import Line, lines_of, sweeps_to
from jaxlda.diagnostics.quantities import Quantity, by_draw, by_sweep
from jaxlda.diagnostics.verdict import Evidence, judge
from jaxlda.running.results import Run

__all__ = ["Diagnostics", "Line", "diagnose"]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """Whether chains have converged, in words and numbers. Printed, it is the verdict and a summary.

    Made by :func:`diagnose`, or by ``diagnostics()`` of a model.
    """

    converged: bool | None
    """``None``: cannot be assessed, which is not a pass."""
    verdict: str
    """The same in words, with what to do."""
    lines: tuple[Line, ...]
    quantities: tuple[Quantity, ...]
    """The draws that the lines are about, for figures."""
    labels: Labels | None
    """Which topic is which in every draw; ``None`` where there is nothing to compare."""
    num_draws: int
    """Of each chain."""
    spacing: float
    """Sweeps from one draw to the next."""

    @cached_property
    def table(self) -> Any:
        """A ``pandas.DataFrame`` with a row for every quantity: mean, sd, MCSE, ESS, R-hat and its limit."""
        import pandas as pd

        table = pd.DataFrame(self.lines, columns=Line._fields).set_index("quantity")
        return table.astype({"topic": "Int64"})

    @cached_property
    def topics(self) -> Any:
        """A ``pandas.DataFrame`` with a row for every topic of the reference chain.

        ``stability`` is how alike the topic is in the other chains, ``missing`` names the chains that do not have it,
        and ``rhat`` is the highest of its entries of phi and theta.
        """
        import pandas as pd

        if self.labels is None:
            return pd.DataFrame({"stability": [], "missing": [], "rhat": []}).rename_axis("topic")
        K = len(self.labels.stability)
        rhats = [(line.topic, line.rhat) for line in self.lines if not math.isnan(line.rhat)]
        highest = [max((value for topic, value in rhats if topic == k), default=math.nan) for k in range(K)]
        missing = [tuple(np.flatnonzero(~self.labels.matched[:, k]).tolist()) for k in range(K)]
        columns = {"stability": self.labels.stability, "missing": missing, "rhat": highest}
        return pd.DataFrame(columns).rename_axis("topic")

    def sweeps_needed(self, target_ess: float | int = 400) -> int | None:
        """How many more sweeps the quantity of the lowest ESS (bulk or tail) needs to reach a target.

        ESS grows in proportion to the draws once chains have converged. ``None`` where no number can be told: chains
        disagree (in different modes, they would do so for ever), or draws are too few to know what they are worth.
        """
        if not target_ess > 0:
            raise ValueError(f"target_ess must be positive; got {target_ess!r}")
        return None if self.converged is False else sweeps_to(target_ess, self.lines, self.num_draws, self.spacing)

    def draws(self, quantity: str) -> np.ndarray:
        """The draws ``(C, S)`` of a quantity of the table."""
        for one in self.quantities:
            if one.name == quantity:
                return one.draws
        known = ", ".join(one.name for one in self.quantities) or "none: the run has neither traced nor kept a quantity"
        raise KeyError(f"there is no quantity {quantity!r}; the table has {known}")

    def _summary(self) -> list[tuple[str, ...]]:
        """The worst of each kind, and how many cannot be assessed."""
        rows: list[tuple[str, ...]] = [("quantity", "number", "R-hat", "limit", "bulk ESS", "tail ESS", "not assessed")]
        for kind in dict.fromkeys(line.kind for line in self.lines):
            lines = [line for line in self.lines if line.kind == kind]
            judged = [line for line in lines if line.converged is not None]
            worst = max(judged, key=lambda line: _or(line.rhat / line.limit, 0.0), default=None)
            of = (worst.rhat, worst.limit) if worst else (math.nan, math.nan)
            lowest = [min(_or(getattr(line, name), math.inf) for line in lines) for name in ("ess_bulk", "ess_tail")]
            cells = [
                *(f"{x:.3f}" if x == x else "-" for x in of),
                *(f"{x:.0f}" if x < math.inf else "-" for x in lowest),
            ]
            rows.append((kind, str(len(lines)), *cells, str(len(lines) - len(judged))))
        return rows

    def __str__(self) -> str:
        rows = self._summary()
        if len(rows) == 1:
            return self.verdict
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        form = "  ".join([f"{{:{widths[0]}}}", *(f"{{:>{width}}}" for width in widths[1:])])
        return "\n".join([self.verdict, "", *(form.format(*row) for row in rows)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._summary()
        cells = [f"<tr>{''.join(f'<th>{html.escape(x)}</th>' for x in head)}</tr>"]
        cells += [f"<tr>{''.join(f'<td>{html.escape(x)}</td>' for x in row)}</tr>" for row in body]
        return f"<p>{html.escape(self.verdict)}</p><table>{''.join(cells)}</table>"


def _or(value: float, otherwise: float) -> float:
    return otherwise if math.isnan(value) else value


def diagnose(
    run: Run,
    *,
    reference: int | str = "medoid",
    words: Sequence[str] | np.ndarray | None = None,
    min_ess: float | int = 100,
    false_alarms: float = 0.01,
) -> Diagnostics:
    """Judge from its draws whether the chains of a run have converged.

    Every quantity is judged like one by :func:`assess`: its R-hat counts as disagreement beyond a limit, the R-hat that
    chance explains in draws so few and so correlated. That all chains drift the same way is told from fewer draws, too.
    Compared are quantities that do not depend on how topics are
    numbered (objective, training perplexity, ordered topic sizes, the likeness of a few documents), and after alignment
    the topics themselves: whether all chains have them, the most probable words of each (phi), and the largest topic of
    a few documents (theta). What the run did not keep is left out: ``keep=jaxlda.diagnostics.NOTED`` are the small
    ones, ``"phi"`` and ``"theta"`` the large ones. Where there are fewer than four draws, the trace of the second half
    of all sweeps stands in: it can tell that chains disagree, but not that they have converged.

    Parameters
    ----------
    run
        A run of several chains.
    reference
        The chain whose numbers topics have, or ``"medoid"``: the one that is nearest to all others.
    words
        The words by name.
    min_ess
        The lowest bulk ESS to pass. Chains that agree have an R-hat of about the root of 1 + C / ESS (Vats and Knudson
        2021): 100 for 4 chains are 1.02.
    false_alarms
        How often chance alone may call chains that agree not converged, by any of the quantities: each has its share.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> print(diagnose(jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)).verdict)
    Cannot be assessed: there is only one chain, and nothing to compare it with. Use num_chains=4.
    """
    check_number("min_ess", min_ess, 0)
    check_number("false_alarms", false_alarms, 0, 1)
    S, spacing = run.num_draws, float(run.schedule.thinning)
    labels = label(run, reference) if run.num_chains > 1 and run.sweep else None
    if S >= FEW:
        quantities = by_draw(run, labels, words)
    else:
        quantities = by_sweep(run)
        if quantities:
            S = quantities[0].draws.shape[1]
            spacing = (run.sweep - run.sweep // 2) / max(S, 1)
    lines = lines_of(quantities, float(false_alarms))
    evidence = Evidence(
        num_chains=run.num_chains,
        num_draws=run.num_draws,
        num_sweeps=run.sweep,
        samples=run.chain(0).z is not None,
        enough=run.num_draws >= FEW,
        labels=labels,
        lines=lines,
        outliers={
            one.name: outliers(one.draws)
            for one, line in zip(quantities, lines, strict=True)
            if line.converged is False
        },
        min_ess=min_ess,
        more=sweeps_to(min_ess, lines, S, spacing),
        spacing=spacing,
        objective=run.objective_name,
    )
    converged, verdict = judge(evidence)
    return Diagnostics(converged, verdict, lines, quantities, labels, S, spacing)
