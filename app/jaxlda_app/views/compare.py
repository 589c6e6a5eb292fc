"""Compare: the topics of two runs or chains beside each other, how good they are, and how many topics to take."""

from typing import Any, ClassVar

import pandas as pd
import panel as pn

from jaxlda.plots import matrices
from jaxlda_app.panes import HtmlPane
from jaxlda_app.questions import compare as questions
from jaxlda_app.report import html_table
from jaxlda_app.store import Session
from jaxlda_app.views._choices import chain_choice, estimate_choice, other_choice
from jaxlda_app.views._k_sweep import KSweep
from jaxlda_app.views._tables import TABLE
from jaxlda_app.views._view import WIDE, PlainText, View, card, charts, controls, stack
from jaxlda_app.views.intrusion import Intrusion

__all__ = ["CompareView"]

COLUMNS = ("topic", "name", "chain", "partner", "similarity")
WHOLE = "td:nth-child(1), td:nth-child(4) { white-space: nowrap; }"  # names of topics
QUALITY = (
    "Coherence: how often the words of a topic occur together; exclusivity: how few of them other topics have; "
    "diversity: how many of the words of all topics are different; stability: how much other chains have of a topic. "
    "Higher is better in all of them."
)


class CompareView(View):
    """Chains of this run, another run of the history, and numbers of topics."""

    title: ClassVar[str] = "Compare"
    icon: ClassVar[str] = "compare_arrows"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        none = pd.DataFrame({name: [] for name in COLUMNS})
        self.plots = {
            "stability": matrices.stability_matrix(none),
            "aligned": matrices.aligned_matrix(pd.DataFrame()),
        }
        self.parts = {
            "stability": self.chart(self.plots["stability"], "", "The topics in the other chains", width=440),
            "aligned": self.chart(self.plots["aligned"], "", "The topics of two chains", width=440),
        }
        for part in self.parts.values():
            part.visible = False  # an empty plot has no scale
        self.chain, self.other, self.soft = chain_choice(session), other_choice(session), estimate_choice(session)
        self.run = pn.widgets.Select(label="Another run", options={}, width=320, css_classes=["another-run"])
        self.run_chain = pn.widgets.IntInput(label="Its chain", value=0, start=0, width=100)
        self.pairs = HtmlPane("", stylesheets=[TABLE, WHOLE], css_classes=["pairs"], **WIDE)
        self.pairs_note = PlainText(css_classes=["sentence", "pairs-note"], sizing_mode="stretch_width")
        self.quality = HtmlPane("", stylesheets=[TABLE], css_classes=["quality"], **WIDE)
        self.sweep, self.intrusion = KSweep(session, self), Intrusion(session)
        self.empty = self.nothing()
        self.content = stack(visible=False)
        self._tables: dict[str, pd.DataFrame] = {}
        self._watch()

    def _watch(self) -> None:
        session = self.session
        session.param.watch(lambda *events: self._if_open(self.refresh), ["chain", "soft", "runs"])
        self.other.param.watch(lambda event: self._if_open(self._ask_aligned), "value")
        for choice in (self.run, self.run_chain):
            choice.param.watch(lambda event: self._if_open(self._ask_runs), "value")
        source = self._source("stability")
        source.selected.on_change("indices", lambda attr, old, new: session.post(lambda: self._tapped(new)))

    def refresh(self) -> None:
        """Ask for everything but the numbers of topics."""
        session = self.session
        self.empty.appear(session.snapshot is None)
        self.content.visible = session.snapshot is not None
        if session.snapshot is None:
            return
        self._offer_runs()
        self.intrusion.refresh()
        chain, soft = session.shown_chain, session.soft
        session.ask("stability", questions.stability, self._draw_stability, chain=chain, soft=soft)
        self._ask_aligned()
        self._ask_runs()

    def figures(self) -> dict[str, Any]:
        """All that are shown."""
        shown = {f"topics_{name}": plot for name, plot in self.plots.items() if self.parts[name].visible}
        return shown | self.sweep.figures()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Partners, similarities, pairs and qualities."""
        return self._tables | self.sweep.tables | self.intrusion.tables()

    def _source(self, name: str) -> Any:
        return self.plots[name].select_one({"name": name}).data_source

    def _offer_runs(self) -> None:
        session = self.session
        options = {("this run: " if run is session.current else "") + run.name: i for i, run in enumerate(session.runs)}
        if options != self.run.options:
            others = [i for i, run in enumerate(session.runs) if run is not session.current]
            kept = self.run.value if self.run.value in options.values() else (others or [0])[-1]
            self.run.param.update(options=options, value=kept if options else None)

    def _ask_aligned(self) -> None:
        session, other = self.session, None if self.other.value == -1 else self.other.value
        chain, soft = session.shown_chain, session.soft
        session.ask("aligned", questions.aligned, self._draw_aligned, chain=chain, other=other, soft=soft)

    def _ask_runs(self) -> None:
        session = self.session
        if self.run.value is None or self.run.value >= len(session.runs):
            return
        both = {
            "chain": session.shown_chain,
            "other": session.runs[self.run.value],
            "other_chain": self.run_chain.value or 0,
        }
        session.ask("pairs", questions.pairs, self._show_pairs, soft=session.soft, **both)
        session.ask("qualities", questions.qualities, self._show_quality, **both)

    def _tapped(self, indices: list[int]) -> None:
        if indices:
            source = self._source("stability")
            self.session.param.update(topic=int(source.data["topic"][indices[0]]), active="Topics")
            source.selected.indices = []

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

    def _show_pairs(self, answer: questions.Pairs) -> None:
        self.pairs.object = "" if answer.table.empty else html_table(answer.table)
        self.pairs_note.value = answer.note
        self._tables["pairs"] = answer.table

    def _show_quality(self, table: pd.DataFrame) -> None:
        self.quality.object = html_table(table)
        self._tables["qualities"] = table

    def __panel__(self) -> pn.viewable.Viewable:
        said = PlainText(value=QUALITY, css_classes=["sentence"], sizing_mode="stretch_width")
        runs = card(
            "Topics of two runs",
            controls(self.run, self.run_chain),
            self.pairs_note,
            self.pairs,
            width=620,
        )
        self.content[:] = [
            controls(self.chain, self.other, self.soft),
            charts(self.parts["stability"], self.parts["aligned"]),
            charts(runs, stack(card("How good they are", self.quality, said), styles={"flex": "1 1 340px"})),
            self.sweep,
            card("Can people tell the topics apart?", self.intrusion),
        ]
        return stack(self.empty, self.content)
