"""Matrices, tables and lists turned into the canonical arrays of a corpus, or a clear error."""

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.corpora.callers import warn
from jaxlda.corpora.strings import as_array

__all__ = [
    "as_counts",
    "as_labels",
    "as_names",
    "as_text_options",
    "as_texts",
    "as_titles",
    "columns_of",
    "generated_names",
    "is_missing",
]

LARGEST = int(np.iinfo(np.int32).max)


def as_counts(counts: Any) -> sparse.csr_array:
    """Any matrix of documents x words as int32 CSR: sorted, duplicates summed, zeros removed; never the caller's."""
    matrix = _as_matrix(counts, "counts")
    if matrix.shape[0] == 0:
        raise ValueError("the corpus has no documents: counts has 0 rows")
    if matrix.nnz == 0:
        raise ValueError(f"the corpus has no tokens: every count of the {matrix.shape[0]} document(s) is zero")
    x = matrix.data
    # Written so that NaN, for which every comparison is false, is among the bad ones.
    bad = ~((x > 0) & (x <= LARGEST)) | (x != np.floor(x))
    if bad.any():
        place, value = _first(matrix, bad)
        if np.isnan(value):
            reason = "is NaN; replace missing counts by 0"
        elif np.isinf(value):
            reason = "is infinite"
        elif value < 0:
            reason = "is negative; a count is 0, 1, 2, ..."
        elif value > LARGEST:
            reason = f"is above the largest count, {LARGEST}"
        else:
            reason = "is not a whole number; LDA needs counts, not weights (tf-idf) or frequencies"
        raise ValueError(f"counts at {place} = {value} {reason}")
    if (total := int(x.sum())) > LARGEST:
        raise ValueError(f"the corpus has {total} tokens, more than the {LARGEST} that 32-bit counts can hold")
    return _csr(matrix, np.int32)


def as_labels(labels: Any, label_names: Any, num_docs: int) -> tuple[sparse.csr_array | None, np.ndarray | None]:
    """Labels in any accepted form as a bool CSR of documents x labels, and the names of its columns."""
    if labels is None:
        if label_names is not None:
            raise ValueError("label_names needs labels; give both or neither")
        return None, None
    if label_names is None:
        label_names = columns_of(labels)
    if sparse.issparse(labels) or getattr(labels, "ndim", 1) == 2:
        matrix = _as_matrix(labels, "labels")
        if (bad := matrix.data != 1).any():
            place, value = _first(matrix, bad)
            raise ValueError(f"labels at {place} = {value}; a matrix of labels holds only 0 and 1, or False and True")
        matrix = _csr(matrix, np.bool_)
        L = matrix.shape[1]
        names = generated_names("label", L) if label_names is None else as_names(label_names, "label_names", L)
    else:
        matrix, names = _labels_by_name(labels, label_names)
    if matrix.shape[1] == 0:
        raise ValueError("there are no labels at all; leave labels out, or give label_names")
    if matrix.shape[0] != num_docs:
        raise ValueError(f"labels are for {matrix.shape[0]} document(s), but the corpus has {num_docs}")
    return matrix, names


def generated_names(prefix: str, size: int) -> np.ndarray:
    """Generated names: the prefix and a number."""
    return np.array([f"{prefix}{i}" for i in range(size)], dtype=str)


def as_names(values: Any, what: str, size: int | None = None) -> np.ndarray:
    """Distinct names as a unicode array; ``size`` of them, where it is given."""
    if isinstance(values, Mapping | Set | str | bytes):
        raise TypeError(
            f"{what} must be a list of names in the order of the columns, not a {type(values).__name__}; a dict of "
            "name -> column becomes one by sorted(names, key=names.get)"
        )
    names = as_array(_strings(values, what), what)
    if size is not None and names.size != size:
        raise ValueError(f"{what} has {names.size} name(s), but there are {size} columns")
    distinct, times = np.unique(names, return_counts=True)
    if distinct.size < names.size:
        word = distinct[np.argmax(times > 1)]
        at = ", ".join(str(i) for i in np.flatnonzero(names == word)[:5])
        raise ValueError(
            f"{what} has {int((times > 1).sum())} name(s) more than once, such as {str(word)!r} in columns {at}; "
            "add up the columns of a name, or make the names distinct"
        )
    return names


def as_titles(titles: Any, num_docs: int) -> tuple[str, ...] | None:
    """One title per document, or None."""
    if titles is None:
        return None
    if isinstance(titles, str | bytes):
        raise TypeError("titles must be a list with a string for each document, not a single string")
    names = tuple(_strings(titles, "titles"))
    if len(names) != num_docs:
        raise ValueError(f"titles has {len(names)} entries, but the corpus has {num_docs} documents")
    # Names of files may be no Unicode, which tables and other files cannot hold.
    return tuple(name if name.isascii() else name.encode(errors="backslashreplace").decode() for name in names)


def as_texts(texts: Any, options: Mapping[str, Any]) -> tuple[list[Any], int]:
    """The documents as a list, checked as far as the options leave no other reading than plain texts.

    Missing texts of tables (None, NaN, NA) become empty ones, with a warning; how many there are is the second result.
    """
    if isinstance(texts, str | bytes):
        raise TypeError("from_texts takes a list of texts, a string for each document; wrap a single text as [text]")
    if isinstance(texts, Mapping) or getattr(texts, "ndim", 1) != 1 or not isinstance(texts, Iterable):
        raise TypeError(
            f"from_texts takes a list of texts, a string for each document, not a {type(texts).__name__}; of a table, "
            "pass the column with the texts; for a matrix of counts use Corpus.from_counts"
        )
    documents = list(texts)
    if not documents:
        raise ValueError("the corpus has no documents: texts is empty")
    # A callable analyzer or preprocessor may take anything, and input="file" takes file objects.
    own_reading = callable(options.get("analyzer")) or options.get("preprocessor") or options.get("input", "") == "file"
    missing = [] if own_reading else [i for i, text in enumerate(documents) if is_missing(text)]
    for i in missing:
        documents[i] = ""
    for i, text in enumerate([] if own_reading else documents):
        if not isinstance(text, str | bytes):
            raise TypeError(
                f"texts[{i}] is {text!r:.60} ({type(text).__name__}), not a string; pass analyzer=list if the texts "
                "are lists of words already"
            )
    if missing:
        told = f"{len(missing)} of {len(documents)} texts are missing, the first being texts[{missing[0]}]"
        warn(f"{told}: they become empty documents")
    return documents, len(missing)


def is_missing(value: Any) -> bool:
    """Whether a value stands for a missing one, as tables have them: None, NaN, NA, NaT.

    >>> is_missing(float("nan")), is_missing(None), is_missing("")
    (True, True, False)
    """
    if isinstance(value, float):
        return bool(value != value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def as_text_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of ``CountVectorizer`` by which further texts are read alike: all but those that choose the vocabulary.

    >>> as_text_options({"min_df": 5, "stop_words": ["the", "a"]})
    {'stop_words': ['the', 'a']}
    """
    choosing = ("min_df", "max_df", "max_features", "vocabulary", "dtype", "input", "phrases")
    chosen = {name: value for name, value in options.items() if name not in choosing}
    return {name: sorted(value) if isinstance(value, Set) else value for name, value in chosen.items()}


def columns_of(table: Any) -> list[str] | None:
    """The column names of a pandas-like table, or None where they are not all strings."""
    columns = list(getattr(table, "columns", ()))
    return columns if columns and all(isinstance(name, str) for name in columns) else None


def _as_matrix(values: Any, what: str) -> sparse.csr_array:
    """Documents x columns as a CSR of its own: int64 or float64, sorted, duplicates summed, zeros removed."""
    if sparse.issparse(values):
        # Conversions trust the indices: a broken matrix would crash the interpreter instead of raising.
        if hasattr(values, "check_format"):
            values.check_format(full_check=True)
    else:
        try:
            values = np.asarray(values)
            if values.dtype == object:
                values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what} must be a matrix of numbers with a row for each document ({error})") from None
    if values.dtype.kind not in "buif":
        hint = "; for texts use Corpus.from_texts" if values.dtype.kind in "USOT" else ""
        raise TypeError(f"{what} must be a matrix of numbers, not of {values.dtype}{hint}")
    if values.ndim != 2:
        raise ValueError(f"{what} must be a matrix with a row for each document; got shape {values.shape}")
    # Widen before summing duplicates, which could overflow small integers; unsigned 64 bits do not fit into signed.
    wide = np.float64 if values.dtype.kind == "f" or values.dtype == np.uint64 else np.int64
    if sparse.issparse(values):
        values = values.astype(wide)
    matrix = sparse.csr_array(values, dtype=wide, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _csr(matrix: sparse.csr_array, dtype: Any) -> sparse.csr_array:
    arrays = matrix.data.astype(dtype), matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return sparse.csr_array(arrays, shape=matrix.shape)


def _first(matrix: sparse.csr_array, bad: np.ndarray) -> tuple[str, Any]:
    i = int(np.argmax(bad))
    row = int(np.searchsorted(matrix.indptr, i, side="right")) - 1
    return f"row {row}, column {int(matrix.indices[i])}", matrix.data[i].item()


def _strings(values: Any, what: str) -> list[str]:
    names = list(values)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"{what}[{i}] is {name!r} ({type(name).__name__}), not a string")
    return names


def _labels_by_name(labels: Any, label_names: Any) -> tuple[sparse.csr_array, np.ndarray]:
    """A matrix from a collection of names for each document; a bare string is a single name."""
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise TypeError(f"labels must be a matrix or a list with an entry for each document, not {labels!r:.60}")
    rows = []
    for d, entry in enumerate(labels):
        names_of_d = [entry] if isinstance(entry, str) else list(entry) if isinstance(entry, Iterable) else [None]
        if not all(isinstance(name, str) for name in names_of_d):
            raise TypeError(
                f"labels[{d}] is {entry!r:.60}; each document needs a list or set of label names (strings), [] if it "
                "has none. Numbers are read only from a NumPy or scipy matrix of 0 and 1"
            )
        rows.append(sorted(set(names_of_d)))
    if label_names is None:
        label_names = sorted({name for row in rows for name in row})
    names = as_names(label_names, "label_names")
    column = {str(name): k for k, name in enumerate(names)}
    for d, row in enumerate(rows):
        if unknown := [name for name in row if name not in column]:
            raise ValueError(f"labels[{d}] has {unknown[0]!r}, which is not among the {len(column)} label_names")
    indices = np.array([k for row in rows for k in sorted(column[name] for name in row)], dtype=np.int32)
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return sparse.csr_array((np.ones(indices.size, bool), indices, indptr), shape=(len(rows), len(column))), names
