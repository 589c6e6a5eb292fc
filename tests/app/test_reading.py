"""Uploads are read by a process that has bounds, and ends with its tab."""

import gzip
import os
import threading
import time

import pytest

from jaxlda_app.reading import Readings, Request
from tests.app.test_sources import GOOD

HUGE = {"bomb.txt.gz": gzip.compress(b"cat dog " * (1 << 24))}  # 134 MB of text


class Told:
    """What became of a reading."""

    def __init__(self):
        self.done, self.result, self.words = threading.Event(), None, None

    def then(self, result):
        self.result = result
        self.done.set()

    def otherwise(self, words):
        self.words = words
        self.done.set()


@pytest.fixture
def told():
    return Told()


def start(readings, told, files, owner="a", **options):
    readings.start(owner, Request("read", files, options), told.then, told.otherwise)


def test_files_come_back_as_corpora(told):
    readings = Readings()
    start(readings, told, GOOD["csv"], labels="label")
    assert told.done.wait(60) and told.result.corpus.num_docs == 2 and told.result.corpus.labels is not None
    assert readings.number == 0


def test_errors_come_back_in_words(told):
    start(Readings(), told, {"a.pdf": b"%PDF-1.7"})
    assert told.done.wait(60) and "a.pdf: is a PDF" in told.words


def test_a_file_that_takes_too_long(told, until):
    readings = Readings(seconds=0.2)
    start(readings, told, GOOD["text"])
    assert told.done.wait(60) and "longer than" in told.words
    assert readings.number == 0


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no bound of memory here")
def test_a_file_that_takes_too_much_memory(told):
    start(Readings(memory=64 << 20), told, HUGE)
    assert told.done.wait(60) and "more memory than this server gives" in told.words


def test_a_reading_ends_with_its_tab_and_leaves_its_slot(told, until):
    readings = Readings(at_once=1)
    start(readings, told, HUGE, owner="bomb")
    with readings._lock:
        first = readings._of["bomb"]
    until(lambda: first.process is not None)
    second = Told()
    start(readings, second, GOOD["text"], owner="other")
    began = time.monotonic()
    readings.forget("bomb")
    assert second.done.wait(60) and second.result.corpus.num_docs == 2
    assert first.process.wait(10) != 0 and time.monotonic() - began < 30
    assert told.result is told.words is None, "whoever is gone is told nothing"


@pytest.mark.slow
def test_all_end_with_the_server(told, until):
    readings = Readings(at_once=1)
    start(readings, told, HUGE, owner="a")
    start(readings, told, HUGE, owner="b")
    with readings._lock:
        first = readings._of["a"]
    until(lambda: first.process is not None)
    readings.close()
    assert first.process.wait(10) != 0 and readings.number == 0
