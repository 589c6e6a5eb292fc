"""Files from the browser: which, in what format, and which columns."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda_app import sources
from jaxlda_app.panes import HtmlPane
from jaxlda_app.reading import Request
from jaxlda_app.report import html_table
from jaxlda_app.store import Session
from jaxlda_app.views._tables import TABLE
from jaxlda_app.views._view import ALIGNED, WIDE, PlainText, controls

__all__ = ["Upload"]

NOTHING, AUTOMATIC = "(none)", "auto"
MOST = 8  # files that are kept at a time: no format has more than two
MB = 10**6  # bytes of a megabyte, as browsers count them
READING = "Reading…"
TEXTS = ("text", "csv", "jsonl", "zip", "mallet")  # whose words are chosen here
DROP = """
.bk-input.filepond--root { margin-bottom: 0; border: 1px dashed var(--mui-palette-text-secondary); box-shadow: none; }
.filepond--panel-root { background: none; }
.filepond--drop-label { color: var(--mui-palette-text-primary); }
"""
LONGEST = 60  # signs of a cell that are shown


class Dropper(pn.widgets.FileDropper):
    """Takes a few files up to a size together. The browser refuses larger ones; who goes around it is refused here."""

    limit: int = 0
    hold: Callable[[int], bool] = staticmethod(lambda size: True)
    """Asks the server for room for so many bytes."""
    tell: Callable[[str], Any] = staticmethod(lambda words: None)

    def _process_event(self, event: Any) -> None:
        data = event.data
        if event.event_name == "upload_event":
            name, others = data["name"], {*self._file_buffer, *self.value} - {data["name"]}
            received = [] if data["chunk"] == 1 else self._file_buffer.get(name)
            size = len(data["data"]) + sum(map(len, received or ()))
            size += sum(len(x) for other, x in self.value.items() if other != name)
            size += sum(sum(map(len, x)) for other, x in self._file_buffer.items() if other != name)
            if received is None:
                return  # the rest of a file that was refused
            if words := self._refusal(size, len(others)):
                self._file_buffer.pop(name, None)
                self.tell(words)
                return
        super()._process_event(event)

    def _refusal(self, size: int, others: int) -> str:
        if size > self.limit:
            return f"This server takes {self.limit / MB:,.0f} MB of files at a time. Upload a part of it."
        if others >= MOST:
            return f"This server takes {MOST} files at a time. Reload the page to begin anew."
        return "" if self.hold(size) else "Other people's files take all the room here now: try again in a few minutes."


class Upload(pn.viewable.Viewer):
    """Takes files, finds out what they are, and has them read, as often as somebody changes how."""

    def __init__(self, session: Session, take: Callable[[sources.Input], None], max_upload: int) -> None:
        super().__init__()
        self.session, self.take = session, take
        self.kept: Mapping[str, bytes] = {}
        """The files that were read last: they can be read again."""
        self.format_found: str | None = None
        self._showing = False
        self._weighed: tuple[Any, sources.Input] | None = None
        self.files = Dropper(
            multiple=True,
            max_file_size=f"{max_upload}MB",
            previews=[],
            layout="compact",
            sizing_mode="stretch_width",
            stylesheets=[DROP],
            css_classes=["files"],
        )
        self.files.limit = max_upload * MB
        self.files.hold = lambda size: session.readings.hold(session, size + sum(map(len, self.kept.values())))
        self.files.tell = lambda words: session.param.update(message=words)
        formats = {"Find out": AUTOMATIC} | {value: key for key, value in sources.FORMATS.items()}
        self.format = pn.widgets.Select(label="Format", options=formats, value=AUTOMATIC)
        self.text = pn.widgets.Select(label="Column of the text")
        self.labels = pn.widgets.Select(label="Column of labels")
        self.title = pn.widgets.Select(label="Column of titles")
        self.separator = pn.widgets.TextInput(label="Between labels", value=";")
        self.columns = controls(self.text, self.labels, self.title, self.separator)
        self.columns.visible = False
        self.rows = HtmlPane(
            "", stylesheets=[TABLE], sizing_mode="stretch_width", styles={"overflow-x": "auto"}, css_classes=["rows"]
        )
        self.min_df = pn.widgets.IntInput(label="Documents a word must occur in", value=1, start=1)
        self.stop_words = pmui.Checkbox(label="Leave English stop words out", value=True, css_classes=["stop-words"])
        self.phrases = pmui.Checkbox(label="Join phrases, such as new york", value=False)
        self.count = PlainText(css_classes=["words-kept"])
        self.read = pmui.Button(label="Read the file", color="primary", disabled=True, css_classes=["read"])
        self.found = PlainText(css_classes=["found"])
        self.files.param.watch(lambda event: self.look() if event.new else None, "value")
        self.format.param.watch(lambda event: self.look(), "value")
        self.read.on_click(lambda event: self.begin())
        for choice in (self.text, self.labels, self.title, self.separator, self.min_df, self.stop_words, self.phrases):
            choice.param.watch(lambda event: self.weigh(), "value")

    def offer(self, files: Mapping[str, bytes], format: str) -> None:
        """Read what was not uploaded, but pasted."""
        self.files.value = {}
        self.kept, self.format_found = files, format
        self.columns.visible = False
        self.rows.object = ""
        self.format.value = AUTOMATIC
        self.read.disabled = False
        self.found.value = f"{_named(files)}, read as: {sources.FORMATS[format]}."
        self.begin()

    def contents(self) -> Mapping[str, bytes]:
        """What was uploaded; or if there is nothing new, what was read last."""
        new = {name: x.encode() if isinstance(x, str) else bytes(x) for name, x in self.files.value.items()}
        return new or self.kept

    def look(self) -> None:
        """Find out what the files are, and offer their columns."""
        files = self.contents()
        self.read.disabled = not files
        self.format_found = None
        if not files:
            return
        self.found.value = f"{_named(files)}. Looking…"
        if self.session.message == READING:
            self.session.message = ""  # it was given up for the new ones
        chosen = self._chosen_format()
        if self._is_run(files):
            self._show(files, sources.Look("run", [], None, None, None, [], []))
            return
        self.session.read(
            Request("look", files, {"format": chosen}),
            lambda found: self._show(files, found),
            lambda words: self._refuse(files, words),
        )

    def options(self) -> dict[str, Any]:
        """How to read the files."""
        return {
            "format": self._chosen_format() or self.format_found,
            "text": self._chosen(self.text),
            "labels": self._chosen(self.labels),
            "title": self._chosen(self.title),
            "label_separator": self.separator.value,
            "min_df": self.min_df.value,
            "stop_words": self.stop_words.value,
            "phrases": self.phrases.value,
        }

    def weigh(self) -> None:
        """Read the files as they would be, and say what is kept of them; they are used when somebody asks for it."""
        files, options = self.contents(), self.options()
        if self._showing or options["format"] not in TEXTS or not files or self.session.message == READING:
            return
        self.count.value = "Counting words…"
        self._weighed = None
        self.session.read(
            Request("read", files, options),
            lambda found: self._tell_count(files, options, found),
            self._tell_weight,
        )

    def begin(self) -> None:
        """Have the files read in the background; what was weighed is read already."""
        files, options = self.contents(), self.options()
        format, weighed = options["format"], self._weighed
        self.session.message = READING
        self.kept = files
        if format == "run" or (format is None and self._is_run(files)):
            # Nothing in it is packed: it takes no more than twice its size, and its chains cannot change processes.
            self.session.do(lambda: sources.read(files, "run"), self.take)
        elif weighed is not None and weighed[0] == (files, options):
            self.take(weighed[1])
        else:
            self.count.value = ""  # if words were being counted, that is given up for this
            self.session.read(Request("read", files, options), lambda found: self._use(files, options, found))
        self.files.value = {}  # those that come now are other ones

    def _use(self, files: Mapping[str, bytes], options: dict[str, Any], found: sources.Input) -> None:
        if options["format"] in TEXTS:
            self._tell_count(files, options, found)
        self.take(sources.modelled(found))

    def _tell_weight(self, words: str) -> None:
        self.count.value = words

    def _tell_count(self, files: Mapping[str, bytes], options: dict[str, Any], found: sources.Input) -> None:
        if files.keys() == self.contents().keys() and options == self.options():
            self._weighed = ((files, options), found)
            corpus = found.corpus
            left_out = sum(removed.words for removed in corpus.summary().removed)
            self.count.value = (
                f"Keeps {corpus.num_words:,} words ({corpus.num_tokens:,} tokens) of {corpus.num_docs:,} documents; "
                f"leaves {left_out:,} words out."
            )

    def _chosen_format(self) -> str | None:
        return None if self.format.value == AUTOMATIC else self.format.value

    def _is_run(self, files: Mapping[str, bytes]) -> bool:
        return self._chosen_format() in (None, "run") and any(name.lower().endswith(".jaxlda") for name in files)

    def _chosen(self, widget: Any) -> str | None:
        return None if not self.columns.visible or widget.value in (None, NOTHING) else widget.value

    def _refuse(self, files: Mapping[str, bytes], words: str) -> None:
        self.columns.visible = False
        self.rows.object = self.count.value = ""
        self.found.value = f"{_named(files)}. It cannot be read like this."
        self.session.message = words

    def _show(self, files: Mapping[str, bytes], found: sources.Look) -> None:
        if files.keys() != self.contents().keys():
            return  # there are other ones by now
        self.format_found = found.format
        said = "".join(f" {note[:1].upper()}{note[1:]}." for note in found.notes)
        self.found.value = f"{_named(files)}, read as: {sources.FORMATS[found.format]}.{said}"
        self._showing, self.count.value = True, ""
        self.columns.visible = bool(found.columns)
        self.rows.object = _table(found)
        if found.columns:
            self.text.param.update(options=found.columns, value=found.text or found.columns[0])
            self.labels.param.update(options=[NOTHING, *found.columns], value=found.labels or NOTHING)
            self.title.param.update(options=[NOTHING, *found.columns], value=found.title or NOTHING)
            self.separator.visible = found.format == "csv"
        self._showing = False
        self.weigh()

    def __panel__(self) -> pn.viewable.Viewable:
        for part in (self.files, self.format, self.read):
            part.margin = ALIGNED
        return pn.Column(
            self.files,
            self.found,
            self.rows,
            self.format,
            self.columns,
            controls(self.min_df, self.stop_words, self.phrases),
            self.count,
            self.read,
            **WIDE,
        )


def _named(files: Mapping[str, bytes]) -> str:
    return ", ".join(files)


def _table(found: sources.Look) -> str:
    """The first rows, as text."""
    if not found.rows:
        return ""
    cut = [[cell if len(cell) <= LONGEST else cell[:LONGEST] + "…" for cell in row] for row in found.rows]
    return html_table(pd.DataFrame(cut, columns=found.columns, dtype=object))
