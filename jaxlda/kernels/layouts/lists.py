"""The data as the loops read them where documents allow few topics each, as those of Labeled LDA do."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Num, UInt32

from jaxlda.kernels.bricks.rows import row
from jaxlda.kernels.conditional import beta_totals, words_first
from jaxlda.kernels.layouts.groups import Group, group_documents
from jaxlda.types import Data, Priors

__all__ = ["LabelLayout", "gathered", "lay_out_labels", "of_topics", "prior_row"]


class LabelLayout(NamedTuple):
    """Lists of the documents' own topics, and the priors of what is in the lists."""

    data: Data
    groups: tuple[Group, ...]
    alpha: tuple[Float[Array, "_ _"], ...]
    """Of each group."""
    beta: Float[Array, "V _"]
    """One number a word if all topics share it, otherwise a row."""
    beta_k: Float[Array, " K"]

    @property
    def num_topics(self) -> int:
        """K."""
        return self.beta_k.shape[0]

    @property
    def num_docs(self) -> int:
        """D."""
        return self.data.tokens.n_d.shape[0]

    @property
    def num_words(self) -> int:
        """V."""
        return self.beta.shape[0]

    def with_data(self, data: Data) -> "LabelLayout":
        """The same lists with other priors, which must allow the same topics; under ``jit`` too."""
        return LabelLayout(data, self.groups, *_laid_out(self.groups, data.priors))

    def n_dk(self, n_gj: tuple[Num[Array, "_ _"], ...]) -> Num[Array, "D K"]:
        """Counts of all documents and topics from those in the lists."""
        table = jnp.zeros((self.num_docs, self.num_topics), n_gj[0].dtype if n_gj else jnp.int32)
        for group, n in zip(self.groups, n_gj, strict=True):
            table = table.at[group.document[:, None], group.labels].add(n)
        return table

    def n_k(self, n_gj: tuple[Num[Array, "_ _"], ...]) -> Num[Array, " K"]:
        """Totals of the topics from the counts in the lists."""
        totals = jnp.zeros(self.num_topics, n_gj[0].dtype if n_gj else jnp.int32)
        for group, n in zip(self.groups, n_gj, strict=True):
            totals = totals.at[group.labels].add(n)
        return totals


@jax.jit
def _laid_out(groups: tuple[Group, ...], priors: Priors) -> tuple:
    return tuple(group.of_documents(priors.alpha) for group in groups), words_first(priors.beta), beta_totals(priors)


def lay_out_labels(data: Data, groups: tuple[Group, ...] | None = None) -> LabelLayout:
    """Lay out the data in these groups, or in those of ``group_documents``; on the host."""
    groups = group_documents(data) if groups is None else groups
    return LabelLayout(data, groups, *_laid_out(groups, data.priors))


def gathered(table: Num[Array, "rows K"], v: UInt32[Array, ""], labels: UInt32[Array, " P"]) -> Num[Array, " P"]:
    """Read some elements of one row."""
    return table.at[v, labels].get(mode="promise_in_bounds")


def of_topics(x: Num[Array, " K"], labels: UInt32[Array, "*n P"]) -> Num[Array, "*n P"]:
    """Read some elements of what there is one of for each topic."""
    return x.at[labels].get(mode="promise_in_bounds")


def prior_row(beta: Float[Array, "V _"], v: UInt32[Array, ""], labels: UInt32[Array, " P"]) -> Float[Array, " _"]:
    """The prior of one word in some topics: a single number if all topics share it."""
    return row(beta, v) if beta.shape[1] == 1 else gathered(beta, v, labels)
