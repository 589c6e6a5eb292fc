"""Documents and models from files: one way for all commands."""

import argparse
import gzip
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxlda.cli._output import say

__all__ = ["FORMATS", "add_input", "check_output", "load_model", "new_documents", "read", "save"]

FORMATS = {
    "text": ("a document a line", (".txt",)),
    "csv": ("a table with a document a row", (".csv", ".tsv")),
    "jsonl": ("a JSON object a line", (".jsonl", ".ndjson")),
    "zip": ("text files in an archive", (".zip",)),
    "ldac": ("LDA-C: counts of numbered words", (".ldac", ".dat")),
    "uci": ("a bag of words of the UCI repository, docword.*", ()),
    "mulan": ("ARFF with --xml", (".arff",)),
    "extreme": ("the Extreme Classification Repository's", ()),
}
_EXTREME = re.compile(rb"\s*\d+ \d+ \d+\s*")


def add_input(parser: argparse.ArgumentParser, *, choose_words: bool, labels: bool = False) -> None:
    """How documents are read; with ``choose_words``, also which words are counted."""
    group = parser.add_argument_group(
        "input",
        "Formats: "
        + "; ".join(f"{name}: {what}" for name, (what, _) in FORMATS.items())
        + ". Each may be gzipped. If not given: by the ending of the file, or else its first line.",
    )
    group.add_argument("--format", choices=FORMATS, help="of the documents")
    group.add_argument("--text", default="text", metavar="COLUMN", help="of texts in csv, jsonl (default: %(default)s)")
    group.add_argument("--title", metavar="COLUMN", help="of titles in csv, jsonl")
    if labels:
        group.add_argument("--labels", default="labels", metavar="COLUMN", help="of labels (default: %(default)s)")
        group.add_argument("--separator", default=";", help="between labels in csv (default: %(default)s)")
    group.add_argument("--pattern", default="*.txt", help="which files of a zip archive (default: %(default)s)")
    group.add_argument("--encoding", default="utf-8", help="of texts (default: %(default)s)")
    group.add_argument("--vocab", type=Path, help="the words of ldac and uci, one a line")
    group.add_argument("--xml", type=Path, help="the names of the labels of an ARFF file")
    group.add_argument("--presence", action="store_true", help="mulan, extreme: values are weights; count words once")
    if choose_words:
        group.add_argument("--min-df", type=_share_or_number, help="words of fewer texts are left out")
        group.add_argument("--max-df", type=_share_or_number, help="words of more texts are left out")
        group.add_argument("--stop-words", metavar="FILE", help="leave out these, one a line; or: english")


def read(
    path: Path, options: argparse.Namespace, labels: str | None = None, words: Mapping[str, Any] | None = None
) -> Any:
    """The corpus in a file; ``labels`` is the column that has them, or ``None`` if they are not wanted.

    ``words`` is how to read texts, in the place of what the options say.
    """
    from jaxlda.corpora import readers as io

    kind = options.format or _format_of(path)
    if kind == "mulan":
        if options.xml is None:
            raise ValueError(f"{path} is an ARFF file: name its labels with --xml FILE")
        return io.read_mulan(path, options.xml, values=_values(options), encoding=options.encoding)
    if kind == "extreme":
        return io.read_extreme(path, values=_values(options))
    if kind in ("ldac", "uci"):
        return (io.read_ldac if kind == "ldac" else io.read_uci)(path, options.vocab)
    words = {"encoding": options.encoding} | (_words(options) if words is None else {"allow_empty": True, **words})
    if kind == "text":
        return io.read_text(path, **words)
    if kind == "zip":
        return io.read_zip(path, options.pattern, labels=None if labels is None else "folder", **words)
    if kind == "jsonl":
        return io.read_jsonl(path, options.text, labels=labels, title=options.title, **words)
    separator = None if labels is None else options.separator or None
    return io.read_csv(path, options.text, labels=labels, title=options.title, label_separator=separator, **words)


def _format_of(path: Path) -> str:
    packed = path.suffix.lower() == ".gz"
    name = (path.with_suffix("") if packed else path).name.lower()
    if name.startswith("docword."):
        return "uci"
    for kind, (_, endings) in FORMATS.items():
        if kind != "text" and name.endswith(endings or "\0"):
            return kind
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            return "extreme" if _EXTREME.fullmatch(file.readline(100)) else "text"
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return "text"  # whose reader says what is wrong with a packed file


def _values(options: argparse.Namespace) -> str:
    return "presence" if options.presence else "counts"


def _words(options: argparse.Namespace) -> dict[str, Any]:
    """Which words to count, as ``CountVectorizer`` takes it."""
    found = {name: getattr(options, name, None) for name in ("min_df", "max_df", "stop_words")}
    words: dict[str, Any] = {name: value for name, value in found.items() if value is not None}
    if words.get("stop_words", "english") != "english":
        lines = Path(words["stop_words"]).read_text(encoding=options.encoding).lower().split()
        words["stop_words"] = lines
    return words


def _share_or_number(text: str) -> int | float:
    try:
        value = int(text) if text.isascii() and text.isdigit() else float(text)
    except ValueError:
        value = -1.0
    if not ((isinstance(value, int) and value >= 1) or 0 < value < 1):
        raise argparse.ArgumentTypeError(f"must be a number of texts, or a share of them below 1; not {text!r}")
    return value


def load_model(path: Path) -> Any:
    """A fitted model that was saved."""
    import jaxlda

    model = jaxlda.load(path)
    if isinstance(model, jaxlda.Run):
        raise ValueError(f"{path} holds a run of jaxlda.run, not a model such as jaxlda fit saves")
    return model


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
    """Save the model, if there is somewhere to."""
    if path is not None:
        model.save(path, only="topics" if topics_only else None)
        say(f"saved: {path}")


def check_output(*paths: Path | None) -> None:
    """Refuse places that cannot be written to before anything is computed."""
    from jaxlda.running.archive import check_writable

    for path in paths:
        if path is not None:
            check_writable(path)
