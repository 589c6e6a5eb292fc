"""Figures that show themselves in notebooks.

A Bokeh figure as the last line of a cell shows a list of its properties, unless ``output_notebook`` was called before
and ``show`` is called now. Ours are plain Bokeh figures, which anything that takes figures takes, with one attribute
more: ``_repr_mimebundle_``, which IPython asks first. It answers with HTML that draws the figure, so nobody has to call
anything, and JupyterLab, VS Code, nbconvert and MyST-NB, which all show HTML and run what is in it, need no extension.

Nothing is loaded from the network. The first figure of a notebook carries BokehJS (1.3 MB); all the others are a few
kilobytes and wait for it. When a cell that carries it is run again, or deleted, the next figure carries it anew: so a
notebook that was saved can be opened again. (In Google Colab every output is a page of its own, and carries its own.)
BokehJS keeps versions apart, so other notebooks in the same window, or Panel, are not disturbed.
"""

import json
import sys
from functools import lru_cache, partial
from html import escape
from string import Template
from typing import Any, NamedTuple
from uuid import uuid4

from bokeh import __version__ as VERSION
from bokeh.embed import json_item
from bokeh.resources import Resources

__all__ = ["as_html", "drawn_from", "showing", "table_of"]

WAIT = 20_000  # milliseconds: a browser that is busy with other cells may take long to read BokehJS

_DRAW = Template(
    """<div id="$place" role="img" aria-label="$words"></div>
<script>
(function () {
  const figure = $figure, last = Date.now() + $wait;
  function draw() {
    const place = document.getElementById("$place");
    const bokeh = window.Bokeh && (window.Bokeh["$version"] || window.Bokeh);
    if (place && bokeh && bokeh.embed) bokeh.embed.embed_item(figure, "$place");
    else if (Date.now() < last) setTimeout(draw, 50);
    else if (place) place.textContent = "Run this notebook again to see the figure: BokehJS, which draws it, is gone.";
  }
  draw();
})();
</script>"""
)


class _Carrier(NamedTuple):
    """The output that carries BokehJS."""

    cell: str | None
    """Its cell, where the notebook says which."""
    message: str | None
    """The request that ran the cell: all figures of one run of a cell need BokehJS once."""


_carrier: _Carrier | None = None


def as_html(plot: Any, *, library: bool = True) -> str:
    """A figure or layout as a piece of HTML, to be put into a page.

    Parameters
    ----------
    plot
        Of Bokeh.
    library
        Whether to bring BokehJS along: once per page is enough.

    Examples
    --------
    >>> from jaxlda.plots.canvas import canvas
    >>> page = as_html(canvas("sweep", "log joint"), library=False)
    >>> "embed_item" in page, len(page) < 300_000
    (True, True)
    """
    # In JSON, "<" occurs in texts only; spelled like this, none of them can end the script.
    figure = json.dumps(json_item(plot), separators=(",", ":")).replace("<", "\\u003c")
    place = f"jaxlda-{uuid4().hex}"
    drawn = _DRAW.substitute(
        place=place, words=escape(_described(plot)), figure=figure, wait=WAIT, version=escape(VERSION)
    )
    return f"<script>{_library()}</script>\n{drawn}" if library else drawn


def showing(plot: Any) -> Any:
    """The same figure or layout, which now shows itself where it is the last line of a cell."""
    plot._repr_mimebundle_ = partial(_bundle, plot)
    return plot


def drawn_from(plot: Any, table: Any) -> Any:
    """The same figure, of which :func:`table_of` knows the table."""
    plot._jaxlda_table = table
    return plot


def table_of(plot: Any) -> Any:
    """The table that a figure of ``jaxlda.plots`` was drawn from, a row for each mark: to look at, or to plot anew.

    Parameters
    ----------
    plot
        A figure that a function of ``jaxlda.plots`` has made of a model or a run.

    Returns
    -------
    pandas.DataFrame
        Its columns are described with the function named in the description of the figure.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)
    >>> table_of(jaxlda.plots.trace(run, series="moved")).columns.tolist()
    ['chain', 'sweep', 'value']
    """
    table = getattr(plot, "_jaxlda_table", None)
    if table is None:
        raise TypeError(f"table_of takes a figure that jaxlda.plots has made of a model or a run; got {plot!r:.80}")
    return table


def _bundle(plot: Any, include: Any = None, exclude: Any = None) -> dict[str, str]:
    """What IPython asks for."""
    return {"text/plain": f"<{_described(plot)}>", "text/html": as_html(plot, library=_carries())}


def _described(plot: Any) -> str:
    """A figure in a few words, for who cannot see it."""
    labels = [axis.axis_label for axis in (*getattr(plot, "yaxis", ()), *getattr(plot, "xaxis", ())) if axis.axis_label]
    return f"figure: {' against '.join(labels)}" if labels else "figure"


@lru_cache(maxsize=1)
def _library() -> str:
    return "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)


def _carries() -> bool:
    """Whether the output that is written now is to carry BokehJS."""
    global _carrier
    if "google.colab" in sys.modules:
        return True
    now, deleted = _request()
    again = _carrier is not None and now.cell is not None and now.cell == _carrier.cell
    gone = _carrier is not None and _carrier.cell in deleted
    if _carrier is None or gone or (again and now.message != _carrier.message):
        _carrier = now
        return True
    return False


def _request() -> tuple[_Carrier, Any]:
    """The request that is answered now, as far as there is a notebook, and the cells that were deleted there."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    parent = shell.get_parent() if hasattr(shell, "get_parent") else None
    if not isinstance(parent, dict):
        return _Carrier(None, None), ()
    about = parent.get("metadata") or {}
    message = (parent.get("header") or {}).get("msg_id")
    return _Carrier(about.get("cellId"), message), about.get("deletedCells") or ()
