"""Documents: tokens with the colours of their topics, proportions by both estimators, search, and neighbours."""

import html
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda.plots import maps
from jaxlda.plots.bars import proportion_bars
from jaxlda_app.panes import HtmlPane
from jaxlda_app.questions import documents as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import CLEAR, chain_choice
from jaxlda_app.views._view import COMPUTING, WIDE, PlainText, View, card, charts, controls, stack
from jaxlda_app.words import counted

__all__ = ["DocumentsView"]

STYLE = """
.tokens { line-height: 1.9; margin: 0; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; max-width: 75ch; }
.hit { outline: 2px solid #aa3377; outline-offset: 1px; }
.tokens span, .legend i { border-radius: 3px; padding: 1px 3px; }
sub { font-size: .6em; margin-left: 1px; }
.legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.legend i { display: inline-block; width: 1em; height: .8em; margin-right: .35em; }
"""
WRITTEN = (
    "The text as it was written. Coloured words are tokens, in the colour of their topic: the stronger, the more "
    "probable. Rest on one to see its probabilities. Words without colour were left out when the text was read."
)
ORDER = (
    "A bag of words has no order: tokens stand in the order of the {order}, each with the number of its topic. The "
    "stronger the colour, the more probable the topic."
)


SENTENCE = (
    "The largest topic proportions of the document by counts (θ, Eq. 3) and by transition probabilities (θᵖ, Eq. 40)."
)
NO_POINTS: dict[str, list] = {name: [] for name in ("document", "title", "x", "y", "topic", "name", "share")}
NO_TOPICS: dict[str, list] = {name: [] for name in ("topic", "name", "x", "y", "share")}
NEAR = "By Hellinger distance between topic proportions θᵖ: 0 is the same, 1 no topic in common."


class DocumentsView(View):
    """One document at a time."""

    title: ClassVar[str] = "Documents"
    icon: ClassVar[str] = "description"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.previous = pmui.Button(label="◀ Previous", variant="outlined")
        self.next = pmui.Button(label="Next ▶", variant="outlined")
        self.number = pn.widgets.IntInput(label="Document", value=session.document, start=0, width=100)
        self.soft = pmui.RadioButtonGroup(
            label="Topics of tokens",
            options={"Hard: as drawn": False, "Soft: most probable": True},
            value=session.soft,
            **CLEAR,
        )
        self.chain = chain_choice(session)
        self.by_topic = pmui.RadioButtonGroup(
            label="Order", options={"As written": False, "By topic": True}, value=False, **CLEAR
        )
        self.query = pn.widgets.TextInput(label="Search words and titles", placeholder="oil price", width=240)
        self.found = pn.widgets.MultiSelect(label="Found", size=8, visible=False, sizing_mode="stretch_width")
        self.near = pn.widgets.MultiSelect(label="Nearest documents", size=10, sizing_mode="stretch_width")
        self.heading = PlainText(css_classes=["document-title"])
        self.facts = PlainText(css_classes=["document-facts", "sentence"])
        self.text = HtmlPane("", stylesheets=[STYLE], css_classes=["document-text"], **WIDE)
        self.legend = HtmlPane("", stylesheets=[STYLE], css_classes=["document-legend"], **WIDE)
        self.note = PlainText(css_classes=["sentence"], sizing_mode="stretch_width")
        none: dict[str, list] = {name: [] for name in ("place", "theta", "theta_p", "words")}
        self.plot = proportion_bars(none)
        self.picture = maps.topic_images(np.zeros((0, 1)), 1)
        self.map = maps.document_points(NO_POINTS, NO_TOPICS)
        self.parts = {
            "proportions": self.chart(self.plot, SENTENCE, "Topics of the document"),
            "map": self.chart(self.map, "", "Map of the documents", width=460),
            "picture": self.chart(self.picture, "Its words are pixels: the document as an image.", "The document"),
        }
        self.parts["picture"].visible = False
        near = PlainText(value=NEAR, css_classes=["sentence"], sizing_mode="stretch_width")
        self.parts["map"].visible = False  # an empty plot has no scale
        self.below = charts(
            self.parts["proportions"], self.parts["picture"], card("Similar", self.near, near), self.parts["map"]
        )
        self.shown = card("", self.heading, self.facts, self.text, self.legend, self.note, hide_header=True, width=None)
        self.empty = self.nothing()
        self.content = stack(visible=False)
        self.page: questions.DocumentPage | None = None
        self.all: questions.DocumentMap | None = None
        self._mapped: tuple[Any, int] = (None, -1)
        self._watch()

    def _watch(self) -> None:
        session = self.session
        self.previous.on_click(lambda event: self.go(session.document - 1))
        self.next.on_click(lambda event: self.go(session.document + 1))
        self.number.param.watch(lambda event: self.go(event.new or 0), "value")
        self.query.param.watch(lambda event: self.search(event.new), "value")
        self.by_topic.param.watch(lambda event: self.refresh(), "value")
        for choice in (self.found, self.near):
            choice.param.watch(lambda event: self.choose(event.new), "value")
        self.soft.link(session, value="soft", bidirectional=True)
        self._source("documents").selected.on_change(
            "indices", lambda attr, old, new: session.post(lambda: self._tapped(new))
        )
        session.param.watch(lambda *events: self._changed(), ["document", "soft", "chain", "topic"])

    def go(self, document: int) -> None:
        """Look at another document; after the last comes the first."""
        if self.session.snapshot is not None:
            self.session.document = document % self.session.snapshot.corpus.num_docs

    def choose(self, documents: list[int]) -> None:
        """Look at the document that was chosen from a list."""
        if documents:
            self.go(documents[-1])

    def search(self, text: str) -> None:
        """Look for documents."""
        self.found.param.update(visible=bool(text.strip()), value=[], options={})
        if text.strip():
            self.session.ask("search", questions.search, self._show_found, text=text)
        self.refresh()

    def refresh(self) -> None:
        """Ask for the document."""
        session = self.session
        self.empty.appear(session.snapshot is None)
        self.content.visible = session.snapshot is not None
        if session.snapshot is None:
            return
        if self.page is None:
            self.heading.value = COMPUTING
        session.ask(
            "document",
            questions.document_page,
            self._show,
            document=session.document,
            chain=session.shown_chain,
            soft=session.soft,
            by_topic=self.by_topic.value,
            topic=session.topic,
            found=(self.query.value or "").strip(),
        )
        self._ask_map()

    def _ask_map(self) -> None:
        """Ask for the map, unless there is one of these chains."""
        session, snapshot, chain = self.session, self.session.snapshot, self.session.shown_chain
        before, of = self._mapped
        if snapshot is None or (before is snapshot and of == chain):
            return
        start = None
        if self.all is not None and before.corpus is snapshot.corpus and of == chain:
            start = self.all.topics[["x", "y"]].to_numpy()
        self._mapped = (snapshot, chain)
        session.ask("document map", questions.document_map, self._draw_map, chain=chain, start=start)

    def figures(self) -> dict[str, Any]:
        """The proportions, and the map."""
        found = {} if self.page is None else {"document_proportions": self.plot}
        return found if self.all is None else found | {"document_map": self.map}

    def tables(self) -> dict[str, pd.DataFrame]:
        """The proportions and the neighbours of the document that is shown."""
        if self.page is None:
            return {}
        found = {"document_proportions": self.page.proportions, "nearest_documents": self.page.nearest}
        return found if self.all is None else found | {"document_map": self.all.table}

    def _source(self, name: str) -> Any:
        return self.map.select_one({"name": name}).data_source

    def _draw_map(self, answer: questions.DocumentMap) -> None:
        self.all = answer
        self._source("topics").data = maps.map_columns(answer.topics)
        self._source("documents").data = maps.document_columns(answer.points)
        self.parts["map"][1].value = answer.note
        self.parts["map"].visible = not answer.points.empty
        self._mark()

    def _mark(self) -> None:
        """Put the ring around the document that is read."""
        if self.all is not None and self.page is not None:
            here = self.all.table[self.all.table.document == self.page.document]
            self._source("here").data = {"x": here.x.tolist(), "y": here.y.tolist()}

    def _tapped(self, indices: list[int]) -> None:
        if indices:
            self._source("documents").selected.indices = []  # the ring shows which it is
            self.go(int(self._source("documents").data["document"][indices[0]]))

    def _changed(self) -> None:
        self.number.value = self.session.document
        if self.session.active == self.title:
            self.refresh()

    def _show(self, page: questions.DocumentPage) -> None:
        self.page = page
        self.number.end = page.num_docs - 1
        self.heading.value = page.title
        self.facts.value = _facts(page)
        self.text.object = page.text
        self.legend.object = _legend(page)
        order = ORDER.format(order="topics" if page.by_topic else "vocabulary")
        self.note.value = WRITTEN if page.written else order
        if page.soft_already:
            self.note.value += " These chains keep no drawn topics (CVB0), only probabilities."
        self.soft.disabled = page.soft_already
        source = self.plot.select_one({"name": "theta_p"}).data_source
        source.data = {name: page.proportions[name].tolist() for name in source.data}
        self.plot.y_range.factors = page.proportions.place.tolist()[::-1]
        self.parts["picture"].visible = page.image is not None
        if page.image is not None:
            images = self.picture.select_one({"name": "images"}).data_source
            images.data = maps.image_columns(page.image, page.side) | {"topic": [""]}
        near = zip(page.nearest.document, page.nearest.title, page.nearest.distance, strict=True)
        _offer(self.near, {f"{h:.3f} · {title} (document {d})": int(d) for d, title, h in near})
        self._mark()

    def _show_found(self, found: questions.Found) -> None:
        table = found.table
        hits = zip(table.document, table.title, table.tokens, strict=True)
        self.found.label = f"Found: {found.total:,}" + (f", the best {len(table)}" if found.total > len(table) else "")
        _offer(self.found, {f"{title} (document {d}, {counted(n, 'token')})": int(d) for d, title, n in hits})

    def _controls(self) -> list[pn.viewable.Viewable]:
        return [self.previous, self.number, self.next, self.chain, self.query, self.soft, self.by_topic]

    def __panel__(self) -> pn.viewable.Viewable:
        self.content[:] = [
            controls(*self._controls()),
            self.found,
            self.shown,
            self.below,
        ]
        return stack(self.empty, self.content)


def _offer(choice: pn.widgets.MultiSelect, options: dict[str, int]) -> None:
    """Choices of which none is chosen; the same ones stay as they are, so that nobody loses the place."""
    if options != choice.options:
        choice.param.update(options=options, value=[])


def _facts(page: questions.DocumentPage) -> str:
    parts = [
        f"Document {page.document:,} of {page.num_docs:,}, counted from 0",
        counted(page.length, "token") if page.length else "empty",
    ]
    if page.labels:
        parts.append("labels: " + ", ".join(page.labels))
    return " · ".join(parts)


def _legend(page: questions.DocumentPage) -> str:
    items = "".join(
        f'<li><i style="background:{color}a0"></i>topic {topic}: {html.escape(words)} ({number})</li>'
        for topic, color, words, number in page.legend
    )
    return f'<ul class="legend">{items}</ul>'
