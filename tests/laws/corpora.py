"""Small corpora for the laws, and the kernels they are tried on."""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from jaxlda import kernels
from jaxlda.types import Data, Priors, Tokens
from tests.tiers import VARIANTS

__all__ = [
    "APPROXIMATE",
    "BLOCKS",
    "EXACT",
    "FEW",
    "FEW_IN_ORDER",
    "FOUR",
    "LABELLED",
    "LONG",
    "MIXED",
    "PREDICTION",
    "TINY",
    "make_data",
    "pad",
]

# A kernel that is not listed here claims to sample the posterior exactly, and is held to it.
APPROXIMATE = {
    "blocks": "what other threads do in a round is not in the counts of topics",
    "blocks(workers=3)": "as blocks",
    "cvb0": "a deterministic approximation of the posterior",
    "vb": "a deterministic approximation of the posterior",
    "light": "words propose from counts of before",
    "warp": "all tokens move at once, by counts of before",
    "warp(steps=2)": "as warp",
}
EXACT = sorted({*kernels.KERNELS, *VARIANTS} - set(APPROXIMATE))


def make_data(docs: Sequence[Sequence[int]], alpha, beta, phi=None) -> Data:
    """Lay out documents, each a list of words."""
    lengths = [len(doc) for doc in docs]
    tokens = Tokens(
        w=jnp.array([v for doc in docs for v in doc], jnp.int32),
        d=jnp.array(np.repeat(np.arange(len(docs)), lengths), jnp.int32),
        m=jnp.ones(sum(lengths), jnp.int32),
        n_d=jnp.array(lengths, jnp.int32),
    )
    priors = Priors(jnp.array(alpha, jnp.float32), jnp.array(beta, jnp.float32))
    return Data(tokens, priors, None if phi is None else jnp.array(phi, jnp.float32))


def pad(data: Data, size: int) -> Data:
    """Append entries that count nothing, in the last document, so that d never decreases."""
    w, d, m, n_d = data.tokens
    last = len(n_d) - 1
    w, d, m = (jnp.concatenate([x, jnp.full(size, fill, x.dtype)]) for x, fill in ((w, 0), (d, last), (m, 0)))
    return data._replace(tokens=Tokens(w, d, m, n_d))


def _random(seed: int, labelled: bool = False, fixed: bool = False) -> Data:
    """Make eleven documents (two of them empty) over fifteen words (one of them unused), four topics."""
    rng = np.random.default_rng(seed)
    lengths = [9, 14, 0, 3, 22, 1, 7, 12, 30, 5, 0]
    docs = [rng.integers(0, 14, n) for n in lengths]
    alpha = rng.uniform(0.1, 1.0, (len(docs), 4)) if labelled else rng.uniform(0.1, 1.0, 4)
    if labelled:
        alpha[np.arange(len(docs)), rng.integers(0, 4, len(docs))] = 0.0
        alpha[1, :3] = 0.0
        alpha[-1] = 0.0  # a document without labels, which only an empty one may be
    beta = rng.uniform(0.05, 0.5, (4, 15)) if labelled else rng.uniform(0.05, 0.5, 15)
    return make_data(docs, alpha, beta, rng.dirichlet(np.full(15, 0.3), 4) if fixed else None)


MIXED = _random(0)
LABELLED = _random(1, labelled=True)
PREDICTION = _random(2, fixed=True)


def _few_labels(seed: int, in_order: bool) -> Data:
    """Make documents that allow one to twelve of seventy topics; in the order of their groups, or mixed."""
    rng = np.random.default_rng(seed)
    sizes = np.array([1, 1, 0, 2, 3, 8, 5, 2, 4, 9, 12])
    lengths = np.array([6, 9, 0, 20, 14, 25, 0, 11, 30, 18, 22])
    alpha = np.zeros((len(sizes), 70))
    for row, size in zip(alpha, sizes, strict=True):
        row[rng.choice([0, 3, 7, 8, 20, 21, 22, 40, 41, 55, 68, 69], size, replace=False)] = rng.uniform(0.2, 1, size)
    docs = [rng.integers(0, 14, n) for n in lengths]
    order = np.arange(len(sizes)) if in_order else rng.permutation(len(sizes))
    beta = rng.uniform(0.05, 0.5, 15) if in_order else rng.uniform(0.05, 0.5, (70, 15))
    return make_data([docs[i] for i in order], alpha[order], beta)


FEW, FEW_IN_ORDER = _few_labels(7, in_order=False), _few_labels(8, in_order=True)

# Documents about one of two things: words 0 to 4, or words 5 to 9.
BLOCKS = make_data(
    [np.random.default_rng(i).integers(0, 5, 20) + 5 * (i % 2) for i in range(20)], [0.1, 0.1], np.full(10, 0.01)
)

# Documents about one of four things, which no prior tells apart.
FOUR = make_data(
    [np.random.default_rng(i).integers(0, 4, 15) + 4 * (i % 4) for i in range(16)], np.full(4, 0.1), np.full(16, 0.05)
)

# More tokens and pairs than the accelerators' forms take at a time.
_long = np.random.default_rng(6)
LONG = make_data(
    [_long.choice(40, 280, p=_long.dirichlet(np.full(40, 0.7))) for _ in range(20)], [0.4, 0.9, 0.2], np.full(40, 0.1)
)

_many = np.random.default_rng(5)
_sparse = _many.gamma(0.7, size=150)
_sparse[_many.permutation(150)[:60]] = 0.0

# Every z can be listed. The last two reach the forms a draw takes when the topics fill one and two levels of its tree.
TINY = {
    "asymmetric": make_data([[0, 1, 0], [2, 2], [1, 0]], [0.3, 0.9], [0.2, 0.7, 0.4]),
    "three topics": make_data(
        [[0, 1], [2, 2, 0], [1]], [0.3, 0.9, 0.5], [[0.2, 0.7, 0.4], [0.9, 0.1, 0.6], [0.3, 0.3, 0.3]]
    ),
    "labelled": make_data(
        [[0, 1, 0], [2, 2], [1, 0]], [[0.3, 0.8, 0.0], [0.0, 0.4, 0.7], [1.1, 0.6, 0.5]], [0.2, 0.7, 0.4]
    ),
    "fixed topics": make_data(
        [[0, 1, 0], [2, 2, 1, 0]], [[0.3, 0.9], [1.2, 0.4]], [0.1, 0.1, 0.1], [[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]
    ),
    "one topic": make_data([[0, 1], [1]], [0.5], [0.1, 0.2]),
    "twelve topics": make_data([[0, 1], []], np.linspace(0.05, 0.6, 12), _many.uniform(0.05, 1.0, (12, 2))),
    "many topics": make_data([[1]], _sparse, _many.uniform(0.05, 1.0, (150, 2))),
}
