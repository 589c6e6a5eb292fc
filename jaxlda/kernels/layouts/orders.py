"""Tokens in the order of documents and in the order of words: what algorithms read that look at other tokens.

A random token of the same document, or of the same word, has topic k with the probability that k has in the counts of
that document or word. So proposals from counts need no counts: only where the tokens of a document or word begin.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, UInt32

from jaxlda.kernels.bricks.alias import Alias, alias_rows
from jaxlda.kernels.bricks.draw import sum_ahead
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.kernels.layouts.tokens import DOCUMENTS, Shard, single_precision
from jaxlda.types import Data

__all__ = ["Order", "TwoOrders", "lay_out_orders", "prior_total", "share_of_tokens", "sorted_by_word", "starts"]


class Order(NamedTuple):
    """Tokens sorted by document, or by word; here a *row* is one of these. Padding stands at the end."""

    row: UInt32[Array, " N"]
    """Of every token."""
    start: UInt32[Array, " rows_and_one"]
    """Where the tokens of each row begin; at last, where the padding does."""
    prior: Float[Array, "_ _"]
    """A row for all rows or one each; a number for all topics or one each."""
    tokens: UInt32[Array, " rows"]
    r"""How often a proposal is the topic of a token, :math:`n / (n + \sum_k \alpha_k)`, in units of 2^-32."""
    table: Alias | None
    """Otherwise it is drawn from the prior, by this; ``None`` where the prior is one number for all topics."""

    @property
    def sizes(self) -> UInt32[Array, " rows"]:
        """The number of tokens of each row."""
        return self.start[1:] - self.start[:-1]


class TwoOrders(NamedTuple):
    """The same tokens twice, and the way from one order to the other."""

    data: Data
    documents: Order
    words: Order
    by_word: UInt32[Array, " N"]
    """The place in the order of documents of every token in the order of words."""
    by_document: UInt32[Array, " N"]
    """The other way round."""
    beta_k: Float[Array, " K"]
    num_choices: UInt32[Array, ""]
    """Topics up to the last one that a document allows; what is proposed is one of these."""
    shard: Shard | None = None
    """``None``: all documents are here. Otherwise see ``shared``."""
    begin: UInt32[Array, "shards V_and_one"] | None = None
    """Where the tokens of each word begin in the order of words that each device has of its own."""

    @property
    def first_entry(self) -> UInt32[Array, ""] | int:
        """The number of the first token in the whole corpus: random numbers are drawn by it."""
        return 0 if self.shard is None else self.shard.entry

    def summed(self, x: Any) -> Any:
        """What was summed over the documents here, summed over those of all devices."""
        return x if self.shard is None else lax.psum(x, DOCUMENTS)

    @property
    def num_topics(self) -> int:
        """K."""
        return self.data.priors.alpha.shape[-1]

    @property
    def num_tokens(self) -> Float[Array, ""]:
        """N, or 1 where there are none: shares of the tokens are divided by it."""
        return jnp.maximum(self.summed(self.data.tokens.n_d.sum()), 1).astype(jnp.float32)

    def with_data(self, data: Data) -> "TwoOrders":
        """Lay out the same tokens with other priors; under ``jit`` too."""
        return _with_priors(self, data)


def starts(sizes: UInt32[Array, " n"]) -> UInt32[Array, " n_and_one"]:
    """Where rows of these sizes begin, one after another; at last, where the last one ends.

    >>> starts(jnp.array([2, 0, 3], jnp.uint32)).tolist()
    [0, 2, 2, 5]
    """
    return jnp.concatenate([jnp.zeros(1, jnp.uint32), jnp.cumsum(sizes, dtype=jnp.uint32)])


def sorted_by_word(data: Data) -> UInt32[Array, " N"]:
    """The tokens in the order of words, padding at the end."""
    w, _, m, _ = data.tokens
    return jnp.argsort(jnp.where(m > 0, w, data.priors.beta.shape[-1]), stable=True).astype(jnp.uint32)


def _order(row: Array, real: Array, num_rows: int) -> Order:
    sizes = jnp.zeros(num_rows, jnp.uint32).at[row].add(real.astype(jnp.uint32))
    return Order(row.astype(jnp.uint32), starts(sizes), jnp.zeros((1, 1), jnp.float32), sizes, None)


@jax.jit
def lay_out_orders(data: Data) -> TwoOrders:
    """Sort the tokens by word, and prepare proposals; under ``jit`` too.

    >>> import jaxlda
    >>> layout = lay_out_orders(jaxlda.Corpus.from_counts([[1, 1], [2, 0]]).data(num_topics=2))
    >>> layout.by_word.tolist(), layout.words.start.tolist()
    ([0, 2, 3, 1], [0, 3, 4])
    """
    data = single_precision(data)
    w, d, m, n_d = data.tokens
    num_words = data.priors.beta.shape[-1]
    by_word = sorted_by_word(data)
    by_document = jnp.zeros_like(by_word).at[by_word].set(jnp.arange(w.shape[0], dtype=jnp.uint32))
    documents, words = _order(d, m > 0, n_d.shape[0]), _order(w[by_word], m[by_word] > 0, num_words)
    beta_k = beta_totals(data.priors)
    return _with_priors(TwoOrders(data, documents, words, by_word, by_document, beta_k, jnp.uint32(0)), data)


@jax.jit
def _with_priors(layout: TwoOrders, data: Data) -> TwoOrders:
    data = single_precision(data)
    alpha, beta = jnp.atleast_2d(data.priors.alpha), words_first(data.priors.beta)
    topics = jnp.arange(alpha.shape[1], dtype=jnp.uint32)
    K = jnp.where((alpha > 0).any(0), topics + 1, 0).max()
    K = K if layout.shard is None else lax.pmax(K, DOCUMENTS)
    documents = _with_prior(layout.documents, alpha, alias_rows(alpha, K), K)
    if data.phi is not None:  # what words propose is phi, and not the topics of tokens
        phi = data.phi.T
        words = layout.words._replace(prior=phi, tokens=jnp.zeros_like(layout.words.sizes), table=alias_rows(phi, K))
    else:
        words = _with_prior(layout.words, beta, None if beta.shape[1] == 1 else alias_rows(beta, K), K)
    beta_k = beta_totals(data.priors)
    return layout._replace(data=data, documents=documents, words=words, beta_k=beta_k, num_choices=K)


def _with_prior(order: Order, prior: Float[Array, "_ _"], table: Alias | None, K: UInt32[Array, ""]) -> Order:
    """The same tokens with another prior."""
    total = prior_total(prior, K)
    return order._replace(prior=prior, tokens=share_of_tokens(order.sizes.astype(jnp.float32), total), table=table)


def prior_total(prior: Float[Array, "rows _"], K: UInt32[Array, ""]) -> Float[Array, " rows"]:
    """The sum of each row over the first K topics."""
    if prior.shape[1] == 1:
        return prior[:, 0] * K
    return sum_ahead(jnp.where(jnp.arange(prior.shape[1], dtype=jnp.uint32) < K, prior, 0.0).T)


def share_of_tokens(tokens: Float[Array, " rows"], prior: Float[Array, " _"]) -> UInt32[Array, " rows"]:
    """The share of the tokens' weight in the sum of theirs and the prior's, in units of 2^-32.

    >>> int(share_of_tokens(jnp.array([3.0]), jnp.array([1.0]))[0]) / 2**32
    0.75
    """
    share = prior / (tokens + prior)  # of the prior, which is small: of the other a float32 has not the digits
    units = jnp.clip(share * 2.0**32, 1.0, 2.0**32 - 2.0**8).astype(jnp.uint32)
    return jnp.where(tokens > 0, -units, 0)
