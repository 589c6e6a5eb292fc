"""The state of one browser session: settings, what was sampled, what is looked at. No word about how it looks."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
import param

import jaxlda
from jaxlda import Corpus
from jaxlda.models import parameters as declared
from jaxlda.running.results import Run
from jaxlda_app.jobs import MEMORY, Job, Jobs, memory_needed
from jaxlda_app.sources import Source

__all__ = ["MODELS", "Model", "Session", "Snapshot"]

T = TypeVar("T")

MODELS = ("LDA", "LabeledLDA", "PriorLDA")
STATUSES = ("idle", "queued", "running", "paused", "finished", "stopped", "failed")
KERNELS = sorted(jaxlda.kernels.KERNELS)
SETTINGS = ("num_topics", "kernel", "alpha", "beta", "num_warmup", "num_samples", "thinning", "num_chains", "seed")
"""Parameters of models that people choose here."""
_DECLARED = {one.name: one for one in declared.LDA}
FIRST = {"chain": None, "topic": 0, "document": 0, "word": ""}  # what is looked at in a new run
# Questions of all sessions that are computed at the same time: sampling needs the cores too.
_AT_ONCE = threading.Semaphore(2)


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


class _Question(NamedTuple):
    question: Callable[..., Any]
    then: Callable[[Any], None]
    otherwise: Callable[[], None]
    snapshot: Snapshot
    arguments: dict[str, Any]
    turn: int
    """Which of the views that were opened, one after the other, has asked."""
    number: int
    """In the order they were asked; one that replaces another has its number."""


class _Answered(NamedTuple):
    arguments: dict[str, Any]
    rest_until: float


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)
    except (TypeError, ValueError):  # of tables, say, which do not say whether they are equal
        return False


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


class Session(param.Parameterized):
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

    def __init__(self, jobs: Jobs, max_upload: int = 50, **settings: Any) -> None:
        super().__init__(**settings)
        self.jobs = jobs
        self.max_upload = max_upload
        """Megabytes that a file may have."""
        self.job: Job | None = None
        self.post: Callable[[Callable[[], None]], None] = lambda action: action()
        """How to have something done by the thread of the page; at once, where there is no page."""
        self._held: Corpus | None = None
        self._loading: str | None = None
        self._frozen = False
        self._lock = threading.Lock()
        self._questions: dict[str, _Question] = {}
        self._answered: dict[str, _Answered] = {}
        self._computing: _Question | None = None
        self._number = 0
        self._afterwards: list[tuple[int, Callable[[], None]]] = []
        self._scheduled = 0
        self._turn = 0
        self._news = False
        self._closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jaxlda-questions")

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
        if (size := memory_needed(self.corpus, K, self.num_chains)) > MEMORY / 2:
            self.message = f"This would take about {size / 2**30:,.0f} GB of memory: choose fewer topics or chains."
            return
        self._drop()
        self._frozen = False
        train, held = self.corpus, None
        if 0 < self.held_share and self.corpus.num_docs >= 10:
            train, held = self.corpus.split(self.held_share, self.seed)
        params = self.params()
        model = getattr(jaxlda, self.model_name)(**params)
        self._held = held
        self._run(Job(self, model, train, self._tell))

    def take(self, source: Source) -> None:
        """Take documents; and where a model of them was fitted elsewhere, that, to be looked at and sampled further."""
        self._drop()
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
        name, params = type(model).__name__, model.get_params(deep=False)
        if name in MODELS:
            self.model_name = name
        for setting in SETTINGS:
            if setting == "kernel":
                continue
            value = np.unique(np.asarray(params.get(setting)))
            if value.size == 1 and value[0] is not None:
                setattr(self, setting, value[0].item())
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
        elif self.job is not None and self.job.status != "failed":
            self.jobs.resume(self.job, sweeps)

    def close(self) -> None:
        """Give back everything: the job, its memory, the thread."""
        self._closed = True
        self.jobs.forget(self)
        self._thread.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._questions.clear()
            self._afterwards.clear()
        self.job = self._held = None
        self.post = lambda action: None
        with param.discard_events(self):
            self.snapshot = self.corpus = None

    def _run(self, job: Job) -> None:
        self.job = job
        self.param.update(snapshot=None, status="queued", message="", asked="", **FIRST)
        self.jobs.submit(job)

    def _drop(self) -> None:
        self.jobs.forget(self)
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

    # --------------------------------------------------------------------------------------------------- questions

    @property
    def shown_chain(self) -> int:
        """The chain to look at: the one that was chosen, or the best."""
        if self.snapshot is None:
            return 0
        chosen = self.chain
        return self.snapshot.best_chain if chosen is None or chosen >= self.snapshot.run.num_chains else chosen

    def ask(
        self,
        key: str,
        question: Callable[..., T],
        then: Callable[[T], None],
        otherwise: Callable[[], None] = lambda: None,
        **arguments: Any,
    ) -> None:
        """Have ``question(snapshot, **arguments)`` computed in the background, and ``then(answer)`` done by the page.

        If that fails, there is a message, and ``otherwise()`` is done.
        A newer question of the same key replaces one that has not begun. Asked again with the same arguments, a
        question waits as long as its last answer took: half of the time at most is spent on it, however fast the chains
        are. Nothing happens without a snapshot.
        """
        if self.snapshot is None or self._closed:
            return
        with self._lock:
            replaced = self._questions.get(key)
            if replaced is None:
                self._number += 1
            number = self._number if replaced is None else replaced.number
            self._questions[key] = _Question(question, then, otherwise, self.snapshot, arguments, self._turn, number)
        self.answer()

    def after(self, then: Callable[[], None]) -> None:
        """Have something done by the page once all that was asked until now has its answer, also what rests."""
        with self._lock:
            self._afterwards.append((self._number, then))
        self._settle()

    def _settle(self) -> None:
        with self._lock:
            waiting = [*self._questions.values(), *([] if self._computing is None else [self._computing])]
            first = min((one.number for one in waiting), default=self._number + 1)
            ready = [then for number, then in self._afterwards if number < first]
            self._afterwards = [(number, then) for number, then in self._afterwards if number >= first]
        for then in ready:
            self.post(partial(self._hand_over, then))

    @property
    def thinking(self) -> bool:
        """Whether there are questions without an answer."""
        with self._lock:
            return bool(self._questions) or self._computing is not None

    def answer(self) -> None:
        """Begin with the questions whose time has come. The page calls this from time to time."""
        with self._lock:
            while self._scheduled < len(self._due()) and not self._closed:
                self._scheduled += 1
                self._thread.submit(self._answer)

    def _due(self) -> list[str]:
        """Questions that have rested, those of the view that is open first, and in the order they were asked."""
        now, due = time.monotonic(), []
        for key, asked in self._questions.items():
            last = self._answered.get(key)
            if last is None or now >= last.rest_until or not _same(last.arguments, asked.arguments):
                due.append(key)
        return sorted(due, key=lambda key: -self._questions[key].turn)

    @param.depends("active", watch=True)
    def _take_turn(self) -> None:
        self._turn += 1

    def do(
        self, work: Callable[[], T], then: Callable[[T], None], otherwise: Callable[[], None] = lambda: None
    ) -> None:
        """Have something done in the background, such as reading a file, and ``then(result)`` by the page."""
        if not self._closed:
            self._thread.submit(self._attempt, work, then, otherwise)

    def _answer(self) -> None:
        with self._lock:
            self._scheduled -= 1
            due = self._due()
            if not due:
                return
            key = due[0]
            asked = self._computing = self._questions.pop(key)
        began = time.monotonic()
        self._attempt(lambda: asked.question(asked.snapshot, **asked.arguments), asked.then, asked.otherwise)
        now = time.monotonic()
        with self._lock:
            self._answered[key] = _Answered(asked.arguments, now + (now - began))
            self._computing = None
        self._settle()

    def _attempt(self, work: Callable[[], T], then: Callable[[T], None], otherwise: Callable[[], None]) -> None:
        try:
            with _AT_ONCE:
                result = work()
        except Exception as error:
            text = str(error) or type(error).__name__
            self.post(lambda: self._give_up(otherwise, text))
        else:
            self.post(lambda: self._hand_over(lambda: then(result)))

    def _give_up(self, otherwise: Callable[[], None], text: str) -> None:
        if not self._closed:
            self.message = text
            otherwise()

    def _hand_over(self, then: Callable[[], None]) -> None:
        if self._closed:
            return
        try:
            then()
        except Exception as error:
            self.message = f"This could not be shown: {error}"
