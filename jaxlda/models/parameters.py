"""The parameters of all models, each declared once: for constructors, documentation, the command line, the dashboard.

Nothing heavy is imported here, so that a command line can be parsed without waiting for JAX.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from jaxlda.corpora.callers import warn
from jaxlda.corpora.numbers import one_of

__all__ = [
    "DEPENDENCY_LDA",
    "INFERENCE",
    "LABELED_LDA",
    "LDA",
    "PLDA",
    "PRIOR_LDA",
    "Parameter",
    "checked_choice",
    "constructor",
    "described",
    "estimator_named",
    "learned",
    "renamed",
]


class Parameter(NamedTuple):
    """A parameter of a model."""

    name: str
    default: Any
    doc: str
    kind: str = "any"
    """``"positive"`` (whole, at least 1), ``"natural"`` (at least 0), ``"prior"``, ``"number"``, ``"flag"``, ..."""
    choices: tuple[Any, ...] = ()
    """All values, where there are few."""
    harmless: bool = False
    """Whether the chains are the same whatever it is."""
    positional: bool = False

    @property
    def line(self) -> str:
        """The first sentence of the description."""
        return self.doc.partition(". ")[0].removesuffix(".")

    @property
    def type(self) -> str:
        """The accepted values, in words."""
        return " or ".join(map(repr, self.choices)) if self.choices else TYPES.get(self.kind, self.kind)


TYPES = {
    "positive": "int",
    "natural": "int",
    "prior": "float or array",
    "number": "float",
    "flag": "bool",
    "path": "str or path, optional",
    "seed": "int or None",
    "any": "object",
}

NUM_TOPICS = Parameter("num_topics", 50, "The number of topics, K.", "positive", positional=True)
KERNEL = Parameter(
    "kernel",
    "cgs",
    'The algorithm, such as cgs, cvb0 or vb. A name of ``jaxlda.kernels.KERNELS`` (``"cgs"``: exact collapsed Gibbs '
    'sampling; ``"pcgs"``: the same in parallel; ``"warp"``: for many topics; ``"cvb0"``; ``"vb"``: variational '
    'Bayes), an algorithm, or ``"auto"``: what ``jaxlda.kernels.choose`` finds best for the documents and the machine.',
    "str or Algorithm",
)
ALPHA = Parameter(
    "alpha",
    0.1,
    "The prior of the topics of a document, theta. A number, ``(K,)``, or ``(D, K)``; 0 forbids a topic.",
    "prior",
)
BETA = Parameter("beta", 0.01, "The prior of the words of a topic, phi. A number, ``(V,)`` or ``(K, V)``.", "prior")
SEED_WORDS = Parameter(
    "seed_words",
    None,
    'Words that draw topics to them, by name: ``{"sport": ["goal", "team"], "oil": ["crude"]}``. The first topics have '
    "these names and, in beta, 50 tokens of each of these words more than of others (``jaxlda.priors.seeded`` with "
    "another number); the rest are free.",
    "dict, optional",
)
LEARN_ALPHA = Parameter(
    "learn_alpha",
    None,
    "Learn alpha while sampling. Starting from the one given, one value for all topics, or one for each. Each chain "
    "learns its own, ``alpha_``. More choices, such as when: a kernel wrapped by ``jaxlda.kernels.learn_alpha``.",
    choices=(None, "symmetric", "asymmetric"),
)
COVARIATES = Parameter(
    "covariates",
    None,
    'Columns of the metadata that alpha depends on, such as ``["year", "party"]``. Each document has its own alpha '
    "then, the given one times exp(x λ), with effects λ that are learned while sampling: see ``effects()`` and "
    "``jaxlda.kernels.learn_effects`` (Dirichlet-multinomial regression).",
    "list of str, optional",
)
LEARN_BETA = Parameter(
    "learn_beta",
    None,
    "Learn beta while sampling. One value for all words and topics, ``beta_``.",
    choices=(None, "symmetric"),
)
NUM_WARMUP = Parameter("num_warmup", 200, "Burn-in, in sweeps.", "natural")
NUM_SAMPLES = Parameter("num_samples", 30, "Draws kept of each chain.", "positive")
THINNING = Parameter("thinning", 5, "The lag: sweeps from one draw to the next.", "positive")
NUM_CHAINS = Parameter("num_chains", 4, "Independent chains, run side by side.", "positive")
SEED = Parameter(
    "seed",
    0,
    "The seed of all random numbers. The same seed gives the same z, and with the same ``chain_method`` the same "
    "floats, bit for bit. ``None`` draws one, ``seed_``.",
    "seed",
)
ESTIMATOR = Parameter(
    "estimator",
    "cgs_p",
    "``phi_`` and ``theta_`` from transition probabilities (CGSₚ, Eqs. 40 and 41) or from counts (Eqs. 2 and 3). The "
    "same for kernels whose counts are soft already, as CVB0's.",
    choices=("cgs_p", "cgs"),
    harmless=True,
)
COMPUTING = (
    Parameter(
        "chain_method",
        None,
        'Where chains run: ``"parallel"``, ``"sequential"`` or ``"vectorized"``; or ``"sharded"``, where devices share '
        "the documents. See ``jaxlda.running.placement``. z does not depend on it.",
        "str, optional",
        harmless=True,
    ),
    Parameter(
        "trace_every",
        20,
        "Sweeps between notes of the log joint in ``run_.trace``. Every fourth time the log-likelihood is noted, too, "
        "which takes longer; 0: never.",
        "natural",
        harmless=True,
    ),
    Parameter(
        "gap_every",
        0,
        "Sweeps from one note of the gap between hard and soft counts (Eq. 60) to the next; draws are always compared.",
        "natural",
        harmless=True,
    ),
    Parameter(
        "keep",
        "auto",
        "Arrays of every draw to keep in ``run_`` (names of ``jaxlda.running.results.KEEP``), for ``to_arviz`` and "
        "``diagnostics``. By default what these use, as far as it fits into 64 MB for all draws and chains: topic "
        "sizes, the likeness of a few documents, the log-likelihood of every document, phi and theta.",
        "'auto' or names",
        harmless=True,
    ),
    Parameter("progress", True, "Show a progress bar while fitting.", "flag", harmless=True),
    Parameter(
        "checkpoint",
        None,
        "A file to save the model in while it is fitted. If it exists, ``fit`` goes on from there, "
        "with the same result as if it had never stopped; ``num_samples`` may be larger by then. A file that was made "
        "with other documents or parameters is an error.",
        "path",
        harmless=True,
    ),
    Parameter(
        "checkpoint_every",
        60.0,
        "Seconds from one checkpoint to the next; more where writing would take over 2 % of the time.",
        "number",
        harmless=True,
    ),
)
RANK_BY = Parameter(
    "rank_by",
    "soft_counts",
    "The score that ranks the labels of new documents: the tokens that went to each, from transition probabilities "
    "or as they were drawn, or theta of the same counts, which adds the prior (Eqs. 33 and 3). Kernels whose counts "
    "are soft already, like CVB0's, have one of each.",
    choices=("soft_counts", "hard_counts", "theta_p", "theta"),
    harmless=True,
)
COUNT = Parameter(
    "count",
    "metalabeler",
    "How many labels a new document gets: as many as a ``MetaLabeler`` predicts from its words, the same number for "
    "all, or (a float from 0 to 1) all labels whose share in the ranking reaches it. Not used where every training "
    "document has one label (``y`` with one dimension): then so has every new one.",
    "'metalabeler', int or float",
    harmless=True,
)
UNLABELED = Parameter(
    "unlabeled",
    "error",
    "What to do about training documents with words but no labels: refuse, or leave their words out.",
    choices=("error", "skip"),
)
FREQUENCY_MASS = Parameter(
    "frequency_mass",
    50.0,
    "The part of the prior of new documents that is spread by the frequency of labels: 50 in Eq. 59.",
    "number",
    harmless=True,
)
UNIFORM_MASS = Parameter("uniform_mass", 30.0, "The part that is spread evenly: 30 in Eq. 59.", "number", harmless=True)

SAMPLING = (NUM_WARMUP, NUM_SAMPLES, THINNING, NUM_CHAINS, SEED, ESTIMATOR, *COMPUTING)


def _with_defaults(parameters: Iterable[Parameter], **defaults: Any) -> tuple[Parameter, ...]:
    """The same parameters, some with another default."""
    return tuple(one._replace(default=defaults.get(one.name, one.default)) for one in parameters)


LDA = (NUM_TOPICS, KERNEL, ALPHA, BETA, SEED_WORDS, LEARN_ALPHA, COVARIATES, LEARN_BETA, *SAMPLING)
LABELED_LDA = (
    KERNEL,
    ALPHA._replace(
        default=None,
        doc="The prior of the topics of a training document. A number or ``(K,)``; 50 / K if not given (Eq. 58).",
    ),
    BETA._replace(default=0.1),
    RANK_BY,
    COUNT,
    UNLABELED,
    *_with_defaults(SAMPLING, num_warmup=50, num_chains=5),  # those of the paper
)
PRIOR_LDA = (FREQUENCY_MASS, UNIFORM_MASS, *LABELED_LDA)
DEPENDENCY_LDA = (
    Parameter("label_topics", 20, "Topics of the model of labels.", "positive"),
    Parameter(
        "rounds", 2, "How often the prior of new documents is renewed; 0 makes it Prior-LDA.", "natural", harmless=True
    ),
    *PRIOR_LDA,
)
PLDA = (
    Parameter("topics_per_label", 2, "Topics of each label.", "positive"),
    Parameter("background_topics", 1, "Topics shared by all documents; may be 0.", "natural"),
    *_with_defaults(LABELED_LDA, num_warmup=200, num_chains=4),
)

INFERENCE = {"num_warmup": 50, "num_samples": 30, "thinning": 5, "num_chains": 5}
"""How long new documents are sampled by default."""
SKLEARN = {"n_components": "num_topics", "random_state": "seed"}
"""Names of scikit-learn, and ours."""
HINTS = {
    "n_jobs": "chains run on all cores by themselves; chain_method='sequential' uses one",
    "max_iter": "give num_warmup, num_samples and thinning",
    "doc_topic_prior": "give alpha",
    "topic_word_prior": "give beta",
    "n_components": "this model has a topic for each label",
}


def renamed(names: Iterable[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with scikit-learn's names replaced by ours; for those we do not have, an error with a hint.

    >>> renamed(["num_topics", "seed"], {"n_components": 5})
    {'num_topics': 5}
    """
    names, found = set(names), dict(given)
    for theirs in [name for name in given if name not in names]:
        ours = SKLEARN.get(theirs)
        if ours in names:
            if ours in given:
                raise TypeError(f"{theirs} and {ours} are the same parameter: give one of them")
            found[ours] = found.pop(theirs)
        elif theirs in HINTS:
            raise TypeError(f"there is no parameter {theirs}: {HINTS[theirs]}")
    return found


def constructor(parameters: Iterable[Parameter]) -> Callable[..., None]:
    """An ``__init__`` that takes these parameters and keeps them as they are, as scikit-learn asks.

    >>> inspect.signature(constructor([NUM_TOPICS, SEED]))
    <Signature (self, num_topics=50, *, seed=0)>
    """
    both = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    arguments = [inspect.Parameter("self", both[0])]
    arguments += [inspect.Parameter(one.name, both[not one.positional], default=one.default) for one in parameters]
    signature = inspect.Signature(arguments)
    names = list(signature.parameters)[1:]

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        found = renamed(names, given)
        for name in found:
            if name not in names and (like := get_close_matches(name, names, n=1)):
                raise TypeError(f"got an unexpected keyword argument {name!r}: did you mean {like[0]!r}?")
        bound = signature.bind(self, *args, **found)
        bound.apply_defaults()
        for name in names:
            setattr(self, name, bound.arguments[name])

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def described(docstring: str, parameters: Iterable[Parameter]) -> str:
    """A docstring with the section of parameters in the place of the line ``{parameters}``."""
    lines = ["Parameters", "----------"]
    for one in parameters:
        lines += [
            f"{one.name} : {one.type}",
            *textwrap.wrap(one.doc, 110, initial_indent=" " * 4, subsequent_indent=" " * 4),
        ]
    return inspect.cleandoc(docstring).replace("{parameters}", "\n".join(lines))


def checked_choice(parameter: Parameter, value: Any) -> Any:
    """The value, if it is among the choices.

    >>> checked_choice(ESTIMATOR, "map")
    Traceback (most recent call last):
    ...
    ValueError: estimator must be 'cgs_p' or 'cgs'; got 'map'
    """
    return one_of(value, parameter.name, parameter.choices)


def learned(parameter: Parameter, value: Any) -> str | None:
    """How a prior is learned; True and False are understood for one more release."""
    if isinstance(value, bool):
        meant = parameter.choices[-1] if value else None
        warn(f"{parameter.name}={value} is deprecated: say {parameter.name}={meant!r}", DeprecationWarning)
        return meant
    return checked_choice(parameter, value)


def estimator_named(value: Any) -> str:
    """``"cgs_p"`` or ``"cgs"``; the names of theta are understood for one more release."""
    if isinstance(value, str) and value in ("theta_p", "theta"):
        meant = "cgs_p" if value == "theta_p" else "cgs"
        warn(f"estimator={value!r} is deprecated: say estimator={meant!r}", DeprecationWarning)
        return meant
    return checked_choice(ESTIMATOR, value)
