r"""Coherence: whether the most probable words of a topic occur together.

Every measure compares pairs of a topic's words by :math:`p(a)`, the share of documents (or of windows that slide over
them) that have a word, and :math:`p(a, b)`, the share that has both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64

from jaxlda.corpora.callers import warn
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import one_of, positive_int
from jaxlda.evaluation.quality.occurrences import Occurrences, in_documents, in_windows
from jaxlda.evaluation.quality.reading import Draw, TopicsRead, read, training_counts
from jaxlda.evaluation.quality.scores import TopicScores, scored

__all__ = ["EPSILON", "MEASURES", "coherence"]

EPSILON = 1e-12
"""Added to :math:`p(a, b)`, as gensim and tomotopy do."""
_NO_PAIR = "fewer than two of its words occur in the reference"


class WordPairs(NamedTuple):
    """What is known of the words of each topic."""

    joint: Float64[np.ndarray, "K n n"]
    """p(a, b), the epsilon added; whatever where a word is unknown."""
    single: Float64[np.ndarray, "K n"]
    known: Bool[np.ndarray, "K n"]


class Measure(NamedTuple):
    """A way to score the words of topics."""

    score: Callable[[WordPairs], Float64[np.ndarray, " K"]]
    window: int | None
    """Words in the sliding window; ``None``: documents are counted."""
    line: str


def coherence(
    model: Any,
    measure: str = "npmi",
    *,
    reference: Any = None,
    texts: Any = None,
    top_n: int = 10,
    window: int | None = None,
    epsilon: float | int = EPSILON,
    draws: bool = True,
) -> TopicScores:
    r"""Score the topics of a model by how often their most probable words occur together.

    With :math:`p_{ij} = p(w_i, w_j) + \epsilon` of the words :math:`w_1, w_2, \ldots` of a topic, the most probable
    first, measures are the means of

    - ``"u_mass"`` (Mimno et al. 2011): :math:`\log (p_{ij} / p(w_j))` over :math:`j < i`, in documents;
    - ``"npmi"``: :math:`\log \frac{p_{ij}}{p(w_i) p(w_j)} / -\log p_{ij}`, in documents;
    - ``"c_npmi"``: the same in windows of 10 words;
    - ``"c_uci"``: :math:`\log \frac{p_{ij}}{p(w_i) p(w_j)}`, in windows of 10 words;
    - ``"c_v"`` (Röder et al. 2015): the cosine of :math:`v_i` and :math:`\sum_j v_j`, where :math:`v_i` has the NPMI of
      word i with each word of the topic, in windows of 110 words.

    Higher is better. u_mass is at most 0, NPMI lies from -1 to 1. Counting documents takes no time; windows need the
    words in their order.

    The numbers are those of gensim's ``CoherenceModel`` and of tomotopy's ``Coherence``, except that

    - a window has a word until its last occurrence leaves. gensim (4.4) drops the word as soon as any occurrence does,
      tomotopy (0.14) a step earlier still, and it does not count documents that have none of the words. Of texts that
      are no longer than the window, or where no word comes twice, gensim agrees;
    - tomotopy adds the epsilon to :math:`p(w_i, w_j) / p(w_j)`, which matters for pairs that never occur together, and
      compares the words of a topic with those of all topics for ``"c_v"``;
    - words that the reference does not have are left out, with a warning: gensim scores their pairs 0 for u_mass, and
      fails or gives NaN for the others;
    - the NPMI of two words that occur everywhere is 1, its limit, not the -1 that an epsilon makes of it.

    Parameters
    ----------
    model
        A fitted model; or a pair ``(phi, vocab)``; or for each topic a list of words, the most probable first.
    measure
        A name of the list above.
    reference
        The corpus to count in: the training documents if not given, or others in any vocabulary. For
        windows, the model must have been fitted to a corpus that keeps the order of words.
    texts
        The same as lists of words in their order, for windows: ``[text.split() for text in ...]``. A corpus of
        ``Corpus.from_texts`` keeps the order of its words, and will do as reference.
    top_n
        How many words of each topic.
    window
        The size of the window, in words; that of the measure if not given.
    epsilon
        With ``1 / D``, u_mass is that of its authors but for their sum in the place of the mean.
    draws
        Whether to score every draw of every chain, too.

    Returns
    -------
    TopicScores
        A number for each topic, their ``mean`` and ``interval``, and a ``table``.

    Examples
    --------
    >>> from jaxlda import Corpus
    >>> corpus = Corpus.from_texts(["cat purr", "cat purr pet", "dog bark", "dog bark pet"])
    >>> coherence([["cat", "purr"], ["cat", "bark"]], "npmi", reference=corpus).values.round(3).tolist()
    [1.0, -0.95]
    >>> coherence([["cat", "purr"]], "c_v", texts=[["cat", "purr"], ["dog"]]).values.round(6).tolist()
    [1.0]
    """
    one_of(measure, "measure", MEASURES)
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon must be between 0 and 1; got {epsilon!r}")
    if positive_int(top_n, "top_n") < 2:
        raise ValueError("coherence is that of pairs of words: top_n must be 2 or more; got 1")
    kind = MEASURES[measure]
    if window is not None and kind.window is None:
        raise ValueError(f"{measure} counts documents, and has no window; c_npmi, c_uci and c_v have one")
    found = read(model, top_n)
    every = [found.own, *(found.draws() if draws else ())]
    words = np.unique(np.concatenate([draw.top[draw.top >= 0] for draw in every]))
    size = kind.window if window is None else positive_int(window, "window")
    counted = _counted(found, words, size, reference, texts)
    if reference is not None or texts is not None:
        _tell_unknown(found, words, counted)
    place = np.full(len(found.vocab) + 1, -1)
    place[words] = np.arange(words.size)

    def score(draw: Draw) -> tuple[np.ndarray, Mapping[int, str]]:
        pairs = _pairs(place[draw.top], counted, float(epsilon))
        short = np.flatnonzero(pairs.known.sum(axis=1) < 2)
        values = kind.score(pairs)
        values[short] = np.nan
        return values, dict.fromkeys(short.tolist(), _NO_PAIR)

    return scored(measure, found, score, draws)


def _counted(
    found: TopicsRead, words: Int64[np.ndarray, " T"], size: int | None, reference: Any, texts: Any
) -> Occurrences:
    """The occurrences of some words of the vocabulary."""
    if reference is not None and not isinstance(reference, Corpus):
        raise TypeError(
            f"the reference must be a Corpus; got a {type(reference).__name__}. Give lists of words as texts="
        )
    number = {str(word): t for t, word in enumerate(found.vocab[words].tolist())}
    if texts is not None:
        return in_windows(_lists(texts), number, size)
    if size is not None:
        own = reference is None and found.run is not None and found.order is not None
        return in_windows(found.texts() if own else _in_order(reference), number, size)
    if reference is None:
        if found.run is None:
            raise ValueError("these topics have no documents to count in: give a corpus as reference=")
        return in_documents(training_counts(found.run)[:, words])
    if not reference.num_words:
        raise ValueError("the reference has no words")
    column = {word: v for v, word in enumerate(reference.vocab.tolist())}
    target = np.array([column.get(word, -1) for word in number])
    return in_documents(reference.counts[:, np.maximum(target, 0)].multiply((target >= 0)[None]).tocsr())


def _lists(texts: Any) -> Iterator[Sequence[str]]:
    """Texts as lists of words."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise TypeError("texts must be the documents as lists of words, in their order")
    for text in texts:
        if isinstance(text, str):
            raise TypeError(
                "texts must be lists of words, in their order; to have strings read, give "
                "reference=Corpus.from_texts(texts)"
            )
        yield text if isinstance(text, Sequence) else list(text)


def _in_order(reference: Any) -> Iterator[Sequence[str]]:
    """The documents of a corpus that keeps the order of its words."""
    if getattr(getattr(reference, "written", None), "order", None) is None:
        raise ValueError(
            "a window slides over words in their order, which bags of words do not keep: give a corpus of texts as "
            "reference=, or the documents as texts=, lists of words; or take measure='npmi' or 'u_mass', which count "
            "documents"
        )
    return (reference.tokens_of(d) for d in range(reference.num_docs))


def _tell_unknown(found: TopicsRead, words: Int64[np.ndarray, " T"], counted: Occurrences) -> None:
    own = np.unique(found.own.top[found.own.top >= 0])
    missing = np.intersect1d(own, words[counted.single == 0])
    if missing.size:
        warn(
            f"{missing.size} of the {own.size} top words, such as {str(found.vocab[missing[0]])!r}, do not occur in "
            "the reference: pairs with them are left out"
        )


def _pairs(ids: Int64[np.ndarray, "K n"], counted: Occurrences, epsilon: float) -> WordPairs:
    some = np.maximum(ids, 0)
    single = counted.single[some]
    known = (ids >= 0) & (single > 0)
    total = max(counted.total, 1)
    joint = counted.together(some[:, :, None], some[:, None, :]) / total + epsilon
    return WordPairs(joint, np.where(known, single / total, 1.0), known)


# ---------------------------------------------------------------------------------------------------------- measures


def _both(pairs: WordPairs) -> Bool[np.ndarray, "K n n"]:
    return pairs.known[:, :, None] & pairs.known[:, None, :]


def _mean(values: Float64[np.ndarray, "K n n"], which: Bool[np.ndarray, "K n n"]) -> Float64[np.ndarray, " K"]:
    return np.where(which, values, 0.0).sum(axis=(1, 2)) / np.maximum(which.sum(axis=(1, 2)), 1)


def _apart(pairs: WordPairs) -> Bool[np.ndarray, "K n n"]:
    return _both(pairs) & ~np.eye(pairs.known.shape[1], dtype=bool)


def _pmi(pairs: WordPairs) -> Float64[np.ndarray, "K n n"]:
    return np.log(pairs.joint / (pairs.single[:, :, None] * pairs.single[:, None, :]))


def _npmi(pairs: WordPairs) -> Float64[np.ndarray, "K n n"]:
    everywhere = pairs.joint >= 1
    bits = -np.log(np.where(everywhere, 0.5, pairs.joint))
    return np.where(everywhere, 1.0, _pmi(pairs) / bits)


def _u_mass(pairs: WordPairs) -> Float64[np.ndarray, " K"]:
    after = np.tri(pairs.known.shape[1], k=-1, dtype=bool)
    return _mean(np.log(pairs.joint / pairs.single[:, None, :]), _both(pairs) & after)


def _mean_pmi(pairs: WordPairs) -> Float64[np.ndarray, " K"]:
    return _mean(_pmi(pairs), _apart(pairs))


def _mean_npmi(pairs: WordPairs) -> Float64[np.ndarray, " K"]:
    return _mean(_npmi(pairs), _apart(pairs))


def _c_v(pairs: WordPairs) -> Float64[np.ndarray, " K"]:
    vectors = np.where(_both(pairs), _npmi(pairs), 0.0)
    total = vectors.sum(axis=1)
    lengths = np.linalg.norm(vectors, axis=2) * np.linalg.norm(total, axis=1)[:, None]
    cosine = np.einsum("kij,kj->ki", vectors, total) / np.where(lengths > 0, lengths, 1.0)
    return np.where(pairs.known, cosine, 0.0).sum(axis=1) / np.maximum(pairs.known.sum(axis=1), 1)


MEASURES: dict[str, Measure] = {
    "u_mass": Measure(_u_mass, None, "how probable a word is where a more probable one is"),
    "npmi": Measure(_mean_npmi, None, "how much more often than by chance words share documents"),
    "c_npmi": Measure(_mean_npmi, 10, "the same in windows of 10 words"),
    "c_uci": Measure(_mean_pmi, 10, "the same, not normalised"),
    "c_v": Measure(_c_v, 110, "how alike the company is that words keep, in windows of 110"),
}
"""The measures of :func:`coherence` by name."""
