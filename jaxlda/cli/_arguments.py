"""Arguments that several commands take."""

import argparse
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from jaxlda.models.parameters import Parameter

__all__ = [
    "FITTING",
    "Help",
    "add_fitting",
    "add_parameter",
    "add_sweeps",
    "given",
    "level",
    "natural",
    "number",
    "number_or_share",
    "place",
    "positive",
]

SWEEPS = {"warmup": "num_warmup", "samples": "num_samples", "thinning": "thinning", "chains": "num_chains"}
"""Options, and what models call them."""
FITTING = ("kernel", "alpha", "beta", "checkpoint")
"""Options of models that have the same name there."""
_DIGITS = 18  # of whole numbers: no computer counts further, and Python is slow to read more
METAVARS = {
    "path": "MODEL",
    "str or Algorithm": "NAME",
    "prior": "NUMBER",
    "positive": "N",
    "natural": "N",
    "seed": "N",
}


class Help(argparse.ArgumentDefaultsHelpFormatter):
    """Tells the default of every option that has one, unless its help does."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        told = action.default is None or action.default is False or "(default: " in (action.help or "")
        return action.help if told else super()._get_help_string(action)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return _whole(text, 1)


def natural(text: str) -> int:
    """A whole number of at least 0."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:_DIGITS]) >= least):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r:.60}")
    if not _digits(text):
        raise argparse.ArgumentTypeError(f"must be less than 10**{_DIGITS}, not {text:.60}")
    return int(text)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS


def number(text: str) -> float:
    """A number greater than 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number greater than 0, not {text!r}")
    return value


def level(text: str) -> float:
    """A number between 0 and 1."""
    value = number(text)
    if value >= 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, not {text!r}")
    return value


def number_or_share(of: str, *names: str) -> Callable[[str], str | int | float]:
    """A kind of option: a whole number of at least 1, a share below 1, or one of these names.

    >>> number_or_share("texts")("5"), number_or_share("texts")("0.5")
    (5, 0.5)
    """

    def parsed(text: str) -> str | int | float:
        if text in names:
            return text
        try:
            value = int(text) if _digits(text) else float(text)
        except ValueError:
            value = -1.0
        if not ((isinstance(value, int) and value >= 1) or 0 < value < 1):
            known = "".join(f"{name!r}, " for name in names)
            raise argparse.ArgumentTypeError(f"must be {known}a number of {of}, or a share below 1; not {text!r}")
        return value

    return parsed


def place(text: str) -> Path:
    """The name of a file or folder. An empty one, as of a variable of a shell that is not set, is not this folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError(f"must be the name of a file or folder, not {text!r}")
    return Path(text)


TYPES = {"positive": positive, "natural": natural, "seed": natural, "prior": number, "path": place}
"""What the kinds of parameters are on a command line."""


def add_parameter(group: Any, parameter: Parameter, option: str | None = None, default: Any = None) -> None:
    """Add the option of a model's parameter, as it is declared; where it is not given, the model decides."""
    option = parameter.name.replace("_", "-") if option is None else option
    default = parameter.default if default is None else default
    line = parameter.line if parameter.line[1] == "," else parameter.line[0].lower() + parameter.line[1:]  # K, a symbol
    told = line + ("" if default is None else f" (default: {default})")
    choices = [choice for choice in parameter.choices if choice is not None] or None
    kind: Any = TYPES.get(parameter.kind)
    group.add_argument(f"--{option}", type=kind, choices=choices, metavar=METAVARS.get(parameter.kind), help=told)


def add_sweeps(parser: argparse.ArgumentParser, parameters: Iterable[Parameter], **defaults: Any) -> None:
    """Add the options of how long to sample; ``defaults`` are what the help shows in the place of the declared ones."""
    group = parser.add_argument_group("sampling")
    known = {one.name: one for one in parameters}
    for option, name in {**SWEEPS, "seed": "seed"}.items():
        add_parameter(group, known[name], option, defaults.get(name))
    group.add_argument("--quiet", action="store_true", help="no progress bar")


def add_fitting(parser: argparse.ArgumentParser, parameters: Iterable[Parameter], **told: Any) -> None:
    """Add the options of fitting and saving a model; ``told`` is shown in the place of declared defaults."""
    known = {one.name: one for one in parameters}
    add_sweeps(parser, known.values(), **told)
    group = parser.add_argument_group("model")
    for name in FITTING:
        add_parameter(group, known[name], default=told.get(name))
    group.add_argument("--save", type=place, metavar="MODEL", help="save the model here")
    group.add_argument("--topics-only", action="store_true", help="save its topics only: a small file, for infer")


def given(options: argparse.Namespace, names: Iterable[str] = ()) -> dict[str, Any]:
    """The sampling options and those named, as models call them; options that were not given are left out."""
    wanted = {**SWEEPS, "seed": "seed"} | {name: name for name in names}
    values = {argument: getattr(options, option) for option, argument in wanted.items()}
    values["progress"] = not options.quiet
    return {argument: value for argument, value in values.items() if value is not None}
