"""Pictures of the guided tab: images of pixels, bars of topics, and texts whose words have the colours of topics."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, FixedTicker, LinearColorMapper, Range1d
from bokeh.palettes import Muted

from jaxlda.plots.canvas import GREY, canvas, hover
from jaxlda_app.learn.lessons import SIDE, K, Stories, letter
from jaxlda_app.learn.walk import Walk

__all__ = ["COLORS", "STYLE", "beams", "document", "story_text", "tile_columns", "tiles", "topic_places"]

COLORS = (*Muted[9], "#8a8a8a")
"""Of topics, told apart also by people who do not see all colours (Paul Tol's muted scheme); letters say the same."""
GAP = SIDE + 1
WIDE = 960  # pixels: images are squares then
STYLE = """
.pixels { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 3px; max-width: 26rem; margin: 0; }
.pixel { min-height: 3.1rem; border: 1px solid #8886; border-radius: 4px; padding: 2px; display: flex; flex-wrap: wrap;
  gap: 2px; align-content: flex-start; }
b.token { font: 600 .75rem/1.35rem system-ui, sans-serif; width: 1.3rem; text-align: center; border-radius: 50%; }
b.now { box-shadow: 0 0 0 2px #000, 0 0 0 5px #fc0, 0 0 0 6px #000; z-index: 1; }
.stories { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: .8rem; }
.stories article { border: 1px solid #8886; border-radius: 6px; padding: .6rem .8rem; }
.stories h3 { margin: 0 0 .4rem; font-size: 1.05rem; line-height: 1.6; }
.stories p { margin: 0; line-height: 1.9; overflow-wrap: anywhere; }
.stories span, .legend span { border-radius: 3px; padding: 1px 4px; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .6rem 0; padding: 0; }
"""


def ink(color: str) -> str:
    """Black or white: which of them can be read on a colour.

    >>> ink("#DDCC77"), ink("#332288")
    ('#000', '#fff')
    """
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 130 else "#fff"


def topic_places() -> list[float]:
    """Where the topics stand in a row: the middle of each image."""
    return [GAP * k + SIDE / 2 for k in range(K)]


def _row(y: str, height: int) -> Any:
    """A figure above or below a row of images, each topic in its place."""
    plot = canvas("", y, height=height, x_range=Range1d(start=-0.5, end=GAP * K - 0.5), tools="", max_width=WIDE)
    plot.xaxis.ticker = FixedTicker(ticks=topic_places())
    plot.xaxis.major_label_overrides = {place: letter(k) for k, place in enumerate(topic_places())}
    plot.xgrid.visible = False
    plot.xaxis.major_tick_line_color = plot.yaxis.minor_tick_line_color = None
    return plot


def tile_columns(images: np.ndarray) -> dict[str, Any]:
    """The columns of :func:`tiles`."""
    squares = [np.asarray(image, float).reshape(SIDE, SIDE) for image in images]
    return {"image": squares, "x": [GAP * k for k in range(len(squares))], "y": [0] * len(squares)}


def tiles(source: ColumnDataSource, high: float, name: str, letters: bool = True) -> Any:
    """Images of 5 × 5 pixels in a row, bright where a value is large."""
    plot = _row("", 110 if letters else 90)
    plot.y_range = Range1d(start=SIDE, end=0)
    colors = LinearColorMapper(palette="Cividis256", low=0, high=high)
    plot.image("image", "x", "y", SIDE, SIDE, source=source, color_mapper=colors, name=name)
    plot.yaxis.visible = plot.grid.visible = plot.xgrid.visible = False
    plot.xaxis.visible = letters
    plot.outline_line_color = None
    return plot


def beams(y: str, name: str, series: Sequence[tuple[str, str]], high: float | None = None, height: int = 190) -> Any:
    """Bars above the topics, as many as there are series: a name and a colour each; without one, those of the topics.

    Gives the figure and its data source.
    """
    plot = _row(y, height)
    places, wide = topic_places(), SIDE / len(series)
    columns: dict[str, Any] = {"topic": [letter(k) for k in range(K)]}
    for i, (one, _) in enumerate(series):
        shift = (i - (len(series) - 1) / 2) * wide
        columns |= {f"{one}_x": [place + shift for place in places], one: [0.0] * K, f"{one}_color": list(COLORS)}
    source = ColumnDataSource(columns)
    for one, color in series:
        look = {"color": f"{one}_color"} if not color else {"color": color, "legend_label": one}
        bars = plot.vbar(f"{one}_x", wide * 0.9, one, source=source, name=f"{name}-{one}".replace(" ", "-"), **look)
        hover(plot, ("topic", "@topic"), (one, f"@{{{one}}}{{0.00}}"), renderers=[bars])
    plot.y_range.start = 0
    if high is not None:
        plot.y_range = Range1d(start=0, end=high)
    return plot, source


def document(walk: Walk) -> str:
    """A document as an image whose dots are its tokens, each with the letter and the colour of its topic."""
    last = walk.last
    pixels: list[list[str]] = [[] for _ in range(SIDE**2)]
    for i, (word, topic) in enumerate(zip(walk.w, walk.z, strict=True)):
        now = " now" if last is not None and last.token == i else ""
        style = f"background:{COLORS[topic]};color:{ink(COLORS[topic])}"
        pixels[word].append(f'<b class="token{now}" style="{style}">{letter(topic)}</b>')
    squares = "".join(f'<div class="pixel">{"".join(dots)}</div>' for dots in pixels)
    return f'<div class="pixels" role="img" aria-label="{escape(_told(walk))}">{squares}</div>'


def _told(walk: Walk) -> str:
    """The document in words, for who cannot see it."""
    parts = [f"{letter(k)} {n}" for k, n in enumerate(walk.n_dk) if n]
    return f"The document: {len(walk.w)} dots on 5 by 5 pixels. Dots by topic: {', '.join(parts)}."


def story_text(found: Stories, at: int) -> str:
    """Headlines and words, each in the colour of the topic that its token has by then; and what topics are about."""
    z = found.z[at]
    color = {k: COLORS[i] for i, k in enumerate(found.shown)}

    def word(text: str, token: int | None) -> str:
        if token is None:
            return escape(text)
        back = color.get(int(z[token]), GREY)
        return f'<span style="background:{back};color:{ink(back)}">{escape(text)}</span>'

    articles = "".join(
        f"<article><h3>{''.join(word(*piece) for piece in story.pieces)}</h3>"
        f"<p>{' '.join(word(*token) for token in story.tokens)}</p></article>"
        for story in found.stories
    )
    legend = "".join(
        f'<li><span style="background:{color[k]};color:{ink(color[k])}">{escape(found.words[at][k])}</span></li>'
        for k in found.shown
    )
    return f'<ul class="legend">{legend}</ul><div class="stories">{articles}</div>'
