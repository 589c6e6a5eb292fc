"""Estimators side by side. Figures take tables, or Bokeh data sources whose data are exchanged as estimates improve."""

from typing import Any

import numpy as np
from jaxtyping import Float, Num

from jaxlda.plots.figures import COLORS, _figure

__all__ = ["PAIRS", "lines_between", "perplexity_by_samples", "proportions", "ranking_table", "rankings"]

_INK = "#6e7781"  # can be read on white and on black

PAIRS = {
    ("phi", "theta"): "φ + θ",
    ("phi", "theta_p"): "φ + θᵖ",
    ("phi_p", "theta"): "φᵖ + θ",
    ("phi_p", "theta_p"): "φᵖ + θᵖ",
}
"""The four pairs of estimators, as people write them."""


def proportions(table: Any) -> Any:
    """Draw the topic proportions of a document by both estimators, two bars a topic.

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
    plot, source = _drawn_from(table, "topic", "share of the document")
    from bokeh.models.tickers import BasicTicker
    from bokeh.transform import dodge

    plot.xaxis.ticker = BasicTicker(min_interval=1, num_minor_ticks=0)
    plot.y_range.start = 0
    for name, label, color, shift in (("theta", "θ", COLORS[3], -0.2), ("theta_p", "θᵖ", COLORS[0], 0.2)):
        plot.vbar(
            dodge("topic", shift), top=name, width=0.38, source=source, color=color, legend_label=label, name=name
        )
    _hover(plot, ("topic", "@topic"), ("words", "@words"), ("θ", "@theta{0.000}"), ("θᵖ", "@theta_p{0.000}"))
    return plot


def perplexity_by_samples(table: Any) -> Any:
    """Draw held-out perplexity against the number of samples of theta, a line for each pair of estimators.

    Parameters
    ----------
    table
        Columns ``samples`` and those pairs of ``PAIRS`` that there are, by their values; NaN where one is unknown.

    Examples
    --------
    >>> plot = perplexity_by_samples({"samples": [1, 2], "φ + θ": [90.0, 80.0], "φ + θᵖ": [82.0, 79.0]})
    >>> [item.label.value for item in plot.legend[0].items]
    ['φ + θ', 'φ + θᵖ']
    """
    plot, source = _drawn_from(table, "samples averaged over", "held-out perplexity")
    from bokeh.models.tickers import BasicTicker

    plot.xaxis.ticker = BasicTicker(min_interval=1, num_minor_ticks=0)
    style = zip(PAIRS.values(), COLORS, ("circle", "square", "triangle", "diamond"), strict=False)
    for pair, color, marker in style:
        if pair not in source.data:
            continue
        plot.line("samples", pair, source=source, color=color, line_width=2, legend_label=pair, name=pair)
        plot.scatter("samples", pair, source=source, color=color, marker=marker, size=7, legend_label=pair)
    plot.legend.click_policy = "hide"
    _hover(plot, ("samples", "@samples"), *((pair, f"@{{{pair}}}{{0.0}}") for pair in source.data if pair != "samples"))
    return plot


def ranking_table(
    first: Float[np.ndarray, " V"], second: Float[np.ndarray, " V"], vocab: np.ndarray, n: int = 15, leave_out: Any = ()
) -> Any:
    """The words that either of two scores puts among its best, with their ranks by both.

    Parameters
    ----------
    first, second
        Scores of all words, higher is better; of equal ones, the first word wins.
    vocab
        The words.
    n
        How many words are best.
    leave_out
        Numbers of words that do not compete, such as the cue of a word association.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``first_rank``, ``second_rank`` (from 1), ``first`` and ``second`` (the scores), by the sum of
        both ranks, then by the second.

    Examples
    --------
    >>> vocab = np.array(["ant", "cat", "dog"])
    >>> ranking_table(np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7]), vocab, n=1).values.tolist()
    [['dog', 3, 1, 0.2, 0.7], ['ant', 1, 3, 0.5, 0.1]]
    """
    import pandas as pd

    rivals = np.setdiff1d(np.arange(len(vocab)), np.asarray(leave_out, dtype=np.int64))
    ranks = [_ranks(np.asarray(score)[rivals]) for score in (first, second)]
    best = np.flatnonzero((ranks[0] <= n) | (ranks[1] <= n))
    best = best[np.lexsort((ranks[1][best], (ranks[0] + ranks[1])[best]))]
    columns = {"word": vocab[rivals[best]].tolist()}
    columns |= {name: rank[best] for name, rank in zip(("first_rank", "second_rank"), ranks, strict=True)}
    columns |= {name: np.asarray(score)[rivals[best]] for name, score in (("first", first), ("second", second))}
    return pd.DataFrame(columns)


def rankings(table: Any, labels: tuple[str, str] = ("φ", "φᵖ"), n: int = 15) -> Any:
    """Draw two rankings of words beside each other, with a line from each word to itself.

    Parameters
    ----------
    table
        What :func:`lines_between` makes of a :func:`ranking_table`.
    labels
        What the words are ranked by.
    n
        The ranks shown; words beyond stand below.

    Examples
    --------
    >>> vocab, scores = np.array(["ant", "cat"]), np.array([0.1, 0.2])
    >>> plot = rankings(lines_between(ranking_table(scores, scores, vocab, n=1), n=1), n=1)
    >>> plot.xaxis.major_label_overrides
    {0: 'φ', 1: 'φᵖ'}
    """
    plot, source = _drawn_from(table, "", "rank", x_range=(-0.9, 1.9), y_range=(n + 1.8, 0.2))
    plot.xaxis.ticker, plot.xaxis.major_label_overrides = [0, 1], {0: labels[0], 1: labels[1]}
    plot.yaxis.ticker = list(range(1, n + 1))
    plot.xgrid.visible = plot.ygrid.visible = False
    for side, align in (("left", "right"), ("right", "left")):
        x = {"left": -0.04, "right": 1.04}[side]
        style = {"text_align": align, "text_baseline": "middle", "text_font_size": "13px", "text_color": _INK}
        plot.text(x, f"{side}_rank", f"{side}_word", source=source, name=side, **style)
    lines = plot.segment(0, "left_rank", 1, "right_rank", source=source, color="color", line_width=2)
    tips = [("word", "@word"), (labels[0], "rank @first_rank, p = @first{0.00000}")]
    _hover(plot, *tips, (labels[1], "rank @second_rank, p = @second{0.00000}"), renderers=[lines])
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


def _ranks(scores: Num[np.ndarray, " V"]) -> Num[np.ndarray, " V"]:
    ranks = np.empty(scores.size, np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, scores.size + 1)
    return ranks


def _drawn_from(table: Any, x: str, y: str, **options: Any) -> tuple[Any, Any]:
    """A figure and the data source it is drawn from: the one given, or one of the table given."""
    plot = _figure(x, y, **options)
    from bokeh.models import ColumnDataSource

    return plot, table if isinstance(table, ColumnDataSource) else ColumnDataSource(dict(table))


def _hover(plot: Any, *tips: tuple[str, str], renderers: Any = "auto") -> None:
    from bokeh.models import HoverTool

    plot.add_tools(HoverTool(tooltips=list(tips), renderers=renderers))
