"""What everybody sees first: a finished run of the bundled corpus, made once for each version and kept in the cache.

A file of the library's own format, read by its own reader, in the folder of the user's cache. Its name tells the
version, the documents and the settings: another version makes another, and removes this one. It is written beside its
place and moved there as a whole, so that several servers may start at once.
"""

import copy
import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jaxlda
from jaxlda.startup import cache_folder
from jaxlda_app import sources
from jaxlda_app.jobs import Job, Jobs
from jaxlda_app.runs import Kept

__all__ = ["FirstRun"]

NAME = "reuters"
HELD = 0.1  # share of the documents, as sessions hold out
SETTINGS: dict[str, Any] = {
    "num_topics": 20, "num_chains": 4, "num_warmup": 200, "num_samples": 30, "thinning": 5, "seed": 0, "kernel": "cgs",
    "alpha": 0.1, "beta": 0.01, "trace_every": 5, "gap_every": 5, "progress": False,
}  # fmt: skip
"""Those of a new session: what is shown is what Start would sample."""
LARGEST = 200 << 20  # bytes of a file that is read
OWNER = "the first screen"


class FirstRun:
    """The run, as soon as there is one.

    Parameters
    ----------
    jobs
        Who samples it, if it is not there.
    folder
        Where it is kept; the user's cache if not given, and nowhere where that is not to be used.
    """

    def __init__(self, jobs: Jobs, folder: Path | None = None) -> None:
        programs = cache_folder()
        self.jobs = jobs
        self.folder = folder or (None if programs is None else programs.parents[1] / "runs")
        self._model: Any = None
        self._lock = threading.Lock()
        self._done = threading.Event()

    def documents(self) -> sources.Input:
        """The documents alone."""
        return sources.bundled_source(NAME)

    @property
    def path(self) -> Path | None:
        """The file."""
        if self.folder is None:
            return None
        about = json.dumps([jaxlda.__version__, NAME, HELD, SETTINGS], sort_keys=True)
        return self.folder / f"{NAME}-{hashlib.sha256(about.encode()).hexdigest()[:16]}.jaxlda"

    def prepare(self) -> None:
        """Read the file, or make it, in the background."""
        threading.Thread(target=self._prepare, name="first-run", daemon=True).start()

    def finished(self, wait: float = 60.0) -> Kept | None:
        """The run for one session, which may sample it further; ``None`` if there is none within so many seconds."""
        self._done.wait(wait)
        with self._lock:
            model = self._model
        if model is None:
            return None
        corpus = self.documents()
        train, held = corpus.corpus.split(HELD, SETTINGS["seed"])
        job = Job(OWNER, copy.copy(model), train)
        job.status = "finished"
        return Kept(
            f"{NAME}, K {SETTINGS['num_topics']} (example)", corpus.corpus, NAME, job, held=held, loading=corpus.code
        )

    def _prepare(self) -> None:
        try:
            model = self._read()
            if model is None:
                self._done.set()  # nobody waits for it: sessions sample by themselves
                self._make()
                return
            with self._lock:
                self._model = model
        except Exception as error:  # the page works without it
            logging.getLogger(__name__).warning("There is no run to begin with: %s", error)
        finally:
            self._done.set()

    def _read(self) -> Any:
        """The model in the file; ``None`` if there is none, or it is damaged."""
        path = self.path
        try:
            if path is None or path.stat().st_size > LARGEST:
                return None
            model = jaxlda.load(path)
            train = self.documents().corpus.split(HELD, SETTINGS["seed"])[0]
            if not isinstance(model, jaxlda.LDA) or model.run_.data.tokens.n_d.shape[0] != train.num_docs:
                return None
            return model.set_params(progress=False)
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def _make(self) -> None:
        """Have it sampled, in turns with what sessions sample, and keep it."""
        train = self.documents().corpus.split(HELD, SETTINGS["seed"])[0]
        ended = threading.Event()

        def tell(job: Job) -> None:
            if job.status in ("finished", "failed", "stopped"):
                ended.set()

        job = Job(OWNER, jaxlda.LDA(**SETTINGS), train, tell)
        self.jobs.submit(job)
        ended.wait()
        if job.status == "finished":
            with self._lock:
                self._model = job.model
            self._write(lambda path: job.model.save(path))

    def _write(self, save: Callable[[Path], None]) -> None:
        path = self.path
        if path is None:
            return
        beside = path.with_name(f"{path.stem}.{os.getpid()}.part.jaxlda")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            save(beside)
            os.replace(beside, path)
            for other in path.parent.glob(f"{NAME}-*.jaxlda"):
                if other != path and ".part." not in other.name:
                    other.unlink(missing_ok=True)  # of another version
        except OSError as error:  # a full disk, or a home that cannot be written
            logging.getLogger(__name__).warning("The first run could not be kept: %s", error)
        finally:
            beside.unlink(missing_ok=True)
