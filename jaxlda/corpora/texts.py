"""Texts into words and counts: scikit-learn's ``CountVectorizer``, which keeps in addition what it throws away."""

import re
import warnings
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from jaxlda.corpora import phrases as phrasing
from jaxlda.corpora import stop_words as stopping
from jaxlda.corpora.callers import warn
from jaxlda.corpora.inputs import as_text_options, as_texts
from jaxlda.corpora.strings import as_array
from jaxlda.corpora.tokenizing import not_cut, resolved
from jaxlda.corpora.written import Removed, Written, small

__all__ = ["Read", "as_stop_words", "read"]

_COUNTING = ("min_df", "max_df", "max_features", "vocabulary", "binary", "input", "encoding", "decode_error")
_EMPTY = ("empty vocabulary", "no terms remain", "max_df corresponds")


class Read(NamedTuple):
    """Texts as counts of words, with how they were read and what was kept of them."""

    counts: sparse.csr_array
    vocab: np.ndarray
    options: dict[str, Any]
    """By which others are read alike."""
    written: Written


def read(texts: Any, options: Mapping[str, Any], *, order: bool = True, keep: bool = True, empty: bool = False) -> Read:
    """Count the words of texts; ``Corpus.from_texts`` describes the options.

    >>> found = read(["a dog and a cat"], {"stop_words": "english"})
    >>> found.vocab.tolist(), found.written.removed[0].tokens
    (['cat', 'dog'], 1)
    """
    from sklearn.feature_extraction.text import CountVectorizer

    options = dict(options)
    _check_names(options)
    documents, missing = as_texts(texts, options)
    recorder = _Recorder(options, order=order, keep=keep)
    chosen: Iterable[Any] = documents
    if isinstance(recorder.phrases, phrasing.Rule):
        chosen = recorder.learned(documents, options)
    counting = {name: options[name] for name in _COUNTING if name in options}
    if chosen is not documents:
        counting.pop("input", None)
    vectorizer = CountVectorizer(**counting, analyzer=recorder, dtype=np.int64)  # no dtype in which counts overflow
    try:
        counts = vectorizer.fit_transform(chosen)
        vocab = as_array(vectorizer.get_feature_names_out())
    except ValueError as error:
        if not any(sign in str(error) for sign in _EMPTY):
            raise
        counts, vocab = sparse.csr_array((len(documents), 0), dtype=np.int64), np.array([], str)
    if counts.nnz == 0 and not empty:
        told = ", ".join(f"{name} is {value!r:.60}" for name, value in options.items() if name != "phrases")
        raise ValueError(
            f"no words are left in the {len(documents)} text(s): every word was dropped. Relax the options "
            f"({told or 'now the defaults'}): a smaller min_df, a larger max_df, fewer stop_words, a token_pattern "
            "such as 'words' that also takes words of one letter, or a vocabulary that occurs in the texts"
        )
    plain = not options.keys() & {"token_pattern", "tokenizer", "analyzer", "vocabulary"}
    if plain and (warning := not_cut(vocab.tolist())):
        warn(warning)
    written = recorder.written(vocab, len(documents), options, missing)
    stored = as_text_options(options)
    if recorder.phrases is not None:
        stored["phrases"] = recorder.phrases
    return Read(sparse.csr_array(counts), vocab, stored, written)


def _check_names(options: Mapping[str, Any]) -> None:
    """Refuse an option that there is not, and say which was meant."""
    from sklearn.feature_extraction.text import CountVectorizer

    known = [*CountVectorizer().get_params(), "phrases"]
    for name in options:
        if name not in known:
            like = get_close_matches(str(name), known, n=1)
            told = f"did you mean {like[0]!r}?" if like else f"there are {', '.join(known)}"
            raise TypeError(f"texts are read without an option {name!r}; {told}")


def as_stop_words(options: Mapping[str, Any]) -> frozenset[str]:
    """The stop words of options: of a language by its name, or as they are listed.

    Those of a language are taken apart as texts are: of "aujourd'hui" both halves are stop words.
    """
    given = options.get("stop_words")
    if given is None:
        return frozenset()
    if not isinstance(given, str):
        return frozenset(given)
    words = stopping.stop_words(given)
    if given == "english":  # scikit-learn's, as it is
        return words
    return words.union(*map(_analyzer({**options, "stop_words": None}), words))


def _analyzer(options: Mapping[str, Any]) -> Callable[[Any], list[str]]:
    """What makes words of a text; options that make no sense are refused as scikit-learn does, or warned of."""
    from sklearn.feature_extraction.text import CountVectorizer

    known = {name: value for name, value in resolved(options).items() if name not in _COUNTING and name != "phrases"}
    decoding = {name: options[name] for name in ("encoding", "decode_error") if name in options}
    vectorizer = CountVectorizer(**(known | decoding | {"dtype": np.int64, "vocabulary": ["a"]}))
    with warnings.catch_warnings():
        if vectorizer.tokenizer is not None and options.get("token_pattern") is not None:
            warnings.filterwarnings("ignore", message="The parameter 'token_pattern' will not be used")
        try:
            vectorizer.fit([])
            return vectorizer.build_analyzer()
        except re.error as error:
            pattern = options.get("token_pattern")
            raise ValueError(f"token_pattern {pattern!r} is not a regular expression: {error}") from None


class _Recorder:
    """An analyzer that remembers what it was given, and the words it made of it."""

    def __init__(self, options: dict[str, Any], *, order: bool, keep: bool):
        plain = options.get("analyzer", "word") == "word" and tuple(options.get("ngram_range", (1, 1))) == (1, 1)
        given = options.get("phrases")
        self.phrases: Any = None
        if given is not None and given is not False:
            if not plain:
                raise ValueError("phrases are of words: they need analyzer='word' and ngram_range=(1, 1)")
            rule = given is True or isinstance(given, Mapping)
            self.phrases = phrasing.as_rule(given) if rule else phrasing.as_passes(given)
        self.pairs = [] if isinstance(self.phrases, phrasing.Rule) else [frozenset(one) for one in self.phrases or ()]
        self.stop: Collection[str] = as_stop_words(options)
        named = isinstance(options.get("stop_words"), str) and options["stop_words"] != "english"
        listed = (
            {**options, "stop_words": sorted(self.stop)}
            if named or isinstance(options.get("stop_words"), Set)
            else options
        )
        self.analyze = _analyzer(listed)
        if plain and self.stop:  # left out here, where they are counted, and part words that are no neighbours
            self.analyze = _analyzer({**options, "stop_words": None})
        else:
            self.stop = ()
        low, high = options.get("ngram_range", (1, 1))
        self.ordered = order and not options.get("binary", False) and (low == high or callable(options.get("analyzer")))
        self.keep = keep
        self.texts: list[str] = []
        self.codes: dict[str, int] = {}
        self.tokens, self.sizes = array("i"), array("q")
        self.stopped: Counter[str] = Counter()
        self.table: list[phrasing.Phrase] = []

    def learned(self, documents: Iterable[Any], options: Mapping[str, Any]) -> list["_Words"]:
        """Find the phrases of documents, and give these as words."""
        from sklearn.feature_extraction.text import CountVectorizer

        decoding = {name: options[name] for name in ("input", "encoding", "decode_error") if name in options}
        decode = CountVectorizer(**decoding).decode
        texts = [decode(document) for document in documents]
        words = [_Words(self._cut(text), text) for text in texts]
        least = _limit(options.get("min_df", 1), len(words))
        self.phrases, self.table = phrasing.find([one.words for one in words], self.phrases, self.stop, least)
        self.pairs = [frozenset(one) for one in self.phrases]
        return words

    def __call__(self, document: Any) -> list[str]:
        words = document.words if isinstance(document, _Words) else self._cut(document)
        text = document.text if isinstance(document, _Words) else document
        if self.keep and isinstance(text, str):
            self.texts.append(text)
        if self.pairs:
            words = phrasing.joined(words, self.pairs)
        if self.stop:
            self.stopped.update(word for word in words if word in self.stop)
            words = [word for word in words if word not in self.stop]
        codes = self.codes
        self.tokens.extend(codes.setdefault(word, len(codes)) for word in words)
        self.sizes.append(len(words))
        return words

    def _cut(self, document: Any) -> list[str]:
        """The words of a document."""
        words = self.analyze(document)
        if isinstance(words, str) or not isinstance(words, Iterable):
            raise TypeError(
                f"a tokenizer or analyzer must give a list of words; it gave {words!r:.60} for {document!r:.60}"
            )
        words = list(words)
        for word in words:
            if not isinstance(word, str):
                raise TypeError(
                    f"words must be strings; the tokenizer or analyzer gave {word!r:.60} for {document!r:.60}"
                )
        return words

    def written(self, vocab: np.ndarray, num_docs: int, options: Mapping[str, Any], missing: int) -> Written:
        """What a corpus keeps of the texts."""
        column = {word: v for v, word in enumerate(vocab.tolist())}
        target = np.array([column.get(word, -1) for word in self.codes], np.int32)
        tokens = np.frombuffer(self.tokens, np.int32) if self.tokens else np.empty(0, np.int32)
        order = target[tokens]
        removed = self._stop_words() + self._dropped(tokens, target, num_docs, options)
        return Written(
            small(order[order >= 0], len(vocab)) if self.ordered else None,
            tuple(self.texts) if self.keep and len(self.texts) == num_docs else None,
            removed,
            missing,
            tuple(self.table),
        )

    def _stop_words(self) -> tuple[Removed, ...]:
        if not self.stopped:
            return ()
        top = tuple(word for word, _ in self.stopped.most_common(5))
        return (Removed("stop words", len(self.stopped), self.stopped.total(), top),)

    def _dropped(
        self, tokens: np.ndarray, target: np.ndarray, num_docs: int, options: Mapping[str, Any]
    ) -> tuple[Removed, ...]:
        """Words that the vectorizer left out, by reason."""
        out = target < 0
        if not out.any():
            return ()
        names = np.array(list(self.codes), object)
        d = np.repeat(np.arange(len(self.sizes)), np.frombuffer(self.sizes, np.int64))
        lost = out[tokens]
        n = np.bincount(tokens[lost], minlength=len(names))
        pairs = np.unique(tokens[lost].astype(np.int64) * len(self.sizes) + d[lost])
        df = np.bincount(pairs // len(self.sizes), minlength=len(names))
        if options.get("vocabulary") is not None:
            reasons = {"not in the vocabulary": out}
        else:
            low, high = (
                _limit(options.get(name, default), num_docs) for name, default in (("min_df", 1), ("max_df", 1.0))
            )
            rare, common = out & (df < low), out & (df > high)
            reasons = {f"in fewer than {low:g} texts": rare, f"in more than {high:g} texts": common}
            reasons[f"beyond the {options.get('max_features')} most frequent"] = out & ~rare & ~common
        most = np.argsort(-n, kind="stable")
        return tuple(
            Removed(reason, int(these.sum()), int(n[these].sum()), tuple(names[most[these[most]][:5]]))
            for reason, these in reasons.items()
            if these.any()
        )


class _Words(NamedTuple):
    """A document that was cut into words already."""

    words: list[str]
    text: Any


def _limit(value: Any, num_docs: int) -> float:
    return float(value * num_docs if isinstance(value, float) else value)
