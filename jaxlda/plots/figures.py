"""Tables as Bokeh figures."""

from collections.abc import Iterator, Mapping
from html import escape
from itertools import cycle
from typing import Any

import numpy as np

__all__ = [
    "as_page",
    "as_report",
    "autocorrelation",
    "measures_by_samples",
    "panels",
    "perplexity_by_k",
    "ranks",
    "traces",
]

# Of chains, told apart also by people who do not see all colours (Paul Tol's bright scheme).
COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


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
    plot = _figure("number of topics", "held-out perplexity ± standard error")
    from bokeh.models import ColumnDataSource, HoverTool
    from bokeh.models.annotations import Whisker

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
    plot.line("K", "perplexity", source=source, color="#4477aa")
    points = plot.scatter("K", "perplexity", size="size", source=source, color="#4477aa")
    plot.add_layout(Whisker(base="K", lower="lower", upper="upper", source=source, line_color="#4477aa"))
    plot.add_tools(
        HoverTool(renderers=[points], tooltips=[("K", "@K"), ("perplexity", "@perplexity{0.00} ± @se{0.00}")])
    )
    return plot


def traces(table: Any, num_warmup: int = 0, label: str = "log joint") -> Any:
    """Draw what was traced of each chain against the sweep, with the burn-in shaded.

    Parameters
    ----------
    table
        Columns ``chain``, ``sweep`` and ``value``, from ``jaxlda.plots.tables.trace_table``.
    num_warmup
        The sweeps to shade.
    label
        What the values are.

    Examples
    --------
    >>> plot = traces({"chain": [0, 0], "sweep": [1, 2], "value": [-9.0, -7.0]}, num_warmup=1)
    >>> plot.yaxis.axis_label
    'log joint'
    """
    plot = _figure("sweep", label)
    from bokeh.models.annotations import BoxAnnotation

    if num_warmup:
        plot.add_layout(BoxAnnotation(right=num_warmup, fill_color="#bbbbbb", fill_alpha=0.3, level="underlay"))
    for name, color, (sweep, value) in _by_chain(table, "sweep", "value"):
        plot.line(sweep, value, color=color, legend_label=name)
    return _with_legend(plot)


def ranks(table: Any, label: str = "log joint") -> Any:
    """Draw how the draws of each chain rank among all: level lines, if chains agree.

    Parameters
    ----------
    table
        Columns ``chain``, ``left``, ``right``, ``count`` and ``expected``, from ``jaxlda.plots.tables.rank_table``.
    label
        What was ranked.

    Examples
    --------
    >>> plot = ranks({"chain": [0, 1], "left": [0, 0], "right": [4, 4], "count": [2, 2], "expected": [2, 2]})
    >>> plot.xaxis.axis_label
    'rank of log joint among all draws'
    """
    plot = _figure(f"rank of {label} among all draws", "draws")
    from bokeh.models.annotations import Span

    plot.add_layout(Span(location=float(np.asarray(table["expected"])[0]), dimension="width", line_dash="dashed"))
    for name, color, (left, right, count) in _by_chain(table, "left", "right", "count"):
        edges, heights = np.column_stack([left, right]).ravel(), np.repeat(count, 2)
        plot.line(edges, heights, color=color, legend_label=name, line_width=2)
    plot.y_range.start = 0
    return _with_legend(plot)


def autocorrelation(table: Any, num_draws: int, label: str = "log joint") -> Any:
    """Draw the autocorrelation of each chain against the lag; the band is where it is no more than chance.

    Parameters
    ----------
    table
        Columns ``chain``, ``lag`` and ``rho``, from ``jaxlda.plots.tables.autocorrelation_table``.
    num_draws
        S, which decides how wide the band is: twice the standard error of independent draws.
    label
        What the autocorrelation is of.

    Examples
    --------
    >>> plot = autocorrelation({"chain": [0, 0], "lag": [0, 1], "rho": [1.0, 0.2]}, num_draws=100)
    >>> plot.yaxis.axis_label
    'autocorrelation of log joint'
    """
    plot = _figure("lag in draws", f"autocorrelation of {label}")
    from bokeh.models.annotations import BoxAnnotation

    chance = 2 / np.sqrt(num_draws)
    plot.add_layout(BoxAnnotation(bottom=-chance, top=chance, fill_color="#bbbbbb", fill_alpha=0.3, level="underlay"))
    for name, color, (lag, rho) in _by_chain(table, "lag", "rho"):
        plot.line(lag, rho, color=color, legend_label=name)
    return _with_legend(plot)


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
            plot = _figure("samples of one chain", f"{data_set}: {measure} F1")
            for method, color in zip(dict.fromkeys(methods.tolist()), cycle(COLORS), strict=False):
                own = (data_sets == data_set) & (methods == method)
                values = np.asarray(table[measure])[own]
                plot.line(samples[own], values, color=color, legend_label=method)
                plot.scatter(samples[own], values, color=color, legend_label=method)
            row.append(_with_legend(plot))
            plot.legend.orientation = "horizontal"
            plot.add_layout(plot.legend[0], "above")  # lines go everywhere
        rows.append(row)
    from bokeh.layouts import gridplot

    return gridplot(rows, toolbar_location="right")


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
        plot = _figure(x, y, x_axis_type="log" if log_x else "linear")
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
        plots.append(_with_legend(plot))
    from bokeh.layouts import gridplot

    return gridplot(plots, ncols=columns, toolbar_location="right")


def as_report(text: str, plots: Mapping[str, Any], title: str) -> str:
    """Text (HTML) and figures by title as one HTML page that needs nothing else.

    Examples
    --------
    >>> plot = traces({"chain": [0], "sweep": [1], "value": [-9.0]})
    >>> "<title>news</title>" in as_report("<p>All is well.</p>", {"A chain": plot}, "news")
    True
    """
    _figure("", "")  # which says what to install
    from bokeh.layouts import column
    from bokeh.models.widgets import Div

    style = "<style>p {max-width: 70em; margin: 1em 0} td, th {padding: 0 0.6em; text-align: right}</style>"
    children = [Div(text=style + text, width=1080)]
    for name, plot in plots.items():
        children += [Div(text=f"<h3>{escape(name)}</h3>"), plot]
    return as_page(column(*children), title)


def as_page(plot: Any, title: str) -> str:
    """A figure as an HTML page that needs nothing else.

    Examples
    --------
    >>> "<title>news</title>" in as_page(traces({"chain": [0], "sweep": [1], "value": [-9.0]}), "news")
    True
    """
    from bokeh.embed import file_html
    from bokeh.resources import INLINE

    return file_html(plot, INLINE, title)


def _by_chain(table: Any, *columns: str) -> Iterator[tuple[str, str, list[np.ndarray]]]:
    chains = np.asarray(table["chain"])
    for chain in np.unique(chains).tolist():
        rows = [np.asarray(table[column])[chains == chain] for column in columns]
        yield f"chain {chain}", COLORS[chain % len(COLORS)], rows


def _figure(x: str, y: str, **options: Any) -> Any:
    from bokeh.plotting import figure

    return figure(height=320, width=520, x_axis_label=x, y_axis_label=y, toolbar_location=None, **options)


def _with_legend(plot: Any) -> Any:
    if plot.legend:
        plot.legend.click_policy = "hide"
    return plot
