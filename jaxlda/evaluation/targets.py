"""Labels in any accepted form, beside their documents."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.inputs import as_labels, columns_of

__all__ = ["in_columns_of", "read_labels", "read_target"]


def read_labels(y: Any, corpus: Corpus, classes: np.ndarray | None = None) -> tuple[sparse.csr_array, np.ndarray]:
    """Indicators ``(D, L)`` and the L classes, of ``y`` or else of the corpus; see :func:`read_target`.

    >>> corpus = Corpus.from_counts([[1, 2], [3, 0]], labels=[["a"], ["b", "a"]])
    >>> read_labels(None, corpus)[1].tolist(), read_labels([{7, 3}, {7}], corpus)[1].tolist()
    (['a', 'b'], [3, 7])
    """
    if y is None:
        if corpus.labels is None or corpus.label_names is None:
            raise ValueError(
                "a supervised model requires y to be passed, but the target y is None: give indicators (D, L), or a "
                "set of labels for each document, or fit a Corpus that has labels"
            )
        return corpus.labels, corpus.label_names
    return read_target(y, corpus.num_docs, classes)


def read_target(y: Any, num_docs: int, classes: np.ndarray | None = None) -> tuple[sparse.csr_array, np.ndarray]:
    """Indicators ``(D, L)`` and the L classes of a matrix of 0 and 1, or of a collection of labels for each document.

    Lists of lists are indicators where they hold nothing but 0 and 1, in rows of one length; those that could as well
    be lists of the labels 0 and 1 are refused. The columns of a matrix without names are ``classes``, where they are
    known.

    >>> matrix, classes = read_target([{7, 3}, {7}], 2)
    >>> matrix.astype(int).toarray().tolist(), classes.tolist()
    ([[1, 1], [0, 1]], [3, 7])
    """
    if hasattr(y, "__array__") and not hasattr(y, "ndim"):
        y = np.asarray(y)
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2 or _rows_of_numbers(y):
        matrix, names = _given(as_labels(y if hasattr(y, "ndim") else np.asarray(y), None, num_docs))
        if classes is None or columns_of(y) is not None:
            return matrix, names
        if matrix.shape[1] != len(classes):
            raise ValueError(f"y has {matrix.shape[1]} column(s), but the model knows {len(classes)} labels")
        return matrix, classes
    if isinstance(y, str | bytes | Mapping) or not isinstance(y, Iterable):
        raise TypeError(f"y must be a matrix or a list with an entry for each document; got {y!r:.60}")
    entries = [[entry] if _single(entry) else list(entry) for entry in y]
    if len(entries) != num_docs:
        raise ValueError(f"labels are for {len(entries)} document(s), but the corpus has {num_docs}")
    if classes is not None and not any(entries):  # nothing to learn from, but something to compare with
        return sparse.csr_array((num_docs, len(classes)), dtype=bool), classes
    if not any(entries):
        raise ValueError("y has no labels at all: there is nothing to learn from")
    if all(isinstance(label, str) for entry in entries for label in entry):
        return _given(as_labels(entries, None, num_docs))
    if (measured := _measured(entries)) is not None:
        raise ValueError(
            f"y holds {measured!r}, which is a measurement, not a label (Unknown label type: continuous): sort such "
            "numbers into classes first, for instance with pandas.cut"
        )
    return _other_labels(entries)


def in_columns_of(classes: np.ndarray, labels: sparse.csr_array, names: np.ndarray) -> tuple[sparse.csr_array, int]:
    """Labels in the columns of the classes a model knows, with unknown ones after them, and the number of unknown ones.

    >>> labels = sparse.csr_array(np.array([[True, False], [True, True]]))
    >>> matrix, unknown = in_columns_of(np.array(["a", "b"]), labels, np.array(["b", "c"]))
    >>> matrix.toarray().astype(int).tolist(), unknown
    ([[0, 1, 0], [0, 1, 1]], 1)
    """
    column = {label: k for k, label in enumerate(names.tolist())}
    known = dict.fromkeys(classes.tolist())
    unknown = [label for label in column if label not in known]
    order = [column.get(label, -1) for label in known] + [column[label] for label in unknown]
    padded = sparse.hstack([labels, sparse.csr_array((labels.shape[0], 1), dtype=bool)], "csr")
    return padded[:, order], len(unknown)


def _given(labels: tuple[sparse.csr_array | None, np.ndarray | None]) -> tuple[sparse.csr_array, np.ndarray]:
    matrix, names = labels
    assert matrix is not None and names is not None
    return matrix, names


def _measured(entries: list[list[Any]]) -> float | None:
    """The first number that is not whole, if there is one."""
    numbers = (label for entry in entries for label in entry if isinstance(label, float | np.floating))
    return next((float(x) for x in numbers if np.isfinite(x) and x % 1), None)


def _rows_of_numbers(y: Any) -> bool:
    """Whether lists of lists are meant as a matrix: all of one length, and nothing but 0 and 1 in them."""
    if not isinstance(y, list | tuple) or not y or not all(isinstance(row, list | tuple | np.ndarray) for row in y):
        return False
    rows = [list(row) for row in y]
    if len({len(row) for row in rows}) > 1 or not rows[0]:
        return False
    if not all(isinstance(x, int | float | np.generic) and x in (0, 1) for row in rows for x in row):
        return False
    # Nobody calls labels True and False, and nobody gives a document the same label twice.
    if all(isinstance(x, bool | np.bool_) for row in rows for x in row) or any(len(set(r)) < len(r) for r in rows):
        return True
    raise ValueError(
        f"y can be read in two ways: y[0] = {rows[0]!r:.60} could be a row of indicators, or a list of labels that are "
        "called 0 and 1. Give indicators as np.array(y), or labels as sets: [set(labels) for labels in y]"
    )


def _single(entry: Any) -> bool:
    return isinstance(entry, str) or not isinstance(entry, Iterable)


def _other_labels(entries: list[list[Any]]) -> tuple[sparse.csr_array, np.ndarray]:
    """Labels that are numbers, say: any that can be compared."""
    for d, entry in enumerate(entries):
        if not all(isinstance(label, Hashable) and label is not None and label == label for label in entry):
            raise TypeError(f"y[{d}] is {entry!r:.60}; each document needs a set of labels, such as names or numbers")
    try:
        classes = sorted({label for entry in entries for label in entry})
    except TypeError:
        raise TypeError("y mixes labels of different kinds, such as names and numbers, which have no order") from None
    column = {label: k for k, label in enumerate(classes)}
    rows = [sorted({column[label] for label in entry}) for entry in entries]
    indices = np.array([k for row in rows for k in row], np.int32)
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    matrix = sparse.csr_array((np.ones(indices.size, bool), indices, indptr), shape=(len(entries), len(classes)))
    names = np.array(classes) if all(np.ndim(label) == 0 for label in classes) else np.empty(len(classes), object)
    if names.dtype == object:
        names[:] = classes  # tuples, say, which NumPy would take for rows
    return matrix, names
