"""What is asked about the topic that is chosen: passages, groups of documents, similar topics."""

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from jaxlda import alignment, plots, topics
from jaxlda.corpora.passages import passages as pieces
from jaxlda_app.questions._chain import called, estimate, metric_for, model_of, shown_kind, topic_names
from jaxlda_app.store import Snapshot

__all__ = ["Examples", "examples", "groups", "over_groups", "similar"]

DOCUMENTS, SHOWN, LENGTH = 8, 4, 60  # documents, those with a passage, and words of one
SIMILAR = 8
MOST_GROUPS = 400
_WORD = re.compile(r"\w+")


class Examples(NamedTuple):
    """Documents that are most about a topic."""

    table: pd.DataFrame
    """Document, title, share and tokens."""
    passages: list[tuple[str, str, bool]]
    """Title, passage, and whether it is as it was written; of the first few."""


def examples(snapshot: Snapshot, chain: int, topic: int, soft: bool) -> Examples:
    """The documents with the largest share of a topic, and of each the passage that is most about it."""
    kind = shown_kind(snapshot, soft)
    theta, phi = estimate(snapshot, kind.replace("phi", "theta"), chain), estimate(snapshot, kind, chain)
    topic = min(topic, theta.shape[1] - 1)
    corpus = snapshot.corpus
    table = topics.top_documents(theta[:, topic], np.asarray(snapshot.run.data.tokens.n_d), corpus.titles, DOCUMENTS)
    lift = phi[topic] / np.maximum(phi.mean(axis=0), 1e-30) * phi[topic]
    weight = dict(zip(corpus.vocab.tolist(), lift.tolist(), strict=True))
    found = []
    for row in table.head(SHOWN).itertuples():
        title = f"Document {row.document}" if corpus.titles is None else str(row.title)
        found.append((title, *_passage(corpus, int(row.document), weight)))
    return Examples(table, found)


def _passage(corpus: Any, document: int, weight: dict[str, float]) -> tuple[str, bool]:
    if corpus.texts is None:
        words = sorted(set(corpus.tokens_of(document)), key=lambda word: -weight.get(word, 0.0))
        return ", ".join(words[:15]), False
    parts = pieces(corpus.texts[document], LENGTH) or [""]
    best = max(parts, key=lambda part: sum(weight.get(word.lower(), 0.0) for word in _WORD.findall(part)))
    return best[:600], True


def groups(snapshot: Snapshot) -> list[str]:
    """Columns of the metadata by which documents can be grouped."""
    found = []
    for name, values in (snapshot.corpus.doc_columns or {}).items():
        distinct = len(np.unique(np.asarray(values).astype(str)))
        if 1 < distinct <= MOST_GROUPS and distinct < snapshot.corpus.num_docs:
            found.append(str(name))
    return found


def over_groups(snapshot: Snapshot, chain: int, topic: int, by: str) -> Any:
    """A figure of the share of a topic in groups of documents, such as years."""
    model = model_of(snapshot)
    topic = min(topic, len(model.phi_) - 1)
    return plots.prevalence(model, by, [topic], words=False, chain=chain)


def similar(snapshot: Snapshot, chain: int, topic: int, soft: bool) -> pd.DataFrame:
    """The topics that have the most in common with one: topic, name, in common and words."""
    phi = estimate(snapshot, shown_kind(snapshot, soft), chain)
    topic = min(topic, len(phi) - 1)
    alike = 1 - alignment.distance(phi[[topic]], phi, metric_for(phi[:1]))[0] ** 2
    alike[topic] = -1
    best = np.argsort(-alike, kind="stable")[: min(SIMILAR, len(phi) - 1)]
    names = topic_names(snapshot, chain)
    return pd.DataFrame(
        {
            "topic": best,
            "name": [called(snapshot, chain, int(k)) for k in best],
            "in common": alike[best],
            "words": [names[k] for k in best],
        }
    )
