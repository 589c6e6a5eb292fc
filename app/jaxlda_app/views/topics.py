"""Topics: how they lie to each other, their words by both estimates, partners in other chains, and documents."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import panel as pn

from jaxlda.plots import bars, maps, matrices, rankings
from jaxlda.plots.canvas import HARD
from jaxlda_app.questions import topics as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import chain_choice, estimate_choice, other_choice, topic_choice
from jaxlda_app.views._view import COMPUTING, NOTHING, PlainText, View, charts

__all__ = ["TopicsView"]

COLUMNS = ("topic", "name", "x", "y", "share", "chain", "partner", "similarity")
NO_WORDS: dict[str, list] = {"word": [], "probability": [], "lift": []}
SENTENCES = {
    "images": "The topics as images, as their words are pixels: a bar is a topic that was found.",
    "hard": "By φ, from counts of drawn topics (Eq. 2).",
    "soft": "By φᵖ, from sums of probabilities (Eq. 41).",
    "ranks": "Words that the two rank most differently, among the hundred best of either. Hard counts leave many rare "
    "words in a tie; soft counts tell them apart.",
}


class TopicsView(View):
    """A map of all topics, and all about the one that is chosen."""

    title: ClassVar[str] = "Topics"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        none = pd.DataFrame({name: [] for name in COLUMNS})
        self.plots = {
            "map": maps.intertopic_map(none),
            "images": maps.topic_images(np.zeros((0, 1)), 1),
            "hard": bars.word_bars(NO_WORDS, color=HARD, name="hard"),
            "soft": bars.word_bars(NO_WORDS, name="soft"),
            "ranks": rankings.word_rank_lines({"word": [], "rank": [], "rank_p": []}),
            "stability": matrices.stability_matrix(none),
            "aligned": matrices.aligned_matrix(pd.DataFrame()),
        }
        self.parts = {name: self.chart(plot, SENTENCES.get(name, "")) for name, plot in self.plots.items()}
        for part in self.parts.values():
            part.visible = False  # an empty plot has no scale
        self.chain, self.topic = chain_choice(session), topic_choice(session)
        self.soft, self.other = estimate_choice(session), other_choice(session)
        self.parts["aligned"].append(self.other)
        self.relevance = pn.widgets.FloatSlider(
            label="Relevance λ: 1 ranks words by probability, 0 by lift", start=0, end=1, step=0.05, width=330
        )
        self.relevance.value = session.relevance
        self.relevance.link(session, value="relevance", bidirectional=True)
        self.heading = PlainText(css_classes=["heading"])
        self.documents = pn.widgets.MultiSelect(
            label="Documents with the largest share", size=8, sizing_mode="stretch_width", css_classes=["examples"]
        )
        self._tables: dict[str, pd.DataFrame] = {}
        self._places: dict[tuple[int, int], np.ndarray] = {}
        self._watch()

    def _watch(self) -> None:
        session = self.session
        session.param.watch(lambda *events: self._if_open(self.refresh), ["chain", "soft"])
        session.param.watch(lambda *events: self._choose(), "topic")
        session.param.watch(lambda *events: self._if_open(self._ask_words), "relevance")
        for name in ("map", "images", "stability"):
            source = self._source(name)
            source.selected.on_change(
                "indices", lambda attr, old, new, name=name: session.post(lambda: self._tapped(name, new))
            )
        self.documents.param.watch(self._open_document, "value")
        self.other.param.watch(lambda event: self._if_open(self._ask_aligned), "value")

    def refresh(self) -> None:
        """Ask for everything."""
        session, chain = self.session, self.session.shown_chain
        if session.snapshot is None:
            self.heading.value = NOTHING
            return
        if not self._tables:
            self.heading.value = COMPUTING
        place = (id(session.snapshot.corpus), chain)
        if place not in self._places and len(self._places) > 16:
            self._places.clear()  # of runs that are long gone
        self._ask_words()
        session.ask(
            "map",
            questions.overview,
            lambda answer: self._draw_map(answer, place),
            chain=chain,
            soft=session.soft,
            weight=session.relevance,
            start=self._places.get(place),
        )
        self._ask_documents()
        session.ask("stability", questions.stability, self._draw_stability, chain=chain, soft=session.soft)
        self._ask_aligned()

    def figures(self) -> dict[str, Any]:
        """All that are shown."""
        return {f"topics_{name}": plot for name, plot in self.plots.items() if self.parts[name].visible}

    def tables(self) -> dict[str, pd.DataFrame]:
        """Shares, words, ranks, partners, similarities and documents."""
        return dict(self._tables)

    def _source(self, name: str) -> Any:
        return self.plots[name].select_one({"name": name}).data_source

    def _if_open(self, action: Any) -> None:
        if self.session.active == self.title:
            action()

    def _choose(self) -> None:
        """Another topic was chosen, here or in another view."""
        self.session.post(self._mark)
        self._if_open(self._ask_words)
        self._if_open(self._ask_documents)

    def _mark(self) -> None:
        for name in ("map", "images"):
            source = self._source(name)
            shown = [self.session.topic] if self.session.topic < len(source.data["topic"]) else []
            if source.selected.indices != shown:
                source.selected.indices = shown

    def _tapped(self, name: str, indices: list[int]) -> None:
        if name == "stability":
            if indices:
                self.session.topic = int(self._source(name).data["topic"][indices[0]])
                self._source(name).selected.indices = []
        elif indices:
            self.session.topic = int(indices[0])
        else:
            self._mark()  # a tap beside the topics chooses none of them

    def _open_document(self, event: Any) -> None:
        if event.new:
            self.session.document = event.new[-1]

    def _ask_words(self) -> None:
        session = self.session
        chain, topic, weight = session.shown_chain, session.topic, session.relevance
        session.ask("words", questions.top_words, self._draw_words, chain=chain, topic=topic, weight=weight)

    def _ask_documents(self) -> None:
        session = self.session
        chain, topic, soft = session.shown_chain, session.topic, session.soft
        session.ask("examples", questions.representatives, self._show_documents, chain=chain, topic=topic, soft=soft)

    def _ask_aligned(self) -> None:
        session, other = self.session, None if self.other.value == -1 else self.other.value
        chain, soft = session.shown_chain, session.soft
        session.ask("aligned", questions.aligned, self._draw_aligned, chain=chain, other=other, soft=soft)

    def _draw_map(self, answer: questions.Overview, place: tuple[int, int]) -> None:
        self._places[place] = answer.table[["x", "y"]].to_numpy()
        self._source("map").data = maps.map_columns(answer.table, answer.words)
        self.parts["map"][1].value = answer.note
        self.parts["map"].visible = True
        self.parts["images"].visible = answer.images is not None
        if answer.images is not None:
            self._source("images").data = maps.image_columns(*answer.images)
        self._tables["topics"] = answer.table.assign(words=answer.words)
        self._mark()

    def _draw_words(self, answer: questions.TopWords) -> None:
        self.parts["hard"].visible = True
        self.parts["soft"].visible = self.parts["ranks"].visible = answer.soft is not None
        for name, table in (("hard", answer.hard), ("soft", answer.soft)):
            if table is not None:
                self._source(name).data = bars.word_columns(table)
                self.plots[name].y_range.factors = table.word.tolist()[::-1]
                self._tables[f"words_{name}"] = table
        self._source("ranks").data = rankings.word_rank_columns(answer.changes)
        self.plots["ranks"].y_range.factors = answer.changes.word.tolist()[::-1]
        self._tables["ranks"] = answer.changes
        self.heading.value = f"Words of {answer.name}. {answer.note}"

    def _draw_stability(self, answer: questions.Partners) -> None:
        self._source("stability").data = matrices.stability_columns(answer.table)
        self.parts["stability"].visible = True
        self.parts["stability"][0].visible = not answer.table.empty
        self.parts["stability"][1].value = answer.note
        self._tables["stability"] = answer.table

    def _draw_aligned(self, answer: questions.Aligned) -> None:
        self._source("aligned").data = matrices.aligned_columns(answer.table)
        self.parts["aligned"].visible = not answer.table.empty
        self.parts["aligned"][1].value = answer.note
        self._tables["aligned"] = answer.table.rename_axis("topic").reset_index()

    def _show_documents(self, table: pd.DataFrame) -> None:
        rows = table.itertuples()
        options = {
            f"{row.share:.0%} · {row.document} · {row.title} ({row.tokens:,} tokens)": row.document for row in rows
        }
        if options != self.documents.options:
            self.documents.param.update(options=options, value=[])
        self._tables["documents"] = table

    def __panel__(self) -> pn.viewable.Viewable:
        sentence = "A document that is chosen here is shown in the other views."
        examples = pn.Column(
            self.documents,
            PlainText(value=sentence, css_classes=["sentence"]),
            css_classes=["chart"],
            styles={"flex": "1 1 340px", "min-width": "0"},
        )
        return pn.Column(
            pn.FlexBox(self.chain, self.topic, self.soft, self.relevance),
            charts(self.parts["map"], self.parts["images"], self.parts["stability"], self.parts["aligned"]),
            self.heading,
            charts(self.parts["hard"], self.parts["soft"]),
            charts(self.parts["ranks"], examples),
            sizing_mode="stretch_width",
        )
