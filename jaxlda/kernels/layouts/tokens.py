"""Tokens and priors as the loops over tokens read them."""

import operator
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Num, UInt32

from jaxlda.corpora.repeated import Repeated
from jaxlda.kernels.bricks.draw import padded_size
from jaxlda.kernels.bricks.rows import pad_last
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.kernels.layouts.blocks import Block, Lists, Rows
from jaxlda.kernels.layouts.sizes import padded, rounded_up
from jaxlda.types import Data, Priors, Tokens

__all__ = [
    "DOCUMENTS",
    "Shard",
    "TokenLayout",
    "distinct",
    "distinct_pairs",
    "few_topics",
    "in_rows",
    "lay_out",
    "lay_out_lists",
    "lay_out_rows",
    "single_precision",
]

_LEAST = 8  # the shortest list with a choice in it: one AVX register, and what `draw` folds
_GATHERED = 4  # what a number costs that is gathered, one by one, in units of a number read in a row (measured)
SORTED_AT_ONCE = 1 << 20  # tokens: sorting them takes fifty bytes for each
_OF_TOKENS = ("w", "d", "m", "entry")  # fields of blocks that have one number per token

DOCUMENTS = "doc"
"""The axis of devices that share the documents between them."""


class Shard(NamedTuple):
    """Where the documents of one device begin in the whole corpus."""

    entry: UInt32[Array, ""]
    doc: UInt32[Array, ""]


class TokenLayout(NamedTuple):
    """Blocks of documents, and the priors of the words: unsigned indices, padded rows, words before topics."""

    data: Data
    blocks: tuple[Block, ...]
    beta: Float[Array, "V _"]
    """One number per word if all topics share it, otherwise a row."""
    beta_k: Float[Array, " P"]
    phi: Float[Array, "V P"] | None
    shard: Shard | None = None
    """``None``: all documents are here."""

    @property
    def first_entry(self) -> UInt32[Array, ""] | int:
        """The number of the first entry in the whole corpus: random numbers are drawn by it."""
        return 0 if self.shard is None else self.shard.entry

    @property
    def first_doc(self) -> UInt32[Array, ""] | int:
        """The number of the first document in the whole corpus."""
        return 0 if self.shard is None else self.shard.doc

    def summed(self, x: Any) -> Any:
        """What was summed over the documents here, summed over those of all devices."""
        return x if self.shard is None else lax.psum(x, DOCUMENTS)

    @property
    def num_topics(self) -> int:
        """K, without the padding."""
        return self.data.priors.alpha.shape[-1]

    @property
    def num_docs(self) -> int:
        """D."""
        return self.data.tokens.n_d.shape[0]

    @property
    def num_words(self) -> int:
        """V."""
        return self.beta.shape[0] if self.phi is None else self.phi.shape[0]

    @property
    def row_length(self) -> int:
        """P: K, with the padding where there is one."""
        return self.beta_k.shape[0]

    @property
    def sizes(self) -> list[int]:
        """The number of tokens of each block, with the padding."""
        return [block.w.shape[0] for block in self.blocks]

    def docs_of(self, block: Block) -> int:
        """The number of documents of a block."""
        return block.num_docs(self.num_docs)

    @property
    def num_tokens(self) -> Float[Array, ""]:
        """N, or 1 where there are none: shares of the tokens are divided by it."""
        return jnp.maximum(self.summed(self.data.tokens.n_d.sum()), 1).astype(jnp.float32)

    def with_data(self, data: Data) -> "TokenLayout":
        """Lay out the same tokens with other priors, which must allow the same topics; under ``jit`` too."""
        return _with_priors(self.blocks, data)._replace(shard=self.shard)

    def n_dk(self, n_dj: tuple[Num[Array, "_ _"], ...]) -> Num[Array, "D K"]:
        """Counts of all documents and topics from those of the blocks."""
        table = jnp.zeros((self.num_docs, self.num_topics), n_dj[0].dtype if n_dj else jnp.int32)
        for block, n in zip(self.blocks, n_dj, strict=True):
            table = block.spread(n, table)
        return table

    def totals(self, n_dj: tuple[Num[Array, "_ _"], ...]) -> Num[Array, " P"]:
        """Counts of all topics, on all devices, from those of the blocks, in the length of a row."""
        totals = jnp.zeros(self.row_length, n_dj[0].dtype if n_dj else jnp.int32)
        for block, n in zip(self.blocks, n_dj, strict=True):
            totals = block.totals(n, totals)
        return self.summed(totals)


def single_precision(data: Data) -> Data:
    """The data as all loops want them, tokens in int32 and the rest in float32; they may come in any other numbers.

    >>> from jaxlda.types import Priors
    >>> n = np.array([0, 1])
    >>> single_precision(Data(Tokens(n, n, n, n), Priors(np.ones(2), np.ones(2)))).priors.alpha.dtype
    dtype('float32')
    """
    tokens = Tokens(*(x if isinstance(x, Repeated) else jnp.asarray(x, jnp.int32) for x in data.tokens))  # type: ignore[arg-type]
    narrowed = Data(tokens, *jax.tree.map(lambda x: jnp.asarray(x, jnp.float32), data[1:]))
    return data if all(map(operator.is_, jax.tree.leaves(data), jax.tree.leaves(narrowed))) else narrowed


def _with_priors(blocks: tuple[Block, ...], data: Data) -> TokenLayout:
    """The blocks with the priors of the data, in rows as long as those of the blocks."""
    data = single_precision(data)
    # ``jit`` would copy what it is given and gives back: tokens stay out of it.
    own = [{name: x for name, x in block._asdict().items() if name in _OF_TOKENS} for block in blocks]
    bare: Any = [block._replace(**dict.fromkeys(x, None)) for block, x in zip(blocks, own, strict=True)]  # type: ignore[arg-type]
    bare, *tables = _tables(tuple(bare), data.priors, data.phi)
    return TokenLayout(data, tuple(block._replace(**x) for block, x in zip(bare, own, strict=True)), *tables)


@jax.jit
def _tables(blocks: tuple[Any, ...], priors: Priors, phi: Array | None) -> tuple[Any, ...]:
    alpha, beta = priors.alpha, words_first(priors.beta)
    blocks = tuple(block.with_alpha(alpha) for block in blocks)
    size = max((block.row_length(alpha.shape[-1]) for block in blocks), default=alpha.shape[-1])
    beta_k = beta_totals(priors)
    return (
        blocks,
        beta if beta.shape[1] == 1 else pad_last(beta, size),
        # One instead of zero in the padding: it divides.
        jnp.pad(beta_k, (0, size - beta_k.shape[0]), constant_values=1),
        None if phi is None else pad_last(phi.T, size),
    )


def in_rows(data: Data, length: int) -> Rows:
    """All documents in rows of that length, but without their prior; under ``jit``."""
    (w, d, m, _), alpha = data.tokens, data.priors.alpha
    size = (m > 0).sum(dtype=jnp.uint32)
    no_prior = jnp.zeros((1, length), jnp.float32)
    allowed = (jnp.atleast_2d(alpha) > 0).any(0)
    num_choices = jnp.where(allowed, jnp.arange(1, alpha.shape[-1] + 1, dtype=jnp.uint32), 0).max()
    return Rows(w, d, m, size, alpha, no_prior, num_choices)


def lay_out_rows(data: Data) -> TokenLayout:
    """Lay the data out in rows of all K topics; under ``jit`` too."""
    data = single_precision(data)
    rows, *tables = _rows(data.tokens.m, data.priors, data.phi)
    return TokenLayout(data, (rows._replace(**{name: getattr(data.tokens, name) for name in "wdm"}),), *tables)


@jax.jit
def _rows(m: Num[Array, " N"], priors: Priors, phi: Array | None) -> tuple[Any, ...]:
    """Rows without their tokens, and tables of words, in one program."""
    data: Any = Data(Tokens(None, None, m, None), priors)  # type: ignore[arg-type]
    rows: Any = in_rows(data, padded_size(priors.alpha.shape[-1]))
    (rows,), *tables = _tables((rows._replace(m=None),), priors, phi)
    return rows, *tables


def lay_out(data: Data) -> TokenLayout:
    """Lay the data out as is cheapest: in rows of all K topics, or in lists where documents allow few; on the host.

    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_counts([[1, 1], [2, 0]])
    >>> [type(block).__name__ for block in lay_out(corpus.data(num_topics=100)).blocks]
    ['Rows']
    """
    return lay_out_lists(data) if few_topics(data) else lay_out_rows(data)


def few_topics(data: Data) -> bool:
    """Whether lists make a sweep cheaper than rows; where the tracer of ``jit`` hides the prior, rows will do."""
    alpha = data.priors.alpha
    if alpha.ndim == 1 or data.phi is not None or isinstance(alpha, jax.core.Tracer):
        return False
    d, m = (np.asarray(x) for x in data.tokens[1:3])
    width = _widths((np.asarray(alpha) > 0).sum(axis=1))[d[m > 0]].astype(np.int64)
    return bool(_GATHERED * width[width > 1].sum() <= padded_size(alpha.shape[1]) * len(width))


def lay_out_lists(data: Data) -> TokenLayout:
    """List the topics that each document allows, documents grouped by the length of the lists; on the host.

    The lists of a block are padded to one length: 1 (nothing to choose), 8, 16, 32 and so on; its tokens and documents
    to sizes that other corpora have too. Documents that allow nothing (which are empty) belong to no block.

    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_counts([[1, 1], [2, 0], [0, 1]])
    >>> blocks = lay_out_lists(corpus.data(alpha=[[0, 1, 0], [1, 0, 1], [0, 0, 1]])).blocks
    >>> [(block.document[:2].tolist(), block.topics[:2].tolist()) for block in blocks]
    [([0, 2], [[1], [2]]), ([1, 0], [[0, 2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]])]
    """
    allowed = np.asarray(data.priors.alpha) > 0
    w, d, m = (np.asarray(x) for x in data.tokens[:3])
    length = allowed.sum(axis=1)
    width = _widths(length)
    of_token = np.where(m > 0, width[d], 0)  # padding belongs to no block
    blocks = []
    for P in np.unique(width[length > 0]).tolist():
        document = np.flatnonzero(width == P)
        topics = np.zeros((len(document), P), np.uint32)
        topics[np.arange(P) < length[document, None]] = np.nonzero(allowed[document])[1]
        within = np.zeros(len(width), np.uint32)
        within[document] = np.arange(len(document))
        entry = np.flatnonzero(of_token == P)
        n, G = rounded_up(len(entry)) if len(entry) else 0, rounded_up(len(document), least=64)
        block = Lists(
            w=padded(w[entry], n).astype(np.uint32),
            d=padded(within[d[entry]], n, value=G - 1).astype(np.uint32),
            m=padded(m[entry], n).astype(np.float32),
            entry=padded(entry, n, value=len(w)).astype(np.uint32),
            document=padded(document, G).astype(np.uint32),
            topics=padded(topics, G),
            length=padded(length[document], G).astype(np.uint32),
            alpha=jnp.zeros((G, P), jnp.float32),
            size=jnp.uint32(len(entry)),
        )
        blocks.append(jax.device_put(block))
    return _with_priors(tuple(blocks), data)


def _widths(length: np.ndarray) -> np.ndarray:
    """Round up to 1 or a power of two from 8 on; 0 stays."""
    powers = 2 ** np.ceil(np.log2(np.maximum(length, 1))).astype(np.int64)
    return np.where(length <= 1, length, np.maximum(powers, _LEAST))


def distinct(tokens: Tokens) -> Tokens:
    """Join the tokens of each (document, word) pair into one entry with their number as ``m``; on the host.

    With padding at the end, up to a number of pairs that other corpora have too.

    >>> n = jnp.array
    >>> distinct(Tokens(n([1, 1, 0]), n([0, 0, 0]), n([1, 1, 1]), n([3]))).m[:4].tolist()
    [1, 2, 0, 0]
    """
    pair_w, pair_d, frequency = distinct_pairs(tokens)
    size, last = rounded_up(len(pair_w)), max(len(tokens.n_d) - 1, 0)
    columns = padded(pair_w, size), padded(pair_d, size, value=last), padded(frequency, size)
    w, d, m = jax.device_put(columns)
    return Tokens(w, d, m, tokens.n_d)


def distinct_pairs(tokens: Tokens) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Word, document and frequency of each (document, word) pair that occurs, document after document."""
    w, d, m = (np.asarray(x) for x in tokens[:3])
    cuts = np.unique(np.append(np.searchsorted(d, d[::SORTED_AT_ONCE]), len(d)))  # whole documents
    parts = [_pairs_of(w[i:j], d[i:j], m[i:j]) for i, j in pairwise(cuts)] or [_pairs_of(w, d, m)]
    first_w, first_d, frequency = map(np.concatenate, zip(*parts, strict=True))
    return first_w, first_d, frequency


def _pairs_of(w: np.ndarray, d: np.ndarray, m: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    w, d, m = w[m > 0].astype(np.int64), d[m > 0].astype(np.int64), m[m > 0]
    pairs, entry = np.unique(d * (w.max(initial=0) + 1) + w, return_inverse=True)
    frequency = np.bincount(entry, weights=m, minlength=len(pairs))
    first_d, first_w = np.divmod(pairs, w.max(initial=0) + 1)
    return first_w.astype(np.int32), first_d.astype(np.int32), frequency.astype(np.int32)
