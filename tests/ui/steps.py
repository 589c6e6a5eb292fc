"""What people do on the page, in a line each; all wait for what comes of it, and none waits longer."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

__all__ = [
    "choose_bars",
    "click_mark",
    "estimates",
    "fill",
    "fitting",
    "is_open",
    "long_run",
    "open_view",
    "opened",
    "pause",
    "press",
    "sample",
    "say",
    "shown",
    "start",
    "state",
    "sweep",
    "until",
    "upload",
    "use",
]

# Where a mark of a figure is on the screen: renderer, column of x, column of y, row.
PLACE = """([name, x, y, row]) => {
  for (const view of Bokeh.index.query(view => view.model.name === name && view.model.data_source)) {
    if (!view.plot_view.el.checkVisibility()) continue;  // of a view that is not open
    const data = view.model.data_source.data;
    const column = key => data instanceof Map ? data.get(key) : data[key];
    const [sx, sy] = view.coordinates.map_to_screen([column(x)[row]], [column(y)[row]]);
    const box = view.plot_view.canvas_view.el.getBoundingClientRect();
    return [box.x + sx[0], box.y + sy[0]];
  }
}"""
FIGURES = {
    "map": "Map of the topics",
    "images": "The topics as images",
    "documents": "Map of the documents",
}


def only_what_is_seen(page: Page) -> None:
    """Elements that are looked for are those of the view that is open, not of others that are built.

    Boxes of files, which nobody ever sees, are found wherever they are.
    """

    def visible(find: Callable[..., Locator]) -> Callable[..., Locator]:
        def found(sought: Any, **options: Any) -> Locator:
            locator = find(sought, **options)
            return locator if "[type=file]" in str(sought) else locator.filter(visible=True)

        return found

    for name in ("locator", "get_by_label", "get_by_text"):
        setattr(page, name, visible(getattr(page, name)))


def opened(page: Page, address: str) -> Page:
    """The dashboard, in a page: the finished run of the bundled corpus, with its topics."""
    only_what_is_seen(page)
    page.goto(address)
    expect(page.locator(".heading")).to_contain_text("Words of")  # the server has answered
    return page


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def fill(page: Page, label: str, value: object) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(str(value))
    box.press("Tab")


def shown(page: Page, kind: str) -> Locator:
    """An element within the shadow of a part of the page."""
    return page.locator(f".{kind} div").first


def state(page: Page) -> Locator:
    return shown(page, "state")


def sweep(page: Page) -> int:
    found = re.search(r"Sweep ([\d,]+) of", state(page).inner_text())
    return int(found[1].replace(",", "")) if found else 0


def say(page: Page, text: str) -> None:
    """A sentence becomes visible."""
    expect(page.locator(".sentence").get_by_text(text).first).to_be_visible()


def until(page: Page, holds: Callable[[], object]) -> None:
    """Wait for what is not to be seen as text."""
    end = time.monotonic() + 180
    while not holds():
        assert time.monotonic() < end, "nothing happened for three minutes"
        page.wait_for_timeout(100)


def open_view(page: Page, title: str) -> None:
    """Open a view, and wait until it is there. On a phone the menu, which closes itself at first, is opened before."""
    entry = page.get_by_role("button", name=title, exact=True)
    drawer = page.get_by_label("Open drawer", exact=True)

    def pressed() -> bool:
        if not entry.is_visible() and drawer.is_visible():
            drawer.click()
        try:
            entry.click(timeout=3000)
        except TimeoutError:  # of Playwright
            return False
        return True

    until(page, pressed)
    expect(page.locator(f".content.{title.lower().replace(' ', '-')}")).to_be_visible()


def is_open(page: Page, title: str) -> bool:
    """Whether a view is open."""
    return page.locator(f".content.{title.lower()}").is_visible()


def fitting(page: Page) -> None:
    """Open the Fit view, with all its settings."""
    if not is_open(page, "Fit"):
        open_view(page, "Fit")
    arrow = page.locator(".all-settings").get_by_role("button", name="show more")
    if arrow.get_attribute("aria-expanded") == "false":  # the boxes may not be there yet, and a click would fold them
        arrow.click()
    page.get_by_label("Chains", exact=True).wait_for()


def estimates(page: Page, tab: str) -> None:
    """Open a part of the Estimates view."""
    open_view(page, "Estimates")
    page.get_by_role("tab", name=tab).click()


def pause(page: Page) -> None:
    """Let the machine rest after a few sweeps: everything can be looked at."""
    fitting(page)
    until(page, lambda: sweep(page) >= 5)
    press(page, "Pause")
    expect(state(page)).to_contain_text("Paused.")


def choose_bars(page: Page) -> None:
    """The small corpus whose topics are known."""
    use(page, "bars")
    fitting(page)
    fill(page, "Topics K", 10)


def click_mark(page: Page, name: str, row: int, x: str = "x", y: str = "y") -> None:
    """Click a mark of a figure."""
    page.get_by_role("img", name=FIGURES[name]).scroll_into_view_if_needed()
    page.mouse.click(*page.evaluate(PLACE, [name, x, y, row]))


def use(page: Page, name: str) -> None:
    """Choose a ready-made corpus."""
    open_view(page, "Data")
    press(page, f"Use {name}")
    expect(page.locator(".message")).to_contain_text(f"Read {name}")


def start(page: Page) -> None:
    """Start a run, and let go of the one that goes on, if there is any."""
    fitting(page)
    going = re.match("Sampling|Paused|Waiting|Compiling", state(page).inner_text())
    press(page, "Start")
    if going:
        with suppress(TimeoutError):  # it was at its end just then
            page.get_by_role("button", name="Stop it and start").click(timeout=5000)


def sample(page: Page, burn_in: int = 5, draws: int = 5, every: int = 1) -> None:
    """Sample to an end that is near."""
    fitting(page)
    for label, value in {"Burn-in, sweeps": burn_in, "Draws kept": draws, "Sweeps per draw": every}.items():
        fill(page, label, value)
    start(page)
    total = burn_in + draws * every
    expect(state(page)).to_contain_text(f"Finished. Sweep {total:,} of {total:,}.")


def long_run(page: Page) -> None:
    """Begin a run that does not end before the test does."""
    choose_bars(page)
    fill(page, "Draws kept", 100_000)
    start(page)
    expect(state(page)).to_contain_text("Sampling. Sweep")


def upload(page: Page, files: dict[str, bytes], known: bool = True) -> None:
    if not is_open(page, "Data"):
        open_view(page, "Data")
    contents = [{"name": n, "mimeType": "application/octet-stream", "buffer": x} for n, x in files.items()]
    page.locator(".files input[type=file]").set_input_files(contents)
    found = page.locator(".found")
    expect(found).to_contain_text(next(iter(files)))
    expect(found).not_to_contain_text("Looking")
    if known:
        expect(found).to_contain_text("read as")
