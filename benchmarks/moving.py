"""The moving picture of the README: somebody opens the dashboard, starts a run, and looks at what it finds."""

import io
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from benchmarks.browsing import open_view, settled

__all__ = ["WINDOW", "few_colors", "record"]

WINDOW = {"width": 1200, "height": 750}
SIZE = (880, 550)  # of the picture
COLORS = 200
MOST = 20  # frames of the run that goes on
RING = "#aa3377"  # as whatever is chosen


def few_colors(image: Image.Image, number: int) -> Image.Image:
    """The commonest colours of a picture as a palette: a page is mostly flat, and what is chosen keeps its colour."""
    found = sorted(image.getcolors(image.width * image.height), reverse=True)[:number]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in found for part in color])
    return palette


class Frame(NamedTuple):
    """A picture, and for how many milliseconds it is to be seen."""

    image: Image.Image
    duration: int


class Film:
    """Frames of a page, in order."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.frames: list[Frame] = []

    def show(self, duration: int, at: Any = None) -> None:
        """Take a frame, with a ring around what is about to be clicked."""
        taken = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        if at is not None:
            box = at.bounding_box()
            x, y = box["x"] + min(box["width"], 120) / 2, box["y"] + box["height"] / 2
            ImageDraw.Draw(taken).ellipse((x - 22, y - 22, x + 22, y + 22), outline=RING, width=5)
        self.frames.append(Frame(taken.resize(SIZE, Image.Resampling.LANCZOS), duration))

    def click(self, at: Any) -> None:
        """Show where, and click there."""
        self.show(700, at)
        at.click()

    def save(self, path: Path) -> None:
        """All frames with the colours of all of them, so that what stays the same costs nothing."""
        sheet = Image.new("RGB", (SIZE[0], SIZE[1] * len(self.frames)))
        for i, frame in enumerate(self.frames):
            sheet.paste(frame.image, (0, i * SIZE[1]))
        palette = few_colors(sheet, COLORS)
        images = [frame.image.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        durations = [frame.duration for frame in self.frames]
        images[0].save(path, save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True)
        print(f"{path}: {len(images)} frames, {path.stat().st_size / 1e6:.2f} MB, {sum(durations) / 1000:.0f} s")


def record(page: Any, path: Path, every: int = 450) -> None:
    """Do what a newcomer does, and keep what is to be seen."""
    film = Film(page)
    settled(page, 2)
    film.show(1600)
    film.click(page.get_by_role("button", name="Fit", exact=True))
    page.locator(".content.fit").wait_for()
    settled(page, 1)
    film.click(page.get_by_role("button", name="Start", exact=True))
    page.get_by_text("Sampling. Sweep").wait_for()
    first = len(film.frames)
    while "Finished." not in page.locator(".state div").first.inner_text():
        film.show(300)
        page.wait_for_timeout(every)
    film.frames[first:] = film.frames[first :: len(film.frames[first:]) // MOST + 1]  # however slow the machine is
    settled(page, 1)
    film.show(1200)
    open_view(page, "Topics")
    settled(page, 2)
    film.click(page.get_by_role("row").nth(4))
    settled(page, 1)
    film.show(1200)
    page.locator(".heading").evaluate("part => part.scrollIntoView()")
    page.wait_for_timeout(500)
    film.show(2200)
    open_view(page, "Convergence")
    settled(page, 2)
    film.show(3500)
    film.save(path)
