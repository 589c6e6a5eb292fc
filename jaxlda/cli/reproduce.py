"""``jaxlda reproduce``: the paper's experiments."""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import natural, positive

__all__ = ["add", "run"]

EXPERIMENTS = {"multilabel": "labels of documents by Prior-LDA, from every pair of estimators (section 6)"}


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "reproduce",
        help="compute the paper's tables and print them beside the published ones",
        description="Compute an experiment of the paper; print our tables beside the published ones, with the spread "
        "over runs and significance marks, and save them with every number (JSON) and a picture.",
        epilog="Experiments: " + "; ".join(f"{name}: {what}" for name, what in EXPERIMENTS.items()),
    )
    parser.add_argument("name", nargs="?", choices=EXPERIMENTS, metavar="name", help="an experiment, see --list")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    parser.add_argument("--data", type=Path, help="a folder with data sets; those of JAXLDA_DATA if not given")
    parser.add_argument("--scale", choices=("full", "smoke"), default="full", help="smoke: a check that it works")
    parser.add_argument("--runs", type=positive, help="how many runs to average, if not those of the scale")
    parser.add_argument("--seed", type=natural, default=0, help="of the first run (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("."), help="the folder for JSON, text and picture")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Compute, print and save."""
    if options.list:
        print("\n".join(f"{name:12} {what}" for name, what in EXPERIMENTS.items()))
        return
    if options.name is None:
        raise ValueError(f"which one? Give one of {', '.join(EXPERIMENTS)}, or --list")
    from jaxlda.experiments import multilabel

    def say(line: str) -> None:
        print(line, flush=True)

    report = multilabel.reproduce(options.data, scale=options.scale, seed=options.seed, runs=options.runs, say=say)
    print(f"\n{report}")
    print("saved:", ", ".join(str(path) for path in report.save(options.output)))
