"""``jaxlda topics``: what the topics of a saved model are about."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command, natural, positive
from jaxlda.cli._files import check_output, load_model
from jaxlda.cli._output import Table, add_output, rounded, write

__all__ = ["add", "described", "names_of_topics", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "topics",
        run,
        "jaxlda topics news.jaxlda --words 20",
        help="show the topics of a saved model",
        description="Print the topics of a model: the share of the tokens each has, and its most probable words.",
    )
    parser.add_argument("model", type=Path, help="what jaxlda fit or jaxlda classify saved")
    parser.add_argument("--words", type=positive, default=10, help="of each topic (default: %(default)s)")
    parser.add_argument("--chain", type=natural, help="whose topics; those of the model if not given")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the topics."""
    check_output(options.output)
    model = load_model(options.model)
    if options.chain is not None and not hasattr(model, "run_"):
        raise ValueError(f"{options.model} has topics only: there are no chains to choose from")
    if options.chain is not None and options.chain >= model.run_.num_chains:
        raise ValueError(f"there is no chain {options.chain}: {options.model} has 0 to {model.run_.num_chains - 1}")
    table = table_of_topics(model, options.words, options.chain)
    write(table, options, lambda: described(model, options.words, options.chain))


def table_of_topics(model: Any, words: int, chain: int | None = None) -> Table:
    """Number, label if there are any, share of the tokens and words of every topic."""
    columns: dict[str, Any] = {"topic": range(len(model.phi_))}
    if (labels := names_of_topics(model)) is not None:
        columns["label"] = labels
    if hasattr(model, "run_"):
        n_k = model.run_.counts(chain=model.best_chain_ if chain is None else chain).n_k
        columns["share"] = [rounded(size / n_k.sum()) for size in n_k]
    columns["words"] = model.top_words(words, chain)
    return Table(list(columns), list(zip(*columns.values(), strict=True)))


def names_of_topics(model: Any) -> list[str] | None:
    """The label of every topic, empty where it has none; ``None`` if the model knows no labels."""
    if not hasattr(model, "classes_"):
        return None
    classes = [str(label) for label in model.classes_.tolist()]
    of_topics = getattr(model, "label_of_topic_", range(len(classes)))
    return [classes[label] if label >= 0 else "" for label in of_topics]


def described(model: Any, words: int = 10, chain: int | None = None) -> str:
    """The topics for people to read."""
    columns, rows = table_of_topics(model, words, chain)
    told = [dict(zip(columns, row, strict=True)) for row in rows]
    widest = max(len(row.get("label", "")) for row in told)
    lines = [
        f"  {row['topic']:3d}"
        + (f" {row['label']:{widest}}" if "label" in row else "")
        + (f" {row['share']:6.1%}" if "share" in row else "")
        + f"  {' '.join(row['words'])}"
        for row in told
    ]
    return "\n".join([_title(model, columns, chain), *lines]) + "\n"


def _title(model: Any, columns: Sequence[str], chain: int | None) -> str:
    if "share" not in columns:
        return "Topics (words by their probability):"
    told = "(share of the tokens, words by their probability):"
    if "label" in columns:
        return f"Topics and their labels {told}"
    number = model.best_chain_ if chain is None else chain
    best = ", the one of highest log joint" if number == model.best_chain_ and model.run_.num_chains > 1 else ""
    return f"Topics of chain {number}{best} {told}"
