"""How soon the dashboard answers a click while chains sample: ``python -m benchmarks.dashboard``.

A server of its own process, a headless Chromium, four chains on Reuters that do not end. A click is answered when the
browser has what the server made of it: the page turned dark, or another view. Needs the extra dev, and Chromium.
"""

import argparse
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
from typing import Any

import numpy as np

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SLOW = 120_000  # milliseconds
TOGGLE = """async dark => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const button = all(document).find(e => e.tagName === "BUTTON" && e.innerText === "Dark");
  const began = performance.now();
  button.click();
  while (document.querySelector(".page").classList.contains("dark") !== dark)
    await new Promise(requestAnimationFrame);
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
            for _ in range(600):
                try:
                    urllib.request.urlopen(address, timeout=30).close()
                    break
                except OSError:
                    time.sleep(0.2)
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
    """A page of the dashboard that samples."""
    page = started.new_page(**({"viewport": {"width": 1280, "height": 800}} | options))
    page.set_default_timeout(SLOW)
    page.goto(address)
    page.get_by_text(re.compile("Sweep [0-9]")).wait_for()
    return page


def quantiles(times: list[float]) -> str:
    """Median and 95th percentile in words."""
    return f"median {np.median(times):.0f} ms, 95th percentile {np.percentile(times, 95):.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=100)
    options = parser.parse_args()
    began = time.perf_counter()
    with served() as address, browser() as started:
        page = opened(started, address)
        print(f"sampling {time.perf_counter() - began:.1f} s after the command")
        page.get_by_label("Draws kept", exact=True).fill("100000")
        page.get_by_label("Draws kept", exact=True).press("Tab")
        page.get_by_role("button", name="Start", exact=True).click()
        page.get_by_role("button", name="Discard it and start", exact=True).click()
        page.get_by_text("Sampling. Sweep").wait_for()
        times = [page.evaluate(TOGGLE, i % 2 == 0) for i in range(options.clicks)]
        print(f"a click while 4 chains sample: {quantiles(times)}")
        print(page.locator(".speed div").first.inner_text())


if __name__ == "__main__":
    main()
