"""Figures of groups of documents: topics over time, and in parties, authors, ..."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource
from bokeh.models.annotations import Span, Whisker

from jaxlda.plots.canvas import COLORS, canvas, hiding, hover
from jaxlda.plots.notebook import drawn_from
from jaxlda.topics.fitted import fitted
from jaxlda.topics.prevalence import prevalence as table_of_groups
from jaxlda.topics.words import best_words

__all__ = ["effects", "prevalence"]

_WORDS = 3


def prevalence(
    model: Any, by: Any, topics: Sequence[int | str] | int = 5, *, words: bool = True, **options: Any
) -> Any:
    """The share of topics in groups of documents, with bands: lines over numbers such as years, points otherwise.

    Parameters
    ----------
    model
        A fitted model, or a run.
    by
        A column of the metadata, several, or a value for each document.
    topics
        Which, by number or name; or how many of those whose share varies most.
    words
        Whether the legend has the first words of topics that have no name.
    **options
        Those of ``jaxlda.topics.prevalence``: ``width``, ``level``, ``bands``, ...

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.prevalence``. A click on the legend hides a topic.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.datasets.load("bars", num_docs=20).with_metadata({"year": [1990, 2000] * 10})
    >>> model = jaxlda.LDA(num_topics=3, num_warmup=5, num_chains=1, progress=False).fit(corpus)
    >>> jaxlda.plots.table_of(prevalence(model, "year")).year.tolist()
    [1990, 1990, 1990, 2000, 2000, 2000]
    """
    table = table_of_groups(model, by, **options)
    names = _names(model, table, words)
    chosen = _chosen(table, topics if isinstance(topics, int | np.integer) else _by_name(model, topics))
    columns = list(table.columns[: table.columns.get_loc("topic")])
    numeric = len(columns) == 1 and table[columns[0]].dtype.kind in "iuf"
    drawn = table[table.topic.isin(chosen)]
    x_label = ", ".join(columns)
    if numeric:
        plot = canvas(x_label, "share", width=760)
        for i, k in enumerate(chosen):
            own = drawn[drawn.topic == k]
            _line(plot, own[columns[0]], own, names[k], COLORS[i % len(COLORS)])
    else:
        groups = [", ".join(map(str, row)) for row in table[columns].drop_duplicates().itertuples(index=False)]
        plot = canvas(x_label, "share", width=760, x_range=groups)
        for i, k in enumerate(chosen):
            _points(plot, groups, drawn[drawn.topic == k], names[k], COLORS[i % len(COLORS)], i, len(chosen))
        plot.xaxis.major_label_orientation = 0.8
    plot.y_range.start = 0
    plot.add_layout(plot.legend[0], "right")
    plot.legend.label_text_font_size = "11px"
    return drawn_from(hiding(plot), drawn.reset_index(drop=True))


def effects(model: Any, covariate: str | None = None, topics: int = 20, *, words: bool = True, **options: Any) -> Any:
    """How a covariate changes what documents are about: a point for each topic, with its interval.

    Right of the line, topics are expected more often where the covariate is larger, or has this value.

    Parameters
    ----------
    model
        A model that was fitted with ``covariates``.
    covariate
        Its name, as in ``model.effects()``; the first after the intercept if not given.
    topics
        How many, of the largest effects in either direction.
    words
        Whether topics without names show their first words.
    **options
        Those of ``model.effects``: ``level``, ``chain``.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from the rows of ``model.effects()`` that it shows, the largest effect on top.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr", "dog bark"] * 9).with_metadata({"who": ["a", "b"] * 9})
    >>> model = jaxlda.LDA(2, covariates=["who"], num_warmup=40, num_chains=1, progress=False).fit(corpus)
    >>> jaxlda.plots.table_of(effects(model)).covariate.unique().tolist()
    ['who: b']
    """
    if not callable(getattr(model, "effects", None)):
        raise TypeError(f"expected a model that was fitted with covariates; got a {type(model).__name__}")
    table = model.effects(**options)
    known = [name for name in table.covariate.unique().tolist() if name != "intercept"]
    covariate = known[0] if covariate is None else covariate
    if covariate not in known:
        raise ValueError(f"there is no covariate {covariate!r}; there are {', '.join(map(repr, known))}")
    own = table[table.covariate == covariate]
    own = own.loc[own.effect.abs().sort_values(ascending=False, kind="stable").index[:topics]]
    own = own.sort_values("effect", ascending=False, kind="stable").reset_index(drop=True)
    names = _names(model, table, words)
    labels = [names[k] for k in own.topic.tolist()]
    plot = canvas(f"effect of {covariate} (log of α)", "", width=760, y_range=labels[::-1], height=90 + 22 * len(own))
    columns = {key: own[key].to_numpy() for key in ("effect", "low", "high")} | {"name": labels}
    source = ColumnDataSource(columns | {"times": np.exp(own.effect.to_numpy())})
    plot.add_layout(Span(location=0, dimension="height", line_color="#888888", line_dash="dashed"))
    plot.add_layout(Whisker(base="name", lower="low", upper="high", dimension="width", source=source, level="overlay"))
    dots = plot.scatter("effect", "name", size=9, color=COLORS[0], source=source)
    band = "@effect{0.00} (@low{0.00} to @high{0.00})"
    hover(plot, ("", "@name"), ("effect", band), ("α times", "@times{0.00}"), renderers=[dots])
    return drawn_from(plot, own)


def _names(model: Any, table: pd.DataFrame, words: bool) -> dict[int, str]:
    numbers = table.topic.unique().tolist()
    if "name" in table:
        return dict(zip(table.topic.tolist(), table.name.tolist(), strict=True))
    if not words or not hasattr(model, "vocab_"):
        return {k: f"topic {k}" for k in numbers}
    about = fitted(model)
    best = best_words(about.phi(), about.vocab, _WORDS)
    return {k: f"{k} {' '.join(best[k])}" for k in numbers}


def _by_name(model: Any, topics: Sequence[int | str]) -> list[Any]:
    """Topics by their numbers."""
    return [model.topic_number(k) if isinstance(k, str) and hasattr(model, "topic_number") else k for k in topics]


def _chosen(table: pd.DataFrame, topics: Sequence[int] | int) -> list[int]:
    if not isinstance(topics, int | np.integer):
        known = set(table.topic.tolist())
        if unknown := [k for k in topics if k not in known]:
            raise ValueError(f"there is no topic {unknown[0]}: there are 0 to {max(known)}")
        return [int(k) for k in topics]
    spread = table.groupby("topic").share.agg(np.ptp)
    return spread.sort_values(ascending=False, kind="stable").index[:topics].tolist()


def _line(plot: Any, x: pd.Series, own: pd.DataFrame, name: str, color: str) -> None:
    columns = {"x": x, "share": own.share, "low": own.low, "high": own.high, "documents": own.documents}
    source = ColumnDataSource({key: value.to_numpy() for key, value in columns.items()} | {"name": [name] * len(own)})
    plot.varea("x", "low", "high", fill_color=color, fill_alpha=0.2, legend_label=name, source=source)
    line = plot.line("x", "share", color=color, line_width=2, legend_label=name, source=source)
    hover(plot, *_tips(), renderers=[line])


def _points(plot: Any, groups: list[str], own: pd.DataFrame, name: str, color: str, i: int, of: int) -> None:
    """Points beside each other in their group, with whiskers."""
    shift = 0.6 * ((i + 0.5) / of - 0.5)
    columns: dict[str, Any] = {"x": [(group, shift) for group in groups], "name": [name] * len(own)}
    columns |= {key: own[key].to_numpy() for key in ("share", "low", "high", "documents")}
    source = ColumnDataSource(columns)
    plot.add_layout(Whisker(base="x", lower="low", upper="high", source=source, line_color=color, level="overlay"))
    dots = plot.scatter("x", "share", color=color, size=8, legend_label=name, source=source)
    hover(plot, *_tips(), renderers=[dots])


def _tips() -> list[tuple[str, str]]:
    band = "@share{0.0%} (@low{0.0%} to @high{0.0%})"
    return [("", "@name"), ("", "@x"), ("share", band), ("documents", "@documents")]
