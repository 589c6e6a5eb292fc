"""MALLET's diagnostics of topics, in one table."""

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64
from scipy.special import xlogy

from jaxlda.evaluation.quality.reading import read, training_counts

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["topic_diagnostics"]

_MAIN, _SOME, _COUNTED = 0.5, 0.02, 0.3  # shares of a document: MALLET's


def topic_diagnostics(model: Any, *, top_n: int = 20, chain: int | None = None) -> "pd.DataFrame":
    r"""MALLET's diagnostics of topics: where a topic differs from others, and from what a topic should be.

    All are of the counts averaged over the draws of one chain, not of a single draw; a document has a topic if at least
    half a token of it does. Of a topic without tokens nothing is known: its row has NaN, and ``reason`` says so.

    Parameters
    ----------
    model
        A fitted model with documents.
    top_n
        How many words are looked at for their length and exclusivity.
    chain
        The best one if not given.

    Returns
    -------
    pandas.DataFrame
        A row for each topic:

        - ``topic``, ``name``, ``tokens``: its mean size;
        - ``document_entropy``: :math:`-\sum_d p_d \log p_d` with :math:`p_d = n_{dk} / n_k`. High where a topic is
          spread over many documents, low where it is that of a few;
        - ``word_length``: the mean number of letters of its words; short ones often are stop words or debris;
        - ``uniform_dist``, ``corpus_dist``: Kullback-Leibler divergences of its words from the uniform distribution,
          and from all words of the corpus; small where a topic is of everything;
        - ``eff_num_words``: :math:`1 / \sum_v p_v^2`, how many equally probable words would be as concentrated;
        - ``rank_1_docs``: of the documents that have it, the share in which it is the largest topic;
        - ``allocation_ratio``: documents of which it is at least 50 %, for each of which it is at least 2 %;
        - ``allocation_count``: of the documents that have it, the share of which it is at least 30 %;
        - ``exclusivity``: the mean of :math:`\phi_{kv} / \sum_j \phi_{jv}` over its words;
        - ``reason``: why there are no numbers, or empty.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog"] * 5)
    >>> model = jaxlda.LDA(2, num_warmup=20, num_chains=1, progress=False).fit(corpus)
    >>> topic_diagnostics(model, top_n=2).rank_1_docs.round(1).tolist()
    [1.0, 1.0]
    """
    import pandas as pd

    found = read(model, top_n)
    if found.run is None:
        raise ValueError("these topics have no documents: give a fitted model that has its chains")
    chain = found.best_chain if chain is None else chain
    counts, data = found.run.counts(chain=chain), found.run.chain_data(chain)
    n_dk, n_vk, n_k = (np.asarray(table, np.float64) for table in counts)
    empty = n_k <= 0
    size = np.where(empty, 1.0, n_k)
    words = np.asarray(training_counts(found.run).sum(axis=0), np.float64)
    alpha = np.asarray(data.priors.alpha, np.float64)
    there = found.own.top >= 0
    letters = np.array([len(word) for word in found.vocab.tolist()])[np.maximum(found.own.top, 0)]
    phi = np.asarray(found.own.phi, np.float64)
    own = np.take_along_axis(phi / np.maximum(phi.sum(axis=0), 1e-300), np.maximum(found.own.top, 0), axis=1)
    many = np.maximum(there.sum(axis=1), 1)
    columns = {
        "tokens": n_k,
        "document_entropy": np.log(size) - xlogy(n_dk, n_dk).sum(axis=0) / size,
        "word_length": np.where(there, letters, 0).sum(axis=1) / many,
        "uniform_dist": _divergence(n_vk / size, np.full(len(words), 1 / len(words))),
        "corpus_dist": _divergence(n_vk / size, words / max(words.sum(), 1)),
        "eff_num_words": 1 / np.maximum(np.square(n_vk / size).sum(axis=0), 1e-300),
        **_allocation(n_dk, alpha),
        "exclusivity": np.where(there, own, 0.0).sum(axis=1) / many,
    }
    blank = {name: np.where(empty & (name != "tokens"), np.nan, column) for name, column in columns.items()}
    reason = ["no token has it" if none else "" for none in empty]
    first = {"topic": np.arange(len(n_k)), "name": list(found.names)}
    return pd.DataFrame(first | blank | {"reason": reason})


def _divergence(p: Float64[np.ndarray, "V K"], q: Float64[np.ndarray, " V"]) -> Float64[np.ndarray, " K"]:
    """Kullback-Leibler, of each column from q."""
    ratio = p / np.where(q > 0, q, 1.0)[:, None]
    return xlogy(p, np.where(p > 0, ratio, 1.0)).sum(axis=0)


def _allocation(n_dk: Float64[np.ndarray, "D K"], alpha: Float64[np.ndarray, "*D K"]) -> dict[str, np.ndarray]:
    """How documents are given to topics."""
    K = n_dk.shape[1]
    length = n_dk.sum(axis=1, keepdims=True)
    filled = length[:, 0] > 0
    has = (n_dk >= 0.5) & filled[:, None]
    largest = np.bincount(n_dk.argmax(axis=1)[filled], minlength=K)
    total = length + alpha.sum(axis=-1, keepdims=True)
    share = np.where(has, (n_dk + alpha) / np.where(total > 0, total, 1.0), 0.0)
    number = np.maximum(has.sum(axis=0), 1)
    main, some, counted = ((share >= least).sum(axis=0) for least in (_MAIN, _SOME, _COUNTED))
    return {
        "rank_1_docs": np.minimum(largest / number, 1.0),
        "allocation_ratio": main / np.maximum(some, 1),
        "allocation_count": counted / number,
    }
