"""What the view of topics asks."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import estimators, topics
from jaxlda_app.questions._chain import estimate, soft_already
from jaxlda_app.store import Snapshot

__all__ = [
    "Aligned",
    "Images",
    "Overview",
    "Partners",
    "TopWords",
    "aligned",
    "overview",
    "representatives",
    "stability",
    "top_words",
]

LOGARITHMS = 200_000_000  # that comparing topics may take, a second or two; beyond, Hellinger distances take none
AFFORDABLE = 50_000_000  # tokens times topics that are softened to draw a picture: a tenth of a second
WORDS, CHANGES, DOCUMENTS, IN_A_NAME = 15, 12, 8, 6

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
    """The words of one topic by both estimates."""

    topic: int
    name: str
    hard: pd.DataFrame
    """Word, probability, lift, relevance, and whether the other list has the word too."""
    soft: pd.DataFrame | None
    """``None`` where there is only one estimate."""
    changes: pd.DataFrame
    """Word, rank and rank_p."""
    note: str


class Partners(NamedTuple):
    """The topics of a chain in the others."""

    table: pd.DataFrame
    """Topic, name, chain, partner and similarity."""
    note: str


class Aligned(NamedTuple):
    """Each topic of a chain against each of another."""

    table: pd.DataFrame
    """As ``jaxlda.topics.similarity_table`` makes it; empty where there is one chain only."""
    note: str


def overview(snapshot: Snapshot, chain: int, soft: bool, weight: float, start: np.ndarray | None = None) -> Overview:
    """The map of the topics, starting from where they were; their shares and words."""
    frequency, kind = _frequency(snapshot), _kind(snapshot, soft)
    phi = estimate(snapshot, kind, chain)
    K = len(phi)
    sizes = np.asarray(snapshot.run.counts(chain=chain).n_k)
    metric = _metric(phi)
    known = start if start is not None and start.shape == (K, 2) else None
    table = topics.topic_map(phi, sizes, known, snapshot.labels, metric)
    score = topics.relevance(phi, frequency, weight)
    side = topics.image_side(snapshot.corpus.vocab)
    distances = {"jensen_shannon": "Jensen–Shannon", "hellinger": "Hellinger"}[metric]
    largest = int(table.share.argmax())
    note = (
        f"{K} topic(s) of chain {chain}: circles are as large as their share of the tokens (topic {largest}: "
        f"{table.share[largest]:.0%}) and far apart where their words differ: {distances} distances, "
        "flattened onto the plane as well as they can be. Click a circle to choose a topic."
    )
    images = None if side is None else Images(phi, side)
    best = topics.best_words(score, snapshot.corpus.vocab, IN_A_NAME)
    return Overview(table, [", ".join(row) for row in best], images, chain, note)


def top_words(snapshot: Snapshot, chain: int, topic: int, weight: float) -> TopWords:
    """The words of a topic under phi and phi_p, and where the two disagree; a number too large is the last topic."""
    vocab, frequency = snapshot.corpus.vocab, _frequency(snapshot)
    hard = estimate(snapshot, "phi", chain)
    topic = min(topic, len(hard) - 1)
    labels = snapshot.labels
    name = f"topic {topic}" if labels is None else f"topic {topic}: {labels[topic]}"
    first = topics.word_table(hard[topic], vocab, frequency, weight, WORDS)
    if _kind(snapshot, soft=True) == "phi":
        nothing = topics.rank_changes(hard[topic], hard[topic], vocab)
        note = ALREADY if soft_already(snapshot) else LATER
        return TopWords(topic, name, first.assign(shared=True), None, nothing, note)
    soft = estimate(snapshot, "phi_p", chain)
    second = topics.word_table(soft[topic], vocab, frequency, weight, WORDS)
    changes = topics.rank_changes(hard[topic], soft[topic], vocab, CHANGES)
    first, second = (a.assign(shared=a.word.isin(b.word)) for a, b in ((first, second), (second, first)))
    only = int((~second.shared).sum())
    differ = f"{only} of {len(second)} words differ" if only else "Both lists have the same words"
    note = f"{differ}; striped bars are words that the other list does not have."
    return TopWords(topic, name, first, second, changes, note)


def stability(snapshot: Snapshot, chain: int, soft: bool) -> Partners:
    """Whether the other chains have the topics of this one."""
    run = snapshot.run
    C = run.num_chains
    if C == 1:
        empty = topics.stability_table(np.ones((1, 1, 1)), 0)
        return Partners(empty, "There is one chain only: with two or more, topics that all of them find can be told.")
    kind = _compared(snapshot, soft)
    phis = np.stack([_phi(snapshot, kind, one) for one in range(C)])
    table = topics.stability_table(phis, chain, run.tied, snapshot.labels, _metric(phis[0], C - 1))
    mean = table.groupby("topic").similarity.mean()
    note = (
        f"The topics of chain {chain} in the {C - 1} other chain(s): the number is the partner's there, the colour how "
        f"much of their mass they have in common. {int((mean >= 0.8).sum())} of {len(mean)} topics share 80 % or more "
        "with the others on average; a topic that other chains do not find may be one of chance."
    )
    return Partners(table, note)


def aligned(snapshot: Snapshot, chain: int, other: int | None, soft: bool) -> Aligned:
    """Each topic of a chain against each of another; if that is not given or the same, against the next chain's."""
    C = snapshot.run.num_chains
    if C == 1:
        return Aligned(pd.DataFrame(), "")
    if other is None or other == chain or other >= C:
        other = (chain + 1) % C
    kind = _compared(snapshot, soft)
    phi, partners = (_phi(snapshot, kind, one) for one in (chain, other))
    table = topics.similarity_table(phi, partners, snapshot.run.tied, _metric(phi))
    note = (
        f"Every topic of chain {chain} against every topic of chain {other}, partners on the diagonal: where it is "
        "bright, both found the same; a second bright place in a row or column is a topic that one of them has split."
    )
    return Aligned(table, note)


def representatives(snapshot: Snapshot, chain: int, topic: int, soft: bool) -> pd.DataFrame:
    """The documents that are most about a topic: document, title, share and tokens."""
    theta = estimate(snapshot, _kind(snapshot, soft).replace("phi", "theta"), chain)
    topic = min(topic, theta.shape[1] - 1)
    lengths = np.asarray(snapshot.run.data.tokens.n_d)
    return topics.top_documents(theta[:, topic], lengths, snapshot.corpus.titles, DOCUMENTS)


def _kind(snapshot: Snapshot, soft: bool) -> str:
    """The estimate to show: phi_p, if it is asked for, exists, and costs no more than a picture may."""
    run = snapshot.run
    if not soft or soft_already(snapshot):
        return "phi"
    if run.num_draws:
        return "phi_p" if run.soft else "phi"
    size = run.data.tokens.w.shape[0] * run.data.priors.alpha.shape[-1]
    return "phi_p" if size <= AFFORDABLE else "phi"


def _compared(snapshot: Snapshot, soft: bool) -> str:
    """The estimate by which chains are compared: before the first draw, softening all of them would cost too much."""
    return _kind(snapshot, soft) if snapshot.run.num_draws else "phi"


def _metric(phi: np.ndarray, times: int = 1) -> str:
    """What topics are compared by, on all their words, while somebody waits."""
    K, V = phi.shape
    return "jensen_shannon" if K * K * V * times <= LOGARITHMS else "hellinger"


def _phi(snapshot: Snapshot, kind: str, chain: int) -> np.ndarray:
    """As ``estimate``, but forgotten at once: the topics of all chains are too much to keep."""
    counts = snapshot.run.counts(soft=kind == "phi_p", chain=chain)
    return np.asarray(estimators.phi(counts, snapshot.run.chain_data(chain)))


def _frequency(snapshot: Snapshot) -> np.ndarray:
    tokens = snapshot.run.data.tokens
    return np.bincount(np.asarray(tokens.w), np.asarray(tokens.m), minlength=len(snapshot.corpus.vocab))
