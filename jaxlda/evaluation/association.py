"""Word association (Eq. 57): the words that a word leads to, by way of the topics."""

from typing import Any

import numpy as np
from jaxtyping import Float64

__all__ = ["association_probabilities", "association_ranks"]

_CUES = 256  # at once: bounds the memory, V numbers for each


def association_probabilities(phi: Any, cues: Any) -> Float64[np.ndarray, "n V"]:
    r"""How likely every word is, given a word of the same topic (Eq. 57).

    .. math:: p(w_2 \mid w_1) = \sum_k \phi_{k w_2} \frac{\phi_{k w_1}}{\sum_{k'} \phi_{k' w_1}}

    with all topics being equally likely at first.

    Parameters
    ----------
    phi
        The topics ``(K, V)``, by any estimator.
    cues
        The given words :math:`w_1`, as columns of phi ``(n,)``.

    Returns
    -------
    array
        ``(n, V)``; each row adds up to 1, the given word itself included.

    Examples
    --------
    >>> phi = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    >>> association_probabilities(phi, [0, 1]).tolist()
    [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]]
    """
    phi = _topics(phi)
    return _probabilities(phi, _words(cues, phi.shape[1], "cues"))


def association_ranks(phi: Any, cues: Any, targets: Any) -> Float64[np.ndarray, " n"]:
    """The rank of a word when all words but the given one are ordered by :func:`association_probabilities`.

    Parameters
    ----------
    phi
        The topics ``(K, V)``.
    cues
        The given word of each pair ``(n,)``, as columns of phi.
    targets
        The word to be placed, of each pair ``(n,)``; another than its cue.

    Returns
    -------
    array
        ``(n,)``: 1 for the likeliest word; words that are equally likely share the mean of their places.

    Examples
    --------
    >>> phi = [[0.5, 0.3, 0.2, 0.0], [0.0, 0.2, 0.2, 0.6]]
    >>> association_ranks(phi, [0, 0, 3], [1, 3, 1]).tolist()
    [1.0, 3.0, 1.5]
    """
    phi = _topics(phi)
    V = phi.shape[1]
    cues, targets = _words(cues, V, "cues"), _words(targets, V, "targets")
    if len(cues) != len(targets):
        raise ValueError(f"cues and targets are pairs, but there are {len(cues)} and {len(targets)} of them")
    if (cues == targets).any():
        i = int(np.argmax(cues == targets))
        raise ValueError(f"pair {i} has the word {cues[i]} as cue and as target; a word is not ranked among its own")
    distinct, of_pair = np.unique(cues, return_inverse=True)
    ranks = np.empty(len(cues))
    for start in range(0, len(distinct), _CUES):
        own = np.flatnonzero((of_pair >= start) & (of_pair < start + _CUES))
        p = _probabilities(phi, distinct[start : start + _CUES])
        p[np.arange(len(p)), distinct[start : start + _CUES]] = -1.0  # after all others
        for i in own.tolist():
            row = p[of_pair[i] - start]
            value = row[targets[i]]
            ranks[i] = np.count_nonzero(row > value) + (np.count_nonzero(row == value) + 1) / 2
    return ranks


def _probabilities(phi: np.ndarray, cues: np.ndarray) -> np.ndarray:
    given = phi[:, cues].T
    totals = given.sum(1, keepdims=True)
    if not (totals > 0).all():
        raise ValueError(f"no topic has the word {cues[int(np.argmin(totals))]}, so nothing follows from it")
    return (given / totals) @ phi


def _topics(phi: Any) -> np.ndarray:
    phi = np.asarray(phi, np.float64)
    if phi.ndim != 2 or not (np.isfinite(phi).all() and (phi >= 0).all()):
        raise ValueError(f"phi must be an array (K, V) of probabilities; got one of shape {phi.shape}")
    return phi


def _words(words: Any, V: int, name: str) -> np.ndarray:
    words = np.asarray(words)
    if words.size == 0:
        words = words.astype(np.int64)
    if words.ndim != 1 or words.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must be columns of phi, whole numbers in one dimension; got {words.dtype} {words.shape}"
        )
    if words.size and not (words.min() >= 0 and words.max() < V):
        raise ValueError(f"{name} must be columns of phi, from 0 to {V - 1}; got {words.min()} to {words.max()}")
    return words.astype(np.int64)
