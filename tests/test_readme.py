"""The README's code: every name it uses exists, with the arguments it gives, and the first example runs as printed."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import jaxlda

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def resolved(node: ast.expr, names: dict[str, object]) -> object:
    """What an expression such as ``jaxlda.io.read_text`` is; ``None`` if it does not start with a name we know."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = resolved(node.value, names)
        return None if owner is None else getattr(owner, node.attr)
    return None


def imported(tree: ast.Module) -> dict[str, object]:
    names: dict[str, object] = {"jaxlda": jaxlda}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("jaxlda"):
            exec(compile(ast.Module([node], []), "README.md", "exec"), names)
    return names


@pytest.mark.parametrize("code", BLOCKS, ids=[block.strip().splitlines()[0][:40] for block in BLOCKS])
def test_names_and_arguments_exist(code):
    tree = ast.parse(code)
    names = imported(ast.parse("\n".join(BLOCKS)))
    calls = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            resolved(node, names)
        if not isinstance(node, ast.Call):
            continue
        function = resolved(node.func, names)
        if callable(function) and not any(isinstance(argument, ast.Starred) for argument in node.args):
            keywords = {keyword.arg: None for keyword in node.keywords if keyword.arg}
            inspect.signature(function).bind(*node.args, **keywords)
            calls += 1
    assert calls or "jaxlda" not in code


@pytest.mark.filterwarnings("ignore:.*do not know:UserWarning")
def test_the_first_example_runs():
    texts = ["the cat purrs at another cat", "a dog barks and dogs bark back", "cats purr while dogs bark"] * 20
    code = BLOCKS[0].replace("num_warmup=200", "num_warmup=10").replace("resume(500)", "resume(5)")
    names = {"texts": texts}
    exec(code.replace("num_topics=50", "num_topics=3, progress=False"), names)
    assert names["model"].run_.sweep == 20 and names["model"].phi_.shape[0] == 3
