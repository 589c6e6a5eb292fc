"""Hard vs soft: what counting drawn topics gives, and what summing their probabilities gives (Eq. 60)."""

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda import topics
from jaxlda.plots import bars
from jaxlda.plots.lines import line_chart
from jaxlda_app.questions import counts as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import CLEAR, chain_choice, document_choice
from jaxlda_app.views._view import COMPUTING, NOTHING, WIDE, PlainText, View, charts, controls, stack

__all__ = ["CountsView"]

WHY = (
    "Why it matters. At every step the sampler knows, for the token it looks at, a probability for each topic; then it "
    "draws one topic, and that draw is what hard counts count. The probabilities say more than the draw does: adding "
    "them up gives soft counts, the estimates φᵖ and θᵖ. Both kinds have the same mean, but a draw scatters around its "
    "probabilities, and whoever replaces a random number by its mean, given all the rest, can only lose variance: that "
    "is the theorem of Rao and Blackwell. So one sample read softly is worth several that are counted, at the price of "
    "one more sweep. Average over many draws and the scatter goes away by itself: choose the mean of the draws, and "
    "see the two meet."
)
TITLES = {
    "gap": "The gap by sweep",
    "documents": "The gap of the documents",
    "document": "Counts of the chosen document",
    "document_difference": "Soft minus hard counts of the document",
    "word": "Counts of the chosen word",
    "word_difference": "Soft minus hard counts of the word",
}
DIFFERENCE = "Soft minus hard: above zero, the topic deserved more of these tokens than it drew."


class CountsView(View):
    """The gap over sweeps and documents, and counts of one document and of one word."""

    title: ClassVar[str] = "Estimates"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        nothing = topics.hard_soft_table(np.zeros(0), np.zeros(0))
        self.plots = {
            "gap": line_chart("sweep", "gap of a document", shaded="left"),
            "documents": bars.gap_histogram(topics.histogram_table(np.zeros(0))),
            "document": bars.hard_and_soft(nothing, "tokens of the document", "document"),
            "document_difference": bars.hard_soft_difference(nothing, name="document_difference"),
            "word": bars.hard_and_soft(nothing, "tokens of the word", "word"),
            "word_difference": bars.hard_soft_difference(nothing, name="word_difference"),
        }
        self.parts = {name: self.chart(plot, "", TITLES[name]) for name, plot in self.plots.items()}
        for name in ("document", "word"):
            self.parts[f"{name}_difference"][1].value = DIFFERENCE
        for part in self.parts.values():
            part.visible = False  # an empty plot has no scale
        self.chain = chain_choice(session)
        self.document = document_choice(session)
        self.word = pn.widgets.TextInput(
            label="Word", value=session.word, placeholder="the most frequent", width=160, css_classes=["word"]
        )
        self.word.link(session, value="word", bidirectional=True)
        self.mean = pmui.RadioButtonGroup(
            label="Counts", options={"Latest sample": False, "Mean of the draws": True}, value=False, **CLEAR
        )
        self.hint = PlainText(value=NOTHING, css_classes=["hint"])
        self._tables: dict[str, pd.DataFrame] = {}
        session.param.watch(lambda *events: self._if_open(self.refresh), "chain")
        session.param.watch(lambda *events: self._if_open(self._ask_document), "document")
        session.param.watch(lambda *events: self._if_open(self._ask_word), "word")
        self.mean.param.watch(lambda *events: self.refresh(), "value")

    def refresh(self) -> None:
        """Ask for everything."""
        if self.session.snapshot is None or self.hint.value != questions.ALREADY:
            self.hint.value = NOTHING if self.session.snapshot is None else COMPUTING
        self.session.ask("gap", questions.gap_trace, self._draw_gap)
        self._ask_document()
        self._ask_word()
        chain, mean = self.session.shown_chain, self.mean.value
        self.session.ask("gaps", questions.gap_distribution, self._draw_documents, chain=chain, mean=mean)

    def figures(self) -> dict[str, Any]:
        """All that are shown."""
        return {f"counts_{name}": plot for name, plot in self.plots.items() if self.parts[name].visible}

    def tables(self) -> dict[str, pd.DataFrame]:
        """The counts of the document and of the word, and the gaps of the documents."""
        return dict(self._tables)

    def _ask_document(self) -> None:
        chain, document, mean = self.session.shown_chain, self.session.document, self.mean.value
        ask = self.session.ask
        ask("counts", questions.document_counts, self._draw_document, chain=chain, document=document, mean=mean)

    def _ask_word(self) -> None:
        chain, word, mean = self.session.shown_chain, self.session.word.strip(), self.mean.value
        self.session.ask("word", questions.word_counts, self._draw_word, chain=chain, word=word, mean=mean)

    def _draw_gap(self, answer: questions.GapTrace) -> None:
        if answer.note == questions.ALREADY:
            self._show_none(answer.note)
            return
        if self.hint.value == questions.ALREADY:  # of a run before this one
            self.hint.value = COMPUTING
        plot = self.plots["gap"]
        plot.select_one({"name": "lines"}).data_source.data = answer.lines
        plot.select_one({"name": "shade"}).right = answer.num_warmup
        self._say("gap", answer.note)

    def _draw_documents(self, answer: questions.Gaps) -> None:
        if answer.note == questions.ALREADY:
            return
        source = self.plots["documents"].select_one({"name": "histogram"}).data_source
        source.data = {name: answer.table[name].to_numpy() for name in source.data}
        self._tables["gaps"] = answer.table
        self._say("documents", answer.note)

    def _draw_document(self, answer: questions.HardSoft) -> None:
        self._draw_counts("document", answer)
        line = self.plots["documents"].select_one({"name": "chosen"})
        line.update(location=answer.gap, visible=answer.gap is not None)

    def _draw_word(self, answer: questions.HardSoft) -> None:
        self._draw_counts("word", answer)

    def _draw_counts(self, name: str, answer: questions.HardSoft) -> None:
        for part in (name, f"{name}_difference"):
            source = self.plots[part].select_one({"name": part}).data_source
            source.data = {column: answer.table[column].to_numpy() for column in source.data}
        self.parts[f"{name}_difference"].visible = not answer.table.hard.isna().all()
        self._tables[f"counts_of_{name}"] = answer.table
        self._say(name, answer.note)

    def _show_none(self, why: str) -> None:
        """Nothing can be compared: no empty plots, but why."""
        for name in ("gap", "documents", "document_difference", "word_difference"):
            self.parts[name].visible = False
        self.hint.param.update(value=why, visible=True)

    def _say(self, name: str, note: str) -> None:
        self.parts[name][1].value = note
        self.parts[name].visible = True
        self.hint.visible = self.hint.value == questions.ALREADY

    def __panel__(self) -> pn.viewable.Viewable:
        return stack(
            PlainText(value=WHY, css_classes=["why", "sentence"], styles={"max-width": "62rem"}, **WIDE),
            self.hint,
            controls(self.chain, self.mean, self.document, self.word),
            charts(self.parts["gap"], self.parts["documents"]),
            charts(self.parts["document"], self.parts["document_difference"]),
            charts(self.parts["word"], self.parts["word_difference"]),
        )
