"""A run as one HTML page that needs nothing else: no server, no internet, no Python."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import pandas as pd

from jaxlda_app.axes import follow_the_data

__all__ = ["Chart", "Facts", "Topic", "clone", "html_table", "page", "plot_json"]

_NUMBERS = itertools.count()  # of copies
ROWS = 200  # of a table that are shown

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2 { line-height: 1.2; } table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { padding: .15rem .7rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f4f4f4; padding: 1rem; overflow-x: auto; } .note, figcaption { color: #595959; }
figure { margin: 0; } h3 { margin-bottom: 0; } section p, section ul { margin: .2rem 0; }
"""


_THEMED = ("Figure", "Axis", "Grid", "Legend", "ColorBar", "Title")  # kinds of models that pages colour


class Topic(NamedTuple):
    """A topic in a report."""

    name: str
    share: float
    words: str
    documents: Sequence[str]
    """Those that are most about it: titles, and how they read."""


class Chart(NamedTuple):
    """A figure in a report."""

    heading: str
    caption: str
    json: str
    """From :func:`plot_json`."""


class Facts(NamedTuple):
    """What a report says, all of it plain text."""

    title: str
    summary: str
    """What was fitted to what, in a sentence or two."""
    verdict: str
    """Whether to believe it."""
    topics: Sequence[Topic]
    facts: Sequence[tuple[str, str]]
    """Names and values, in order."""
    tables: Mapping[str, pd.DataFrame]
    """By their headings."""
    code: str


def plot_json(plot: Any) -> str:
    """A Bokeh figure as JSON; called by the thread of the page that shows it, if one does.

    Without the colours that a page, dark or not, has given to its axes and ground: reports are black on white. With its
    legend, which on the page may stand once for several figures, and with axes that follow its data.
    """
    from bokeh.embed import json_item
    from bokeh.embed.util import OutputDocumentFor

    # Bokeh would give a figure that no page shows yet to a document of its own, for good: neither a page nor another
    # figure that has the same data could be shown any more.
    with OutputDocumentFor([plot], always_new=True):
        item = json_item(plot)
    _on_its_own(item)
    follow_the_data(item)
    return json.dumps(item, separators=(",", ":"))


def _on_its_own(part: Any) -> None:
    if isinstance(part, dict):
        if part.get("name") == "Legend":
            part["attributes"].pop("visible", None)
        if str(part.get("name", "")).endswith(_THEMED):
            attributes = part.get("attributes", {})
            for name in [name for name in attributes if name.endswith("_color")]:
                del attributes[name]
        for value in part.values():
            _on_its_own(value)
    elif isinstance(part, list):
        for value in part:
            _on_its_own(value)


def clone(plot: str, backend: str = "canvas") -> Any:
    """Another figure like the one in the JSON, which a second page, or the same one, can show beside the first.

    Parameters
    ----------
    plot
        From :func:`plot_json`.
    backend
        ``"canvas"``: saved as PNG; ``"svg"``: as SVG.
    """
    from bokeh.document import Document

    # Names of models are unique in a page, also after they are gone; every copy gets others.
    renamed = re.sub(r'"(id|root_id)":"([^"]+)"', rf'"\1":"copy-{next(_NUMBERS)}-\2"', plot)
    document = Document.from_json(json.loads(renamed)["doc"])
    figure = document.roots[0]
    document.remove_root(figure)
    for part in figure.references():
        if "output_backend" in part.properties():
            part.update(output_backend=backend)
    return figure


def page(content: Facts, figures: Sequence[Chart] = ()) -> str:
    """The page: what was fitted, the verdict, the topics; then figures, facts, tables, and the code.

    Parameters
    ----------
    content
        Texts of any kind, which stay texts.
    figures
        In the order they are shown.
    """
    from bokeh.resources import INLINE

    body = [
        f"<h1>{escape(content.title)}</h1><p>{escape(content.summary)}</p>",
        f"<h2>Verdict</h2><p>{escape(content.verdict)}</p>",
        f"<h2>Topics</h2>{_topics(content.topics)}",
    ]
    scripts = []
    for i, (heading, caption, plot) in enumerate(figures):
        body.append(
            f'<h2>{escape(heading)}</h2><figure><div id="plot-{i}"></div>'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
        # Nothing in it may look like the end of the script.
        scripts.append(f'<script type="application/json" id="json-{i}">{plot.replace("<", chr(92) + "u003c")}</script>')
    body.append(f"<h2>How it was fitted</h2>{_facts(content.facts)}")
    body += [f"<h2>{escape(name)}</h2>{html_table(table)}" for name, table in content.tables.items()]
    body.append(f"<h2>Python code that gives the same chains</h2><pre>{escape(content.code)}</pre>")
    draw = (
        f"for (let i = 0; i < {len(figures)}; i++) Bokeh.embed.embed_item("
        "JSON.parse(document.getElementById(`json-${i}`).textContent), `plot-${i}`)"
    )
    return "\n".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(content.title)}</title><style>{_STYLE}</style>",
            # Not render_js(): it adds links to the scripts of every library that is loaded, such as Panel's.
            "".join(f"<script>{script}</script>" for script in INLINE.js_raw) if figures else "",
            "</head><body>",
            *body,
            *scripts,
            f"<script>{draw}</script></body></html>",
        ]
    )


def _topics(topics: Sequence[Topic]) -> str:
    """The largest first, each with its words and the documents that are most about it."""
    parts = []
    for topic in sorted(topics, key=lambda topic: -topic.share):
        examples = "".join(f"<li>{escape(text)}</li>" for text in topic.documents)
        parts.append(
            f"<section><h3>{escape(topic.name)} · {topic.share:.1%} of the tokens</h3>"
            f"<p><strong>{escape(topic.words)}</strong></p><ul>{examples}</ul></section>"
        )
    return "".join(parts)


def _facts(facts: Sequence[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{rows}</table>"


NUMBER = ' class="number"'


def html_table(table: pd.DataFrame) -> str:
    """A table whose texts stay texts; the beginning of a long one."""
    numbers = [kind.kind in "fiu" for kind in table.dtypes]
    head = "".join(
        f"<th{NUMBER if number else ''}>{escape(str(name))}</th>"
        for name, number in zip(table.columns, numbers, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(map(_cell, row))}</tr>" for row in table.head(ROWS).itertuples(index=False, name=None)
    )
    more = f'<p class="note">The first {ROWS:,} of {len(table):,} rows.</p>' if len(table) > ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    return f'<td class="number">{escape(f"{value:.5g}" if isinstance(value, float) else str(value))}</td>'
