"""A page of topics to look around in: a map, the words of the chosen topic, and tables, all without Python."""

from typing import Any

import numpy as np
import pandas as pd
from bokeh.layouts import column, row
from bokeh.models import CDSView, ColumnDataSource, CustomJS, GroupFilter
from bokeh.models.widgets import DataTable, Div, NumberFormatter, Slider, StringFormatter, TableColumn

from jaxlda.plots.bars import word_bars
from jaxlda.plots.of_topics import topics as topic_map_of
from jaxlda.topics import relevance, top_documents, word_table
from jaxlda.topics.fitted import fitted

__all__ = ["explorer"]

_STEPS = 5  # weights of relevance, from 0 to 1, of which words are chosen
_DOCUMENTS = 8

_SHOW = """
const chosen = map.selected.indices;
const k = chosen.length ? chosen[0] : 0;
const of_topic = words.data.topic;
let rows = [];
for (let i = 0; i < of_topic.length; i++) {
  if (of_topic[i] === k) {
    rows.push([words.data.word[i], words.data.probability[i], words.data.lift[i],
               Math.log(words.data.probability[i]) - (1 - weight.value) * words.data.base[i]]);
  }
}
rows.sort((a, b) => b[3] - a[3]);
rows = rows.slice(0, n);
const data = {...bars.data};
data.word = rows.map(r => r[0]);
data.probability = rows.map(r => r[1]);
data.lift = rows.map(r => r[2]);
for (const name of Object.keys(data)) {
  if (!["word", "probability", "lift"].includes(name)) data[name] = rows.map(r => bars.data[name][0]);
}
axis.factors = data.word.slice().reverse();
bars.data = data;
title.text = names[k];
shown.group = String(k);
"""


def explorer(model: Any, *, words: int = 30) -> Any:
    """The topics of a fitted model to look around in: tap a circle of the map, or a row of the table.

    Parameters
    ----------
    model
        A fitted model with documents.
    words
        How many words of a topic to show.

    Returns
    -------
    bokeh.models.Column
        For :func:`~jaxlda.plots.as_page`. Everything it shows is in it; all texts stay texts.
    """
    about = fitted(model)
    names, phi = list(model.topic_names), np.asarray(model.phi_, np.float64)
    plot = topic_map_of(model)
    circles = plot.select_one({"name": "map"}).data_source
    bars = word_bars(word_table(phi[0], about.vocab, about.frequency, 1.0, words))
    bars.title.text = names[0]
    bars.height = max(bars.height or 0, 16 * words + 80)
    plot.height = 480
    source = bars.select_one({"name": "words"}).data_source
    theta, lengths = np.asarray(model.theta_), np.asarray(about.run.data.tokens.n_d)
    listed = _documents(theta, lengths, about.titles)
    shown = GroupFilter(column_name="topic", group="0")
    weight = Slider(start=0, end=1, step=0.05, value=1, title="relevance: 1 by probability, 0 by lift")
    code = CustomJS(
        args={
            "map": circles,
            "words": ColumnDataSource(_words(phi, about.vocab, about.frequency, words)),
            "weight": weight,
            "bars": source,
            "axis": bars.y_range,
            "title": bars.title,
            "names": names,
            "shown": shown,
            "n": words,
        },
        code=_SHOW,
    )
    circles.selected.js_on_change("indices", code)
    weight.js_on_change("value", code)
    return column(
        Div(text="<p>Tap a circle or a row to see a topic; circles are near where words are alike.</p>"),
        row(plot, column(weight, bars)),
        _table(model.topics(), circles),
        Div(text="<h3>Documents with the largest share of it</h3>"),
        _documents_table(ColumnDataSource(listed), shown),
    )


def _words(phi: np.ndarray, vocab: np.ndarray, frequency: np.ndarray, n: int) -> dict[str, list[Any]]:
    """Words that are among the best of a topic for some weight, with what relevance is computed from."""
    rows: list[tuple[Any, ...]] = []
    p = np.asarray(frequency, np.float64) / max(float(np.sum(frequency)), 1.0)
    for k, topic in enumerate(phi):
        best: set[int] = set()
        for weight in np.linspace(0, 1, _STEPS):
            score = relevance(topic, frequency, float(weight))
            some = np.argpartition(-score, min(n, score.size - 1))[:n]
            best |= {int(v) for v in some if np.isfinite(score[v])}
        rows += [(k, str(vocab[v]), topic[v], topic[v] / p[v], np.log(p[v])) for v in sorted(best)]
    return pd.DataFrame(rows, columns=["topic", "word", "probability", "lift", "base"]).to_dict("list")


def _documents(theta: np.ndarray, lengths: np.ndarray, titles: Any) -> dict[str, list[Any]]:
    best = pd.concat(
        top_documents(theta_k, lengths, titles, _DOCUMENTS).assign(topic=str(k)) for k, theta_k in enumerate(theta.T)
    )
    return {"topic": best.topic.tolist(), "document": best.title.tolist(), "share": best.share.tolist()}


def _table(table: Any, circles: ColumnDataSource) -> DataTable:
    """All topics, with the selection of the map."""
    source = ColumnDataSource({name: table[name].tolist() for name in table.columns})
    for one, other in ((circles, source), (source, circles)):
        follow = CustomJS(args={"other": other}, code="other.selected.indices = cb_obj.indices;")
        one.selected.js_on_change("indices", follow)
    wide = {"words": 420, "name": 160}
    columns = [
        TableColumn(
            field=name,
            title=name.replace("_", " "),
            width=wide.get(name, 80),
            formatter=NumberFormatter(format="0.000") if table[name].dtype.kind == "f" else StringFormatter(),
        )
        for name in table.columns
    ]
    return DataTable(source=source, columns=columns, width=1100, height=320, index_position=None)


def _documents_table(source: ColumnDataSource, shown: GroupFilter) -> DataTable:
    columns = [
        TableColumn(field="document", title="document", width=700),
        TableColumn(field="share", title="share", width=80, formatter=NumberFormatter(format="0.000")),
    ]
    view = CDSView(filter=shown)
    return DataTable(source=source, view=view, columns=columns, width=1100, height=240, index_position=None)
