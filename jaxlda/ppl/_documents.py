"""Documents in any accepted form, as ``Data``."""

from typing import Any

import jax
import numpy as np

from jaxlda.corpora.corpus import ALPHA, BETA, Corpus
from jaxlda.types import Data

__all__ = ["as_data"]


def as_data(data: Any, num_topics: int | None, alpha: Any, beta: Any) -> Data:
    """Documents in any accepted form, with their priors."""
    if not isinstance(data, Data):
        corpus = data if isinstance(data, Corpus) else Corpus.from_counts(data)
        return corpus.data(num_topics, ALPHA if alpha is None else alpha, BETA if beta is None else beta)
    K = data.priors.alpha.shape[-1]
    if num_topics not in (None, K):
        raise ValueError(f"num_topics is {num_topics}, but the data were made for {K} topics; leave one of them out")
    if isinstance(data.tokens.m, jax.core.Tracer):
        return data
    for name, given, own in (("alpha", alpha, data.priors.alpha), ("beta", beta, data.priors.beta)):
        if given is not None and not _agrees(given, np.asarray(own)):
            raise ValueError(f"{name} is not the one the data were made with; leave it out, or make the data with it")
    if not np.isin(np.asarray(data.tokens.m), (0, 1)).all():
        raise ValueError(
            "these data hold (document, word) pairs with frequencies m > 1; the model has one entry per token"
        )
    return data


def _agrees(given: Any, own: np.ndarray) -> bool:
    array = np.asarray(given, np.float32)
    return array.shape in ((), own.shape[1:], own.shape) and np.allclose(array, own)
