"""``jaxlda info``: what a file holds, documents or a model."""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command
from jaxlda.cli._files import add_input, check_output, contents, load_model, read
from jaxlda.cli._output import Table, add_output, write

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "info",
        run,
        "jaxlda info news.csv",
        help="tell what a file holds",
        description="Tell what a file holds: of documents their number, words, tokens, labels, metadata and what was "
        "left out; of a saved model its class, sizes, algorithm, chains and draws, and what it knows of its documents.",
    )
    parser.add_argument("file", type=Path, help="documents, a saved model, or a state of MALLET")
    parser.add_argument("--labels", metavar="COLUMN", help="the column of labels (default: none)")
    parser.add_argument("--separator", default=";", help="the sign between labels in csv (default: %(default)s)")
    add_output(parser)
    add_input(parser, choose_words=True)


def run(options: argparse.Namespace) -> None:
    """Print it."""
    check_output(options.output)
    kind = contents(options.file)
    if kind == "model":
        rows = _of_model(options.file)
    elif kind == "state":
        from jaxlda.corpora.readers import read_mallet_state

        imported = read_mallet_state(options.file)
        rows = [["kind", "a sample of MALLET"], ["topics", len(imported.priors.alpha)], *_of_corpus(imported.corpus)]
    else:
        rows = _of_corpus(read(options.file, options, options.labels))
    widest = max(len(name) for name, _ in rows)
    write(
        Table(["property", "value"], rows),
        options,
        lambda: "".join(f"{name:{widest}}  {value}\n" for name, value in rows),
    )


def _of_corpus(corpus: Any) -> list[list[Any]]:
    summary = corpus.summary()
    rows = [[name.replace("_", " "), _plain(value)] for name, value in summary.table.items()]
    rows.append(["metadata", ", ".join(summary.columns)])
    return [*rows, *([f"removed: {one.reason}", one.tokens] for one in summary.removed)]


def _of_model(path: Path) -> list[list[Any]]:
    from jaxlda.running import archive

    model = load_model(path)
    K, V = model.phi_.shape
    rows: list[list[Any]] = [["kind", f"a model, {type(model).__name__}"]]
    rows += [["written by", archive.read(path, lambda name: False).writer], ["topics", K], ["words", V]]
    if hasattr(model, "classes_"):
        rows.append(["labels", len(model.classes_)])
    if hasattr(model, "run_"):
        run = model.run_
        rows += [
            ["documents", len(run.data.tokens.n_d)],
            ["tokens", int(run.data.tokens.n_d.sum())],
            ["algorithm", "another program" if run.algorithm is None else run.algorithm.name],
            ["chains", run.num_chains],
            ["sweeps", f"{run.sweep} of {run.schedule.total}"],
            ["draws of each chain", run.num_draws],
            ["kept of draws", ", ".join(run.kept)],
            ["metadata", ", ".join(model.doc_columns_ or ())],
            ["texts", model.written_ is not None and model.written_.texts is not None],
        ]
    else:
        rows.append(["documents", "none: topics only"])
    reads = model.text_options_ is not None and not model.lost_text_options_
    return [*rows, ["reads texts", reads]]


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
