"""Documents that one loop goes through, and the topics they may draw from.

A document draws a *place* in its block's lists of topics. In ``Rows`` place k is topic k, for all documents; in
``Lists`` every document has a list of its own, as with labels: a token then costs what its document's labels cost,
whatever K. The kernels read both through the same methods.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Integer, Num, UInt32

from jaxlda.kernels.bricks.draw import padded_size, sum_rows
from jaxlda.kernels.bricks.rows import accumulate, element, pad_last, row, unsigned

__all__ = ["Block", "Lists", "Rows", "token_at", "weight_at"]


class Rows(NamedTuple):
    """All documents, each with all K topics; rows are padded to P places, a length that ``draw`` folds.

    ``w``, ``d`` and ``m`` are those of the data, not copies of them.
    """

    w: Integer[Array, " n"]
    d: Integer[Array, " n"]
    m: Num[Array, " n"]
    size: UInt32[Array, ""]
    """Tokens before the padding."""
    prior: Float[Array, " K"] | Float[Array, "D K"]
    """Alpha as it was given."""
    alpha: Float[Array, "_ P"]
    """One row for all documents, or one per document."""
    num_choices: UInt32[Array, ""]
    """The most topics that a document may draw from; those that no document allows stand at the end."""

    @property
    def num_places(self) -> int:
        """P, with the padding."""
        return self.alpha.shape[1]

    @property
    def listed(self) -> bool:
        """Whether documents have topics of their own."""
        return False

    @property
    def sparse(self) -> bool:
        """Whether a document may forbid topics."""
        return self.prior.ndim == 2

    @property
    def allowed(self) -> Bool[Array, "_ P"]:
        """Where places are topics that the document may draw from."""
        return self.alpha > 0

    def alpha_row(self, d: UInt32[Array, ""]) -> Float[Array, " P"]:
        """The prior of one document."""
        return row(self.alpha, d) if self.sparse else self.alpha[0]

    def alpha_rows(self, d: UInt32[Array, " c"]) -> Float[Array, "_ P"]:
        """The priors of several documents."""
        return self.alpha[d] if self.sparse else self.alpha

    def topic(self, d: UInt32[Array, "*c"], j: UInt32[Array, "*c"]) -> UInt32[Array, "*c"]:
        """The topic at a place of a document, or the topics at those of several."""
        return j

    def is_topic(self, d: UInt32[Array, "*c"], k: UInt32[Array, "*c"]) -> Bool[Array, "*c P"]:
        """The place that holds a topic, of one document or several."""
        return jnp.arange(self.num_places, dtype=jnp.uint32) == k[..., None]

    def num_docs(self, all_docs: int) -> int:
        """How many documents there are in the block."""
        return all_docs

    def row_length(self, num_topics: int) -> int:
        """How long the rows of tables of words must be."""
        return padded_size(num_topics)

    def totals(self, n_dj: Num[Array, "D P"], totals: Num[Array, " P"]) -> Num[Array, " P"]:
        """The counts of topics, with those of the block added."""
        return totals + sum_rows(n_dj)

    def with_alpha(self, prior: Float[Array, " K"] | Float[Array, "D K"]) -> "Rows":
        """The same documents with another prior, which must allow the same topics."""
        return self._replace(prior=prior, alpha=pad_last(jnp.atleast_2d(prior), self.num_places))

    def of_word(self, table: Any, v: UInt32[Array, ""], d: UInt32[Array, ""]) -> Num[Array, " _"]:
        """What a table says of one word in the topics of one document."""
        return row(table, v)

    def of_words(self, table: Any, v: UInt32[Array, " c"], d: UInt32[Array, " c"]) -> Num[Array, "c _"]:
        """What a table says of several words, each in the topics of its document."""
        return table[v]

    def of_topics(self, x: Num[Array, " P"], d: UInt32[Array, "*c"]) -> Num[Array, "*_ P"]:
        """One number per topic, for the topics of one document or several."""
        return x

    def added(
        self, n_vk: Array, n_k: Array | None, change: Num[Array, " P"], v: UInt32[Array, ""], d: UInt32[Array, ""]
    ) -> tuple[Array, Any]:
        """Add a change of one word in the topics of one document to the counts of words, and to those of topics."""
        return accumulate(n_vk, change, v), None if n_k is None else n_k + change

    def all_added(
        self, n_vk: Array, n_k: Array | None, change: Num[Array, "c P"], v: UInt32[Array, " c"], d: UInt32[Array, " c"]
    ) -> tuple[Array, Any]:
        """Add changes of several words at once."""
        return n_vk.at[v].add(change), None if n_k is None else n_k + change.sum(0)

    def entries(self, v: UInt32[Array, " c"], d: UInt32[Array, " c"]) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Where tables of words keep several words in the topics of their documents; and what decides that."""
        return (v,), (v,)

    def of_documents(self, table: Num[Array, "D K"]) -> Num[Array, "D P"]:
        """What a table says of the documents' topics, by place; zero in the padding."""
        return pad_last(table, self.num_places)

    def placed(self, z: Any) -> Num[Array, " n"]:
        """One number per token of the corpus, for the tokens of the block."""
        return z

    def spread(self, n_dj: Num[Array, "D P"], n_dk: Num[Array, "D K"]) -> Num[Array, "D K"]:
        """Put counts by place into the table of all documents and topics."""
        return n_dj[:, : n_dk.shape[1]]

    def in_corpus(self, x: Num[Array, " n"], whole: Num[Array, " N"]) -> Num[Array, " N"]:
        """Put one number per token of the block into an array of all tokens."""
        return x


class Lists(NamedTuple):
    """Documents that allow about equally many topics, each with a list of its own; tokens as the corpus has them."""

    w: UInt32[Array, " n"]
    d: UInt32[Array, " n"]
    """The token's document, numbered within the block."""
    m: Float[Array, " n"]
    entry: UInt32[Array, " n"]
    """Where each token stands in the corpus; padding beyond its end."""
    document: UInt32[Array, " G"]
    """The number of each document in the corpus."""
    topics: UInt32[Array, "G P"]
    """The topics each document allows, increasing; then zeros, which have no weight."""
    length: UInt32[Array, " G"]
    """How many they are."""
    alpha: Float[Array, "G P"]
    size: UInt32[Array, ""]
    """Tokens before the padding."""

    @property
    def num_places(self) -> int:
        """P, the length of the lists."""
        return self.topics.shape[1]

    @property
    def num_choices(self) -> UInt32[Array, ""]:
        """The most topics that a document may draw from."""
        return jnp.uint32(self.topics.shape[1])

    @property
    def listed(self) -> bool:
        """Whether documents have topics of their own."""
        return True

    @property
    def sparse(self) -> bool:
        """Whether places may be without weight: lists are padded."""
        return True

    @property
    def allowed(self) -> Bool[Array, "G P"]:
        """Where the lists hold topics, and not padding."""
        return jnp.arange(self.num_places, dtype=jnp.uint32) < self.length[:, None]

    def alpha_row(self, d: UInt32[Array, ""]) -> Float[Array, " P"]:
        """The prior of one document."""
        return row(self.alpha, d)

    def alpha_rows(self, d: UInt32[Array, " c"]) -> Float[Array, "c P"]:
        """The priors of several documents."""
        return self.alpha[d]

    def topic(self, d: UInt32[Array, "*c"], j: UInt32[Array, "*c"]) -> UInt32[Array, "*c"]:
        """The topic at a place of a document, or the topics at those of several."""
        return element(self.topics, d, j) if d.ndim == 0 else self.topics[d, j]

    def is_topic(self, d: UInt32[Array, "*c"], k: UInt32[Array, "*c"]) -> Bool[Array, "*c P"]:
        """The place that holds a topic, of one document or several."""
        one = d.ndim == 0
        topics, length = (
            row(self.topics, d) if one else self.topics[d],
            element(self.length, d) if one else self.length[d],
        )
        return (topics == k[..., None]) & (jnp.arange(self.num_places, dtype=jnp.uint32) < length[..., None])

    def num_docs(self, all_docs: int) -> int:
        """How many documents there are in the block."""
        return self.document.shape[0]

    def row_length(self, num_topics: int) -> int:
        """How long the rows of tables of words must be."""
        return num_topics

    def totals(self, n_dj: Num[Array, "G P"], totals: Num[Array, " K"]) -> Num[Array, " K"]:
        """The counts of topics, with those of the block added."""
        return totals.at[self.topics].add(n_dj)

    def with_alpha(self, prior: Float[Array, "D K"]) -> "Lists":
        """The same documents with another prior, which must allow the same topics."""
        return self._replace(alpha=self.of_documents(prior))

    def of_word(self, table: Any, v: UInt32[Array, ""], d: UInt32[Array, ""]) -> Num[Array, " _"]:
        """What a table says of one word in the topics of one document."""
        if table.shape[1] == 1:  # a number per word, whatever the topic
            return row(table, v)
        return table.at[v, row(self.topics, d)].get(mode="promise_in_bounds")

    def of_words(self, table: Any, v: UInt32[Array, " c"], d: UInt32[Array, " c"]) -> Num[Array, "c _"]:
        """What a table says of several words, each in the topics of its document."""
        return table[v] if table.shape[1] == 1 else table[v[:, None], self.topics[d]]

    def of_topics(self, x: Num[Array, " K"], d: UInt32[Array, "*c"]) -> Num[Array, "*c P"]:
        """One number per topic, for the topics of one document or several."""
        topics = row(self.topics, d) if d.ndim == 0 else self.topics[d]
        return x.at[topics].get(mode="promise_in_bounds")

    def added(
        self, n_vk: Array, n_k: Array | None, change: Num[Array, " P"], v: UInt32[Array, ""], d: UInt32[Array, ""]
    ) -> tuple[Array, Any]:
        """Add a change of one word in the topics of one document to the counts of words, and to those of topics."""

        # One topic after another: XLA writes a scatter as a loop as well, a slow one.
        def add(j: Array, words: tuple) -> tuple:
            k, by = element(self.topics, d, j), element(change, j)
            n_vk, n_k = words
            return accumulate(n_vk, by, v, k), None if n_k is None else accumulate(n_k, by, k)

        return lax.fori_loop(jnp.uint32(0), element(self.length, d), add, (n_vk, n_k))

    def all_added(
        self, n_vk: Array, n_k: Array | None, change: Num[Array, "c P"], v: UInt32[Array, " c"], d: UInt32[Array, " c"]
    ) -> tuple[Array, Any]:
        """Add changes of several words at once."""
        topics = self.topics[d]
        return n_vk.at[v[:, None], topics].add(change), None if n_k is None else n_k.at[topics].add(change)

    def entries(self, v: UInt32[Array, " c"], d: UInt32[Array, " c"]) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Where tables of words keep several words in the topics of their documents; and what decides that."""
        return (v[:, None], self.topics[d]), (v, d)

    def of_documents(self, table: Num[Array, "D K"]) -> Num[Array, "G P"]:
        """What a table says of the documents' topics, by place; zero in the padding."""
        return jnp.where(self.allowed, table[self.document[:, None], self.topics], 0)

    def placed(self, z: Any) -> Num[Array, " n"]:
        """One number per token of the corpus, for the tokens of the block."""
        return z[self.entry]

    def spread(self, n_dj: Num[Array, "G P"], n_dk: Num[Array, "D K"]) -> Num[Array, "D K"]:
        """Put counts by place into the table of all documents and topics."""
        return n_dk.at[self.document[:, None], self.topics].add(n_dj)

    def in_corpus(self, x: Num[Array, " n"], whole: Num[Array, " N"]) -> Num[Array, " N"]:
        """Put one number per token of the block into an array of all tokens."""
        return whole.at[self.entry].set(x, mode="drop")


Block = Rows | Lists


def token_at(block: Block, i: UInt32[Array, "*c"]) -> tuple[UInt32[Array, "*c"], UInt32[Array, "*c"]]:
    """The word and the document of a token, or of several.

    >>> no = jnp.float32(0)
    >>> rows = Rows(jnp.array([5, 7]), jnp.array([0, 1]), jnp.ones(2), no, no, no, no)
    >>> [int(x) for x in token_at(rows, jnp.uint32(1))]
    [7, 1]
    """
    w, d = (element(x, i) if i.ndim == 0 else x[i] for x in (block.w, block.d))
    return unsigned(w), unsigned(d)


def weight_at(block: Block, i: UInt32[Array, "*c"]) -> Float[Array, "*c"]:
    """How often a token counts, or several: how often the pair of a document and a word occurs."""
    m = element(block.m, i) if i.ndim == 0 else block.m[i]
    return m.astype(jnp.float32)
