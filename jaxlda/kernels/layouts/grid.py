"""Documents and words cut into P groups each: P x P cells of tokens, of which those of a round share nothing.

In round r, cell (p, (p + r) mod P) is swept for every p: no two of them have a document or a word in common.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Num, UInt32

from jaxlda.kernels.conditional import beta_totals
from jaxlda.kernels.layouts.sizes import padded, rounded_up
from jaxlda.kernels.layouts.tokens import TokenLayout, few_topics, lay_out_lists, lay_out_rows, single_precision
from jaxlda.types import Data, Priors, Tokens

__all__ = ["Grid", "dealt", "lay_out_grid"]


class Grid(NamedTuple):
    """The cells, by group of documents and then by group of words, each laid out as if it were a corpus."""

    data: Data
    cells: tuple[tuple[TokenLayout, ...], ...]
    entry: tuple[tuple[UInt32[Array, " n"], ...], ...]
    """Where the tokens of each cell stand in the corpus; padding beyond its end."""
    documents: tuple[UInt32[Array, " _"], ...]
    """The documents of each group; padding beyond their number."""
    words: tuple[UInt32[Array, " _"], ...]
    num_tokens: Float[Array, ""]
    """N, or 1 where there are none: shares of the tokens are divided by it."""

    def with_data(self, data: Data) -> "Grid":
        """Lay out the same tokens with other priors, which must allow the same topics; under ``jit`` too."""
        return _with_priors(self, data)

    def in_corpus(self, per_cell: Any) -> Num[Array, " N"]:
        """Put one number per token of each cell in the order of the corpus; padding gets zero."""
        whole = jnp.zeros(self.data.tokens.w.shape, jnp.int32)
        for entries, values in zip(self.entry, per_cell, strict=True):
            for entry, x in zip(entries, values, strict=True):
                whole = whole.at[entry].set(x, mode="drop")
        return whole


def dealt(sizes: np.ndarray, hands: int) -> np.ndarray:
    """Deal things out so that all hands hold about as much: the largest first, and each round the other way round.

    >>> dealt(np.array([5, 9, 1, 4]), 2).tolist()
    [1, 0, 0, 1]
    """
    order = np.argsort(-sizes, kind="stable")
    turn = np.arange(len(sizes)) % (2 * hands)
    hand = np.empty(len(sizes), np.int64)
    hand[order] = np.minimum(turn, 2 * hands - 1 - turn)
    return hand


def _groups(hand: np.ndarray, hands: int, least: int) -> tuple[list[np.ndarray], np.ndarray]:
    """The members of each hand, padded to one length, and the place of everything in its hand."""
    members = [np.flatnonzero(hand == p) for p in range(hands)]
    size = rounded_up(max(map(len, members)), least=least)
    place = np.zeros(len(hand), np.int64)
    for own in members:
        place[own] = np.arange(len(own))
    return [padded(own, size, value=len(hand)).astype(np.uint32) for own in members], place


def _taken(x: Any, index: Any, axis: int) -> Any:
    """Members of one axis; zeros for padding."""
    return jnp.take(jnp.asarray(x), index, axis=axis, mode="fill", fill_value=0)


def _own(data: Data, documents: Any, words: Any) -> tuple[Priors, Any]:
    """The priors, and topics that are known, of some documents and words."""
    alpha, beta = data.priors
    alpha = _taken(alpha, documents, 0) if alpha.ndim == 2 else alpha
    return Priors(alpha, _taken(beta, words, -1)), None if data.phi is None else _taken(data.phi, words, 1)


def _whole_totals(cell: TokenLayout, data: Data) -> TokenLayout:
    """A cell whose topics are divided by what all words sum up to, not only its own; ones in the padding."""
    totals = beta_totals(data.priors)
    return cell._replace(beta_k=jnp.pad(totals, (0, cell.row_length - totals.shape[0]), constant_values=1))


@jax.jit
def _with_priors(grid: Grid, data: Data) -> Grid:
    data = single_precision(data)

    def laid_out(cell: TokenLayout, documents: Array, words: Array) -> TokenLayout:
        priors, phi = _own(data, documents, words)
        return _whole_totals(cell.with_data(cell.data._replace(priors=priors, phi=phi)), data)

    cells = tuple(
        tuple(laid_out(cell, documents, words) for cell, words in zip(row, grid.words, strict=True))
        for row, documents in zip(grid.cells, grid.documents, strict=True)
    )
    return grid._replace(data=data, cells=cells)


def lay_out_grid(data: Data, workers: int) -> Grid:
    """Cut the data into cells, with about as many tokens in each; on the host.

    All cells have the same shape, so that one program serves them.

    >>> import jaxlda
    >>> grid = lay_out_grid(jaxlda.Corpus.from_counts([[2, 1], [1, 2]]).data(num_topics=3), workers=2)
    >>> [[cell.data.tokens.n_d.sum().item() for cell in row] for row in grid.cells]
    [[2, 1], [1, 2]]
    """
    data = single_precision(data)
    w, d, m, n_d = (np.asarray(x) for x in data.tokens)
    V, real = data.priors.beta.shape[-1], m > 0
    of_documents, of_words = (np.bincount(x[real], minlength=n) for x, n in ((d, len(n_d)), (w, V)))
    hand_d, hand_w = dealt(of_documents, workers), dealt(of_words, workers)
    documents, place_d = _groups(hand_d, workers, least=64)
    words, place_w = _groups(hand_w, workers, least=256)
    hands = range(workers)
    entry = [[np.flatnonzero(real & (hand_d[d] == p) & (hand_w[w] == g)) for g in hands] for p in hands]
    size = rounded_up(max(len(own) for row in entry for own in row))
    lay_out = lay_out_lists if few_topics(data) else lay_out_rows

    def cell(own: np.ndarray, p: int, g: int) -> TokenLayout:
        lengths = np.bincount(place_d[d[own]], minlength=len(documents[p]))
        numbers = place_w[w[own]], place_d[d[own]], np.ones(len(own))
        last = (0, len(documents[p]) - 1, 0)
        columns = (padded(x, size, value=fill) for x, fill in zip(numbers, last, strict=True))
        tokens = Tokens(*(jnp.asarray(x, jnp.int32) for x in (*columns, lengths)))
        return _whole_totals(lay_out(Data(tokens, *_own(data, documents[p], words[g]))), data)

    cells = tuple(tuple(cell(own, p, g) for g, own in enumerate(row)) for p, row in enumerate(entry))
    where = tuple(tuple(padded(own, size, value=len(w)).astype(np.uint32) for own in row) for row in entry)
    num_tokens = np.float32(max(real.sum(), 1))
    grid: Grid = jax.device_put(Grid(data, cells, where, tuple(documents), tuple(words), num_tokens))  # type: ignore[arg-type]
    return grid
