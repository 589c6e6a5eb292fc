"""The nouns of the library: every function takes and returns these.

Sizes are shapes (no integers inside a pytree), ``D`` documents, ``V`` words, ``K`` topics, ``N`` tokens.
The order of subscripts is the order of axes: ``n_vk`` is V x K because kernels read one word's row at a time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from jaxtyping import Array, Float, Int, Num

__all__ = ["Algorithm", "Counts", "Data", "Info", "Priors", "Sample", "Tokens"]


class Tokens(NamedTuple):
    """A corpus as the kernels read it: one entry a token, a document after another.

    Padding, if any, stands at the end and has ``m = 0``.
    """

    w: Int[Array, " N"]
    """The word of each token."""
    d: Int[Array, " N"]
    """The document of each token, never decreasing."""
    m: Num[Array, " N"]
    """How often the entry counts: 1 for a token, 0 for padding, the frequency of a distinct (document, word) pair."""
    n_d: Num[Array, " D"]
    """The length of each document."""


class Priors(NamedTuple):
    """Dirichlet parameters. ``alpha[d, k] = 0`` forbids topic ``k`` in document ``d``."""

    alpha: Float[Array, " K"] | Float[Array, "D K"]
    """Prior of theta, shared by all documents or one row a document."""
    beta: Float[Array, " V"] | Float[Array, "K V"]
    """Prior of phi, shared by all topics or one row a topic (seed words)."""


class Data(NamedTuple):
    """Everything that stays constant during a run."""

    tokens: Tokens
    priors: Priors
    phi: Float[Array, "K V"] | None = None
    """Known topics: given, they are held fixed (Eq. 4); ``None``, they are learned (Eq. 1)."""


class Counts(NamedTuple):
    """Sufficient statistics of a state: integers if hard (from z), floats if soft or averaged."""

    n_dk: Num[Array, "*batch D K"]
    n_vk: Num[Array, "*batch V K"]
    n_k: Num[Array, "*batch K"]


class Sample(NamedTuple):
    """What every algorithm ends in, and where samples of other programs enter."""

    counts: Counts
    z: Int[Array, "*batch N"] | None
    """The topic of each token; ``None`` where only soft counts exist (CVB0, variational Bayes)."""


class Info(NamedTuple):
    """What one sweep reports; never carried to the next."""

    moved: Num[Array, ""]
    """How many tokens changed topic; if soft, how much probability mass (net, within each document)."""


class Algorithm(NamedTuple):
    """An inference algorithm: a tuple of pure functions, jitted by whoever runs it."""

    init: Callable[..., Any]
    """``(key, data) -> State``."""
    step: Callable[..., tuple[Any, Info]]
    """``(key, state, data) -> (State, Info)``: one sweep over the corpus."""
    readout: Callable[..., Sample]
    """``(state, data) -> Sample``."""
    prepare: Callable[[Data], Any] = lambda data: data
    """``data -> layout`` on the host, once a run: the data checked and laid out as the algorithm likes them best. The
    other functions take a layout in place of ``data``."""
