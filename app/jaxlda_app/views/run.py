"""Run: choose documents and a model, start, pause, resume, stop; how far it is, and how fast."""

from typing import Any, ClassVar

import jax
import panel as pn

import jaxlda
from jaxlda_app.store import Session, Snapshot
from jaxlda_app.views._view import View

__all__ = ["RunView"]

BUNDLED = {"Reuters: 395 news stories": "reuters", "Bars: images of rows and columns": "bars"}


class RunView(View):
    """Settings and the buttons that act on them."""

    title: ClassVar[str] = "Run"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.corpus = pn.widgets.Select(name="Corpus", options=BUNDLED, value=session.corpus_name)
        names = {
            "model_name": "Model",
            "kernel": "Kernel",
            "num_topics": "Topics K",
            "alpha": "α",
            "beta": "β",
            "num_chains": "Chains",
            "num_warmup": "Burn-in (sweeps)",
            "num_samples": "Draws kept",
            "thinning": "Sweeps between draws",
            "seed": "Seed",
        }
        self.settings = pn.Param(
            session.param,
            parameters=list(names),
            widgets={name: {"name": label} for name, label in names.items()},
            show_name=False,
            default_layout=pn.FlexBox,
        )
        self.start = pn.widgets.Button(name="Start", button_type="primary", css_classes=["start"])
        self.pause = pn.widgets.Button(name="Pause", css_classes=["pause"])
        self.resume = pn.widgets.Button(name="Resume", css_classes=["resume"])
        self.stop = pn.widgets.Button(name="Stop", css_classes=["stop"])
        self.more = pn.widgets.Button(name="100 more sweeps", css_classes=["more"])
        self.progress = pn.indicators.Progress(value=0, max=1, sizing_mode="stretch_width")
        self.state = pn.widgets.StaticText(value="", css_classes=["state"])
        self.corpus.param.watch(lambda event: self.load(event.new), "value")
        for button, action in (
            (self.start, session.start),
            (self.pause, session.pause),
            (self.resume, session.resume),
            (self.stop, session.stop),
            (self.more, session.more),
        ):
            button.on_click(lambda event, action=action: action())
        session.param.watch(lambda *events: self.show(), ["status", "snapshot", "corpus"])
        self.show()

    def load(self, name: str) -> None:
        """Load a bundled corpus in the background."""

        def take(corpus: jaxlda.Corpus) -> None:
            self.session.param.update(corpus=corpus, corpus_name=name)

        self.session.do(lambda: jaxlda.datasets.load(name), take)

    def show(self) -> None:
        """Say how far it is."""
        session = self.session
        running, snapshot = session.status in ("queued", "running"), session.snapshot
        self.pause.disabled = not running
        self.resume.disabled = session.status not in ("paused", "stopped")
        self.stop.disabled = not (running or session.status == "paused")
        self.more.disabled = snapshot is None
        if snapshot is not None:
            schedule = snapshot.run.schedule
            self.progress.param.update(max=max(schedule.total, 1), value=min(snapshot.run.sweep, schedule.total))
        self.state.value = _state(session, snapshot)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            self.corpus,
            self.settings,
            pn.FlexBox(self.start, self.pause, self.resume, self.stop, self.more),
            self.progress,
            self.state,
            sizing_mode="stretch_width",
        )


def _state(session: Session, snapshot: Snapshot | None) -> str:
    if snapshot is None:
        return {"queued": "Waiting for a worker…", "running": "Compiling…"}.get(session.status, session.status)
    run = snapshot.run
    device = jax.devices()[0]
    return (
        f"{session.status}: sweep {run.sweep} of {run.schedule.total}, {run.num_chains} chains, "
        f"{run.num_draws} draws each, {snapshot.tokens_per_second / 1e6:.2f} million tokens a second on "
        f"{device.platform.upper()} ({device.device_kind})"
    )
