"""Estimates: hard and soft counts, how many samples each estimator needs, and which words a word leads to."""

from typing import Any, ClassVar

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda_app.store import Session
from jaxlda_app.views._view import WIDE, View
from jaxlda_app.views.counts import CountsView
from jaxlda_app.views.estimators import EstimatorsView

__all__ = ["EstimatesView"]


class EstimatesView(View):
    """Two parts, of which one is looked at."""

    title: ClassVar[str] = "Estimates"
    icon: ClassVar[str] = "balance"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.parts: dict[str, View] = {
            "Hard and soft counts": CountsView(session),
            "Samples and associations": EstimatorsView(session),
        }
        self.tabs = pmui.Tabs(*self.parts.items(), dynamic=True, css_classes=["estimates-tabs"], **WIDE)
        self.tabs.param.watch(lambda event: self._turned(), "active")

    def _turned(self) -> None:
        part = list(self.parts.values())[self.tabs.active]
        part.forget_ranges()
        part.refresh()

    def refresh(self) -> None:
        """Let the part that is looked at ask; and both, where another view wants their figures."""
        shown = list(self.parts.values())
        if self.session.active == self.title:
            shown = [shown[self.tabs.active]]
        for part in shown:
            part.refresh()

    def forget_ranges(self) -> None:
        """Of both."""
        for part in self.parts.values():
            part.forget_ranges()

    def figures(self) -> dict[str, Any]:
        """Of both."""
        return {name: plot for part in self.parts.values() for name, plot in part.figures().items()}

    def tables(self) -> dict[str, pd.DataFrame]:
        """Of both."""
        return {name: table for part in self.parts.values() for name, table in part.tables().items()}

    def caption(self, plot: Any) -> str:
        """Of the part that has it."""
        return next((said for part in self.parts.values() if (said := part.caption(plot))), "")

    def __panel__(self) -> pn.viewable.Viewable:
        return self.tabs
