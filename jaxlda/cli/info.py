"""``jaxlda info``: what a file is: a saved model, or documents."""

import argparse
import zipfile
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command
from jaxlda.cli._files import add_input, check_output, read
from jaxlda.cli._output import Table, add_output, write
from jaxlda.running import archive

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "info",
        run,
        "jaxlda info news.jaxlda",
        help="what a saved model, or a file of documents, holds",
        description="Say what a file is: of a saved model its kind, sizes, parameters and how far its chains are; of "
        "documents how many there are, with how many words.",
    )
    parser.add_argument("file", type=Path, help="a saved model, or documents")
    add_input(parser, choose_words=False)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print what is known."""
    check_output(options.output)
    facts = _of_model(options.file) if _is_model(options.file) else _of_documents(read(options.file, options))
    table = Table(["what", "value"], list(facts.items()))
    width = max(map(len, facts))
    write(table, options, lambda: "".join(f"{name:{width}}  {value}\n" for name, value in facts.items()))


def _is_model(path: Path) -> bool:
    """Whether a file is one of ours: a zip that begins with a header."""
    if not (path.is_file() and zipfile.is_zipfile(path)):
        return False
    with zipfile.ZipFile(path) as archived:
        return archived.namelist()[:1] == ["header.json"]


def _of_model(path: Path) -> dict[str, Any]:
    """Facts of a model or run, from the header of its file alone."""
    from jaxlda.running.values import decoded

    head, _, writer = archive.read(path, lambda name: False)
    facts: dict[str, Any] = {"file": str(path), "written by": writer}
    facts["kind"] = head.get("model", "run of jaxlda.run")
    run, shown = head.get("run"), head.get("shown", {})
    if run is None:
        facts["holds"] = "topics only"
    else:
        facts |= {"chains": run["num_chains"], "draws per chain": run["draws"], "sweep": run["sweep"]}
    if "num_topics" in shown:
        facts["topics"] = shown["num_topics"]
    found = head.get("found", {})
    if "vocab_" in found:
        facts["words"] = len(found["vocab_"].get("texts", ()))
    if "classes_" in found:
        facts["labels"] = len(found["classes_"].get("texts", ())) or "numbers"
    names = found.get("topic_names_")
    if names is not None:
        facts["topic names"] = ", ".join(decoded(names, {}))
    for number, edit in enumerate(decoded(found["edits_"], {}) if "edits_" in found else (), 1):
        facts[f"edit {number}"] = edit
    for name, value in head.get("params", {}).items():
        if value is not None and not isinstance(value, dict):
            facts[f"parameter {name}"] = value
    return facts


def _of_documents(corpus: Any) -> dict[str, Any]:
    lengths = corpus.n_d
    facts = {
        "documents": corpus.num_docs,
        "empty documents": int((lengths == 0).sum()),
        "words": corpus.num_words,
        "tokens": corpus.num_tokens,
        "tokens of the longest": int(lengths.max(initial=0)),
        "titles": "no" if corpus.titles is None else "yes",
    }
    if corpus.label_names is not None:
        facts["labels"] = len(corpus.label_names)
    if corpus.metadata is not None:
        facts["metadata"] = ", ".join(map(str, corpus.metadata.columns))
    return facts
