"""What a corpus keeps of the texts it was read from: the order of their words, the texts, and what was left out."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxlda.corpora.phrases import Phrase

__all__ = ["Removed", "Written", "joined", "packed", "small", "token_columns", "unpacked"]


class Removed(NamedTuple):
    """Words that were left out, and why."""

    reason: str
    words: int
    """How many different ones."""
    tokens: int
    examples: tuple[str, ...]
    """The most frequent of them."""


class Written(NamedTuple):
    """Documents as they were written. ``order`` takes 2 bytes per token up to 65,536 words, and 4 beyond."""

    order: np.ndarray | None = None
    """The word of every token ``(N,)`` as they follow each other, document after document."""
    texts: tuple[str, ...] | None = None
    """The D texts; the caller's own strings, not copies."""
    removed: tuple[Removed, ...] = ()
    missing: int = 0
    """How many texts were missing, and became empty documents."""
    phrases: tuple[Phrase, ...] = ()
    """Words that were joined."""

    def rows(self, index: np.ndarray, n_d: np.ndarray) -> "Written":
        """What is kept of these documents only; what was left out of them alone is not known."""
        order = None
        if self.order is not None:
            starts = np.concatenate([[0], np.cumsum(n_d, dtype=np.int64)])
            size = n_d[index].astype(np.int64)
            first = np.repeat(starts[index] - (np.cumsum(size) - size), size)
            order = self.order[first + np.arange(int(size.sum()))]
        texts = None if self.texts is None else tuple(self.texts[d] for d in index)
        return Written(order, texts, phrases=self.phrases)

    def aligned(self, d: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Words, and the values ``z`` of tokens in the order of ``Corpus.tokens()``, as the tokens were written.

        Which of a document's equal words has which value is arbitrary: they keep their order. ``d`` are the documents.
        """
        if self.order is None:
            raise ValueError("the order of the tokens was not kept")
        words = self.order.astype(np.int64)
        by_word = np.lexsort((words, d))
        return words, z[np.argsort(by_word, kind="stable")]

    def columns(self, target: np.ndarray, num_words: int) -> "Written":
        """The same in another vocabulary: ``target`` has the new number of each word, -1 where it is left out."""
        if self.order is None:
            return self
        order = target[self.order]
        return self._replace(order=small(order[order >= 0], num_words))


def small(order: np.ndarray, num_words: int) -> np.ndarray:
    """Numbers of words in the smallest type that holds them, so that one content has one form."""
    return order.astype(np.uint16 if num_words <= 1 << 16 else np.int32)


def joined(corpora: Sequence[Any], vocab: np.ndarray) -> Written | None:
    """What is kept of corpora one after another, in their common vocabulary; order and texts only if all have them."""
    parts = [one.written for one in corpora]
    if any(part is None for part in parts):
        return None
    column = {word: v for v, word in enumerate(vocab.tolist())}
    order = texts = None
    if all(part.order is not None for part in parts):
        orders = [
            np.array([column[word] for word in one.vocab.tolist()], np.int32)[one.written.order] for one in corpora
        ]
        order = small(np.concatenate(orders), len(vocab))
    if all(part.texts is not None for part in parts):
        texts = tuple(text for part in parts for text in part.texts)
    return Written(order, texts, missing=sum(part.missing for part in parts))


def token_columns(corpus: Any, z: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Document, position in it, word and topic of every token, in the order of the texts if the corpus knows it.

    ``z`` are the topics in the order of ``Corpus.tokens()``.
    """
    n_d = corpus.n_d
    d = np.repeat(np.arange(corpus.num_docs), n_d)
    w = np.repeat(corpus.counts.indices, corpus.counts.data)
    z = np.asarray(z)[: len(w)]
    if corpus.written is not None and corpus.written.order is not None:
        w, z = corpus.written.aligned(d, z)
    return d, np.arange(len(w)) - np.repeat(np.cumsum(n_d, dtype=np.int64) - n_d, n_d), w, z


def packed(written: Written | None) -> dict[str, Any] | None:
    """Order and texts as arrays of numbers, for files: the texts as UTF-8, one after another, and where they end.

    >>> packed(Written(texts=("a", "é")))["ends"]
    array([1, 3])
    """
    if written is None or (written.order is None and written.texts is None):
        return None
    found: dict[str, Any] = {} if written.order is None else {"order": written.order}
    if written.texts is not None:
        pieces = [text.encode(errors="surrogatepass") for text in written.texts]
        found["texts"] = np.frombuffer(b"".join(pieces), np.uint8)
        found["ends"] = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    return found


def unpacked(found: Any, n_d: np.ndarray, num_words: int) -> Written | None:
    """What :func:`packed` gave, if it can be of documents of these lengths.

    >>> unpacked(packed(Written(texts=("a", "é"))), np.array([0, 0]), 1).texts
    ('a', 'é')
    """
    if found is None:
        return None
    try:
        order, texts, ends = (found.get(name) for name in ("order", "texts", "ends"))
        if order is not None:
            if order.shape != (int(n_d.sum()),) or order.dtype.kind not in "iu" or (order >= num_words).any():
                raise ValueError
            order = small(order, num_words)
        if texts is not None:
            whole, starts = texts.astype(np.uint8).tobytes(), np.concatenate([[0], ends])
            if len(ends) != len(n_d) or (np.diff(starts) < 0).any() or starts[-1] != len(whole):
                raise ValueError
            texts = tuple(whole[a:b].decode(errors="surrogatepass") for a, b in zip(starts[:-1], ends, strict=True))
    except (AttributeError, TypeError, ValueError):
        raise ValueError("written_ is not the order and the texts of its documents") from None
    return Written(order, texts)
