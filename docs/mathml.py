"""Formulas as MathML, which browsers draw themselves: no script, no fonts, no network."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

__all__ = ["mathml", "setup"]


def mathml(tex: str, *, block: bool = False) -> str:
    """One formula in the part of LaTeX that docutils understands; sizes of brackets are left to the browser."""
    code = re.sub(r"\\[bB]igg?[lrm]?(?![a-zA-Z])", "", tex)
    try:
        return tex2mathml(code, as_block=block)
    except Exception as error:
        raise ExtensionError(f"this formula is more than docutils understands ({error}): {tex}") from error


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math">{mathml(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer ``mathml``, for ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
