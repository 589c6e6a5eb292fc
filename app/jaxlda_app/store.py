"""The state of one browser session: settings, what was sampled, what is looked at. No word about how it looks."""

from collections.abc import Callable
from typing import Any

import param

import jaxlda
from jaxlda import Corpus
from jaxlda_app.asking import Asking
from jaxlda_app.jobs import Full, Job, Jobs, memory_needed
from jaxlda_app.reading import Readings, Request
from jaxlda_app.runs import MOST, Kept, unused_name
from jaxlda_app.settings import MODELS, Settings
from jaxlda_app.snapshots import Model, Snapshot, kernel_name, topic_labels
from jaxlda_app.sources import Input

__all__ = ["MAX_UPLOAD", "MODELS", "Model", "Session", "Snapshot", "kernel_name", "topic_labels"]

STATUSES = ("idle", "queued", "running", "paused", "finished", "stopped", "failed")
MAX_UPLOAD = 200  # megabytes: a run of the bundled corpus, exported with all its draws, has 52
FIRST = {"chain": None, "topic": 0, "document": 0, "word": ""}  # what is looked at in a new run


class Session(Asking, Settings):
    """Settings, results and selections of one person at work."""

    corpus_name = param.String("reuters")
    corpus: Corpus | None = param.ClassSelector(class_=Corpus, default=None, allow_None=True)  # type: ignore[assignment]
    snapshot: Snapshot | None = param.ClassSelector(  # type: ignore[assignment]
        class_=Snapshot, default=None, allow_None=True
    )
    runs = param.List([], item_type=Kept, doc="The history, the oldest first.")
    current: Kept | None = param.ClassSelector(class_=Kept, default=None, allow_None=True)  # type: ignore[assignment]
    status: str = param.Selector(default="idle", objects=list(STATUSES))  # type: ignore[assignment]
    asked = param.String("", doc="What a job was asked for and has not done yet, in a word: it ends its block first.")
    message = param.String("", doc="Words for the user: what is going on, or what went wrong and what to do.")

    active = param.String("Topics", doc="The view that is shown.")
    chain = param.Integer(None, allow_None=True, bounds=(0, None), doc="The chain to look at; None: the best.")
    topic = param.Integer(0, bounds=(0, None))
    document = param.Integer(0, bounds=(0, None))
    word = param.String("")
    soft = param.Boolean(True)
    relevance = param.Number(0.6, bounds=(0, 1))

    def __init__(
        self, jobs: Jobs, max_upload: int = MAX_UPLOAD, readings: Readings | None = None, **settings: Any
    ) -> None:
        super().__init__(**settings)
        self.jobs = jobs
        self.max_upload = max_upload
        """Megabytes that a file may have."""
        self.readings = Readings() if readings is None else readings
        self.closing: list[Callable[[], None]] = []
        """What else is to end with the session."""
        self._loading: str | None = None
        self._news = False

    @property
    def job(self) -> Job | None:
        """What samples the run that is looked at."""
        return None if self.current is None else self.current.job

    # ---------------------------------------------------------------------------------------------------- sampling

    def start(self) -> None:
        """Begin anew with the present settings. A run that goes on is stopped, and kept."""
        corpus, refusal = self.corpus, self._refusal()
        if refusal or corpus is None:
            self.message = refusal
            return
        K = self.num_topics if corpus.labels is None or self.model_name == "LDA" else corpus.labels.shape[1]
        size = memory_needed(corpus, K, self.num_chains, self.kernel)
        if not self._make_room(size):
            return
        self._leave()
        train, held = corpus, None
        if 0 < self.held_share and corpus.num_docs >= 10:
            train, held = corpus.split(self.held_share, self.seed)
        model = getattr(jaxlda, self.model_name)(**self.params())
        job = Job(self, model, train, self._tell)
        name = ", ".join([self.corpus_name, f"K {K}", *([] if self.kernel == "cgs" else [self.kernel])])
        kept = Kept(name, corpus, self.corpus_name, job, held=held, loading=self._loading, size=size)
        self._own = None
        self._add(kept)
        self.jobs.submit(job)

    def _refusal(self) -> str:
        """Why there can be no run with these settings; nothing if there can."""
        if self.corpus is None:
            return "There is no corpus yet: choose one in the Data view, or upload a file."
        if self.model_name != "LDA" and self.corpus.labels is None:
            return f"{self.model_name} learns from labels, and this corpus has none: choose LDA."
        if self.model_name == "LDA" and self.alpha is None:
            return "Give alpha, the prior of theta: a number above 0, such as 0.1."
        try:
            jaxlda.kernels.find(self.kernel_text)
        except ValueError as error:
            return f"The options of the kernel do not fit: {error}."
        return ""

    def take(self, source: Input) -> None:
        """Take documents; and where a model of them was fitted elsewhere, that, to be looked at and sampled further."""
        size = 0
        if source.model is not None:
            run = source.model.run_
            size = memory_needed(source.corpus, run.data.priors.alpha.shape[-1], run.num_chains)
            if not self._make_room(size):
                raise Full(self.message)
        self._leave()
        self._restore()
        self._loading = source.code
        self.param.update(
            current=None, corpus=source.corpus, corpus_name=source.name, snapshot=None, status="idle", message="",
            asked="", **FIRST,
        )  # fmt: skip
        if source.model is not None:
            self._adopt(source.model)
            self.keep(source.name, source.model, source.corpus, source.frozen, size)

    def keep(self, name: str, model: Any, corpus: Corpus, frozen: bool = False, size: int = 0) -> None:
        """Put a fitted model into the history, and look at it."""
        job = Job(self, model.set_params(progress=False), corpus, self._tell)
        job.status = "finished" if model.run_.finished else "stopped"
        kept = Kept(name, corpus, self.corpus_name, job, loading=self._loading, frozen=frozen, size=size)
        if topic_labels(model, corpus) is None:
            given = {k: name for k, name in enumerate(model.topic_names) if name != f"topic {k}"}
            kept.names = {(model.best_chain_, k): name for k, name in given.items()}
        kept.renew()
        self._add(kept)

    def show_finished(self, kept: Kept) -> None:
        """Look at a run that was made before anybody came: the documents, and what was found."""
        kept.job.owner, kept.job.tell = self, self._tell
        kept.renew()
        self._loading = kept.loading
        self._add(kept)

    def look_at(self, kept: Kept) -> None:
        """Look at another run of the history."""
        self._loading = kept.loading
        self.param.update(
            current=kept, corpus=kept.corpus, corpus_name=kept.corpus_name, snapshot=kept.snapshot,
            status=kept.job.status, message="", asked="", **FIRST,
        )  # fmt: skip

    def _add(self, kept: Kept) -> None:
        kept.name = unused_name(kept.name, self.runs)
        for old in self.runs[: len(self.runs) - MOST + 1]:
            self.jobs.drop(old.job)
        self.runs = [*self.runs[-MOST + 1 :], kept]
        self.look_at(kept)

    def forget(self, kept: Kept) -> None:
        """Take a run out of the history."""
        self.jobs.drop(kept.job)
        self.runs = [one for one in self.runs if one is not kept]
        self.jobs.reserve(self, sum(one.size for one in self.runs))
        if kept is self.current:
            if self.runs:
                self.look_at(self.runs[-1])
            else:
                self.param.update(current=None, snapshot=None, status="idle", asked="", **FIRST)

    def _leave(self) -> None:
        """Stop the run that goes on. It stays in the history, if it has found anything."""
        kept = self.current
        if kept is None:
            return
        if kept.snapshot is None:
            self.jobs.drop(kept.job)
            self.runs = [one for one in self.runs if one is not kept]
        elif kept.going:
            self.jobs.stop(kept.job)
        self.current = None

    def _make_room(self, size: int) -> bool:
        """Set memory aside for one more run; the oldest of the history make room, where it must be."""
        kept = list(self.runs)[-MOST + 1 :]
        while True:
            try:
                self.jobs.reserve(self, size + sum(one.size for one in kept))
            except Full as error:
                if not kept:
                    self.message = str(error)
                    return False
                kept.pop(0)
            else:
                break
        for old in self.runs:
            if old not in kept:
                self.jobs.drop(old.job)
        if len(kept) < len(self.runs):
            self.runs = kept
            if self.current not in kept:
                self.current = None
        return True

    def pause(self) -> None:
        """Give up the worker until :meth:`resume`."""
        if self.job is not None:
            self.jobs.pause(self.job)
            self.asked = "Pausing." if self.job.status == "running" else ""

    def resume(self) -> None:
        """Go on."""
        if self.job is not None and self._may_go_on():
            self.asked = ""
            self.jobs.resume(self.job)

    def stop(self) -> None:
        """End the sampling, and keep the draws so far."""
        if self.job is not None:
            self.jobs.stop(self.job)
            self.asked = "Stopping." if self.job.status == "running" else ""

    def more(self, sweeps: int = 100) -> None:
        """Sample more than the schedule says."""
        if self.job is None or not self._may_go_on():
            return
        if self.job.status == "stopped" and self.job.run is not None:
            left = self.job.run.schedule.total - self.job.run.sweep
            self.jobs.resume(self.job, max(sweeps - left, 0), limit=self.job.run.sweep + sweeps)
        elif self.job.status != "failed":
            self.jobs.resume(self.job, sweeps)

    def _may_go_on(self) -> bool:
        """Whether the run can be sampled further; one that all sessions share becomes one's own, and takes memory."""
        kept = self.current
        assert kept is not None
        if kept.frozen:
            self.message = "The sample of another program cannot go on here. Start samples its documents anew."
            return False
        if not kept.size and kept.snapshot is not None:
            run = kept.snapshot.run
            size = memory_needed(kept.corpus, run.data.priors.alpha.shape[-1], run.num_chains)
            try:
                self.jobs.reserve(self, size + sum(one.size for one in self.runs))
            except Full as error:
                self.message = str(error)
                return False
            kept.size = size
        return True

    def close(self) -> None:
        """Give back everything: the job, its memory, the thread."""
        for end in self.closing:
            end()
        self._stop_asking()
        self.jobs.forget(self)
        self.readings.forget(self)
        self.post = lambda action: None
        with param.discard_events(self):
            self.snapshot = self.corpus = self.current = None
            self.runs = []

    def read(
        self,
        request: Request,
        then: Callable[[Any], None],
        otherwise: Callable[[str], None] | None = None,
    ) -> None:
        """Have files read by a process of its own, and ``then(result)``, or ``otherwise(words)``, done by the page."""

        def failed(words: str) -> None:
            self.message = words

        refused = failed if otherwise is None else otherwise
        self.readings.start(
            self,
            request,
            lambda result: self.post(lambda: self._hand_over(lambda: then(result))),
            lambda words: self.post(lambda: self._hand_over(lambda: refused(words))),
        )

    # ------------------------------------------------------------------------------------------------------- topics

    def call_topic(self, topic: int, name: str) -> None:
        """Give a topic of the chain that is looked at a name."""
        if self.current is not None and self.snapshot is not None:
            self.current.call(self.shown_chain, topic, name)
            self.snapshot = self.current.snapshot

    def hide_topics(self, topics: list[int], hidden: bool = True) -> None:
        """Leave topics of the chain that is looked at out of lists and maps; or put them back."""
        if self.current is not None and self.snapshot is not None:
            self.current.hide(self.shown_chain, topics, hidden)
            self.snapshot = self.current.snapshot

    @property
    def shown_chain(self) -> int:
        """The chain to look at: the one that was chosen, or the best."""
        if self.snapshot is None:
            return 0
        chosen = self.chain
        return self.snapshot.best_chain if chosen is None or chosen >= self.snapshot.run.num_chains else chosen

    def go(self, view: str, **chosen: Any) -> None:
        """Open a view, and choose something in it."""
        self.param.update(active=view, **chosen)

    # --------------------------------------------------------------------------------------------------------- news

    def _tell(self, job: Job) -> None:
        """There is news of a job. Called by its worker; many calls before the page has time for one are one."""
        with self._lock:
            if self._news or self._closed:
                return
            self._news = True
        self.post(self._take_news)

    def _take_news(self) -> None:
        with self._lock:
            self._news = False
        for one in self.runs:
            one.renew()
        kept, job = self.current, self.job
        if kept is None or job is None:
            return
        changes: dict[str, Any] = {"status": job.status}
        if job.status != "running":
            changes["asked"] = ""
        if job.error is not None:
            changes["message"] = f"Sampling failed: {job.error}"
        if kept.snapshot is not None and (self.snapshot is None or self.snapshot.run is not kept.snapshot.run):
            changes["snapshot"] = kept.snapshot
        self.param.update(**changes)

    @param.depends("active", watch=True)
    def _take_turn(self) -> None:
        self._turn += 1
