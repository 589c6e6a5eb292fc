"""A page whose code is run when the site is built, with the figures it draws below each piece of code."""

import ast
import re
from typing import Any

from bokeh.model import Model

from jaxlda.plots import as_html
from jaxlda.plots.texts import Html

__all__ = ["drawn"]

_BLOCK = re.compile(r"^```python\n(.*?)^```\n", flags=re.DOTALL | re.MULTILINE)


def drawn(page: str) -> str:
    """Run the Python code of a page, a block after another, and put what the last line of each gives below it."""
    names: dict[str, Any] = {}
    library = True  # the first figure brings BokehJS, for all of them

    def shown(match: re.Match) -> str:
        nonlocal library
        value = _run(match[1], names)
        if isinstance(value, Model):
            piece, library = as_html(value, library=library), False
        elif isinstance(value, Html):
            piece = value._repr_html_()
        else:
            return match[0]
        return f"{match[0]}\n``````{{raw}} html\n{piece}\n``````\n"

    return _BLOCK.sub(shown, page)


def _run(code: str, names: dict[str, Any]) -> Any:
    """Run code, and give what its last line gives, as a notebook does."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "page", "exec"), names)
    return None if last is None else eval(compile(last, "page", "eval"), names)
