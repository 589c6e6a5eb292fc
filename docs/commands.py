"""The command line in its own words: the help of every command."""

import argparse
import os
from unittest import mock

from jaxlda.cli import _parser

__all__ = ["as_markdown"]


def as_markdown() -> str:
    """A section for every command of ``jaxlda``, as ``jaxlda COMMAND --help`` prints it."""
    with mock.patch.dict(os.environ, COLUMNS="100", NO_COLOR="1"):
        parser = _parser()
        commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction)).choices
        return "\n".join(
            f"## jaxlda {name}\n\n```text\n{command.format_help()}```\n" for name, command in commands.items()
        )
