"""``jaxlda reproduce``: compute the paper's tables and figures.

Compute an experiment of the paper; print our tables beside the published ones and what they say, and save them with
every number (JSON) and figures (HTML). At full scale, finished parts are kept in the output folder: the same command
goes on where it was stopped.

Example: jaxlda reproduce plugin --data DIR --output report
"""

import argparse
import sys
from pathlib import Path

from jaxlda.cli._arguments import natural, place, positive

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("name", nargs="?", metavar="name", help="an experiment, see --list")
    parser.add_argument("--list", action="store_true", help="list the experiments")
    parser.add_argument("--all", action="store_true", help="compute them all, one after another")
    parser.add_argument("--data", type=place, help="a folder with data sets (default: JAXLDA_DATA)")
    parser.add_argument("--scale", choices=("full", "smoke"), default="full", help="smoke: a check that it works")
    told = "how many runs to average (default: 5 at full scale, 2 for smoke)"
    parser.add_argument("--runs", type=positive, help=told)
    told = "numbers of topics to compare (default: the paper's)"
    parser.add_argument("--topics", type=positive, nargs="+", metavar="K", help=told)
    parser.add_argument("--seed", type=natural, default=0, help="the seed of the first run")
    told = "the folder for JSON, text and figures (default: this one)"
    parser.add_argument("--output", type=place, default=Path("."), help=told)


def run(options: argparse.Namespace) -> None:
    """List, or compute, print and save."""
    from jaxlda.experiments import EXPERIMENTS

    if options.list:
        print("\n".join(f"{name:12} {about} ({section})" for name, (_, section, about) in EXPERIMENTS.items()))
        return
    if options.all and options.name is not None:
        raise ValueError(f"give either {options.name} or --all")
    if options.all and options.topics is not None:
        raise ValueError("--topics is for one experiment: not all of them compare numbers of topics")
    if options.all:
        _all(options, list(EXPERIMENTS))
    elif options.name is None:
        raise ValueError(f"which one? Give one of {', '.join(EXPERIMENTS)}, or --all; --list says what they are")
    else:
        _one(options, options.name)


def _all(options: argparse.Namespace, names: list[str]) -> None:
    """Compute what can be; data that are missing must not stop the others."""
    missing = []
    for name in names:
        try:
            _one(options, name)
        except FileNotFoundError as error:
            missing.append(name)
            print(f"{name} is left out: {error}", file=sys.stderr, flush=True)
    if missing:
        raise FileNotFoundError(f"without their data, {', '.join(missing)} could not be computed")


def _one(options: argparse.Namespace, name: str) -> None:
    from jaxlda import experiments

    try:
        report = experiments.reproduce(
            name,
            options.data,
            scale=options.scale,
            seed=options.seed,
            runs=options.runs,
            folder=options.output,
            topics=options.topics,
        )
    except KeyboardInterrupt:
        if options.scale == "full":
            print(f"\nfinished parts of {name} are kept in {options.output}: the same command goes on", file=sys.stderr)
        raise
    print(f"\n{report}")
    print("saved:", ", ".join(str(path) for path in report.save(options.output)), flush=True)
