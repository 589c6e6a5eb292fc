"""Documents grouped by how many topics they allow, so that a token costs what its document's labels cost, not K.

A document of a corpus with a thousand labels has a few of them. Here every document gets the list of its own, padded to
the length of its group: 1 (nothing to choose), 8, 16, 32 and so on. Loops run over one group after another; in a sweep
the order of the tokens is free.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Num, UInt32

from jaxlda.kernels.bricks.draw import padded_size
from jaxlda.types import Data

__all__ = ["Group", "group_documents", "groups_if_few"]

_LEAST = 8  # the shortest list with a choice in it: one AVX register, and what `draw` folds
_GATHERED = 4  # what a number costs that is gathered, one by one, in units of a number read in a row (measured)


class Group(NamedTuple):
    """Documents that allow about equally many topics, with their tokens in the order of the corpus."""

    entry: UInt32[Array, " n"]
    """Where each token stands in the data."""
    w: UInt32[Array, " n"]
    g: UInt32[Array, " n"]
    """The token's document, numbered within the group."""
    m: Num[Array, " n"]
    document: UInt32[Array, " G"]
    """The number of each document in the corpus."""
    labels: UInt32[Array, "G P"]
    """The topics each document allows, increasing; then zeros, which have no weight."""
    size: UInt32[Array, " G"]
    """How many there are."""

    @property
    def width(self) -> int:
        """P, the length of the lists."""
        return self.labels.shape[1]

    @property
    def allowed(self) -> Bool[Array, "G P"]:
        """Where the lists hold topics, and not padding."""
        return jnp.arange(self.width, dtype=jnp.uint32) < self.size[:, None]

    def of_documents(self, table: Num[Array, "D K"]) -> Num[Array, "G P"]:
        """What a table says of the documents' own topics; zero in the padding."""
        return jnp.where(self.allowed, table[self.document[:, None], self.labels], 0)


def group_documents(data: Data) -> tuple[Group, ...]:
    """List the topics that each document allows, and group documents by the length of the lists; on the host.

    Padding, and documents that allow nothing (which are empty), belong to no group.

    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_counts([[1, 1], [2, 0], [0, 1]])
    >>> groups = group_documents(corpus.data(alpha=[[0, 1, 0], [1, 0, 1], [0, 0, 1]]))
    >>> [(group.document.tolist(), group.labels.tolist()) for group in groups]
    [([0, 2], [[1], [2]]), ([1], [[0, 2, 0, 0, 0, 0, 0, 0]])]
    """
    allowed = np.asarray(data.priors.alpha) > 0
    w, d, m = (np.asarray(x) for x in data.tokens[:3])
    size = allowed.sum(axis=1)
    width = _widths(size)
    groups = []
    for P in np.unique(width[size > 0]).tolist():
        document = np.flatnonzero(width == P)
        labels = np.zeros((len(document), P), np.uint32)
        labels[np.arange(P) < size[document, None]] = np.nonzero(allowed[document])[1]
        within = np.zeros(len(width), np.uint32)
        within[document] = np.arange(len(document))
        entry = np.flatnonzero((width[d] == P) & (m > 0))
        arrays = (entry, w[entry], within[d[entry]], m[entry], document, labels, size[document])
        groups.append(Group(*(jnp.asarray(x, jnp.float32 if i == 3 else jnp.uint32) for i, x in enumerate(arrays))))
    return tuple(groups)


def groups_if_few(data: Data) -> tuple[Group, ...] | None:
    """Group the documents if that makes a sweep cheaper than rows of all K topics; otherwise ``None``.

    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_counts([[1, 1], [2, 0]])
    >>> groups_if_few(corpus.data(num_topics=100)) is None
    True
    """
    alpha = np.asarray(data.priors.alpha)
    if alpha.ndim == 1 or data.phi is not None:
        return None
    d, m = (np.asarray(x) for x in data.tokens[1:3])
    width = _widths((alpha > 0).sum(axis=1))[d[m > 0]].astype(np.int64)
    if _GATHERED * width[width > 1].sum() > padded_size(alpha.shape[1]) * len(width):
        return None
    return group_documents(data)


def _widths(size: np.ndarray) -> np.ndarray:
    """Round up to 1 or a power of two from 8 on; 0 stays."""
    powers = 2 ** np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64)
    return np.where(size <= 1, size, np.maximum(powers, _LEAST))
