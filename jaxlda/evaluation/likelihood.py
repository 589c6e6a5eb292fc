"""Log-likelihood (Eq. 55) and perplexity (Eq. 56) of documents under given phi and theta."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float64

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import distributions
from jaxlda.estimators import log_likelihood_terms
from jaxlda.types import Data, Tokens

__all__ = ["log_likelihood", "log_likelihood_by_document", "perplexity"]


def log_likelihood_by_document(phi: Any, theta: Any, documents: Corpus | Data | Tokens) -> Float64[np.ndarray, " D"]:
    r"""The log-likelihood of every document: :math:`\log p(w_d) = \sum_{i \in d} \log \sum_k \phi_{k w_i} \theta_{dk}`.

    Parameters
    ----------
    phi
        The topics ``(K, V)``: each row a distribution over words.
    theta
        The topic proportions of the documents ``(D, K)``: each row a distribution over topics.
    documents
        A ``Corpus`` or its ``Tokens``.

    Returns
    -------
    array
        ``(D,)``, 0 for an empty document.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[1, 1], [0, 1]])
    >>> log_likelihood_by_document([[0.5, 0.5]], [[1.0], [1.0]], corpus).round(4).tolist()
    [-1.3863, -0.6931]
    """
    tokens = documents.tokens() if isinstance(documents, Corpus) else getattr(documents, "tokens", documents)
    if not isinstance(tokens, Tokens):
        raise TypeError(f"expected a Corpus, its data or its tokens; got a {type(documents).__name__}")
    phi, theta = np.asarray(phi, np.float32), np.asarray(theta, np.float32)
    if phi.ndim != 2 or theta.ndim != 2 or phi.shape[0] != theta.shape[1]:
        raise ValueError(
            f"phi has shape {phi.shape} and theta {theta.shape}; expected (K, V) and (D, K) with the same number of "
            "topics K"
        )
    D = len(tokens.n_d)
    if theta.shape[0] != D:
        raise ValueError(f"theta has {theta.shape[0]} rows, but there are {D} documents")
    V = documents.num_words if isinstance(documents, Corpus) else int(np.max(tokens.w, initial=-1)) + 1
    if phi.shape[1] < V or (isinstance(documents, Corpus) and phi.shape[1] != V):
        raise ValueError(
            f"phi is about {phi.shape[1]} words, but the documents have {V}; bring them into the vocabulary of phi "
            "with Corpus.select_words"
        )
    distributions(phi, "phi", "words")
    # The row of an empty document that allows no topic is zero.
    distributions(theta, "theta", "topics", needed=np.asarray(tokens.n_d) > 0)
    tokens = Tokens(*(jnp.asarray(x) for x in tokens))
    return np.asarray(log_likelihood_terms(jnp.asarray(phi), jnp.asarray(theta), tokens), np.float64)


def log_likelihood(phi: Any, theta: Any, documents: Corpus | Data | Tokens) -> float:
    r"""The log-likelihood of all documents (Eq. 55): :math:`\sum_d \sum_{i \in d} \log \sum_k \phi_{kw_i} \theta_{dk}`.

    The arguments are those of :func:`log_likelihood_by_document`, whose terms are added up in double precision.

    Examples
    --------
    >>> round(log_likelihood([[0.5, 0.5]], [[1.0], [1.0]], Corpus.from_counts([[1, 1], [0, 1]])), 4)
    -2.0794
    """
    return float(log_likelihood_by_document(phi, theta, documents).sum())


def perplexity(log_likelihood: float | int, num_tokens: int) -> float:
    r"""Perplexity (Eq. 56): :math:`\exp(-\log p(w) / N)`, the number of equally likely words to choose from.

    Parameters
    ----------
    log_likelihood
        Of all the tokens together.
    num_tokens
        N, the tokens that the log-likelihood is about.

    Examples
    --------
    >>> round(perplexity(-2.0794, 3), 3)
    2.0
    """
    if num_tokens < 1:
        raise ValueError("perplexity is a mean over tokens, and there are none to score")
    with np.errstate(over="ignore"):  # infinite for an impossible word
        return float(np.exp(-log_likelihood / num_tokens))
