"""``jaxlda convert``: write documents, or the topics of a model, as other files.

Write documents as another kind of file; or write what a model (or a state of MALLET) holds: its topics, the topic
proportions of documents or the topic of every token, as CSV, Parquet or as MALLET does.

Example: jaxlda convert news.jaxlda state.gz --what state
"""

import argparse

from jaxlda.cli._arguments import natural, place, positive
from jaxlda.cli._files import add_input, check_output, contents, load_model, read
from jaxlda.cli._output import say
from jaxlda.corpora.readers.kinds import WRITABLE

__all__ = ["WHAT", "add", "run"]

# As jaxlda.models.exports has them, which need not be imported to show help.
WHAT = ("topics", "theta", "tokens", "state", "topic-keys", "doc-topics")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("source", type=place, help="documents, a saved model, or a state of MALLET")
    parser.add_argument("target", type=place, help="the file to write; its ending tells the kind, and .gz packs it")
    parser.add_argument("--to", choices=WRITABLE, help="documents: the kind of file (default: by the ending)")
    parser.add_argument("--what", choices=WHAT, help="models: what to write (default: topics)")
    parser.add_argument("--chain", type=natural, help="models: the chain to write, from 0 (default: the best)")
    parser.add_argument("--words", type=positive, default=20, help="words of each topic in topic-keys")
    told = "documents: write the words that were counted in place of texts"
    parser.add_argument("--counted", action="store_true", help=told)
    add_input(parser, choose_words=True, labels=True)


def run(options: argparse.Namespace) -> None:
    """Write the documents as another kind of file, or what the model holds."""
    check_output(options.target)
    if contents(options.source) == "corpus":
        if options.what is not None:
            raise ValueError(f"{options.source} holds documents, of which there is no --what; fit a model first")
        from jaxlda.corpora.writers import write_corpus

        corpus = read(options.source, options, options.labels)
        for path in write_corpus(corpus, options.target, options.to, words=options.counted):
            say(f"written: {path}")
        return
    if options.to is not None:
        raise ValueError(f"{options.source} holds a model, of which --what is written, not --to")
    model = load_model(options.source)
    model.export(options.target, options.what or "topics", chain=options.chain, words=options.words)
    say(f"written: {options.target}")
