"""Topics as Bokeh figures: drawn once, moved by giving their data sources new columns."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxlda.plots.figures import COLORS, _figure

__all__ = [
    "image_columns",
    "intertopic_map",
    "map_columns",
    "rank_columns",
    "rank_lines",
    "stability_columns",
    "stability_matrix",
    "top_words",
    "topic_images",
    "word_columns",
]

_CHOSEN = COLORS[1]


def intertopic_map(table: Any, words: Sequence[str] | None = None) -> Any:
    """Draw the map of the topics: circles as large as the topics, far from each other if their words differ.

    Parameters
    ----------
    table
        Columns ``topic``, ``name``, ``x``, ``y`` and ``share``, from ``jaxlda.plots.topics.topic_map``.
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
    plot = _figure("", "", match_aspect=True, tools="tap")
    plot.x_range.range_padding = plot.y_range.range_padding = 0.2  # room for circles, whose places alone count
    from bokeh.models import ColumnDataSource, HoverTool

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
        selection_fill_color=_CHOSEN,
        selection_fill_alpha=0.9,
        nonselection_fill_color=COLORS[0],
        nonselection_fill_alpha=0.85,
    )
    plot.text(
        "x",
        "y",
        "topic",
        source=source,
        text_align="center",
        text_baseline="middle",
        text_font_size="11px",
        text_color="white",
        nonselection_text_alpha=1.0,
    )
    hover = [("topic", "@topic"), ("name", "@name"), ("share of tokens", "@share{0.0%}"), ("words", "@words")]
    plot.add_tools(HoverTool(renderers=[circles], tooltips=hover))
    plot.axis.visible = False
    return plot


def map_columns(table: Any, words: Sequence[str] | None = None) -> dict[str, Any]:
    """The columns of :func:`intertopic_map`: those of the table, ``words``, and ``size``, the diameters in pixels.

    Circles are as large as the shares, but never too small to be seen and hit.

    Examples
    --------
    >>> map_columns({"topic": [0, 1], "name": ["a", "b"], "x": [0, 1], "y": [0, 1], "share": [1, 0]})["size"].tolist()
    [60.0, 16.0]
    """
    columns = {name: np.asarray(table[name]) for name in ("topic", "name", "x", "y", "share")}
    columns["words"] = np.asarray([""] * len(columns["x"]) if words is None else words)
    columns["size"] = np.maximum(60 * np.sqrt(columns["share"].astype(np.float64)), 16)
    return columns


def top_words(table: Any, label: str = "probability in the topic", color: str = COLORS[0], name: str = "words") -> Any:
    """Draw the words of a topic as bars, the most relevant on top.

    Parameters
    ----------
    table
        Columns ``word``, ``probability`` and ``lift``, from ``jaxlda.plots.topics.top_words_table``; and ``shared``, if
        words that another list has too are to be told apart: the others are drawn with stripes.
    label
        What the length of a bar is.
    color, name
        Of the bars.

    Returns
    -------
    bokeh.plotting.figure
        The bars' data source has the columns of :func:`word_columns`; the words are the factors of ``y_range``, the
        last one on top.

    Examples
    --------
    >>> top_words({"word": ["cat", "dog"], "probability": [0.3, 0.2], "lift": [2.0, 1.5]}).y_range.factors
    ['dog', 'cat']
    """
    columns = word_columns(table)
    plot = _figure(label, "", y_range=columns["word"][::-1])
    from bokeh.models import ColumnDataSource, HoverTool

    source = ColumnDataSource(columns)
    plot.hbar(
        "word",
        0.8,
        "probability",
        source=source,
        name=name,
        fill_color=color,
        line_color=None,
        hatch_pattern="pattern",
        hatch_color="white",
        hatch_alpha=0.6,
    )
    plot.add_tools(
        HoverTool(tooltips=[("word", "@word"), ("probability", "@probability{0.0000}"), ("lift", "@lift{0.0}")])
    )
    plot.x_range.start = 0
    plot.ygrid.visible = False
    return plot


def word_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`top_words`: those of the table and ``pattern``, stripes where a word is not shared.

    Examples
    --------
    >>> table = {"word": ["a", "b"], "probability": [0.2, 0.1], "lift": [2, 1], "shared": [True, False]}
    >>> word_columns(table)["pattern"]
    ['blank', 'right_diagonal_line']
    """
    words = [str(word) for word in np.asarray(table["word"]).tolist()]
    shared = np.asarray(table["shared"] if "shared" in table else [True] * len(words), bool)
    pattern = ["blank" if both else "right_diagonal_line" for both in shared.tolist()]
    return {"word": words, "pattern": pattern} | {name: np.asarray(table[name]) for name in ("probability", "lift")}


def rank_lines(table: Any) -> Any:
    """Draw the ranks of words by two estimates of a topic, joined by a line.

    Parameters
    ----------
    table
        Columns ``word``, ``rank`` and ``rank_p``, from ``jaxlda.plots.topics.rank_changes``.

    Returns
    -------
    bokeh.plotting.figure
        Its lines have the name ``ranks`` and a data source with the columns of :func:`rank_columns`; the words are the
        factors of ``y_range``, the last one on top.

    Examples
    --------
    >>> rank_lines({"word": ["cat", "dog"], "rank": [40, 3], "rank_p": [8, 2]}).y_range.factors
    ['dog', 'cat']
    """
    columns = rank_columns(table)
    plot = _figure("rank of the word (1 is the top)", "", y_range=columns["word"][::-1], x_axis_type="log")
    from bokeh.models import ColumnDataSource, HoverTool

    source = ColumnDataSource(columns)
    plot.xaxis.ticker.mantissas = [1, 2, 5]
    plot.segment("rank", "word", "rank_p", "word", source=source, name="ranks", line_color="#999999", line_width=2)
    for name, marker, color, text in (
        ("rank", "circle", COLORS[1], "by φ: hard counts"),
        ("rank_p", "diamond", COLORS[0], "by φᵖ: soft counts"),
    ):
        plot.scatter(name, "word", source=source, marker=marker, size=11, color=color, legend_label=text)
    plot.add_tools(HoverTool(tooltips=[("word", "@word"), ("rank by φ", "@rank{0.0}"), ("rank by φᵖ", "@rank_p{0.0}")]))
    plot.add_layout(plot.legend[0], "above")
    plot.legend.orientation = "horizontal"
    return plot


def rank_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`rank_lines`, which are those of the table.

    Examples
    --------
    >>> rank_columns({"word": ["cat"], "rank": [40], "rank_p": [8]})["rank"].tolist()
    [40.0]
    """
    words = [str(word) for word in np.asarray(table["word"]).tolist()]
    return {"word": words} | {name: np.asarray(table[name], np.float64) for name in ("rank", "rank_p")}


def stability_matrix(table: Any) -> Any:
    """Draw whether other chains have the topics of one: a square for each topic and chain, bright where they are alike.

    Parameters
    ----------
    table
        Columns ``topic``, ``name``, ``chain``, ``partner`` and ``similarity``, from
        ``jaxlda.plots.topics.stability_table``.

    Returns
    -------
    bokeh.plotting.figure
        Its squares have the name ``stability`` and a data source with the columns of :func:`stability_columns`. A tap
        selects one.

    Examples
    --------
    >>> table = {"topic": [0], "name": ["a"], "chain": [1], "partner": [-1], "similarity": [0.0]}
    >>> stability_matrix(table).select_one({"name": "stability"}).data_source.data["number"]
    ['–']
    """
    plot = _figure("topic of this chain", "chain", tools="tap")
    from bokeh.models import ColumnDataSource, HoverTool, LinearColorMapper
    from bokeh.models.annotations import ColorBar

    source = ColumnDataSource(stability_columns(table))
    colors = LinearColorMapper(palette="Cividis256", low=0, high=1)
    squares = plot.rect(
        "topic",
        "chain",
        0.95,
        0.95,
        source=source,
        name="stability",
        fill_color={"field": "similarity", "transform": colors},
        line_color=None,
        nonselection_fill_alpha=1.0,
    )
    plot.text(
        "topic",
        "chain",
        "number",
        source=source,
        text_align="center",
        text_baseline="middle",
        text_font_size="10px",
        text_color="ink",
        nonselection_text_alpha=1.0,
    )
    hover = [("topic", "@topic"), ("name", "@name"), ("chain", "@chain"), ("its topic", "@number")]
    plot.add_tools(HoverTool(renderers=[squares], tooltips=[*hover, ("mass in common", "@similarity{0%}")]))
    plot.add_layout(ColorBar(color_mapper=colors, title="mass in common"), "right")
    plot.xaxis.ticker.min_interval = plot.yaxis.ticker.min_interval = 1
    plot.xaxis.minor_tick_line_color = plot.yaxis.minor_tick_line_color = None
    plot.grid.visible = False
    return plot


def stability_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`stability_matrix`: those of the table, ``number``, the partner as text, and its ``ink``.

    Examples
    --------
    >>> table = {"topic": [0, 1], "name": ["a", "b"], "chain": [1, 1], "partner": [3, -1], "similarity": [0.9, 0.0]}
    >>> stability_columns(table)["number"]
    ['3', '–']
    """
    names = ("topic", "name", "chain", "partner", "similarity")
    columns: dict[str, Any] = {name: np.asarray(table[name]) for name in names}
    number = [str(k) if k >= 0 else "–" for k in columns["partner"].tolist()]
    ink = ["black" if alike > 0.5 else "white" for alike in columns["similarity"].tolist()]
    return columns | {"number": number, "ink": ink}


def topic_images(phi: Any, side: int) -> Any:
    """Draw topics whose words are pixels (``jaxlda.plots.topics.image_side``) as images, in rows of five or more.

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
    plot = _figure("", "", tools="tap", match_aspect=True)
    from bokeh.models import ColumnDataSource, HoverTool, LinearColorMapper

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
        selection_line_color=_CHOSEN,
        selection_line_width=4,
        nonselection_line_alpha=1.0,
    )
    numbers = {"text_align": "center", "text_baseline": "top", "text_color": "#888888", "text_font_size": "11px"}
    plot.text("middle", "y", "topic", source=source, nonselection_text_alpha=1.0, **numbers)
    plot.add_tools(HoverTool(renderers=[frames], tooltips=[("topic", "@topic")]))
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
