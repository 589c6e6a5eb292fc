"""``jaxlda info``: tell what a file holds.

Tell what a file holds: of documents their number, words, tokens, labels, metadata and what was left out; of a saved
model its kind, sizes, chains, draws and parameters, and what it knows of its documents.

Example: jaxlda info news.csv
"""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import place
from jaxlda.cli._files import add_input, check_output, contents, read
from jaxlda.cli._output import Output, add_output, write

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=place, help="documents, a saved model, or a state of MALLET")
    add_output(parser)
    add_input(parser, choose_words=True, labels=True)


def run(options: argparse.Namespace) -> None:
    """Print what the file holds."""
    check_output(options.output)
    kind = contents(options.file)
    if kind == "model":
        facts = _of_model(options.file)
    elif kind == "state":
        from jaxlda.corpora.readers import read_mallet_state

        imported = read_mallet_state(options.file)
        facts = {"kind": "a sample of MALLET", "topics": len(imported.priors.alpha), **_of_corpus(imported.corpus)}
    else:
        facts = _of_corpus(read(options.file, options, options.labels))
    width = max(map(len, facts))
    lines = [f"{name:{width}}  {value}\n" for name, value in facts.items()]
    write(Output(["what", "value"], [list(fact) for fact in facts.items()]), options, lambda: "".join(lines))


def _of_corpus(corpus: Any) -> dict[str, Any]:
    """The summary of documents."""
    summary = corpus.summary()
    facts = {name.replace("_", " "): _plain(value) for name, value in summary.table.items()}
    facts |= {"titles": corpus.titles is not None, "metadata": ", ".join(summary.columns)}
    return facts | {f"removed: {one.reason}": one.tokens for one in summary.removed}


def _of_model(path: Path) -> dict[str, Any]:
    """Facts of a model or a run, from the header of its file alone."""
    from jaxlda.running import archive

    head, _, writer = archive.read(path, lambda name: False)
    with archive.consistent(path):
        return {"file": str(path), "written by": writer, **_of_header(head)}


def _of_header(head: dict[str, Any]) -> dict[str, Any]:
    from jaxlda.running.values import decoded

    found, run, shown = (head.get(name) or {} for name in ("found", "run", "shown"))
    facts: dict[str, Any] = {"kind": head.get("model", "run of jaxlda.run")}
    if not run and "model" in head:
        facts["holds"] = "topics only"
    elif run:
        facts |= {"chains": run.get("num_chains"), "draws per chain": run.get("draws"), "sweep": run.get("sweep")}
    if "num_topics" in shown:
        facts["topics"] = shown["num_topics"]
    for name, key in (("words", "vocab_"), ("labels", "classes_"), ("titles", "doc_titles_")):
        if (value := found.get(key)) is not None:
            facts[name] = len(value.get("texts") or value.get("tuple") or value.get("list") or ())
    if (columns := found.get("doc_columns_")) is not None:
        facts["metadata"] = ", ".join(str(name) for name, _ in columns["dict"])
    if (written := found.get("written_")) is not None:
        kept = [name for name, _ in written["dict"]]
        facts |= {"order of tokens": "order" in kept, "texts": "texts" in kept}
    facts["reads texts"] = found.get("text_options_") is not None
    if (names := found.get("topic_names_")) is not None:
        facts["topic names"] = ", ".join(decoded(names, {}))
    for number, edit in enumerate(decoded(found["edits_"], {}) if "edits_" in found else (), 1):
        facts[f"edit {number}"] = edit
    plain = {name: value for name, value in head.get("params", {}).items() if not isinstance(value, dict)}
    return facts | {f"parameter {name}": value for name, value in plain.items() if value is not None}


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
