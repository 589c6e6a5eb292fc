"""The dashboard in a real browser: one server for all tests, a fresh page for each.

A page fails its test if the browser's console has an error or anything is asked of another host than this one.
"""

import os
import shutil
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlparse

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="the tests of the dashboard need playwright")
pn = pytest.importorskip("panel", reason="the dashboard needs the extra app")

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
SLOW = 120_000  # milliseconds: compiling, on a busy machine
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
def running() -> Iterator[tuple[str, Any]]:
    """A dashboard that samples the bundled corpus, and its address. It gives up on closed pages soon."""
    from jaxlda_app import main

    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "UNUSED", 4000)
        running = main.serve(port=port, show=False, threaded=True)
    address = f"http://localhost:{port}"
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(address, timeout=30).close()
            break
        except OSError:
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.1)
    try:
        yield address, running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def server(running: tuple[str, Any]) -> str:
    """The address of the dashboard."""
    return running[0]


@pytest.fixture
def new_page(browser: "playwright.Browser") -> Iterator[Callable[..., "playwright.Page"]]:
    """Make pages, and look at the end whether anything went wrong in them."""
    contexts, wrong = [], []

    def watch(page: "playwright.Page") -> None:
        def requested(request: "playwright.Request") -> None:
            url = urlparse(request.url)
            if url.scheme not in ("data", "blob") and url.hostname not in ("localhost", "127.0.0.1"):
                wrong.append(f"a request left this computer: {request.url}")

        page.on("request", requested)
        page.on("pageerror", lambda error: wrong.append(f"error in the page: {error}"))
        page.on("console", lambda line: wrong.append(f"console: {line.text}") if line.type == "error" else None)

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
    assert not wrong, "\n".join(wrong)


@pytest.fixture
def page(server: str, new_page: Callable[..., "playwright.Page"]) -> "playwright.Page":
    """The dashboard, opened."""
    page = new_page()
    page.goto(server)
    page.get_by_role("button", name="Start").wait_for()
    return page


DATA = """name => {
  for (const document of Bokeh.documents)
    for (const model of document._all_models.values())
      if (model.name === name && model.data_source) {
        const data = model.data_source.data;
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
