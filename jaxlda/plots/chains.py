"""Chains as lines: traces, ranks, autocorrelation, and what R-hat and ESS make of more and more draws."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from bokeh.models.annotations import BoxAnnotation, Span

from jaxlda.plots.canvas import COLORS, GREY, canvas, hiding, hover

__all__ = ["autocorrelation_lines", "evolution_lines", "rank_steps", "trace_lines"]


def trace_lines(table: Any, num_warmup: int = 0, label: str = "log joint") -> Any:
    """Draw what was traced of each chain against the sweep, with the burn-in shaded.

    Parameters
    ----------
    table
        Columns ``chain``, ``sweep`` and ``value``, from ``jaxlda.diagnostics.tables.trace_table``.
    num_warmup
        The sweeps to shade.
    label
        What the values are.

    Examples
    --------
    >>> plot = trace_lines({"chain": [0, 0], "sweep": [1, 2], "value": [-9.0, -7.0]}, num_warmup=1)
    >>> plot.yaxis.axis_label
    'log joint'
    """
    plot = canvas("sweep", label)
    if num_warmup:
        plot.add_layout(_shade(right=num_warmup))
    for name, color, (sweep, value) in _by_chain(table, "sweep", "value"):
        plot.line(sweep, value, color=color, legend_label=name, name=name)
    hover(plot, ("", "$name"), ("sweep", "@x{0,0}"), (label, "@y{0,0.0000}"))
    values = np.asarray(table["value"])
    if plot.legend and values[-1] > (values.min() + values.max()) / 2:
        plot.legend.location = "bottom_right"  # below lines that rise
    return hiding(plot)


def rank_steps(table: Any, label: str = "log joint") -> Any:
    """Draw how the draws of each chain rank among all: level lines, if chains agree.

    Parameters
    ----------
    table
        Columns ``chain``, ``left``, ``right``, ``count`` and ``expected``, from
        ``jaxlda.diagnostics.tables.rank_table``.
    label
        What was ranked.

    Examples
    --------
    >>> plot = rank_steps({"chain": [0, 1], "left": [0, 0], "right": [4, 4], "count": [2, 2], "expected": [2, 2]})
    >>> plot.xaxis.axis_label
    'rank of log joint among all draws'
    """
    plot = canvas(f"rank of {label} among all draws", "draws")
    plot.add_layout(Span(location=float(np.asarray(table["expected"])[0]), dimension="width", line_dash="dashed"))
    for name, color, (left, right, count) in _by_chain(table, "left", "right", "count"):
        edges, heights = np.column_stack([left, right]).ravel(), np.repeat(count, 2)
        plot.line(edges, heights, color=color, legend_label=name, name=name, line_width=2)
    plot.y_range.start = 0
    hover(plot, ("", "$name"), ("draws", "@y"))
    return hiding(plot)


def autocorrelation_lines(table: Any, num_draws: int, label: str = "log joint") -> Any:
    """Draw the autocorrelation of each chain against the lag; the band is where it is no more than chance.

    Parameters
    ----------
    table
        Columns ``chain``, ``lag`` and ``rho``, from ``jaxlda.diagnostics.tables.autocorrelation_table``.
    num_draws
        S, which decides how wide the band is: twice the standard error of independent draws.
    label
        What the autocorrelation is of.

    Examples
    --------
    >>> plot = autocorrelation_lines({"chain": [0, 0], "lag": [0, 1], "rho": [1.0, 0.2]}, num_draws=100)
    >>> plot.yaxis.axis_label
    'autocorrelation of log joint'
    """
    plot = canvas("lag in draws", f"autocorrelation of {label}")
    chance = 2 / np.sqrt(num_draws)
    plot.add_layout(_shade(bottom=-chance, top=chance))
    for name, color, (lag, rho) in _by_chain(table, "lag", "rho"):
        plot.line(lag, rho, color=color, legend_label=name, name=name)
    hover(plot, ("", "$name"), ("lag", "@x"), ("autocorrelation", "@y{0.000}"))
    return hiding(plot)


def evolution_lines(table: Any, column: str, label: str, limit: str | None = None) -> Any:
    """Draw how R-hat or ESS of some quantities changes as draws grow in number.

    Parameters
    ----------
    table
        Columns ``quantity``, ``draws`` and those of ``jaxlda.diagnostics.tables.evolution_table``.
    column
        The one to draw.
    label
        What it is.
    limit
        The column of dashed lines, if there are any.

    Examples
    --------
    >>> table = {"quantity": ["log joint"] * 2, "draws": [20, 40], "rhat": [1.3, 1.1], "limit": [float("nan"), 1.05]}
    >>> evolution_lines(table, "rhat", "R-hat", limit="limit").yaxis.axis_label
    'R-hat'
    """
    plot = canvas("draws of each chain", label)
    quantities, draws, values = (np.asarray(table[name]) for name in ("quantity", "draws", column))
    for i, name in enumerate(dict.fromkeys(quantities.tolist())):
        own, color = quantities == name, COLORS[i % len(COLORS)]
        plot.line(draws[own], values[own], color=color, legend_label=name, name=name)
        plot.scatter(draws[own], values[own], color=color, legend_label=name, name=name)
        if limit is not None:
            bound = np.asarray(table[limit])[own]
            plot.line(draws[own], bound, color=color, line_dash="dashed", legend_label=name, name=f"{name}, limit")
    hover(plot, ("", "$name"), ("draws", "@x"), (label, "@y{0,0.000}"))
    return hiding(plot)


def _shade(**place: Any) -> BoxAnnotation:
    return BoxAnnotation(fill_color=GREY, fill_alpha=0.3, level="underlay", **place)


def _by_chain(table: Any, *columns: str) -> Iterator[tuple[str, str, list[np.ndarray]]]:
    chains = np.asarray(table["chain"])
    for chain in np.unique(chains).tolist():
        rows = [np.asarray(table[column])[chains == chain] for column in columns]
        yield f"chain {chain}", COLORS[chain % len(COLORS)], rows
