"""What several views ask of one chain."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

import jaxlda
from jaxlda import estimators, topics
from jaxlda_app.store import Snapshot

__all__ = ["LIMIT", "capped", "estimate", "model_of", "soft_already", "topic_names"]

LIMIT = 20_000
"""Tokens of held-out documents that are inferred while somebody waits."""

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


def topic_names(snapshot: Snapshot, chain: int, n: int = 5) -> list[str]:
    """What each topic is about: its label, if it has one, and its most probable words."""
    phi = estimate(snapshot, "phi_p", chain)
    words = [", ".join(row) for row in topics.best_words(phi, snapshot.corpus.vocab, n)]
    if snapshot.labels is None:
        return words
    return [f"{label}: {text}" for label, text in zip(snapshot.labels.tolist(), words, strict=True)]


def model_of(snapshot: Snapshot, **changes: Any) -> Any:
    """The model, as if its fit had ended where the snapshot was taken; ``changes`` are parameters it has instead."""
    name, params = snapshot.model
    return getattr(jaxlda, name).from_run(snapshot.run, snapshot.corpus, **(params | changes))


def capped(corpus: jaxlda.Corpus, limit: int = LIMIT) -> jaxlda.Corpus:
    """The first documents, as many as have ``limit`` tokens together; at least one."""
    fit = int(np.searchsorted(np.cumsum(corpus.n_d, dtype=np.int64), limit, side="right"))
    return corpus if fit >= corpus.num_docs else corpus.subset(slice(0, max(fit, 1)))
