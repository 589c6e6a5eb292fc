r"""Partially collapsed Gibbs sampling (Magnusson et al. 2018; Terenin et al. 2019): exact, and parallel.

A sweep draws the topics given the assignments, :math:`\phi_k \mid z \sim \mathrm{Dir}(n_{\cdot k} + \beta_k)`, then the
assignments given the topics. Documents are independent then: each is swept as if its topics were known (Eq. 4), all of
them at once where the device is wide. With ``theta="drawn"`` the documents' proportions are drawn too,
:math:`\theta_d \mid z \sim \mathrm{Dir}(n_d + \alpha_d)`, and all tokens are independent:
:math:`p(z_i = k) \propto \theta_{dk} \phi_{kv}`. What is drawn and forgotten costs mixing: ``cgs`` needs the fewest
sweeps, ``theta="drawn"`` the most.

The assignments alone are a Markov chain whose stationary distribution is that of ``cgs``, the exact posterior. The
topics drawn are forgotten at the end of a sweep: the estimators know better ones, given z. A token's present topic has
a count of one at least, so it never has weight zero, however small the priors.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, PRNGKeyArray, UInt32

from jaxlda.corpora.numbers import one_of
from jaxlda.kernels.bricks.dirichlet import dirichlet
from jaxlda.kernels.bricks.draw import draw
from jaxlda.kernels.bricks.loops import fold_tokens, split_by, token_loop
from jaxlda.kernels.bricks.random import uniform
from jaxlda.kernels.bricks.rows import element, row, unsigned, write
from jaxlda.kernels.cgs import (
    CGSInfo,
    CGSState,
    doc_counts,
    init,
    moved,
    prepare,
    readout,
    sweep_given_phi,
    word_counts,
)
from jaxlda.kernels.conditional import never_nothing
from jaxlda.kernels.joint import log_joint
from jaxlda.kernels.layouts.blocks import Block, token_at
from jaxlda.kernels.layouts.tokens import TokenLayout
from jaxlda.kernels.registry import kernel, unchanged
from jaxlda.types import Algorithm, Sharding

__all__ = ["pcgs"]


ByBlock = tuple[Float[Array, "_ _"], ...]
Places = tuple[UInt32[Array, " _"], ...]

# Tokens at once on an accelerator: as many as have this many weights in all. On a TPU the weights are in memory then
# (64 MB for one chain), and a step of a loop is cheap. On a GPU they never are, and each step is a handful of launches:
# large corpora take a sixth of their tokens at once.
_WEIGHTS, _CHUNKS = 2**24, 6


def _topics(key: PRNGKeyArray, state: CGSState, layout: TokenLayout) -> Float[Array, "V P"]:
    """Draw phi given z."""
    assert state.n_vk is not None, "topics are learned"
    return dirichlet(key, state.n_vk + layout.beta)


def _proportions(key: PRNGKeyArray, state: CGSState, layout: TokenLayout) -> ByBlock:
    """Draw theta given z, by place."""
    keys = jax.random.split(key, max(len(layout.blocks), 1))
    return tuple(
        dirichlet(own, jnp.where(block.allowed, n + block.alpha, 0.0), axis=1, first_row=layout.first_doc)
        for block, n, own in zip(layout.blocks, state.n_dj, keys, strict=False)
    )


def _one_by_one(layout: TokenLayout, theta: ByBlock, u: Float[Array, " N"]) -> Places:
    """One token after another: what a CPU does best."""

    def drawn(block: Block, theta: Float[Array, "D P"], u: Float[Array, " n"]) -> UInt32[Array, " n"]:
        def visit(i: Array, j: Array) -> tuple:
            v, d = token_at(block, i)
            of_document, of_word = row(theta, d), block.of_word(layout.phi, v, d)
            p = never_nothing(of_document * of_word, of_document, of_word)
            return j, (i, draw(p, element(u, i), block.num_choices, sparse=True))

        nothing = (jnp.uint32(0), jnp.uint32(0))
        return fold_tokens(block.size, _no_places(block), nothing, visit, lambda j, new: write(j, new[1], new[0]))

    return _by_block(layout, theta, u, drawn)


def _in_chunks(
    layout: TokenLayout, theta: ByBlock, u: Float[Array, " N"], most: float | None = None, looks_up: bool = True
) -> Places:
    """Many tokens at once, and that at ``most`` a few times: what accelerators want."""

    def drawn(block: Block, theta: Float[Array, "D P"], u: Float[Array, " n"]) -> UInt32[Array, " n"]:
        n = block.w.shape[0]

        chunk = min(max(_WEIGHTS // block.num_places, math.ceil(n / (most or _CHUNKS))), n)

        def visit(c: Array, j: Array) -> Array:
            # The last chunk begins earlier than it might: tokens that are drawn twice are drawn alike.
            start = jnp.minimum(c.astype(jnp.uint32) * chunk, jnp.uint32(n - chunk))
            v, d, own = (lax.dynamic_slice_in_dim(x, start, chunk) for x in (block.w, block.d, u))
            v, d = unsigned(v), unsigned(d)
            of_document, of_word = theta[d], block.of_words(layout.phi, v, d)
            p = never_nothing(of_document * of_word, of_document, of_word)
            # A TPU computes with rows of many numbers: of tokens, as a topic is looked for among the few of a token.
            axis, p = (0, p) if looks_up else (1, p.T)
            chosen = partial(draw, num_topics=block.num_choices, sparse=True, looks_up=looks_up)
            new = jax.vmap(chosen, (axis, 0))(p, own)
            return lax.dynamic_update_slice_in_dim(j, new, start, 0)

        j = lax.fori_loop(0, -(-n // chunk), visit, _no_places(block)) if n else _no_places(block)
        return jnp.where(block.m > 0, j, 0)

    return _by_block(layout, theta, u, drawn)


def _no_places(block: Block) -> UInt32[Array, " n"]:
    return jnp.zeros(block.w.shape, jnp.uint32)


def _by_block(layout: TokenLayout, theta: ByBlock, u: Float[Array, " N"], drawn: Callable[..., Array]) -> Places:
    """Draw the tokens of every block, but for those that have no choice."""
    blocks = zip(layout.blocks, theta, split_by(layout.sizes, u), strict=True)
    return tuple(drawn(*own) if own[0].num_places > 1 else _no_places(own[0]) for own in blocks)


@kernel
def pcgs(theta: str = "collapsed") -> Algorithm:
    """Partially collapsed Gibbs sampling: draw phi, then all documents at once. Exact.

    Where the data fix phi, it is Eq. 4 alone.

    Parameters
    ----------
    theta
        ``"collapsed"``: a token's topic depends on the others of its document (Eq. 4); on an accelerator, as many steps
        per sweep as the longest document has tokens. ``"drawn"``: theta is drawn as well, and all tokens are
        independent; a few steps per sweep, each as wide as the corpus, but more sweeps are needed.

    Examples
    --------
    >>> import jaxlda
    >>> sampler = pcgs(theta="drawn")
    >>> layout = sampler.prepare(jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2))
    >>> state = sampler.init(jax.random.key(0), layout)
    >>> state, info = sampler.step(jax.random.key(1), state, layout)
    >>> sampler.readout(state, layout).counts.n_dk.sum(1).tolist()
    [3, 3]
    """
    one_of(theta, "theta", ("collapsed", "drawn"))

    def step(key: PRNGKeyArray, state: CGSState, layout: TokenLayout) -> tuple[CGSState, CGSInfo]:
        """Draw the topics, then the topic of every token."""
        if sum(layout.sizes) == 0:
            return state, CGSInfo(jnp.float32(0))
        key_phi, key_theta, key_z = jax.random.split(key, 3)
        u = uniform(key_z, sum(layout.sizes), layout.first_entry)
        given = layout if layout.phi is not None else layout._replace(phi=_topics(key_phi, state, layout))
        if theta == "collapsed":
            j, n_dj, _, _ = sweep_given_phi(given, u, state)
        else:
            drawn = _proportions(key_theta, state, layout)
            on_tpu = partial(_in_chunks, most=math.inf, looks_up=False)
            j = lax.platform_dependent(given, drawn, u, cpu=token_loop(_one_by_one), tpu=on_tpu, default=_in_chunks)
            n_dj = doc_counts(layout, j)
        words = (None, None) if layout.phi is not None else (word_counts(layout, j), layout.totals(n_dj))
        new = CGSState(j, n_dj, *words)
        return new, CGSInfo(moved(layout, new, state))

    kinds: Any = ("entries", "documents", "all", "all")
    sharding = Sharding(CGSState(*kinds), pairs=False)
    functions = (init, step, readout, prepare, log_joint, unchanged)
    return Algorithm("pcgs", (("theta", theta),), *functions, sharding=sharding)
