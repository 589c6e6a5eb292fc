"""Several numbers of topics, one after the other, in a thread of its own: which to take."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import jaxlda
from jaxlda import Corpus
from jaxlda.models.choice import Choice
from jaxlda_app.jobs import Jobs, memory_needed

__all__ = ["MOST", "Sweep", "numbers"]

MOST, LARGEST = 8, 1000  # numbers of topics, and how large they may be
# Short: a number of topics is judged against others that were fitted alike.
FIT: dict[str, Any] = {"num_warmup": 100, "num_samples": 5, "thinning": 5, "num_chains": 2}
INFERENCE = {"num_warmup": 20, "num_samples": 10, "thinning": 2, "num_chains": 2}
_ONE = threading.Semaphore(1)  # of all sessions: chains need the cores


def numbers(text: str) -> list[int]:
    """The numbers of topics in a text, increasing; an error says what is wrong.

    >>> numbers("5, 20 10")
    [5, 10, 20]
    """
    words = text.replace(",", " ").replace(";", " ").split()
    if not words or not all(word.isdecimal() and 0 < int(word) <= LARGEST for word in words):
        raise ValueError(f"Give numbers of topics from 1 to {LARGEST:,}, such as 5, 10, 20.")
    found = sorted({int(word) for word in words})
    if len(found) > MOST:
        raise ValueError(f"Give at most {MOST} numbers of topics at a time.")
    return found


class Sweep:
    """A comparison of numbers of topics that can be stopped after each.

    Parameters
    ----------
    jobs
        Who keeps account of the memory.
    corpus, ks, options
        Of ``jaxlda.choose_k``.
    tell
        Called by the thread after each number: what is known, what comes next (``None`` at the end), and what went
        wrong.
    """

    def __init__(
        self,
        jobs: Jobs,
        corpus: Corpus,
        ks: Sequence[int],
        tell: Callable[[Choice | None, int | None, str], None],
        **options: Any,
    ) -> None:
        jobs.reserve(self, memory_needed(corpus, max(ks), FIT["num_chains"], str(options.get("kernel", "cgs"))))
        self.jobs, self.corpus, self.ks, self.tell, self.options = jobs, corpus, list(ks), tell, options
        self.ended = threading.Event()
        threading.Thread(target=self._run, name="jaxlda-sweep", daemon=True).start()

    def stop(self) -> None:
        """End it after the present number."""
        self.ended.set()

    def _run(self) -> None:
        scores: dict[int, Any] = {}
        quality: dict[int, Any] = {}
        found: Choice | None = None
        try:
            for K in self.ks:
                while not _ONE.acquire(timeout=0.2):
                    if self.ended.is_set():
                        return
                try:
                    if self.ended.is_set():
                        return
                    self.tell(found, K, "")
                    one = jaxlda.choose_k(self.corpus, [K], inference=INFERENCE, progress=False, **(FIT | self.options))
                finally:
                    _ONE.release()
                scores, quality = scores | dict(one.scores), quality | dict(one.quality)
                found = Choice(scores, quality)
            self.tell(found, None, "")
        except Exception as error:
            self.tell(found, None, str(error) or type(error).__name__)
        finally:
            self.ended.set()
            self.jobs.forget(self)
