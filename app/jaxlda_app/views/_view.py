"""What all views have in common."""

import html
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pandas as pd
import panel as pn
from bokeh.models import DataRange1d

from jaxlda_app.store import Session

__all__ = ["COMPUTING", "FAILED", "NOTHING", "PlainText", "View", "charts"]

NOTHING = "There is nothing to see yet: start sampling in the Run view."
COMPUTING = "Computing…"
FAILED = "This could not be computed; the message above says why."


class PlainText(pn.widgets.StaticText):
    """Text that may hold anything, such as words and titles of users' documents: it is shown, never interpreted."""

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        if isinstance(params.get("value"), str):
            params = params | {"value": html.escape(params["value"])}
        return super()._process_param_change(params)


def charts(*parts: pn.viewable.Viewable) -> pn.FlexBox:
    """Parts side by side where there is room, one below the other where there is not."""
    return pn.FlexBox(*parts, sizing_mode="stretch_width", align_items="stretch", css_classes=["charts"])


class View(pn.viewable.Viewer):
    """A part of the page. It has widgets and figures, asks the session, and shows the answers; it computes nothing."""

    title: ClassVar[str]

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._captions: dict[Any, PlainText] = {}
        self._ranges: list[tuple[Any, Any, Any]] = []
        self.others: Callable[[], Sequence[View]] = lambda: ()
        """All other views of the page, whose figures and tables may be exported."""

    def refresh(self) -> None:
        """Ask for what is shown. Called when the view is opened, and while it is open whenever there is more to see."""

    def forget_ranges(self) -> None:
        """Let axes follow the data again.

        Browsers tell the server how far the axes of a figure reach. A figure that is sent with such numbers keeps them,
        whatever it is fed. To be called while the figures are in no page.
        """
        for range, start, end in self._ranges:
            range.update(start=start, end=end)

    def figures(self) -> dict[str, Any]:
        """The Bokeh figures to be exported, by name."""
        return {}

    def caption(self, plot: Any) -> str:
        """The sentence that stands below a figure."""
        return str(self._captions[plot].value) if plot in self._captions else ""

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables to be exported, by name."""
        return {}

    def chart(self, plot: Any, sentence: str) -> Any:
        """A figure as wide as there is room for, and a sentence that says what is seen."""
        plot.sizing_mode = "stretch_width"
        said = PlainText(value=sentence, css_classes=["sentence"])
        self._captions[plot] = said
        for range in (plot.x_range, plot.y_range):
            if isinstance(range, DataRange1d):
                self._ranges.append((range, range.start, range.end))
        return pn.Column(
            pn.pane.Bokeh(plot, sizing_mode="stretch_width"),
            said,
            css_classes=["chart"],
            styles={"flex": "1 1 340px", "min-width": "0"},
        )

    def __panel__(self) -> pn.viewable.Viewable:
        raise NotImplementedError
