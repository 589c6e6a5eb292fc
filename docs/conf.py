"""The documentation site. ``python -m docs`` builds it."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from sphinx.ext.napoleon.docstring import NumpyDocstring  # noqa: E402

from docs import commands, equations  # noqa: E402

# To Napoleon, an attribute that is described as "The prior of theta: as given" is of the type "The prior of theta".
NumpyDocstring._consume_inline_attribute = lambda self: ("", self._dedent(self._consume_to_end()))  # type: ignore

project, author = "jaxlda", "The jaxlda developers"
copyright = "the jaxlda developers, Apache-2.0"
release = version = version_of("jaxlda")

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb", "docs.mathml"]
suppress_warnings = ["ref.python"]  # names of attributes become links, and several classes have a phi
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # notebooks come executed, from notebooks.render
nb_render_markdown_format = "myst"

autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes in words, beside properties of the same name
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True

html_theme = "furo"  # whose styles and scripts are its own files, with the reader's own fonts
html_title = "jaxlda"
html_css_files = ["jaxlda.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False


def _filled(app: object, name: str, source: list[str]) -> None:
    """Put what is generated where a page asks for it."""
    for mark, text in (("<!-- equations -->", equations.as_markdown), ("<!-- commands -->", commands.as_markdown)):
        if mark in source[0]:
            source[0] = source[0].replace(mark, text())


def _skipped(app: object, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Leave out what scikit-learn has added to its estimators, which it documents itself."""
    return True if (getattr(member, "__module__", None) or "").startswith("sklearn") else None


def _without_aliases(app: object, what: str, name: str, member: object, options: object, lines: list[str]) -> None:
    """Leave out what Python says about fields of named tuples that nobody has described: "Alias for field number 0"."""
    if lines and lines[0].startswith("Alias for field number"):
        lines.clear()


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", _skipped)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", _without_aliases)  # type: ignore[attr-defined]
    app.connect("source-read", _filled)  # type: ignore[attr-defined]
