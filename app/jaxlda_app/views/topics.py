"""Topics: a list and a map of all of them, and all about the one that is chosen."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
from bokeh.models.widgets.tables import NumberFormatter

from jaxlda.plots import maps
from jaxlda_app.questions import topics as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import chain_choice, estimate_choice, topic_choice
from jaxlda_app.views._topic import TopicPart
from jaxlda_app.views._view import COMPUTING, WIDE, PlainText, View, card, charts, controls, stack

__all__ = ["TopicsView"]

COLUMNS = ("topic", "name", "x", "y", "share")
TITLES = {
    "topic": "#",
    "name": "Name",
    "percent": "Share, %",
    "interval": "Range, %",
    "words": "Words",
    "coherence": "Coherence",
    "stability": "Stability",
}
EMPTY = pd.DataFrame({title: pd.Series(dtype=object) for title in TITLES.values()})
STYLE = (
    ".tabulator, .tabulator .tabulator-col-title, .tabulator .tabulator-cell { font-size: .8125rem !important; }"
    " .tabulator .tabulator-cell { padding: 4px 8px; height: auto; }"
    " .tabulator .tabulator-col .tabulator-col-content { padding: 4px 8px !important; }"
)
LIST = (
    "Every topic: click a row to choose one, a heading to sort, and a name to change it. 90 % of the draws are in the "
    "range of its share. Coherence (NPMI) is how often its words occur together, stability how much of it the other "
    "chains have found, from 0 to 1."
)
IMAGES = "The topics as images, as their words are pixels: a bar is a topic that was found."
DIGITS = {"Share, %": NumberFormatter(format="0.0", text_align="right")} | {
    title: NumberFormatter(format="0.00", text_align="right") for title in ("Coherence", "Stability")
}
HEIGHT = 460  # pixels of the list


class TopicsView(View):
    """The list, the map, and the chosen topic."""

    title: ClassVar[str] = "Topics"
    icon: ClassVar[str] = "bubble_chart"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        none = pd.DataFrame({name: [] for name in COLUMNS})
        self.plots = {"map": maps.intertopic_map(none), "images": maps.topic_images(np.zeros((0, 1)), 1)}
        self.plots["map"].height = 420
        self.parts = {
            "map": self.chart(self.plots["map"], "", "Map of the topics", width=380),
            "images": self.chart(self.plots["images"], IMAGES, "The topics as images", width=420),
        }
        self.chain, self.topic = chain_choice(session), topic_choice(session)
        self.soft = estimate_choice(session)
        self.relevance = pn.widgets.FloatSlider(
            label="Relevance λ (1: probability, 0: lift)", start=0, end=1, step=0.05, width=300
        )
        self.relevance.value = session.relevance
        self.relevance.link(session, value="relevance", bidirectional=True)
        self.list = pn.widgets.Tabulator(
            EMPTY,
            show_index=False,
            selectable=1,
            layout="fit_columns",
            height=HEIGHT,  # whatever the number of topics: rows are drawn as they are scrolled to
            editors=dict.fromkeys(TITLES.values()) | {"Name": {"type": "input"}},
            formatters={"Name": "plaintext", "Words": "plaintext"}
            | DIGITS,  # whatever they are, names and words are text
            widths={"#": 44, "Name": 128, "Share, %": 88, "Range, %": 96, "Coherence": 100, "Stability": 88},
            stylesheets=[STYLE],
            sizing_mode="stretch_width",
            css_classes=["topic-list"],
            # Tabulator's own tab key ends at the last name and never leaves the table; the browser's goes on.
            configuration={"keybindings": {"navNext": False, "navPrev": False}},
        )
        self.hide = pmui.Button(label="Hide the chosen topic", variant="outlined", size="small")
        self.unhide = pmui.Button(label="Show hidden topics", variant="outlined", size="small", visible=False)
        self.all = card(
            "All topics",
            self.list,
            controls(self.hide, self.unhide),
            PlainText(value=LIST, css_classes=["sentence"], sizing_mode="stretch_width"),
            width=640,
            grow=3,
        )
        self.empty = self.nothing()
        self.heading = PlainText(css_classes=["heading"])
        self.chosen = TopicPart(session, self, self.plots["map"].select_one({"name": "map"}).data_source)
        self.content = stack(visible=False)
        self._tables: dict[str, pd.DataFrame] = {}
        self._places: dict[tuple[int, int], np.ndarray] = {}
        self._numbers: list[int] = []
        self._watch()

    def _watch(self) -> None:
        session = self.session
        session.param.watch(lambda *events: self._if_open(self.refresh), ["chain", "soft"])
        session.param.watch(lambda *events: self._choose(), "topic")
        session.param.watch(lambda *events: self._if_open(self.chosen.ask_words), "relevance")
        for name in ("map", "images"):
            self._source(name).selected.on_change(
                "indices", lambda attr, old, new, name=name: session.post(lambda: self._tapped(name, new))
            )
        self.list.on_click(self._clicked)
        self.list.on_edit(self._renamed)
        self.hide.on_click(lambda event: session.hide_topics([session.topic]))
        self.unhide.on_click(lambda event: self._show_all())

    def refresh(self) -> None:
        """Ask for everything."""
        session, chain = self.session, self.session.shown_chain
        snapshot = session.snapshot
        self.empty.appear(snapshot is None)
        self.content.visible = snapshot is not None
        if snapshot is None:
            return
        if not self._tables:
            self.heading.value = COMPUTING
        self.unhide.visible = any(c == chain for c, _ in snapshot.hidden)
        place = (id(snapshot.corpus), chain)
        if place not in self._places and len(self._places) > 16:
            self._places.clear()  # of runs that are long gone
        shown: dict[str, Any] = {"chain": chain, "soft": session.soft, "weight": session.relevance}
        session.ask("topic list", questions.topic_list, self._fill, quality=False, **shown)
        self.chosen.ask_words()
        session.ask(
            "map",
            questions.overview,
            lambda answer: self._draw_map(answer, place),
            start=self._places.get(place),
            **shown,
        )
        self.chosen.ask()
        session.ask("topic qualities", questions.topic_list, self._fill, quality=True, **shown)

    def figures(self) -> dict[str, Any]:
        """All that are shown."""
        shown = {name: plot for name, plot in self.plots.items() if self.parts[name].visible and self._tables}
        return {f"topics_{name}": plot for name, plot in shown.items()} | self.chosen.figures()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Shares, words, ranks and documents."""
        return self._tables | self.chosen.tables

    def _source(self, name: str) -> Any:
        return self.plots[name].select_one({"name": name}).data_source

    def _choose(self) -> None:
        """Another topic was chosen, here or in another view."""
        self.session.post(self._mark)
        self._if_open(self.chosen.ask_words)
        self._if_open(self.chosen.ask)

    def _mark(self) -> None:
        topic = self.session.topic
        for name in ("map", "images"):
            source = self._source(name)
            shown = [i for i, k in enumerate(source.data["topic"]) if k == topic]
            if source.selected.indices != shown:
                source.selected.indices = shown
        rows = [self._numbers.index(topic)] if topic in self._numbers else []
        if self.list.selection != rows:
            self.list.selection = rows

    def _tapped(self, name: str, indices: list[int]) -> None:
        if indices:
            self.session.topic = int(self._source(name).data["topic"][indices[0]])
        else:
            self._mark()  # a tap beside the topics chooses none of them

    def _clicked(self, event: Any) -> None:
        if event.row is not None and event.row < len(self._numbers):
            self.session.topic = self._numbers[event.row]

    def _renamed(self, event: Any) -> None:
        if event.column == "Name" and event.row < len(self._numbers):
            self.session.call_topic(self._numbers[event.row], str(event.value or ""))

    def _show_all(self) -> None:
        snapshot, chain = self.session.snapshot, self.session.shown_chain
        if snapshot is not None:
            self.session.hide_topics([k for c, k in snapshot.hidden if c == chain], hidden=False)

    def _fill(self, table: pd.DataFrame) -> None:
        self._tables["topic_list"] = table.drop(columns="label")
        self._numbers = table.topic.tolist()
        interval: Any = ""
        if "share_low" in table:
            rows = zip(table.share_low, table.share_high, strict=True)
            interval = [f"{100 * low:.1f} – {100 * high:.1f}" for low, high in rows]
        shown = table.assign(percent=(100 * table.share).round(1), interval=interval, name=table.label)
        for name in ("coherence", "stability"):
            shown[name] = table[name].round(3) if name in table else np.nan
        shown = shown[list(TITLES)].rename(columns=TITLES)
        before = self.list.value
        if "coherence" not in table and len(before) == len(shown):  # better known ones come soon
            shown["Coherence"] = before["Coherence"].to_numpy()
        if not shown.equals(before):
            self.list.value = shown
        self._mark()

    def _draw_map(self, answer: questions.Overview, place: tuple[int, int]) -> None:
        self._places[place] = answer.table[["x", "y"]].to_numpy()
        snapshot = self.session.snapshot
        hidden = set() if snapshot is None else {k for c, k in snapshot.hidden if c == answer.chain}
        kept = [k for k in answer.table.topic.tolist() if k not in hidden]
        words = [answer.words[k] for k in kept]
        self._source("map").data = maps.map_columns(answer.table.iloc[kept], words)
        self.parts["map"][1].value = answer.note
        self.parts["images"].visible = answer.images is not None
        if answer.images is not None:
            self._source("images").data = maps.image_columns(*answer.images)
        self._tables["topics"] = answer.table.assign(words=answer.words)
        self._mark()

    def __panel__(self) -> pn.viewable.Viewable:
        self.parts["images"].visible = False
        self.content[:] = [
            controls(self.chain, self.topic, self.soft, self.relevance),
            charts(self.all, self.parts["map"], self.parts["images"]),
            self.heading,
            self.chosen,
        ]
        return stack(self.empty, self.content, **WIDE)
