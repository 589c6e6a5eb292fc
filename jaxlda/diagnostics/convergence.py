"""Have the chains converged? Numbers of ArviZ, and what they mean in words."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from jaxlda.diagnostics.arviz import ess, mcse, rhat
from jaxlda.diagnostics.autocorrelation import correlation_time
from jaxlda.diagnostics.labels import Labels, label
from jaxlda.diagnostics.quantities import Quantity, by_draw, by_sweep
from jaxlda.diagnostics.verdict import Evidence, judge
from jaxlda.running.results import Run

__all__ = ["Diagnostics", "Line", "diagnose", "rhat_limit"]

# Times the correlation time that short chains show, which is too short: at most about half of it is missing.
CAUTION = 2
FEW = 4  # draws: R-hat halves the chains, and halves of one draw do not vary


class Line(NamedTuple):
    """What is known of one quantity. NaN: cannot be assessed."""

    quantity: str
    kind: str
    topic: int | None
    mean: float
    sd: float
    mcse: float
    ess_bulk: float
    ess_tail: float
    rhat: float
    limit: float
    """Higher, R-hat is more than chance explains among draws so correlated."""


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
        """A ``pandas.DataFrame`` with a row for every quantity: mean, sd, MCSE, ESS and R-hat."""
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

        ESS grows in proportion to the draws once chains have converged; before that, this is a guess on the low side.
        ``None`` if no ESS can be assessed.
        """
        if not target_ess > 0:
            raise ValueError(f"target_ess must be positive; got {target_ess!r}")
        return _sweeps_needed(self.lines, self.num_draws, self.spacing, target_ess)

    def draws(self, quantity: str) -> np.ndarray:
        """The draws ``(C, S)`` of a quantity of the table."""
        for one in self.quantities:
            if one.name == quantity:
                return one.draws
        raise KeyError(f"there is no quantity {quantity!r}; the table has {', '.join(q.name for q in self.quantities)}")

    def _summary(self) -> list[tuple[str, ...]]:
        """The worst of each kind, and how many cannot be assessed."""
        rows: list[tuple[str, ...]] = [("quantity", "number", "R-hat", "bulk ESS", "tail ESS", "not assessed")]
        for kind in dict.fromkeys(line.kind for line in self.lines):
            lines = [line for line in self.lines if line.kind == kind]
            highest = [line.rhat for line in lines if not math.isnan(line.rhat)]
            lowest = (_lowest(lines, column) for column in ("ess_bulk", "ess_tail"))
            worst = [f"{max(highest):.3f}" if highest else "-", *("-" if x is None else f"{x:.0f}" for x in lowest)]
            rows.append((kind, str(len(lines)), *worst, str(len(lines) - len(highest))))
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


def _lowest(lines: Sequence[Line], *columns: str) -> float | None:
    values = [value for line in lines for column in columns if not math.isnan(value := getattr(line, column))]
    return min(values, default=None)


def _sweeps_needed(lines: Sequence[Line], num_draws: int, spacing: float, target: float | int) -> int | None:
    lowest = _lowest(lines, "ess_bulk", "ess_tail")
    if lowest is None:
        return None
    return math.ceil(max(math.ceil(num_draws * target / lowest) - num_draws, 0) * spacing)


def rhat_limit(num_chains: int, num_draws: float | int, num_quantities: int, false_alarms: float = 0.01) -> float:
    r"""The R-hat that chains in agreement exceed by chance, in one of a hundred cases.

    Of independent normal draws in :math:`m = 2C` half chains of n draws, :math:`\hat R^2 = (n - 1 + F) / n` where F has
    the F distribution with m - 1 and m (n - 1) degrees of freedom. Rank-normalised draws are close to that, and
    correlated ones too if n counts what they are worth. The false alarms are shared out among the quantities, twice:
    ArviZ takes the higher of the R-hats of location and of spread.

    Parameters
    ----------
    num_chains
        C.
    num_draws
        Independent draws of each chain; at least 4 are assumed.
    num_quantities
        How many R-hats are looked at.
    false_alarms
        How often one of them may exceed its limit.

    Examples
    --------
    >>> round(rhat_limit(4, 30, 100), 2), round(rhat_limit(4, 1000, 100), 3)
    (1.13, 1.004)
    """
    from scipy.special import fdtri

    m, n = 2 * num_chains, max(num_draws / 2, 2.0)
    F = fdtri(m - 1, m * (n - 1), 1 - false_alarms / (2 * max(num_quantities, 1)))
    return math.sqrt((n - 1 + F) / n)


def _line(one: Quantity, num_quantities: int, max_rhat: float, false_alarms: float) -> Line:
    x = one.draws
    C, S = x.shape
    mean, sd = (float(x.mean()), float(x.std())) if x.size else (math.nan, math.nan)
    highest, limit = rhat(x), math.nan
    if not math.isnan(highest):
        limit = max(max_rhat, rhat_limit(C, S / (CAUTION * correlation_time(x)), num_quantities, false_alarms))
    return Line(one.name, one.kind, one.topic, mean, sd, mcse(x), ess(x), ess(x, "tail"), highest, limit)


def diagnose(
    run: Run,
    *,
    reference: int | str = "medoid",
    words: Sequence[str] | np.ndarray | None = None,
    max_rhat: float | int = 1.05,
    min_ess: float | int = 100,
    false_alarms: float = 0.01,
) -> Diagnostics:
    """Judge by its draws whether the chains of a run have converged.

    Compared are quantities that do not depend on how topics are numbered (log joint, training perplexity, ordered topic
    sizes, the likeness of a few documents), and after alignment the topics themselves: whether all chains have them,
    the most probable words of each (phi), and the largest topic of a few documents (theta). What the run did not keep
    is left out: ``keep=jaxlda.diagnostics.NOTED`` are the small ones, ``"phi"`` and ``"theta"`` the large ones. Where
    there are fewer than four draws, the trace of the second half of all sweeps stands in: it can tell that chains
    disagree, but not that they have converged.

    Parameters
    ----------
    run
        A run of several chains.
    reference
        The chain whose numbers topics have, or ``"medoid"``: the one that is nearest to all others.
    words
        The words by name.
    max_rhat
        The highest R-hat to pass, or what chance gives independent draws (:func:`rhat_limit`) in a run so short that
        this is more. Higher values are a disagreement if chance does not explain them in draws as correlated as these;
        otherwise there are too few draws to tell.
    min_ess
        The lowest bulk ESS to pass: with less, R-hat says little.
    false_alarms
        How often chance alone may call chains that agree not converged.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> print(diagnose(jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)).verdict)
    Cannot be assessed: there is only one chain, and nothing to compare it with. Use num_chains=4.
    """
    _check_demands(max_rhat, min_ess, false_alarms)
    S, spacing = run.num_draws, float(run.schedule.thinning)
    labels = label(run, reference) if run.num_chains > 1 and run.sweep else None
    if S >= FEW:
        quantities = by_draw(run, labels, words)
    else:
        quantities = by_sweep(run)
        if quantities:
            S = quantities[0].draws.shape[1]
            spacing = (run.sweep - run.sweep // 2) / max(S, 1)
    lines = tuple(_line(one, len(quantities), max_rhat, false_alarms) for one in quantities)
    evidence = Evidence(
        num_chains=run.num_chains,
        num_draws=run.num_draws,
        num_sweeps=run.sweep,
        samples=run.chain(0).z is not None,
        enough=run.num_draws >= FEW,
        labels=labels,
        lines=lines,
        outliers={
            one.name: _outliers(one.draws)
            for one, line in zip(quantities, lines, strict=True)
            if line.rhat > line.limit
        },
        apart=tuple(one.name for one in quantities if _still(one.draws) and np.ptp(one.draws) > 0),
        still=tuple(one.name for one in quantities if _still(one.draws)),
        max_rhat=max(max_rhat, rhat_limit(run.num_chains, S, len(lines), false_alarms)),
        min_ess=min_ess,
        more=_sweeps_needed(lines, S, spacing, min_ess),
    )
    converged, verdict = judge(evidence)
    return Diagnostics(converged, verdict, lines, quantities, labels, S, spacing)


def _check_demands(max_rhat: Any, min_ess: Any, false_alarms: Any) -> None:
    for name, value, low, high in (
        ("max_rhat", max_rhat, 1, math.inf),
        ("min_ess", min_ess, 0, math.inf),
        ("false_alarms", false_alarms, 0, 1),
    ):
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a number; got {value!r}")
        if not low < float(value) < high:
            upper = "" if high == math.inf else f" and less than {high}"
            raise ValueError(f"{name} must be more than {low}{upper}; got {value!r}")


def _still(draws: np.ndarray) -> bool:
    """Whether no chain moves, in draws enough to tell. R-hat is NaN then, even where they stand at different places."""
    return draws.shape[1] >= FEW and bool((np.ptp(draws, axis=1) == 0).all())


def _outliers(draws: np.ndarray) -> tuple[int, ...]:
    """The smaller side of the widest gap between the means of the chains; of two equal ones, that without chain 0."""
    means = draws.mean(axis=1)
    order = np.argsort(means, kind="stable")
    cut = int(np.diff(means[order]).argmax()) + 1
    sides = sorted(
        (sorted(order[:cut].tolist()), sorted(order[cut:].tolist())), key=lambda side: (len(side), 0 in side)
    )
    return tuple(sides[0])
