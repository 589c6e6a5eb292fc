"""Fit: how many topics, start, pause, resume, stop; what is found meanwhile, and all runs of the session."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda.plots.lines import line_chart
from jaxlda_app.panes import HtmlPane
from jaxlda_app.questions import fit as questions
from jaxlda_app.report import html_table
from jaxlda_app.settings import PRESETS
from jaxlda_app.store import Session
from jaxlda_app.views import _progress
from jaxlda_app.views._choices import CLEAR
from jaxlda_app.views._history import History
from jaxlda_app.views._settings import SETTINGS, setting
from jaxlda_app.views._tables import TABLE
from jaxlda_app.views._view import WIDE, PlainText, View, card, charts, controls, notice, stack

__all__ = ["FitView"]

WHOLE = 1000  # of the progress bar, whose end cannot change together with its value
BAR = {"height": 8, "borderRadius": 4}
NAMES = "td:first-child { white-space: nowrap; }"  # of topics
FIRST = ("num_topics",)
OWN = "Own"


class FitView(View):
    """Settings, the buttons that act on them, and what comes of it."""

    title: ClassVar[str] = "Fit"
    icon: ClassVar[str] = "play_circle"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.about = PlainText(css_classes=["about"])
        self.settings = {name: setting(session, name) for name in SETTINGS}
        self.preset = pmui.RadioButtonGroup(
            label="Preset", options=[*PRESETS, OWN], value=session.preset or OWN, css_classes=["preset"], **CLEAR
        )
        rest = controls(*(widget for name, widget in self.settings.items() if name not in FIRST))
        self.rest = card(
            "All settings", rest, width=None, collapsible=True, collapsed=True, css_classes=["all-settings"]
        )
        self.start = pmui.Button(label="Start", color="primary", icon="play_arrow", css_classes=["start"])
        self.pause = pmui.Button(label="Pause", variant="outlined")
        self.resume = pmui.Button(label="Resume", variant="outlined")
        self.stop = pmui.Button(label="Stop", variant="outlined")
        self.more = pmui.Button(label="100 more sweeps", variant="outlined")
        self.discard = pmui.Button(label="Stop it and start", color="primary")
        self.go_on = pmui.Button(label="Go on with it", variant="outlined")
        self.question = PlainText(css_classes=["question"])
        self.asking = pmui.Dialog(
            self.question,
            pn.FlexBox(self.discard, self.go_on),
            title="A run goes on",
            open=False,
            css_classes=["asking"],
        )
        self.hint = PlainText(css_classes=["changed"], visible=False, **WIDE)
        self.changed = notice(self.hint, severity="warning", visible=False)
        self.progress = pmui.LinearProgress(value=0, max=WHOLE, variant="determinate", sx=BAR, **WIDE)
        self.state = PlainText(css_classes=["state"])
        self.speed = PlainText(css_classes=["speed", "sentence"])
        self.plot = line_chart("sweep", "log-likelihood per token", shaded="left", height=240)
        self.plot.legend.location = "bottom_right"
        self.trace = self.chart(self.plot, "It rises while topics form, then levels off.", "Log-likelihood")
        self.words = HtmlPane("", stylesheets=[TABLE, NAMES], css_classes=["live-words"], **WIDE)
        self.found = card("Topics so far", self.words, width=420)
        self.trace.visible = self.found.visible = False
        self.history = History(session)
        self._tables: dict[str, pd.DataFrame] = {}
        self._watch()
        self.tell()

    def _watch(self) -> None:
        session = self.session
        for button, act in (
            (self.start, self.begin),
            (self.discard, self.begin_anew),
            (self.go_on, self.keep_on),
            (self.pause, session.pause),
            (self.resume, session.resume),
            (self.stop, session.stop),
            (self.more, session.more),
        ):
            button.on_click(partial(self.attempt, act))
        session.param.watch(lambda *events: self.tell(), ["status", "snapshot", "corpus", "asked"])
        session.param.watch(lambda *events: self.hint_at_changes(), [*SETTINGS, "snapshot", "status"])
        self.preset.param.watch(lambda event: session.param.update(**PRESETS.get(event.new, {})), "value")
        session.param.watch(
            lambda *events: self.preset.param.update(value=session.preset or OWN), list(PRESETS["Standard"])
        )

    def refresh(self) -> None:
        """Ask for what was found so far."""
        session = self.session
        if session.snapshot is None:
            self.trace.visible = self.found.visible = False
            return
        session.ask("live", questions.live, self._draw, chain=session.shown_chain)

    def figures(self) -> dict[str, Any]:
        """The Convergence view has it, larger."""
        return {}

    def begin(self) -> None:
        """Start, or ask first whether the run that goes on is to be stopped."""
        session = self.session
        if session.current is None or not session.current.going or session.snapshot is None:
            self.begin_anew()
            return
        run = session.snapshot.run
        self.question.value = (
            f"A run is at sweep {run.sweep:,} of {run.schedule.total:,}. Starting another one stops it; what it has "
            "found so far stays among the runs below."
        )
        self.asking.open = True

    def begin_anew(self) -> None:
        """Start, whatever goes on."""
        self.asking.open = False
        self.session.start()

    def keep_on(self) -> None:
        """Start nothing."""
        self.asking.open = False

    def hint_at_changes(self) -> None:
        """Say that settings which were changed are not those of the run."""
        names = [SETTINGS[name][0] for name in self.session.changed_settings if name in SETTINGS]
        words = f"Changed, but not part of this run: {', '.join(names)}. Press Start to use it." if names else ""
        self.hint.param.update(value=words, visible=bool(words))
        self.changed.visible = bool(words)

    def attempt(self, act: Callable[[], None], event: Any = None) -> None:
        """What goes wrong is told on the page, not only to whoever runs the server."""
        try:
            act()
        except Exception as error:
            self.session.message = f"This did not work: {error}"

    def tell(self) -> None:
        """Say how far it is."""
        session, snapshot = self.session, self.session.snapshot
        self.start.disabled = session.corpus is None
        running = session.status in ("queued", "running")
        self.pause.disabled = not running
        if not (running or session.status == "paused"):
            self.asking.open = False
        self.resume.disabled = session.status not in ("paused", "stopped")
        self.stop.disabled = not (running or session.status == "paused")
        self.more.disabled = snapshot is None or session.status == "failed"
        done, total = (0, 1) if snapshot is None else (snapshot.run.sweep, max(snapshot.run.schedule.total, 1))
        self.progress.value = min(done, total) * WHOLE // total
        self.state.value = _progress.state(session, snapshot)
        self.speed.value = _progress.speed(session, snapshot)
        self.about.value = (
            ""
            if session.corpus is None
            else f"Documents: {session.corpus_name}, {session.corpus!r}".replace("Corpus(", "").replace(")", ".")
        )

    def _draw(self, answer: questions.Live) -> None:
        self.plot.select_one({"name": "lines"}).data_source.data = answer.likelihood
        self.plot.select_one({"name": "shade"}).right = answer.num_warmup
        self.trace.visible = bool(answer.likelihood["name"])
        self.words.object = html_table(answer.table)
        more = answer.num_topics - len(answer.table)
        self.found.title = "Topics so far" + (
            f": the largest {len(answer.table)} of {answer.num_topics:,}" if more else ""
        )
        self.found.visible = True

    def __panel__(self) -> pn.viewable.Viewable:
        model = card(
            "Model",
            self.about,
            controls(self.settings["num_topics"], self.preset),
            self.rest,
            css_classes=["part", "settings"],
        )
        sampling = card(
            "Sampling",
            controls(self.start, self.pause, self.resume, self.stop, self.more),
            self.changed,
            self.progress,
            self.state,
            self.speed,
            css_classes=["part"],
        )
        return stack(charts(model, sampling), charts(self.found, self.trace), self.history, self.asking)
