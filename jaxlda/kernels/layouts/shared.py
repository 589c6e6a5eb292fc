"""Tokens in two orders where every device has some of the documents.

A device has its own tokens in the order of documents only. In the order of words, the tokens of a word are those of the
first device, then those of the second, and so on, as they would be in one place. So where a token stands there follows
from where each device's tokens of the word begin; and the topics of all tokens, gathered once per sweep, are found by
it.
"""

from collections.abc import Callable

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, UInt32

from jaxlda.kernels.layouts.orders import TwoOrders, lay_out_orders, starts
from jaxlda.kernels.layouts.tokens import DOCUMENTS, TokenLayout

__all__ = ["lay_out_shared", "topics_of_words"]


def lay_out_shared(rows: TokenLayout) -> TwoOrders:
    """Lay out the documents of a device, on all devices together.

    ``words`` are those of all devices, but for ``row``, the word of each token here, in the order of documents;
    ``by_document`` is the place of these tokens in the order of all.
    """
    assert rows.shard is not None, "documents are shared out"
    alone = lay_out_orders(rows.data)
    w, begin = alone.data.tokens.w.astype(jnp.uint32), lax.all_gather(alone.words.start, DOCUMENTS)
    sizes = begin[:, 1:] - begin[:, :-1]
    words = alone.words._replace(row=w, start=starts(sizes.sum(0, dtype=jnp.uint32)))
    place = alone.by_document - _shift(begin)[lax.axis_index(DOCUMENTS), w]
    layout = alone._replace(words=words, by_word=w[:0], by_document=place, shard=rows.shard, begin=begin)
    return layout.with_data(rows.data)


def _shift(begin: UInt32[Array, "shards V_and_one"]) -> UInt32[Array, "shards V"]:
    """What must be added, modulo 2^32, to a token's place in the order of all for that in its device's."""
    sizes = begin[:, 1:] - begin[:, :-1]
    before = jnp.cumsum(sizes, axis=0, dtype=jnp.uint32) - sizes
    return begin[:, :-1] - (begin[:, :-1].sum(0, dtype=jnp.uint32) + before)


def topics_of_words(layout: TwoOrders, z: UInt32[Array, " N"]) -> Callable[[Array], UInt32[Array, " N"]]:
    """Gather all topics; from places of tokens of the same words as those here, find their topics."""
    assert layout.begin is not None, "documents are shared out"
    w, shift, start = layout.words.row, _shift(layout.begin), layout.begin[:, :-1]
    place = layout.by_document + shift[lax.axis_index(DOCUMENTS), w]
    topics = lax.all_gather(jnp.zeros_like(z).at[place].set(z, unique_indices=True), DOCUMENTS)

    def found(place: UInt32[Array, " N"]) -> UInt32[Array, " N"]:
        # The last device whose tokens of the word do not begin after the place.
        device, step = jnp.zeros_like(place), 1 << (topics.shape[0] - 1).bit_length()
        while step := step // 2:
            other = jnp.minimum(device + step, topics.shape[0] - 1)
            device = jnp.where(start[other, w] - shift[other, w] <= place, other, device)
        return topics[device, place + shift[device, w]]

    return found
