"""What line-by-line formats of documents have in common: (document, column, value), checked, with the line at hand."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int64
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import one_of
from jaxlda.corpora.readers._source import Source

__all__ = ["Entries", "check_values", "corpus_of", "entries_of"]

LARGEST_COUNT = int(np.iinfo(np.int32).max)


class Entries(NamedTuple):
    """The stored entries of a sparse matrix, and where each row was written."""

    d: Int64[np.ndarray, " n"]
    column: Int64[np.ndarray, " n"]
    value: Float64[np.ndarray, " n"]
    lines: Int64[np.ndarray, " D"]
    """The line of each document."""

    def select(self, chosen: Any, column: Any) -> "Entries":
        """Some of the entries, in renumbered columns."""
        return Entries(self.d[chosen], np.asarray(column)[chosen], self.value[chosen], self.lines)

    def refuse(self, source: Source, bad: Any, message: Callable[[int], str]) -> None:
        """Raise the message of the first bad entry, if there is one."""
        source.refuse(bad, lambda i: self.lines[self.d[i]], message)

    def check_columns(self, source: Source, size: int, noun: str, hint: str = "") -> None:
        """Columns exist and are named once per document; the hint says what it may be if they are not."""
        self.refuse(
            source,
            (self.column < 0) | (self.column >= size),
            lambda i: f"there is no {noun} {self.column[i]}: the {size} are numbered from 0 to {size - 1}",
        )
        order = np.lexsort((self.column, self.d))
        again = (np.diff(self.d[order]) == 0) & (np.diff(self.column[order]) == 0)
        bad = np.zeros(len(order), bool)
        bad[order[1:][again]] = True
        self.refuse(source, bad, lambda i: f"{noun} {self.column[i]} occurs twice{hint}")

    def counts(self, source: Source, presence: bool, name: Callable[[int], str]) -> Int64[np.ndarray, " n"]:
        """The values as counts, or 1 where they are not 0."""
        x = self.value
        self.refuse(source, ~np.isfinite(x), lambda i: f"{name(i)} is not a finite number")
        if presence:
            return (x != 0).astype(np.int64)
        self.refuse(source, x < 0, lambda i: f"{name(i)} = {x[i]:g} is negative; a count is 0, 1, 2, ...")
        self.refuse(
            source,
            x != np.floor(x),
            lambda i: (
                f"{name(i)} = {x[i]:g} is not a whole number; LDA needs counts, not weights. values='presence' "
                "counts every word once where it is not 0"
            ),
        )
        self.refuse(source, x > LARGEST_COUNT, lambda i: f"{name(i)} = {x[i]:g} is above the largest count")
        return x.astype(np.int64)

    def indicators(self, source: Source, size: int, name: Callable[[int], str]) -> sparse.coo_array:
        """The values as labels, which are 0 or 1."""
        wrong = (self.value != 0) & (self.value != 1)
        self.refuse(source, wrong, lambda i: f"{name(i)} = {self.value[i]:g}; a label is 0 or 1")
        return sparse.coo_array((self.value.astype(bool), (self.d, self.column)), shape=(len(self.lines), size))


def entries_of(rows: Iterable[tuple[int, list[int], list[float]]]) -> Entries:
    """Entries from (line, columns, values) of each document."""
    lines: list[int] = []
    sizes: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for line, some_columns, some_values in rows:
        lines.append(line)
        sizes.append(len(some_columns))
        columns += some_columns
        values += some_values
    d = np.repeat(np.arange(len(lines)), sizes)
    return Entries(d, np.array(columns, np.int64), np.array(values, np.float64), np.array(lines, np.int64))


def check_values(values: Any) -> bool:
    """Whether a reader shall take presence instead of counts."""
    return bool(one_of(values, "values", ("counts", "presence")) == "presence")


def corpus_of(source: Source, entries: Entries, counts: Any, num_words: int, **names: Any) -> Corpus:
    """The corpus of the counts found in a file; what a corpus refuses is told with the name of the file."""
    source.check_size(num_words, "words")
    source.check_size(len(entries.lines), "documents")
    source.check_tokens(int(counts.sum()))
    shape = len(entries.lines), num_words
    try:
        return Corpus.from_counts(sparse.coo_array((counts, (entries.d, entries.column)), shape=shape), **names)
    except ValueError as error:
        raise source.error(None, str(error)) from None
