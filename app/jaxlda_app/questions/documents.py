"""What the view of documents asks."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import topics
from jaxlda.plots import texts
from jaxlda_app.questions._chain import called, estimate, metric_for, soft_already, topic_names
from jaxlda_app.questions.texts import in_order, marked, placed
from jaxlda_app.store import Snapshot

__all__ = ["DocumentMap", "DocumentPage", "Found", "document_map", "document_page", "search"]

NEIGHBOURS, HITS, BARS, LONGEST = 10, 20, 12, 26
POINTS = 2000  # documents that are drawn
MAP = (
    "Every point is a document, in the colour of its main topic (grey: of smaller topics), between the topics it has: "
    "the more of one, the nearer. The ring is the document above. Click a point to read another."
)


class DocumentPage(NamedTuple):
    """Everything about one document."""

    document: int
    title: str
    num_docs: int
    length: int
    labels: list[str]
    text: str
    """The tokens as HTML in which they are nothing but text."""
    legend: list[tuple[int, str, str, int]]
    """Number, colour, words and tokens of each topic that has a colour in the text."""
    proportions: pd.DataFrame
    """Topic, place (number and name), theta, theta_p and words of the largest, the largest first."""
    nearest: pd.DataFrame
    """Document, title and distance."""
    soft: bool
    """Whether the tokens are shown with their most probable topics."""
    soft_already: bool
    """Whether there is no other way."""
    by_topic: bool
    """Whether the tokens are sorted by topic, not by word."""
    written: bool
    """Whether the text is shown as it was written."""
    image: np.ndarray | None
    """The counts of a document whose words are pixels, of which ``side`` make a row."""
    side: int


class Found(NamedTuple):
    """Documents that somebody searched for."""

    table: pd.DataFrame
    """Document, title and tokens, of the best ones."""
    total: int


def document_page(
    snapshot: Snapshot,
    document: int,
    chain: int,
    soft: bool,
    by_topic: bool = False,
    topic: int | None = None,
    found: str = "",
) -> DocumentPage:
    """Look at one document in one chain; a number that is too large is the last document."""
    run, corpus = snapshot.run, snapshot.corpus
    document = min(document, corpus.num_docs - 1)
    data = run.chain_data(chain)
    names = topic_names(snapshot, chain)
    tokens = topics.token_table(run.chain(chain), data, corpus.vocab, document, soft=soft)
    number = np.bincount(tokens.topic, minlength=len(names))
    legend = [(k, color, names[k], int(number[k])) for k, color in texts.topic_colors(tokens.topic.values).items()]
    theta_p = estimate(snapshot, "theta_p", chain)
    nearest = topics.nearest_documents(theta_p, document, NEIGHBOURS, np.asarray(data.tokens.n_d))
    nearest.insert(1, "title", [_title(snapshot, d) for d in nearest.document])
    labels: list[str] = []
    if corpus.labels is not None and corpus.label_names is not None:
        labels = corpus.label_names[corpus.labels[[document]].indices].tolist()
    already, side = soft_already(snapshot), topics.image_side(corpus.vocab)
    text = None if by_topic else _written(snapshot, document, chain, tokens, topic, found)
    if text is None:
        ordered = tokens.sort_values("topic", kind="stable", ignore_index=True) if by_topic else tokens
        shown = texts.tokens_as_html(ordered, names=names, chosen=topic)
    return DocumentPage(
        document,
        _title(snapshot, document),
        corpus.num_docs,
        len(tokens),
        labels,
        shown if text is None else text,
        legend,
        _proportions(snapshot, document, chain, names),
        nearest,
        soft or already,
        already,
        by_topic,
        text is not None,
        None if side is None else corpus.counts[[document]].toarray(),
        side or 1,
    )


def _written(
    snapshot: Snapshot, document: int, chain: int, tokens: pd.DataFrame, topic: int | None, found: str
) -> str | None:
    """The document as it was written, with coloured tokens; ``None`` where only its words are known."""
    corpus = snapshot.corpus
    if corpus.texts is None or corpus.written is None or corpus.written.order is None:
        return None
    words = corpus.tokens_of(document)
    places = placed(corpus.texts[document], words)
    if places is None:
        return None
    rows = in_order(words, tokens)
    if len(rows) != len(words):
        return None
    p = topics.token_probabilities(snapshot.run.chain(chain), snapshot.run.chain_data(chain), document)[rows]
    best = np.argsort(-p, axis=1)[:, :3]
    tips = [
        " · ".join(f"{called(snapshot, chain, int(k))}: {row[k]:.2f}" for k in few if row[k] >= 0.005)
        for few, row in zip(best, p, strict=True)
    ]
    shown = tokens.iloc[rows].reset_index(drop=True)
    return marked(corpus.texts[document], places, shown, tips, topic, found.lower().split())


def _proportions(snapshot: Snapshot, document: int, chain: int, names: list[str]) -> pd.DataFrame:
    theta, theta_p = (estimate(snapshot, kind, chain)[document] for kind in ("theta", "theta_p"))
    largest = np.argsort(-theta_p, kind="stable")[:BARS]
    places = []
    for k in largest.tolist():
        name = called(snapshot, chain, k)
        text = f"{k} {' '.join(names[k].split(', ')[:2]) if name == f'topic {k}' else name}"
        places.append(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")
    return pd.DataFrame(
        {
            "topic": largest,
            "place": places,
            "theta": theta[largest],
            "theta_p": theta_p[largest],
            "words": [names[k] for k in largest],
        }
    )


class DocumentMap(NamedTuple):
    """Documents among their topics."""

    table: pd.DataFrame
    """Document, x, y, topic and share of every document that has tokens."""
    points: pd.DataFrame
    """The same of those that are drawn, with title and name of the topic."""
    topics: pd.DataFrame
    """Topic, name, x, y and share."""
    note: str


def document_map(snapshot: Snapshot, chain: int, start: np.ndarray | None = None) -> DocumentMap:
    """Where documents lie among the topics of a chain; of many, as many as can be told apart, evenly chosen.

    ``start`` is where the topics were last time.
    """
    phi, theta = (estimate(snapshot, kind, chain) for kind in ("phi_p", "theta_p"))
    known = start if start is not None and start.shape == (len(phi), 2) else None
    words = [" ".join(row) for row in topics.best_words(phi, snapshot.corpus.vocab, 2)]
    names = [words[k] if (name := called(snapshot, chain, k)) == f"topic {k}" else name for k in range(len(phi))]
    sizes = np.asarray(snapshot.run.counts(chain=chain).n_k)
    placed = topics.topic_map(phi, sizes, known, names, metric_for(phi))
    table = topics.document_map(theta, placed[["x", "y"]].to_numpy(), np.asarray(snapshot.run.data.tokens.n_d))
    points = table.iloc[np.unique(np.linspace(0, len(table) - 1, min(POINTS, len(table))).astype(int))]
    points = points.assign(
        title=[_title(snapshot, d) for d in points.document], name=[f"{k} {names[k]}" for k in points.topic]
    )
    shown = "" if len(points) == len(table) else f" {len(points):,} of {len(table):,} documents are drawn."
    return DocumentMap(table, points, placed, f"{MAP}{shown}")


def search(snapshot: Snapshot, text: str) -> Found:
    """The documents that have all the words, with their titles."""
    found = topics.find_documents(snapshot.corpus, text, snapshot.corpus.num_docs)
    best = found.head(HITS)
    return Found(best.assign(title=[_title(snapshot, d) for d in best.document]), len(found))


def _title(snapshot: Snapshot, document: int) -> str:
    titles = snapshot.corpus.titles
    return f"Document {document}" if titles is None else titles[document]
