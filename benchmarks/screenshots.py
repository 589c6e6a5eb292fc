"""Pictures of every view for README and documentation, from the app: ``python -m benchmarks.screenshots``."""

import argparse
from pathlib import Path
from typing import Any

from benchmarks.dashboard import VIEWS, browser, open_view, opened, served, unfolded

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SIZES = {1440: 900, 390: 844}


def picture(page: Any, name: str, path: Path, seconds: float) -> None:
    """Open a view, wait until it has nothing more to compute for some seconds, and take its picture."""
    open_view(page, name)
    quiet = 0.0
    while quiet < seconds:  # the page tells only now and then that it computes
        page.wait_for_timeout(200)
        quiet = 0.0 if "computing" in page.locator(".brief div").first.inner_text() else quiet + 0.2
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
    open_view(page, "Data")
    page.get_by_role("button", name="Use simulated", exact=True).click()
    page.get_by_text("Read simulated").wait_for()
    unfolded(page)
    page.get_by_label("Model", exact=True).select_option("PriorLDA")
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("Finished.").wait_for()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=PICTURES)
    parser.add_argument("--seconds", type=float, default=3.0, help="of quiet before a picture is taken")
    parser.add_argument("--all", action="store_true", help="also for phones, and dark")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with served() as address, browser() as started:
        for scheme in ("light", "dark") if options.all else ("light",):
            for width in SIZES if options.all else (1440,):
                kind = "" if not options.all else f"_{scheme}_{width}"
                page = opened(started, address, viewport={"width": width, "height": SIZES[width]}, color_scheme=scheme)
                for name in VIEWS:
                    if name == "Learn":
                        lesson(page)
                    if name not in ("Labels", "Kept"):
                        picture(page, name, options.output / f"{name.lower()}{kind}.png", options.seconds)
                learn_labels(page)
                picture(page, "Labels", options.output / f"labels{kind}.png", options.seconds)
                page.close()


if __name__ == "__main__":
    main()
