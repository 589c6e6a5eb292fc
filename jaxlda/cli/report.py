"""``jaxlda report``: a saved run as one page to read and to send."""

import argparse
from importlib import import_module
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command, natural
from jaxlda.cli._files import check_output, load_model
from jaxlda.cli._output import say

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "report",
        run,
        "jaxlda report news.jaxlda --output news.html",
        help="write a page about a saved run: verdict, topics, figures",
        description="Write one page of HTML about a saved run: what was fitted, whether the chains agree, the topics "
        "with their words and documents, then figures, settings and code. It needs no server and no internet "
        "connection.",
    )
    parser.add_argument("model", type=Path, help="a run saved by jaxlda fit, model.save or the dashboard")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the page (default: the name of the run, with .html)"
    )
    parser.add_argument("--name", help="what the documents are called (default: the name of the run)")
    parser.add_argument("--chain", type=natural, help="the chain whose topics to show, from 0 (default: the best)")


def run(options: argparse.Namespace) -> None:
    """Write the page."""
    output = options.model.with_suffix(".html") if options.output is None else options.output
    check_output(output)
    model = load_model(options.model)
    name = options.model.stem if options.name is None else options.name
    try:
        page = import_module("jaxlda_app.reporting").report_of(model, name, options.chain)
    except ValueError as error:
        raise ValueError(f"{options.model}: {error}") from None
    output.write_text(page, encoding="utf-8")
    say(f"Report, to open in a browser: {output.resolve()}")
