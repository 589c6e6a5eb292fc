"""Arguments that several commands take."""

import argparse
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["FITTING", "add_command", "add_fitting", "add_sweeps", "given", "natural", "number", "positive"]

SWEEPS = {"warmup": "num_warmup", "samples": "num_samples", "thinning": "thinning", "chains": "num_chains"}
"""Options, and what models call them."""
FITTING = ("kernel", "alpha", "beta", "checkpoint")
"""Options of models that have the same name there."""


def positive(text: str) -> int:
    """A whole number of at least 1."""
    value = int(text) if _digits(text.removeprefix("-")) else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return value


def natural(text: str) -> int:
    """A whole number of at least 0."""
    if not _digits(text):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, not {text!r}")
    return int(text)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def number(text: str) -> float:
    """A number greater than 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number greater than 0, not {text!r}")
    return value


def add_command(commands: Any, name: str, run: Any, example: str, **texts: str) -> argparse.ArgumentParser:
    """A parser for a command, with an example at the end of its help."""
    parser: argparse.ArgumentParser = commands.add_parser(name, epilog=f"Example: {example}", **texts)
    parser.set_defaults(run=run)
    return parser


def add_sweeps(parser: argparse.ArgumentParser) -> None:
    """How long to sample. What is not given is left to the model."""
    group = parser.add_argument_group("sampling", "What is not given has the default of the model.")
    group.add_argument("--chains", type=positive, help="independent chains")
    group.add_argument("--warmup", type=natural, help="burn-in, in sweeps")
    group.add_argument("--samples", type=positive, help="draws kept of each chain")
    group.add_argument("--thinning", type=positive, help="sweeps from one draw to the next")
    group.add_argument("--seed", type=natural, help="everything random follows from it")
    group.add_argument("--quiet", action="store_true", help="no progress bar")


def add_fitting(parser: argparse.ArgumentParser) -> None:
    """What a model is fitted by, and where it is kept."""
    add_sweeps(parser)
    group = parser.add_argument_group("model")
    group.add_argument("--kernel", metavar="NAME", help="cgs (Gibbs sampling, the default), cvb0, ...")
    group.add_argument("--alpha", type=number, help="the prior of the topics of a document")
    group.add_argument("--beta", type=number, help="the prior of the words of a topic")
    group.add_argument("--save", type=Path, metavar="MODEL", help="save the model here")
    group.add_argument(
        "--checkpoint",
        type=Path,
        metavar="MODEL",
        help="save the model here while it is fitted, too; the same command goes on from there if it was stopped",
    )


def given(options: argparse.Namespace, names: Iterable[str] = ()) -> dict[str, Any]:
    """Sampling options, and others of these names, as models call them; without those that were not given."""
    wanted = {**SWEEPS, "seed": "seed"} | {name: name for name in names}
    values = {argument: getattr(options, option) for option, argument in wanted.items()}
    return {argument: value for argument, value in values.items() if value is not None} | {
        "progress": not options.quiet
    }
