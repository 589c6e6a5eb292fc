"""The five screens: what each says, what has to be computed for it, and how it is drawn."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.models import ColumnDataSource

from jaxlda.plots.canvas import HARD, SOFT
from jaxlda_app.learn import lessons
from jaxlda_app.learn.lessons import FIRST_DRAW, SIDE, letter
from jaxlda_app.learn.pictures import STYLE, beams, document, story_text, tile_columns, tiles
from jaxlda_app.learn.texts import LESSONS, Lesson
from jaxlda_app.learn.walk import Walk
from jaxlda_app.panes import HtmlPane
from jaxlda_app.views._playing import Playing
from jaxlda_app.views._view import PlainText, View, card, charts, stack

__all__ = ["SCREENS", "Drawn", "Screen"]

DOTS = "Every circle is a dot on a pixel; letter and colour are its topic. The last one drawn has a ring around it."
HIGH = 0.25  # share of a topic that a pixel of a bar has, and a little more


class Drawn(NamedTuple):
    """A screen that is ready."""

    layout: pn.viewable.Viewable
    playing: Playing | None = None


class Screen(NamedTuple):
    """A screen to be."""

    lesson: Lesson
    work: Callable[[], Any]
    """Computes what is to be seen, in the background."""
    draw: Callable[[View, Any], Drawn]
    """Draws it in a view."""


def _watched(view: View) -> Callable[[], bool]:
    return lambda: view.session.active == view.title


def _html(kind: str) -> pn.pane.HTML:
    return HtmlPane("", stylesheets=[STYLE], sizing_mode="stretch_width", css_classes=[kind])


def _part(*parts: Any) -> pn.Column:
    """Parts one below the other, in one that stands beside others where there is room."""
    return stack(*(charts(part) for part in parts), styles={"flex": "1 1 340px"})


def _page(*parts: Any) -> pn.Column:
    return stack(*(charts(part) for part in parts))


# ---------------------------------------------------------------------------------------------------- 1: the corpus


def _draw_corpus(view: View, found: lessons.Bars) -> Drawn:
    topics = tiles(ColumnDataSource(tile_columns(found.phi)), HIGH, "true-topics")
    source = ColumnDataSource(tile_columns(found.words[:10]))
    images = tiles(source, found.words.max() / 2, "documents", letters=False)
    one = ColumnDataSource(tile_columns(found.words[:1]))
    image = tiles(one, found.words.max() / 2, "document", letters=False)
    image.x_range.end, image.width, image.height = SIDE + 0.5, 200, 200
    bars, shares = beams("share of the dots", "shares", [("share", "")], high=1)
    said = PlainText(css_classes=["sentence", "learn-said"])
    another = pmui.Button(label="Another document", color="primary")
    number = {"now": lessons.FAVOURITE - 1}

    def turn() -> None:
        number["now"] = d = (number["now"] + 1) % len(found.words)
        one.data = tile_columns(found.words[d : d + 1])
        shares.patch({"share": [(slice(None), found.theta[d].tolist())]})
        most = [letter(int(k)) for k in np.argsort(-found.theta[d])[:2]]
        said.value = f"Document {d + 1} of {len(found.words)}: mostly the bars {most[0]} and {most[1]}."

    another.on_click(lambda event: turn())
    turn()
    return Drawn(
        _page(
            view.chart(topics, "Five rows (A to E) and five columns (F to J). Bright pixels are likely.", "Ten topics"),
            view.chart(images, "Each has 30 dots; the brighter a pixel, the more fell on it.", "Ten of 150 documents"),
            another,
            said,
            charts(
                pn.Column(pn.pane.Bokeh(image), styles={"flex": "0 0 220px"}),
                view.chart(bars, "What this document was made of. The sampler has to find it out.", "Its topics"),
            ),
        )
    )


# ----------------------------------------------------------------------------------------------------- 2: one token


def _told(walk: Walk) -> str:
    step = walk.last
    if step is None:
        return "Every dot has a random topic so far. Press Step to draw the first one anew."
    row, column = divmod(step.word, SIDE)
    chance = step.probabilities[step.new]
    place = f"Dot {step.token + 1} of {len(walk.w)}, row {row + 1}, column {column + 1}, had topic {letter(step.old)}."
    draw = f"A random number decides: {step.u:.2f} falls on topic {letter(step.new)}, which had {chance:.0%}."
    if step.old == step.new:
        return f"{place} It was taken out. {draw} The dot keeps its topic, and the counts are as before."
    n, v = walk.n_dk, walk.n_vk[step.word]
    old, new = step.old, step.new
    return (
        f"{place} It was taken out. {draw} In this document, {letter(old)} goes from {n[old] + 1} to {n[old]} and "
        f"{letter(new)} from {n[new] - 1} to {n[new]}; on this pixel, in all documents, {letter(old)} goes from "
        f"{v[old] + 1} to {v[old]} and {letter(new)} from {v[new] - 1} to {v[new]}."
    )


def _draw_token(view: View, walk: Walk) -> Drawn:
    picture, said = _html("learn-document"), PlainText(css_classes=["sentence", "learn-said"])
    chances, probability = beams("probability", "chances", [("probability", "")], high=1, height=170)
    held, counts = beams("dots here", "counts", [("dots", "")], high=len(walk.w), height=150)
    source = ColumnDataSource(tile_columns(np.zeros((len(walk.n_k), SIDE**2))))
    topics = tiles(source, HIGH, "topics")

    def show(step: int) -> None:
        walk.go(step)
        picture.object, said.value = document(walk), _told(walk)
        last = walk.last
        nothing = [0.0] * len(walk.n_k)
        probability.patch({"probability": [(slice(None), nothing if last is None else last.probabilities)]})
        counts.patch({"dots": [(slice(None), [float(n) for n in walk.n_dk])]})
        n_vk = np.array(walk.n_vk, float)
        source.data = tile_columns((n_vk / n_vk.sum(axis=0)).T)

    playing = Playing("Step", 3 * len(walk.w), show, _watched(view))
    return Drawn(
        _page(
            playing,
            said,
            charts(
                _part(card("The document", picture, PlainText(value=DOTS, css_classes=["sentence"]))),
                _part(
                    view.chart(chances, "How likely each topic is for this dot.", "The dot: its probabilities"),
                    view.chart(held, "Its dots by topic: the first thing that counts.", "This document"),
                    view.chart(topics, "Where the dots of each topic are: the second thing.", "All documents"),
                ),
            ),
        ),
        playing,
    )


# ------------------------------------------------------------------------------------------------------- 3: a sweep


def _draw_sweeps(view: View, found: lessons.Bars) -> Drawn:
    source = ColumnDataSource(tile_columns(lessons.phi_of(found, 0)))
    topics = tiles(source, HIGH, "learned")
    truth = tiles(ColumnDataSource(tile_columns(found.phi)), HIGH, "true-topics")
    said = PlainText(css_classes=["sentence", "learn-said"])

    def show(sweep: int) -> None:
        source.data = tile_columns(lessons.phi_of(found, sweep))
        if sweep == 0:
            said.value = "Before the first sweep: every dot has a random topic, and all topics look alike."
            return
        moved = float(np.mean(found.z[sweep] != found.z[sweep - 1]))
        right = lessons.overlap(found, sweep)
        said.value = (
            f"After sweep {sweep}: {moved:.0%} of the {found.z.shape[1]:,} dots changed their topic in it. "
            f"The topics share {right:.0%} with the true ones."
        )

    playing = Playing("Sweep", len(found.z) - 1, show, _watched(view))
    return Drawn(
        _page(
            playing,
            said,
            view.chart(topics, "Estimated from its counts by now.", "The topics of the sampler"),
            view.chart(truth, "What the documents were made of. The sampler never sees them.", "The true topics"),
        ),
        playing,
    )


# ------------------------------------------------------------------------------------------------------ 4: real text


def _draw_stories(view: View, found: lessons.Stories) -> Drawn:
    text, said = _html("learn-stories"), PlainText(css_classes=["sentence", "learn-said"])

    def show(step: int) -> None:
        text.object = story_text(found, step)
        said.value = f"After {found.sweeps[step]} sweeps over 395 news stories, with 20 topics."

    playing = Playing("Picture", len(found.sweeps) - 1, show, _watched(view))
    note = (
        "Above: the largest topics here and their first words by now; grey words have another topic. The bundled "
        "stories come as headlines and counted words, so that the text below a headline has no order."
    )
    return Drawn(
        pn.Column(playing, said, text, PlainText(value=note, css_classes=["sentence"]), sizing_mode="stretch_width"),
        playing,
    )


# ---------------------------------------------------------------------------------------------------- 5: hard, soft


def _draw_noise(view: View, both: tuple[lessons.Bars, lessons.Noise]) -> Drawn:
    found, draws = both
    d = lessons.FAVOURITE
    hard, soft = (ColumnDataSource(tile_columns(one[0])) for one in (draws.phi, draws.phi_p))
    series = [("counted", HARD), ("weighed", SOFT), ("truth", "#228833")]
    bars, shares = beams("share of the dots", "noise", series, high=1, height=240)
    shares.patch({"truth": [(slice(None), found.theta[d].tolist())]})
    said = PlainText(css_classes=["sentence", "learn-said"])

    def show(draw: int) -> None:
        hard.data, soft.data = tile_columns(draws.phi[draw]), tile_columns(draws.phi_p[draw])
        shares.patch(
            {
                "counted": [(slice(None), draws.theta[draw, d].tolist())],
                "weighed": [(slice(None), draws.theta_p[draw, d].tolist())],
            }
        )
        said.value = (
            f"Draw {draw + 1} of {len(draws.phi)}, after sweep {FIRST_DRAW + draw}. In the wrong topics, on average "
            f"over all documents: {draws.error[draw]:.1%} if counted, {draws.error_p[draw]:.1%} if weighed."
        )

    playing = Playing("Draw", len(draws.phi) - 1, show, _watched(view))
    return Drawn(
        _page(
            playing,
            said,
            view.chart(bars, "Counted (θ), weighed (θᵖ), and the truth. Which bars jump?", "Topics of one document"),
            view.chart(tiles(hard, HIGH, "hard"), "One sample, with its noise.", "The topics by counting (φ)"),
            view.chart(tiles(soft, HIGH, "soft"), "The same sample, smoother.", "The topics by weighing (φᵖ)"),
        ),
        playing,
    )


SCREENS = (
    Screen(LESSONS[0], lessons.bars, _draw_corpus),
    Screen(LESSONS[1], lessons.walk, _draw_token),
    Screen(LESSONS[2], lessons.bars, _draw_sweeps),
    Screen(LESSONS[3], lessons.stories, _draw_stories),
    Screen(LESSONS[4], lambda: (lessons.bars(), lessons.noise()), _draw_noise),
)
