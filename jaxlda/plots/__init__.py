"""Figures of fitted models and runs, drawn by Bokeh. Nothing else in the package imports it.

Each function takes a model (or a run) and gives a figure, which shows itself in notebooks, goes into any Bokeh or Panel
layout, and has the table it was drawn from: :func:`table_of`. The modules below take such tables and draw them; the
tables are made by ``jaxlda.topics``, ``jaxlda.diagnostics`` and ``jaxlda.evaluation``.
"""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

from jaxlda.corpora.callers import warn
from jaxlda.plots.notebook import as_html, table_of
from jaxlda.plots.of_chains import alignment, autocorrelation, ess, gap, ranks, rhat, stability, trace
from jaxlda.plots.of_documents import counts, document, precision_recall, tokens
from jaxlda.plots.of_groups import effects, prevalence
from jaxlda.plots.of_topics import associations, documents, images, topics, word_ranks, words
from jaxlda.plots.pages import as_page, as_report
from jaxlda.plots.scores import perplexity_by_k, perplexity_by_samples

__all__ = [
    "alignment",
    "as_html",
    "as_page",
    "as_report",
    "associations",
    "autocorrelation",
    "counts",
    "document",
    "documents",
    "effects",
    "ess",
    "gap",
    "images",
    "perplexity_by_k",
    "perplexity_by_samples",
    "precision_recall",
    "prevalence",
    "ranks",
    "rhat",
    "stability",
    "table_of",
    "tokens",
    "topics",
    "trace",
    "word_ranks",
    "words",
]

# Functions of version 0.1 that guides named, for one release: their module, and what they are called now.
_RENAMED = {
    "figures": {
        "as_page": "plots.pages:as_page",
        "as_report": "plots.pages:as_report",
        "autocorrelation": "plots.chains:autocorrelation_lines",
        "measures_by_samples": "plots.scores:measures_by_samples",
        "panels": "plots.scores:panels",
        "perplexity_by_k": "plots.scores:perplexity_by_k",
        "ranks": "plots.chains:rank_steps",
        "traces": "plots.chains:trace_lines",
    },
    "tables": {
        "autocorrelation_table": "diagnostics.tables:autocorrelation_table",
        "rank_table": "diagnostics.tables:rank_table",
        "trace_table": "diagnostics.tables:trace_table",
    },
}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module 'jaxlda.plots' has no attribute {name!r}; it has {', '.join(__all__)}")
    warn(
        f"jaxlda.plots.{name} goes with version 0.3: jaxlda.plots.trace(model), ranks(model), ... take models now, and "
        f"its functions are {', '.join(_RENAMED[name].values())}",
        DeprecationWarning,
    )
    places = {old: place.split(":") for old, place in _RENAMED[name].items()}
    return SimpleNamespace(
        **{old: getattr(import_module(f"jaxlda.{module}"), new) for old, (module, new) in places.items()}
    )
