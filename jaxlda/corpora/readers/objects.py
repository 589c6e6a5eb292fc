"""JSON with an object per document: a line each, or all in an array."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers._source import Source, open_source
from jaxlda.corpora.readers.tables import longest
from jaxlda.corpora.readers.text import corpus_of_texts

__all__ = ["entries_of", "read_jsonl", "text_key"]

_SPACE = re.compile(r"[ \t\r\n]*+")
_KINDS: dict[type, str] = {list: "an array", dict: "an object", type(None): "null", bool: "true or false"}
Entry = tuple[int, dict[str, Any]]


def read_jsonl(
    path: Any,
    text: str | None = None,
    *,
    labels: str | None = None,
    title: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    **options: Any,
) -> Corpus:
    r"""Read JSON: an object per line, or an array of objects; a document each. A bare string is a text, too.

    What else objects have in common becomes ``corpus.metadata``. Numbers are read as their digits. A text that is
    ``null`` is an empty document; a warning counts them.

    Parameters
    ----------
    path
        The file or file object, packed or not. Empty lines are skipped.
    text, labels, title
        The keys to read. If ``text`` is not given: ``"text"`` if the objects have it, or else the key with the longest
        strings. Labels are a string or a list of strings; an object without that key has none.
    encoding, max_bytes, max_tokens, max_size, **options
        As in :func:`read_text`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pets.jsonl"
    >>> path.write_text('{"body": "a cat", "tags": ["pet"]}\n{"body": "a shark"}\n') > 0
    True
    >>> corpus = read_jsonl(path, labels="tags")
    >>> corpus, corpus.labels.toarray().tolist()
    (Corpus(2 documents, 2 words, 2 tokens, 1 label), [[True], [False]])
    """
    source = open_source(path, max_bytes, max_tokens, max_size)
    content = source.text(encoding)
    entries = entries_of(source, content)
    if text is None:
        text = text_key(source, entries, {labels, title})
    texts: list[str] = []
    tags: list[list[str]] = []
    titles: list[str] = []
    missing: list[int] = []
    for line, entry in entries:
        if text not in entry:
            raise source.error(line, f"has no {text!r}; it has {', '.join(map(repr, entry)) or 'nothing'}")
        found = _string(source, line, text, entry[text])
        if found is None:
            missing.append(line)
        texts.append(found or "")
        if labels is not None:
            some = entry.get(labels)
            strings = [_string(source, line, labels, tag) for tag in (some if isinstance(some, list) else [some])]
            tags.append([tag for tag in strings if tag is not None])
        if title is not None:
            titles.append(_string(source, line, title, entry.get(title)) or "")
    if missing:
        source.warn(f"{len(missing)} text(s) are null, the first in line {missing[0]}: empty documents")
    return corpus_of_texts(
        source,
        texts,
        options,
        tags if labels is not None else None,
        titles if title is not None else None,
        _other_columns(source, entries, {text, title}),
    )


def _other_columns(source: Source, entries: list[Entry], known: set[str | None]) -> dict[str, list[Any]]:
    """What else the first object has, if it is a string or a number in all objects."""
    names = [name for name in entries[0][1] if name not in known] if entries else []
    if len(names) * len(entries) > source.max_tokens:
        source.warn(f"has too many keys ({len(names)}) for metadata, which is left out")
        return {}
    columns = {name: [entry.get(name) for _, entry in entries] for name in names}
    plain = (str, int, float, type(None))
    return {name: values for name, values in columns.items() if all(isinstance(value, plain) for value in values)}


def entries_of(source: Source, content: str) -> list[Entry]:
    """The objects of a file, with their lines: an array of them, or one per line."""
    return list(_array(source, content) if content.lstrip().startswith("[") else _lines(source, content))


def _lines(source: Source, content: str) -> Iterator[Entry]:
    documents = 0
    for line, row in enumerate(content.split("\n"), 1):
        if row.strip():
            documents += 1
            source.check_size(documents, "documents")
            try:
                value = json.loads(row)
            except (ValueError, RecursionError) as error:
                hint = "; an object takes one line, or all stand in an array [...]" if documents == 1 else ""
                raise source.error(line, f"is not JSON: {error}{hint}") from None
            yield line, _object(source, line, value)


def _array(source: Source, content: str) -> Iterator[Entry]:
    """The elements of an array one by one, so that no more than one of them is kept whole."""
    decoder = json.JSONDecoder()

    def after(at: int) -> int:
        space = _SPACE.match(content, at)
        return space.end() if space else at

    at = after(after(0) + 1)
    line, counted, documents = 1, 0, 0
    while not content.startswith("]", at) or documents == 0:
        line, counted = line + content.count("\n", counted, at), at
        if content.startswith("]", at):
            break
        try:
            value, at = decoder.raw_decode(content, at)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise source.error(line, f"is not JSON: {reason}") from None
        documents += 1
        source.check_size(documents, "documents")
        yield line, _object(source, line, value)
        at = after(at)
        if content.startswith(",", at):
            at = after(at + 1)
        elif not content.startswith("]", at):
            line += content.count("\n", counted, at)
            raise source.error(line, "is not JSON: expected ',' or ']' after an element of the array; is it truncated?")
    if content[at + 1 :].strip():
        raise source.error(line + content.count("\n", counted, at), "has more after the end of the array")


def _object(source: Source, line: int, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        raise source.error(line, f"expected an object {{...}}, found {_KINDS.get(type(value), 'a number')}")
    return value


def _string(source: Source, line: int, key: str, value: Any) -> str | None:
    """A string, or a number's digits; None where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if not isinstance(value, str):
        raise source.error(line, f"{key!r} is {_KINDS[type(value)]}, not a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise source.error(line, f"{key!r} has half a character (a lone surrogate) in it") from None
    return value


def text_key(source: Source, entries: list[Entry], taken: set[str | None]) -> str:
    """The name of the texts, if nobody gave it: "text", or that of the longest."""
    sample = [entry for _, entry in entries[:1000]]
    if any("text" in entry for entry in sample):
        return "text"
    key = longest((key, value) for entry in sample for key, value in entry.items() if key not in taken)
    if key is None:
        return "text"
    source.report(f"texts are under {key!r}, the key with most letters")
    return str(key)
