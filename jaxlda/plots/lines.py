"""Lines that grow while chains are sampled: figures drawn once, whose data are exchanged."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import BoxAnnotation
from jaxtyping import Float

from jaxlda.plots.canvas import COLORS, canvas, hover

__all__ = ["LIMIT", "line_chart", "lines_of", "thinned"]

LIMIT = 500
"""Points of a line that are drawn: more are not seen on a screen, and all of them are sent again at every update."""


def thinned(
    x: Float[np.ndarray, " T"], y: Float[np.ndarray, " T"], limit: int = LIMIT
) -> tuple[np.ndarray, np.ndarray]:
    """The points that are known (not NaN), at most ``limit`` of them, evenly spread, the first and the last included.

    Examples
    --------
    >>> x, y = thinned(np.arange(1000.0), np.arange(1000.0) ** 2, limit=3)
    >>> x.tolist()
    [0.0, 500.0, 999.0]
    """
    if limit < 2:
        raise ValueError(f"limit must be at least 2; got {limit}")
    known = np.flatnonzero(~np.isnan(y))
    if len(known) > limit:
        known = known[np.round(np.linspace(0, len(known) - 1, limit)).astype(int)]
    return x[known], y[known]


def lines_of(xs: Sequence[np.ndarray], ys: Sequence[np.ndarray], names: Sequence[str]) -> dict[str, list]:
    """Lines as a Bokeh data source holds them: columns ``xs``, ``ys``, ``name`` and ``color``, one row per line.

    Examples
    --------
    >>> lines_of([np.array([1.0, 2.0])], [np.array([5.0, 6.0])], ["chain 0"])["name"]
    ['chain 0']
    """
    return {
        "xs": [np.asarray(x, float) for x in xs],
        "ys": [np.asarray(y, float) for y in ys],
        "name": list(names),
        "color": [COLORS[i % len(COLORS)] for i in range(len(names))],
    }


def line_chart(x: str, y: str, data: Any = None, *, shaded: str | None = None, **options: Any) -> Any:
    """A figure of lines, a legend entry each. They grow when ``data`` of the data source is exchanged.

    Parameters
    ----------
    x, y
        The labels of the axes.
    data
        From :func:`lines_of`; nothing if not given.
    shaded
        Shades a part of the plot from its ``"left"`` (the burn-in) or around zero (``"middle"``, what chance gives);
        the box is called ``"shade"``, and none to begin with.
    **options
        Of Bokeh's ``figure``.

    Examples
    --------
    >>> plot = line_chart("sweep", "log joint", lines_of([np.arange(3.0)], [np.arange(3.0)], ["chain 0"]))
    >>> plot.select_one({"name": "lines"}).data_source.data["name"]
    ['chain 0']
    """
    plot = canvas(x, y, **options)
    source = ColumnDataSource(lines_of([], [], []) if data is None else data)
    drawn = plot.multi_line("xs", "ys", color="color", legend_field="name", line_width=1.5, source=source, name="lines")
    if shaded is not None:
        box = BoxAnnotation(name="shade", fill_color="#999999", fill_alpha=0.2, level="underlay")
        box.update(**({"right": 0} if shaded == "left" else {"bottom": 0, "top": 0}))
        plot.add_layout(box)
    hover(plot, ("", "@name"), (x, "$x{0,0}"), (y, "$y{0.0000}"), renderers=[drawn])
    plot.legend.label_text_font_size = "11px"
    plot.legend.spacing = 0
    return plot
