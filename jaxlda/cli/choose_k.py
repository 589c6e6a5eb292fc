"""``jaxlda choose-k``: compare numbers of topics, and suggest one.

Fit each number of topics to the same documents, and tell how well it predicts others (perplexity, lower is better) and
how good its topics are: coherence, exclusivity, diversity, and stability across chains.

Example: jaxlda choose-k texts.txt --topics 5 10 20 50 --keep comparison.json
"""

import argparse

from jaxlda.cli._arguments import add_parameter, add_sweeps, given, place, positive
from jaxlda.cli._files import add_input, check_output, read
from jaxlda.cli._output import add_output, of_frame, say, write
from jaxlda.models import parameters as declared

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=place, help="the documents")
    told = "the numbers of topics to compare (default: 5 10 20 50)"
    parser.add_argument("--topics", type=positive, nargs="+", metavar="K", default=[5, 10, 20, 50], help=told)
    told = "test on every document once, in this many parts (default: on a fifth of them)"
    parser.add_argument("--folds", type=positive, metavar="N", help=told)
    told = "keep finished fits in this file; given again, the command goes on from there (default: nowhere)"
    parser.add_argument("--keep", type=place, metavar="FILE", help=told)
    add_output(parser)
    add_input(parser, choose_words=True)
    add_sweeps(parser, declared.LDA)
    group = parser.add_argument_group("model")
    for parameter in (declared.KERNEL, declared.ALPHA, declared.BETA):
        add_parameter(group, parameter)


def run(options: argparse.Namespace) -> None:
    """Compare, and print or write."""
    import jaxlda

    check_output(options.output, options.keep)
    corpus = read(options.file, options)
    say(f"{options.file}: {corpus}")
    chosen = given(options, ("kernel", "alpha", "beta"))
    choice = jaxlda.choose_k(corpus, options.topics, folds=options.folds, path=options.keep, **chosen)
    write(of_frame(choice.table), options, lambda: f"{choice}\n")
    if options.form is not None or options.output is not None:
        say(f"suggested: {choice.suggestion}. {choice.why}")
