"""The dashboard is a user of the library like any other: it reads public names only."""

import ast

import pytest

TUPLES = ("_asdict", "_fields", "_replace", "_exit")  # public names of every NamedTuple, and of os


def breaches(code: str) -> list[str]:
    """Modules and attributes in some code that are none of its business."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "jaxlda":
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [part for a in node.names for part in a.name.split(".") if a.name.split(".")[0] == "jaxlda"]
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("self", "cls", "super()"):
            names = [node.attr]
        else:
            continue
        private = [name for name in names if name.startswith("_") and not name.endswith("__") and name not in TUPLES]
        found += [f"line {node.lineno}: {name}" for name in private]
    return found


def test_only_public_names(root):
    files = sorted((root / "app").rglob("*.py"))
    assert len(files) > 5
    wrong = {str(f.relative_to(root)): found for f in files if (found := breaches(f.read_text(encoding="utf-8")))}
    assert not wrong


@pytest.mark.parametrize(
    "line",
    [
        "from jaxlda.models._support import documents",
        "from jaxlda.plots.chains import _shade",
        "import jaxlda.models._stored",
        "run._layout",
    ],
)
def test_a_breach_is_noticed(line):
    assert breaches(line)
