"""``jaxlda effects``: how topics depend on metadata.

Print the effects of metadata on the prior of topics, with intervals, of a model that was fitted with jaxlda fit
--covariate: a document expects topic k exp(effect) times as much for each unit.

Example: jaxlda effects news.jaxlda --csv
"""

import argparse

from jaxlda.cli._arguments import level, natural, place
from jaxlda.cli._files import check_output, load_model, naming
from jaxlda.cli._output import add_output, of_frame, say, write

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help="what jaxlda fit --covariate saved")
    parser.add_argument("--level", type=level, default=0.95, help="the level of the intervals")
    parser.add_argument("--chain", type=natural, help="the chain whose topics to use, from 0 (default: the best)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    check_output(options.output)
    model = load_model(options.model)
    with naming(options.model):
        table = model.effects(level=options.level, chain=options.chain)
    baseline = (table.attrs["baseline"] or {}).items()
    told = [f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in baseline]
    say(f"compared with a document of {', '.join(told)}; numbers in units of their standard deviation")
    write(of_frame(table), options, lambda: table.to_string(index=False, float_format="%.4f") + "\n")
