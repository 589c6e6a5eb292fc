"""The command line, a file for each command."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from jaxlda.cli._output import say

__all__ = ["main"]

# In the order of the help; each is a module with a function ``add``.
_COMMANDS = (
    "demo dashboard fit choose_k topics documents prevalence effects report infer evaluate estimate classify convert "
    "info reproduce"
)
_MODULES = [import_module(f"jaxlda.cli.{name}") for name in _COMMANDS.split()]


def _parser() -> argparse.ArgumentParser:
    from jaxlda import __version__

    parser = argparse.ArgumentParser(prog="jaxlda", description="Topic models with many compiled chains, in JAX.")
    parser.add_argument("--version", action="version", version=f"jaxlda {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for module in _MODULES:
        module.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; give the exit code: 0, 2 for what is wrong with files or options, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # words that a terminal cannot show must not stop the command
            stream.reconfigure(errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    options.arguments = list(arguments)
    try:
        with warnings.catch_warnings():
            _show_warnings(options.command)
            options.run(options)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever reads our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, OSError) as error:  # of files and options; their messages say what to do
        say(f"jaxlda {options.command}: {_in_words(error)}")
        return 2
    return 0


def _in_words(error: Exception) -> str:
    """What is wrong, without the number of the system's error.

    >>> _in_words(FileNotFoundError(2, "No such file or directory", "news.txt"))
    "there is no file 'news.txt'"
    >>> _in_words(PermissionError(13, "Permission denied", "news.txt"))
    "'news.txt': Permission denied"
    """
    if not isinstance(error, OSError) or error.filename is None:
        return str(error)
    if isinstance(error, FileNotFoundError):
        return f"there is no file '{error.filename}'"
    return f"'{error.filename}': {error.strerror}"


def _show_warnings(command: str) -> None:
    """Warnings are for the user: what they say, without the place in our code."""

    def show(message: Warning | str, *place: Any, **file: Any) -> None:
        say(f"jaxlda {command}: {message}")

    for category in (UserWarning, RuntimeWarning):
        warnings.simplefilter("always", category)
    warnings.showwarning = show
