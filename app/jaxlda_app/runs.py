"""Runs that a session keeps: each with its documents, its job, and what people call its topics."""

from collections.abc import Iterable
from types import MappingProxyType

import numpy as np

from jaxlda import Corpus
from jaxlda_app.jobs import Job
from jaxlda_app.snapshots import Model, Snapshot, topic_labels
from jaxlda_app.words import counted

__all__ = ["MOST", "Kept", "unused_name"]

MOST = 8  # runs of a session: the oldest makes room


class Kept:
    """A run of the history.

    Parameters
    ----------
    name
        What it is called there.
    corpus, corpus_name, loading
        The documents that it was made from, what they are called, and the code that makes them, where there is any.
    job
        What samples it, or has.
    held
        Documents that are not sampled.
    size
        Bytes that are set aside for it; 0 for one that all sessions share.
    """

    def __init__(
        self,
        name: str,
        corpus: Corpus,
        corpus_name: str,
        job: Job,
        *,
        held: Corpus | None = None,
        loading: str | None = None,
        frozen: bool = False,
        size: int = 0,
    ) -> None:
        self.name, self.corpus, self.corpus_name, self.job = name, corpus, corpus_name, job
        self.held, self.loading, self.frozen, self.size = held, loading, frozen, size
        self.snapshot: Snapshot | None = None
        self.names: dict[tuple[int, int], str] = {}
        self.hidden: set[tuple[int, int]] = set()

    @property
    def going(self) -> bool:
        """Whether it samples, waits, or is paused."""
        return self.job.status in ("running", "queued", "paused")

    def renew(self) -> None:
        """Take what was sampled since."""
        job, run = self.job, self.job.run
        if run is None or (self.snapshot is not None and self.snapshot.run is run):
            return
        model = Model(type(job.model).__name__, job.model.get_params(deep=False))
        labels = topic_labels(job.model, job.corpus)
        self.snapshot = Snapshot(
            model, run, job.corpus, self.held, job.seconds, job.tokens_per_second, run.best_chain, labels, self.loading
        )
        self.mark()

    def mark(self) -> None:
        """Put names and hidden topics into the snapshot."""
        if self.snapshot is not None:
            names = MappingProxyType(dict(self.names))
            self.snapshot = self.snapshot._replace(names=names, hidden=frozenset(self.hidden))

    def call(self, chain: int, topic: int, name: str) -> None:
        """Give a topic a name; an empty one takes it back."""
        name = " ".join(name.split())[:80]
        if name:
            self.names[chain, topic] = name
        else:
            self.names.pop((chain, topic), None)
        self.mark()

    def hide(self, chain: int, topics: Iterable[int], hidden: bool = True) -> None:
        """Leave topics out of lists and maps, or put them back."""
        places = {(chain, int(topic)) for topic in topics}
        self.hidden = self.hidden | places if hidden else self.hidden - places
        self.mark()

    @property
    def about(self) -> str:
        """What it is, in a line: topics, chains, how far, how well."""
        snapshot = self.snapshot
        if snapshot is None:
            return f"{self.corpus.num_docs:,} documents"
        run = snapshot.run
        words = [
            f"{snapshot.model.name}, {run.data.priors.alpha.shape[-1]:,} topics, {counted(run.num_chains, 'chain')}",
            f"sweep {run.sweep:,} of {run.schedule.total:,}",
        ]
        likelihood = run.trace.get("log_likelihood")
        if likelihood is not None and np.isfinite(likelihood).any():
            best = likelihood[snapshot.best_chain]
            words.append(f"log-likelihood per token {best[np.isfinite(best)][-1]:.3f}")
        return " · ".join(words)


def unused_name(name: str, runs: Iterable[Kept]) -> str:
    """The name, with a number behind it if another run has it."""
    taken = {run.name for run in runs}
    number = 2
    unused = name
    while unused in taken:
        unused, number = f"{name} ({number})", number + 1
    return unused
