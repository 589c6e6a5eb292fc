"""Tables in Parquet files, where pyarrow is installed."""

import io
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._source import Source, open_source
from jaxlda.corpora.readers.tables import has_several, longest, tags_of
from jaxlda.corpora.readers.text import corpus_of_texts

__all__ = ["read_parquet"]

_MOST_COLUMNS = 1000


def read_parquet(
    path: Any,
    text: str | None = None,
    *,
    labels: str | None = None,
    title: str | None = None,
    label_separator: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    """Read a Parquet file with a document per row. Needs pyarrow.

    Parameters
    ----------
    path
        The file or file object.
    text, labels, title
        The columns to read, by name; ``text`` is found out if not given, as by :func:`read_csv`. A cell with labels is
        a string or a list of strings. A text that is missing is an empty document; a warning counts them.
    label_separator, max_bytes, max_tokens, max_size, **options
        As in :func:`read_csv`; ``max_bytes`` is for the columns that are read, unpacked.
    """
    source = open_source(path, max_bytes, max_tokens, max_size)
    try:
        import pyarrow.parquet
    except ImportError:
        raise ValueError(f"{source.name} is a Parquet file, which needs pyarrow: pip install pyarrow") from None
    try:
        file = pyarrow.parquet.ParquetFile(io.BytesIO(source.raw))
        names = list(file.schema_arrow.names)
        rows = int(file.metadata.num_rows)
    except Exception as error:  # of a library in C++, which raises what it likes
        raise source.error(None, f"is not a Parquet file that can be read: {error}") from None
    source.check_size(rows, "rows")
    for key in (text, labels, title):
        if key is not None and key not in names:
            raise source.error(None, f"there is no column {key!r}; there are {', '.join(map(repr, names))}")
    if text is None:
        text = "text" if "text" in names else _text_column(source, file, names, {labels, title})
    wanted = {key: _cells(source, file, key) for key in dict.fromkeys((text, labels, title)) if key is not None}
    texts = wanted[text]
    if missing := sum(cell is None for cell in texts):
        source.warn(f"{missing} text(s) are missing: empty documents")
    tags = None
    if labels is not None:
        lists = [cell if isinstance(cell, list) else [cell] for cell in wanted[labels]]
        tags = [
            [t for tag in some if tag is not None for t in tags_of([str(tag)], label_separator)[0]] for some in lists
        ]
    titles = None if title is None else ["" if cell is None else str(cell) for cell in wanted[title]]
    known = {text, title, labels if has_several(tags) else None}
    others = {name: _cells(source, file, name) for name in names[:_MOST_COLUMNS] if name not in known}
    plain = (str, int, float, type(None))
    columns = {name: cells for name, cells in others.items() if all(isinstance(cell, plain) for cell in cells)}
    return corpus_of_texts(
        source, ["" if cell is None else str(cell) for cell in texts], options, tags, titles, columns
    )


def _cells(source: Source, file: Any, name: str) -> list[Any]:
    """A column, if it is not too large unpacked."""
    groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
    size = sum(
        g.column(j).total_uncompressed_size
        for g in groups
        for j in range(g.num_columns)
        if g.column(j).path_in_schema.split(".")[0] == name
    )
    if size > source.max_bytes:
        raise source.error(None, f"column {name!r} holds {size} bytes, more than the {source.max_bytes} of max_bytes")
    try:
        return list(file.read(columns=[name]).column(0).to_pylist())
    except Exception as error:
        raise source.error(None, f"the column {name!r} cannot be read: {error}") from None


def _text_column(source: Source, file: Any, names: list[str], taken: set[str | None]) -> str:
    free = [name for name in names if name not in taken]
    try:
        sample = next(file.iter_batches(batch_size=1000, columns=free)).to_pydict()
    except StopIteration:
        sample = {}
    except Exception as error:
        raise source.error(None, f"cannot be read: {error}") from None
    column = longest((name, cell) for name, cells in sample.items() for cell in cells)
    if column is None:
        raise source.error(None, f"no column holds texts; there are {', '.join(map(repr, names))}")
    source.report(f"texts are in column {column!r}, the one with most letters")
    return str(column)
