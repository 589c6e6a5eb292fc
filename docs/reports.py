"""Pictures of the paper's experiments for the gallery, from their reports: ``python -m docs.reports FOLDER``.

``FOLDER`` is what ``jaxlda reproduce NAME --output FOLDER`` wrote. For every report at full scale the figures are drawn
by Chromium and kept with the words that go with them, ``docs/pictures/experiments/NAME.png`` and ``NAME.json``.
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.dashboard import browser

PICTURES = Path(__file__).resolve().parent / "pictures" / "experiments"
KEPT = ("experiment", "title", "setting", "reading")  # of the JSON


def take(folder: Path, target: Path) -> list[Path]:
    """Take the pictures of all reports in a folder; checks at another scale are left out."""
    target.mkdir(parents=True, exist_ok=True)
    pictures = []
    with browser() as started:
        page = started.new_page(viewport={"width": 1200, "height": 900})
        for path in sorted(folder.glob("*.html")):
            report = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            if report.get("scale") != "full":
                continue
            page.goto(path.resolve().as_uri())
            figures = page.locator(".bk-GridBox").first
            figures.wait_for()
            page.wait_for_timeout(1000)  # Bokeh draws a little after it has laid out
            picture = target / f"{report['experiment']}.png"
            figures.screenshot(path=picture)
            words = json.dumps({name: report[name] for name in KEPT}, indent=1, ensure_ascii=False)
            picture.with_suffix(".json").write_text(words + "\n", encoding="utf-8")
            pictures.append(picture)
            print(picture)
    return pictures


def main() -> None:
    """Take them."""
    parser = argparse.ArgumentParser(prog="python -m docs.reports", description=__doc__)
    parser.add_argument("folder", type=Path, help="what `jaxlda reproduce NAME --output FOLDER` wrote")
    parser.add_argument("--output", type=Path, default=PICTURES, help="(default: docs/pictures/experiments)")
    options = parser.parse_args()
    if not take(options.folder, options.output):
        sys.exit(f"there is no report at full scale in {options.folder}")


if __name__ == "__main__":
    main()
