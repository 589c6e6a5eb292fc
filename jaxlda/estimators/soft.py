"""Soft counts: sums of transition probabilities (Eq. 31), in one pass over the tokens."""

from functools import partial, reduce
from operator import add
from typing import Any, Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Num

from jaxlda.corpora.numbers import one_of
from jaxlda.kernels.bricks.draw import sum_rows, total
from jaxlda.kernels.bricks.loops import fold_chunks, token_loop
from jaxlda.kernels.bricks.rows import accumulate, element, pad_last, row, write
from jaxlda.kernels.bricks.sums import ChunkSums, fold_sums
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.kernels.layouts.blocks import Block, token_at, weight_at
from jaxlda.kernels.layouts.tokens import TokenLayout, few_topics, lay_out_lists, lay_out_rows
from jaxlda.types import Counts, Data, Priors, Sample

__all__ = ["LeaveOut", "Softened", "check_shapes", "soften", "softened"]

LeaveOut = Literal["token", "document", "none"]

_TINY = float(np.finfo(np.float32).tiny)
# Tokens softened at once on an accelerator: bounds the memory, K numbers for each. A row is added to by 256 tiles of a
# chunk at most, see ``ChunkSums``: fewer than ``sums.LIMIT``, so that rounding does not matter.
_CHUNK = 16384


class Softened(NamedTuple):
    """Soft counts, and what the tokens weigh that they were summed over."""

    counts: Counts
    weight: Float[Array, "*batch N"] | None
    r"""If asked for, of every token, with nothing left out: :math:`\sum_k (n_{dk} + \alpha_k) \hat\phi_{kw_i}`."""


def soften(sample: Sample, data: Data, *, leave_out: LeaveOut = "token") -> Counts:
    r"""Replace every assignment by the distribution a Gibbs update would draw it from (Eqs. 1, 4 and 31), and add up.

    .. math:: p_{ik} \propto \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_v \beta_v}\,(n_{dk\neg i} + \alpha_k)

    summed over the tokens of each document and of each word. Where ``data.phi`` is given it stands for the first
    factor. Costs about one exact sweep, and memory of the order of the counts only; where documents allow few topics,
    as with labels, it costs what these cost.

    Parameters
    ----------
    sample
        Assignments with their counts, also of several chains or draws at once; a sample without ``z`` (CVB0, gensim,
        scikit-learn) is soft or summed already and refused.
    data
        What was sampled.
    leave_out
        What the token itself is taken out of: all counts (``"token"``, Algorithm 1 of the paper), the document's counts
        only (``"document"``), or none (``"none"``); the last two are what the paper's program does in training and with
        samples of other programs.

    Returns
    -------
    Counts of floats that add up to the same document lengths and word frequencies.

    Examples
    --------
    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(0, "cgs", data, num_warmup=1)
    >>> soften(run.chain(0), data).n_dk.sum(1).round(5).tolist()
    [3.0, 3.0]
    """
    _check(sample, data, leave_out)
    return _softened(sample, lay_out_lists(data) if few_topics(data) else data, leave_out)


def _check(sample: Any, data: Any, leave_out: Any) -> None:
    if not isinstance(sample, Sample) or not isinstance(data, Data):
        raise TypeError(
            "phi_p, theta_p and soften take a Sample (with the topic z of each token) and its Data; got "
            f"{type(sample).__name__} and {type(data).__name__}. Of a run, give run.chain(0) and run.data"
        )
    if sample.z is None:
        raise ValueError(
            "These counts come without the topic of each token (z), so there are no transition probabilities to sum: "
            "phi_p and theta_p need a Gibbs sample. For CVB0 and variational Bayes phi and theta already are the soft "
            "estimates."
        )
    one_of(leave_out, "leave_out", get_args(LeaveOut))
    check_shapes(sample.counts, data.priors, len(data.tokens.n_d))
    N, K = len(data.tokens.w), data.priors.alpha.shape[-1]
    z = sample.z
    # Of arrays from elsewhere only: those of JAX are our own, may be traced, and may be on a device.
    strange = isinstance(z, np.ndarray) and N > 0 and not 0 <= z.min() <= z.max() < K
    if z.shape[-1] != N or z.dtype.kind not in "iu" or strange:
        raise ValueError(f"z of the sample must have a topic from 0 to {K - 1} for each of the {N} tokens of the data")


def check_shapes(counts: Counts, priors: Priors, num_docs: int | None = None) -> None:
    """Refuse counts of another number of topics, words or documents than these priors are for.

    >>> counts = Counts(jnp.zeros((1, 2)), jnp.zeros((3, 2)), jnp.zeros(2))
    >>> check_shapes(counts, Priors(jnp.ones(4), jnp.ones(3)))
    Traceback (most recent call last):
    ...
    ValueError: the sample has K=2, V=3, D=1, and the data K=4, V=3: they are not of the same run
    """
    found = {"K": counts.n_k.shape[-1], "V": counts.n_vk.shape[-2], "D": counts.n_dk.shape[-2]}
    expected = {"K": priors.alpha.shape[-1], "V": priors.beta.shape[-1]}
    if num_docs is None and priors.alpha.ndim == 2:
        num_docs = priors.alpha.shape[0]
    if num_docs is not None:
        expected["D"] = num_docs
    if any(found[name] != size for name, size in expected.items()):
        one, other = (", ".join(f"{name}={size}" for name, size in sizes.items()) for sizes in (found, expected))
        raise ValueError(f"the sample has {one}, and the data {other}: they are not of the same run")


@partial(jax.jit, static_argnames="leave_out")
def _softened(sample: Sample, laid_out: Data | TokenLayout, leave_out: LeaveOut) -> Counts:
    layout = lay_out_rows(laid_out) if isinstance(laid_out, Data) else laid_out

    def one(sample: Sample) -> Counts:
        return softened(sample, layout, leave_out, weigh=False).counts

    assert sample.z is not None
    for _ in range(sample.z.ndim - 1):  # of chains and draws
        one = jax.vmap(one)
    return one(sample)


def softened(sample: Sample, layout: TokenLayout, leave_out: LeaveOut = "token", weigh: bool = True) -> Softened:
    """Soften one sample that has assignments, in any layout of its data; under ``jit``.

    To ``weigh`` the tokens on the way costs a tenth of it.
    """
    data, K = layout.data, layout.num_topics
    own, lost = _own_weight(sample, data, leave_out)
    # Where priors are so small that all weights of a token are zero in float32, it keeps its topic.
    own = jnp.maximum(own, _TINY)
    b = _word_factor(sample.counts, data, layout.row_length)
    share = jnp.zeros_like(own)
    one_by_one, in_chunks = token_loop(partial(_one_by_one, weigh)), partial(_in_chunks, weigh)
    n_dj, n_vk = [], []
    for block in layout.blocks:
        tokens = _Tokens(
            block,
            block.placed(sample.z).astype(jnp.uint32),
            block.placed(own),
            block.of_documents(sample.counts.n_dk + data.priors.alpha),
            b,
        )
        if block.w.shape[0] == 0:
            n_dj.append(jnp.zeros_like(tokens.a))
            continue
        n, of_words, shares = lax.platform_dependent(tokens, cpu=one_by_one, default=in_chunks)
        n_dj.append(n)
        n_vk.append(of_words)
        share = block.in_corpus(shares, share) if weigh else share
    n_dk = layout.n_dk(tuple(n_dj)) if n_dj else jnp.zeros(sample.counts.n_dk.shape, jnp.float32)
    words = layout.summed(reduce(add, n_vk) if n_vk else jnp.zeros_like(b))
    counts = Counts(n_dk, words[:, :K], sum_rows(words)[:K])
    if not weigh:
        return Softened(counts, None)
    # What tokens weigh, by the shares they were divided into and what leaving them out took away.
    weight = jnp.where(share > 0, data.tokens.m / jnp.where(share > 0, share, 1.0), 0.0) + lost
    return Softened(counts, weight)


def _word_factor(counts: Counts, data: Data, size: int) -> Float[Array, "V P"]:
    if data.phi is not None:
        return pad_last(data.phi.T, size)
    beta, beta_k = words_first(data.priors.beta), beta_totals(data.priors)
    return pad_last((counts.n_vk + beta) / (counts.n_k + beta_k), size)


def _own_weight(sample: Sample, data: Data, leave_out: LeaveOut) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
    """Weigh each token's present topic: leaving the token out changes its distribution in this one entry only.

    Besides, how much less that is than with the token.
    """
    (w, d, _, _), (alpha, beta), (n_dk, n_vk, n_k), z = data.tokens, data.priors, sample.counts, sample.z
    in_document = 0 if leave_out == "none" else 1
    in_topic = 1 if leave_out == "token" else 0
    alpha = alpha[z] if alpha.ndim == 1 else alpha[d, z]
    n_d = n_dk[d, z]
    if data.phi is not None:
        return (n_d - in_document + alpha) * data.phi[z, w], in_document * data.phi[z, w]
    n_d, n_w, n_z = lax.optimization_barrier((n_d, n_vk[w, z], n_k[z]))  # looked up once, not for either result
    beta_z = beta_totals(data.priors)[z]
    beta = beta[w] if beta.ndim == 1 else beta[z, w]
    own = (n_d - in_document + alpha) * (n_w - in_topic + beta) / (n_z - in_topic + beta_z)
    return own, (n_d + alpha) * (n_w + beta) / (n_z + beta_z) - own


class _Tokens(NamedTuple):
    """The tokens of a block with what their distributions are made of."""

    block: Block
    z: Num[Array, " n"]
    own: Float[Array, " n"]
    """The weight of each token's present topic."""
    a: Float[Array, "D P"]
    """What documents say of the other topics."""
    b: Float[Array, "V Q"]
    """And what words do."""


Soft = tuple[Float[Array, "D P"], Float[Array, "V Q"], Float[Array, " _"]]
"""``n_dj``, ``n_vk``, and the shares, if asked for: ``m`` over the sums of the weights."""


def _one_by_one(weigh: bool, tokens: _Tokens) -> Soft:
    """One token after another: what a CPU does best."""
    block, z, own, a, b = tokens
    size = z.shape[0]

    def rows(i: Array) -> tuple:
        return token_at(block, i)[::-1]

    def visit(i: Array) -> tuple:
        (d, v), m = rows(i), weight_at(block, i)
        p = jnp.where(block.is_topic(d, element(z, i)), element(own, i), row(a, d) * block.of_word(b, v, d))
        # Padding may have no weight at all, and 0 / 0 would spread.
        return i, jnp.where(m > 0, m / total(p), 0.0), p

    def apply(tables: tuple, shares: Array, rows: tuple, softened: tuple) -> tuple:
        (n_dj, n_vk), (d, v), (i, share, p) = tables, rows, softened
        n_vk, _ = block.added(n_vk, None, share * p, v, d)
        return (accumulate(n_dj, share * p, d), n_vk), write(shares, share, i) if weigh else shares

    shares = jnp.zeros(size if weigh else 0, jnp.float32)
    (n_dj, n_vk), shares = fold_sums(block.size, size, (a.shape, b.shape), shares, rows, visit, apply)
    return n_dj, n_vk, shares


def _in_chunks(weigh: bool, tokens: _Tokens) -> Soft:
    """Thousands of tokens at a time: what accelerators want."""
    block, z, own, a, b = tokens

    def visit(index: Array, fresh: Array, tables: tuple) -> tuple:
        n_dj, n_vk, shares = tables
        (v, d), m = token_at(block, index), weight_at(block, index)
        p = jnp.where(block.is_topic(d, z[index]), own[index, None], a[d] * block.of_words(b, v, d))
        share = jnp.where(m > 0, m / p.sum(1), 0.0)
        p = p * jnp.where(fresh, share, 0.0)[:, None]
        shares = shares.at[index].set(share) if weigh else shares
        return n_dj.added((d,), (d,), p), n_vk.added(*block.entries(v, d), p), shares

    start = (ChunkSums.of(a.shape), ChunkSums.of(b.shape), jnp.zeros(z.shape if weigh else 0, jnp.float32))
    n_dj, n_vk, shares = fold_chunks(z.shape[0], _CHUNK, start, visit)
    return n_dj.total(), n_vk.total(), shares
