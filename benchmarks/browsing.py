"""A dashboard in a process of its own, and a headless Chromium that looks at it. Needs the extra dev, and Chromium."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["VIEWS", "Server", "browser", "open_view", "opened", "served", "settled", "unfolded"]

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SLOW = 300_000  # milliseconds
FIGURE = ".chart canvas"
MAIN = {
    "Learn": ".learn-words h2",
    "Data": ".corpus-preview td",
    "Fit": ".start",
    "Topics": ".topic-list .tabulator-row",
    "Documents": ".document-text span",
    "Compare": FIGURE,
    "Convergence": FIGURE,
    "Estimates": FIGURE,
    "Labels": ".labels-words",
    "Export": ".export-file",
}
"""What people come to a view for: it is there when they see the first of these, with data."""
VIEWS = tuple(MAIN)


class Server(NamedTuple):
    """Where a dashboard is, and which process."""

    address: str
    process: int

    @property
    def memory(self) -> float:
        """Megabytes that the process has in memory."""
        told = Path(f"/proc/{self.process}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", told)
        assert found is not None
        return int(found[1]) / 1024

    @property
    def sessions(self) -> int:
        """How many people are here, as the page of the status says."""
        with urllib.request.urlopen(f"{self.address}/status", timeout=30) as answer:
            found = re.search(r"Sessions</th><td>(\d+)", answer.read().decode())
        assert found is not None
        return int(found[1])


@contextmanager
def served(*options: str) -> Iterator[Server]:
    """A dashboard; ready when it answers."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jaxlda", "dashboard", "--no-browser", "--no-token", "--port", str(port)]
    with subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL) as process:
        try:
            address = f"http://localhost:{port}"
            for _ in range(2400):
                try:
                    urllib.request.urlopen(f"{address}/health", timeout=30).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield Server(address, process.pid)
        finally:
            process.terminate()


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("JAXLDA_CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise SystemExit("there is no browser: install Chromium, or set JAXLDA_CHROMIUM to it")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


def opened(started: Any, server: Server, **options: Any) -> Any:
    """A page of the dashboard that shows the words of topics."""
    page = started.new_page(**({"viewport": {"width": 1280, "height": 800}} | options))
    page.set_default_timeout(SLOW)
    page.goto(server.address)
    page.locator(".heading").get_by_text("Words of").wait_for()
    return page


def open_view(page: Any, name: str) -> float:
    """Open a view; seconds until its main content is seen."""
    entry = page.get_by_role("button", name=name, exact=True)
    drawer = page.get_by_label("Open drawer")
    entry.or_(drawer).filter(visible=True).first.wait_for()  # the menu may come later than the rest
    if not entry.is_visible():
        drawer.click()
    began = time.perf_counter()
    entry.click()
    page.locator(f".in-{name.lower()} {MAIN[name]}").first.wait_for()
    return time.perf_counter() - began


def unfolded(page: Any) -> None:
    """The Fit view with all settings."""
    open_view(page, "Fit")
    arrow = page.locator(".all-settings").get_by_role("button", name="show more")
    if arrow.get_attribute("aria-expanded") == "false":  # the boxes may not be there yet, and a click would fold them
        arrow.click()
    page.get_by_label("Chains", exact=True).wait_for()


def settled(page: Any, seconds: float) -> None:
    """Wait until the page has nothing more to compute for some seconds."""
    quiet = 0.0
    while quiet < seconds:  # it tells only now and then that it computes
        page.wait_for_timeout(200)
        quiet = 0.0 if "computing" in page.locator(".brief div").first.inner_text() else quiet + 0.2
