"""What the Convergence view asks of draws: R-hat and ESS as they develop, and all about one quantity."""

from typing import NamedTuple

import numpy as np

from jaxlda import diagnostics
from jaxlda.diagnostics.agreement import FEW
from jaxlda.diagnostics.quantities import by_draw, draw_sweeps
from jaxlda.diagnostics.tables import autocorrelation_table, density_table, evolution_table, rank_table
from jaxlda.plots.lines import lines_of
from jaxlda_app.questions._chain import soft_already
from jaxlda_app.questions._many import Band, Lines, many_lines
from jaxlda_app.store import Snapshot

__all__ = ["Developing", "Mixing", "developing", "mixing", "quantities"]

POINTS = 16  # at which R-hat and ESS are computed anew
NESTED = 16  # chains from which there are groups of them
LAGS = 40


class Developing(NamedTuple):
    """R-hat and ESS of the objective and the perplexity after more and more draws."""

    rhat: Lines
    """Of many chains, nested R-hat besides."""
    ess: Lines
    num_draws: int
    groups: int
    """Of chains that nested R-hat compares; 0: there is none."""


class Mixing(NamedTuple):
    """One quantity of the draws in every chain."""

    quantity: str
    names: list[str]
    """All that can be looked at."""
    traces: Lines
    densities: Lines
    ranks: Lines
    autocorrelation: Lines
    bands: dict[str, Band]
    """Of each of these, where there are many chains."""
    chance: float
    """Autocorrelations of independent draws are below this, in nineteen of twenty cases."""


def quantities(snapshot: Snapshot) -> dict[str, np.ndarray]:
    """Everything that is known of all draws ``(C, S)``, the objective first; nothing where draws are too few."""
    run = snapshot.run
    if soft_already(snapshot) or run.num_draws < FEW:
        return {}
    found = {one.name: one.draws for one in by_draw(run)}
    return {name: x for name, x in found.items() if x.shape[1] == run.num_draws and np.isfinite(x).all()}


def grouped(num_chains: int) -> np.ndarray | None:
    """The group of each chain, about as many groups as chains in each; ``None`` for few chains, or a prime number."""
    if num_chains < NESTED:
        return None
    size = max(n for n in range(1, int(num_chains**0.5) + 1) if num_chains % n == 0)
    return None if size == 1 else np.arange(num_chains) // size


def developing(snapshot: Snapshot) -> Developing:
    """R-hat, for many chains nested, too, and bulk ESS of the first draws, at up to ``POINTS`` numbers of them."""
    run = snapshot.run
    known = quantities(snapshot) if run.num_chains > 1 else {}
    draws = {name: known[name] for name in (run.objective_name, "perplexity") if name in known}
    groups = grouped(run.num_chains)
    x: list[np.ndarray] = []
    rhat: list[np.ndarray] = []
    nested: list[np.ndarray] = []
    ess: list[np.ndarray] = []
    for values in draws.values():
        table = evolution_table(values, POINTS)
        x.append(table.draws.to_numpy(float))
        rhat.append(table.rhat.to_numpy())
        ess.append(table.ess_bulk.to_numpy())
        if groups is not None:
            nested.append(np.array([diagnostics.rhat_nested(values[:, :n], groups) for n in table.draws]))
    names = [*draws, *(f"{name}, nested" for name in draws if nested)]
    number = 0 if groups is None else int(groups[-1]) + 1
    rhats = lines_of(x * 2 if nested else x, rhat + nested, names)
    return Developing(rhats, lines_of(x, ess, list(draws)), run.num_draws, number)


def mixing(snapshot: Snapshot, quantity: str | None = None) -> Mixing:
    """How one quantity moves in each chain, where its draws are, how they rank among all, how long it is remembered.

    The objective, if the quantity is not given or is not known.
    """
    known = quantities(snapshot)
    if not known:
        nothing = lines_of([], [], [])
        return Mixing("", [], nothing, nothing, nothing, nothing, {}, 0.0)
    name = quantity if quantity in known else next(iter(known))
    draws, S = known[name], snapshot.run.num_draws
    drawn = {part: many_lines(x, values, snapshot.best_chain) for part, (x, values) in _curves(snapshot, draws).items()}
    return Mixing(
        name,
        list(known),
        **{part: lines for part, (lines, _) in drawn.items()},
        bands={part: band for part, (_, band) in drawn.items()},
        chance=2 / np.sqrt(S),
    )


def _curves(snapshot: Snapshot, draws: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """x, and what is drawn over it of each chain; a chain that stands still has density nowhere."""
    C, S = draws.shape
    density, ranks, rho = (
        density_table(draws),
        rank_table(draws),
        autocorrelation_table(diagnostics.autocorrelation(draws, min(S - 1, LAGS))),
    )
    first = ranks[ranks.chain == 0]
    value, moving = density.value.unique(), density.chain.unique()
    heights = np.zeros((C, len(value)))
    heights[moving] = density.density.to_numpy().reshape(len(moving), -1)
    return {
        "traces": (draw_sweeps(snapshot.run).astype(float), draws),
        "densities": (value, heights),
        "ranks": (
            np.column_stack([first.left, first.right]).ravel(),
            ranks["count"].to_numpy(float).reshape(C, -1).repeat(2, axis=1),
        ),
        "autocorrelation": (np.arange(rho.lag.max() + 1.0), rho.rho.to_numpy(float).reshape(C, -1)),
    }
