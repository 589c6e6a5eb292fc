"""Pictures of every view for README and documentation, from the app: ``python -m benchmarks.screenshots``."""

import argparse
import re
from pathlib import Path
from typing import Any

from benchmarks.dashboard import browser, opened, served

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def picture(page: Any, name: str, folder: Path, seconds: float) -> None:
    """Open a view, wait until it has nothing more to compute for some seconds, and take its picture."""
    page.get_by_role("button", name=name, exact=True).click()
    page.locator(f".content.{name.lower().replace(' ', '-')}").wait_for()
    quiet = 0.0
    while quiet < seconds:  # the page tells only now and then that it computes
        page.wait_for_timeout(200)
        quiet = 0.0 if "computing" in page.locator(".brief div").first.inner_text() else quiet + 0.2
    path = folder / f"{re.sub(r'[^a-z]+', '_', name.lower())}.png"
    page.screenshot(path=path)
    print(path)


def lesson(page: Any, steps: int = 8) -> None:
    """Turn to the screen of the guided tab on which one token is drawn at a time, and draw some."""
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("button", name="Next", exact=True).click()
    for step in range(1, steps + 1):
        page.get_by_role("button", name="Step", exact=True).click()
        page.get_by_text(f"Dot {step} of 30").wait_for()


def learn_labels(page: Any) -> None:
    """Fit a supervised model to documents that have labels."""
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_label("Corpus").select_option("Simulated from the model, with labels")
    page.get_by_text("Read simulated").wait_for()
    page.get_by_label("Model", exact=True).select_option("PriorLDA")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("Finished.").wait_for()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=PICTURES)
    parser.add_argument("--seconds", type=float, default=3.0, help="of quiet before a picture is taken")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with served() as address, browser() as started:
        page = opened(started, address)
        page.get_by_text("Finished.").wait_for()
        views = [view.inner_text() for view in page.locator(".menu .bk-btn").all()]
        for name in views:
            if name == "Learn":
                lesson(page)
            if name not in ("Labels", "Kept"):
                picture(page, name, options.output, options.seconds)
        learn_labels(page)
        picture(page, "Labels", options.output, options.seconds)


if __name__ == "__main__":
    main()
