"""``jaxlda topics``: what the topics of a saved model are about."""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command, natural, positive
from jaxlda.cli._files import check_output, load_model
from jaxlda.cli._output import Table, add_output, rounded, say, write
from jaxlda.models.saved_topics import Topics, of_file, of_model
from jaxlda.running import archive

__all__ = ["add", "described", "run", "table_of_topics"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "topics",
        run,
        "jaxlda topics news.jaxlda --words 20",
        help="show the topics of a saved model",
        description="Print the topics of a model: for each its share of all tokens and its most probable words.",
    )
    parser.add_argument("model", type=Path, help="a model saved by jaxlda fit or jaxlda classify")
    parser.add_argument("--words", type=positive, default=10, help="words per topic (default: %(default)s)")
    parser.add_argument("--chain", type=natural, help="the chain whose topics to print, from 0 (default: the best)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the topics."""
    check_output(options.output)
    topics = of_file(options.model, options.chain)
    if topics is None:
        model, writer = load_model(options.model), archive.read(options.model, lambda name: False).writer
        try:
            topics = of_model(model, options.chain)._replace(writer=writer)
        except ValueError as error:
            raise ValueError(f"{options.model}: {error}") from None
    say(f"{options.model}: saved by {topics.writer}")
    write(table_of_topics(topics, options.words), options, lambda: described(topics, options.words))


def table_of_topics(topics: Topics, words: int) -> Table:
    """Number, label if there are any, share of the tokens and words of every topic."""
    columns: dict[str, Any] = {"topic": range(len(topics.phi))}
    if topics.labels is not None:
        columns["label"] = topics.labels
    if topics.n_k is not None:
        columns["share"] = [rounded(size / topics.n_k.sum()) for size in topics.n_k]
    columns["words"] = topics.top_words(words)
    return Table(list(columns), list(zip(*columns.values(), strict=True)))


def described(topics: Topics, words: int = 10) -> str:
    """The topics for people to read."""
    columns, rows = table_of_topics(topics, words)
    told = [dict(zip(columns, row, strict=True)) for row in rows]
    widest = max(len(row.get("label", "")) for row in told)
    lines = [
        f"  {row['topic']:3d}"
        + (f" {row['label']:{widest}}" if "label" in row else "")
        + (f" {row['share']:6.1%}" if "share" in row else "")
        + f"  {' '.join(row['words'])}"
        for row in told
    ]
    return "\n".join([_title(topics), *lines]) + "\n"


def _title(topics: Topics) -> str:
    if topics.n_k is None:
        return "Topics (words by their probability):"
    told = "(share of the tokens, words by their probability):"
    if topics.labels is not None:
        return f"Topics and their labels {told}"
    best = topics.chain == topics.best_chain and topics.num_chains > 1
    of_best = f", the one of highest {topics.objective}" if best else ""
    return f"Topics of chain {topics.chain}{of_best} {told}"
