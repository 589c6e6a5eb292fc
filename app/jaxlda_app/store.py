"""The state of one browser session: settings, what was sampled, what is looked at. No word about how it looks."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import param

import jaxlda
from jaxlda import Corpus
from jaxlda.models import parameters as declared
from jaxlda.running.results import Run
from jaxlda_app.asking import Asking
from jaxlda_app.jobs import Full, Job, Jobs, memory_needed
from jaxlda_app.reading import Readings, Request
from jaxlda_app.sources import Input

__all__ = ["MODELS", "Model", "Session", "Snapshot"]

MODELS = ("LDA", "LabeledLDA", "PriorLDA")
STATUSES = ("idle", "queued", "running", "paused", "finished", "stopped", "failed")
KERNELS = ["auto", *sorted(jaxlda.kernels.KERNELS)]
SETTINGS = ("num_topics", "kernel", "alpha", "beta", "num_warmup", "num_samples", "thinning", "num_chains", "seed")
"""Parameters of models that people choose here."""
_DECLARED = {one.name: one for one in declared.LDA}
MAX_UPLOAD = 200  # megabytes: a run of the bundled corpus, exported with all its draws, has 52
FIRST = {"chain": None, "topic": 0, "document": 0, "word": ""}  # what is looked at in a new run


class Model(NamedTuple):
    """What was fitted: ``getattr(jaxlda, name)(**params)``."""

    name: str
    params: dict[str, Any]


class Snapshot(NamedTuple):
    """What is known after a block of sweeps; never changed, replaced by the next."""

    model: Model
    run: Run
    corpus: Corpus
    """The documents that are sampled."""
    held: Corpus | None
    """Documents of the same corpus that are not."""
    seconds: float
    tokens_per_second: float
    best_chain: int
    """The chain whose topics are shown if no other is chosen: that of the model."""
    labels: np.ndarray | None
    """What the topics stand for, a name for each, in supervised models."""
    loading: str | None = None
    """Python code that makes the corpus both were taken from; ``None`` where there is none."""


def kernel_name(model: Model, run: Run) -> str:
    """By what the chains are sampled: the kernel, with its options where it has any."""
    if run.algorithm is None:
        return "another program"
    try:
        return jaxlda.kernels.described(run.algorithm)
    except ValueError:  # one of somebody's own
        return run.algorithm.name


def _whole(name: str, most: int, default: int | None = None) -> Any:
    """A whole number, as the models declare it."""
    one = _DECLARED[name]
    bounds = (1 if one.kind == "positive" else 0, most)
    return param.Integer(one.default if default is None else default, bounds=bounds, doc=one.doc)


def _prior(name: str) -> Any:
    one = _DECLARED[name]
    return param.Number(
        one.default, bounds=(0, None), inclusive_bounds=(False, True), allow_None=name == "alpha", doc=one.doc
    )


def topic_labels(model: Any, corpus: Corpus) -> np.ndarray | None:
    """What each topic stands for: its label, or one of its labels' topics; ``None`` where topics stand for nothing."""
    names = corpus.label_names
    if names is None or type(model) is jaxlda.LDA:
        return None
    if not isinstance(model, jaxlda.PLDA):
        return names
    own = model.label_of_topic_
    number = [int((own[:k] == label).sum()) + 1 for k, label in enumerate(own)]
    return np.array([f"{names[a] if a >= 0 else 'shared'} ({i})" for a, i in zip(own, number, strict=True)])


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, int | float):
        return bool(np.float32(one) == np.float32(other))
    return bool(np.array_equal(one, other))


class Session(Asking, param.Parameterized):
    """Settings, results and selections of one person at work."""

    corpus_name = param.String("reuters")
    model_name: str = param.Selector(default="LDA", objects=list(MODELS))  # type: ignore[assignment]
    kernel: str = param.Selector(default="cgs", objects=KERNELS, check_on_set=False)  # type: ignore[assignment]
    kernel_options = param.String("")
    num_topics = _whole("num_topics", 5000, default=20)
    alpha = _prior("alpha")
    beta = _prior("beta")
    num_chains = _whole("num_chains", 64)
    num_warmup = _whole("num_warmup", 1_000_000)
    num_samples = _whole("num_samples", 100_000)
    thinning = _whole("thinning", 10_000)
    seed = _whole("seed", 2**32 - 1)
    held_share = param.Number(0.1, bounds=(0, 0.5))

    corpus: Corpus | None = param.ClassSelector(class_=Corpus, default=None, allow_None=True)  # type: ignore[assignment]
    snapshot: Snapshot | None = param.ClassSelector(  # type: ignore[assignment]
        class_=Snapshot, default=None, allow_None=True
    )
    status: str = param.Selector(default="idle", objects=list(STATUSES))  # type: ignore[assignment]
    asked = param.String("", doc="What a job was asked for and has not done yet, in a word: it ends its block first.")
    message = param.String("", doc="Words for the user: what is going on, or what went wrong and what to do.")

    active = param.String("Run", doc="The view that is shown.")
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
        self.job: Job | None = None
        self.readings = Readings() if readings is None else readings
        self._held: Corpus | None = None
        self._loading: str | None = None
        self._frozen = False
        self._own: dict[str, Any] | None = None
        self._news = False

    # ---------------------------------------------------------------------------------------------------- sampling

    @property
    def _kernel(self) -> str:
        options = self.kernel_options.strip()
        return f"{self.kernel}({options})" if options else self.kernel

    def params(self) -> dict[str, Any]:
        """The parameters of the model that :meth:`start` would fit."""
        taken = getattr(jaxlda, self.model_name).parameters
        params = {one.name: getattr(self, one.name) for one in taken if one.name in SETTINGS}
        params |= {"trace_every": 5, "gap_every": 5, "progress": False}
        params["kernel"] = self._kernel
        if self.model_name != "LDA":
            params["unlabeled"] = "skip"
        return params

    def start(self) -> None:
        """Begin anew with the present settings."""
        if self.corpus is None:
            self.message = "There is no corpus yet: choose one, or upload a file."
            return
        if self.model_name != "LDA" and self.corpus.labels is None:
            self.message = f"{self.model_name} learns from labels, and this corpus has none: choose LDA."
            return
        if self.model_name == "LDA" and self.alpha is None:
            self.message = "Give alpha, the prior of theta: a number above 0, such as 0.1."
            return
        try:
            jaxlda.kernels.find(self._kernel)
        except ValueError as error:
            self.message = f"The options of the kernel do not fit: {error}."
            return
        K = self.num_topics if self.corpus.labels is None or self.model_name == "LDA" else self.corpus.labels.shape[1]
        try:
            self.jobs.reserve(self, memory_needed(self.corpus, K, self.num_chains, self.kernel))
        except Full as error:
            self.message = str(error)
            return
        self._drop(keep_memory=True)
        self._frozen = False
        train, held = self.corpus, None
        if 0 < self.held_share and self.corpus.num_docs >= 10:
            train, held = self.corpus.split(self.held_share, self.seed)
        params = self.params()
        model = getattr(jaxlda, self.model_name)(**params)
        self._held = held
        self._run(Job(self, model, train, self._tell))

    def take(self, source: Input) -> None:
        """Take documents; and where a model of them was fitted elsewhere, that, to be looked at and sampled further."""
        if source.model is not None:
            run = source.model.run_
            self.jobs.reserve(self, memory_needed(source.corpus, run.data.priors.alpha.shape[-1], run.num_chains))
        self._drop(keep_memory=source.model is not None)
        if self._own is not None:  # the settings before those of a run that was looked at
            own, self._own = self._own, None
            self.param.update(model_name=own.pop("model_name"))
            self.param.update(**own)
        self._held = None
        self._loading = source.code
        self._frozen = source.frozen
        self.param.update(
            corpus=source.corpus, corpus_name=source.name, snapshot=None, status="idle", message="", asked="", **FIRST
        )
        if source.model is None:
            return
        self._adopt(source.model)
        self.job = Job(self, source.model.set_params(progress=False), source.corpus, self._tell)
        self.job.status = "finished" if source.model.run_.finished else "stopped"
        self._tell(self.job)

    def _adopt(self, model: Any) -> None:
        """Show the settings of a model, as far as they are numbers."""
        self._own = {name: getattr(self, name) for name in ("model_name", *SETTINGS, "kernel_options")}
        name, params = type(model).__name__, model.get_params(deep=False)
        if name in MODELS:
            self.model_name = name
        for setting in SETTINGS:
            if setting == "kernel":
                continue
            value = np.unique(np.asarray(params.get(setting)))
            if value.size == 1 and value[0] is not None:
                number = value[0].item()
                # Single precision knows 0.01 as 0.009999999776.
                setattr(self, setting, float(str(np.float32(number))) if isinstance(number, float) else number)
        if model.run_.algorithm is not None:
            kernel = kernel_name(Model(name, params), model.run_)
            name, _, options = kernel.removesuffix(")").partition("(")
            # What wraps another kernel is shown as a whole.
            self.kernel, self.kernel_options = (name, options) if name in KERNELS else (kernel, "")

    def pause(self) -> None:
        """Give up the worker until :meth:`resume`."""
        if self.job is not None:
            self.jobs.pause(self.job)
            self.asked = "Pausing." if self.job.status == "running" else ""

    def resume(self) -> None:
        """Go on."""
        if self.job is not None:
            self.asked = ""
            self.jobs.resume(self.job)

    def stop(self) -> None:
        """End the sampling, and keep the draws so far."""
        if self.job is not None:
            self.jobs.stop(self.job)
            self.asked = "Stopping." if self.job.status == "running" else ""

    def more(self, sweeps: int = 100) -> None:
        """Sample more than the schedule says."""
        if self._frozen:
            self.message = "The sample of another program cannot go on here. Start samples its documents anew."
        elif self.job is not None and self.job.status == "stopped" and self.job.run is not None:
            left = self.job.run.schedule.total - self.job.run.sweep
            self.jobs.resume(self.job, max(sweeps - left, 0), limit=self.job.run.sweep + sweeps)
        elif self.job is not None and self.job.status != "failed":
            self.jobs.resume(self.job, sweeps)

    def close(self) -> None:
        """Give back everything: the job, its memory, the thread."""
        self._stop_asking()
        self.jobs.forget(self)
        self.readings.forget(self)
        self.job = self._held = None
        self.post = lambda action: None
        with param.discard_events(self):
            self.snapshot = self.corpus = None

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

    @property
    def changed_settings(self) -> list[str]:
        """Settings that differ from those of the run that is shown; they apply when a run is started."""
        if self.snapshot is None or self._frozen or self._own is not None:
            return []
        name, params = self.snapshot.model
        if name != self.model_name:
            return ["model_name"]
        return [key for key, value in self.params().items() if key in SETTINGS and not _alike(value, params.get(key))]

    def _run(self, job: Job) -> None:
        self.job = job
        self.param.update(snapshot=None, status="queued", message="", asked="", **FIRST)
        self.jobs.submit(job)

    def _drop(self, keep_memory: bool = False) -> None:
        self.jobs.forget(self, keep_memory)
        self.job = None

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
        job = self.job
        if job is None:
            return
        changes: dict[str, Any] = {"status": job.status}
        if job.status != "running":
            changes["asked"] = ""
        if job.error is not None:
            changes["message"] = f"Sampling failed: {job.error}"
        if job.run is not None and (self.snapshot is None or self.snapshot.run is not job.run):
            changes["snapshot"] = self._snapshot_of(job, job.run)
        self.param.update(**changes)

    def _snapshot_of(self, job: Job, run: Run) -> Snapshot:
        name = type(job.model).__name__
        model = Model(name, job.model.get_params(deep=False))
        labels = topic_labels(job.model, job.corpus)
        speed = job.tokens_per_second
        return Snapshot(model, run, job.corpus, self._held, job.seconds, speed, run.best_chain, labels, self._loading)

    @param.depends("model_name", watch=True)
    def _use_defaults(self) -> None:
        """Priors that suit the model."""
        usual = {one.name: one.default for one in getattr(jaxlda, self.model_name).parameters}
        self.param.update(alpha=usual["alpha"], beta=usual["beta"])

    @property
    def shown_chain(self) -> int:
        """The chain to look at: the one that was chosen, or the best."""
        if self.snapshot is None:
            return 0
        chosen = self.chain
        return self.snapshot.best_chain if chosen is None or chosen >= self.snapshot.run.num_chains else chosen

    @param.depends("active", watch=True)
    def _take_turn(self) -> None:
        self._turn += 1
