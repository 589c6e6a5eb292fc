"""How soon the dashboard is there, and how soon it answers while chains sample: ``python -m benchmarks.dashboard``.

A server of its own process, a headless Chromium. First the server alone, then a page with the run that everybody
sees first (which the first start of all makes, and keeps in the cache), then every view while four chains sample
without an end, then clicks. A click is answered when the browser has what the server made of it. Needs the extra dev,
and Chromium.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SLOW = 120_000  # milliseconds
VIEWS = ("Learn", "Data", "Fit", "Topics", "Documents", "Compare", "Convergence", "Estimates", "Labels", "Export")
PRESS = """async slow => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const button = all(document).find(e => e.tagName === "BUTTON" && e.innerText === (slow ? "Careful" : "Quick look"));
  const box = all(document).find(e => e.tagName === "INPUT" && e.value === (slow ? "50" : "1000"));
  const began = performance.now();
  button.click();
  while (box.value !== (slow ? "1000" : "50")) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


@contextmanager
def served(*options: str) -> Iterator[str]:
    """The address of a dashboard in a process of its own."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jaxlda", "dashboard", "--no-browser", "--no-token", "--port", str(port)]
    command += options
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            address = f"http://localhost:{port}"
            for _ in range(1200):
                try:
                    urllib.request.urlopen(f"{address}/health", timeout=30).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield address
        finally:
            server.terminate()


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


def opened(started: Any, address: str, **options: Any) -> Any:
    """A page of the dashboard that shows the words of topics."""
    page = started.new_page(**({"viewport": {"width": 1280, "height": 800}} | options))
    page.set_default_timeout(SLOW)
    page.goto(address)
    page.locator(".heading").get_by_text("Words of").wait_for()
    return page


def open_view(page: Any, name: str) -> float:
    """Open a view; seconds until it is there."""
    entry = page.get_by_role("button", name=name, exact=True)
    if not entry.is_visible():
        page.get_by_label("Open drawer").click()
    began = time.perf_counter()
    entry.click()
    page.locator(f".content.{name.lower()}").wait_for()
    return time.perf_counter() - began


def unfolded(page: Any) -> None:
    """The Fit view with all settings."""
    open_view(page, "Fit")
    if not page.get_by_label("Chains", exact=True).is_visible():
        page.locator(".all-settings").get_by_role("button", name="show more").click()
        page.get_by_label("Chains", exact=True).wait_for()


def quantiles(times: list[float]) -> str:
    """Median and 95th percentile in words."""
    return f"median {np.median(times):.0f} ms, 95th percentile {np.percentile(times, 95):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="how often all views are opened")
    options = parser.parse_args()
    began = time.perf_counter()
    with served() as address, browser() as started:
        print(f"server up: {time.perf_counter() - began:.1f} s after the command")
        opened(started, address).close()  # the first start of all samples the run; the first page of a server compiles
        for _ in range(3):
            began = time.perf_counter()
            page = opened(started, address)
            print(f"page to topic words: {time.perf_counter() - began:.1f} s")
        unfolded(page)
        for label, value in (("Draws kept", "100000"),):
            page.get_by_label(label, exact=True).fill(value)
            page.get_by_label(label, exact=True).press("Tab")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_text("Sampling. Sweep").wait_for()
        times = [1000 * open_view(page, name) for _ in range(options.rounds) for name in VIEWS]
        print(f"a view opened while 4 chains sample: {quantiles(times)}")
        unfolded(page)
        page.get_by_role("button", name="Careful", exact=True).click()
        page.wait_for_timeout(1000)
        clicks = [page.evaluate(PRESS, i % 2 == 1) for i in range(options.clicks)]
        print(f"a click while 4 chains sample: {quantiles(clicks)}")
        print(page.locator(".speed div").first.inner_text())


if __name__ == "__main__":
    main()
