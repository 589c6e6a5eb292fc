"""Corpora one after another, as one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from jaxlda.corpora.comparing import same
from jaxlda.corpora.written import joined as written_of

__all__ = ["joined"]


def joined(corpora: Sequence[Any]) -> dict[str, Any]:
    """The fields of the corpus that has the documents of all of them; see ``Corpus.concatenate``."""
    sizes = [corpus.num_docs for corpus in corpora]
    vocab, counts = _by_name([corpus.counts for corpus in corpora], [corpus.vocab for corpus in corpora])
    fields: dict[str, Any] = {"counts": counts, "vocab": vocab}
    if any(corpus.titles is not None for corpus in corpora):
        fields["titles"] = tuple(title for one in corpora for title in (one.titles or ("",) * one.num_docs))
    if any(corpus.labels is not None for corpus in corpora):
        names = [np.array([], str) if one.labels is None else one.label_names for one in corpora]
        nothing = [sparse.csr_array((size, 0), dtype=bool) for size in sizes]
        labels = [none if one.labels is None else one.labels for none, one in zip(nothing, corpora, strict=True)]
        fields["label_names"], fields["labels"] = _by_name(labels, names)
    if any(corpus.doc_columns is not None for corpus in corpora):
        fields["doc_columns"] = _columns([one.doc_columns or {} for one in corpora], sizes)
    if (written := written_of(corpora, vocab)) is not None:
        fields["written"] = written
    if all(same(one.text_options, corpora[0].text_options) for one in corpora):
        fields["text_options"] = corpora[0].text_options
    return fields


def _by_name(matrices: Sequence[sparse.csr_array], names: Sequence[np.ndarray]) -> tuple[np.ndarray, sparse.csr_array]:
    """Matrices below each other, with a column for every name: in the order in which the names come first."""
    column: dict[str, int] = {}
    for some in names:
        for name in some.tolist():
            column.setdefault(name, len(column))
    parts = []
    for matrix, some in zip(matrices, names, strict=True):
        target = np.array([column[name] for name in some.tolist()], np.int64)
        coo = matrix.tocoo()
        parts.append(
            sparse.csr_array((coo.data, (coo.row, target[coo.col])), (matrix.shape[0], len(column)), dtype=coo.dtype)
        )
    return np.array(list(column), str), sparse.csr_array(sparse.vstack(parts, format="csr"))


def _columns(tables: Sequence[Mapping[str, np.ndarray]], sizes: Sequence[int]) -> dict[str, np.ndarray]:
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: _column([table.get(name) for table in tables], sizes) for name in names}


def _column(parts: Sequence[np.ndarray | None], sizes: Sequence[int]) -> np.ndarray:
    """A column of all documents. Where a corpus lacks it: NaN among numbers, None among others."""
    kinds = {part.dtype.kind for part in parts if part is not None}
    missing = any(part is None for part in parts)
    if kinds <= set("iuf"):
        gaps = [np.full(size, np.nan) if part is None else part for part, size in zip(parts, sizes, strict=True)]
        return np.concatenate(gaps)
    if len(kinds) == 1 and not missing:
        return np.concatenate([part for part in parts if part is not None])
    column = np.empty(sum(sizes), object)
    column[:] = [
        value
        for part, size in zip(parts, sizes, strict=True)
        for value in ([None] * size if part is None else part.tolist())
    ]
    return column
