"""How soon the dashboard is there, and how soon it answers: ``python -m benchmarks.dashboard``.

A server of its own process, a headless Chromium. First the server alone, then a page with the run that everybody
sees first (which the first start of all makes, and keeps in the cache), then every view while four chains sample
without an end, then clicks. A click is answered when the browser has what the server made of it. Views are built while
nobody does anything; they are opened at once, by somebody who does not even look at them, and on a second page once
they stand ready. A view is open when it is seen, with what it showed before; what is new comes a moment later.
``--large`` opens the views of a run of 500 topics and 50,000 documents, ``--sessions 30`` opens and closes as many
pages and waits until the server has given their sessions up. Needs the extra dev, and Chromium; ``--sessions`` needs
Linux.
"""

import argparse
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import jaxlda
from benchmarks.browsing import VIEWS, Server, browser, open_view, opened, served, unfolded

TOPICS, DOCUMENTS, LENGTH, WORDS = 500, 50_000, 60, 20_011  # of the large run; the last is a prime
LOOK = 1500  # milliseconds, in which chains that let pages pass sample again
PATIENCE = 300  # seconds for sessions to end in: they are kept for two minutes
PRESS = """async slow => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const button = all(document).find(e => e.tagName === "BUTTON" && e.innerText === (slow ? "Careful" : "Quick look"));
  const box = all(document).find(e => e.tagName === "INPUT" && e.value === (slow ? "50" : "1000"));
  const began = performance.now();
  button.click();
  while (box.value !== (slow ? "1000" : "50")) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


READY = """() => [...Bokeh.index.query(view => view.model.name?.startsWith("view: "))]
  .every(place => place.child_views.length > 0)"""


def tell(what: str, times: list[float], limit: float) -> None:
    """Median, 95th percentile and the longest of some milliseconds, and whether the second keeps its limit."""
    late = np.percentile(times, 95)
    kept = "kept" if late <= limit else "MISSED"
    print(f"{what}: median {np.median(times):.0f}, 95th percentile {late:.0f}, longest {max(times):.0f} ms", end="")
    print(f" ({len(times)} times; at most {limit:.0f}: {kept})", flush=True)


def views(page: Any, rounds: int, look: float = LOOK) -> list[float]:
    """Milliseconds until a view is there, of each view some times; each is looked at for a while."""
    times: dict[str, list[float]] = {name: [] for name in VIEWS}
    for _ in range(rounds):
        for name in VIEWS:
            times[name].append(1000 * open_view(page, name))
            page.wait_for_timeout(look)
    print("; ".join(f"{name} {', '.join(f'{t:.0f}' for t in found)}" for name, found in times.items()), flush=True)
    return [one for found in times.values() for one in found]


def sampling(page: Any) -> None:
    """Start a run of four chains that does not end."""
    unfolded(page)
    page.get_by_label("Draws kept", exact=True).fill("100000")
    page.get_by_label("Draws kept", exact=True).press("Tab")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("Sampling. Sweep").wait_for()


def usual(rounds: int, clicks: int) -> None:
    """The server, its page, and views and clicks while four chains sample."""
    began = time.perf_counter()
    with served() as server, contextlib.ExitStack() as later:
        tell("server up", [1000 * (time.perf_counter() - began)], 5000)
        started = later.enter_context(browser())
        page = opened(started, server)  # the first start of all samples the run; the first page of a server compiles
        times = []
        for _ in range(5):
            page.close()
            began = time.perf_counter()
            page = opened(started, server)
            times.append(1000 * (time.perf_counter() - began))
        tell("page to topic words", times, 3000)
        sampling(page)
        tell("a view opened at once while 4 chains sample", views(page, 1, look=0), 1000)
        open_view(page, "Fit")
        page.get_by_role("button", name="Stop", exact=True).click()
        page.get_by_text("Stopped.").wait_for()
        page.close()
        page = opened(started, server)
        began = time.perf_counter()
        page.wait_for_function(READY)
        print(f"all views stand ready after {time.perf_counter() - began:.1f} s", flush=True)
        sampling(page)
        tell("a view opened while 4 chains sample", views(page, rounds), 1000)
        unfolded(page)
        page.get_by_role("button", name="Careful", exact=True).click()
        page.wait_for_timeout(1000)
        tell("a click while 4 chains sample", [page.evaluate(PRESS, i % 2 == 1) for i in range(clicks)], 200)
        print(page.locator(".speed div").first.inner_text())


def large_run(path: Path) -> None:
    """A run of many topics and documents: each has three topics, whose words are about as rare as real ones."""
    draw = np.random.default_rng(0)
    topics = draw.integers(TOPICS, size=(DOCUMENTS, 3))
    z = np.take_along_axis(topics, draw.integers(3, size=(DOCUMENTS, LENGTH)), axis=1)
    ranks = (WORDS ** draw.random((DOCUMENTS, LENGTH))).astype(np.int64) - 1
    w = (37 * ranks * (z + 1) + 101 * z) % WORDS
    corpus = jaxlda.Corpus.from_texts([" ".join(f"w{v}" for v in row) for row in w])
    sweeps = {"num_warmup": 4, "num_samples": 4, "thinning": 1, "num_chains": 2, "trace_every": 1}
    model = jaxlda.LDA(num_topics=TOPICS, kernel="warp", progress=False, **sweeps)  # quickly made: it is not judged
    model.fit(corpus).save(path)
    print(f"{model.run_!r} of {corpus!r}: {path.stat().st_size / 1e6:.0f} MB")


def large(rounds: int) -> None:
    """The views of a large run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.jaxlda"
        large_run(path)
        with served(str(path)) as server, browser() as started:
            began = time.perf_counter()
            page = opened(started, server)
            print(f"page to topic words, {TOPICS} topics: {time.perf_counter() - began:.1f} s")
            tell(f"a view of {TOPICS} topics and {DOCUMENTS:,} documents", views(page, rounds), 2000)
            print(f"the server has {server.memory:,.0f} MB")


def ended(server: Server) -> float:
    """Megabytes of the server once nobody is there."""
    deadline = time.monotonic() + PATIENCE
    while server.sessions:
        if time.monotonic() > deadline:
            raise SystemExit(f"{server.sessions} sessions are still there {PATIENCE} s after the last page was closed")
        time.sleep(1)
    time.sleep(5)
    return server.memory


def sessions(number: int) -> None:
    """What the server has in memory before and after some sessions."""
    with served() as server, browser() as started:
        bare = server.memory
        opened(started, server).close()
        start = ended(server)
        for i in range(number):
            page = opened(started, server)
            open_view(page, VIEWS[i % len(VIEWS)])
            page.close()
        most, end = server.memory, ended(server)
    kept = "kept" if end - start <= 50 else "MISSED"
    print(
        f"memory: {bare:,.0f} MB before the first page, {start:,.0f} MB after it, {most:,.0f} MB with {number} sessions"
    )
    print(f"and {end:,.0f} MB when all had ended: {end - start:+,.0f} MB (at most 50: {kept})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3, help="how often all views are opened")
    parser.add_argument("--large", action="store_true", help="many topics and documents, instead")
    parser.add_argument("--sessions", type=int, default=0, help="so many pages opened and closed, instead")
    options = parser.parse_args()
    if options.large:
        large(options.rounds)
    elif options.sessions:
        sessions(options.sessions)
    else:
        usual(options.rounds, options.clicks)


if __name__ == "__main__":
    main()
