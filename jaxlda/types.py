"""The nouns of the library: every function takes and returns these.

Sizes are shapes (no integers inside a pytree), ``D`` documents, ``V`` words, ``K`` topics, ``N`` tokens.
The order of subscripts is the order of axes: ``n_vk`` is V x K because kernels read one word's row at a time.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Array, Float, Int, Num, PRNGKeyArray

from jaxlda import startup

__all__ = ["Algorithm", "Counts", "Covariates", "Data", "Layout", "Online", "Priors", "Sample", "Sharding", "Tokens"]


startup.keep_programs()  # here, because whatever compiles a program of ours has imported the nouns before


class Tokens(NamedTuple):
    """A corpus as the kernels read it: one entry per token, document after document.

    Padding, if any, stands at the end and has ``m = 0``.
    """

    w: Int[Array, " N"]
    """The word of each token."""
    d: Int[Array, " N"]
    """The document of each token, never decreasing."""
    m: Int[Array, " N"]
    """How often the entry counts: 1 for a token, 0 for padding, the frequency of a distinct (document, word) pair."""
    n_d: Int[Array, " D"]
    """The length of each document."""


class Priors(NamedTuple):
    """Dirichlet parameters. ``alpha[d, k] = 0`` forbids topic ``k`` in document ``d``."""

    alpha: Float[Array, " K"] | Float[Array, "D K"]
    """Prior of theta, shared by all documents, or one row per document."""
    beta: Float[Array, " V"] | Float[Array, "K V"]
    """Prior of phi, shared by all topics, or one row per topic (seed words)."""


class Covariates(NamedTuple):
    """What is known of documents besides their words, as numbers that the prior of their topics may depend on."""

    x: Float[Array, "D F"]
    """A row for each document; a column of ones is an intercept."""
    scale: Float[Array, " F"]
    """The standard deviation of the Gaussian prior of each row of ``effects``, whose mean is 0."""
    effects: Float[Array, "F K"]
    """Those that the prior beside it has in it already: zeros before they are learned."""


class Data(NamedTuple):
    """Everything that stays constant during a run."""

    tokens: Tokens
    priors: Priors
    phi: Float[Array, "K V"] | None = None
    """Known topics: given, they are held fixed (Eq. 4); ``None``, they are learned (Eq. 1)."""
    covariates: Covariates | None = None
    """What ``jaxlda.kernels.learn_effects`` learns alpha from; other algorithms do not read it."""

    @property
    def data(self) -> "Data":
        """Themselves: an algorithm that needs no other layout reads the data as they are."""
        return self

    def with_data(self, data: "Data") -> "Data":
        """Other data in the place of these."""
        return data


@runtime_checkable
class Layout(Protocol):
    """Data as an algorithm likes them best: a pytree, made on the host once per run."""

    @property
    def data(self) -> Data:
        """What was laid out."""

    def with_data(self, data: Data) -> "Layout":
        """Lay out the same tokens with other priors, which allow the same topics; under ``jit`` too."""


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


class Sharding(NamedTuple):
    """How an algorithm runs where every device has some of the documents.

    Its ``init``, ``step`` and ``readout`` see a layout of these documents alone, in rows of all topics; what they sum
    over documents goes through ``layout.summed``, and random numbers are drawn by ``layout.first_entry`` and
    ``layout.first_doc``.
    """

    state: Any
    """The State with words in the place of its arrays. Their first axis: ``"entries"`` or ``"documents"``, of which
    every device has its own; ``"all"``: the array is the same on all devices."""
    pairs: bool
    """Whether entries are distinct (document, word) pairs; otherwise they are tokens."""
    prepare: Callable[[Any], Any] | None = None
    """``layout -> layout``, once per run, on all devices together: that of rows, laid out as the algorithm likes it
    best. Its field ``data`` is not kept twice."""


class Algorithm(NamedTuple):
    """An inference algorithm: its name, and a tuple of pure functions, jitted by whoever runs it.

    Nobody asks which algorithm ran: what differs between algorithms is a field here. ``State`` is whatever pytree the
    algorithm carries from sweep to sweep; ``Info`` is a NamedTuple of numbers that one sweep reports and nobody carries
    (``moved``, the share of the tokens whose topic changed; ``accepted``, ...), each of which becomes a trace.
    """

    name: str
    """What users choose and files store."""
    options: tuple[tuple[str, Hashable], ...]
    """``((name, value), ...)``: name and options make the same algorithm again, see ``jaxlda.kernels.registry``."""
    init: Callable[..., Any]
    """``(key, layout) -> State``."""
    step: Callable[..., tuple[Any, Any]]
    """``(key, state, layout) -> (State, Info)``: one sweep over the corpus."""
    readout: Callable[..., Sample]
    """``(state, layout) -> Sample``."""
    prepare: Callable[[Data], Layout]
    """``data -> layout`` on the host, once per run: the data checked, and laid out as the algorithm likes them best."""
    objective: Callable[[Counts, Data], float]
    """``(counts, data) -> number``, on the host: what is traced (under the function's name) and by which the best chain
    is chosen. ``data`` are what ``view`` gives."""
    view: Callable[[Any, Data], Data]
    """``(state, data) -> Data`` with what this state has learned or drawn in its place: alpha, beta, phi."""
    threaded: Callable[..., tuple[Any, Any]] | None = None
    """``step`` once more, for a chain on a CPU whose sweep uses threads of its own: it is not jitted, and gives up the
    state. Its draws are those of ``step``."""
    sharding: Sharding | None = None
    """How documents are shared out between devices; ``None``: they cannot be."""


class Online(NamedTuple):
    """An algorithm for documents that come and go: the state holds what is global, and no document's own numbers.

    It is shown mini-batches (``Data`` like any other, all with the same priors and vocabulary), in any order, each as
    often as one likes.
    """

    name: str
    """What it was registered by."""
    options: tuple[tuple[str, Hashable], ...]
    """As those of an ``Algorithm``."""
    init: Callable[[PRNGKeyArray, Priors], Any]
    """``(key, priors) -> State``."""
    update: Callable[..., tuple[Any, Any]]
    """``(key, state, batch) -> (State, Info)``: learn from some documents."""
    readout: Callable[[Any, Data], Sample]
    """``(state, data) -> Sample``: the topics learned so far, and the counts of these documents under them."""
    objective: Callable[[Counts, Data], float]
    """``(counts, data) -> number``, as that of an ``Algorithm``."""
