"""What several views ask of one chain."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

import jaxlda
from jaxlda import estimators, topics
from jaxlda_app.store import Snapshot

__all__ = [
    "LIMIT",
    "called",
    "capped",
    "estimate",
    "frequency_of",
    "metric_for",
    "model_of",
    "phi_once",
    "shown_kind",
    "soft_already",
    "topic_names",
]

LIMIT = 20_000
"""Tokens of held-out documents that are inferred while somebody waits."""
LOGARITHMS = 200_000_000  # that comparing topics may take, a second or two; beyond, Hellinger distances take none
AFFORDABLE = 50_000_000  # tokens times topics that are softened to draw a picture: a tenth of a second

# While a run is looked at, its estimates are asked for again and again: by every click on another document, say.
_KNOWN: WeakKeyDictionary[jaxlda.Run, dict[tuple[str, int], Any]] = WeakKeyDictionary()


def soft_already(snapshot: Snapshot) -> bool:
    """Whether counts are soft by themselves (CVB0): there is only one estimator of phi, and one of theta."""
    return snapshot.run.chain(0).z is None


def estimate(snapshot: Snapshot, kind: str, chain: int) -> np.ndarray:
    """phi, phi_p ``(K, V)``, theta or theta_p ``(D, K)`` of a chain; where counts are soft already, both the same."""
    known = _KNOWN.setdefault(snapshot.run, {})
    if (kind, chain) not in known:
        run, soft = snapshot.run, kind.endswith("_p") and not soft_already(snapshot)
        function = estimators.phi if kind.startswith("phi") else estimators.theta
        known[kind, chain] = np.asarray(function(run.counts(soft=soft, chain=chain), run.chain_data(chain)))
    return known[kind, chain]


def called(snapshot: Snapshot, chain: int, topic: int) -> str:
    """The name of a topic: that which somebody gave it, or its label, or its number."""
    given = snapshot.names.get((chain, topic))
    if given is not None:
        return given
    return f"topic {topic}" if snapshot.labels is None else str(snapshot.labels[topic])


def topic_names(snapshot: Snapshot, chain: int, n: int = 5) -> list[str]:
    """What each topic is about: its name or label, if it has one, and its most probable words."""
    phi = estimate(snapshot, "phi_p", chain)
    words = [", ".join(row) for row in topics.best_words(phi, snapshot.corpus.vocab, n)]
    names = [called(snapshot, chain, k) for k in range(len(words))]
    return [
        text if name == f"topic {k}" else f"{name}: {text}"
        for k, (name, text) in enumerate(zip(names, words, strict=True))
    ]


def model_of(snapshot: Snapshot, **changes: Any) -> Any:
    """The model, as if its fit had ended where the snapshot was taken; ``changes`` are parameters it has instead."""
    name, params = snapshot.model
    return getattr(jaxlda, name).from_run(snapshot.run, snapshot.corpus, **(params | changes))


def capped(corpus: jaxlda.Corpus, limit: int = LIMIT) -> jaxlda.Corpus:
    """The first documents, as many as have ``limit`` tokens together; at least one."""
    fit = int(np.searchsorted(np.cumsum(corpus.n_d, dtype=np.int64), limit, side="right"))
    return corpus if fit >= corpus.num_docs else corpus.subset(slice(0, max(fit, 1)))


def shown_kind(snapshot: Snapshot, soft: bool) -> str:
    """The estimate to show: phi_p, if it is asked for, exists, and costs no more than a picture may."""
    run = snapshot.run
    if not soft or soft_already(snapshot):
        return "phi"
    if run.num_draws:
        return "phi_p" if run.soft else "phi"
    size = run.data.tokens.w.shape[0] * run.data.priors.alpha.shape[-1]
    return "phi_p" if size <= AFFORDABLE else "phi"


def metric_for(phi: np.ndarray, times: int = 1) -> str:
    """What topics are compared by, on all their words, while somebody waits."""
    K, V = phi.shape
    return "jensen_shannon" if K * K * V * times <= LOGARITHMS else "hellinger"


def phi_once(snapshot: Snapshot, kind: str, chain: int) -> np.ndarray:
    """As ``estimate``, but forgotten at once: the topics of all chains are too much to keep."""
    counts = snapshot.run.counts(soft=kind == "phi_p", chain=chain)
    return np.asarray(estimators.phi(counts, snapshot.run.chain_data(chain)))


def frequency_of(snapshot: Snapshot) -> np.ndarray:
    """How often each word occurs ``(V,)``."""
    tokens = snapshot.run.data.tokens
    return np.bincount(np.asarray(tokens.w), np.asarray(tokens.m), minlength=len(snapshot.corpus.vocab))
