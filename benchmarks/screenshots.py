"""Pictures of every view for README and documentation, from the app: ``python -m benchmarks.screenshots``."""

import argparse
import re
from pathlib import Path

from benchmarks.dashboard import browser, opened, served

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=PICTURES)
    parser.add_argument("--seconds", type=float, default=1.0, help="to wait for figures to be drawn")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with served() as address, browser() as started:
        page = opened(started, address)
        page.get_by_text("Finished.").wait_for()
        for view in page.locator(".menu .bk-btn").all():
            name = view.inner_text()
            view.click()
            page.wait_for_timeout(500)
            page.locator(".brief", has_not_text="computing").wait_for()
            page.wait_for_timeout(1000 * options.seconds)
            path = options.output / f"{re.sub(r'[^a-z]+', '_', name.lower())}.png"
            page.screenshot(path=path, full_page=False)
            print(path)


if __name__ == "__main__":
    main()
