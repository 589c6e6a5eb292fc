"""Pictures of every view for README and documentation, from the app: ``python -m benchmarks.screenshots``.

Wide and as on a phone, light and dark: the wide light ones in the folder itself, the others in ``dark``, ``phone``
and ``phone_dark``. ``--moving`` makes the moving picture of the README instead.
"""

import argparse
import io
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks import moving
from benchmarks.browsing import VIEWS, browser, open_view, opened, served, settled, unfolded

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SIZES = {1440: 900, 390: 844}
FOLDERS = {("light", 1440): "", ("dark", 1440): "dark", ("light", 390): "phone", ("dark", 390): "phone_dark"}
COLORS = 256  # of a picture: files are a third as large


def picture(page: Any, name: str, path: Path, seconds: float) -> None:
    """Open a view, wait until it is complete, and take its picture."""
    if not page.locator(f".content.{name.lower()}").is_visible():
        open_view(page, name)
    settled(page, seconds)
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    palette = moving.few_colors(taken, COLORS)
    taken.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path)


def lesson(page: Any, steps: int = 8) -> None:
    """Turn to the screen of the guided tab on which one token is drawn at a time, and draw some."""
    open_view(page, "Learn")
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
    parser.add_argument("views", nargs="*", help=f"any of {', '.join(VIEWS)}; all if none is named")
    parser.add_argument("--output", type=Path, default=PICTURES)
    parser.add_argument("--seconds", type=float, default=3.0, help="of quiet before a picture is taken")
    parser.add_argument("--only", nargs="*", choices=list(FOLDERS.values()), help="which of the folders")
    parser.add_argument("--height", type=int, help="of the window: to see what is further down")
    parser.add_argument("--moving", action="store_true", help="the moving picture instead")
    options = parser.parse_args()
    if unknown := set(options.views) - set(VIEWS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(VIEWS)}")
    with served() as server, browser() as started:
        if options.moving:
            moving.record(opened(started, server, viewport=moving.WINDOW), options.output / "dashboard.gif")
            return
        for (scheme, width), folder in FOLDERS.items():
            if options.only is not None and folder not in options.only:
                continue
            window = {"width": width, "height": options.height or SIZES[width]}
            page = opened(started, server, viewport=window, color_scheme=scheme)
            for name in sorted(options.views or VIEWS, key=lambda name: name == "Labels"):
                if name in ("Learn", "Labels"):
                    {"Learn": lesson, "Labels": learn_labels}[name](page)
                picture(page, name, options.output / folder / f"{name.lower()}.png", options.seconds)
            page.close()


if __name__ == "__main__":
    main()
