"""``jaxlda fit``: topics of documents in a file."""

import argparse
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import FITTING, add_command, add_fitting, add_parameter, given, positive
from jaxlda.cli._files import add_input, check_output, read, save
from jaxlda.cli._output import add_output, say, write
from jaxlda.cli._processes import is_child, join, output_is_ours, run_all
from jaxlda.cli.topics import described, table_of_topics
from jaxlda.models import parameters as declared
from jaxlda.models.saved_topics import of_model

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "fit",
        run,
        "jaxlda fit texts.txt --topics 20 --min-df 5 --stop-words english --save news.jaxlda",
        help="learn topics from documents in a file",
        description="Learn the topics of documents with several chains, print them, and save the model. Ctrl-C stops "
        "after the sweep it is in; the topics so far are printed and saved.",
    )
    parser.add_argument("file", type=Path, help="the documents")
    add_parameter(parser, declared.NUM_TOPICS, "topics")
    parser.add_argument("--words", type=positive, default=10, help="words printed of each topic (default: %(default)s)")
    add_output(parser)
    add_input(parser, choose_words=True)
    add_fitting(parser, declared.LDA)
    add_parameter(parser, declared.LEARN_ALPHA)
    told = "a column of the metadata that alpha depends on; may be repeated (see jaxlda effects)"
    parser.add_argument("--covariate", action="append", dest="covariates", metavar="COLUMN", help=told)
    told = "learn beta while sampling"
    parser.add_argument("--learn-beta", action="store_const", const=declared.LEARN_BETA.choices[-1], help=told)
    told = "share the documents between this many processes on this machine; the kernel is then pcgs if none is given"
    parser.add_argument("--processes", type=positive, default=1, metavar="N", help=f"{told} (default: %(default)s)")


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
