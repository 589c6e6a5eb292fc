r"""Phrases: neighbouring words that occur together far more often than chance has it, joined to one word.

Two words a, b that follow each other are a phrase by their pointwise mutual information, which is normalised to at most
1 (words that only occur together):

.. math:: \mathrm{pmi} = \log \frac{n_{ab} / N}{(n_a / N)(n_b / N)}, \qquad
    \mathrm{npmi} = \frac{\mathrm{pmi}}{-\log (n_{ab} / N)}

N tokens are counted. Stop words are never part of a phrase, and words on both sides of one are no neighbours.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from jaxlda.corpora.numbers import natural, one_of, positive_int

__all__ = ["JOIN", "Passes", "Phrase", "Rule", "as_passes", "as_rule", "find", "joined"]

JOIN = "_"
MEASURES = ("npmi", "pmi")
Passes = tuple[tuple[tuple[str, str], ...], ...]
"""Pairs of words to be joined, and those to be joined after them: pairs with phrases of the first pass in them."""


class Phrase(NamedTuple):
    """Two words that are a phrase."""

    phrase: str
    tokens: int
    """How often they are joined."""
    pmi: float
    npmi: float


class Rule(NamedTuple):
    """Which neighbours are a phrase."""

    min_count: int = 5
    """How often they must follow each other."""
    threshold: float = 0.4
    """What the measure must reach."""
    measure: str = "npmi"
    max_words: int = 2
    """Of one phrase."""


def as_rule(given: Any) -> Rule:
    """``True`` or a dict of what differs from the defaults, checked.

    >>> as_rule({"min_count": 3}).threshold
    0.4
    """
    if given is True:
        return Rule()
    if not isinstance(given, dict) or not set(given) <= set(Rule._fields):
        raise TypeError(
            f"phrases must be True, a list of phrases, or a dict with some of {', '.join(Rule._fields)}; "
            f"got {given!r:.60}"
        )
    rule = Rule(**given)
    positive_int(rule.min_count, "min_count of phrases")
    if natural(rule.max_words, "max_words of phrases") < 2:
        raise ValueError(f"max_words of phrases must be at least 2; got {rule.max_words}")
    one_of(rule.measure, "measure of phrases", MEASURES)
    return rule


def as_passes(phrases: Iterable[Any]) -> Passes:
    """Phrases as they are joined: of those that a corpus has learned, or of texts such as ``"new york"``.

    >>> as_passes(["new york city", "oil price"])
    ((('new', 'york'), ('oil', 'price')), (('new_york', 'city'),))
    """
    listed = list(phrases)
    if all(isinstance(one, str) for one in listed):
        passes: list[dict[tuple[str, str], None]] = []
        for words in (one.split() for one in listed):
            if len(words) < 2:
                raise ValueError(f"a phrase has at least two words; got {' '.join(words)!r}")
            for i in range(1, len(words)):
                if len(passes) < i:
                    passes.append({})
                passes[i - 1][JOIN.join(words[:i]), words[i]] = None
        return tuple(tuple(one) for one in passes)
    return tuple(tuple((str(a), str(b)) for a, b in one) for one in listed)


def find(
    documents: Sequence[Sequence[str]], rule: Rule, stop_words: Collection[str] = (), min_docs: float | int = 1
) -> tuple[Passes, list[Phrase]]:
    """The phrases of documents that are lists of words: as they are joined, and with their numbers.

    Phrases of fewer than ``min_docs`` documents are left as they are: joined, they would be left out as rare words, and
    their words with them.

    >>> texts = ["the new york mayor", "new york", "a new york cab", "new cab", "mayor"]
    >>> passes, table = find([text.split() for text in texts], Rule(min_count=3), {"the", "a"})
    >>> passes, table[0].phrase, table[0].tokens, round(table[0].npmi, 2)
    (((('new', 'york'),),), 'new_york', 3, 0.78)
    """
    passes: list[tuple[tuple[str, str], ...]] = []
    scores: dict[str, tuple[float, float]] = {}
    words = _frequencies(documents, stop_words)
    now: Sequence[Sequence[str]] = documents
    sizes: dict[str, int] = {}
    for _ in range(rule.max_words - 1):
        found = _scored(_pairs(now, stop_words, sizes, rule.max_words), words, rule)
        together = [joined(document, (found,)) for document in now]
        in_docs = Counter(word for document in together for word in set(document))
        chosen = {pair: score for pair, score in found.items() if in_docs[JOIN.join(pair)] >= min_docs}
        if not chosen:
            break
        now = together if len(chosen) == len(found) else [joined(document, (chosen,)) for document in now]
        passes.append(tuple(sorted(chosen)))
        scores |= {JOIN.join(pair): score for pair, score in chosen.items()}
        sizes |= {JOIN.join(pair): sizes.get(pair[0], 1) + sizes.get(pair[1], 1) for pair in chosen}
        words = _frequencies(now, stop_words)
    table = [Phrase(name, words[name], *scores[name]) for name in scores if words[name]]
    return tuple(passes), sorted(table, key=lambda one: (-one.tokens, one.phrase))


def _frequencies(documents: Sequence[Sequence[str]], stop_words: Collection[str]) -> Counter[str]:
    return Counter(word for document in documents for word in document if word not in stop_words)


def _scored(
    pairs: Counter[tuple[str, str]], words: Counter[str], rule: Rule
) -> dict[tuple[str, str], tuple[float, float]]:
    """PMI and NPMI of the pairs that are phrases by the rule."""
    N, found = words.total(), {}
    for (a, b), n in pairs.items():
        if n < rule.min_count:
            continue
        pmi = math.log(n * N / (words[a] * words[b]))
        npmi = min(pmi / max(-math.log(n / N), 1e-12), 1.0)
        if (npmi if rule.measure == "npmi" else pmi) >= rule.threshold:
            found[a, b] = pmi, npmi
    return found


def _pairs(
    documents: Sequence[Sequence[str]], stop_words: Collection[str], sizes: dict[str, int], longest: int
) -> Counter[tuple[str, str]]:
    """How often words follow each other that may be a phrase together."""
    pairs: Counter[tuple[str, str]] = Counter()
    for document in documents:
        pairs.update(pairwise(document))
    return Counter(
        {
            (a, b): n
            for (a, b), n in pairs.items()
            if a not in stop_words and b not in stop_words and a != b and sizes.get(a, 1) + sizes.get(b, 1) <= longest
        }
    )


def joined(words: Sequence[str], passes: Iterable[Collection[tuple[str, str]]]) -> list[str]:
    """A list of words in which the pairs are one word each, from left to right. Sets of pairs are searched quickly.

    >>> joined(["new", "york", "new"], [{("new", "york"), ("york", "new")}])
    ['new_york', 'new']
    """
    now = list(words)
    for pairs in passes:
        done, i, last = [], 0, len(now) - 1
        while i <= last:
            if i < last and (now[i], now[i + 1]) in pairs:
                done.append(now[i] + JOIN + now[i + 1])
                i += 2
            else:
                done.append(now[i])
                i += 1
        now = done
    return now
