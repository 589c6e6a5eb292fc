"""Where documents come from: bundled corpora, simulated ones, and files in every format that jaxlda reads."""

import io
import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jaxlda
from jaxlda import Corpus
from jaxlda.corpora import readers
from jaxlda.corpora.readers.kinds import KINDS
from jaxlda.corpora.readers.preview import preview
from jaxlda.models.documents import of_run
from jaxlda.running.results import Run
from jaxlda_app.words import in_words
from jaxlda_app.workspace import workspace

__all__ = [
    "BUNDLED",
    "FORMATS",
    "Input",
    "Look",
    "bundled",
    "bundled_source",
    "detect",
    "look",
    "modelled",
    "read",
    "ready_made",
]

BUNDLED = {
    "reuters": "395 news stories of Reuters, with titles",
    "bars": "Images of rows and columns: what is to be found is known",
    "simulated": "Drawn from the model, with labels",
}
NAMED = {
    "sotu": ("sotu.jsonl.gz", "State of the Union addresses, 1790 to 2021, with year, president and party"),
    "20newsgroups": ("20newsgroups_train.npz", "20 Newsgroups, labelled by group"),
    "ap": ("ap_blei.npz", "News stories of the Associated Press"),
    "reuters21578": ("reuters21578_modapte_train.npz", "Reuters-21578, with several labels each"),
    "bibtex": ("bibtex_train.npz", "Bookmarks, with several labels each"),
}
"""Corpora whose files are in the folder of data, if they are: the file, and what it holds."""
SIMULATED: dict[str, Any] = {
    "num_docs": 300,
    "num_topics": 10,
    "num_words": 200,
    "doc_length": 80,
    "alpha": 0.5,
    "labels_per_doc": 2,
}
FORMATS = {
    "text": "Text, one document per line",
    "csv": "CSV or TSV table",
    "jsonl": "JSON, one object per document",
    "parquet": "Parquet table",
    "zip": "Zip of text files",
    "mallet": "MALLET instances: name, label and text",
    "ldac": "LDA-C (and a vocabulary)",
    "uci": "UCI bag of words (and a vocabulary)",
    "svmlight": "SVMlight or LIBSVM",
    "mm": "Matrix Market (and a vocabulary)",
    "mulan": "Mulan ARFF and XML",
    "extreme": "Extreme Classification Repository",
    "state": "MALLET state",
    "warplda": "WarpLDA assignments and vocabulary",
    "run": "Saved run (.jaxlda)",
}
"""Those of ``jaxlda.io.read_corpus``, and three that hold a sample besides."""
TABLES = ("csv", "jsonl")
LIMIT = 1 << 28  # bytes that a file may hold, unpacked
TOKENS = 1_000_000, 4  # that it may have: so many, or per byte; a few bytes of counts must not make a large run
_BESIDE = ("vocab", ".words", ".xml", ".dict")  # signs of names of files that belong to another


class Input(NamedTuple):
    """What was found: documents, and a fitted model where the file holds one."""

    name: str
    corpus: Corpus
    model: Any = None
    code: str | None = None
    """Python code that makes the corpus, where there is any."""
    sample: Any = None
    """Of another program, of which :func:`modelled` makes the model."""
    notes: tuple[str, ...] = ()
    """What was ignored or guessed, in a sentence each."""

    @property
    def frozen(self) -> bool:
        """Whether the model is the sample of another program, which cannot go on here."""
        return self.model is not None and self.model.run_.algorithm is None


class Look(NamedTuple):
    """What files are, before they are read."""

    format: str
    columns: list[str]
    """Of a table; empty for other formats."""
    text: str | None
    labels: str | None
    title: str | None
    """Columns that are likely these; ``None``: none is."""
    rows: list[list[str]]
    """The first."""
    notes: list[str]
    """What else was found out, in a sentence each."""


@cache
def ready_made() -> dict[str, str]:
    """Corpora that can be had without an upload, and what they are: those bundled, and those whose files are here."""
    found = dict(BUNDLED)
    for name, (file, about) in NAMED.items():
        with suppress(OSError):
            jaxlda.datasets.data_file(file)
            found[name] = about
    return found


@cache
def bundled(name: str) -> Corpus:
    """A corpus that needs no file. Sessions share it: corpora never change."""
    if name != "simulated":
        return jaxlda.datasets.load(name)
    return jaxlda.datasets.simulate(**SIMULATED)[0]


def bundled_source(name: str) -> Input:
    """A bundled corpus, and the code that makes it."""
    code = f"corpus = jaxlda.datasets.load({name!r})"
    if name == "simulated":
        options = ", ".join(f"{option}={value!r}" for option, value in SIMULATED.items())
        code = f"corpus, truth = jaxlda.datasets.simulate({options})"
    return Input(name, bundled(name), code=code)


def detect(files: Mapping[str, bytes]) -> str:
    """The format of files that belong together, by their names and how they begin."""
    if not files:
        raise ValueError("choose a file first")
    for name in files:
        if name.lower().endswith(".jaxlda"):
            return "run"
    name, content = next(iter(_ordered(files).items()))
    with _told_in_words():
        try:
            return readers.recognise(_file(name, content), max_bytes=LIMIT)
        except ValueError as error:
            if "a sample of MALLET" in str(error):
                return "state"
            raise


def look(files: Mapping[str, bytes], format: str | None = None) -> Look:
    """Find out what files are, and which columns they have."""
    format = detect(files) if format is None else format
    if format not in TABLES:
        return Look(format, [], None, None, None, [], [])
    name, content = next(iter(files.items()))
    with _told_in_words():
        found = preview(_file(name, content), format, max_bytes=LIMIT)
    taken = {found.text}

    def likely(*words: str) -> str | None:
        return next((c for word in words for c in found.columns if c.lower() == word and c not in taken), None)

    labels = likely("labels", "label", "tags", "category", "topic", "class")
    notes = [in_words(note) for note in found.notes]
    return Look(format, found.columns, found.text, labels, likely("title", "headline", "name", "id"), found.rows, notes)


def read(
    files: Mapping[str, bytes],
    format: str | None = None,
    *,
    text: str | None = None,
    labels: str | None = None,
    title: str | None = None,
    label_separator: str = ";",
    min_df: int = 1,
    stop_words: bool = False,
    phrases: bool = False,
    max_bytes: int = LIMIT,
) -> Input:
    """Read files that belong together: documents, or documents and what their words or labels are called.

    Parameters
    ----------
    files
        Names and contents.
    format
        A key of ``FORMATS``; found out if not given.
    text, labels, title, label_separator
        Columns of tables, and what separates labels; the column of the text is found out if not given.
    min_df, stop_words, phrases
        How words of texts are counted: in how many documents they must occur, whether to leave English stop words out,
        and whether to join neighbours that belong together.
    max_bytes
        What files may hold, unpacked.
    """
    format = detect(files) if format is None else format
    words: dict[str, Any] = {"min_df": min_df, "stop_words": "english" if stop_words else None}
    words |= {"phrases": True} if phrases else {}
    table = {"text": text or None, "labels": labels or None, "title": title or None}
    with _told_in_words() as notes:
        reader = _READERS.get(format, _corpus)
        found = reader(_ordered(files), format, words, table, label_separator or None, max_bytes)
    return found._replace(notes=tuple(notes))


def modelled(source: Input) -> Input:
    """With the model of a sample that was read, which is made here: models hold more than files do."""
    if source.sample is None:
        return source
    return source._replace(model=jaxlda.LDA.from_sample(source.sample, progress=False), sample=None)


class _told_in_words:
    """What readers refuse is told in the words of the page; what they warn of is collected."""

    def __enter__(self) -> list[str]:
        self.notes: list[str] = []
        self.caught = warnings.catch_warnings(record=True)
        self.warned = self.caught.__enter__()
        warnings.simplefilter("always")
        return self.notes

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.caught.__exit__(kind, error, trace)
        for one in self.warned or ():
            if issubclass(one.category, UserWarning):
                self.notes.append(in_words(str(one.message)))
        if isinstance(error, MemoryError):
            return
        if isinstance(error, ValueError | TypeError | OSError | KeyError | IndexError | OverflowError):
            raise ValueError(in_words(str(error) or type(error).__name__)) from None


Files = Mapping[str, bytes]


def _file(name: str, content: bytes) -> io.BytesIO:
    """A file in memory. The name comes from outside, and is told in messages, but nothing is opened by it."""
    file = io.BytesIO(content)
    file.name = Path(name.replace("\\", "/").replace("\0", "")).name[-80:] or "file"
    return file


def _tokens(content: bytes) -> int:
    return max(TOKENS[0], TOKENS[1] * len(content))


def _ordered(files: Files) -> dict[str, bytes]:
    """The main file first, then those with its words or labels."""
    return dict(sorted(files.items(), key=lambda item: any(sign in item[0].lower() for sign in _BESIDE)))


def _told(function: str, *files: str, **options: Any) -> str:
    """The call that reads files, as code."""
    given = [f"{name}={value!r}" for name, value in options.items() if value is not None]
    return f"corpus = jaxlda.io.{function}({', '.join([*map(repr, files), *given])})"


_FUNCTIONS = {"mm": "read_matrix_market", "mallet": "read_mallet_instances"}
_OPTIONS = {
    "text": (),
    "csv": ("text", "labels", "title", "label_separator"),
    "jsonl": ("text", "labels", "title"),
    "parquet": ("text", "labels", "title", "label_separator"),
    "mallet": (),
}


def _corpus(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    """Texts and tables."""
    name, content = next(iter(files.items()))
    known = {**table, "label_separator": separator if table["labels"] else None}
    options = {key: known[key] for key in _OPTIONS[format]}
    if format == "csv" and preview(_file(name, content), "csv", max_bytes=limit).header is False:
        options |= {key: int(value) for key, value in options.items() if isinstance(value, str) and value.isdecimal()}
    options |= words
    limits: dict[str, Any] = {"max_bytes": limit, "max_tokens": _tokens(content)}
    corpus = readers.read_corpus(_file(name, content), format, **limits, **options)
    return Input(name, corpus, code=_told(_FUNCTIONS.get(format, f"read_{format}"), name, **options))


def _zip(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    name, content = next(iter(files.items()))
    options = {"labels": "folder", **words}
    limits: dict[str, Any] = {"max_bytes": limit, "max_tokens": _tokens(content)}
    try:
        corpus = readers.read_zip(_file(name, content), **limits, **options)
    except ValueError:  # there are no folders, or something else is wrong, which comes again
        options = words
        corpus = readers.read_zip(_file(name, content), **limits, **options)
    return Input(name, corpus, code=_told("read_zip", name, **options))


def _counts(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    """Counts of numbered words, and their names if there is a second file."""
    (name, content), *beside = files.items()
    function = _FUNCTIONS.get(format, f"read_{format}")
    reader: Callable[..., Corpus] = getattr(readers, function)
    options: dict[str, Any] = {"max_bytes": limit, "max_tokens": _tokens(content)}
    code = _told(function, name)
    if beside:
        vocab = beside[0][0]
        options["vocab"] = readers.read_vocab(_file(*beside[0]), max_bytes=limit)
        code = f"{code[:-1]}, vocab=jaxlda.io.read_vocab({vocab!r}))"
    return Input(name, reader(_file(name, content), **options), code=code)


def _mulan(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    (name, content), *xml = files.items()
    if not xml:
        raise ValueError(f"{name} needs a second file, the XML with the names of its labels: choose both at once")
    limits: dict[str, Any] = {"max_bytes": limit, "max_tokens": _tokens(content)}
    corpus = readers.read_mulan(_file(name, content), _file(*xml[0]), **limits)
    return Input(name, corpus, code=_told("read_mulan", name, xml[0][0]))


def _state(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    name, content = next(iter(files.items()))
    imported = readers.read_mallet_state(_file(name, content), max_bytes=limit)
    return Input(name, imported.corpus, code=_told("read_mallet_state", name) + ".corpus", sample=imported)


def _warplda(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    (name, content), *vocab = files.items()
    if not vocab:
        raise ValueError(f"{name} needs a second file, the vocabulary: choose both at once")
    imported = readers.read_warplda(_file(name, content), _file(*vocab[0]), max_bytes=limit)
    code = _told("read_warplda", name, vocab[0][0]) + ".corpus"
    return Input(name, imported.corpus, code=code, sample=imported)


def _run(files: Files, format: str, words: dict, table: dict, separator: str | None, limit: int) -> Input:
    """A saved run takes twice the memory of its file, whoever made it: nothing in it is packed."""
    name, content = next(iter(files.items()))
    with TemporaryDirectory(dir=workspace()) as folder:
        path = os.path.join(folder, "run.jaxlda")
        Path(path).write_bytes(content)
        try:
            model = jaxlda.load(path)
        except (ValueError, TypeError, OSError, KeyError, IndexError, OverflowError) as error:
            raise ValueError(str(error).replace(f"'{path}'", name).replace(path, name)) from None
    if isinstance(model, Run):
        model = jaxlda.LDA.from_run(model, progress=False)
    if not hasattr(model, "run_"):
        raise ValueError(f"{name} has topics only: there are no documents and no chains in it to look at")
    labels, classes = getattr(model, "labels_", None), getattr(model, "classes_", None)
    names = None if classes is None else [str(label) for label in classes.tolist()]
    corpus = of_run(model.run_, model.vocab_, model.doc_titles_, labels, names)
    return Input(name, corpus, model.set_params(checkpoint=None, progress=False))


_READERS: dict[str, Callable[..., Input]] = {
    "zip": _zip,
    "ldac": _counts,
    "uci": _counts,
    "svmlight": _counts,
    "mm": _counts,
    "extreme": _counts,
    "mulan": _mulan,
    "state": _state,
    "warplda": _warplda,
    "run": _run,
}
assert set(FORMATS) == {*KINDS, "state", "warplda", "run"} - {"folder"}
