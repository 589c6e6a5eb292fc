"""The topic that is chosen: its words, passages, groups of documents, and topics like it."""

import html
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui
from bokeh.models import CustomJS, HoverTool

from jaxlda.plots import bars, rankings
from jaxlda.plots.canvas import HARD, SOFT
from jaxlda_app.panes import HtmlPane
from jaxlda_app.questions import topic as about
from jaxlda_app.questions import topics as questions
from jaxlda_app.store import Session
from jaxlda_app.views._view import ALIGNED, WIDE, PlainText, View, card, charts, controls, stack

__all__ = ["TopicPart"]

NO_WORDS: dict[str, list] = {name: [] for name in ("word", "probability", "lift", "tokens", "all")}
WORDS = (
    "Coloured: tokens of the word in this topic; grey: in all documents. Rest on a word to see which topics have it."
)
RANKS = (
    "Words that φ and φᵖ rank most differently, among the hundred best of either. Hard counts leave many rare words in "
    "a tie; soft counts tell them apart."
)
PASSAGE = """
blockquote { margin: 4px 0 12px; padding: 2px 12px; border-left: 3px solid #8886; }
b { font-weight: 600; } p { margin: 0; }
"""
# Circles of the map become as large as the share that their topics have of the word below the pointer.
RESIZE = """
const at = cb_data.index.indices[0]
const shares = at == null ? null : words.data.spread[at]
const size = circles.data.size
if (shares == null && circles._usual == null) return
circles._usual ??= Array.from(size)
for (let i = 0; i < size.length; i++)
  size[i] = shares == null ? circles._usual[i] : Math.max(60 * Math.sqrt(shares[circles.data.topic[i]]), 4)
if (shares == null) circles._usual = null
circles.change.emit()
"""
NONE = "(nothing)"


class TopicPart(pn.viewable.Viewer):
    """All about one topic.

    Parameters
    ----------
    session
        Whose topic is chosen.
    view
        Which it is a part of.
    circles
        The data source of the map.
    """

    def __init__(self, session: Session, view: View, circles: Any) -> None:
        super().__init__()
        self.session, self.view, self.circles = session, view, circles
        self.tables: dict[str, pd.DataFrame] = {}
        self.plots = {
            "words": bars.topic_word_bars(NO_WORDS),
            "ranks": rankings.word_rank_lines({"word": [], "rank": [], "rank_p": []}),
        }
        self.parts = {
            "words": view.chart(self.plots["words"], WORDS, "Words of the topic", width=460),
            "ranks": view.chart(self.plots["ranks"], RANKS, "Words that φ and φᵖ rank differently"),
        }
        self.source = self.plots["words"].select_one({"name": "words"}).data_source
        self.source.data = {**NO_WORDS, "spread": []}
        self.plots["words"].select_one(HoverTool).callback = CustomJS(
            args={"words": self.source, "circles": circles}, code=RESIZE
        )
        self.called = pn.widgets.TextInput(
            label="Name of the topic", placeholder="give it a name", width=240, margin=ALIGNED
        )
        self.parts["words"].insert(0, self.called)
        self.documents = pn.widgets.MultiSelect(
            label="Documents with the largest share", size=8, sizing_mode="stretch_width", css_classes=["examples"]
        )
        self.read = pmui.Button(label="Read it in Documents", variant="outlined", size="small")
        self.passages = HtmlPane("", stylesheets=[PASSAGE], css_classes=["passages"], **WIDE)
        self.alike = pn.widgets.MultiSelect(
            label="Topics like it", size=8, sizing_mode="stretch_width", css_classes=["similar"]
        )
        self.look = pmui.Button(label="Look at it", variant="outlined", size="small")
        self.merge = pmui.Button(label="Merge with the chosen ones", variant="outlined", size="small")
        self.by = pn.widgets.Select(label="By", options=[NONE], value=NONE, width=180, css_classes=["by"])
        self.over = pn.Column(**WIDE)
        self.over_plot: Any = None
        self.grouped = card("Over time, or by group", self.by, self.over, width=460, css_classes=["groups"])
        self.grouped.visible = False
        for part in self.parts.values():
            part.visible = False  # an empty plot has no scale
        self._watch()

    def _watch(self) -> None:
        session = self.session
        self.called.param.watch(self._call, "value")
        self.documents.param.watch(
            lambda event: session.param.update(document=event.new[-1]) if event.new else None, "value"
        )
        self.read.on_click(lambda event: session.go("Documents"))
        self.look.on_click(lambda event: self._look())
        self.merge.on_click(lambda event: self._merge())
        self.by.param.watch(lambda event: self._ask_groups(), "value")

    def _look(self) -> None:
        if self.alike.value:
            self.session.topic = self.alike.value[-1]

    def ask_words(self) -> None:
        """Ask for the words."""
        session = self.session
        chain, topic, weight, soft = session.shown_chain, session.topic, session.relevance, session.soft
        session.ask("words", questions.top_words, self._draw_words, chain=chain, topic=topic, weight=weight, soft=soft)

    def ask(self) -> None:
        """Ask for everything but the words."""
        session = self.session
        chain, topic, soft = session.shown_chain, session.topic, session.soft
        session.ask("examples", about.examples, self._show_documents, chain=chain, topic=topic, soft=soft)
        session.ask("similar", about.similar, self._show_similar, chain=chain, topic=topic, soft=soft)
        session.ask("groups", about.groups, self._offer_groups)
        self._ask_groups()

    def figures(self) -> dict[str, Any]:
        """All that are shown."""
        return {f"topics_{name}": plot for name, plot in self.plots.items() if self.parts[name].visible}

    def _draw_words(self, answer: questions.TopWords) -> None:
        table = answer.table
        spread = {"spread": [row.astype("float32") for row in answer.spread]}
        self.source.data = bars.topic_word_columns(table) | spread
        plot = self.plots["words"]
        plot.y_range.factors = table.word.tolist()[::-1]
        plot.select_one({"name": "words"}).glyph.fill_color = SOFT if answer.soft else HARD
        changes = answer.changes
        self.plots["ranks"].select_one({"name": "ranks"}).data_source.data = rankings.word_rank_columns(changes)
        self.plots["ranks"].y_range.factors = changes.word.tolist()[::-1]
        self.parts["words"].visible = True
        self.parts["ranks"].visible = not changes.empty
        self.tables |= {"words": table, "ranks": changes}
        self.view.heading.value = f"Words of {answer.name}. {answer.note}"  # type: ignore[attr-defined]
        name = answer.name.partition(": ")[2]
        if self.called.value != name:
            self.called.value = name

    def _call(self, event: Any) -> None:
        snapshot, session = self.session.snapshot, self.session
        if snapshot is None:
            return
        given = snapshot.names.get((session.shown_chain, session.topic), "")
        label = "" if snapshot.labels is None else str(snapshot.labels[min(session.topic, len(snapshot.labels) - 1)])
        new = event.new or ""
        if new != given and not (not given and new == label):
            session.call_topic(session.topic, new)

    def _show_documents(self, answer: about.Examples) -> None:
        options = {
            f"{row.share:.0%} · {row.document} · {row.title} ({row.tokens:,} tokens)": row.document
            for row in answer.table.itertuples()
        }
        if options != self.documents.options:
            self.documents.param.update(options=options, value=[])
        self.passages.object = "".join(
            f"<p><b>{html.escape(title)}</b></p><blockquote>{html.escape(text)}</blockquote>"
            for title, text, _ in answer.passages
        )
        self.tables["documents"] = answer.table

    def _show_similar(self, table: pd.DataFrame) -> None:
        options = {
            f"{share:.0%} · topic {topic} · {words}": int(topic)
            for topic, share, words in zip(table.topic, table["in common"], table.words, strict=True)
        }
        if options != self.alike.options:
            self.alike.param.update(options=options, value=[])
        self.tables["similar_topics"] = table

    def _merge(self) -> None:
        session, snapshot, others = self.session, self.session.snapshot, list(self.alike.value)
        if snapshot is None or not others:
            session.message = "Choose one or more of the topics like it first, to be merged with this one."
            return
        group, chain, corpus = sorted({session.topic, *others}), session.shown_chain, snapshot.corpus
        name = f"{session.current.name if session.current else 'run'}, {' + '.join(map(str, group))} merged"

        def take(model: Any) -> None:
            session.keep(name, model, corpus)
            session.message = f"Topics {', '.join(map(str, group))} are one now, in a run of its own: “{name}”."

        session.message = "Merging…"
        session.do(lambda: questions.merged(snapshot, group, chain), take)

    def _offer_groups(self, names: list[str]) -> None:
        self.grouped.visible = bool(names)
        options = names or [NONE]
        if options != self.by.options:
            self.by.param.update(options=options, value=options[0])
            self._ask_groups()

    def _ask_groups(self) -> None:
        session = self.session
        if self.by.value != NONE and session.active == self.view.title:
            chain, topic = session.shown_chain, session.topic
            session.ask("over groups", about.over_groups, self._draw_groups, chain=chain, topic=topic, by=self.by.value)

    def _draw_groups(self, plot: Any) -> None:
        sentence = "The mean share of the topic in the documents of each group, with bands of 95 %."
        self.view.forget(self.over_plot)
        self.over_plot = plot
        self.over[:] = [self.view.chart(plot, sentence, f"Share of the topic by {self.by.value}")]

    def __panel__(self) -> pn.viewable.Viewable:
        reading = card(
            "Passages", self.documents, self.read, self.passages, width=460, css_classes=["chart"]
        )  # fmt: skip
        alike = card(
            "Similar topics",
            self.alike,
            controls(self.look, self.merge),
            PlainText(
                value="How much of their mass topics have in common. Merging makes a new run; this one stays as it is.",
                css_classes=["sentence"],
                sizing_mode="stretch_width",
            ),
        )
        return stack(charts(self.parts["words"], reading), charts(self.grouped, alike, self.parts["ranks"]))
