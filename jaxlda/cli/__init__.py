"""The command line, a file for each command."""

import argparse
import sys
from collections.abc import Sequence

from jaxlda.cli import classify, dashboard, demo, reproduce

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    from jaxlda import __version__

    parser = argparse.ArgumentParser(prog="jaxlda", description="Topic models with many compiled chains, in JAX.")
    parser.add_argument("--version", action="version", version=f"jaxlda {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for command in (demo, dashboard, classify, reproduce):
        command.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; give the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except (ValueError, TypeError, OSError) as error:  # of files and options; their messages say what to do
        print(f"jaxlda {options.command}: {error}", file=sys.stderr)
        return 2
    return 0
