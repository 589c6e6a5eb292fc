"""Dirichlet parameters: any accepted form becomes the checked float32 arrays of :class:`~jaxlda.types.Priors`."""

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from jaxlda.corpora.numbers import positive_int
from jaxlda.types import Priors

__all__ = ["labeled", "make", "seeded", "symmetric"]

# Compiled code may flush anything below to zero, and a prior of zero means "forbidden".
SMALLEST = float(np.finfo(np.float32).tiny)
MOST = 1 << 24  # topics: no memory holds the counts of more
LARGEST = 1e12  # products and sums of priors must stay finite in single precision


def symmetric(value: float | int, size: int) -> Float[Array, " size"]:
    """The parameter of a symmetric Dirichlet.

    Parameters
    ----------
    value
        The parameter of every component, greater than 0.
    size
        The number of components.

    Returns
    -------
    Array
        ``value``, ``size`` times, as float32.

    Examples
    --------
    >>> symmetric(0.5, 3).tolist()
    [0.5, 0.5, 0.5]
    """
    size = positive_int(size, "size")
    array = _float32(value, "the value of a symmetric prior")
    if array.ndim != 0:
        raise ValueError(f"a symmetric prior is one number; got an array of shape {array.shape}")
    if array < SMALLEST:
        raise ValueError(f"the value of a symmetric prior must be greater than 0; got {value!r}")
    return jnp.asarray(np.full(size, array))


def make(num_topics: int, D: int, V: int, alpha: Any = 0.1, beta: Any = 0.01, n_d: Any = None) -> Priors:
    r"""The priors of :math:`\theta_d \sim \mathrm{Dir}(\alpha_d)` and :math:`\phi_k \sim \mathrm{Dir}(\beta_k)`.

    Parameters
    ----------
    num_topics
        K, the number of topics.
    D, V
        The number of documents and of words.
    alpha
        A number, ``(K,)`` for asymmetric topics, or ``(D, K)`` for a prior of each document, where 0 forbids a topic.
    beta
        A number, ``(V,)`` for a prior of each word, or ``(K, V)`` for a prior of each topic (seed words).
        Always greater than 0.
    n_d
        The document lengths ``(D,)``, if known: a document without tokens may then forbid every topic.

    Returns
    -------
    Priors
        ``alpha`` as ``(K,)`` or ``(D, K)`` and ``beta`` as ``(V,)`` or ``(K, V)``, float32.

    Examples
    --------
    >>> made = make(2, D=3, V=4, alpha=[0.5, 1.0], beta=0.25)
    >>> made.alpha.tolist(), made.beta.tolist()
    ([0.5, 1.0], [0.25, 0.25, 0.25, 0.25])
    """
    K, D, V = positive_int(num_topics, "num_topics"), positive_int(D, "D"), positive_int(V, "V")
    if K > MOST:
        raise ValueError(f"num_topics must be at most {MOST:,}; got {K:,}")
    return Priors(*jax.device_put((_alpha(alpha, D, K, n_d), _beta(beta, K, V))))


def labeled(alpha: Any, labels: Any) -> Float[Array, "D K"]:
    r"""The prior of Labeled LDA (Eq. 5): a document may only use the topics of its own labels.

    .. math:: \alpha_{dk} = \alpha_k \text{ if document } d \text{ has label } k, \text{ else } 0

    Parameters
    ----------
    alpha
        A number, ``(K,)`` or ``(D, K)``.
    labels
        ``(D, K)`` indicators, dense or scipy sparse: topic ``k`` stands for label ``k``.

    Returns
    -------
    Array
        ``(D, K)`` float32. The row of a document without labels is zero everywhere.

    Examples
    --------
    >>> labeled([0.5, 2.0], [[True, False], [True, True]]).tolist()
    [[0.5, 0.0], [0.5, 2.0]]
    """
    mask = np.asarray(labels.toarray() if hasattr(labels, "toarray") else labels)
    if mask.ndim != 2:
        raise ValueError(f"labels must be a matrix of documents x labels; got shape {mask.shape}")
    if not np.isin(mask, (0, 1)).all():
        raise ValueError("labels must be indicators: True and False, or 1 and 0")
    D, K = mask.shape
    full = np.broadcast_to(_alpha(alpha, D, K, np.zeros(D)), (D, K))
    return jnp.asarray(np.where(mask.astype(bool), full, np.float32(0)))


def seeded(
    vocab: Any, seeds: Mapping[Any, Iterable[str]], num_topics: int, beta: float | int = 0.01, boost: float | int = 50.0
) -> Float[Array, "K V"]:
    r"""A prior of the topics' words that draws given words to given topics.

    .. math:: \beta_{kv} = \beta + \text{boost if word } v \text{ is a seed of topic } k, \text{ else } \beta

    as if each seed word had been seen ``boost`` times more in its topic. That pulls the words that occur together with
    the seeds along; what the corpus says otherwise, with more tokens, it can still say.

    Parameters
    ----------
    vocab
        The V words in the order of the columns, such as ``corpus.vocab``.
    seeds
        Of some topics, their words: ``{0: ["cat", "dog"], 3: ["tax"]}``. A word may be a seed of several topics.
    num_topics
        K. Topics without seeds are free.
    beta
        The prior of all other words.
    boost
        What seeds have in addition, in tokens. It has to stand out from the counts of the words: a few are not felt
        while topics form, and many more than a word has leave little room in phi for anything but the seeds.

    Returns
    -------
    Array
        ``(K, V)`` float32, for ``corpus.data(beta=...)`` or ``LDA(beta=...)``.

    Examples
    --------
    >>> seeded(["cat", "dog", "tax"], {1: ["tax"]}, num_topics=2, beta=0.5, boost=2).tolist()
    [[0.5, 0.5, 0.5], [0.5, 0.5, 2.5]]
    """
    words = [str(word) for word in np.asarray(vocab).tolist()]
    column = {word: v for v, word in enumerate(words)}
    K = positive_int(num_topics, "num_topics")
    extra = _float32(boost, "boost")
    if extra.ndim != 0 or extra <= 0:
        raise ValueError(f"boost must be one number greater than 0; got {boost!r}")
    prior = np.tile(np.asarray(symmetric(beta, len(words))), (K, 1))
    for topic, chosen in seeds.items():
        k = _topic(topic, K)
        if isinstance(chosen, str):
            raise TypeError(f"the seeds of topic {k} must be a list of words; got the string {chosen!r}")
        chosen = {str(word) for word in chosen}
        if missing := sorted(chosen - column.keys()):
            raise ValueError(
                f"{len(missing)} seed word(s) of topic {k} are not in the vocabulary: {', '.join(map(repr, missing))}"
            )
        prior[k, [column[word] for word in sorted(chosen)]] += extra
    return jnp.asarray(prior)


def _topic(topic: Any, K: int) -> int:
    try:
        k = operator.index(topic)
    except TypeError:
        raise TypeError(f"seeds are given by the number of their topic; got {topic!r}") from None
    if isinstance(topic, bool) or not 0 <= k < K:
        raise ValueError(f"there is no topic {topic!r} to seed: topics are 0 to {K - 1}")
    return k


def _float32(value: Any, name: str) -> np.ndarray:
    """A fresh float32 copy (so that no JAX array shares memory with the caller), finite throughout."""
    try:
        if value is None:  # which NumPy reads as NaN
            raise TypeError
        with np.errstate(over="ignore"):  # what overflows is reported below as not finite
            array = np.array(value, dtype=np.float32)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or an array of numbers; got {value!r}") from None
    _refuse(~np.isfinite(array), array, f"{name} must be finite in single precision")
    return array


def _refuse(bad: np.ndarray | np.bool_, array: np.ndarray, message: str) -> None:
    """Raise ``message`` with the place and the value of the first bad entry, if there is one."""
    if bad.any():
        place = np.unravel_index(int(np.argmax(bad)), bad.shape)
        where = f" at index [{', '.join(str(int(i)) for i in place)}]" if place else ""
        raise ValueError(f"{message}; got {array[place]}{where}")


def _shaped(array: np.ndarray, name: str, vector: tuple[str, int], rows: tuple[str, int]) -> np.ndarray:
    (inner, columns), (outer, height) = vector, rows
    if array.ndim == 0:
        return np.full((columns,), array)
    if array.shape not in ((columns,), (height, columns)):
        raise ValueError(
            f"{name} has shape {array.shape}; expected a number, ({inner},) = ({columns},) "
            f"or ({outer}, {inner}) = ({height}, {columns})"
        )
    return array


def _alpha(alpha: Any, D: int, K: int, n_d: Any) -> np.ndarray:
    array = _float32(alpha, "alpha")
    _refuse(array < 0, array, "alpha must not be negative")
    _refuse((array > 0) & (array < SMALLEST), array, f"alpha must be 0 or at least {SMALLEST:.1e} (single precision)")
    _refuse(array > LARGEST, array, f"alpha must be at most {LARGEST:.0e} (single precision)")
    array = _shaped(array, "alpha", ("K", K), ("D", D))
    if array.ndim == 1:
        if not array.all():
            raise ValueError(
                f"alpha is 0 for topic {int(np.argmin(array > 0))} in every document, which no token could ever have; "
                "ask for fewer topics, or forbid it in single documents with an alpha of shape (D, K)"
            )
        return array
    stuck = ~array.any(axis=1) & (np.ones(D, bool) if n_d is None else np.asarray(n_d) > 0)
    if stuck.any():
        raise ValueError(
            f"alpha is 0 for every topic in {int(stuck.sum())} document(s) with tokens, the first being document "
            f"{int(np.argmax(stuck))}: no topic is left for their tokens (a document without labels?). Make an entry "
            "of the row positive, or leave the documents out with Corpus.subset"
        )
    return array


def _beta(beta: Any, K: int, V: int) -> np.ndarray:
    array = _float32(beta, "beta")
    _refuse(
        array < SMALLEST,
        array,
        f"beta must be positive, at least {SMALLEST:.1e}: with a zero, a word no topic holds yet is impossible "
        "under every topic",
    )
    _refuse(array > LARGEST, array, f"beta must be at most {LARGEST:.0e} (single precision)")
    return _shaped(array, "beta", ("V", V), ("K", K))


def number_of_topics(num_topics: int | None, alpha: Any, beta: Any, phi: Any) -> int:
    """K, on which all given arguments must agree."""
    said = {"num_topics": num_topics, "alpha": None, "beta": None, "phi": None}
    if np.ndim(alpha) in (1, 2):
        said["alpha"] = np.shape(alpha)[-1]
    for name, array in (("beta", beta), ("phi", phi)):
        if np.ndim(array) == 2:
            said[name] = np.shape(array)[0]
    known = {name: K for name, K in said.items() if K is not None}
    if not known:
        raise ValueError("the number of topics is not known: give num_topics, or phi, or priors")
    if len(set(known.values())) > 1:
        raise ValueError(
            "these disagree about the number of topics: " + ", ".join(f"{name} says {K}" for name, K in known.items())
        )
    return next(iter(known.values()))
