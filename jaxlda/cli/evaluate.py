"""``jaxlda evaluate``: the perplexity of documents under a saved model.

Halve each document at random, infer its topics from one half and score the other with them (Eqs. 55 and 56): the
perplexity of every pair of estimators, lower is better. The documents must not be those the model was fitted to.

Example: jaxlda evaluate news.jaxlda held-out.txt
"""

import argparse

from jaxlda.cli._arguments import add_sweeps, given, place
from jaxlda.cli._files import add_input, check_output, load_model, new_documents
from jaxlda.cli._output import Output, add_output, of_pairs, rounded, say, write
from jaxlda.models import parameters as declared

__all__ = ["add", "run"]

TITLE = "Perplexity of the unseen half of each document (lower is better):"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help="a model saved by jaxlda fit or jaxlda classify")
    parser.add_argument("file", type=place, help="the documents")
    add_input(parser, choose_words=False)
    add_sweeps(parser, declared.LDA, **declared.INFERENCE, seed="the model's")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Score, and print or write."""
    check_output(options.output)
    model = load_model(options.model)
    corpus = new_documents(options.file, options, model)
    say(f"{options.file}: {corpus}, in the words of the model")
    found = model.perplexity_table(corpus, **given(options))
    rows = [[phi, theta, rounded(found.loc[phi, theta])] for phi in found.index for theta in found.columns]
    write(Output(["phi", "theta", "perplexity"], rows), options, lambda: of_pairs(TITLE, rows, "12.1f"))
