r"""Proposals for Metropolis-Hastings steps, drawn in constant time per token, whatever the number of topics.

Eq. 1 is a product of two factors: one of the token's document, one of its word. Each is easy to draw from alone. The
topic of a random token of the document, or with the probability :math:`\sum \alpha / (n_d + \sum \alpha)` a draw from
the prior, has the distribution :math:`q(k) \propto n_{dk} + \alpha_k`; a random token of the word likewise
:math:`n_{vk} + \beta_v`. In the ratio by which a proposal is accepted the factor that it was drawn from cancels.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, PRNGKeyArray, UInt32

from jaxlda.kernels.bricks.alias import Alias
from jaxlda.kernels.bricks.loops import apart
from jaxlda.kernels.bricks.random import numbered_words, random_words, to_unit, uniform
from jaxlda.kernels.layouts.orders import Order, TwoOrders

__all__ = ["STAY", "Pick", "choices", "first_topics", "pick", "proposals", "proposed", "resolved"]

STAY = np.uint32(2**32 - 1)
"""Proposed in the place of a topic: the token's own."""


class Pick(NamedTuple):
    """How proposals come about, and a number each to accept them by."""

    token: Bool[Array, " N"]
    """Whether it is the topic of a token."""
    place: UInt32[Array, " N"]
    """Of which, in its order."""
    topic: UInt32[Array, " N"]
    """Which topic it is otherwise."""
    u: Float[Array, " N"]
    """A uniform number of [0, 1)."""


def pick(table: Alias | None, row: UInt32[Array, " n"], f: Float[Array, " n"], K: Any) -> UInt32[Array, " n"]:
    """Draw one of K topics from the table's rows by numbers of [0, 1); without a table, all of them are alike.

    >>> int(pick(None, jnp.zeros(1, jnp.uint32), jnp.array([0.6]), 10)[0])
    6
    """
    column = jnp.minimum((f * K).astype(jnp.uint32), jnp.asarray(K, jnp.uint32) - 1)
    if table is None:
        return column
    row = row if table.own.shape[0] > 1 else jnp.zeros_like(row)
    own = f * K - column < table.own[row, column]
    return jnp.where(own, column, table.other[row, column])


def choices(key: PRNGKeyArray, order: Order, K: Any, number: UInt32[Array, " N"] | None = None) -> Pick:
    """Choose for every token which token, or which topic of the prior, its row proposes to it.

    ``number`` is each token's number in the order of the whole corpus; ``None``: all tokens are here.
    """

    def words() -> tuple[Array, Array]:
        return random_words(key, order.row.shape[0]) if number is None else numbered_words(key, number)

    x, y = apart(order.start[-1] > 0, words)
    row, tokens = order.row, order.tokens[order.row]
    # The rest of 2^32 is the prior's; where that is little, bits that nobody needs make its fractions finer.
    rest = jnp.where(tokens > 0, (-tokens).astype(jnp.float32), 2.0**32)
    f = ((y - tokens).astype(jnp.float32) + (x & 511).astype(jnp.float32) / 512) / rest
    step = (order.sizes.astype(jnp.float32) / jnp.maximum(order.tokens.astype(jnp.float32), 1.0))[row]
    within = jnp.minimum((y.astype(jnp.float32) * step).astype(jnp.uint32), order.sizes[row] - 1)
    topic = pick(order.table, row, jnp.minimum(f, 1 - 2**-24), K)
    return Pick(y < tokens, order.start[row] + within, topic, to_unit(x))


def first_topics(key: PRNGKeyArray, layout: TwoOrders) -> UInt32[Array, " N"]:
    r"""Draw every token's topic from :math:`\alpha_d`, as if it were alone in its document; padding gets topic 0."""
    row = layout.documents.row
    z = pick(layout.documents.table, row, uniform(key, row.shape[0], layout.first_entry), layout.num_choices)
    return jnp.where(layout.data.tokens.m > 0, z, jnp.uint32(0))


def proposals(choice: Pick, z: UInt32[Array, " N"]) -> UInt32[Array, " N"]:
    """What is proposed to every token, given the topics of all tokens in this order.

    A token that is offered its own topic is offered the one it has at that moment: ``STAY``, see :func:`resolved`.
    Otherwise proposals would depend on where a token was, and no acceptance ratio takes that into account.
    """
    return proposed(choice, jnp.arange(z.shape[0], dtype=jnp.uint32), z[choice.place])


def proposed(choice: Pick, place: UInt32[Array, " N"], topic: UInt32[Array, " N"]) -> UInt32[Array, " N"]:
    """The same for tokens at these places, given the topics of those that were chosen."""
    return jnp.where(choice.token, jnp.where(choice.place == place, STAY, topic), choice.topic)


def resolved(proposal: UInt32[Array, "*n"], k: UInt32[Array, "*n"]) -> UInt32[Array, "*n"]:
    """The topic that is proposed to a token whose topic is k."""
    return jnp.where(proposal == STAY, k, proposal)
