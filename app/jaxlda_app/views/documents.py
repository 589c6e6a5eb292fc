"""Documents: tokens with the colours of their topics, proportions by both estimators, search, and neighbours."""

import html
from typing import Any, ClassVar

import pandas as pd
import panel as pn
from bokeh.models import ColumnDataSource

from jaxlda.plots.bars import proportions
from jaxlda_app.questions import documents as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import CLEAR, chain_choice
from jaxlda_app.views._view import COMPUTING, NOTHING, PlainText, View, charts

__all__ = ["DocumentsView"]

STYLE = """
.tokens { line-height: 1.9; margin: 0; overflow-wrap: anywhere; }
.tokens span, .legend i { border-radius: 3px; padding: 1px 3px; }
sub { font-size: .6em; opacity: .75; margin-left: 1px; }
.legend { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
.legend i { display: inline-block; width: 1em; height: .8em; margin-right: .35em; }
"""
ORDER = (
    "A bag of words has no order: tokens stand in the order of the {order}, each with the number of its topic. The "
    "stronger the colour, the more probable the topic."
)


class DocumentsView(View):
    """One document at a time."""

    title: ClassVar[str] = "Documents"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.previous = pn.widgets.Button(label="◀ Previous")
        self.next = pn.widgets.Button(label="Next ▶")
        self.number = pn.widgets.IntInput(label="Document", value=session.document, start=0, width=100)
        self.soft = pn.widgets.RadioButtonGroup(
            label="Topics of tokens",
            options={"Hard: as drawn": False, "Soft: most probable": True},
            value=session.soft,
            **CLEAR,
        )
        self.chain = chain_choice(session)
        self.by_topic = pn.widgets.RadioButtonGroup(options={"By word": False, "By topic": True}, value=False, **CLEAR)
        self.query = pn.widgets.TextInput(label="Search words and titles", placeholder="oil price", width=240)
        self.found = pn.widgets.MultiSelect(label="Found", size=8, visible=False, sizing_mode="stretch_width")
        self.near = pn.widgets.MultiSelect(label="Nearest documents", size=10, sizing_mode="stretch_width")
        self.heading = PlainText(css_classes=["document-title"], styles={"font-size": "1.2rem", "font-weight": "600"})
        self.facts = PlainText(css_classes=["document-facts"])
        self.text = pn.pane.HTML("", stylesheets=[STYLE], sizing_mode="stretch_width", css_classes=["document-text"])
        self.legend = pn.pane.HTML(
            "", stylesheets=[STYLE], sizing_mode="stretch_width", css_classes=["document-legend"]
        )
        self.note = PlainText(css_classes=["sentence"])
        self.source = ColumnDataSource({"topic": [], "theta": [], "theta_p": [], "words": []})
        self.plot = proportions(self.source)
        self.below = charts()
        self.page: questions.DocumentPage | None = None
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

    def refresh(self) -> None:
        """Ask for the document."""
        session = self.session
        if session.snapshot is None:
            self.heading.value = NOTHING
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
        )

    def figures(self) -> dict[str, Any]:
        """The proportions."""
        return {} if self.page is None else {"document_proportions": self.plot}

    def tables(self) -> dict[str, pd.DataFrame]:
        """The proportions and the neighbours of the document that is shown."""
        if self.page is None:
            return {}
        return {"document_proportions": self.page.proportions, "nearest_documents": self.page.nearest}

    def _changed(self) -> None:
        self.number.value = self.session.document
        if self.session.active == self.title:
            self.refresh()

    def _show(self, page: questions.DocumentPage) -> None:
        self.page = page
        self.below.visible = True
        self.number.end = page.num_docs - 1
        self.heading.value = page.title
        self.facts.value = _facts(page)
        self.text.object = page.text
        self.legend.object = _legend(page)
        self.note.value = ORDER.format(order="topics" if page.by_topic else "vocabulary")
        if page.soft_already:
            self.note.value += " These chains keep no drawn topics (CVB0), only probabilities."
        self.soft.disabled = page.soft_already
        self.source.data = {name: page.proportions[name].tolist() for name in self.source.data}
        near = zip(page.nearest.document, page.nearest.title, page.nearest.distance, strict=True)
        _offer(self.near, {f"{h:.3f} · {title} (document {d})": int(d) for d, title, h in near})

    def _show_found(self, found: pd.DataFrame) -> None:
        hits = zip(found.document, found.title, found.tokens, strict=True)
        self.found.label = f"Found: {len(found)}" + (", the best ones" if len(found) == 20 else "")
        _offer(self.found, {f"{title} (document {d}, {n} token(s))": int(d) for d, title, n in hits})

    def _controls(self) -> list[pn.viewable.Viewable]:
        return [self.previous, self.number, self.next, self.chain, self.query, self.soft, self.by_topic]

    def __panel__(self) -> pn.viewable.Viewable:
        near = pn.Column(
            self.near,
            PlainText(
                value="By Hellinger distance between topic proportions θᵖ: 0 is the same, 1 no topic in common.",
                css_classes=["sentence"],
            ),
            styles={"flex": "1 1 340px", "min-width": "0"},
        )
        sentence = "The document's topic proportions by counts (θ, Eq. 3) and by transition probabilities (θᵖ, Eq. 40)."
        self.below[:] = [self.chart(self.plot, sentence), near]
        self.below.visible = self.page is not None
        return pn.Column(
            pn.FlexBox(*self._controls(), align_items="flex-end"),
            self.found,
            self.heading,
            self.facts,
            self.text,
            self.legend,
            self.note,
            self.below,
            sizing_mode="stretch_width",
        )


def _offer(choice: pn.widgets.MultiSelect, options: dict[str, int]) -> None:
    """Choices of which none is chosen; the same ones stay as they are, so that nobody loses the place."""
    if options != choice.options:
        choice.param.update(options=options, value=[])


def _facts(page: questions.DocumentPage) -> str:
    parts = [
        f"Document {page.document:,} of 0 to {page.num_docs - 1:,}",
        f"{page.length:,} token(s)" if page.length else "empty",
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
