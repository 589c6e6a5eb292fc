"""Code in texts (the README, the site): whether the names it uses exist, with the arguments it gives."""

import ast
import inspect

import jaxlda

__all__ = ["check_calls", "imported", "resolved"]


def resolved(node: ast.expr, names: dict[str, object]) -> object:
    """What an expression such as ``jaxlda.io.read_text`` is; ``None`` if it does not start with a name we know."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = resolved(node.value, names)
        return None if owner is None else getattr(owner, node.attr)
    return None


def imported(tree: ast.Module) -> dict[str, object]:
    """What the code imports from the package, by name."""
    names: dict[str, object] = {"jaxlda": jaxlda}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("jaxlda"):
            exec(compile(ast.Module([node], []), "imports", "exec"), names)
    return names


def check_calls(tree: ast.Module, names: dict[str, object]) -> int:
    """Look up every name, and bind the arguments of every call to its signature; give the number of calls."""
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
    return calls
