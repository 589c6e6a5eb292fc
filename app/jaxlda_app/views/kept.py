"""Kept: finished runs of this server, also of its former starts."""

from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui

from jaxlda_app import sources
from jaxlda_app.shelf import Entry, Shelf
from jaxlda_app.store import Session
from jaxlda_app.views._view import PlainText, View

__all__ = ["KeptView"]

NO_SHELF = (
    "Runs are gone when the server ends, unless you export them. Started with “jaxlda dashboard --store DIR”, it keeps "
    "every finished run in that folder, and lists them here."
)
NOTHING = "No run is kept yet: those that finish will be listed here."


class KeptView(View):
    """A list to choose from."""

    title: ClassVar[str] = "Kept"
    icon: ClassVar[str] = "inventory_2"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.shelf: Shelf | None = session.jobs.shelf
        self.words = PlainText(value=NO_SHELF, css_classes=["sentence", "kept-state"])
        self.list = pn.widgets.Select(
            label="Kept runs", size=12, options={}, sizing_mode="stretch_width", max_width=640, css_classes=["kept"]
        )
        self.look = pmui.Button(label="Open this run", color="primary", disabled=True)
        self.drop = pmui.Button(label="Delete this run", variant="outlined", disabled=True)
        self.list.param.watch(lambda event: self._chosen(), "value")
        self.look.on_click(lambda event: self.open())
        self.drop.on_click(lambda event: self.delete())

    def refresh(self) -> None:
        """List what is there now."""
        if self.shelf is None:
            return
        entries = self.shelf.entries()
        files = [entry.file for entry in entries]
        chosen = self.list.value if self.list.value in files else None
        self.list.param.update(options=dict(zip(map(_told, entries), files, strict=True)), value=chosen)
        size = sum(entry.size for entry in entries) / 1e6
        self.words.value = (
            f"{len(entries)} of at most {self.shelf.most} runs, {size:,.1f} of at most {self.shelf.room / 1e6:,.0f} "
            "MB. When there is no more room, the oldest go."
            if entries
            else NOTHING
        )
        self._chosen()

    def open(self) -> None:
        """Look at the run that is chosen, in the place of the present one."""
        file, shelf = self.list.value, self.shelf
        if not file or shelf is None:
            return
        self.words.value = "Opening…"
        self.session.do(
            lambda: sources.read({file: shelf.content(file)}, "run", max_bytes=shelf.room), self._take, self.refresh
        )

    def delete(self) -> None:
        """Keep the run that is chosen no longer."""
        if self.list.value and self.shelf is not None:
            self.shelf.remove(self.list.value)
            self.refresh()

    def _take(self, source: sources.Input) -> None:
        self.session.take(source)
        self.session.active = "Topics"

    def _chosen(self) -> None:
        self.look.disabled = self.drop.disabled = not self.list.value

    def __panel__(self) -> pn.viewable.Viewable:
        parts = [] if self.shelf is None else [self.list, pn.FlexBox(self.look, self.drop)]
        return pn.Column(self.words, *parts, sizing_mode="stretch_width")


def _told(entry: Entry) -> str:
    return f"{entry.when} · {entry.name} · {entry.size / 1e6:,.1f} MB"
