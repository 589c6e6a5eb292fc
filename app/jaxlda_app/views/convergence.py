"""Convergence: traces while they grow, what R-hat and ESS make of them, and the verdict in words."""

import html
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Span

from jaxlda.plots.lines import line_chart
from jaxlda_app.palette import CHAINS, INK
from jaxlda_app.panes import HtmlPane, TablePane
from jaxlda_app.questions import convergence as questions
from jaxlda_app.questions import mixing
from jaxlda_app.questions._chain import soft_already
from jaxlda_app.questions._many import NO_BAND, Band, Lines
from jaxlda_app.store import Session
from jaxlda_app.views._view import FAILED, WIDE, PlainText, View, card, charts, controls, notice, stack

__all__ = ["ConvergenceView"]

SENTENCES = {
    "likelihood": "Training log-likelihood per token of each chain (Eq. 55); higher is better. The burn-in is shaded. "
    "Chains have the same colours in all figures.",
    "perplexity": "The same as training perplexity: as if every token had been one of so many words; lower is better.",
    "moved": "The share of the tokens that changed topic in a sweep: it falls while topics form, and never to zero.",
    "rhat": "R-hat of the draws so far: near 1, chains agree. How high chance alone can bring it depends on the draws: "
    "the verdict compares it with that limit, the dashed line, where the draws are enough to tell.",
    "ess": "Effective sample size of the draws so far: how many independent draws they are worth. None is shown where "
    "draws are too few to tell. The dashed line is at 400, as usually asked for.",
    "traces": "The quantity in every draw: chains that agree go up and down in the same range.",
    "densities": "Where the draws of each chain are: on top of each other, if chains agree.",
    "ranks": "How each chain's draws rank among all: level lines, if chains agree.",
    "autocorrelation": "How long a chain remembers it; within the grey band it is no more than chance.",
    "compared": "The paper's convergence figure: one chain by counts (CGS) and by transition probabilities (CGSₚ), and "
    "CVB0, sweep by sweep.",
}


TITLES = {
    "likelihood": "Log-likelihood",
    "perplexity": "Training perplexity",
    "moved": "Tokens that changed topic",
    "rhat": "R-hat",
    "ess": "Effective sample size",
    "traces": "Draws",
    "densities": "Densities",
    "ranks": "Ranks",
    "autocorrelation": "Autocorrelation",
    "compared": "CGS, CGSₚ and CVB0",
}
ENOUGH = 400
"""Effective draws, as usually asked for (Vehtari and others 2021)."""


NESTED = (
    " Nested R-hat compares {} groups of chains: it is near 1 where there are enough chains, also if each is short, "
    "but does not see that single chains differ."
)
RUN, DRAWS = ("likelihood", "perplexity", "moved"), ("traces", "densities", "ranks", "autocorrelation")
LEGEND = """
ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
i { display: inline-block; width: 1.4em; height: .25em; margin-right: .4em; vertical-align: middle; }
i.band { height: .8em; opacity: .35; }
"""


class ConvergenceView(View):
    """Figures that are drawn once, and fed."""

    title: ClassVar[str] = "Convergence"
    icon: ClassVar[str] = "show_chart"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.plots = {
            "likelihood": line_chart("sweep", "log-likelihood per token", shaded="left"),
            "perplexity": line_chart("sweep", "training perplexity", shaded="left"),
            "moved": line_chart("sweep", "share that moved", shaded="left"),
            "rhat": line_chart("draws of each chain", "R-hat"),
            "ess": line_chart("draws of each chain", "bulk ESS"),
            "traces": line_chart("sweep", "value"),
            "densities": line_chart("value", "density"),
            "ranks": line_chart("rank among all draws", "draws"),
            "autocorrelation": line_chart("lag in draws", "autocorrelation", shaded="middle"),
            "compared": line_chart("sweep", "log-likelihood per token", x_axis_type="log"),
        }
        self.plots["compared"].legend.location = "bottom_right"
        self.limit = _dashed(None)  # of R-hat: the verdict knows it
        self.plots["rhat"].add_layout(self.limit)
        self.plots["ess"].add_layout(_dashed(ENOUGH))
        self.bands = {name: ColumnDataSource(NO_BAND) for name in (*RUN, *DRAWS)}
        for name, source in self.bands.items():
            self.plots[name].legend.visible = False  # there is one for all
            self.plots[name].varea(
                "x", "low", "high", source=source, fill_color=CHAINS[0], fill_alpha=0.25, name="band", level="underlay"
            )
        self.words = PlainText(value="Not judged yet.", css_classes=["verdict"], sizing_mode="stretch_width", margin=0)
        self.legend = HtmlPane("", stylesheets=[LEGEND], css_classes=["chains"], visible=False, **WIDE)
        self.quantity = pn.widgets.Select(label="Quantity of the draws", options=[], width=280, visible=False)
        self.quantity.param.watch(lambda event: self._ask_mixing(), "value")
        self.table = TablePane(None, index=False, escape=True, sizing_mode="stretch_width")
        self.more = pmui.Button(label="100 more sweeps", color="primary", size="small", css_classes=["remedy"])
        self.more.on_click(lambda event: session.more())
        self.apart = pmui.Button(label="Compare the chains", variant="outlined", size="small", visible=False)
        self.apart.on_click(lambda event: setattr(session, "active", "Compare"))
        self.remedies = controls(self.more, self.apart)
        self.verdict = notice(self.words, self.remedies, severity="info")
        self.compare = pmui.Button(label="Compare CGS, CGSₚ and CVB0", variant="outlined")
        self.compared = PlainText(value="Runs both algorithms from the beginning, on this corpus, with these priors.")
        self.compare.on_click(lambda event: self.begin())
        self.charts = {name: self.chart(plot, SENTENCES[name], TITLES[name]) for name, plot in self.plots.items()}
        for chart in self.charts.values():
            chart.visible = False  # an empty plot has no scale
        self.later = PlainText(
            value="R-hat, ESS, densities, ranks and autocorrelation come with the draws: four at least of each chain."
        )
        self.worst = card(
            "The quantities of the highest R-hat",
            pn.Column(self.table, scroll="x", sizing_mode="stretch_width"),
            width=None,
            collapsible=True,
            collapsed=True,
            visible=False,
            css_classes=["worst"],
        )
        self.empty = self.nothing()
        self.content = stack(visible=False)
        self._tables: dict[str, pd.DataFrame] = {}

    def refresh(self) -> None:
        """Ask for everything but the comparison."""
        session = self.session
        self.empty.appear(session.snapshot is None)
        self.content.visible = session.snapshot is not None
        session.ask("traces", questions.curves, self._draw_traces)
        session.ask("developing", mixing.developing, self._draw_developing)
        self._ask_mixing()
        session.ask("verdict", questions.verdict, self._say_verdict)

    def _ask_mixing(self) -> None:
        self.session.ask("mixing", mixing.mixing, self._draw_mixing, quantity=self.quantity.value)

    def begin(self) -> None:
        """Ask for the comparison."""
        snapshot = self.session.snapshot
        if snapshot is None:
            self.compared.value = "There is nothing to compare yet: start sampling first."
            return
        self.compare.disabled = True
        self.compared.value = "Comparing…"
        self.session.do(lambda: questions.compare(snapshot), self._draw_compared, self._give_up)

    def figures(self) -> dict[str, Any]:
        """All that are shown."""
        return {f"convergence_{name}": plot for name, plot in self.plots.items() if self.charts[name].visible}

    def tables(self) -> dict[str, pd.DataFrame]:
        """R-hat and ESS."""
        return dict(self._tables)

    def _feed(self, name: str, lines: Lines, band: Band | None = None) -> None:
        self.plots[name].select_one({"name": "lines"}).data_source.data = lines
        if band is not None:
            self.bands[name].data = dict(band)
        self.charts[name].visible = any(len(x) for x in lines["xs"])
        self.charts[name][0].visible = any(np.isfinite(line).any() for line in lines["ys"])  # or there is no scale

    def _draw_traces(self, answer: questions.Curves) -> None:
        for name in RUN:
            self._feed(name, getattr(answer, name), answer.bands[name])
            self.plots[name].select_one({"name": "shade"}).right = answer.num_warmup
        self.legend.object = _legend(answer.likelihood, bool(answer.bands["likelihood"]["x"].size))
        self.legend.visible = True

    def _draw_developing(self, answer: mixing.Developing) -> None:
        self._feed("rhat", answer.rhat)
        self._feed("ess", answer.ess)
        self.charts["rhat"][1].value = SENTENCES["rhat"] + (NESTED.format(answer.groups) if answer.groups else "")
        snapshot = self.session.snapshot
        self.later.visible = not answer.rhat["name"] and snapshot is not None and not soft_already(snapshot)

    def _draw_mixing(self, answer: mixing.Mixing) -> None:
        if answer.names != self.quantity.options:
            self.quantity.param.update(options=answer.names, value=answer.quantity or None, visible=bool(answer.names))
        for name in DRAWS:
            self._feed(name, getattr(answer, name), answer.bands.get(name, NO_BAND))
        self.plots["traces"].yaxis.axis_label = self.plots["densities"].xaxis.axis_label = answer.quantity
        self.plots["autocorrelation"].select_one({"name": "shade"}).update(bottom=-answer.chance, top=answer.chance)

    def _say_verdict(self, answer: questions.Verdict) -> None:
        self.words.value = answer.words
        known = bool(np.isfinite(answer.limit))
        self.limit.update(location=answer.limit if known else None, visible=known)
        self._colour({True: "success", False: "error", None: "warning"}[answer.converged])
        self.more.visible = answer.converged is not True and self.session.status in ("finished", "stopped")
        self.apart.visible = answer.converged is False
        self.worst.visible = not answer.table.empty
        self._tables.pop("convergence", None)
        if self.worst.visible and self.session.snapshot is not None:
            run = self.session.snapshot.run
            self._tables["convergence"] = shown = questions.shown_table(answer.table, run.num_chains * run.num_draws)
            self.table.object = shown

    def _colour(self, severity: str) -> None:
        """Another alert, as one that is just being drawn may miss that its colour changes."""
        if self.verdict.severity != severity:
            self.verdict = notice(self.words, self.remedies, severity=severity)
            if len(self.content):
                self.content[0] = self.verdict

    def _give_up(self) -> None:
        self.compare.disabled = False
        self.compared.value = FAILED

    def _draw_compared(self, answer: questions.KernelCurves) -> None:
        self.compare.disabled = False
        self._feed("compared", answer.lines)
        self.compared.value = f"On {answer.num_docs:,} documents."

    def __panel__(self) -> pn.viewable.Viewable:
        self.content[:] = [
            self.verdict,
            self.legend,
            charts(*(self.charts[name] for name in (*RUN, "rhat", "ess"))),
            self.quantity,
            charts(*(self.charts[name] for name in DRAWS)),
            self.later,
            self.worst,
            pn.FlexBox(self.compare, self.compared, align_items="center"),
            charts(self.charts["compared"]),
        ]
        return stack(self.empty, self.content)


def _dashed(place: float | None) -> Span:
    return Span(location=place, visible=place is not None, dimension="width", line_color=INK, line_dash="dashed")


def _legend(lines: Lines, band: bool) -> str:
    """The colours of the chains, for all figures."""
    rows = zip(lines["color"], lines["name"], strict=True)
    items = [f'<li><i style="background:{color}"></i>{html.escape(name)}</li>' for color, name in rows]
    if band:
        items.append(f'<li><i class="band" style="background:{CHAINS[0]}"></i>nine of ten chains</li>')
    return f"<ul>{''.join(items)}</ul>"
