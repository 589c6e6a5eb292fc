"""Words ranked by two estimates of phi, beside each other."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource

from jaxlda.plots.canvas import COLORS, HARD, INK, SOFT, canvas, canvas_and_source, hover

__all__ = ["lines_between", "rankings", "word_rank_columns", "word_rank_lines"]


def word_rank_lines(table: Any) -> Any:
    """Draw the ranks of words by two estimates of a topic, joined by a line.

    Parameters
    ----------
    table
        Columns ``word``, ``rank`` and ``rank_p``, from ``jaxlda.topics.rank_changes``.

    Returns
    -------
    bokeh.plotting.figure
        Its lines have the name ``ranks`` and a data source with the columns of :func:`word_rank_columns`; the words are
        the factors of ``y_range``, the last one on top.

    Examples
    --------
    >>> word_rank_lines({"word": ["cat", "dog"], "rank": [40, 3], "rank_p": [8, 2]}).y_range.factors
    ['dog', 'cat']
    """
    columns = word_rank_columns(table)
    plot = canvas("rank of the word (1 is the top)", "", y_range=columns["word"][::-1], x_axis_type="log")
    source = ColumnDataSource(columns)
    plot.xaxis.ticker.mantissas = [1, 2, 5]
    plot.segment("rank", "word", "rank_p", "word", source=source, name="ranks", line_color="#999999", line_width=2)
    for name, marker, color, text in (
        ("rank", "circle", HARD, "by φ: hard counts"),
        ("rank_p", "diamond", SOFT, "by φᵖ: soft counts"),
    ):
        plot.scatter(name, "word", source=source, marker=marker, size=11, color=color, legend_label=text)
    hover(plot, ("word", "@word"), ("rank by φ", "@rank{0.0}"), ("rank by φᵖ", "@rank_p{0.0}"))
    plot.add_layout(plot.legend[0], "above")
    plot.legend.orientation = "horizontal"
    return plot


def word_rank_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`word_rank_lines`, which are those of the table.

    Examples
    --------
    >>> word_rank_columns({"word": ["cat"], "rank": [40], "rank_p": [8]})["rank"].tolist()
    [40.0]
    """
    words = [str(word) for word in np.asarray(table["word"]).tolist()]
    return {"word": words} | {name: np.asarray(table[name], np.float64) for name in ("rank", "rank_p")}


def rankings(table: Any, labels: tuple[str, str] = ("φ", "φᵖ"), n: int = 15) -> Any:
    """Draw two rankings of words beside each other, with a line from each word to itself.

    Parameters
    ----------
    table
        What :func:`lines_between` makes of a ``jaxlda.topics.ranking_table``.
    labels
        What the words are ranked by.
    n
        The ranks shown; words beyond stand below.

    Examples
    --------
    >>> from jaxlda.topics import ranking_table
    >>> vocab, scores = np.array(["ant", "cat"]), np.array([0.1, 0.2])
    >>> plot = rankings(lines_between(ranking_table(scores, scores, vocab, n=1), n=1), n=1)
    >>> plot.xaxis.major_label_overrides
    {0: 'φ', 1: 'φᵖ'}
    """
    plot, source = canvas_and_source(table, "", "rank", x_range=(-0.9, 1.9), y_range=(n + 1.8, 0.2))
    plot.xaxis.ticker, plot.xaxis.major_label_overrides = [0, 1], {0: labels[0], 1: labels[1]}
    plot.yaxis.ticker = list(range(1, n + 1))
    plot.xgrid.visible = plot.ygrid.visible = False
    for side, align in (("left", "right"), ("right", "left")):
        x = {"left": -0.04, "right": 1.04}[side]
        style = {"text_align": align, "text_baseline": "middle", "text_font_size": "13px", "text_color": INK}
        plot.text(x, f"{side}_rank", f"{side}_word", source=source, name=side, **style)
    lines = plot.segment(0, "left_rank", 1, "right_rank", source=source, color="color", line_width=2)
    tips = [("word", "@word"), (labels[0], "rank @first_rank, p = @first{0.00000}")]
    hover(plot, *tips, (labels[1], "rank @second_rank, p = @second{0.00000}"), renderers=[lines])
    return plot


def lines_between(table: Any, n: int = 15) -> dict[str, Any]:
    """Where the words and lines of :func:`rankings` go: words beyond rank ``n`` have their end below, without a name.

    >>> table = {"word": ["ant"], "first_rank": [1], "second_rank": [9], "first": [0.2], "second": [0.1]}
    >>> {name: list(values) for name, values in lines_between(table, n=2).items() if name.startswith("right")}
    {'right_rank': [3.3], 'right_word': ['']}
    """
    first, second = (np.asarray(table[name]) for name in ("first_rank", "second_rank"))
    words = [str(word) for word in table["word"]]
    risen = np.select([second < first, second > first], [COLORS[0], COLORS[1]], COLORS[-1])
    columns: dict[str, Any] = {name: list(table[name]) for name in ("first", "second", "first_rank", "second_rank")}
    columns |= {"word": words, "color": risen.tolist()}
    for side, rank in (("left", first), ("right", second)):
        columns[f"{side}_rank"] = np.where(rank <= n, rank, n + 1.3).tolist()
        columns[f"{side}_word"] = [word if shown else "" for word, shown in zip(words, rank <= n, strict=True)]
    return columns
