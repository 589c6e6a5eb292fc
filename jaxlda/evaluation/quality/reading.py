"""Topics to be judged: of a fitted model with its draws, as phi with its words, or as lists of words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from jaxtyping import Bool, Float, Int64
from scipy import sparse

from jaxlda.alignment.labels import Labels, label
from jaxlda.corpora.inputs import as_names
from jaxlda.corpora.numbers import positive_int
from jaxlda.running.results import Run

__all__ = ["Draw", "TopicsRead", "best_ids", "labels_of", "read", "training_counts"]

_KNOWN: WeakKeyDictionary[Run, tuple[int, Labels]] = WeakKeyDictionary()
_EMPTY = "no token has it, so that its words are those of the prior"


class Draw(NamedTuple):
    """The topics of one draw, in the order of the model's."""

    phi: Float[np.ndarray, "K V"] | None
    """``None`` where only words are known."""
    top: Int64[np.ndarray, "K n"]
    """The numbers of the most probable words, the most probable first; -1 where there are fewer."""
    has: Bool[np.ndarray, " K"]
    """Whether the chain has the topic."""


@dataclass(frozen=True, eq=False)
class TopicsRead:
    """What a measure of quality may look at. Made by :func:`read`."""

    own: Draw
    vocab: np.ndarray
    names: Sequence[str]
    run: Run | None = None
    best_chain: int = 0
    order: np.ndarray | None = None
    """The word of every token of the training documents as they were written, if that is known."""

    def texts(self) -> Iterator[list[str]]:
        """The words of each training document, in their order."""
        if self.run is None or self.order is None:
            raise ValueError("the order of the words of the training documents is not known")
        ends = np.cumsum(np.asarray(self.run.data.tokens.n_d, np.int64))
        for begin, end in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
            yield self.vocab[self.order[begin:end]].tolist()

    @property
    def over(self) -> str:
        """What :meth:`draws` gives: of draws if they were kept, else of chains."""
        return "draws" if self._kept else "chains"

    @property
    def _kept(self) -> str | None:
        return next((name for name in ("phi", "phi_p") if self.run is not None and self.run.kept.get(name)), None)

    def draws(self) -> Iterator[Draw]:
        """Every draw of every chain; if they did not keep phi, every chain; nothing of a single estimate."""
        if self.run is None or self.run.data.phi is not None:
            return
        n = self.own.top.shape[1]
        found = labels_of(self.run, self.best_chain)
        if self._kept is not None:
            for s, each in enumerate(self.run.kept[self._kept]):
                for chain, phi in enumerate(each):
                    topics = phi[found.permutations[chain, s]]
                    yield Draw(topics, best_ids(topics, n), found.matched[chain])
        elif self.run.num_chains > 1:
            for chain, topics in enumerate(found.phi):
                yield Draw(topics, best_ids(topics, n), found.matched[chain])

    @cached_property
    def reasons(self) -> Mapping[int, str]:
        """Why topics cannot be judged, whatever the measure."""
        if self.run is None or self.run.data.phi is not None:
            return {}
        chains = range(self.run.num_chains) if self.run.tied else (self.best_chain,)
        n_k = sum(np.asarray(self.run.counts(chain=chain).n_k, np.float64) for chain in chains)
        return dict.fromkeys(np.flatnonzero(n_k <= 0).tolist(), _EMPTY)


def labels_of(run: Run, best_chain: int) -> Labels:
    """Which topic is which in all draws and chains, in the order of the best chain's; found once for each run."""
    known = _KNOWN.get(run)
    if known is None or known[0] != best_chain:
        known = best_chain, label(run, best_chain)
        _KNOWN[run] = known
    return known[1]


def read(model: Any, top_n: int) -> TopicsRead:
    """The topics of a fitted model, of a pair ``(phi, vocab)``, or of a list with the words of each.

    Examples
    --------
    >>> found = read([["cat", "purr"], ["dog"]], 5)
    >>> found.vocab.tolist(), found.own.top.tolist()
    (['cat', 'dog', 'purr'], [[0, 2], [1, -1]])
    """
    n = positive_int(top_n, "top_n")
    if hasattr(model, "fit"):
        if not hasattr(model, "phi_"):
            raise ValueError(f"this {type(model).__name__} is not fitted: call fit first")
        own = np.asarray(model.phi_)
        everywhere = np.full(len(own), True)
        run = getattr(model, "run_", None)
        names = tuple(getattr(model, "topic_names", None) or _numbered(len(own)))
        draw = Draw(own, best_ids(own, n), everywhere)
        order = getattr(getattr(model, "written_", None), "order", None)
        return TopicsRead(draw, np.asarray(model.vocab_), names, run, getattr(model, "best_chain_", 0), order)
    if isinstance(model, tuple) and len(model) == 2 and np.ndim(model[0]) == 2:
        phi = np.asarray(model[0], np.float64)
        vocab = as_names(model[1], "the vocabulary", phi.shape[1])
        return TopicsRead(Draw(phi, best_ids(phi, n), np.full(len(phi), True)), vocab, _numbered(len(phi)))
    return _of_words(model, n)


def _of_words(topics: Any, n: int) -> TopicsRead:
    lists = [list(words) for words in topics] if isinstance(topics, list | tuple) else []
    if not lists or not all(isinstance(word, str) for words in lists for word in words):
        raise TypeError(
            "topics are taken from a fitted model, from a pair (phi, vocab), or from a list with the words of each; "
            f"got a {type(topics).__name__}"
        )
    for k, words in enumerate(lists):
        if len(set(words[:n])) < len(words[:n]):
            raise ValueError(f"topic {k} has a word twice: give different words")
    vocab = np.array(sorted({word for words in lists for word in words}), dtype=str)
    top = np.full((len(lists), max(min(n, max(map(len, lists))), 1)), -1)
    for k, words in enumerate(lists):
        top[k, : len(words[:n])] = np.searchsorted(vocab, words[:n])
    return TopicsRead(Draw(None, top, np.full(len(lists), True)), vocab, _numbered(len(lists)))


def _numbered(K: int) -> tuple[str, ...]:
    return tuple(f"topic {k}" for k in range(K))


def best_ids(phi: Float[np.ndarray, "K V"], n: int) -> Int64[np.ndarray, "K n"]:
    """The most probable words of each topic, the first of equal ones first; -1 in the place of impossible ones.

    >>> best_ids(np.array([[0.2, 0.5, 0.3, 0.0]]), 4).tolist()
    [[1, 2, 0, -1]]
    """
    n = min(n, phi.shape[1])
    least = np.partition(phi, -n, axis=1)[:, -n]
    best = np.full((len(phi), n), -1)
    for k, row in enumerate(phi):
        some = np.flatnonzero((row >= least[k]) & (row > 0))
        some = some[np.argsort(-row[some], kind="stable")][:n]
        best[k, : some.size] = some
    return best


def training_counts(run: Run) -> sparse.csr_array:
    """The documents of a run ``(D, V)``."""
    w, d, m, n_d = (np.asarray(part) for part in run.data.tokens)
    return sparse.csr_array((m, (d, w)), shape=(len(n_d), run.data.priors.beta.shape[-1]))
