"""``jaxlda fit``: learn topics from documents in a file.

Learn the topics of documents with several chains, print them, and save the model. Ctrl-C stops after the sweep it is
in; the topics so far are printed and saved.

Example: jaxlda fit texts.txt --topics 20 --min-df 5 --stop-words english --save news.jaxlda
"""

import argparse
from contextlib import nullcontext

from jaxlda.cli._arguments import FITTING, add_fitting, add_parameter, given, place, positive
from jaxlda.cli._files import add_input, check_output, read, save
from jaxlda.cli._output import add_output, say, write
from jaxlda.cli._processes import is_child, join, output_is_ours, run_all
from jaxlda.cli.topics import described, table_of_topics
from jaxlda.models import parameters as declared
from jaxlda.models.saved_topics import of_model

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=place, help="the documents")
    add_parameter(parser, declared.NUM_TOPICS, "topics")
    parser.add_argument("--words", type=positive, default=10, help="words printed of each topic")
    add_output(parser)
    add_input(parser, choose_words=True)
    add_fitting(parser, declared.LDA)
    add_parameter(parser, declared.LEARN_ALPHA)
    told = "a column of the metadata that alpha depends on; may be repeated (see jaxlda effects)"
    parser.add_argument("--covariate", action="append", dest="covariates", metavar="COLUMN", help=told)
    told = "learn beta while sampling"
    parser.add_argument("--learn-beta", action="store_const", const=declared.LEARN_BETA.choices[-1], help=told)
    told = "share the documents between this many processes on this machine; the kernel is then pcgs if none is given"
    parser.add_argument("--processes", type=positive, default=1, metavar="N", help=told)


def run(options: argparse.Namespace) -> None:
    """Fit, save and print."""
    import jaxlda

    if options.processes > 1 and not is_child():
        check_output(options.save, options.checkpoint, options.output)
        run_all(options.processes, options.file, options.arguments)
        return
    first = join(options.processes) if options.processes > 1 else True
    if first:
        check_output(options.save, options.checkpoint, options.output)
    corpus = read(options.file, options)
    say(f"{options.file}: {corpus}")
    chosen = given(options, (*FITTING, "learn_alpha", "covariates", "learn_beta"))
    if options.topics is not None:
        chosen["num_topics"] = options.topics
    if options.processes > 1:
        chosen.setdefault("kernel", "pcgs")
    with output_is_ours() if options.processes > 1 else nullcontext():
        model = jaxlda.LDA(**chosen).fit(corpus)
    if not first:
        return
    topics = of_model(model)
    # Printed first: a disk may be full by now, and the topics are what was asked for.
    write(table_of_topics(topics, options.words), options, lambda: described(topics, options.words))
    save(model, options.save, options.topics_only)
    if not model.run_.finished:
        raise KeyboardInterrupt
