"""What the view of documents asks."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import topics
from jaxlda.plots import texts
from jaxlda_app.questions._chain import estimate, soft_already, topic_names
from jaxlda_app.store import Snapshot

__all__ = ["DocumentPage", "document_page", "search"]

NEIGHBOURS = 10


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
    """Topic, theta, theta_p and words."""
    nearest: pd.DataFrame
    """Document, title and distance."""
    soft: bool
    """Whether the tokens are shown with their most probable topics."""
    soft_already: bool
    """Whether there is no other way."""
    by_topic: bool
    """Whether the tokens are sorted by topic, not by word."""


def document_page(
    snapshot: Snapshot, document: int, chain: int, soft: bool, by_topic: bool = False, topic: int | None = None
) -> DocumentPage:
    """Look at one document in one chain; a number that is too large is the last document."""
    run, corpus = snapshot.run, snapshot.corpus
    document = min(document, corpus.num_docs - 1)
    sample, data = run.chain(chain), run.chain_data(chain)
    names, theta_p = topic_names(snapshot, chain), estimate(snapshot, "theta_p", chain)
    tokens = topics.token_table(sample, data, corpus.vocab, document, soft=soft)
    if by_topic:
        tokens = tokens.sort_values("topic", kind="stable", ignore_index=True)
    number = np.bincount(tokens.topic, minlength=len(names))
    legend = [(k, color, names[k], int(number[k])) for k, color in texts.topic_colors(tokens.topic.values).items()]
    nearest = topics.nearest_documents(theta_p, document, NEIGHBOURS, np.asarray(data.tokens.n_d))
    nearest.insert(1, "title", [_title(snapshot, d) for d in nearest.document])
    proportions = pd.DataFrame(
        {
            "topic": np.arange(len(names)),
            "theta": estimate(snapshot, "theta", chain)[document],
            "theta_p": theta_p[document],
            "words": names,
        }
    )
    labels: list[str] = []
    if corpus.labels is not None and corpus.label_names is not None:
        labels = corpus.label_names[corpus.labels[[document]].indices].tolist()
    already = soft_already(snapshot)
    return DocumentPage(
        document,
        _title(snapshot, document),
        corpus.num_docs,
        len(tokens),
        labels,
        texts.tokens_as_html(tokens, names=names, chosen=topic),
        legend,
        proportions,
        nearest,
        soft or already,
        already,
        by_topic,
    )


def search(snapshot: Snapshot, text: str) -> pd.DataFrame:
    """The documents that have all the words, with their titles."""
    found = topics.find_documents(snapshot.corpus, text)
    return found.assign(title=[_title(snapshot, d) for d in found.document])


def _title(snapshot: Snapshot, document: int) -> str:
    titles = snapshot.corpus.titles
    return f"Document {document}" if titles is None else titles[document]
