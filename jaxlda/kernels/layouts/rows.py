"""The data as the loops over tokens read them."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, UInt32

from jaxlda.kernels.bricks.draw import padded_size
from jaxlda.kernels.bricks.rows import pad_last, row
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.types import Data

__all__ = ["Layout", "lay_out", "layout_of"]


class Layout(NamedTuple):
    """Unsigned indices, priors with rows padded to the length ``draw`` folds, words before topics."""

    data: Data
    w: UInt32[Array, " N"]
    d: UInt32[Array, " N"]
    m: Float[Array, " N"]
    size: UInt32[Array, ""]
    """Entries before the padding."""
    alpha: Float[Array, "_ P"]
    """One row for all documents, or one a document."""
    beta: Float[Array, "V _"]
    """One number a word if all topics share it, otherwise a row."""
    beta_k: Float[Array, " P"]
    phi: Float[Array, "V P"] | None

    @property
    def num_topics(self) -> int:
        """K, without the padding."""
        return self.data.priors.alpha.shape[-1]

    @property
    def num_docs(self) -> int:
        """D."""
        return self.data.tokens.n_d.shape[0]

    @property
    def num_words(self) -> int:
        """V."""
        return self.beta.shape[0]

    @property
    def row_length(self) -> int:
        """P: K with the padding."""
        return self.beta_k.shape[0]

    @property
    def sparse(self) -> bool:
        """Whether a topic may have weight zero: documents may forbid some, and a given phi may have zeros."""
        return self.data.priors.alpha.ndim == 2 or self.phi is not None

    def alpha_row(self, d: UInt32[Array, ""]) -> Float[Array, " P"]:
        """The prior of one document."""
        return self.alpha[0] if self.data.priors.alpha.ndim == 1 else row(self.alpha, d)

    def alpha_rows(self, d: UInt32[Array, " n"]) -> Float[Array, "_ P"]:
        """The priors of several documents."""
        return self.alpha if self.data.priors.alpha.ndim == 1 else self.alpha[d]

    def beta_row(self, v: UInt32[Array, ""]) -> Float[Array, " _"]:
        """The prior of one word: a single number if all topics share it."""
        return row(self.beta, v)


@jax.jit
def lay_out(data: Data) -> Layout:
    """Lay the data out; under ``jit`` too."""
    tokens, priors = data.tokens, data.priors
    size = padded_size(priors.alpha.shape[-1])
    beta, beta_k = words_first(priors.beta), beta_totals(priors)
    return Layout(
        data,
        tokens.w.astype(jnp.uint32),
        tokens.d.astype(jnp.uint32),
        tokens.m.astype(jnp.float32),
        (tokens.m > 0).sum(dtype=jnp.uint32),
        pad_last(jnp.atleast_2d(priors.alpha), size),
        beta if beta.shape[1] == 1 else pad_last(beta, size),
        # One instead of zero in the padding: it divides.
        jnp.pad(beta_k, (0, size - beta_k.shape[0]), constant_values=1),
        None if data.phi is None else pad_last(data.phi.T, size),
    )


def layout_of(data: Data | Layout) -> Layout:
    """The layout of data that were not prepared; a layout itself."""
    return data if isinstance(data, Layout) else lay_out(data)
