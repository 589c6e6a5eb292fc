"""The dashboard in a real browser: one server for all tests, a fresh page for each that does more than look.

A page fails its test if the browser's console has an error, anything is asked of another host than this one, or the
server logs an error, such as a click that it could not answer.
"""

import logging
import os
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlparse

import pytest

if not os.environ.get("CI"):  # where nothing may be missing
    pytest.importorskip("playwright.sync_api", reason="the tests of the dashboard need it (extra dev)")

import playwright.sync_api as playwright
from tornado.websocket import WebSocketClosedError

from tests.ui.steps import opened

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SLOW = 180_000  # milliseconds: compiling, on a busy machine
LOGGERS = ("panel", "bokeh", "tornado", "asyncio", "jaxlda_app")
# Errors of parts of the page that have been made and are not drawn yet. Both come from callbacks of the browser, not
# from messages of the server (of those, jaxlda_app.steady sees that nothing is lost).
BUILDING = (
    # Panel scrolls a table to where it was before its rows changed: one that is not drawn yet has not been scrolled.
    "(reading 'rowManager')",
    # BokehJS measures what has changed its size while a figure in it is not drawn yet; it does so again when it is.
    "(reading 'top_panel')",
)
UNUSED = 20_000  # milliseconds: a closed page goes on sampling for so long
playwright.expect.set_options(timeout=SLOW)


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/ui/" in item.nodeid.replace(os.sep, "/"):
            item.add_marker(pytest.mark.ui)


@pytest.fixture(scope="session")
def browser() -> Iterator["playwright.Browser"]:
    path = os.environ.get("JAXLDA_CHROMIUM") or shutil.which("chromium")
    if path is None:
        message = "there is no browser: install Chromium (apt-get install chromium), or set JAXLDA_CHROMIUM to it"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """A dashboard with a short finished run, and its address. It gives up on closed pages soon, and long runs leave
    the processor to browsers now and then."""
    from jaxlda_app import first, jobs, main

    note = jobs.Job.note

    def take_breaks(job: jobs.Job, run: Any, seconds: float) -> None:
        note(job, run, seconds)
        if run.schedule.total > 10_000:  # it only has to go on
            time.sleep(0.3)

    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "UNUSED", UNUSED)
        patch.setattr(jobs.Job, "note", take_breaks)
        patch.setattr(first, "SETTINGS", first.SETTINGS | {"num_warmup": 15, "num_samples": 5, "thinning": 2})
        patch.setattr(first, "cache_folder", lambda: folder / "programs" / "processor")
        running = main.serve(port=0, show=False, threaded=True)
        try:
            answers(f"{running.address}/health")
            end = time.monotonic() + 120
            while not list(folder.glob("runs/*.jaxlda")):
                assert time.monotonic() < end, "there is no first run"
                time.sleep(0.1)
            yield running.url, running
        finally:
            running.stop()


def answers(address: str) -> None:
    """Wait until there is a server."""
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(address, timeout=30).close()
            return
        except OSError:
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)


@pytest.fixture(scope="session")
def server(running: tuple[str, Any]) -> str:
    """The address of the dashboard, with its token."""
    return running[0]


class Complaints(logging.Handler):
    """What the server complains about, as text."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and isinstance(record.exc_info[1], WebSocketClosedError):
            return  # the page was closed, and is no longer told what is new
        self.texts.append(f"server: {self.format(record)}")


@pytest.fixture(scope="session")
def complaints() -> Iterator[list[str]]:
    """Errors that the server logs. It tells of every request and every tick besides, in which nobody finds anything."""
    handler = Complaints()
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
        logging.getLogger(name).addHandler(handler)
    yield handler.texts
    for name in LOGGERS:
        logging.getLogger(name).removeHandler(handler)


@contextmanager
def pages(browser: "playwright.Browser", complaints: list[str]) -> Iterator[Callable[..., "playwright.Page"]]:
    """Make pages, and look at the end whether anything went wrong in them."""
    contexts, wrong = [], []

    def watch(page: "playwright.Page") -> None:
        def requested(request: "playwright.Request") -> None:
            url = urlparse(request.url)
            if url.scheme not in ("data", "blob") and url.hostname not in ("localhost", "127.0.0.1"):
                wrong.append(f"a request left this computer: {request.url}")

        page.on("request", requested)

        def failed(error: "playwright.Error") -> None:
            if not error.message.endswith(BUILDING):
                wrong.append(f"error in the page: {error.stack}")

        page.on("pageerror", failed)
        page.on("console", lambda line: wrong.append(f"console: {line.text}") if line.type == "error" else None)
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def make(**options) -> "playwright.Page":
        context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SLOW)
        watch(page)
        return page

    yield make
    for context in contexts:
        context.close()
    wrong += complaints
    complaints.clear()
    assert not wrong, "\n".join(wrong)


@pytest.fixture
def new_page(browser: "playwright.Browser", complaints: list[str]) -> Iterator[Callable[..., "playwright.Page"]]:
    """Make pages that are watched; they are closed after the test."""
    with pages(browser, complaints) as make:
        yield make


@pytest.fixture
def page(server: str, new_page: Callable[..., "playwright.Page"]) -> "playwright.Page":
    """The dashboard, opened."""
    return opened(new_page(), server)


@pytest.fixture(scope="module")
def shared(browser: "playwright.Browser", complaints: list[str]) -> Iterator[Callable[[bool], "playwright.Page"]]:
    """Gives the page that the tests of a module share, or a new one for all that follow."""
    with pages(browser, complaints) as make:
        kept: list[playwright.Page] = []

        def page(anew: bool) -> "playwright.Page":
            if anew or not kept:
                kept[:] = [make()]
            return kept[0]

        yield page


@pytest.fixture
def resting(
    server: str, shared: Callable[[bool], "playwright.Page"], request: pytest.FixtureRequest
) -> "playwright.Page":
    """One page for all tests of a module that only look at it: the run that everybody sees first.

    A test that is tried again gets a new one: what went wrong with the page would go wrong once more.
    """
    page = shared(getattr(request.node, "execution_count", 1) > 1)
    return page if page.url.startswith(server.split("?")[0]) else opened(page, server)


DATA = """name => {
  const unseen = view => view != null && (view.away || unseen(view.parent));
  for (const view of Bokeh.index.query(view => view.model.name === name && view.model.data_source)) {
    if (unseen(view.plot_view)) continue;  // of a view that is not open
    const data = view.model.data_source.data;
    const entries = data instanceof Map ? [...data.entries()] : Object.entries(data);
    return Object.fromEntries(entries.map(([key, values]) => [key, Array.from(values, value =>
      value !== null && typeof value === "object" ? Array.from(value) : value)]));
  }
  return null;
}"""


@pytest.fixture
def data_of() -> Callable[["playwright.Page", str], dict | None]:
    """The columns that a renderer of this name draws, as the browser has them; None if it is not on the page."""
    return lambda page, name: page.evaluate(DATA, name)
