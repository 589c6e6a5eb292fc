"""Bars: the words of a topic, the topics of a document, hard and soft counts, and how many documents have which gap."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Span
from bokeh.models.tickers import BasicTicker
from bokeh.transform import dodge

from jaxlda.plots.canvas import COLORS, GREY, HARD, SOFT, canvas, canvas_and_source, hover

__all__ = [
    "document_bars",
    "gap_histogram",
    "hard_and_soft",
    "hard_soft_difference",
    "proportion_bars",
    "proportions",
    "topic_word_bars",
    "topic_word_columns",
    "word_bars",
    "word_columns",
]

TITLE = 40  # letters of a title beside a bar


def word_bars(table: Any, color: str = COLORS[0]) -> Any:
    """Draw the words of a topic as bars, the most relevant on top.

    Parameters
    ----------
    table
        Columns ``word``, ``probability`` and ``lift``, from ``jaxlda.topics.word_table``; and ``shared``, if
        words that another list has too are to be told apart: the others are drawn with stripes.
    color
        Of the bars.

    Returns
    -------
    bokeh.plotting.figure
        The bars have the name ``words`` and a data source with the columns of :func:`word_columns`; the words are the
        factors of ``y_range``, the last one on top.

    Examples
    --------
    >>> word_bars({"word": ["cat", "dog"], "probability": [0.3, 0.2], "lift": [2.0, 1.5]}).y_range.factors
    ['dog', 'cat']
    """
    columns = word_columns(table)
    plot = canvas("probability in the topic", "", y_range=columns["word"][::-1])
    source = ColumnDataSource(columns)
    plot.hbar(
        "word",
        0.8,
        "probability",
        source=source,
        name="words",
        fill_color=color,
        line_color=None,
        hatch_pattern="pattern",
        hatch_color="white",
        hatch_alpha=0.6,
    )
    hover(plot, ("word", "@word"), ("probability", "@probability{0.0000}"), ("lift", "@lift{0.0}"))
    plot.x_range.start = 0
    plot.ygrid.visible = False
    return plot


def word_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`word_bars`: those of the table and ``pattern``, stripes where a word is not shared.

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


def topic_word_bars(table: Any) -> Any:
    """Draw the words of a topic before how often they occur at all: tokens of the topic, and all tokens in grey.

    Parameters
    ----------
    table
        Columns ``word``, ``probability``, ``lift``, ``tokens`` (of the word in the topic) and ``all`` (in the corpus).

    Returns
    -------
    bokeh.plotting.figure
        The bars have the names ``all`` and ``words`` and one data source, with the columns of
        :func:`topic_word_columns`; the words are the factors of ``y_range``, the last one on top.

    Examples
    --------
    >>> table = {"word": ["cat", "dog"], "probability": [0.3, 0.2], "lift": [2, 1.5], "tokens": [9, 6], "all": [10, 8]}
    >>> topic_word_bars(table).y_range.factors
    ['dog', 'cat']
    """
    columns = topic_word_columns(table)
    plot = canvas("tokens", "", y_range=columns["word"][::-1], height=400)
    source = ColumnDataSource(columns)
    plot.hbar("word", 0.8, "all", source=source, name="all", fill_color=GREY, fill_alpha=0.5, line_color=None)
    own = plot.hbar("word", 0.8, "tokens", source=source, name="words", fill_color=SOFT, line_color=None)
    tips = [("word", "@word"), ("in the topic", "@tokens{0,0.0}"), ("in all documents", "@all{0,0}")]
    hover(plot, *tips, ("probability", "@probability{0.0000}"), ("lift", "@lift{0.0}"), renderers=[own])
    plot.x_range.start = 0
    plot.ygrid.visible = False
    return plot


def topic_word_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`topic_word_bars`: those of the table.

    >>> topic_word_columns({"word": ["a"], "probability": [0.2], "lift": [2], "tokens": [1], "all": [3]})["word"]
    ['a']
    """
    words = [str(word) for word in np.asarray(table["word"]).tolist()]
    return {"word": words} | {name: np.asarray(table[name]) for name in ("probability", "lift", "tokens", "all")}


def document_bars(table: Any) -> Any:
    """Draw the documents that are most about a topic as bars, the largest share on top.

    Parameters
    ----------
    table
        Columns ``document``, ``title``, ``share`` and ``tokens``, from ``jaxlda.topics.top_documents``.

    Examples
    --------
    >>> plot = document_bars({"document": [4, 7], "title": ["cats", "dogs"], "share": [0.9, 0.8], "tokens": [50, 20]})
    >>> plot.y_range.factors
    ['7: dogs', '4: cats']
    """
    columns: dict[str, Any] = {name: np.asarray(table[name]) for name in ("document", "title", "share", "tokens")}
    columns["place"] = [  # titles may be the same, and long
        f"{number}: {title if len(title) <= TITLE else title[: TITLE - 1] + '…'}"
        for number, title in zip(columns["document"].tolist(), map(str, columns["title"].tolist()), strict=True)
    ]
    plot = canvas("share of the document", "", y_range=columns["place"][::-1], x_range=(0, 1))
    source = ColumnDataSource(columns)
    plot.hbar("place", 0.8, "share", source=source, name="documents", fill_color=SOFT, line_color=None)
    hover(plot, ("document", "@document"), ("title", "@title"), ("share", "@share{0.0%}"), ("tokens", "@tokens{0,0}"))
    plot.ygrid.visible = False
    return plot


def proportions(table: Any) -> Any:
    """Draw the topic proportions of a document by both estimators, two bars per topic.

    Parameters
    ----------
    table
        Columns ``topic``, ``theta``, ``theta_p`` and ``words`` (a text about the topic).

    Examples
    --------
    >>> plot = proportions({"topic": [0, 1], "theta": [0.9, 0.1], "theta_p": [0.8, 0.2], "words": ["cat", "dog"]})
    >>> plot.yaxis.axis_label
    'share of the document'
    """
    plot, source = canvas_and_source(table, "topic", "share of the document")
    plot.xaxis.ticker = BasicTicker(min_interval=1, num_minor_ticks=0)
    plot.y_range.start = 0
    for name, label, color, shift in (("theta", "θ", HARD, -0.2), ("theta_p", "θᵖ", SOFT, 0.2)):
        plot.vbar(
            dodge("topic", shift), top=name, width=0.38, source=source, color=color, legend_label=label, name=name
        )
    hover(plot, ("topic", "@topic"), ("words", "@words"), ("θ", "@theta{0.000}"), ("θᵖ", "@theta_p{0.000}"))
    return plot


def proportion_bars(table: Any) -> Any:
    """Draw the largest topic proportions of a document by both estimators, the largest on top.

    Parameters
    ----------
    table
        Columns ``place`` (a different text for each), ``theta``, ``theta_p`` and ``words``, the largest first.

    Returns
    -------
    bokeh.plotting.figure
        The places are the factors of ``y_range``, the last one on top.

    Examples
    --------
    >>> table = {"place": ["1 dog", "0 cat"], "theta": [0.9, 0.1], "theta_p": [0.8, 0.2], "words": ["dog", "cat"]}
    >>> proportion_bars(table).y_range.factors
    ['0 cat', '1 dog']
    """
    places = [str(place) for place in np.asarray(table["place"]).tolist()]
    columns: dict[str, Any] = {name: np.asarray(table[name]) for name in ("theta", "theta_p", "words")}
    plot = canvas("share of the document", "", y_range=places[::-1], height=360)
    source = ColumnDataSource({"place": places} | columns)
    for name, label, color, shift in (("theta_p", "θᵖ", SOFT, 0.2), ("theta", "θ", HARD, -0.2)):
        where = dodge("place", shift, range=plot.y_range)
        plot.hbar(where, 0.36, name, source=source, color=color, legend_label=label, name=name)
    hover(plot, ("topic", "@place"), ("words", "@words"), ("θ", "@theta{0.000}"), ("θᵖ", "@theta_p{0.000}"))
    plot.legend.location = "bottom_right"
    plot.x_range.start = 0
    plot.ygrid.visible = False
    return plot


def hard_and_soft(table: Any, label: str = "tokens", name: str = "counts") -> Any:
    """Draw hard and soft counts as bars side by side, a pair for each topic.

    Parameters
    ----------
    table
        Columns ``topic``, ``name``, ``hard`` and ``soft``, from ``jaxlda.topics.hard_soft_table``.
    label
        What is counted.
    name
        Of the hard counts' bars. They have the same data source as the soft counts': new columns move both.

    Examples
    --------
    >>> from jaxlda.topics import hard_soft_table
    >>> plot = hard_and_soft(hard_soft_table(np.array([2, 0]), np.array([1.5, 0.5])))
    >>> plot.select_one({"name": "counts"}).data_source.data["soft"].tolist()
    [1.5, 0.5]
    """
    plot, source = _bars(table, label)
    for kind, color, side in (("hard", HARD, -0.2), ("soft", SOFT, 0.2)):
        plot.vbar(
            dodge("topic", side),
            0.38,
            kind,
            source=source,
            name=name if kind == "hard" else None,
            fill_color=color,
            line_color=None,
            hatch_pattern="right_diagonal_line" if kind == "hard" else None,
            hatch_color="white",
            hatch_alpha=0.5,
            legend_label={"hard": "hard: tokens counted", "soft": "soft: probabilities summed"}[kind],
        )
    plot.legend.orientation = "horizontal"
    plot.legend.background_fill_alpha = 0.5
    plot.add_layout(plot.legend[0], "above")
    return plot


def hard_soft_difference(table: Any, name: str = "difference") -> Any:
    """Draw the differences of soft and hard counts, a bar for each topic.

    Parameters
    ----------
    table
        Columns ``topic``, ``name`` and ``difference``, from ``jaxlda.topics.hard_soft_table``.
    name
        Of the bars.

    Examples
    --------
    >>> from jaxlda.topics import hard_soft_table
    >>> hard_soft_difference(hard_soft_table(np.array([2, 0]), np.array([1.5, 0.5]))).yaxis.axis_label
    'soft minus hard'
    """
    plot, source = _bars(table, "soft minus hard")
    plot.vbar("topic", 0.8, "difference", source=source, name=name, fill_color=SOFT, line_color=None)
    return plot


def gap_histogram(table: Any) -> Any:
    """Draw how many documents have which gap.

    Parameters
    ----------
    table
        Columns ``left``, ``right`` and ``count``, from ``jaxlda.topics.histogram_table``.

    Returns
    -------
    bokeh.plotting.figure
        Its bars have the name ``histogram``; a line of the name ``chosen``, not visible at first, can mark the value of
        one document.

    Examples
    --------
    >>> from jaxlda.topics import histogram_table
    >>> plot = gap_histogram(histogram_table(np.array([0.1, 0.2])))
    >>> plot.select_one({"name": "histogram"}).data_source.data["count"].sum().item()
    2
    """
    plot = canvas("gap of a document", "documents")
    source = ColumnDataSource({name: np.asarray(table[name]) for name in ("left", "right", "count")})
    bars = plot.quad("left", "right", "count", 0, source=source, fill_color=SOFT, line_color="white", line_alpha=0.5)
    bars.name = "histogram"
    plot.add_layout(Span(dimension="height", line_color=HARD, line_width=2, visible=False, name="chosen"))
    hover(plot, ("gap", "@left{0.00} to @right{0.00}"), ("documents", "@count"))
    plot.y_range.start = 0
    return plot


def _bars(table: Any, label: str) -> tuple[Any, Any]:
    plot = canvas("topic", label)
    columns = ("topic", "name", "hard", "soft", "difference")
    source = ColumnDataSource({name: np.asarray(table[name]) for name in columns})
    numbers = [(name, f"@{name}{{0.00}}") for name in ("hard", "soft", "difference")]
    hover(plot, ("topic", "@topic"), ("name", "@name"), *numbers)
    plot.xaxis.ticker.min_interval = 1  # topics have whole numbers
    plot.xaxis.minor_tick_line_color = None
    plot.xgrid.visible = False
    return plot, source
