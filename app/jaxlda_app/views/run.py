"""Run: choose documents and a model, start, pause, resume, stop; how far it is, and how fast."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import jax
import panel as pn
import param

from jaxlda_app import sources
from jaxlda_app.store import Session, Snapshot, kernel_name
from jaxlda_app.views._upload import Upload
from jaxlda_app.views._view import PlainText, View

__all__ = ["RunView"]

OWN = "From a file"
WHOLE = 1000  # of the progress bar, whose end cannot change together with its value
INTRO = (
    "Latent Dirichlet allocation (LDA) finds what documents are about without being told. It supposes that there are K "
    "topics, each a list of words with probabilities, that every document is a mixture of topics, and that every word "
    "in it, a token, was drawn from one of them. The sampler starts with random topics and asks of token after token "
    "which topic suits it, given the topics of all the others; a sweep visits all of them. While it runs: Convergence "
    "shows whether several chains, with starts of their own, come to agree; Topics what was found; Documents which "
    "word came from which topic; Hard vs soft and Estimators how to read more out of the same samples."
)
SETTINGS = {
    "model_name": (
        "Model",
        "LDA learns from the words alone; LabeledLDA and PriorLDA have a topic for each label, and learn from both.",
    ),
    "kernel": (
        "Kernel",
        "How topics are found: cgs is collapsed Gibbs sampling; cvb0 and vb (variational Bayes) keep probabilities "
        "instead of drawing; light, warp and pcgs draw faster where there are many topics.",
    ),
    "kernel_options": ("Options", "Of the kernel, such as chunk=256 for cvb0; empty for the usual ones."),
    "num_topics": ("Topics K", "More topics are finer ones."),
    "alpha": ("α", "The prior of the topics of a document: the smaller, the fewer it has."),
    "beta": ("β", "The prior of the words of a topic: the smaller, the fewer it has."),
    "num_chains": (
        "Chains",
        "Samplers that start differently: what all of them find is more than chance.",
    ),
    "num_warmup": ("Burn-in, sweeps", "Sweeps before the first draw is kept, as topics are random at first."),
    "num_samples": ("Draws kept", "Of each chain, after the burn-in."),
    "thinning": ("Sweeps a draw", "From one draw to the next, so that they are not too much alike."),
    "seed": ("Seed", "The same seed gives the same chains."),
    "held_share": ("Held out, share", "Of the documents, to test on: they are not sampled."),
}
"""Settings of the session: what they are called, and what they mean."""
STATUS = {
    "idle": "Ready: press Start.",
    "queued": "Waiting for a worker.",
    "running": "Sampling.",
    "paused": "Paused.",
    "finished": "Finished.",
    "stopped": "Stopped.",
    "failed": "Failed.",
}


class RunView(View):
    """Settings and the buttons that act on them."""

    title: ClassVar[str] = "Run"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.corpus = pn.widgets.Select(label="Corpus", options=[*sources.BUNDLED, OWN], css_classes=["corpus"])
        self.upload = Upload(session, self.take, session.max_upload)
        self.upload_panel = pn.Column(self.upload, visible=False, sizing_mode="stretch_width")
        self.about = PlainText(css_classes=["about"])
        self.settings = {name: _setting(session, name) for name in SETTINGS}
        self.start = pn.widgets.Button(label="Start", color="primary")
        self.pause = pn.widgets.Button(label="Pause")
        self.resume = pn.widgets.Button(label="Resume")
        self.stop = pn.widgets.Button(label="Stop")
        self.more = pn.widgets.Button(label="100 more sweeps")
        self.discard = pn.widgets.Button(label="Discard it and start", color="danger")
        self.keep = pn.widgets.Button(label="Go on with it")
        self.question = PlainText(css_classes=["question"])
        self.asking = pn.FlexBox(
            self.question, self.discard, self.keep, align_items="center", visible=False, css_classes=["asking"]
        )
        self.hint = PlainText(css_classes=["changed"], visible=False)
        self.progress = pn.indicators.Progress(value=0, max=WHOLE, sizing_mode="stretch_width", height=14)
        self.state = PlainText(css_classes=["state"])
        self.speed = PlainText(css_classes=["speed"])
        self._watch()
        self.tell()

    def _watch(self) -> None:
        session = self.session
        self.corpus.param.watch(lambda event: self.choose(event.new), "value")
        for button, act in (
            (self.start, self.begin),
            (self.discard, self.begin_anew),
            (self.keep, self.keep_on),
            (self.pause, session.pause),
            (self.resume, session.resume),
            (self.stop, session.stop),
            (self.more, session.more),
        ):
            button.on_click(partial(self.attempt, act))
        session.param.watch(lambda *events: self.tell(), ["status", "snapshot", "corpus", "asked"])
        session.param.watch(lambda *events: self.hint_at_changes(), [*SETTINGS, "snapshot", "status"])

    def begin(self) -> None:
        """Start, or ask first whether a run that is not at its end may be lost."""
        session = self.session
        if session.status not in ("running", "queued", "paused") or session.snapshot is None:
            self.begin_anew()
            return
        run = session.snapshot.run
        self.question.value = (
            f"A run is at sweep {run.sweep:,} of {run.schedule.total:,}. Starting another one discards it."
        )
        self.asking.visible = True

    def begin_anew(self) -> None:
        """Start, whatever there is."""
        self.asking.visible = False
        self.session.start()

    def keep_on(self) -> None:
        """Start nothing."""
        self.asking.visible = False

    def hint_at_changes(self) -> None:
        """Say that settings which were changed are not those of the run."""
        names = [SETTINGS[name][0] for name in self.session.changed_settings if name in SETTINGS]
        words = f"Changed, but not part of this run: {', '.join(names)}. Press Start to use it." if names else ""
        self.hint.param.update(value=words, visible=bool(words))

    def attempt(self, act: Callable[[], None], event: Any = None) -> None:
        """What goes wrong is told on the page, not only to whoever runs the server."""
        try:
            act()
        except Exception as error:
            self.session.message = f"This did not work: {error}"

    def choose(self, title: str) -> None:
        """Load a bundled corpus in the background, or ask for a file."""
        self.upload_panel.visible = title == OWN
        if title in sources.BUNDLED:
            name = sources.BUNDLED[title]
            self.session.do(lambda: sources.bundled_source(name), self.take)

    def take(self, source: sources.Input) -> None:
        """Use the documents that were read."""
        self.session.take(source)
        said = "".join(f"{note[:1].upper()}{note[1:]}. " for note in source.notes)
        read = f"Read {source.name}: {source.corpus!r}. {said}"
        advice = "Its sample can be looked at." if source.model is not None else "Press Start."
        self.session.message = read + advice

    def tell(self) -> None:
        """Say how far it is."""
        session, snapshot = self.session, self.session.snapshot
        self.start.disabled = session.corpus is None
        running = session.status in ("queued", "running")
        self.pause.disabled = not running
        if not (running or session.status == "paused"):
            self.asking.visible = False
        self.resume.disabled = session.status not in ("paused", "stopped")
        self.stop.disabled = not (running or session.status == "paused")
        self.more.disabled = snapshot is None or session.status == "failed"
        done, total = (0, 1) if snapshot is None else (snapshot.run.sweep, max(snapshot.run.schedule.total, 1))
        self.progress.value = min(done, total) * WHOLE // total
        self.state.value = _state(session, snapshot)
        self.speed.value = _speed(session, snapshot)
        self.about.value = "" if session.corpus is None else _about(session)

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.FlexBox(
            PlainText(value=INTRO, css_classes=["intro"], sizing_mode="stretch_width"),
            pn.Column("### Documents", self.corpus, self.upload_panel, self.about, css_classes=["part"]),
            pn.Column("### Model", pn.FlexBox(*self.settings.values()), css_classes=["part", "settings"]),
            pn.Column(
                "### Sampling",
                pn.FlexBox(self.start, self.pause, self.resume, self.stop, self.more),
                self.asking,
                self.hint,
                self.progress,
                self.state,
                self.speed,
                css_classes=["part"],
            ),
            sizing_mode="stretch_width",
            align_items="flex-start",
        )


def _setting(session: Session, name: str) -> pn.widgets.Widget:
    """The widget of a setting. Numbers are typed: a slider cannot tell 20 topics from 21."""
    label, description = SETTINGS[name]
    shown: dict[str, Any] = {"label": label, "description": description, "width": 130}
    parameter: Any = session.param[name]
    if name in ("model_name", "kernel"):
        return pn.widgets.Select.from_param(parameter, **shown)
    if name == "kernel_options":
        return pn.widgets.TextInput.from_param(parameter, **shown)
    whole = isinstance(parameter, param.Integer)
    step = 1 if whole else 0.05 if name == "held_share" else 0.01
    widget: Any = (pn.widgets.IntInput if whole else pn.widgets.FloatInput)(step=step, **shown)

    def follow(*events: Any) -> None:
        """What a model with labels chooses by itself is not shown: the number of topics, and alpha if none is given."""
        value = getattr(session, name)
        widget.visible = value is not None and (name != "num_topics" or session.model_name == "LDA")
        if value is not None:
            widget.value = value

    def tell(event: Any) -> None:
        """What will not do is told, and not left standing as if it did."""
        try:
            if event.new is None or not math.isfinite(event.new):
                raise ValueError
            setattr(session, name, event.new)
        except ValueError:
            session.message = f"{label} must be {_range(parameter)}: it stays as it was."
            session.post(follow)

    follow()
    widget.param.watch(tell, "value")
    session.param.watch(follow, [name, "model_name"])
    return widget


def _range(parameter: Any) -> str:
    """The values that a number may have, in words."""
    low, high = parameter.bounds
    what = "a whole number" if isinstance(parameter, param.Integer) else "a number"
    return f"{what} above {low:,}" if high is None else f"{what} from {low:,} to {high:,}"


def _about(session: Session) -> str:
    corpus = session.corpus
    return f"{session.corpus_name}: {corpus!r}".replace("Corpus(", "").removesuffix(")") + "."


def _state(session: Session, snapshot: Snapshot | None) -> str:
    if snapshot is None:
        if session.corpus is None:
            return "Loading the documents."
        return session.asked or ("Compiling." if session.status == "running" else STATUS[session.status])
    run, job = snapshot.run, session.job
    words = [session.asked or STATUS[session.status], f"Sweep {run.sweep:,} of {run.schedule.total:,}"]
    before = 0 if job is None else session.jobs.before(job)
    if session.status == "running":
        left = None if job is None else job.seconds_left
        words[-1] += f", {_duration(left)} left." if left is not None else "."
        if before:
            words.append(f"{before} other session(s) take turns with this one.")
    else:
        words[-1] += "."
    draws = run.num_draws
    words.append(f"{run.num_chains} chain(s), {draws} draw(s) of each." if draws else "Burn-in: no draws yet.")
    return " ".join(words)


def _speed(session: Session, snapshot: Snapshot | None) -> str:
    device = jax.devices()[0]
    on = f"on {device.platform.upper()} ({device.device_kind})" if device.platform != "cpu" else "on the CPU"
    if snapshot is None:
        return f"Runs {on}."
    speed = f", {snapshot.tokens_per_second / 1e6:,.1f} million tokens per second" if snapshot.tokens_per_second else ""
    if snapshot.run.algorithm is None:
        return "The sample of another program."
    kernel = kernel_name(snapshot.model, snapshot.run)
    return f"{snapshot.model.name} by {kernel} {on}{speed}; {snapshot.seconds:,.1f} s so far."


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    minutes = seconds / 60
    return f"about {minutes:.0f} min" if minutes < 90 else f"about {minutes / 60:.1f} h"
