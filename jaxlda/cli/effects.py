"""``jaxlda effects``: how the topics of documents depend on metadata, by a model that has learned it."""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command, level, natural
from jaxlda.cli._files import check_output, load_model
from jaxlda.cli._output import add_output, of_frame, say, write

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "effects",
        run,
        "jaxlda effects news.jaxlda --csv",
        help="how topics depend on metadata",
        description="Print the effects of metadata on the prior of topics, with intervals, of a model that was fitted "
        "with jaxlda fit --covariate: a document expects topic k exp(effect) times as much for each unit.",
    )
    parser.add_argument("model", type=Path, help="what jaxlda fit --covariate saved")
    parser.add_argument("--level", type=level, default=0.95, help="the level of the intervals (default: %(default)s)")
    parser.add_argument("--chain", type=natural, help="the chain whose topics to use, from 0 (default: the best)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    check_output(options.output)
    try:
        table = load_model(options.model).effects(level=options.level, chain=options.chain)
    except ValueError as error:
        raise ValueError(f"{options.model}: {error}") from None
    baseline = (table.attrs["baseline"] or {}).items()
    told = [f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in baseline]
    say(f"compared with a document of {', '.join(told)}; numbers in units of their standard deviation")
    write(of_frame(table), options, lambda: table.to_string(index=False, float_format="%.4f") + "\n")
