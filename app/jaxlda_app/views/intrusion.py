"""Intrusion: people find the word, or the topic, that does not belong, and topics are judged by whether they can."""

import io
from typing import Any, ClassVar

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda_app.panes import TablePane
from jaxlda_app.questions import intrusion as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import CLEAR
from jaxlda_app.views._view import COMPUTING, FAILED, NOTHING, PlainText, View

__all__ = ["Intrusion"]

WHY = (
    "Can people tell what a topic is about? Each question shows the words of a topic and one of another, in random "
    "order; or a document, some of its topics and one that is not. If people find the intruder, the topic makes sense "
    "to them. One rater is one opinion: download the answers, and put those of several raters together."
)
KINDS = {"Words": "word", "Topics of documents": "topic"}
READY = "Choose what to be asked, and press Begin. The questions stay the same while sampling goes on."
DONE = "All questions are answered: see the score, or go back and change an answer."
SEED = 2**32 - 1


class Intrusion(View):
    """One question after the other; the score, topic by topic; answers to take away, and to add."""

    title: ClassVar[str] = "Intrusion"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.asked: questions.Asked | None = None
        self.question = 0
        self.answers: dict[str, dict[int, int]] = {}
        self._table = pd.DataFrame()
        self.kind = pmui.RadioButtonGroup(label="Find the intruder among", options=KINDS, value="word", **CLEAR)
        self.seed = pn.widgets.IntInput(label="Seed", value=0, start=0, end=SEED, width=110)
        self.rater = pn.widgets.TextInput(label="Your name", value="rater 1", width=160)
        self.begin = pmui.Button(label="Begin", color="primary")
        self.hint = PlainText(value=NOTHING, css_classes=["hint"])
        self.text = PlainText(css_classes=["intrusion-text"], sizing_mode="stretch_width")
        self.options = pn.widgets.RadioBoxGroup(options=[], value=None, css_classes=["intrusion-options"])
        self.back, self.next = pmui.Button(label="Back", variant="outlined"), pmui.Button(label="Next", color="primary")
        self.show_score = pmui.Button(label="Show the score", variant="outlined")
        self.note = PlainText(css_classes=["sentence"])
        self.scores = TablePane(None, index=False, escape=True, visible=False, sizing_mode="stretch_width")
        self.downloads = {name: self._download(name) for name in ("answers", "questions")}
        self.files = pn.widgets.FileInput(accept=".csv", multiple=False)
        self._filling = False
        self.begin.on_click(lambda event: self.start())
        self.back.on_click(lambda event: self._go(-1))
        self.next.on_click(lambda event: self._go(1))
        self.show_score.on_click(lambda event: self.score())
        self.options.param.watch(lambda event: self._answer(event.new), "value")
        self.rater.param.watch(lambda event: self._show(), "value")
        self.files.param.watch(lambda event: self._add(event.new) if event.new else None, "value")
        self.asking = pn.Column(
            self.text,
            self.options,
            pn.FlexBox(self.back, self.next, self.show_score),
            self.note,
            pn.Column(self.scores, scroll="x", sizing_mode="stretch_width"),
            pn.FlexBox(*self.downloads.values()),
            PlainText(value="Answers of other raters to the same questions, to be added:"),
            self.files,
            visible=False,
            sizing_mode="stretch_width",
        )

    def refresh(self) -> None:
        """Say what to do; questions are made when somebody wants them."""
        if self.asked is None:
            self.hint.value = NOTHING if self.session.snapshot is None else READY

    def start(self) -> None:
        """Have questions made, and forget the answers to others."""
        if self.session.snapshot is None:
            return
        self.hint.value = COMPUTING
        chosen = {"kind": self.kind.value, "seed": int(self.seed.value or 0)}
        self.session.ask("intrusion", questions.asked, self._ask, self._fail, **chosen)

    def score(self) -> None:
        """Have all answers scored."""
        if self.asked is not None:
            answers = {rater: dict(own) for rater, own in self.answers.items() if own}
            ask = self.session.ask
            ask("intrusion_score", questions.scored, self._tell, self._fail, asked=self.asked, answers=answers)

    def tables(self) -> dict[str, pd.DataFrame]:
        """The score, once it was asked for."""
        return {} if self._table.empty else {"intrusion": self._table}

    def _download(self, name: str) -> pn.widgets.FileDownload:
        return pn.widgets.FileDownload(
            file=io.BytesIO(), filename=f"{name}.csv", label=f"Download the {name}", disabled=True, auto=True
        )

    def _fail(self) -> None:
        self.hint.value = FAILED

    def _ask(self, asked: questions.Asked) -> None:
        self.asked, self.question, self.answers, self._table = asked, 0, {}, pd.DataFrame()
        self.scores.visible, self.note.value = False, ""
        for file in self.downloads.values():
            file.disabled = True
        self.asking.visible = True
        self._show()

    def _show(self) -> None:
        """The present question, and what this rater has answered to it."""
        if self.asked is None:
            return
        number, own = len(self.asked.tasks), self.answers.get(self._name, {})
        words = "word" if self.asked.kind == "word" else "topic"
        self.hint.value = (
            f"Question {self.question + 1} of {number}: which {words} does not belong? {len(own)} answered by "
            f"{self._name}. {DONE if len(own) == number else ''}"
        ).strip()
        self.text.value = self.asked.text(self.question)
        options = {option: i for i, option in enumerate(self.asked.options(self.question), start=1)}
        self._filling = True
        self.options.param.update(options=options, value=own.get(self.question))
        self._filling = False
        self.back.disabled, self.next.disabled = self.question == 0, self.question == number - 1

    @property
    def _name(self) -> str:
        name = (self.rater.value or "").strip()
        return "rater 1" if name in ("", "question") else name

    def _answer(self, option: int | None) -> None:
        if self.asked is None or option is None or self._filling:
            return
        self.answers.setdefault(self._name, {})[self.question] = option
        self._show()

    def _go(self, by: int) -> None:
        if self.asked is not None:
            self.question = min(max(self.question + by, 0), len(self.asked.tasks) - 1)
            self._show()

    def _tell(self, score: questions.Scored) -> None:
        self.note.value, self._table = score.note, score.table
        self.scores.param.update(object=score.table.round(3), visible=True)
        assert self.asked is not None
        for name, content in (("answers", score.answers), ("questions", score.tasks)):
            filename = f"{self.asked.name}_{name}.csv"
            self.downloads[name].param.update(file=io.BytesIO(content), filename=filename, disabled=False)

    def _add(self, content: bytes) -> None:
        if self.asked is not None:
            ask = self.session.ask
            ask("intrusion_others", questions.others, self._join, asked=self.asked, content=content)

    def _join(self, found: dict[str, dict[int, int]]) -> None:
        for rater, own in found.items():
            self.answers[rater] = self.answers.get(rater, {}) | own
        self.score()
        self._show()

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            PlainText(value=WHY, css_classes=["why"], sizing_mode="stretch_width"),
            pn.FlexBox(self.kind, self.seed, self.rater, self.begin),
            self.hint,
            self.asking,
            sizing_mode="stretch_width",
        )
