"""The layers hold, `import jaxlda` stays light, and what it promises is there."""

import ast
import shutil
import subprocess
import sys

import grimp
import pytest

import jaxlda

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
HEAVY = ["arviz", "bokeh", "jax", "matplotlib", "numpyro", "pandas", "panel", "scipy.stats", "sklearn", "xarray"]


def python(code, cwd):
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=300)


def test_contracts_hold(root):
    lint = python(LINT, root)
    assert lint.returncode == 0, lint.stdout + lint.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("types.py", "from jaxlda import cli", "Imports go one way"),
        ("secret.py", "", "Imports go one way"),
        ("types.py", "import arviz", "Only jaxlda.diagnostics.arviz imports ArviZ"),
        ("types.py", "import numpyro.infer", "Only jaxlda.ppl imports NumPyro"),
        ("types.py", "import panel", "The dashboard's libraries stay out of the core"),
    ],
)
def test_contracts_notice_a_breach(root, tmp_path, module, line, contract):
    package = tmp_path / "jaxlda"
    package.mkdir()
    for name in ["__init__.py", "types.py", "cli.py"]:
        (package / name).touch()
    shutil.copy(root / "pyproject.toml", tmp_path)
    lint = python(LINT, tmp_path)
    assert lint.returncode == 0, lint.stdout + lint.stderr

    (package / module).write_text(line, encoding="utf-8")
    lint = python(LINT, tmp_path)
    assert lint.returncode == 1, lint.stdout + lint.stderr
    assert f"{contract} BROKEN" in lint.stdout, lint.stdout


def test_whoever_imports_jax_has_its_programs_kept():
    """``jaxlda.types`` sees to that when it is imported."""
    graph = grimp.build_graph("jaxlda", include_external_packages=True)
    without_programs = {
        "jaxlda.startup",
        "jaxlda.running.placement",
        "jaxlda.running.processes",
        "jaxlda.cli._processes",
    }
    users = graph.find_modules_that_directly_import("jax") - without_programs
    assert len(users) > 20
    for name in users:
        packages = {name.rsplit(".", i)[0] for i in range(1, name.count("."))}  # which are imported before
        loaded = {name, *packages}
        assert any("jaxlda.types" in graph.find_upstream_modules(one) for one in loaded), name


def test_import_is_light(tmp_path):
    found = python(f"import sys, jaxlda; print([m for m in {HEAVY} if m in sys.modules])", tmp_path)
    assert found.stdout.strip() == "[]", found.stdout + found.stderr


@pytest.mark.parametrize("name", jaxlda.__all__)
def test_public_name(name):
    assert getattr(jaxlda, name) is not None
    assert name in dir(jaxlda)


def test_unknown_name_is_told():
    with pytest.raises(AttributeError, match="has no attribute 'Korpus'"):
        _ = jaxlda.Korpus


def test_type_checkers_see_the_same_names(root):
    tree = ast.parse((root / "jaxlda" / "__init__.py").read_text(encoding="utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    imports = [node for node in ast.walk(block) if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname or alias.name for node in imports for alias in node.names}
    assert seen | {"__version__"} == set(jaxlda.__all__)
