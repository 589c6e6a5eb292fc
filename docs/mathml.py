"""Formulas as MathML, which browsers draw themselves: no script, no fonts, no network."""

import re
import xml.etree.ElementTree as ET
from html import unescape
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
        return _mended(tex2mathml(code, as_block=block))
    except Exception as error:
        raise ExtensionError(f"this formula is more than docutils understands ({error}): {tex}") from error


NAMESPACE = "http://www.w3.org/1998/Math/MathML"
ACCENTS = set("ˆˉ˜^¯~")


def _mended(code: str) -> str:
    """Put indices beside letters with a hat, and words beneath braces, where docutils puts them elsewhere."""
    ET.register_namespace("", NAMESPACE)
    root = ET.fromstring(re.sub(r"&(?!amp;|lt;|gt;)\w+;", lambda entity: unescape(entity[0]), code))
    for node in list(root.iter()):
        tag, parts = _tag(node), list(node)
        if tag == "munderover" and _is_accent(parts[2]):  # the index of \hat\phi_{kv} stands beneath the letter
            hat = ET.Element(f"{{{NAMESPACE}}}mover", accent="true")
            hat.extend([parts[0], parts[2]])
            _beside(node, hat, "msub", [parts[1]])
        elif tag in ("msub", "msup", "msubsup") and _tag(parts[0]) == "mover" and _is_accent(parts[0][1]):
            _beside(node, parts[0], tag, parts[1:])  # the p of \hat\phi^p stands above the hat
        elif tag == "msub" and _tag(parts[0]) == "munder" and parts[0][1].text == "⏟":
            node.tag = f"{{{NAMESPACE}}}munder"
    return ET.tostring(root, encoding="unicode")


def _tag(node: ET.Element) -> str:
    return node.tag.removeprefix(f"{{{NAMESPACE}}}")


def _is_accent(node: ET.Element) -> bool:
    return _tag(node) == "mo" and (node.text or "") in ACCENTS


def _beside(node: ET.Element, letter: ET.Element, scripts: str, indices: list[ET.Element]) -> None:
    """Make a node a row of a letter and its indices, which are as high as if the letter had no accent."""
    beside = ET.Element(f"{{{NAMESPACE}}}{scripts}")
    beside.extend([ET.Element(f"{{{NAMESPACE}}}mrow"), *indices])
    node[:] = [letter, beside]
    node.tag = f"{{{NAMESPACE}}}mrow"


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
