"""The runs of a session: look at another one, call it something else, take it out."""

from typing import Any

import panel as pn
import panel_material_ui as pmui

from jaxlda_app.store import Session
from jaxlda_app.views._view import WIDE, PlainText, card, controls

__all__ = ["History"]

NONE = -1
WRAPPED = "label { white-space: normal; font-size: .8125rem; }"


class History(pn.viewable.Viewer):
    """A list of runs, of which one is looked at in all views."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.choice = pn.widgets.RadioBoxGroup(
            label="Runs", options={}, css_classes=["runs"], stylesheets=[WRAPPED], **WIDE
        )
        self.called = pn.widgets.TextInput(label="Name of the run", width=220)
        self.remove = pmui.Button(label="Remove it", variant="outlined", color="error")
        self.empty = PlainText(value="No run yet: press Start. Runs of this session are kept here, the last eight.")
        self._following = False
        session.param.watch(lambda *events: self.follow(), ["runs", "current", "status", "snapshot"])
        self.choice.param.watch(self._choose, "value")
        self.called.param.watch(self._call, "value")
        self.remove.on_click(lambda event: self._remove())
        self.follow()

    def follow(self) -> None:
        """Show the runs as they are."""
        runs, current = self.session.runs, self.session.current
        options = {f"{run.name} · {run.about} · {run.job.status}": i for i, run in enumerate(runs)}
        index = next((i for i, run in enumerate(runs) if run is current), NONE)
        self._following = True
        try:
            if options != self.choice.options or self.choice.value != index:
                self.choice.param.update(options=options, value=index if index != NONE else None)
            self.called.param.update(value="" if current is None else current.name, disabled=current is None)
            self.remove.disabled = current is None
            self.empty.visible = not runs
            self.choice.visible = bool(runs)
        finally:
            self._following = False

    def _choose(self, event: Any) -> None:
        if not self._following and event.new is not None and event.new < len(self.session.runs):
            self.session.look_at(self.session.runs[event.new])

    def _call(self, event: Any) -> None:
        current = self.session.current
        name = " ".join(str(event.new or "").split())[:80]
        if not self._following and current is not None and name:
            current.name = name
            self.follow()

    def _remove(self) -> None:
        if self.session.current is not None:
            self.session.forget(self.session.current)

    def __panel__(self) -> pn.viewable.Viewable:
        return card("Runs", self.empty, self.choice, controls(self.called, self.remove), width=None)
