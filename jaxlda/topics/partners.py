"""The topics of one chain in the others: which is the partner of which, and how alike they are."""

from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from jaxlda.alignment import distance, similarity
from jaxlda.alignment.distances import as_threshold, divergence_by_word
from jaxlda.alignment.matching import SHARED, assign
from jaxlda.topics.maps import named

__all__ = ["similarity_table", "stability_table"]


def stability_table(
    phis: Float[np.ndarray, "C K V"],
    reference: int,
    tied: bool = False,
    names: Any = None,
    metric: str = "jensen_shannon",
) -> pd.DataFrame:
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
    metric
        By which partners are found, see ``jaxlda.alignment.distance``: ``"hellinger"`` is much faster where there are
        many topics. How alike partners are is always told by Jensen-Shannon.

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
    C, K = len(phis), len(phis[0])
    others = [chain for chain in range(C) if chain != reference]
    found = [_partners(phis[reference], phis[chain], tied, metric) for chain in others]
    partner = np.array([one for one, _ in found], int).reshape(-1, K)
    alike = np.array([two for _, two in found], float).reshape(-1, K)
    return pd.DataFrame(
        {
            "topic": np.tile(np.arange(K), len(others)),
            "name": named(K, names) * len(others),
            "chain": np.repeat(np.array(others, int), K),
            "partner": partner.ravel(),
            "similarity": alike.ravel(),
        }
    )


def _partners(phi: np.ndarray, other: np.ndarray, tied: bool, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """The partner of each topic, -1 without one, and how alike they are."""
    K = len(phi)
    partner = np.arange(K)
    if not tied:
        d = distance(phi, other, metric)
        partner = assign(d, as_threshold(None, metric, SHARED))
        if metric == "jensen_shannon":
            return partner, np.where(partner < 0, 0.0, similarity(d[np.arange(K), partner]))
    p, q = (x / x.sum(axis=1, dtype=np.float64, keepdims=True) for x in (phi, other))
    alike = np.zeros(K)
    for k in np.flatnonzero(partner >= 0):  # one by one: an array of topics x words in double precision is large
        alike[k] = 1 - divergence_by_word(p[k], q[partner[k]]).sum()
    return partner, alike


def similarity_table(
    phi: Float[np.ndarray, "K V"], other: Float[np.ndarray, "K V"], tied: bool = False, metric: str = "jensen_shannon"
) -> pd.DataFrame:
    """How alike each topic of one chain and each of another are, with partners on the diagonal.

    Parameters
    ----------
    phi, other
        The topics of two chains.
    tied
        As in :func:`stability_table`: with labels, topic k is its own partner.
    metric
        By which they are compared, see ``jaxlda.alignment.distance``.

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
    d, K = distance(phi, other, metric), len(phi)
    order = np.arange(K) if tied else assign(d, as_threshold(None, metric, SHARED))
    order[order < 0] = np.setdiff1d(np.arange(K), order)
    return pd.DataFrame(similarity(d, metric)[:, order], columns=order)
