"""Sampling in the background: who waits, who samples, and whose turn is next.

A job is a fit of a model. Workers take jobs from one queue for the whole server, in which sessions take turns: however
many jobs one session has, the others come after every one of them. A job that samples while others wait gives up its
worker after a turn and goes on later; the chains do not notice, because a fit goes on bit for bit.
"""

import logging
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any

from jaxlda import Corpus
from jaxlda.running import memory
from jaxlda.running.results import Run
from jaxlda_app.shelf import Shelf

__all__ = ["MEMORY", "Full", "Job", "Jobs", "memory_needed"]


MEMORY = memory.total()

# Bytes, measured with two million tokens: of a token, of a token in each chain, and of a probability that CVB0 keeps.
TOKEN, TOKEN_OF_A_CHAIN, PROBABILITY = 340, 40, 20
QUEUE = 64  # jobs that may wait, of all sessions together
TURN = 2.0  # seconds, if others wait; the first turn of a job is a block
MOMENT = 1.0  # seconds that a page has all cores for, after somebody did something on it
LONGEST = 2.0  # seconds that a job lets its own page pass before it samples another block; others, as long as a block
SMOOTHING = 0.3  # of the speed: the weight of the last block


class Job:
    """A fit, from the queue to its end. What it tells may be read at any time; it is steered through :class:`Jobs`."""

    def __init__(self, owner: Hashable, model: Any, corpus: Corpus, tell: Callable[["Job"], None] = lambda job: None):
        self.owner, self.model, self.corpus = owner, model, corpus
        self.tell = tell
        """Called by the worker's thread whenever there is news."""
        self.status = "queued"
        """One of queued, running, paused, finished, stopped, failed."""
        self.wanted = "running"
        self.run: Run | None = getattr(model, "run_", None)
        """What was sampled so far; a model that was fitted before goes on."""
        self.error: Exception | None = None
        self.seconds = 0.0
        """Spent on sampling, not on waiting."""
        self.tokens_per_second = 0.0
        """Of all chains together, lately."""
        self.more = 0
        """Sweeps that were asked for and are not part of the schedule yet."""
        self.limit: int | None = None
        """The sweep to stop at, before the schedule ends."""
        self.kept: str | None = None
        """The file that it has on the shelf."""

    def note(self, run: Run, seconds: float) -> None:
        """Take what a block gave, and how long it took."""
        sweeps = run.sweep - (0 if self.run is None else self.run.sweep)
        speed = sweeps * run.num_chains * self.corpus.num_tokens / max(seconds, 1e-9)
        first = self.run is None  # spent on compiling, mostly
        if not first:
            known = self.tokens_per_second or speed
            self.tokens_per_second = (1 - SMOOTHING) * known + SMOOTHING * speed
        self.run, self.seconds = run, self.seconds + seconds

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the present speed; ``None`` while that is not known."""
        if self.run is None or not self.tokens_per_second:
            return None
        sweeps = self.run.schedule.total + self.more - self.run.sweep
        return max(sweeps, 0) * self.run.num_chains * self.corpus.num_tokens / self.tokens_per_second


def memory_needed(corpus: Corpus, num_topics: int, num_chains: int, kernel: str = "cgs") -> int:
    """Bytes that a run takes: tokens, counts of all chains (the state's, means of hard and of soft ones), and for CVB0
    a probability of each topic for each word of each document.
    """
    counts = 3 * 4 * num_chains * num_topics * sum(corpus.counts.shape)
    tokens = corpus.num_tokens * (TOKEN + num_chains * TOKEN_OF_A_CHAIN)
    pairs = corpus.counts.nnz if kernel.startswith("cvb0") else 0
    return int(counts + tokens + PROBABILITY * num_chains * num_topics * pairs)


class Full(Exception):
    """The server has no room for more; the message says what to do."""


class Jobs:
    """The queue, and the workers that serve it."""

    def __init__(self, workers: int = 1, turn: float = TURN, memory: int = MEMORY // 2, queue: int = QUEUE):
        if workers < 1:
            raise ValueError(f"workers must be at least 1; got {workers}")
        self.workers, self.turn = workers, turn
        self.memory, self.queue = memory, queue
        self._reserved: dict[Hashable, int] = {}
        self._waiting: OrderedDict[Hashable, deque[Job]] = OrderedDict()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._active: set[Job] = set()
        self._closed = False
        self._way: tuple[float, Hashable] = (0.0, None)
        self.shelf: Shelf | None = None
        """Where finished runs are kept."""

    def reserve(self, owner: Hashable, size: int) -> None:
        """Set memory aside for a session, instead of what it had; refused where all sessions together have too much."""
        with self._changed:
            others = sum(self._reserved.values()) - self._reserved.get(owner, 0)
            if size > self.memory:
                raise Full(
                    f"This would take about {size / 2**30:,.1f} GB of memory, and this server gives "
                    f"{self.memory / 2**30:,.1f} GB to all runs: choose fewer topics, fewer chains or fewer documents."
                )
            if others + size > self.memory:
                raise Full(
                    f"This would take about {size / 2**30:,.1f} GB of memory, and other people's runs leave "
                    f"{(self.memory - others) / 2**30:,.1f} GB: choose fewer topics or chains, or try again later."
                )
            self._reserved[owner] = size

    @property
    def reserved(self) -> int:
        """Bytes that are set aside for all sessions."""
        with self._changed:
            return sum(self._reserved.values())

    @property
    def numbers(self) -> tuple[int, int]:
        """How many jobs sample, and how many wait."""
        with self._changed:
            return len(self._active), sum(map(len, self._waiting.values()))

    def submit(self, job: Job) -> None:
        """Put a job at the end of the queue of its session; refused where the queue is full."""
        with self._changed:
            if self._closed:
                raise RuntimeError("the server is shutting down")
            if sum(map(len, self._waiting.values())) >= self.queue:
                raise Full(f"{self.queue} runs wait already: try again in a few minutes.")
            job.status, job.wanted = "queued", "running"
            self._enqueue(job)
            if len(self._threads) < self.workers:
                thread = threading.Thread(target=self._work, name="jaxlda-worker", daemon=True)
                self._threads.append(thread)
                thread.start()
        job.tell(job)

    def pause(self, job: Job) -> None:
        """Let a job give up its worker after the present block; :meth:`resume` puts it back into the queue."""
        self._want(job, "paused")

    def stop(self, job: Job) -> None:
        """End a job after the present block. What it has sampled stays."""
        self._want(job, "stopped")

    def resume(self, job: Job, more_sweeps: int = 0, limit: int | None = None) -> None:
        """Let a job go on: one that was paused, stopped or is finished, or with more sweeps one that is running.

        With a limit it stops after the block that reaches this sweep.
        """
        with self._changed:
            job.more += more_sweeps
            job.limit = limit
            idle = job.status in ("paused", "stopped", "finished") and job not in self._active
            if not idle:
                job.wanted = "running"  # it had not noticed yet
        if idle:
            self.submit(job)

    def give_way(self, owner: Hashable) -> None:
        """Leave the cores to the pages for a moment: somebody has done something, and waits for what comes of it."""
        self._way = (time.monotonic() + MOMENT, owner)

    @property
    def gives_way(self) -> bool:
        """Whether somebody has done something on a page just now."""
        return time.monotonic() < self._way[0]

    def drop(self, job: Job) -> None:
        """End a job, and tell nothing more of it."""
        with self._changed:
            job.tell = lambda job: None
        self.stop(job)

    def forget(self, owner: Hashable) -> None:
        """Drop all jobs of a session, tell it nothing more, and set nothing aside for it."""
        with self._changed:
            jobs = [*self._waiting.pop(owner, ()), *(job for job in self._active if job.owner == owner)]
            for job in jobs:
                job.tell = lambda job: None
                job.wanted = "stopped"
                if job not in self._active:
                    job.status = "stopped"
            self._reserved.pop(owner, None)

    def before(self, job: Job) -> int:
        """How many jobs of other sessions sample now, or will before this one gets a turn; 0 if it samples."""
        with self._changed:
            if job in self._active:
                return 0
            owners = list(self._waiting)
            place = owners.index(job.owner) if job.owner in owners else 0
            return place + sum(one.owner != job.owner for one in self._active)

    @property
    def busy(self) -> bool:
        """Whether anybody samples, or waits."""
        with self._changed:
            return bool(self._active or self._waiting)

    def close(self, timeout: float = 10.0) -> None:
        """End all jobs and workers."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for job in self._active:
                job.wanted = "stopped"
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout)

    # -------------------------------------------------------------------------------------------------------------

    def _want(self, job: Job, wanted: str) -> None:
        with self._changed:
            if job.status not in ("queued", "running", "paused"):
                return
            job.wanted = wanted
            if job not in self._active:
                waiting = self._waiting.get(job.owner, deque())
                with suppress(ValueError):
                    waiting.remove(job)
                if not waiting:
                    self._waiting.pop(job.owner, None)
                job.status = wanted
        job.tell(job)

    def _enqueue(self, job: Job) -> None:
        self._waiting.setdefault(job.owner, deque()).append(job)
        self._changed.notify()

    def _next(self) -> Job:
        """The first job of the session whose turn it is; its other jobs wait until all other sessions had theirs."""
        owner, waiting = self._waiting.popitem(last=False)
        job = waiting.popleft()
        if waiting:
            self._waiting[owner] = waiting
        return job

    def _work(self) -> None:
        while True:
            with self._changed:
                while not (self._waiting or self._closed):
                    self._changed.wait()
                if self._closed:
                    return
                job = self._next()
                self._active.add(job)
                job.status = "running"
            job.tell(job)
            self._take_turn(job)
            job.tell(job)
            if self.shelf is not None and job.status == "finished":
                self._keep(job, self.shelf)
            del job  # which would be kept, with everything it has sampled, until the next one comes

    def _keep(self, job: Job, shelf: Shelf) -> None:
        """Put a run on the shelf; one that went on takes the place of what it was."""
        name = getattr(job.owner, "corpus_name", None)
        if name is None:
            return  # nobody's
        try:
            job.kept = shelf.put(name, job.model, job.kept)
        except (OSError, ValueError):  # no room on the disk, say: the run is still there to be exported
            logging.getLogger(__name__).exception("A run could not be kept in %s", shelf.folder)

    def _let_pass(self, job: Job, block: float) -> float:
        """Wait while people do something on pages, but not for ever, nor when the job is to end; seconds waited."""
        began = time.monotonic()
        longest = LONGEST if job.owner == self._way[1] else min(block, LONGEST)
        while self.gives_way and time.monotonic() - began < longest and job.wanted == "running" and not self._closed:
            time.sleep(0.02)
        return time.monotonic() - began

    def _take_turn(self, job: Job) -> None:
        began = mark = time.monotonic()
        turn = 0.0 if job.run is None else self.turn  # everybody sees something soon

        def after(run: Run) -> bool:
            nonlocal began, mark
            now = time.monotonic()
            block = now - mark
            job.note(run, block)
            job.tell(job)
            with self._changed:
                if job.limit is not None and run.sweep >= job.limit:
                    job.wanted = "stopped"
                others = bool(self._waiting) and now - began >= turn
                if others or job.wanted != "running":
                    return True
            if not run.finished:
                began += self._let_pass(job, block)
            mark = time.monotonic()
            return job.wanted != "running"

        try:
            if job.run is None:
                job.model.fit(job.corpus, on_block=after)
            else:
                with self._changed:
                    more, job.more = job.more, 0
                job.model.resume(more, on_block=after)
        except Exception as error:
            job.error = error
        with self._changed:
            self._active.discard(job)
            unfinished = job.run is None or not job.run.finished or job.more > 0
            if job.error is not None:
                job.status = "failed"
            elif not unfinished:
                job.status = "finished"
            elif job.wanted == "stopped" or self._closed:
                job.status = "stopped"
            elif job.wanted == "paused":
                job.status = "paused"
            else:
                self._enqueue(job)  # it gave up its turn, or was asked for more; to its user, it is running
