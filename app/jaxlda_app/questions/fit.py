"""What the Fit view asks while a run goes on."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from jaxlda import topics
from jaxlda_app.questions._chain import called, estimate
from jaxlda_app.questions._many import Lines
from jaxlda_app.questions.convergence import curves
from jaxlda_app.store import Snapshot

__all__ = ["Live", "live"]

SHOWN, WORDS = 12, 8  # topics, and words of each


class Live(NamedTuple):
    """What is known so far."""

    likelihood: Lines
    num_warmup: int
    table: pd.DataFrame
    """Topic, share and words of the largest topics."""
    num_topics: int


def live(snapshot: Snapshot, chain: int) -> Live:
    """The log-likelihood of every chain, and the words of the largest topics of one, by counts: they cost little."""
    traces = curves(snapshot)
    phi = estimate(snapshot, "phi", chain)
    sizes = np.asarray(snapshot.run.counts(chain=chain).n_k, float)
    largest = np.argsort(-sizes, kind="stable")[:SHOWN]
    words = topics.best_words(phi[largest], snapshot.corpus.vocab, WORDS)
    table = pd.DataFrame(
        {
            "topic": [called(snapshot, chain, int(k)) for k in largest],
            "share": [f"{sizes[k] / max(sizes.sum(), 1):.1%}" for k in largest],
            "words": [", ".join(row) for row in words],
        }
    )
    return Live(traces.likelihood, traces.num_warmup, table, len(phi))
