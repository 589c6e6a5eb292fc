"""Questions of a session: computed in the background, answered by the page."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

__all__ = ["Asking"]

T = TypeVar("T")

# Questions of all sessions that are computed at the same time: sampling needs the cores too.
_AT_ONCE = threading.Semaphore(2)


class _Question(NamedTuple):
    question: Callable[..., Any]
    then: Callable[[Any], None]
    otherwise: Callable[[], None]
    snapshot: Any
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


class Asking:
    """What a session asks of its snapshot, one question at a time."""

    snapshot: Any
    message: Any

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.post: Callable[[Callable[[], None]], None] = lambda action: action()
        """How to have something done by the thread of the page; at once, where there is no page."""
        self._lock = threading.Lock()
        self._questions: dict[str, _Question] = {}
        self._answered: dict[str, _Answered] = {}
        self._computing: _Question | None = None
        self._number = 0
        self._afterwards: list[tuple[int, Callable[[], None]]] = []
        self._scheduled = 0
        self._turn = 0
        self._closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jaxlda-questions")

    def _stop_asking(self) -> None:
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._questions.clear()
            self._afterwards.clear()

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
