"""How many topics: several numbers compared on documents that were held out."""

from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda.models.choice import Choice
from jaxlda_app.jobs import Full
from jaxlda_app.panes import HtmlPane
from jaxlda_app.report import html_table
from jaxlda_app.store import Session
from jaxlda_app.sweeping import Sweep, numbers
from jaxlda_app.views._tables import TABLE
from jaxlda_app.views._view import WIDE, PlainText, View, card, controls

__all__ = ["KSweep"]

WHAT = (
    "Makes a short fit with each number of topics to four fifths of the documents, and measures how well it predicts "
    "the rest (perplexity: lower is better) and how good its topics are."
)
CAPTION = "Perplexity of held-out documents, with its standard error: lower is better."


class KSweep(pn.viewable.Viewer):
    """Numbers, a button, and the curves that grow."""

    def __init__(self, session: Session, view: View) -> None:
        super().__init__()
        self.session, self.view = session, view
        self.tables: dict[str, pd.DataFrame] = {}
        self.numbers = pn.widgets.TextInput(label="Numbers of topics", value="5, 10, 20, 40", width=220)
        self.begin = pmui.Button(label="Compare numbers of topics", color="primary")
        self.end = pmui.Button(label="Stop comparing", variant="outlined", disabled=True)
        self.use = pmui.Button(label="Use the suggestion", variant="outlined", disabled=True)
        self.words = PlainText(value=WHAT, css_classes=["sentence", "k-words"], sizing_mode="stretch_width")
        self.table = HtmlPane("", stylesheets=[TABLE], css_classes=["k-table"], **WIDE)
        self.figure = pn.Column(**WIDE)
        self.plot: Any = None
        self.sweep: Sweep | None = None
        self.found: Choice | None = None
        self.begin.on_click(lambda event: self.start())
        self.end.on_click(lambda event: self.stop())
        self.use.on_click(lambda event: self._use())
        session.closing.append(self.stop)

    def start(self) -> None:
        """Begin, unless the numbers will not do."""
        session = self.session
        self.stop()
        if session.corpus is None:
            return
        options = {"seed": session.seed, "alpha": session.alpha or 0.1, "beta": session.beta}
        try:
            ks = numbers(self.numbers.value or "")
            self.sweep = Sweep(
                session.jobs,
                session.corpus,
                ks,
                lambda found, next, wrong: session.post(lambda: self._tell(found, next, wrong)),
                **options,
            )
        except (ValueError, Full) as error:
            self.words.value = str(error)
            return
        self.begin.disabled, self.end.disabled = True, False
        self.words.value = "Waiting for a turn…"

    def stop(self) -> None:
        """End it after the present number."""
        if self.sweep is not None:
            self.sweep.stop()
            self.sweep = None
        self.begin.disabled, self.end.disabled = False, True

    def figures(self) -> dict[str, Any]:
        """The curve, if there is one."""
        return {} if self.plot is None else {"perplexity_by_k": self.plot}

    def _tell(self, found: Choice | None, next: int | None, wrong: str) -> None:
        if found is not None:
            self._draw(found)
        if next is not None:
            self.words.value = f"Fitting {next} topics…"
            return
        self.stop()
        self.words.value = wrong or ("" if found is None else f"Suggestion: {found.suggestion} topics. {found.why}")
        self.use.disabled = found is None

    def _draw(self, found: Choice) -> None:
        self.found = found
        table = found.table
        self.tables["numbers_of_topics"] = table
        self.table.object = html_table(table.round(4))
        self.view.forget(self.plot)
        self.plot = found.plot()
        self.figure[:] = [self.view.chart(self.plot, CAPTION, "Perplexity by number of topics")]

    def _use(self) -> None:
        if self.found is not None:
            self.session.param.update(num_topics=self.found.suggestion, active="Fit")

    def __panel__(self) -> pn.viewable.Viewable:
        chosen = controls(self.numbers, self.begin, self.end, self.use)
        return card("How many topics", chosen, self.words, self.figure, self.table, width=None)
