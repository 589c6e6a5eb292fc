"""Documents and models from files: one way for all commands."""

import argparse
import gzip
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import number_or_share, place, positive
from jaxlda.cli._output import say
from jaxlda.corpora.readers.kinds import KINDS, SIZE, TOKENS, UNPACKED

__all__ = [
    "MODEL",
    "add_input",
    "check_output",
    "check_places",
    "contents",
    "load_model",
    "naming",
    "new_documents",
    "read",
    "save",
]

MODEL = "a model saved by jaxlda fit or jaxlda classify, or a state of MALLET"
"""The help of commands that look at one."""
_TABLES = ("csv", "jsonl", "parquet")
# Options, and arguments, that are files.
_READ = ("file", "model", "source", "sample", "train", "test", "vocab", "xml", "metadata", "reference", "stop_words")
_WRITTEN = ("target", "output", "save", "checkpoint", "keep", "report")
_LIMITS = {
    "max_bytes": ("bytes, unpacked", *UNPACKED),
    "max_tokens": ("tokens", *TOKENS),
    "max_size": ("documents, words or labels", *SIZE),
}


def add_input(
    parser: argparse.ArgumentParser, *, choose_words: bool, labels: bool = False, column: str | None = None
) -> None:
    """Add the options of how documents are read, and if asked for, of which words are counted and of their labels.

    ``column`` is the column of labels if none is given.
    """
    group = parser.add_argument_group(
        "input",
        "Formats: "
        + "; ".join(f"{name}: {kind.about}" for name, kind in KINDS.items())
        + ". Files may be packed by gzip, bzip2 or xz; - is standard input. Options left out are found from the file.",
    )
    group.add_argument("--format", choices=KINDS, help="the kind of file (default: recognised)")
    told = "column of texts in tables and jsonl (default: text, or the longest)"
    group.add_argument("--text", metavar="COLUMN", help=told)
    group.add_argument("--title", metavar="COLUMN", help="the column of titles in tables and jsonl")
    if labels:
        told = f"the column of labels (default: {column or 'none'})"
        group.add_argument("--labels", default=column, metavar="COLUMN", help=told)
        group.add_argument("--separator", default=";", help="the sign between labels in csv")
    told = "the sign between cells in csv; tab for tabs"
    group.add_argument("--delimiter", type=_delimiter, metavar="SIGN", help=told)
    group.add_argument("--header", action=argparse.BooleanOptionalAction, help="whether the first row of csv has names")
    group.add_argument("--pattern", help="which files of a zip archive or folder (default: *.txt)")
    group.add_argument("--encoding", help="the encoding of texts (default: Unicode, or else windows-1252)")
    group.add_argument("--vocab", type=place, help="the words of ldac, uci, svmlight, mm and extreme, one per line")
    group.add_argument("--xml", type=place, help="the names of the labels of an ARFF file")
    told = "mulan, extreme, svmlight: values are weights; count words once"
    group.add_argument("--presence", action="store_true", default=None, help=told)
    for name, (noun, least, per_byte) in _LIMITS.items():
        told = f"refuse files with more {noun} (default: {least:,}, or {per_byte} per byte of the file)"
        group.add_argument(f"--{name.replace('_', '-')}", type=positive, metavar="N", help=told)
    if choose_words:
        share = number_or_share("texts")
        group.add_argument("--min-df", type=share, help="leave out words that occur in fewer texts (default: 1)")
        group.add_argument("--max-df", type=share, help="leave out words that occur in more texts (default: all)")
        told = "leave out these, one per line; or those of languages: english, german, de+fr (default: none)"
        group.add_argument("--stop-words", metavar="FILE", help=told)
        told = "words (also of one letter), letters, hyphens, cjk, or a pattern (default: two letters or more)"
        group.add_argument("--token-pattern", metavar="NAME", help=told)
        told = "join neighbours that belong together, such as new_york"
        group.add_argument("--phrases", action="store_true", default=None, help=told)


def read(
    path: Path, options: argparse.Namespace, labels: str | None = None, words: Mapping[str, Any] | None = None
) -> Any:
    """The corpus in a file; ``labels`` is the column that has them, or ``None`` if they are not wanted.

    ``words`` is how to read texts, in the place of what the options say.
    """
    from jaxlda.corpora.readers import corpora, read_vocab

    file = sys.stdin.buffer if str(path) == "-" else path
    limits = {name: getattr(options, name) for name in _LIMITS}
    name = path if file is path else "standard input"
    kind, source = corpora.opened(file, options.format, report=lambda message: say(f"{name}: {message}"), **limits)
    chosen = {name: getattr(options, name) for name in ("text", "title", "delimiter", "header", "pattern", "encoding")}
    chosen |= {"labels_path": options.xml, "values": "presence" if options.presence else None}
    if words is None:
        chosen |= _words(options)
    elif corpora.takes_texts(kind):
        chosen |= {"allow_empty": True, **words}
    if options.vocab is not None:
        chosen["vocab"] = read_vocab(options.vocab, encoding=chosen.pop("encoding"))
    if labels is not None and kind in _TABLES:
        chosen["labels"] = labels
        if kind != "jsonl":
            chosen["label_separator"] = options.separator or None
    elif labels is not None and kind in ("zip", "folder"):
        chosen["labels"] = "folder"
    return corpora.read_corpus(source, kind, **limits, **chosen)


def _delimiter(text: str) -> str:
    sign = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(sign) != 1:
        raise argparse.ArgumentTypeError(f"must be a single sign, or tab; not {text!r}")
    return sign


def _words(options: argparse.Namespace) -> dict[str, Any]:
    """Which words to count, as ``CountVectorizer`` takes it."""
    names = ("min_df", "max_df", "stop_words", "token_pattern", "phrases")
    found = {name: getattr(options, name, None) for name in names}
    words: dict[str, Any] = {name: value for name, value in found.items() if value is not None}
    if "stop_words" in words:
        words["stop_words"] = _stop_words(words["stop_words"], options.encoding)
    return words


def _stop_words(given: str, encoding: str | None) -> str | list[str]:
    """The words of a file; a name that is no file is that of a language."""
    from jaxlda.corpora.stop_words import stop_words

    if given == "english":
        return given
    if Path(given).is_file():
        return Path(given).read_text(encoding=encoding).lower().split()
    try:
        stop_words(given)
    except ValueError as error:
        raise ValueError(f"--stop-words {given}: there is no such file, and {error}") from None
    return given


def contents(path: Path) -> str:
    """What a file holds: a saved ``"model"``, a ``"state"`` of MALLET, or else a ``"corpus"``."""
    if str(path) == "-" or not path.is_file():
        return "corpus"  # which says what is wrong, if anything is
    with path.open("rb") as file:
        head = file.read(64)
    if head.startswith(b"PK") and b"header.json" in head:
        return "model"
    if head.startswith(b"\x1f\x8b"):
        with gzip.open(path) as packed, suppress(OSError, EOFError, zlib.error):
            head = packed.read(64)
    return "state" if head.startswith(b"#doc source pos typeindex") else "corpus"


def load_model(path: Path) -> Any:
    """A fitted model that was saved, or the model of a state of MALLET."""
    import jaxlda
    from jaxlda.corpora.readers import read_mallet_state

    if contents(path) == "state":
        return jaxlda.LDA.from_sample(read_mallet_state(path))
    model = jaxlda.load(path)
    if isinstance(model, jaxlda.Run):
        raise ValueError(f"{path} holds a run of jaxlda.run, not a model such as jaxlda fit saves")
    return model


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Begin what a model refuses inside with the name of its file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def new_documents(path: Path, options: argparse.Namespace, model: Any) -> Any:
    """The corpus in a file, in the words of the model; what it does not know is counted in a warning."""
    from jaxlda.models.documents import documents, text_options

    corpus = read(path, options, words=text_options(model) or {})
    known = documents(model, corpus)
    if known.num_tokens == 0 and corpus.num_tokens > 0 and corpus.text_options is None:
        raise ValueError(
            f"the model knows none of the {corpus.num_words} word(s) of {path}, such as {str(corpus.vocab[0])!r}; it "
            f"knows {str(model.vocab_[0])!r}, say. If words are numbered here and named there, give --vocab"
        )
    return known


def save(model: Any, path: Path | None, topics_only: bool = False) -> None:
    """Save the model if a path is given; where that fails, in a temporary folder, so that it is not lost."""
    if path is None:
        return
    only = "topics" if topics_only else None
    try:
        model.save(path, only=only)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(f"'{path}' could not be written: {reason}. {_saved_elsewhere(model, path, only)}") from None
    say(f"saved: {path}")


def _saved_elsewhere(model: Any, path: Path, only: str | None) -> str:
    try:
        other = Path(tempfile.mkdtemp(prefix="jaxlda-")) / path.name
        model.save(other, only=only)
    except OSError:
        return "Make room, or give another place, and fit again: the same seed gives the same topics"
    return f"The model is in '{other}' instead; move it to where it shall stay"


def check_places(options: argparse.Namespace) -> None:
    """Refuse to write over what is read, or over another thing that is written."""
    read, written = (
        [(name, Path(value)) for name in names if isinstance(value := getattr(options, name, None), str | Path)]
        for names in (_READ, _WRITTEN)
    )
    for _, path in written:
        if any(_same(path, other) for _, other in read):
            raise ValueError(f"{path} is the file to be read: give another one to write")
    for i, (name, path) in enumerate(written):
        for other, second in written[:i]:
            both = _same(path, second) or (path == second and not path.exists())
            if both and {name, other} != {"save", "checkpoint"}:
                raise ValueError(f"--{other} and --{name} are both {path}: give two files")


def _same(path: Path, other: Path) -> bool:
    with suppress(OSError):
        return path.is_file() and other.is_file() and path.samefile(other)
    return False


def check_output(*paths: Path | None) -> None:
    """Refuse places that cannot be written to before anything is computed."""
    from jaxlda.corpora.replacing import check_writable

    for path in paths:
        if path is not None:
            check_writable(path)
