"""Labels: predictions for documents against their labels, by every pair of estimators."""

from typing import Any, ClassVar

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda import Corpus
from jaxlda.plots.scores import PAIRS, label_columns, label_points
from jaxlda_app.panes import HtmlPane
from jaxlda_app.questions import labels as questions
from jaxlda_app.report import html_table
from jaxlda_app.store import Session
from jaxlda_app.views._tables import TABLE
from jaxlda_app.views._view import COMPUTING, FAILED, NOTHING, PlainText, View, card, charts, controls, stack
from jaxlda_app.words import counted

__all__ = ["LabelsView"]

GROWTH = 1.5  # sweeps after which documents are inferred anew
UNSUPERVISED = (
    "This run has no labels. In the Data view, choose documents that have labels (the simulated ones, or a table with "
    "a column of labels), and in the Fit view the model LabeledLDA or PriorLDA; then press Start."
)
FLATTERED = (
    "No documents were held out: these are the ones that the model learned from, and the numbers flatter it. To test "
    "it, start a run with a held-out share above 0 in the Fit view."
)
POINTS = (
    "One point per label, larger where more documents have it: how many of its predictions are right, and how many of "
    "its documents are found. Labels never predicted are not drawn."
)
ENDED = ("finished", "stopped", "paused")
COLUMNS = ("label", "documents", "predicted", "correct", "precision", "recall", "f1")


class LabelsView(View):
    """Nothing, unless labels were learned."""

    title: ClassVar[str] = "Labels"
    icon: ClassVar[str] = "label"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.pair = pn.widgets.Select(label="Estimators", options=list(PAIRS.values()), value="φᵖ + θᵖ", width=150)
        self.ranking = pn.widgets.Select(label="Labels are ranked by", options=questions.RANKINGS, width=250)
        self.count = pn.widgets.Select(label="A document gets", options=questions.COUNTS, width=290)
        self.plot = label_points({name: [] for name in COLUMNS})
        self.source = self.plot.select_one({"name": "labels"}).data_source
        self.scores, self.labels, self.documents = (_table(height) for height in (190, 320, 320))
        self.words = PlainText(value=NOTHING, css_classes=["labels-words"])
        self.next = pmui.Button(label="Choose documents with labels", color="primary", visible=False)
        self.next.on_click(lambda event: session.go("Data"))
        self.found: questions.Inferred | None = None
        self.shown: questions.Predictions | None = None
        self.asked: Corpus | None = None
        self.content = stack(
            controls(self.pair, self.ranking, self.count),
            charts(
                self.chart(self.plot, POINTS, "Precision and recall"),
                _with_words("F1", self.scores, "Of each pair of estimators: over decisions, labels, and documents."),
                _with_words("Labels", self.labels, "Every label, the most frequent first.", 560),
                _with_words("Documents", self.documents, "Every document: its labels, and those predicted.", 560),
            ),
            visible=False,
        )
        session.param.watch(lambda event: self._changed(), "status")
        for choice in (self.pair, self.ranking, self.count):
            choice.param.watch(lambda event: self._predict(), "value")

    def refresh(self) -> None:
        """Ask for the held-out documents anew, if the chains have gone far since."""
        session, snapshot = self.session, self.session.snapshot
        if snapshot is None:
            return
        self.content.visible = questions.tested(snapshot) is not None
        self.next.visible = not self.content.visible
        if not self.content.visible:
            self.words.value = UNSUPERVISED
            return
        sweep, ended = snapshot.run.sweep, session.status in ENDED
        known = 0 if self.found is None or self.found.corpus is not snapshot.corpus else self.found.sweep
        if not known and self.asked is not snapshot.corpus:
            self.words.value = COMPUTING
        new = sweep >= GROWTH * known or (ended and sweep > known)
        if new and self.asked is not snapshot.corpus:
            self.asked = snapshot.corpus
            session.ask("labels", questions.inferred, self._take, self._give_up)

    def figures(self) -> dict[str, Any]:
        """Precision and recall."""
        return {} if self.shown is None else {"precision_and_recall": self.plot}

    def tables(self) -> dict[str, pd.DataFrame]:
        """All three."""
        if self.shown is None:
            return {}
        return {
            "f_measures": self.shown.scores,
            "labels": self.shown.labels,
            "predictions": self.shown.documents,
        }

    def _take(self, found: questions.Inferred) -> None:
        self.asked, self.found = None, found
        self._predict()
        self._changed()

    def _give_up(self) -> None:
        """Of these documents nothing more is asked: it would fail again, all the time."""
        self.words.value = FAILED

    def _changed(self) -> None:
        if self.session.active == self.title:
            self.refresh()

    def _predict(self) -> None:
        if self.found is not None:
            choices = {"pair": self.pair.value, "ranking": self.ranking.value, "count": self.count.value}
            self.session.ask("predictions", questions.predictions, self._show, found=self.found, **choices)

    def _show(self, shown: questions.Predictions) -> None:
        assert self.found is not None
        self.shown = shown
        self.source.data = label_columns(shown.labels)
        self.scores.object = html_table(shown.scores.round(3))
        self.labels.object = html_table(shown.labels.round(3))
        self.documents.object = html_table(shown.documents)
        self.words.value = (
            f"{counted(shown.num_docs, 'document')}, topics after sweep {self.found.sweep:,}. "
            f"{best_pairs(shown.scores)}" + (f" {FLATTERED}" if self.found.training else "")
        )

    def __panel__(self) -> pn.viewable.Viewable:
        return stack(self.words, self.next, self.content)


def best_pairs(scores: pd.DataFrame) -> str:
    """Which pair of estimators is the best, or which of them are, as far as three digits tell."""
    rounded = scores.micro.round(3)
    best = scores.pair[rounded == rounded.max()].tolist()
    number = f"{rounded.max():.3f}"
    if len(best) == len(scores) > 1:
        return f"The best micro F1 is {number}, and all pairs of estimators have it: here they do not differ."
    if len(best) > 1:
        return f"The best micro F1 is {number}, and {', '.join(best[:-1])} and {best[-1]} have it alike."
    return f"The best micro F1 is that of {best[0]}: {number}."


def _table(height: int) -> pn.pane.HTML:
    return HtmlPane(
        "",
        stylesheets=[TABLE],
        max_height=height,
        sizing_mode="stretch_width",
        css_classes=["table"],
        styles={"overflow-y": "auto"},
    )


def _with_words(title: str, table: pn.pane.HTML, sentence: str, width: int = 340) -> pmui.Card:
    said = PlainText(value=sentence, css_classes=["sentence"], sizing_mode="stretch_width")
    return card(title, table, said, width=width)
