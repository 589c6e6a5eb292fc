"""The command line, a file for each command, whose docstring is its help."""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from jaxlda.cli._arguments import Help
from jaxlda.cli._files import check_places
from jaxlda.cli._output import say

__all__ = ["main"]

# In the order of the help; each is a module with the functions ``add`` and ``run``.
_COMMANDS = (
    "demo dashboard fit choose_k topics documents prevalence effects report infer evaluate estimate classify convert "
    "info reproduce"
)
_MODULES = {name.replace("_", "-"): import_module(f"jaxlda.cli.{name}") for name in _COMMANDS.split()}


def _parser() -> argparse.ArgumentParser:
    from jaxlda import __version__

    parser = argparse.ArgumentParser(prog="jaxlda", description="Topic models with many compiled chains, in JAX.")
    parser.add_argument("--version", action="version", version=f"jaxlda {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, module in _MODULES.items():
        command = commands.add_parser(name, formatter_class=Help, **_texts(module))
        command.set_defaults(run=module.run)
        module.add(command)
    return parser


def _texts(module: ModuleType) -> dict[str, Any]:
    """The paragraphs of a command's docstring: its title, what it does, and an example; of ``python -OO``, nothing."""
    paragraphs = [" ".join(part.split()) for part in (module.__doc__ or "").split("\n\n")]
    title, description, example, *_ = [*paragraphs, "", ""]
    return {"help": title.partition(": ")[2].removesuffix("."), "description": description, "epilog": example}


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
            _show_warnings(options)
            check_places(options)
            options.run(options)
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever reads our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, OSError) as error:  # of files and options; their messages say what to do
        _tell(_in_words(error), options)
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


def _tell(message: str, options: argparse.Namespace) -> None:
    """A message of the library, with the options of this command instead of Python's.

    >>> import contextlib
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     _tell("is not utf-8; give encoding= or other=", argparse.Namespace(command="fit", encoding=None))
    jaxlda fit: is not utf-8; give --encoding or other=
    """

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}" if found[1] in options else found[0]

    say(f"jaxlda {options.command}: {re.sub(r'(?<=[Gg]ive )([a-z_]+)=', option, message)}")


def _show_warnings(options: argparse.Namespace) -> None:
    """Warnings are for the user: what they say, without the place in our code."""

    def show(message: Warning | str, *place: Any, **file: Any) -> None:
        _tell(str(message), options)

    for category in (UserWarning, RuntimeWarning):
        warnings.simplefilter("always", category)
    warnings.showwarning = show
