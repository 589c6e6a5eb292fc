"""``jaxlda topics``: show the topics of a saved model.

Print the topics of a model: for each its share of all tokens and its most probable words.

Example: jaxlda topics news.jaxlda --words 20
"""

import argparse
from typing import Any

from jaxlda.cli._arguments import natural, place, positive
from jaxlda.cli._files import MODEL, add_input, check_output, contents, load_model, naming, read
from jaxlda.cli._output import Output, add_output, of_frame, readable, rounded, say, write
from jaxlda.models.saved_topics import Topics, of_file, of_model
from jaxlda.running import archive

__all__ = ["add", "described", "run", "table_of_topics"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help=MODEL)
    parser.add_argument("--words", type=positive, default=10, help="words per topic")
    parser.add_argument("--chain", type=natural, help="the chain whose topics to print, from 0 (default: the best)")
    told = "also coherence (npmi if no measure is named), exclusivity, stability and shares over draws (default: no)"
    measures = ("u_mass", "npmi", "c_npmi", "c_uci", "c_v")
    parser.add_argument("--quality", nargs="?", const="npmi", choices=measures, metavar="|".join(measures), help=told)
    told = "names made of the words and phrases that tell topics apart, in the place of those they have (default: no)"
    ways = ("relevance", "llr")
    parser.add_argument("--propose", nargs="?", const="relevance", choices=ways, metavar="|".join(ways), help=told)
    told = "documents in which words are counted (default: those of the model)"
    parser.add_argument("--reference", type=place, metavar="FILE", help=told)
    add_output(parser)
    add_input(parser, choose_words=False)


def run(options: argparse.Namespace) -> None:
    """Print the topics."""
    check_output(options.output)
    if options.quality is not None:
        _with_quality(options)
        return
    if options.propose is not None:
        named = of_model(_proposed(options))
        write(table_of_topics(named, options.words), options, lambda: described(named, options.words))
        return
    state = contents(options.model) == "state"
    topics = None if state else of_file(options.model, options.chain)
    if topics is None:
        model = load_model(options.model)
        writer = "MALLET" if state else archive.read(options.model, lambda name: False).writer
        with naming(options.model):
            topics = of_model(model, options.chain)._replace(writer=writer)
    say(f"{options.model}: saved by {topics.writer}")
    write(table_of_topics(topics, options.words), options, lambda: described(topics, options.words))


def _proposed(options: argparse.Namespace) -> Any:
    """The model, with the names that it proposes if they are asked for."""
    if options.chain is not None:
        raise ValueError("quality and names are those of the best chain's topics: leave out --chain")
    model = load_model(options.model)
    if options.propose is not None:
        model.topic_names = model.propose_names(options.propose)
    return model


def _with_quality(options: argparse.Namespace) -> None:
    """Print the topics and how good they are, which takes the model."""
    model = _proposed(options)
    reference = None
    if options.reference is not None:
        from jaxlda.models.documents import text_options

        reference = read(options.reference, options, words=text_options(model) or {})
    table = model.topics(options.words, coherence=options.quality, reference=reference)
    write(of_frame(table), options, lambda: readable(table))


def table_of_topics(topics: Topics, words: int) -> Output:
    """Number, name if they were named, label if there are any, share of the tokens and words of every topic."""
    columns: dict[str, Any] = {"topic": range(len(topics.phi))}
    if topics.names is not None:
        columns["name"] = topics.names
    if topics.labels is not None:
        columns["label"] = topics.labels
    if topics.n_k is not None:
        columns["share"] = [rounded(size / topics.n_k.sum()) for size in topics.n_k]
    columns["words"] = topics.top_words(words)
    return Output(list(columns), list(zip(*columns.values(), strict=True)))


def described(topics: Topics, words: int = 10) -> str:
    """The topics for people to read."""
    columns, rows = table_of_topics(topics, words)
    told = [dict(zip(columns, row, strict=True)) for row in rows]
    widest = max(len(row.get("label", "")) for row in told)
    longest = max(len(row.get("name", "")) for row in told)
    lines = [
        f"  {row['topic']:3d}"
        + (f" {row['name']:{longest}}" if "name" in row else "")
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
