"""What all figures are drawn on: one size, one set of colours, one way to say what the pointer is at."""

from typing import Any

from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from jaxlda.plots.notebook import showing

__all__ = ["CHOSEN", "COLORS", "GREY", "HARD", "INK", "SOFT", "canvas", "canvas_and_source", "hiding", "hover"]

COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")
"""The colours of chains, told apart also by people who do not see all colours (Paul Tol's bright scheme)."""
HARD, SOFT = COLORS[1], COLORS[0]
"""The colours of estimates from counts, and of those from sums of probabilities."""
CHOSEN = COLORS[5]
"""The colour of what somebody has chosen."""
GREY = COLORS[-1]
"""The colour of whatever has none of its own."""
INK = "#6e7781"
"""The colour of words: can be read on white and on black."""


def canvas(x: str, y: str, **options: Any) -> Any:
    """An empty figure with these axes, which shows itself in notebooks.

    Parameters
    ----------
    x, y
        The labels of the axes.
    **options
        Of Bokeh's ``figure``.

    Examples
    --------
    >>> canvas("sweep", "log joint").xaxis.axis_label
    'sweep'
    """
    size: dict[str, Any] = {"height": 320, "width": 520, "toolbar_location": None}
    return showing(figure(x_axis_label=x, y_axis_label=y, **(size | options)))


def canvas_and_source(table: Any, x: str, y: str, **options: Any) -> tuple[Any, ColumnDataSource]:
    """A :func:`canvas` and what is to be drawn on it: the data source given, or one made of the table given.

    >>> canvas_and_source({"x": [1, 2]}, "x", "y")[1].data
    {'x': [1, 2]}
    """
    return canvas(x, y, **options), table if isinstance(table, ColumnDataSource) else ColumnDataSource(dict(table))


def hover(plot: Any, *tips: tuple[str, str], renderers: Any = "auto") -> None:
    """Say beside the pointer what it is at: names and values, in Bokeh's notation.

    >>> plot = canvas("x", "y")
    >>> hover(plot, ("word", "@word"))
    >>> plot.hover.tooltips
    [('word', '@word')]
    """
    plot.add_tools(HoverTool(tooltips=list(tips), renderers=renderers))


def hiding(plot: Any) -> Any:
    """The figure, whose lines a click on the legend hides; as it is, if it has no legend."""
    if plot.legend:
        plot.legend.click_policy = "hide"
    return plot
