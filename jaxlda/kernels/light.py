r"""LightLDA (Yuan et al. 2015): Metropolis-Hastings by turns of document and word, with alias tables for the words.

Tokens move one after another (``moves``), with counts of the moment. Documents propose as in ``warp``. Words propose
from what the counts were when the sweep began,

.. math:: q(k) \propto \frac{n_{vk}}{n_k + \bar\beta} + \frac{\beta_{vk}}{\bar n + \bar\beta},

where :math:`\bar n` is the mean of :math:`n_k`, the token itself left out; that q is stale is made good by the
acceptance ratio. The first part is
drawn by an alias table (Walker 1977) over the *tokens* of the word, each with the weight of its topic: N columns in
all, not V x K, so that a sweep does not pay for topics that a word has not.

A table that depends on where the chain was makes the sampler an approximation, a close one (see ``light``). With
``delayed=False`` words propose from the counts of the moment, and the posterior is exact.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, UInt32

from jaxlda.corpora.numbers import positive_int, yes_or_no
from jaxlda.kernels.bricks.alias import alias_of_tokens
from jaxlda.kernels.bricks.draw import draw, padded_size
from jaxlda.kernels.bricks.loops import token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import element, entry, pad_last, row
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.orders import TwoOrders, prior_total, share_of_tokens
from jaxlda.kernels.moves import MHInfo, MHState, Moving, Tally, count, move_each, report
from jaxlda.kernels.proposals import Pick, choices, first_topics, proposals, resolved
from jaxlda.kernels.registry import kernel, unchanged
from jaxlda.kernels.warp import prepare
from jaxlda.types import Algorithm, Counts, Sample

__all__ = ["light"]


class _Offer(NamedTuple):
    """What a word proposes to every token."""

    k: UInt32[Array, " N"]
    """In the order of words."""
    u: Float[Array, " N"]
    """A number each to accept it by."""
    v: Float[Array, " N"]
    """A number each to draw it by, where it must be drawn at the moment."""


class _Stale(NamedTuple):
    """The weights that words propose from through a sweep, the token itself left out."""

    z: UInt32[Array, " N"]
    n_vk: Int[Array, "V K"]
    weight: Float[Array, " K"]
    r"""Of a token, :math:`1 / (n_k + \bar\beta)`."""
    prior: Float[Array, ""]
    r"""Of the prior, :math:`1 / (\bar n + \bar\beta)`."""


def init(key: PRNGKeyArray, layout: TwoOrders) -> MHState:
    r"""Assign every token a topic drawn from :math:`\alpha_d`, as if it were alone in its document."""
    return count(layout, first_topics(key, layout))


def _stale(layout: TwoOrders, tables: MHState) -> _Stale:
    mean = prior_total((tables.n_k + layout.beta_k)[None], layout.num_choices)[0] / layout.num_choices
    return _Stale(tables.z, tables.n_vk, 1 / (tables.n_k.astype(jnp.float32) + layout.beta_k), 1 / mean)


def _from_words(keys: Array, layout: TwoOrders, tables: MHState, stale: _Stale | None) -> list[_Offer]:
    """Draw what words propose: all at once, as far as what is proposed from does not change during the sweep."""
    order, z, n = layout.words, tables.z[layout.by_word], tables.z.shape[0]
    if stale is not None:
        real = jnp.arange(n, dtype=jnp.uint32) < order.start[-1]
        weight = jnp.where(real, stale.weight[z], 0.0)
        total = jnp.zeros(order.sizes.shape, jnp.float32).at[order.row].add(weight)
        prior = prior_total(order.prior, layout.num_choices) * stale.prior
        order = order._replace(tokens=share_of_tokens(total, prior))
        scale = order.sizes / jnp.where(total > 0, total, 1.0)
        table = token_loop(alias_of_tokens)(order.start, weight * scale[order.row])
    offers = []
    for key in keys:
        choice, v = choices(key, order, layout.num_choices), uniform(jax.random.fold_in(key, 1), n)
        if stale is not None:
            place = jnp.minimum(choice.place, jnp.uint32(n - 1))
            choice = choice._replace(place=jnp.where(v < table.own[place], place, table.other[place]))
        offers.append(_Offer(proposals(choice, z), choice.u, v))
    return offers


def _sweep(
    layout: TwoOrders, tables: MHState, documents: list[Pick], words: list[_Offer], stale: _Stale | None
) -> tuple[MHState, Tally]:
    """One token after another; nothing is stale where words propose from the moment, or from topics that are fixed."""

    def offer(m: int, token: Moving, tables: MHState, of_word: Callable) -> tuple[Array, Callable]:
        if stale is None and layout.data.phi is None:
            beta = row(layout.words.prior, token.v)
            q = (row(tables.n_vk, token.v) + beta) / (tables.n_k + layout.beta_k)
            q = jnp.where(jnp.arange(q.shape[0], dtype=jnp.uint32) < layout.num_choices, q, 0.0)
            u = element(words[m].v, token.i)
            k = draw(pad_last(q, padded_size(q.shape[0])), u, layout.num_choices, sparse=True)
            return k, lambda k: element(q, k)
        k = resolved(element(words[m].k, element(layout.by_document, token.i)), token.k)
        return k, of_word if stale is None else lambda k: weight(token, k)

    def weight(token: Moving, k: Array) -> Array:
        assert stale is not None
        n = element(stale.n_vk, token.v, k) - (element(stale.z, token.i) == k)
        return n * element(stale.weight, k) + entry(layout.words.prior, token.v, k) * stale.prior

    return move_each(layout, tables, documents, offer, [words_.u for words_ in words])


def readout(state: MHState, layout: TwoOrders) -> Sample:
    """Give the assignments and their counts."""
    z, *counts = state
    return Sample(Counts(*counts), z.astype(jnp.int32))


@kernel
def light(steps: int = 1, delayed: bool = True) -> Algorithm:
    """LightLDA: Metropolis-Hastings, one token after another, at a cost per token that hardly grows with the topics.

    The bias of stale proposals, measured. In corpora of seven tokens, whose posterior can be listed, the total
    variation from it is .04, where that of as many exact draws is .02 to .03 by chance. On the bundled Reuters, K 20,
    after 780 sweeps (mean of 5 chains), the log joint per token is -7.900 against -7.890 of the exact
    ``light(delayed=False)`` (standard errors .003 and .006), the log-likelihood of the training documents -6.973
    against -6.945. Both mix more slowly than ``cgs``, which has reached -7.822 and -6.914 by then.

    Parameters
    ----------
    steps
        How many topics each token is proposed by its document, and how many by its word, per sweep.
    delayed
        Whether words propose from the counts that the sweep began with. ``False``: from those of the moment; exact, but
        the cost per token is that of all topics.

    Examples
    --------
    >>> import jaxlda
    >>> sampler = light(steps=2)
    >>> layout = sampler.prepare(jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2))
    >>> state = sampler.init(jax.random.key(0), layout)
    >>> state, info = sampler.step(jax.random.key(1), state, layout)
    >>> sampler.readout(state, layout).counts.n_dk.sum(1).tolist()
    [3, 3]
    """
    steps, delayed = positive_int(steps, "steps"), yes_or_no(delayed, "delayed")

    def step(key: PRNGKeyArray, state: MHState, layout: TwoOrders) -> tuple[MHState, MHInfo]:
        """Offer every token new topics."""
        if state.z.shape[0] == 0:
            return state, MHInfo(jnp.float32(0), jnp.float32(0))
        from_documents, from_words = jax.random.split(key, (2, steps))
        documents = [choices(own, layout.documents, layout.num_choices) for own in from_documents]
        stale = _stale(layout, state) if delayed and layout.data.phi is None else None
        words = _from_words(from_words, layout, state, stale)
        new, tally = token_loop(_sweep)(layout, state, documents, words, stale)
        return new, report(layout, new.z, state.z, [tally])

    return Algorithm(
        "light", (("steps", steps), ("delayed", delayed)), init, step, readout, prepare, log_joint, unchanged
    )
