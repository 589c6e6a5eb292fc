"""Topics as a map of circles, and documents among them; or as images where words are pixels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper

from jaxlda.plots.canvas import CHOSEN, COLORS, GREY, INK, canvas, hover
from jaxlda.plots.texts import topic_colors

__all__ = ["document_columns", "document_points", "image_columns", "intertopic_map", "map_columns", "topic_images"]

_LABELLED, _LONGEST = 40, 18


def intertopic_map(table: Any, words: Sequence[str] | None = None) -> Any:
    """Draw the map of the topics: circles as large as the topics, far from each other if their words differ.

    Parameters
    ----------
    table
        Columns ``topic``, ``name``, ``x``, ``y`` and ``share``, from ``jaxlda.topics.topic_map``.
    words
        A text for each topic that the pointer shows, such as its top words.

    Returns
    -------
    bokeh.plotting.figure
        Its circles have the name ``map`` and a data source with the columns of :func:`map_columns`. A tap selects a
        topic.

    Examples
    --------
    >>> columns = {"topic": [0], "name": ["a"], "x": [0.0], "y": [0.0], "share": [1.0]}
    >>> intertopic_map(columns).select_one({"name": "map"}).data_source.data["size"].tolist()
    [60.0]
    """
    plot = canvas("", "", match_aspect=True, tools="tap")
    # Room for circles and their names, whose places alone count.
    plot.x_range.range_padding, plot.y_range.range_padding = 0.35, 0.2

    source = ColumnDataSource(map_columns(table, words))
    circles = plot.scatter(
        "x",
        "y",
        size="size",
        source=source,
        name="map",
        fill_color=COLORS[0],
        fill_alpha=0.9,
        line_color="white",
        selection_fill_color=CHOSEN,
        selection_fill_alpha=0.9,
        nonselection_fill_color=COLORS[0],
        nonselection_fill_alpha=0.85,
    )
    look = {"text_align": "center", "text_baseline": "middle", "nonselection_text_alpha": 1.0}
    plot.text("x", "y", "topic", source=source, text_font_size="11px", text_color="white", **look)
    below = {"y_offset": "below", "text_font_size": "11px", "text_color": INK}
    labels = plot.text("x", "y", "label", source=source, name="labels", **below, **look)
    labels.selection_glyph = labels.glyph.clone(text="short")  # the chosen one has a name, however small it is
    tips = [("topic", "@topic"), ("name", "@name"), ("share of tokens", "@share{0.0%}"), ("words", "@words")]
    hover(plot, *tips, renderers=[circles])
    plot.axis.visible = plot.grid.visible = False
    return plot


def map_columns(table: Any, words: Sequence[str] | None = None) -> dict[str, Any]:
    """The columns of :func:`intertopic_map`: the table's, ``words``, ``label``, ``short``, ``size`` and ``below``.

    The label stands below a circle, by so many pixels; of many topics the largest have one, and the chosen one its
    short name. Sizes are diameters in pixels, as large as the shares, but never too small to be seen and hit.

    Examples
    --------
    >>> map_columns({"topic": [0, 1], "name": ["a", "b"], "x": [0, 1], "y": [0, 1], "share": [1, 0]})["size"].tolist()
    [60.0, 16.0]
    """
    columns = {name: np.asarray(table[name]) for name in ("topic", "name", "x", "y", "share")}
    columns["words"] = np.asarray([""] * len(columns["x"]) if words is None else words)
    columns["size"] = np.maximum(60 * np.sqrt(columns["share"].astype(np.float64)), 16)
    columns["below"] = columns["size"] / 2 + 8
    share, short = columns["share"], _short(columns["topic"], columns["name"])
    least = np.sort(share)[-_LABELLED] if len(share) > _LABELLED else -1.0
    columns["short"], columns["label"] = short, np.where(share >= least, short, "")
    return columns


def _short(topic: np.ndarray, name: np.ndarray) -> np.ndarray:
    """What stands below circles: names that are more than numbers, cut if they are long."""
    names = ["" if str(one) == f"topic {k}" else str(one) for k, one in zip(topic, name, strict=True)]
    return np.asarray([one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…" for one in names], str)


def document_points(table: Any, topics: Any) -> Any:
    """Draw documents among their topics, in the colours of the main ones.

    Parameters
    ----------
    table
        Columns ``document``, ``title``, ``x``, ``y``, ``topic``, ``name`` (of the topic) and ``share``, from
        ``jaxlda.topics.document_map``.
    topics
        Columns ``topic``, ``name``, ``x``, ``y`` and ``share`` of the topics, from ``jaxlda.topics.topic_map``.

    Returns
    -------
    bokeh.plotting.figure
        Its points have the name ``documents`` and a data source with the columns of :func:`document_columns`. A tap
        selects a document. The names of the topics are ``topics``, with those of :func:`map_columns`; a ring,
        ``here``, is where its data source (``x`` and ``y``) says.

    Examples
    --------
    >>> points = {"document": [0], "title": ["a"], "x": [0.0], "y": [0.0], "topic": [3], "name": ["b"], "share": [0.5]}
    >>> plot = document_points(points, {"topic": [3], "name": ["b"], "x": [0.0], "y": [0.0], "share": [1.0]})
    >>> plot.select_one({"name": "documents"}).data_source.data["color"]
    ['#4477aa']
    """
    plot = canvas("", "", match_aspect=True, tools="tap")
    points = plot.scatter(
        "x",
        "y",
        size=7,
        color="color",
        source=ColumnDataSource(document_columns(table)),
        name="documents",
        fill_alpha=0.7,
        line_alpha=0.0,
        nonselection_fill_alpha=0.7,
        nonselection_line_alpha=0.0,
    )
    ring = {"size": 16, "fill_alpha": 0.0, "line_color": CHOSEN, "line_width": 3}
    plot.scatter("x", "y", source=ColumnDataSource({"x": [], "y": []}), name="here", **ring)
    plot.text(
        "x",
        "y",
        "label",
        source=ColumnDataSource(map_columns(topics)),
        name="topics",
        text_font_size="11px",
        text_color=INK,
        text_align="center",
        text_baseline="middle",
    )
    tips = [("document", "@document"), ("title", "@title"), ("main topic", "@name"), ("share", "@share{0%}")]
    hover(plot, *tips, renderers=[points])
    plot.axis.visible = False
    return plot


def document_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`document_points`: those of the table, and ``color``, grey where topics outnumber colours.

    >>> columns = dict.fromkeys(("document", "title", "x", "y", "name", "share"), [0, 1])
    >>> document_columns(columns | {"topic": [3, 3]})["color"]
    ['#4477aa', '#4477aa']
    """
    names = ("document", "title", "x", "y", "topic", "name", "share")
    colors = topic_colors(np.asarray(table["topic"]))
    columns = {name: np.asarray(table[name]) for name in names}
    return columns | {"color": [colors.get(topic, GREY) for topic in columns["topic"].tolist()]}


def topic_images(phi: Any, side: int) -> Any:
    """Draw topics whose words are pixels (``jaxlda.topics.image_side``) as images, in rows of five or more.

    Parameters
    ----------
    phi
        The topics ``(K, side * side)``.
    side
        Of the images.

    Returns
    -------
    bokeh.plotting.figure
        Its frames have the name ``images`` and a data source with the columns of :func:`image_columns`. A tap selects a
        topic.

    Examples
    --------
    >>> topic_images(np.full((6, 4), 0.25), 2).select_one({"name": "images"}).data_source.data["y"]
    [0.0, 0.0, 0.0, 0.0, 0.0, -1.3]
    """
    plot = canvas("", "", tools="tap", match_aspect=True)
    source = ColumnDataSource(image_columns(phi, side))
    colors = LinearColorMapper(palette="Cividis256", low=0)
    images = plot.image("image", "x", "y", 1, 1, source=source, color_mapper=colors)
    images.nonselection_glyph = None  # as bright as the chosen one
    # Images cannot be tapped: frames can, and show what is chosen.
    frames = plot.rect(
        "middle",
        "height",
        1,
        1,
        source=source,
        name="images",
        fill_alpha=0,
        line_color="#999999",
        selection_line_color=CHOSEN,
        selection_line_width=4,
        nonselection_line_alpha=1.0,
    )
    numbers = {"text_align": "center", "text_baseline": "top", "text_color": "#888888", "text_font_size": "11px"}
    plot.text("middle", "y", "topic", source=source, nonselection_text_alpha=1.0, **numbers)
    hover(plot, ("topic", "@topic"), renderers=[frames])
    plot.axis.visible = plot.grid.visible = False
    return plot


def image_columns(phi: Any, side: int) -> dict[str, Any]:
    """The columns of :func:`topic_images`: images, and where they stand. Bokeh draws the last row of an image on top.

    Examples
    --------
    >>> image_columns([[0, 0.25, 0.5, 0.25]], 2)["image"][0].tolist()
    [[0.5, 0.25], [0.0, 0.25]]
    """
    images = np.asarray(phi, np.float32).reshape(-1, side, side)[:, ::-1]
    topics = list(range(len(images)))
    columns = max(5, math.ceil(len(images) ** 0.5))
    x = [1.1 * (k % columns) for k in topics]
    y = [1.3 * -(k // columns) for k in topics]
    middle, height = [left + 0.5 for left in x], [bottom + 0.5 for bottom in y]
    return {"topic": topics, "x": x, "y": y, "middle": middle, "height": height, "image": list(images)}
