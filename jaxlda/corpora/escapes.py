"""Text that comes from files, made harmless for those who show it: terminals and spreadsheets."""

import re
from typing import Any

__all__ = ["printable", "spreadsheet_text"]

# C0 and C1 controls but tabs and line ends, and signs that turn the direction of writing.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str) -> str:
    r"""A text in which control characters are escaped, so that a file cannot steer the terminal it is shown in.

    >>> printable("a \x1b[31mred\x1b[0m cat")
    'a \\x1b[31mred\\x1b[0m cat'
    """
    return _CONTROLS.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text)


def spreadsheet_text(value: Any) -> Any:
    """A cell for a spreadsheet: text that it would take for a formula gets a quote before it.

    >>> spreadsheet_text("=1+1"), spreadsheet_text("cat"), spreadsheet_text(-1)
    ("'=1+1", 'cat', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
