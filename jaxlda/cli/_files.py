"""Documents and models from files: one way for all commands."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import positive
from jaxlda.cli._output import say
from jaxlda.corpora.readers.kinds import KINDS

__all__ = ["add_input", "check_output", "load_model", "new_documents", "read", "save"]

_TABLES = ("csv", "jsonl", "parquet")
_LIMITS = ("max_bytes", "max_tokens", "max_size")


def add_input(parser: argparse.ArgumentParser, *, choose_words: bool, labels: bool = False) -> None:
    """How documents are read; with ``choose_words``, also which words are counted."""
    group = parser.add_argument_group(
        "input",
        "Formats: "
        + "; ".join(f"{name}: {kind.about}" for name, kind in KINDS.items())
        + ". Files may be packed by gzip, bzip2 or xz; - is standard input. What is not given is found out.",
    )
    group.add_argument("--format", choices=KINDS, help="of the documents")
    group.add_argument("--text", metavar="COLUMN", help="of texts in tables and jsonl (default: text, or the longest)")
    group.add_argument("--title", metavar="COLUMN", help="of titles in tables and jsonl")
    if labels:
        group.add_argument("--labels", default="labels", metavar="COLUMN", help="of labels (default: %(default)s)")
        group.add_argument("--separator", default=";", help="between labels in csv (default: %(default)s)")
    group.add_argument("--delimiter", type=_delimiter, metavar="SIGN", help="between cells in csv; tab for tabs")
    group.add_argument("--header", action=argparse.BooleanOptionalAction, help="csv: the first row has names, or not")
    group.add_argument("--pattern", help="which files of a zip archive or folder (default: *.txt)")
    group.add_argument("--encoding", help="of texts (default: Unicode, or else windows-1252)")
    group.add_argument("--vocab", type=Path, help="the words of ldac, uci, svmlight, mm and extreme, one per line")
    group.add_argument("--xml", type=Path, help="the names of the labels of an ARFF file")
    group.add_argument(
        "--presence",
        action="store_true",
        default=None,
        help="mulan, extreme, svmlight: values are weights; count words once",
    )
    for name, noun in zip(_LIMITS, ("bytes, unpacked", "tokens", "documents, words or labels"), strict=True):
        group.add_argument(
            f"--{name.replace('_', '-')}", type=positive, metavar="N", help=f"refuse files with more {noun}"
        )
    if choose_words:
        group.add_argument("--min-df", type=_share_or_number, help="words of fewer texts are left out")
        group.add_argument("--max-df", type=_share_or_number, help="words of more texts are left out")
        group.add_argument("--stop-words", metavar="FILE", help="leave out these, one per line; or: english")


def read(
    path: Path, options: argparse.Namespace, labels: str | None = None, words: Mapping[str, Any] | None = None
) -> Any:
    """The corpus in a file; ``labels`` is the column that has them, or ``None`` if they are not wanted.

    ``words`` is how to read texts, in the place of what the options say.
    """
    from jaxlda.corpora.readers import corpora, read_vocab

    file = sys.stdin.buffer if str(path) == "-" else path
    limits = {name: getattr(options, name) for name in _LIMITS}
    report = lambda message: say(f"{'standard input' if file is not path else path}: {message}")  # noqa: E731
    kind, source = corpora.opened(file, options.format, report=report, **limits)
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
