"""Figures as HTML pages that need nothing else."""

from collections.abc import Mapping
from html import escape
from typing import Any

from bokeh.embed import file_html
from bokeh.layouts import column
from bokeh.models.widgets import Div
from bokeh.resources import INLINE

__all__ = ["as_page", "as_report"]

# Bokeh's own page links to the scripts of every library that is loaded, such as Panel's.
_PAGE = "{% block css_resources %}{% endblock %}{% block js_resources %}{{ library }}{% endblock %}"


def as_report(text: str, plots: Mapping[str, Any], title: str) -> str:
    """Text (HTML) and figures by title as one HTML page that needs nothing else.

    Examples
    --------
    >>> from jaxlda.plots.chains import trace_lines
    >>> plot = trace_lines({"chain": [0], "sweep": [1], "value": [-9.0]})
    >>> "<title>news</title>" in as_report("<p>All is well.</p>", {"A chain": plot}, "news")
    True
    """
    style = "<style>p {max-width: 70em; margin: 1em 0} td, th {padding: 0 0.6em; text-align: right}</style>"
    children = [Div(text=style + text, width=1080)]
    for name, plot in plots.items():
        children += [Div(text=f"<h3>{escape(name)}</h3>"), plot]
    return as_page(column(*children), title)


def as_page(plot: Any, title: str) -> str:
    """A figure as an HTML page that needs nothing else.

    Examples
    --------
    >>> from jaxlda.plots.chains import trace_lines
    >>> "<title>news</title>" in as_page(trace_lines({"chain": [0], "sweep": [1], "value": [-9.0]}), "news")
    True
    """
    library = "".join(f"<script>{code}</script>" for code in INLINE.js_raw)
    return file_html(plot, INLINE, title, template=_PAGE, template_variables={"library": library})
