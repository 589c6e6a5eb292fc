"""Topics as places, as far from each other as their words differ, documents among them; and topics as images."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Float64, Num

from jaxlda.alignment import distance

__all__ = ["condensed", "document_map", "image_side", "named", "topic_map"]

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
    metric: str = "jensen_shannon",
) -> pd.DataFrame:
    """Topics as points of a plane, as far from each other as their words differ.

    Distances laid out by multidimensional scaling (scikit-learn's SMACOF), from classical scaling at
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
    metric
        Of the distances, see ``jaxlda.alignment.distance``: ``"hellinger"`` is much faster where there are many topics.

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
    sizes, K = np.asarray(sizes, np.float64), len(phi)
    if start is not None and np.shape(start) != (K, 2):
        raise ValueError(f"start has shape {np.shape(start)}; expected a place for each of {K} topics: ({K}, 2)")
    place = np.zeros((1, 2)) if K == 1 else _scaled(distance(phi, phi, metric), start)
    return pd.DataFrame(
        {
            "topic": np.arange(K),
            "name": named(K, names),
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


def document_map(
    theta: Float[np.ndarray, "D K"], places: Num[np.ndarray, "topics 2"], n_d: Num[np.ndarray, " D"] | None = None
) -> pd.DataFrame:
    r"""Documents as points of the map of the topics: each lies between its topics, and nearest to its main ones.

    .. math:: x_d = \sum_k \theta_{dk}^2 x_k / \sum_k \theta_{dk}^2

    Squares keep documents of several topics apart, which would all be in the middle otherwise. Takes time and memory of
    the order of theta, and documents stay where they are while topics do.

    Parameters
    ----------
    theta
        The proportions of all documents; dense ones, theta_p, tell more.
    places
        Of the topics: ``x`` and ``y`` of :func:`topic_map`.
    n_d
        The lengths of documents. Empty ones are left out: they have the proportions of the prior, which mean nothing.

    Returns
    -------
    pandas.DataFrame
        Columns ``document``, ``x``, ``y``, ``topic`` (the main one) and ``share`` (which the document has of it).

    Examples
    --------
    >>> document_map(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 0.0], [4.0, 2.0]])).values.tolist()
    [[0.0, 0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 1.0, 0.0, 0.5]]
    """
    theta, places = np.asarray(theta), np.asarray(places)
    if places.shape != (theta.shape[1], 2):
        raise ValueError(
            f"places have shape {places.shape}; expected one for each of {theta.shape[1]} topics: ({theta.shape[1]}, 2)"
        )
    kept = np.arange(len(theta)) if n_d is None else np.flatnonzero(np.asarray(n_d) > 0)
    theta = theta[kept].astype(np.float64)
    weight = theta**2
    place = weight @ places / np.maximum(weight.sum(axis=1, keepdims=True), 1e-300)
    columns = {"document": kept, "x": place[:, 0], "y": place[:, 1]}
    return pd.DataFrame(columns | {"topic": theta.argmax(axis=1), "share": theta.max(axis=1, initial=0)})


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


def named(K: int, names: Any = None) -> list[str]:
    """The titles of topics: their names, or their numbers.

    >>> named(2), named(2, ["cats", "dogs"])
    (['topic 0', 'topic 1'], ['cats', 'dogs'])
    """
    return [f"topic {k}" for k in range(K)] if names is None else [str(name) for name in names]
