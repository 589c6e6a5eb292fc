r"""Metropolis-Hastings moves, one token after another, with counts of the moment: exact, whatever is proposed.

Every token is taken out of the counts; then, several times, its document proposes a topic (``proposals``), and its word
does. With :math:`q` what the word proposes from, a topic k' in the place of k is accepted with the probabilities

.. math:: \frac{(n_{vk'} + \beta_v)(n_k + \bar\beta)}{(n_{vk} + \beta_v)(n_{k'} + \bar\beta)}, \qquad
    \frac{p(k')\, q(k)}{p(k)\, q(k')}, \quad p(k) = \frac{(n_{dk} + \alpha_k)(n_{vk} + \beta_v)}{n_k + \bar\beta}

(or 1, if that is less); where the topics are fixed, phi stands for the fractions with :math:`\beta`.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

from jaxlda.kernels.bricks.loops import fold_tokens
from jaxlda.kernels.bricks.rows import accumulate, element, entry, write
from jaxlda.kernels.layouts.orders import TwoOrders
from jaxlda.kernels.proposals import Pick

__all__ = ["MHInfo", "MHState", "Moving", "Tally", "count", "in_documents", "move_each", "offered", "report"]


class MHInfo(NamedTuple):
    """What a sweep reports."""

    moved: Float[Array, ""]
    """The share of the tokens whose topic changed."""
    accepted: Float[Array, ""]
    """The share of the proposals of another topic that were accepted."""


class Tally(NamedTuple):
    """How many other topics were proposed, and how many of them accepted."""

    proposed: UInt32[Array, ""]
    accepted: UInt32[Array, ""]


class MHState(NamedTuple):
    """Assignments and their counts."""

    z: UInt32[Array, " N"]
    n_dk: Int[Array, "D K"]
    n_vk: Int[Array, "V K"]
    n_k: Int[Array, " K"]


class Moving(NamedTuple):
    """A token that was taken out of the counts, and where it is."""

    i: UInt32[Array, ""]
    d: UInt32[Array, ""]
    v: UInt32[Array, ""]
    k: UInt32[Array, ""]


def report(layout: TwoOrders, new: UInt32[Array, " N"], old: UInt32[Array, " N"], tallies: list[Tally]) -> MHInfo:
    """Sum up a sweep. Padding has topic 0 before and after."""
    proposed, accepted = (sum(x.astype(jnp.float32) for x in column) for column in zip(*tallies, strict=True))
    moved, proposed, accepted = layout.summed(((new != old).sum(dtype=jnp.uint32), proposed, accepted))
    return MHInfo(moved / layout.num_tokens, accepted / jnp.maximum(proposed, 1))


def count(layout: TwoOrders, z: UInt32[Array, " N"]) -> MHState:
    """Count the assignments."""
    w, d, m, n_d = layout.data.tokens
    n_dk, n_vk = (jnp.zeros((n, layout.num_topics), jnp.int32) for n in (n_d.shape[0], layout.words.sizes.shape[0]))
    by = (m > 0).astype(jnp.int32)
    n_k = jnp.zeros(layout.num_topics, jnp.int32).at[z].add(by)
    return MHState(z, n_dk.at[d, z].add(by), *layout.summed((n_vk.at[w, z].add(by), n_k)))


def offered(choice: Pick, place: UInt32[Array, ""], token: Moving, z: UInt32[Array, " N"]) -> UInt32[Array, ""]:
    """The topic that was chosen for a token, of another token at ``place`` or of the prior."""
    # A token that is offered its own topic is offered the one it has now.
    topic = jnp.where(place == token.i, token.k, element(z, place))
    return jnp.where(element(choice.token, token.i), topic, element(choice.topic, token.i))


WordOffer = Callable[[int, Moving, MHState, Callable], tuple[Array, Callable[[Array], Array]]]
"""``(step, token, tables, of_word) -> (topic, q)``: what the word proposes, and the weights it was drawn from."""


def in_documents(choice: Pick, layout: TwoOrders) -> Pick:
    """What was chosen in the order of words, in that of documents."""
    choice = Pick(*(x[layout.by_document] for x in choice))
    return choice._replace(place=layout.by_word[choice.place])


def move_each(
    layout: TwoOrders, tables: MHState, documents: list[Pick], words: WordOffer, u: list[Float[Array, " N"]]
) -> tuple[MHState, Tally]:
    """Offer every token new topics, by its document and by its word in turn, once for each of ``documents``."""
    order, fixed = layout.documents, layout.data.phi is not None
    w, one = layout.data.tokens.w.astype(jnp.uint32), jnp.int32(1)

    def moved(tables: MHState, token: Moving, by: Array) -> MHState:
        z, n_dk, n_vk, n_k = tables
        _, d, v, k = token
        return MHState(z, accumulate(n_dk, by, d, k), accumulate(n_vk, by, v, k), accumulate(n_k, by, k))

    def apply(carry: tuple, change: tuple) -> tuple:
        (tables, tally), (token, by, proposed, accepted) = carry, change
        tables = moved(tables, token, by)
        z = write(tables.z, jnp.where(by > 0, token.k, element(tables.z, token.i)), token.i)
        return tables._replace(z=z), Tally(tally.proposed + proposed, tally.accepted + accepted)

    def visit(i: Array, carry: tuple) -> tuple:
        tables, tally = carry
        token = Moving(i, element(order.row, i), element(w, i), element(tables.z, i))
        tables = moved(tables, token, -one)
        proposed, accepted = jnp.uint32(0), jnp.uint32(0)

        def of_document(k: Array) -> Array:
            return element(tables.n_dk, token.d, k) + entry(order.prior, token.d, k)

        def of_word(k: Array) -> Array:
            prior = entry(layout.words.prior, token.v, k)
            return prior if fixed else element(tables.n_vk, token.v, k) + prior

        def below(k: Array) -> Array:
            return jnp.float32(1) if fixed else element(tables.n_k, k) + element(layout.beta_k, k)

        def decide(token: Moving, other: Array, ratio: Bool[Array, ""]) -> Moving:
            nonlocal proposed, accepted
            another = other != token.k
            proposed, accepted = proposed + another, accepted + (another & ratio)
            return token._replace(k=jnp.where(ratio, other, token.k))

        for m, choice in enumerate(documents):
            k, other = token.k, offered(choice, element(choice.place, i), token, tables.z)
            ok = element(choice.u, i) * (of_word(k) * below(other)) < of_word(other) * below(k)
            token = decide(token, other, ok)
            k, (other, q) = token.k, words(m, token, tables, of_word)
            p, p_other = (of_document(k) * of_word(k) * below(x) for k, x in ((k, other), (other, k)))
            token = decide(token, other, element(u[m], i) * (p * q(other)) < p_other * q(k))
        return (tables, tally), (token, one, proposed, accepted)

    zero = jnp.uint32(0)
    nothing = (Moving(zero, zero, zero, zero), jnp.int32(0), zero, zero)
    return fold_tokens(order.start[-1], (tables, Tally(zero, zero)), nothing, visit, apply)
