"""``jaxlda report``: write a page about a saved run: verdict, topics, figures.

Write one page of HTML about a saved run: what was fitted, whether the chains agree, the topics with their words and
documents, then figures, settings and code. It needs no server and no internet connection.

Example: jaxlda report news.jaxlda --output news.html
"""

import argparse
from importlib import import_module

from jaxlda.cli._arguments import natural, place
from jaxlda.cli._files import check_output, load_model, naming
from jaxlda.cli._output import say
from jaxlda.corpora.replacing import replace_file

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help="a run saved by jaxlda fit, model.save or the dashboard")
    told = "the page (default: the name of the run, with .html)"
    parser.add_argument("-o", "--output", type=place, metavar="FILE", help=told)
    parser.add_argument("--name", help="what the documents are called (default: the name of the run)")
    parser.add_argument("--chain", type=natural, help="the chain whose topics to show, from 0 (default: the best)")


def run(options: argparse.Namespace) -> None:
    """Write the page."""
    output = options.model.with_suffix(".html") if options.output is None else options.output
    check_output(output)
    model = load_model(options.model)
    name = options.model.stem if options.name is None else options.name
    with naming(options.model):
        page = import_module("jaxlda_app.reporting").report_of(model, name, options.chain)
    replace_file(output, page.encode())
    say(f"Report, to open in a browser: {output.resolve()}")
