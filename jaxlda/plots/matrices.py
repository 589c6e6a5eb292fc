"""The topics of chains against each other, as squares that are bright where topics are alike."""

from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper
from bokeh.models.annotations import ColorBar

from jaxlda.plots.canvas import canvas, hover

__all__ = ["aligned_columns", "aligned_matrix", "stability_columns", "stability_matrix"]


def stability_matrix(table: Any) -> Any:
    """Draw whether other chains have the topics of one: a square for each topic and chain, bright where they are alike.

    Parameters
    ----------
    table
        Columns ``topic``, ``name``, ``chain``, ``partner`` and ``similarity``, from
        ``jaxlda.topics.stability_table``.

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
    plot = canvas("topic of this chain", "chain", tools="tap")
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
    tips = [("topic", "@topic"), ("name", "@name"), ("chain", "@chain"), ("its topic", "@number")]
    hover(plot, *tips, ("mass in common", "@similarity{0%}"), renderers=[squares])
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


def aligned_matrix(table: Any) -> Any:
    """Draw how alike the topics of two chains are: a bright diagonal where those of one have partners in the other.

    Parameters
    ----------
    table
        From ``jaxlda.topics.similarity_table``.

    Returns
    -------
    bokeh.plotting.figure
        Its image has the name ``aligned`` and a data source with the columns of :func:`aligned_columns`.

    Examples
    --------
    >>> import pandas as pd
    >>> aligned_matrix(pd.DataFrame([[1.0, 0.2], [0.1, 0.9]], columns=[1, 0])).y_range.flipped
    True
    """
    plot = canvas("topics of the other chain, in the order of their partners", "topic of this chain", tools="")
    source = ColumnDataSource(aligned_columns(table))
    colors = LinearColorMapper(palette="Cividis256", low=0, high=1)
    image = plot.image("image", "start", "start", "size", "size", source=source, color_mapper=colors, name="aligned")
    tips = [("topic", "@topic"), ("topic of the other chain", "@partner"), ("mass in common", "@image{0%}")]
    hover(plot, *tips, renderers=[image])
    plot.add_layout(ColorBar(color_mapper=colors, title="mass in common"), "right")
    plot.y_range.flipped = True  # as a table is read
    plot.x_range.range_padding = plot.y_range.range_padding = 0
    plot.xaxis.major_label_text_font_size = "0px"  # places, not numbers
    plot.xaxis.major_tick_line_color = plot.xaxis.minor_tick_line_color = plot.yaxis.minor_tick_line_color = None
    plot.yaxis.ticker.min_interval = 1
    plot.grid.visible = False
    return plot


def aligned_columns(table: Any) -> dict[str, Any]:
    """The columns of :func:`aligned_matrix`: an image, and the topics of both chains for every point of it.

    Examples
    --------
    >>> import pandas as pd
    >>> aligned_columns(pd.DataFrame([[1.0, 0.2], [0.1, 0.9]], columns=[1, 0]))["partner"][0].tolist()
    [[1, 0], [1, 0]]
    """
    similarity = np.asarray(table, np.float32)
    K = len(similarity)
    topic, partner = np.meshgrid(np.arange(K), np.asarray(table.columns, np.int32), indexing="ij")
    points = {"image": similarity, "topic": topic.astype(np.int32), "partner": partner}
    some = 1 if K else 0
    return {name: [values] * some for name, values in points.items()} | {"start": [-0.5] * some, "size": [K] * some}
