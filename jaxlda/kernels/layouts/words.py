"""Tokens in the order of documents, and room for a list of topics for every word."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, UInt32

from jaxlda.kernels.bricks.draw import padded_size
from jaxlda.kernels.layouts.blocks import Rows
from jaxlda.kernels.layouts.orders import sorted_by_word, starts
from jaxlda.kernels.layouts.tokens import TokenLayout, in_rows, single_precision
from jaxlda.types import Data

__all__ = ["GROUP", "ListsOrRows", "WordLists", "lay_out_words"]

GROUP = 16  # topics whose weights are summed together: rows are whole groups, and so many that `draw` can choose one


class WordLists(NamedTuple):
    """Rows of documents, and where every word keeps the list of the topics that it has."""

    data: Data
    rows: Rows
    document: UInt32[Array, " D_and_one"]
    """Where the tokens of each document begin; at last, where the padding does."""
    by_word: UInt32[Array, " N"]
    """The tokens in the order of words, padding at the end."""
    first: UInt32[Array, " V"]
    """Where each word's list begins. It has room for all topics, or for the word's tokens where these are fewer."""
    beta: Float[Array, " V"]
    beta_total: Float[Array, ""]

    @property
    def num_topics(self) -> int:
        """K, without the padding."""
        return self.data.priors.alpha.shape[-1]

    @property
    def num_tokens(self) -> Float[Array, ""]:
        """N, or 1 where there are none: shares of the tokens are divided by it."""
        return jnp.maximum(self.data.tokens.n_d.sum(), 1).astype(jnp.float32)

    def with_data(self, data: Data) -> "WordLists":
        """Lay out the same tokens with other priors, which must allow the same topics; under ``jit`` too."""
        return _with_priors(self, data)


class ListsOrRows(NamedTuple):
    """Lists of words' topics, or where they save nothing, rows of all topics or lists of documents; one is ``None``."""

    lists: WordLists | None
    rows: TokenLayout | None

    @property
    def data(self) -> Data:
        """What was laid out."""
        return next(one.data for one in self if one is not None)

    def with_data(self, data: Data) -> "ListsOrRows":
        """Lay out the same tokens with other priors, which must allow the same topics; under ``jit`` too."""
        lists = None if self.lists is None else self.lists.with_data(data)
        return ListsOrRows(lists, None if self.rows is None else self.rows.with_data(data))


@jax.jit
def _with_priors(layout: WordLists, data: Data) -> WordLists:
    data = single_precision(data)
    beta = data.priors.beta
    rows = layout.rows.with_alpha(data.priors.alpha)
    return layout._replace(data=data, rows=rows, beta=beta, beta_total=beta.sum(dtype=beta.dtype))


@jax.jit
def lay_out_words(data: Data) -> WordLists:
    """Sort the tokens by word, and give every word room for its topics; under ``jit`` too.

    >>> import jaxlda
    >>> layout = lay_out_words(jaxlda.Corpus.from_counts([[1, 1], [4, 0]]).data(num_topics=3))
    >>> layout.by_word.tolist(), layout.first.tolist(), layout.document.tolist()
    ([0, 2, 3, 4, 5, 1], [0, 3], [0, 2, 6])
    """
    data = single_precision(data)
    (w, d, m, n_d), beta = data.tokens, data.priors.beta
    K, V = data.priors.alpha.shape[-1], beta.shape[-1]
    real = (m > 0).astype(jnp.uint32)
    of_word = jnp.zeros(V, jnp.uint32).at[w].add(real)
    document = starts(jnp.zeros(n_d.shape[0], jnp.uint32).at[d].add(real))
    first = starts(jnp.minimum(of_word, jnp.uint32(K)))[:-1]
    rows = in_rows(data, GROUP * padded_size(-(-K // GROUP)))
    layout = WordLists(data, rows, document, sorted_by_word(data), first, beta, beta.sum(dtype=beta.dtype))
    return _with_priors(layout, data)
