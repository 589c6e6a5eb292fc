"""The topics of two chains, one against the other, as a Bokeh figure."""

from typing import Any

import numpy as np

from jaxlda.plots.figures import _figure

__all__ = ["aligned_columns", "aligned_matrix"]


def aligned_matrix(table: Any) -> Any:
    """Draw how alike the topics of two chains are: a bright diagonal where those of one have partners in the other.

    Parameters
    ----------
    table
        From ``jaxlda.plots.topics.similarity_table``.

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
    plot = _figure("topics of the other chain, in the order of their partners", "topic of this chain", tools="")
    from bokeh.models import ColumnDataSource, HoverTool, LinearColorMapper
    from bokeh.models.annotations import ColorBar

    source = ColumnDataSource(aligned_columns(table))
    colors = LinearColorMapper(palette="Cividis256", low=0, high=1)
    image = plot.image("image", "start", "start", "size", "size", source=source, color_mapper=colors, name="aligned")
    hover = [("topic", "@topic"), ("topic of the other chain", "@partner"), ("mass in common", "@image{0%}")]
    plot.add_tools(HoverTool(renderers=[image], tooltips=hover))
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
