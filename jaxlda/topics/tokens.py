"""The tokens of a document, each with its topic."""

import numpy as np
import pandas as pd
from jaxtyping import Float64

from jaxlda.estimators import transitions
from jaxlda.types import Data, Sample

__all__ = ["token_probabilities", "token_table", "tokens_of"]


def token_probabilities(sample: Sample, data: Data, document: int) -> Float64[np.ndarray, "n K"]:
    r"""The topic of each token of a document, as a distribution.

    The one that a Gibbs update would draw it from (Eqs. 1, 4 and 31, ``jaxlda.estimators.transitions``). Samples
    without assignments (CVB0) have no token to leave out: :math:`p_{ik} \propto \hat\phi_{kv} \hat\theta_{dk}`.

    Parameters
    ----------
    sample, data
        Of one chain, such as ``run.chain(0)`` and ``run.chain_data(0)``.
    document
        Its number.

    Returns
    -------
    array
        A row for each token, in the order of the data.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)
    >>> p = token_probabilities(run.chain(0), data, 1)
    >>> p.shape, p.sum(1).round(6).tolist()
    ((3, 2), [1.0, 1.0, 1.0])
    """
    own = tokens_of(data, document)
    if sample.z is not None:
        return transitions(sample, data, own)
    w = np.asarray(data.tokens.w)[own]
    alpha, beta = (np.asarray(prior, np.float64) for prior in data.priors)
    n_dk, n_vk, n_k = (np.asarray(table) for table in sample.counts)
    p = np.tile(n_dk[document] + (alpha[document] if alpha.ndim == 2 else alpha), (w.size, 1))
    if data.phi is None:
        p *= (n_vk[w] + (beta[w, None] if beta.ndim == 1 else beta[:, w].T)) / (n_k + beta.sum(-1))
    else:
        p *= np.asarray(data.phi)[:, w].T
    return p / p.sum(axis=1, keepdims=True)


def token_table(sample: Sample, data: Data, vocab: np.ndarray, document: int, *, soft: bool = False) -> pd.DataFrame:
    """The tokens of a document, each with a topic.

    Parameters
    ----------
    sample, data, document
        As in :func:`token_probabilities`.
    vocab
        The words ``(V,)``.
    soft
        The most probable topic and its transition probability, instead of the topic that was drawn, which is certain.
        Samples without assignments (CVB0) are always shown so.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``topic`` and ``probability``; a bag of words has no order, so rows are in the order of the
        data: by word, as the vocabulary has them.

    Examples
    --------
    >>> import jax, jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat dog", "dog dog ant"])
    >>> data = corpus.data(num_topics=1)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=2)
    >>> token_table(run.chain(0), data, corpus.vocab, 1).values.tolist()
    [['ant', 0, 1.0], ['dog', 0, 1.0], ['dog', 0, 1.0]]
    """
    own = tokens_of(data, document)
    words = vocab[np.asarray(data.tokens.w)[own]]
    if soft or sample.z is None:
        p = token_probabilities(sample, data, document)
        topic = p.argmax(axis=1)
        probability = p[np.arange(len(p)), topic]
    else:
        topic = np.asarray(sample.z)[own]
        probability = np.ones(topic.size)
    return pd.DataFrame({"word": words.tolist(), "topic": topic.astype(np.int64), "probability": probability})


def tokens_of(data: Data, document: int) -> slice:
    """The positions of a document's tokens in ``data.tokens``, without the padding at the end.

    >>> import jaxlda
    >>> tokens_of(jaxlda.Corpus.from_counts([[2, 1], [0, 4]]).data(num_topics=2), 1)
    slice(3, 7, None)
    """
    D = data.tokens.n_d.shape[0]
    if not 0 <= document < D:
        raise IndexError(f"document {document} does not exist: the corpus has {D} documents")
    d, m = np.asarray(data.tokens.d), np.asarray(data.tokens.m)
    begin, end = np.searchsorted(d, [document, document + 1])
    return slice(int(begin), int(begin + np.count_nonzero(m[begin:end])))
