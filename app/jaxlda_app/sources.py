"""Where documents come from: bundled corpora, simulated ones, and files in every format that jaxlda reads."""

import csv
import io
import json
import re
import tempfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jaxlda
from jaxlda import Corpus
from jaxlda.corpora import readers
from jaxlda.models.documents import of_run
from jaxlda.running.results import Run

__all__ = ["BUNDLED", "FORMATS", "Columns", "Source", "bundled", "bundled_source", "columns", "detect", "read"]

BUNDLED = {
    "Reuters: 395 news stories": "reuters",
    "Bars: images of rows and columns": "bars",
    "Simulated from the model, with labels": "simulated",
}
SIMULATED: dict[str, Any] = {
    "num_docs": 300,
    "num_topics": 10,
    "num_words": 200,
    "doc_length": 80,
    "alpha": 0.5,
    "labels_per_doc": 2,
}
FORMATS = {
    "text": "Text, a document a line",
    "csv": "CSV or TSV table",
    "jsonl": "JSON lines",
    "zip": "Zip of text files",
    "ldac": "LDA-C (and a vocabulary)",
    "uci": "UCI bag of words (and a vocabulary)",
    "mulan": "Mulan ARFF and XML",
    "extreme": "Extreme Classification Repository",
    "mallet": "MALLET state",
    "warplda": "WarpLDA assignments and vocabulary",
    "run": "Saved run (.jaxlda)",
}
TABLES = ("csv", "jsonl")
_MANY = 1 << 16  # bytes that are enough to know a file by


class Source(NamedTuple):
    """What was found: documents, and a fitted model where the file holds one."""

    name: str
    corpus: Corpus
    model: Any = None
    code: str | None = None
    """Python code that makes the corpus, where there is any."""

    @property
    def frozen(self) -> bool:
        """Whether the model is the sample of another program, which cannot go on here."""
        return self.model is not None and self.model.run_.algorithm is None


class Columns(NamedTuple):
    """The columns of a table, and which are likely the text, the labels and the title."""

    names: list[str]
    text: str
    labels: str | None
    title: str | None


@cache
def bundled(name: str) -> Corpus:
    """A corpus that needs no file. Sessions share it: corpora never change."""
    if name != "simulated":
        return jaxlda.datasets.load(name)
    return jaxlda.datasets.simulate(**SIMULATED)[0]


def bundled_source(name: str) -> Source:
    """A bundled corpus, and the code that makes it."""
    code = f"corpus = jaxlda.datasets.load({name!r})"
    if name == "simulated":
        options = ", ".join(f"{option}={value!r}" for option, value in SIMULATED.items())
        code = f"corpus, truth = jaxlda.datasets.simulate({options})"
    return Source(name, bundled(name), code=code)


def detect(names: Mapping[str, bytes]) -> str:
    """The format of files that belong together, by their names and how they begin."""
    for name, content in names.items():
        head, kind = _unpacked(content), Path(name.lower().removesuffix(".gz")).suffix
        if kind == ".jaxlda":
            return "run"
        if content.startswith(b"PK\x03\x04"):
            return "zip"
        if kind == ".arff" or re.match(rb"\s*(%.*\n\s*)*@relation", head, re.IGNORECASE):
            return "mulan"
        if kind in (".csv", ".tsv"):
            return "csv"
        if kind in (".jsonl", ".ndjson"):
            return "jsonl"
        if kind in (".zip", ".ldac"):
            return kind[1:]
        if head.startswith(b"#doc source pos"):
            return "mallet"
    for content in names.values():
        head = _unpacked(content)
        if re.match(rb"\d+\r?\n\d+\r?\n\d+\r?\n\d+ \d+ \d+\r?(\n|$)", head):
            return "uci"
        if re.match(rb"\d+ \d+ \d+\r?\n", head):
            return "extreme"
        if re.match(rb"\d+( \d+:\d+)+\r?(\n|$)", head):
            return "ldac"
    return "text"


def _unpacked(content: bytes) -> bytes:
    """How a file begins, unpacked if it is gzipped."""
    if not content.startswith(b"\x1f\x8b"):
        return content[:_MANY]
    try:
        return zlib.decompressobj(31).decompress(content, _MANY)
    except zlib.error:
        return b""  # the reader will tell


def columns(format: str, name: str, content: bytes) -> Columns:
    """The columns of a table by its first lines; what the reader will say of the rest is not known yet."""
    head = _unpacked(content).decode("utf-8", "replace").removeprefix("\ufeff")
    names: list[str] = []
    if format == "csv":
        tab = name.lower().removesuffix(".gz").endswith(".tsv")
        try:
            names = next(iter(csv.reader(io.StringIO(head, newline=""), delimiter="\t" if tab else ",")), [])
        except csv.Error:
            names = []
    else:
        for line in head.split("\n")[:100]:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict):
                names += [key for key in entry if key not in names]
    if not names:
        raise ValueError(f"{name}: there are no columns in the first line(s); is it a table?")

    def likely(*words: str) -> str | None:
        return next((column for word in words for column in names if column.lower() == word), None)

    text = likely("text", "body", "content", "abstract", "document", "message") or names[-1]
    return Columns(names, text, likely("labels", "label", "tags", "category", "topic", "class"), likely("title", "id"))


def read(
    files: Mapping[str, bytes],
    format: str | None = None,
    *,
    text: str = "text",
    labels: str | None = None,
    title: str | None = None,
    label_separator: str = ";",
    min_df: int = 1,
    stop_words: bool = False,
    max_bytes: int = 1 << 28,
) -> Source:
    """Read files that belong together: documents, or documents and what their words or labels are called.

    Parameters
    ----------
    files
        Names and contents.
    format
        A key of ``FORMATS``; found out if not given.
    text, labels, title, label_separator
        Columns of tables, and what separates labels.
    min_df, stop_words
        How words of texts are counted: in how many documents they must occur, and whether to leave English ones out.
    max_bytes
        What files may hold, unpacked.
    """
    if not files:
        raise ValueError("choose a file first")
    format = detect(files) if format is None else format
    with tempfile.TemporaryDirectory(prefix="jaxlda-") as folder:
        paths = {}
        for i, (name, content) in enumerate(files.items()):
            # The name comes from outside: only its end is used, in a folder that nobody else sees.
            safe = re.sub(r"[^\w.-]", "_", Path(name.replace("\\", "/")).name)[-80:] or "file"
            paths[name] = Path(folder) / str(i) / safe
            paths[name].parent.mkdir()
            paths[name].write_bytes(content)
        words = {"min_df": min_df, "stop_words": "english" if stop_words else None}
        table = {"text": text, "labels": labels or None, "title": title or None}
        try:
            return _READERS[format](paths, words, table, label_separator, max_bytes)
        except (ValueError, TypeError, OSError, KeyError, IndexError, OverflowError, MemoryError) as error:
            message = str(error) or type(error).__name__
            for name, path in paths.items():
                message = message.replace(f"'{path}'", name).replace(str(path), name)  # our folder is nobody's business
            raise ValueError(message) from None


Paths = Mapping[str, Path]


def _told(function: str, *files: str, **options: Any) -> str:
    """The call that reads files, as code."""
    given = [f"{name}={value!r}" for name, value in options.items() if value is not None]
    return f"corpus = jaxlda.io.{function}({', '.join([*map(repr, files), *given])})"


def _first(paths: Paths) -> tuple[str, Path]:
    return next(iter(paths.items()))


def _apart(paths: Paths, *signs: str) -> tuple[tuple[str, Path], tuple[str, Path] | None]:
    """The main file, and the one beside it whose name has one of the signs; of two unknown ones, the second."""
    beside = [name for name in paths if any(sign in name.lower() for sign in signs)]
    others = [name for name in paths if name not in beside] or beside[:1]
    second = next((name for name in [*beside, *others[1:]] if name != others[0]), None)
    return (others[0], paths[others[0]]), None if second is None else (second, paths[second])


def _text(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    name, path = _first(paths)
    return Source(name, readers.read_text(path, max_bytes=limit, **words), code=_told("read_text", name, **words))


def _csv(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    name, path = _first(paths)
    options = {**table, "label_separator": separator or None, **words}
    return Source(name, readers.read_csv(path, max_bytes=limit, **options), code=_told("read_csv", name, **options))


def _jsonl(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    name, path = _first(paths)
    options = {**table, **words}
    return Source(name, readers.read_jsonl(path, max_bytes=limit, **options), code=_told("read_jsonl", name, **options))


def _zip(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    name, path = _first(paths)
    options = {"labels": "folder", **words}
    try:
        corpus = readers.read_zip(path, max_bytes=limit, **options)
    except ValueError:  # there are no folders, or something else is wrong, which comes again
        options = words
        corpus = readers.read_zip(path, max_bytes=limit, **options)
    return Source(name, corpus, code=_told("read_zip", name, **options))


def _bags(reader: Callable[..., Corpus]) -> Callable[..., Source]:
    def read_bags(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
        (name, path), vocab = _apart(paths, "vocab", ".words")
        code = _told(reader.__name__, name, *([] if vocab is None else [vocab[0]]))
        return Source(name, reader(path, None if vocab is None else vocab[1], max_bytes=limit), code=code)

    return read_bags


def _mulan(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    (name, path), xml = _apart(paths, ".xml")
    if xml is None:
        raise ValueError(f"{name} needs a second file, the XML with the names of its labels: choose both at once")
    return Source(name, readers.read_mulan(path, xml[1], max_bytes=limit), code=_told("read_mulan", name, xml[0]))


def _extreme(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    (name, path), vocab = _apart(paths, "vocab", ".words")
    names = None if vocab is None else readers.read_vocab(vocab[1], max_bytes=limit)
    code = _told("read_extreme", name)
    if vocab is not None:
        code = f"{code[:-1]}, vocab=jaxlda.io.read_vocab({vocab[0]!r}))"
    return Source(name, readers.read_extreme(path, vocab=names, max_bytes=limit), code=code)


def _mallet(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    name, path = _first(paths)
    return _foreign(name, readers.read_mallet_state(path, max_bytes=limit), _told("read_mallet_state", name))


def _warplda(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    (name, path), vocab = _apart(paths, "vocab", ".words")
    if vocab is None:
        raise ValueError(f"{name} needs a second file, the vocabulary: choose both at once")
    imported = readers.read_warplda(path, vocab[1], max_bytes=limit)
    return _foreign(name, imported, _told("read_warplda", name, vocab[0]))


def _foreign(name: str, imported: readers.Imported, code: str) -> Source:
    """A model around the sample of another program."""
    return Source(name, imported.corpus, jaxlda.LDA.from_sample(imported, progress=False), code=f"{code}.corpus")


def _run(paths: Paths, words: dict, table: dict, separator: str, limit: int) -> Source:
    name, path = _first(paths)
    model = jaxlda.load(path)
    if isinstance(model, Run):
        model = jaxlda.LDA.from_run(model, progress=False)
    if not hasattr(model, "run_"):
        raise ValueError(f"{name} has topics only: there are no documents and no chains in it to look at")
    labels, classes = getattr(model, "labels_", None), getattr(model, "classes_", None)
    names = None if classes is None else [str(label) for label in classes.tolist()]
    corpus = of_run(model.run_, model.vocab_, model.doc_titles_, labels, names)
    return Source(name, corpus, model.set_params(checkpoint=None, progress=False))


_READERS: dict[str, Callable[..., Source]] = {
    "text": _text,
    "csv": _csv,
    "jsonl": _jsonl,
    "zip": _zip,
    "ldac": _bags(readers.read_ldac),
    "uci": _bags(readers.read_uci),
    "mulan": _mulan,
    "extreme": _extreme,
    "mallet": _mallet,
    "warplda": _warplda,
    "run": _run,
}
