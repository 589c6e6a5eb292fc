"""Scores as lines and points: perplexity, F1, precision and recall."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Whisker
from bokeh.models.tickers import BasicTicker

from jaxlda.plots.canvas import COLORS, canvas, canvas_and_source, hiding, hover
from jaxlda.plots.notebook import showing

__all__ = [
    "PAIRS",
    "curve_columns",
    "label_columns",
    "label_points",
    "measures_by_samples",
    "panels",
    "perplexity_by_k",
    "perplexity_by_samples",
]

PAIRS = {
    ("phi", "theta"): "φ + θ",
    ("phi", "theta_p"): "φ + θᵖ",
    ("phi_p", "theta"): "φᵖ + θ",
    ("phi_p", "theta_p"): "φᵖ + θᵖ",
}
"""The four pairs of estimators, as people write them."""


def perplexity_by_k(table: Any) -> Any:
    """Draw perplexity against the number of topics, with one standard error up and down.

    Parameters
    ----------
    table
        Columns ``num_topics``, ``perplexity`` and ``perplexity_se``, as ``jaxlda.choose_k(...).to_pandas()`` has them.

    Examples
    --------
    >>> plot = perplexity_by_k({"num_topics": [5, 10], "perplexity": [90.0, 80.0], "perplexity_se": [2.0, 3.0]})
    >>> plot.xaxis.axis_label
    'number of topics'
    """
    plot = canvas("number of topics", "held-out perplexity ± standard error")
    K, perplexity, se = (np.asarray(table[name]) for name in ("num_topics", "perplexity", "perplexity_se"))
    lowest = perplexity == perplexity.min()
    columns = {
        "K": K,
        "perplexity": perplexity,
        "se": se,
        "lower": perplexity - se,
        "upper": perplexity + se,
        "size": np.where(lowest, 12, 7),
    }
    source = ColumnDataSource(columns)
    plot.xaxis.ticker = K.tolist()
    plot.line("K", "perplexity", source=source, color=COLORS[0])
    points = plot.scatter("K", "perplexity", size="size", source=source, color=COLORS[0])
    plot.add_layout(Whisker(base="K", lower="lower", upper="upper", source=source, line_color=COLORS[0]))
    hover(plot, ("K", "@K"), ("perplexity", "@perplexity{0.00} ± @se{0.00}"), renderers=[points])
    return plot


def perplexity_by_samples(table: Any) -> Any:
    """Draw held-out perplexity against the number of samples of theta, a line for each pair of estimators.

    Parameters
    ----------
    table
        A ``jaxlda.evaluation.SampleCurve``; or columns ``samples`` and those pairs of ``PAIRS`` that there are, by
        their values, NaN where one is unknown.

    Examples
    --------
    >>> plot = perplexity_by_samples({"samples": [1, 2], "φ + θ": [90.0, 80.0], "φ + θᵖ": [82.0, 79.0]})
    >>> [item.label.value for item in plot.legend[0].items]
    ['φ + θ', 'φ + θᵖ']
    """
    columns = curve_columns(table) if hasattr(table, "perplexities") else table
    plot, source = canvas_and_source(columns, "samples averaged over", "held-out perplexity")
    plot.xaxis.ticker = BasicTicker(min_interval=1, num_minor_ticks=0)
    style = zip(PAIRS.values(), COLORS, ("circle", "square", "triangle", "diamond"), strict=False)
    for pair, color, marker in style:
        if pair not in source.data:
            continue
        plot.line("samples", pair, source=source, color=color, line_width=2, legend_label=pair, name=pair)
        plot.scatter("samples", pair, source=source, color=color, marker=marker, size=7, legend_label=pair)
    plot.legend.click_policy = "hide"
    hover(plot, ("samples", "@samples"), *((pair, f"@{{{pair}}}{{0.0}}") for pair in source.data if pair != "samples"))
    return plot


def curve_columns(curve: Any) -> dict[str, list]:
    """The columns of :func:`perplexity_by_samples`, of a ``jaxlda.evaluation.SampleCurve``.

    All pairs of estimators have one, of NaN where the curve does not have the pair.
    """
    unknown = (float("nan"),) * curve.num_samples
    columns = {name: list(curve.perplexities.get(pair, unknown)) for pair, name in PAIRS.items()}
    return {"samples": list(range(1, curve.num_samples + 1)), **columns}


def label_points(table: Any) -> Any:
    """Draw the precision of every label against its recall; the larger, the more documents have it.

    Labels whose precision is unknown, because no document was given them, are not drawn.

    Parameters
    ----------
    table
        From ``jaxlda.evaluation.by_label.label_table``.

    Returns
    -------
    bokeh.plotting.figure
        Its points have the name ``labels`` and a data source with the columns of :func:`label_columns`.

    Examples
    --------
    >>> from jaxlda.evaluation.by_label import label_table
    >>> label_points(label_table(np.array([[True]]), np.array([[True]]), ["a"])).xaxis.axis_label
    'recall'
    """
    columns, sides = label_columns(table), {"x_range": (-0.1, 1.1), "y_range": (-0.1, 1.1)}
    plot, source = canvas_and_source(columns, "recall", "precision", **sides)
    plot.scatter("recall", "precision", size="size", source=source, color=COLORS[0], alpha=0.5, name="labels")
    counts = ("documents", "@documents, predicted @predicted, correct @correct")
    hover(plot, ("label", "@label"), counts, ("precision", "@precision{0.00}"), ("recall", "@recall{0.00}"))
    return plot


def label_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`label_points`: those of the table, and ``size``, the diameters in pixels.

    >>> columns = {"label": ["a"], "predicted": [1], "correct": [1], "precision": [1.0], "recall": [0.5], "f1": [0.7]}
    >>> label_columns(columns | {"documents": [2]})["size"].tolist()
    [30.0]
    """
    names = ("label", "documents", "predicted", "correct", "precision", "recall", "f1")
    columns = {name: np.asarray(table[name]) for name in names}
    size = 6 + 24 * np.sqrt(columns["documents"] / max(columns["documents"].max(initial=0), 1))
    return columns | {"size": size}


def measures_by_samples(table: Any) -> Any:
    """Draw F1 against the number of samples, a panel for every data set and measure and a line for every method.

    Parameters
    ----------
    table
        Columns ``data_set``, ``method``, ``samples``, ``micro``, ``macro`` and ``example``.

    Examples
    --------
    >>> columns = {"data_set": ["bibtex"] * 2, "method": ["CVB0"] * 2, "samples": [1, 2]}
    >>> grid = measures_by_samples(columns | {name: [0.2, 0.3] for name in ("micro", "macro", "example")})
    >>> len(grid.children)
    3
    """
    data_sets, methods, samples = (np.asarray(table[name]) for name in ("data_set", "method", "samples"))
    rows = []
    for data_set in dict.fromkeys(data_sets.tolist()):
        row = []
        for measure in ("micro", "macro", "example"):
            plot = canvas("samples of one chain", f"{data_set}: {measure} F1")
            for method, color in zip(dict.fromkeys(methods.tolist()), cycle(COLORS), strict=False):
                own = (data_sets == data_set) & (methods == method)
                values = np.asarray(table[measure])[own]
                plot.line(samples[own], values, color=color, legend_label=method)
                plot.scatter(samples[own], values, color=color, legend_label=method)
            row.append(hiding(plot))
            plot.legend.orientation = "horizontal"
            plot.add_layout(plot.legend[0], "above")  # lines go everywhere
        rows.append(row)

    return showing(gridplot(rows, toolbar_location="right"))


def panels(
    table: Any, x: str, y: str, *, log_x: bool = False, ticks: Mapping[int, str] | None = None, columns: int = 2
) -> Any:
    """Draw lines with error bars, a panel beside another.

    Parameters
    ----------
    table
        Columns ``panel`` and ``line`` (what a point belongs to), ``x``, ``y``, and ``spread`` if there are error bars.
    x, y
        What the axes show.
    log_x
        Whether the first has a logarithmic scale.
    ticks
        Where on the first to write what; at round numbers if not given.
    columns
        Panels side by side.

    Examples
    --------
    >>> table = {"panel": ["K = 20"] * 2, "line": ["CGS"] * 2, "x": [1, 2], "y": [3.0, 2.0], "spread": [0.1, 0.2]}
    >>> grid = panels(table, "samples", "perplexity")
    >>> [plot.title.text for plot, row, column in grid.children]
    ['K = 20']
    """
    of_panel, of_line, xs, ys = (np.asarray(table[name]) for name in ("panel", "line", "x", "y"))
    spread = np.asarray(table["spread"]) if "spread" in table else None
    colors = dict(zip(dict.fromkeys(of_line.tolist()), cycle(COLORS), strict=False))
    plots = []
    for panel in dict.fromkeys(of_panel.tolist()):
        plot = canvas(x, y, x_axis_type="log" if log_x else "linear")
        plot.title.text = str(panel)
        for line in dict.fromkeys(of_line[of_panel == panel].tolist()):
            own, color = (of_panel == panel) & (of_line == line), colors[line]
            plot.line(xs[own], ys[own], color=color, legend_label=str(line))
            plot.scatter(xs[own], ys[own], color=color, legend_label=str(line))
            if spread is not None:
                plot.segment(xs[own], (ys - spread)[own], xs[own], (ys + spread)[own], color=color)
        if ticks is not None:
            plot.xaxis.ticker, plot.xaxis.major_label_overrides = list(ticks), dict(ticks)
        plot.add_layout(plot.legend[0], "below")  # where it hides nothing
        plot.legend.ncols, plot.legend.visible = 2, len(colors) > 1
        plots.append(hiding(plot))

    return showing(gridplot(plots, ncols=columns, toolbar_location="right"))
