"""Panes of Panel's that change what they show, and nothing else.

Panel sends a pane's style sheets again with every change; in a notebook by addresses, so that the page would ask
another host for them.
"""

from typing import Any

import panel as pn

__all__ = ["HtmlPane", "TablePane"]


class _Light(pn.pane.base.ModelPane):
    """Keeps the style sheets that it was drawn with."""

    def _update(self, ref: str, model: Any) -> None:
        properties = self._get_properties(model.document)
        properties.pop("stylesheets", None)
        model.update(**properties)


class HtmlPane(_Light, pn.pane.HTML):
    """HTML."""


class TablePane(_Light, pn.pane.DataFrame):
    """A table of pandas."""
