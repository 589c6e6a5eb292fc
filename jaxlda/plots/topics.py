"""Topics seen from outside: how they lie to each other, their words, their stability and their documents, as tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Num

from jaxlda.alignment import distance, similarity
from jaxlda.alignment.distances import as_threshold, divergence_by_word
from jaxlda.alignment.matching import SHARED, assign

__all__ = [
    "condensed",
    "image_side",
    "rank_changes",
    "relevance",
    "representative_documents",
    "similarity_table",
    "stability_table",
    "top_words_table",
    "topic_map",
]

_LOGARITHMS = 20_000_000  # a tenth of a second of them: what a picture that is drawn anew all the time may cost
_WORDS = 500  # at least, however many topics


def condensed(
    phi: Float[np.ndarray, "*batch K V"], frequency: Num[np.ndarray, " V"], budget: int = _LOGARITHMS
) -> Float[np.ndarray, "*batch K W"]:
    r"""Topics over the most frequent words only, with all the others as one, so that comparing them costs little.

    Jensen-Shannon distances take K² V logarithms. Lumping words together never increases a distance; it loses at most
    the mass that the lumped words have. Where the budget suffices, phi is returned as it is.

    Parameters
    ----------
    phi
        Topics, of one chain or several.
    frequency
        How often each word occurs; the same words are kept for all chains, and at all times.
    budget
        How many logarithms the comparison of each topic with each may take (but at least 500 words are kept).

    Examples
    --------
    >>> condensed(np.full((20, 1000), 1e-3), np.ones(1000)).shape
    (20, 1000)
    >>> condensed(np.full((200, 1000), 1e-3), np.ones(1000)).shape
    (200, 500)
    """
    K, V = phi.shape[-2:]
    words = max(budget // (K * K), _WORDS)
    if words >= V:
        return phi
    order = np.argsort(-np.asarray(frequency), kind="stable")
    kept, rest = order[: words - 1], order[words - 1 :]
    return np.concatenate([phi[..., kept], phi[..., rest].sum(axis=-1, keepdims=True)], axis=-1)


def topic_map(
    phi: Float[np.ndarray, "K V"],
    sizes: Num[np.ndarray, " K"],
    start: Any = None,
    names: Any = None,
) -> Any:
    """Topics as points of a plane, as far from each other as their words differ.

    Jensen-Shannon distances laid out by multidimensional scaling (scikit-learn's SMACOF), from classical scaling at
    first; from ``start`` later, so that a map which is drawn anew while topics change does not turn or jump.

    Parameters
    ----------
    phi
        The topics.
    sizes
        Of the topics, in tokens.
    start
        Where the topics were last time, ``(K, 2)``.
    names
        Of the topics, if they have any.

    Returns
    -------
    pandas.DataFrame
        Columns ``topic``, ``name``, ``x``, ``y`` and ``share`` (of all tokens).

    Examples
    --------
    >>> table = topic_map(np.eye(3), np.array([2, 1, 1]))
    >>> table.share.tolist()
    [0.5, 0.25, 0.25]
    >>> np.hypot(table.x[0] - table.x[1], table.y[0] - table.y[1]).round(2).item()
    1.0
    """
    import pandas as pd

    sizes, K = np.asarray(sizes, np.float64), len(phi)
    if start is not None and np.shape(start) != (K, 2):
        raise ValueError(f"start has shape {np.shape(start)}; expected a place for each of {K} topics: ({K}, 2)")
    place = np.zeros((1, 2)) if K == 1 else _scaled(distance(phi, phi), start)
    return pd.DataFrame(
        {
            "topic": np.arange(K),
            "name": _named(K, names),
            "x": place[:, 0],
            "y": place[:, 1],
            "share": sizes / max(sizes.sum(), 1e-300),
        }
    )


def _scaled(d: Float64[np.ndarray, "K K"], start: np.ndarray | None) -> Float64[np.ndarray, "K 2"]:
    from sklearn.manifold import smacof

    d = (d + d.T) / 2
    np.fill_diagonal(d, 0)
    if d.max() < 1e-6:
        return np.zeros((len(d), 2))  # nothing to lay out, and SMACOF would divide by it
    begin = _classical(d) if start is None else np.asarray(start, np.float64)
    rounds = 300 if start is None else 30
    place, _ = smacof(d, init=begin, n_init=1, max_iter=rounds, eps=1e-5, normalized_stress=False)
    return place - place.mean(axis=0)


def _classical(d: Float64[np.ndarray, "K K"]) -> Float64[np.ndarray, "K 2"]:
    """The two largest principal axes of the squared distances, each with its largest entry positive."""
    squared = d**2
    centred = -(squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean()) / 2
    values, vectors = np.linalg.eigh(centred)
    axes = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-6))
    return axes[:, ::-1] * np.sign(axes[np.abs(axes).argmax(0), np.arange(axes.shape[1])])[::-1]


def relevance(
    phi_k: Float[np.ndarray, "*batch V"], frequency: Num[np.ndarray, " V"], weight: float | int
) -> Float64[np.ndarray, "*batch V"]:
    r"""How much a word tells of a topic: :math:`\lambda \log \phi_{kv} + (1 - \lambda) \log (\phi_{kv} / p_v)`.

    With :math:`\lambda = 1` the words of a topic are ranked by their probability, with 0 by how much more probable they
    are there than in the corpus; words that never occur are last.

    Parameters
    ----------
    phi_k
        A topic, or several.
    frequency
        How often each word occurs in the corpus, or p_v itself.
    weight
        :math:`\lambda`, from 0 to 1.

    Examples
    --------
    >>> relevance(np.array([0.5, 0.3, 0.2]), np.array([8, 1, 1]), 0.0).argsort()[::-1].tolist()
    [1, 2, 0]
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"the weight of relevance must be from 0 to 1; got {weight!r}")
    p = np.asarray(frequency, np.float64)
    with np.errstate(divide="ignore"):
        log_phi, log_p = np.log(np.asarray(phi_k, np.float64)), np.log(p / p.sum())
    occurs = np.isfinite(log_p)
    return np.where(occurs, log_phi - (1 - weight) * np.where(occurs, log_p, 0), -np.inf)


def top_words_table(
    phi_k: Float[np.ndarray, " V"],
    vocab: Sequence[str] | np.ndarray,
    frequency: Num[np.ndarray, " V"],
    weight: float | int = 1.0,
    n: int = 15,
) -> Any:
    """The most relevant words of a topic.

    Parameters
    ----------
    phi_k
        The topic.
    vocab
        The words.
    frequency, weight
        As in :func:`relevance`.
    n
        How many words.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``probability``, ``lift`` (how many times as probable as in the corpus) and ``relevance``,
        the most relevant first.

    Examples
    --------
    >>> top_words_table(np.array([0.5, 0.3, 0.2]), ["the", "cat", "dog"], np.array([8, 1, 1]), 0.0, n=2).word.tolist()
    ['cat', 'dog']
    """
    import pandas as pd

    score = relevance(phi_k, frequency, weight)
    best = np.argsort(-score, kind="stable")[:n]
    best = best[score[best] > -np.inf]
    p = np.asarray(frequency, np.float64)
    words = [str(vocab[v]) for v in best.tolist()]
    probability = np.asarray(phi_k, np.float64)[best]
    lift = probability / (p[best] / p.sum())
    return pd.DataFrame({"word": words, "probability": probability, "lift": lift, "relevance": score[best]})


def rank_changes(
    phi_k: Float[np.ndarray, " V"],
    phi_p_k: Float[np.ndarray, " V"],
    vocab: Sequence[str] | np.ndarray,
    n: int = 12,
    within: int = 100,
) -> Any:
    """The words that two estimates of a topic rank most differently, among those that either has near its top.

    Words of equal probability (under hard counts there are many) share the mean of their ranks.

    Parameters
    ----------
    phi_k, phi_p_k
        Two estimates of the same topic.
    vocab
        The words.
    n
        How many words.
    within
        How near the top: the rank that a word must have in one of the two.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``rank`` and ``rank_p`` (from 1), the largest ratio of ranks first; words of equal ranks are
        not in it.

    Examples
    --------
    >>> rank_changes(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5]), ["a", "b", "c"]).values.tolist()
    [['a', 1.0, 3.0], ['c', 3.0, 1.0]]
    """
    import pandas as pd
    from scipy.stats import rankdata

    rank, rank_p = (rankdata(-np.asarray(phi, np.float64)) for phi in (phi_k, phi_p_k))
    near = np.flatnonzero((np.minimum(rank, rank_p) <= within) & (rank != rank_p))
    change = np.abs(np.log(rank_p[near] / rank[near]))
    most = near[np.argsort(-change, kind="stable")[:n]]
    return pd.DataFrame({"word": [str(vocab[v]) for v in most.tolist()], "rank": rank[most], "rank_p": rank_p[most]})


def stability_table(phis: Float[np.ndarray, "C K V"], reference: int, tied: bool = False, names: Any = None) -> Any:
    """Whether the other chains have the topics of one: of each topic the partner in each chain, and how alike they are.

    Parameters
    ----------
    phis
        The topics of all chains.
    reference
        The chain whose topics are looked for in the others.
    tied
        Whether topic k is the same in all chains (``run.tied``, as with labels); otherwise they are matched as
        ``jaxlda.alignment.align`` does, but without a look at what was split or merged.
    names
        Of the topics, if they have any.

    Returns
    -------
    pandas.DataFrame
        Columns ``topic``, ``name``, ``chain``, ``partner`` (-1 without one) and ``similarity`` (from 0 to 1; 0 without
        a partner), a row for each topic of each other chain.

    Examples
    --------
    >>> phi = np.kron(np.eye(4), np.full(3, 1 / 3))
    >>> stability_table(np.stack([phi[[0, 1]], phi[[1, 3]]]), 0)[["topic", "partner", "similarity"]].values.tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 1.0]]
    """
    import pandas as pd

    phis = np.asarray(phis)
    C, K = phis.shape[:2]
    others = [chain for chain in range(C) if chain != reference]
    if tied:
        partner = np.tile(np.arange(K), (len(others), 1))
        p = [phi / phi.sum(axis=1, dtype=np.float64, keepdims=True) for phi in phis]
        alike = np.array([1 - divergence_by_word(p[reference], p[chain]).sum(axis=1) for chain in others])
    else:
        d = np.array([distance(phis[reference], phis[chain]) for chain in others]).reshape(-1, K, K)
        partner = np.array([assign(one, as_threshold(None, "jensen_shannon", SHARED)) for one in d], int).reshape(-1, K)
        found = np.take_along_axis(d, np.maximum(partner, 0)[..., None], axis=2)[..., 0]
        alike = np.where(partner < 0, 0.0, similarity(found))
    return pd.DataFrame(
        {
            "topic": np.tile(np.arange(K), len(others)),
            "name": _named(K, names) * len(others),
            "chain": np.repeat(np.array(others, int), K),
            "partner": partner.ravel(),
            "similarity": alike.ravel(),
        }
    )


def similarity_table(phi: Float[np.ndarray, "K V"], other: Float[np.ndarray, "K V"], tied: bool = False) -> Any:
    """How alike each topic of one chain and each of another are, with partners on the diagonal.

    Parameters
    ----------
    phi, other
        The topics of two chains.
    tied
        As in :func:`stability_table`: with labels, topic k is its own partner.

    Returns
    -------
    pandas.DataFrame
        Similarities from 0 to 1, a row for each topic of the first chain. The columns are the topics of the other, by
        their numbers there and in the order of their partners; those without one fill the places that are left.

    Examples
    --------
    >>> phi = np.kron(np.eye(3), np.full(2, 1 / 2))
    >>> table = similarity_table(phi, phi[[2, 0, 1]])
    >>> table.columns.tolist(), np.diag(table).tolist()
    ([1, 2, 0], [1.0, 1.0, 1.0])
    """
    import pandas as pd

    d, K = distance(phi, other), len(phi)
    order = np.arange(K) if tied else assign(d, as_threshold(None, "jensen_shannon", SHARED))
    order[order < 0] = np.setdiff1d(np.arange(K), order)
    return pd.DataFrame(similarity(d)[:, order], columns=order)


def representative_documents(
    theta_k: Float[np.ndarray, " D"], lengths: Num[np.ndarray, " D"], titles: Any = None, n: int = 8
) -> Any:
    """The documents with the largest share of a topic; empty ones are never among them.

    Parameters
    ----------
    theta_k
        The share of the topic in each document.
    lengths
        Of the documents, in tokens.
    titles
        Of the documents, if they have any.
    n
        How many documents.

    Returns
    -------
    pandas.DataFrame
        Columns ``document``, ``title``, ``share`` and ``tokens``.

    Examples
    --------
    >>> representative_documents(np.array([0.1, 0.9, 0.5]), np.array([5, 4, 3]), n=2).values.tolist()
    [[1, 'document 1', 0.9, 4], [2, 'document 2', 0.5, 3]]
    """
    import pandas as pd

    share = np.where(np.asarray(lengths) > 0, np.asarray(theta_k, np.float64), -1.0)
    best = np.argsort(-share, kind="stable")[:n]
    best = best[share[best] >= 0]
    named = [f"document {d}" if titles is None else str(titles[d]) for d in best.tolist()]
    return pd.DataFrame({"document": best, "title": named, "share": share[best], "tokens": np.asarray(lengths)[best]})


def image_side(vocab: Sequence[str] | np.ndarray) -> int | None:
    """The side of the image whose pixels the words are, as those of ``jaxlda.datasets.bars``; ``None`` if they are not.

    Examples
    --------
    >>> image_side(["r0c0", "r0c1", "r1c0", "r1c1"]), image_side(["cat"])
    (2, None)
    """
    side = round(len(vocab) ** 0.5)
    pixels = (f"r{row}c{column}" for row in range(side) for column in range(side))
    return side if side * side == len(vocab) and all(a == b for a, b in zip(vocab, pixels, strict=True)) else None


def _named(K: int, names: Any) -> list[str]:
    return [f"topic {k}" for k in range(K)] if names is None else [str(name) for name in names]
