"""Files from the browser: which, in what format, and which columns."""

from collections.abc import Callable
from typing import Any

import panel as pn

from jaxlda_app import sources
from jaxlda_app.store import Session
from jaxlda_app.views._view import Words

__all__ = ["Upload"]

NOTHING = "(none)"
MOST = 8  # files that are kept at a time: no format has more than two


class Dropper(pn.widgets.FileDropper):
    """Takes a few files up to a size. The browser refuses larger ones; who goes around it is refused here."""

    limit: int = 0

    def _process_event(self, event: Any) -> None:
        data = event.data
        if event.event_name == "upload_event":
            name, others = data["name"], {*self._file_buffer, *self.value} - {data["name"]}
            received = [] if data["chunk"] == 1 else self._file_buffer.get(name)
            too_large = received is None or sum(map(len, received)) + len(data["data"]) > self.limit
            if too_large or len(others) >= MOST:
                self._file_buffer.pop(name, None)
                return
        super()._process_event(event)


class Upload(pn.viewable.Viewer):
    """Takes files, finds out what they are, and has them read."""

    def __init__(self, session: Session, take: Callable[[sources.Source], None], max_upload: int) -> None:
        super().__init__()
        self.session, self.take = session, take
        self.files = Dropper(
            multiple=True,
            max_file_size=f"{max_upload}MB",
            previews=[],
            layout="compact",
            sizing_mode="stretch_width",
            css_classes=["files"],
        )
        self.files.limit = max_upload * 2**20
        self.format = pn.widgets.Select(label="Format", options={"Find out": None} | _swapped(sources.FORMATS))
        self.text = pn.widgets.Select(label="Column of the text")
        self.labels = pn.widgets.Select(label="Column of labels")
        self.title = pn.widgets.Select(label="Column of titles")
        self.separator = pn.widgets.TextInput(label="Between labels", value=";")
        self.columns = pn.FlexBox(self.text, self.labels, self.title, self.separator, visible=False)
        self.min_df = pn.widgets.IntInput(label="Documents a word must occur in", value=1, start=1)
        self.stop_words = pn.widgets.Checkbox(label="Leave English stop words out", value=True)
        self.read = pn.widgets.Button(label="Read the file", disabled=True, css_classes=["read"])
        self.found = Words(css_classes=["found"])
        self.files.param.watch(lambda event: self.look(), "value")
        self.format.param.watch(lambda event: self.look(), "value")
        self.read.on_click(lambda event: self.begin())

    def contents(self) -> dict[str, bytes]:
        """What was uploaded."""
        return {name: x.encode() if isinstance(x, str) else bytes(x) for name, x in self.files.value.items()}

    def look(self) -> None:
        """Find out what the files are, and offer their columns."""
        files = self.contents()
        self.read.disabled = not files
        if not files:
            self.columns.visible = False
            self.found.value = ""
            return
        format = self.format.value or sources.detect(files)
        self.found.value = f"{len(files)} file(s), read as: {sources.FORMATS[format]}."
        self.columns.visible = format in sources.TABLES
        if format not in sources.TABLES:
            return
        name, content = next(iter(files.items()))
        try:
            found = sources.columns(format, name, content)
        except ValueError as error:
            self.columns.visible = False
            self.session.message = str(error)
            return
        self.text.param.update(options=found.names, value=found.text)
        self.labels.param.update(options=[NOTHING, *found.names], value=found.labels or NOTHING)
        self.title.param.update(options=[NOTHING, *found.names], value=found.title or NOTHING)
        self.separator.visible = format == "csv"

    def begin(self) -> None:
        """Have the files read in the background."""
        files, format = self.contents(), self.format.value
        chosen: dict[str, Any] = {"text": self.text.value or "text"}
        for what, widget in (("labels", self.labels), ("title", self.title)):
            chosen[what] = None if widget.value in (None, NOTHING) else widget.value
        chosen |= {
            "label_separator": self.separator.value,
            "min_df": self.min_df.value,
            "stop_words": self.stop_words.value,
        }
        self.session.message = "Reading…"
        self.session.do(lambda: sources.read(files, format, **chosen), self.take)
        self.files.value = {}  # those that come now are other ones

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            self.files,
            self.found,
            self.format,
            self.columns,
            pn.FlexBox(self.min_df, self.stop_words),
            self.read,
            sizing_mode="stretch_width",
        )


def _swapped(names: dict[str, str]) -> dict[str, str]:
    return {value: key for key, value in names.items()}
