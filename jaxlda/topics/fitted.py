"""One view of fitted models and runs, for functions that look at topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Num

from jaxlda import estimators
from jaxlda.corpora.inputs import as_names, generated_names
from jaxlda.corpora.numbers import one_of
from jaxlda.running.results import Run
from jaxlda.types import Data, Sample

__all__ = ["Fitted", "fitted"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """One chain of a run, with the names of words, documents and topics. Made by :func:`fitted`."""

    run: Run
    chain: int
    vocab: np.ndarray
    titles: Sequence[str] | None
    """Of the documents, if they have any."""
    names: Sequence[str] | None
    """Of the topics of this chain, if they have any: as they were set, or those of labels or seed words."""
    estimator: str
    """The one that the model prefers: ``"cgs_p"`` or ``"cgs"``."""

    @cached_property
    def sample(self) -> Sample:
        """The present sample of the chain."""
        return self.run.chain(self.chain)

    @cached_property
    def data(self) -> Data:
        """The data as the chain sees them."""
        return self.run.chain_data(self.chain)

    @property
    def soft_already(self) -> bool:
        """Whether the algorithm's counts are soft already (CVB0), so that phi and theta have one estimator each."""
        return self.sample.z is None

    @cached_property
    def frequency(self) -> Num[np.ndarray, " V"]:
        """How often each word occurs."""
        tokens = self.run.data.tokens
        return np.bincount(np.asarray(tokens.w), np.asarray(tokens.m), minlength=len(self.vocab))

    def phi(self, estimator: str | None = None, chain: int | None = None) -> Float[np.ndarray, "K V"]:
        """The topics (Eqs. 2 and 41), of this chain if none is given."""
        if self.run.data.phi is not None:
            return np.asarray(self.run.data.phi)
        return self._estimate(estimators.phi, estimator, chain)

    def theta(self, estimator: str | None = None, chain: int | None = None) -> Float[np.ndarray, "D K"]:
        """The topic proportions of the documents (Eqs. 3 and 40)."""
        return self._estimate(estimators.theta, estimator, chain)

    def _estimate(self, function: Any, estimator: str | None, chain: int | None) -> np.ndarray:
        chosen = one_of(self.estimator if estimator is None else estimator, "estimator", ("cgs_p", "cgs"))
        chain = self.chain if chain is None else chain
        soft = chosen == "cgs_p" and not self.soft_already
        return np.asarray(function(self.run.counts(soft=soft, chain=chain), self.run.chain_data(chain)))


def fitted(model: Any, chain: int | None = None, *, vocab: Any = None, titles: Sequence[str] | None = None) -> Fitted:
    """One chain of a fitted model or a run, with the names of its words, documents and topics.

    Parameters
    ----------
    model
        A fitted model of ``jaxlda``, or a ``jaxlda.Run``.
    chain
        Its best chain if not given.
    vocab, titles
        The words and the titles of documents of a run, which does not know them; those of the model if not given.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog"])
    >>> model = jaxlda.LDA(num_topics=2, num_warmup=5, num_chains=1, progress=False).fit(corpus)
    >>> fitted(model).phi().shape, fitted(model.run_).vocab.tolist()
    ((2, 4), ['w0', 'w1', 'w2', 'w3'])
    """
    if isinstance(model, Fitted):
        return model
    # A model without chains says why it has none.
    run = model._chains() if hasattr(model, "_chains") else getattr(model, "run_", model)
    if not isinstance(run, Run):
        raise TypeError(f"expected a fitted model or a run; got a {type(model).__name__}")
    V, K = run.data.priors.beta.shape[-1], run.data.priors.alpha.shape[-1]
    vocab = getattr(model, "vocab_", None) if vocab is None else vocab
    words = generated_names("w", V) if vocab is None else as_names(vocab, "the vocabulary", V)
    if chain is None:
        known = getattr(model, "best_chain_", None)
        chain = run.best_chain if known is None else known
    elif not 0 <= chain < run.num_chains:
        raise IndexError(f"there is no chain {chain}: this run has chains 0 to {run.num_chains - 1}")
    names = model._names_of(chain) if hasattr(model, "_names_of") else getattr(model, "classes_", None)
    return Fitted(
        run,
        chain,
        words,
        getattr(model, "doc_titles_", None) if titles is None else titles,
        [str(name) for name in names] if names is not None and len(names) == K else None,
        getattr(model, "estimator", "cgs_p") if run.soft or not run.num_draws else "cgs",
    )
