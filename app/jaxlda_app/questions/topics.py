"""What the view of topics asks: the list, the map, and the words of the topic that is chosen."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from jaxlda import topics
from jaxlda_app.questions._chain import (
    called,
    estimate,
    frequency_of,
    metric_for,
    model_of,
    shown_kind,
    soft_already,
)
from jaxlda_app.store import Snapshot
from jaxlda_app.words import counted

__all__ = ["Images", "Overview", "TopWords", "merged", "overview", "top_words", "topic_list"]

WORDS, CHANGES, IN_A_NAME, IN_A_LABEL = 20, 12, 6, 2
SAMPLED = 20_000  # documents in which words are counted for coherence, while somebody waits

ALREADY = "Counts are soft already here, as with CVB0: there is one estimate only."
LATER = "On a corpus of this size φᵖ is computed from the first draw on."


class Images(NamedTuple):
    """Topics whose words are pixels."""

    phi: np.ndarray
    side: int


class Overview(NamedTuple):
    """All topics of a chain."""

    table: pd.DataFrame
    """Topic, name, x, y and share."""
    words: list[str]
    """The most relevant words of each."""
    images: Images | None
    chain: int
    note: str


class TopWords(NamedTuple):
    """The words of one topic by one estimate, and where both differ."""

    topic: int
    name: str
    table: pd.DataFrame
    """Word, probability, lift, relevance, tokens in the topic, and all tokens."""
    spread: np.ndarray
    """The share that each topic has of the tokens of each word of the table ``(n, K)``."""
    soft: bool
    """Whether the estimate is phi_p."""
    changes: pd.DataFrame
    """Word, rank and rank_p."""
    note: str


def topic_list(snapshot: Snapshot, chain: int, quality: bool, soft: bool, weight: float) -> pd.DataFrame:
    """A row for each topic: number, name, share with its interval, words; with quality, coherence and stability.

    The label is what the map calls it: its name, or its most relevant words by the estimate and the weight.

    Those of the best chain are ``model.topics()``; for another one the model is made to tell of that.
    """
    model = model_of(snapshot)
    if chain != model.best_chain_:
        model.best_chain_ = chain
        model.phi_ = estimate(snapshot, "phi_p", chain)
    coherence = "npmi" if quality and snapshot.corpus.num_docs <= SAMPLED else None
    table = model.topics(8, coherence=coherence)
    table["name"] = [called(snapshot, chain, k) for k in range(len(table))]
    score = topics.relevance(estimate(snapshot, shown_kind(snapshot, soft), chain), frequency_of(snapshot), weight)
    table["label"] = _labels(snapshot, chain, topics.best_words(score, snapshot.corpus.vocab, IN_A_LABEL))
    hidden = {k for c, k in snapshot.hidden if c == chain}
    wanted = [
        "topic",
        "name",
        "label",
        "share",
        "share_low",
        "share_high",
        "words",
        "coherence",
        "exclusivity",
        "stability",
    ]
    columns = [name for name in wanted if name in table]
    return table.loc[~table.topic.isin(hidden), columns].reset_index(drop=True)


def _labels(snapshot: Snapshot, chain: int, best: list[list[str]]) -> list[str]:
    """The names of topics; where nobody has given one, the most relevant words."""
    names = [called(snapshot, chain, k) for k in range(len(best))]
    return [
        " ".join(words[:IN_A_LABEL]) if name == f"topic {k}" else name
        for k, (name, words) in enumerate(zip(names, best, strict=True))
    ]


def overview(snapshot: Snapshot, chain: int, soft: bool, weight: float, start: np.ndarray | None = None) -> Overview:
    """The map of the topics, starting from where they were; their shares and words."""
    frequency, kind = frequency_of(snapshot), shown_kind(snapshot, soft)
    phi = estimate(snapshot, kind, chain)
    K = len(phi)
    sizes = np.asarray(snapshot.run.counts(chain=chain).n_k)
    metric = metric_for(phi)
    known = start if start is not None and start.shape == (K, 2) else None
    score = topics.relevance(phi, frequency, weight)
    best = topics.best_words(score, snapshot.corpus.vocab, IN_A_NAME)
    table = topics.topic_map(phi, sizes, known, _labels(snapshot, chain, best), metric)
    side = topics.image_side(snapshot.corpus.vocab)
    distances = {"jensen_shannon": "Jensen–Shannon", "hellinger": "Hellinger"}[metric]
    largest = int(table.share.argmax())
    note = (
        f"{counted(K, 'topic')} of chain {chain}: circles are as large as their share of the tokens (topic {largest}: "
        f"{table.share[largest]:.0%}) and far apart where their words differ: {distances} distances, "
        "flattened onto the plane as well as they can be. Click a circle to choose a topic."
    )
    images = None if side is None else Images(phi, side)
    return Overview(table, [", ".join(row) for row in best], images, chain, note)


def top_words(snapshot: Snapshot, chain: int, topic: int, weight: float, soft: bool = True) -> TopWords:
    """The words of a topic under phi or phi_p, and where the two disagree; a number too large is the last topic."""
    vocab, frequency = snapshot.corpus.vocab, frequency_of(snapshot)
    hard = estimate(snapshot, "phi", chain)
    topic = min(topic, len(hard) - 1)
    name = called(snapshot, chain, topic)
    title = name if name == f"topic {topic}" else f"topic {topic}: {name}"
    both = shown_kind(snapshot, soft=True) == "phi_p"
    phi = estimate(snapshot, "phi_p", chain) if soft and both else hard
    other = estimate(snapshot, "phi_p", chain) if both else hard
    table = topics.word_table(phi[topic], vocab, frequency, weight, WORDS)
    ids = pd.Series(np.arange(len(vocab)), index=vocab)[table.word.to_numpy()].to_numpy()
    sizes = np.asarray(snapshot.run.counts(chain=chain).n_k, float)
    tokens = phi[:, ids].T * sizes
    spread = tokens / np.maximum(tokens.sum(axis=1, keepdims=True), 1e-30)
    # What an estimate gives a word may be more than its tokens, by the prior.
    table = table.assign(tokens=np.minimum(tokens[:, topic], frequency[ids]), all=frequency[ids])
    changes = topics.rank_changes(hard[topic], other[topic], vocab, CHANGES)
    if not both:
        note = ALREADY if soft_already(snapshot) else LATER
    else:
        which = "φᵖ, sums of probabilities (Eq. 41)" if soft else "φ, counts of drawn topics (Eq. 2)"
        note = f"By {which}."
    return TopWords(topic, title, table, spread, soft and both, changes, note)


def merged(snapshot: Snapshot, group: list[int], chain: int) -> Any:
    """The model in which some topics are one."""
    model = model_of(snapshot)
    if chain != model.best_chain_:
        raise ValueError("Topics of the best chain can be merged: choose “the best” as the chain.")
    names = [called(snapshot, chain, k) for k in group]
    given = [name for k, name in zip(group, names, strict=True) if name != f"topic {k}"]
    return model.merge_topics(group, names=given[:1] or None)
