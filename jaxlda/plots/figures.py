"""Tables as Bokeh figures."""

from typing import Any

import numpy as np

__all__ = ["perplexity_by_k"]


def perplexity_by_k(table: Any) -> Any:
    """Draw perplexity against the number of topics, with one standard error up and down.

    Parameters
    ----------
    table
        Columns ``num_topics``, ``perplexity`` and ``perplexity_se``, as ``jaxlda.choose_k(...).to_pandas()`` has them.

    Examples
    --------
    >>> plot = perplexity_by_k({"num_topics": [5, 10], "perplexity": [90.0, 80.0], "perplexity_se": [2.0, 3.0]})
    >>> plot.xaxis.axis_label
    'number of topics'
    """
    try:
        from bokeh.models import ColumnDataSource, HoverTool
        from bokeh.models.annotations import Whisker
        from bokeh.plotting import figure
    except ImportError:
        raise ImportError("figures need Bokeh: pip install 'jaxlda[app]'") from None
    K, perplexity, se = (np.asarray(table[name]) for name in ("num_topics", "perplexity", "perplexity_se"))
    lowest = perplexity == perplexity.min()
    columns = {
        "K": K,
        "perplexity": perplexity,
        "se": se,
        "lower": perplexity - se,
        "upper": perplexity + se,
        "size": np.where(lowest, 12, 7),
    }
    source = ColumnDataSource(columns)
    plot = figure(
        height=320,
        width=520,
        x_axis_label="number of topics",
        y_axis_label="held-out perplexity ± standard error",
        toolbar_location=None,
    )
    plot.xaxis.ticker = K.tolist()
    plot.line("K", "perplexity", source=source, color="#4477aa")
    points = plot.scatter("K", "perplexity", size="size", source=source, color="#4477aa")
    plot.add_layout(Whisker(base="K", lower="lower", upper="upper", source=source, line_color="#4477aa"))
    plot.add_tools(
        HoverTool(renderers=[points], tooltips=[("K", "@K"), ("perplexity", "@perplexity{0.00} ± @se{0.00}")])
    )
    return plot
