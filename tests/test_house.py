"""The house is in order: versions agree, extras are those documented, nothing private is imported without need."""

import itertools
import os
import re
import tomllib

import pytest

from jaxlda import startup
from tests.mutations import MUTATIONS

ROOMS = ["jaxlda", "app", "benchmarks", "docs", "notebooks", "tests"]


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_dated_and_cited(root, project):
    sections = re.findall(r"^## (.*)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(project['version'])} - \d{{4}}-\d\d-\d\d", sections[0])
    assert f"\nversion: {project['version']}\n" in (root / "CITATION.cff").read_text(encoding="utf-8")


def test_extras_are_for_notebooks_docs_and_development(root, project):
    """The default install is the toolkit, and nobody is told to install what it brings."""
    assert set(project["optional-dependencies"]) == {"notebooks", "docs", "dev", "all"}
    paths = [*root.glob("*.md"), *(path for room in ROOMS for path in (root / room).glob("**/*.[mp][dy]"))]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    named = {name for names in re.findall(r"(?:jaxlda|\.)\[([a-z,]+)\]", text) for name in names.split(",")}
    assert "all" in named and not named & {"app", "numpyro"}


def test_one_private_import(root):
    """Of JAX, where a version needs it."""
    sources = [path for room in ROOMS for path in (root / room).glob("**/*.py") if path.name != "test_house.py"]
    private = [path.name for path in sources if re.search(r"(import|from) jax\._src", path.read_text(encoding="utf-8"))]
    assert private == ["startup.py"]


def test_nothing_private_where_jax_needs_no_help(monkeypatch):
    monkeypatch.setattr(startup, "version", lambda: startup.UNASKED)
    monkeypatch.setattr(startup, "_backend_started", lambda: pytest.fail("asked a private module"))
    monkeypatch.delenv("JAXLDA_NATIVE", raising=False)
    monkeypatch.setenv("XLA_FLAGS", "")
    startup.native_loops()
    assert startup.OPTION not in os.environ["XLA_FLAGS"]


@pytest.mark.parametrize("plugins", [(), ("jax_plugins",)])
def test_loops_of_accelerators_are_left_alone(monkeypatch, plugins):
    """LLVM compiles for them, too, with the same options: there, unrolled loops are what keeps arrays in registers."""
    monkeypatch.setattr(startup, "version", lambda: (0, 10))
    monkeypatch.setattr(startup, "_backend_started", lambda: False)
    monkeypatch.setattr(startup, "find_spec", lambda package: object() if package in plugins else None)
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.delenv("JAXLDA_NATIVE", raising=False)
    startup.native_loops()
    assert startup.OPTION in os.environ["XLA_FLAGS"]
    assert (startup.VECTORS in os.environ["XLA_FLAGS"]) == (not plugins)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_defects_can_still_be_planted(mutation, root):
    """``make mutations`` takes too long for every change; its texts must not get lost meanwhile."""
    assert (root / mutation.file).read_text(encoding="utf-8").count(mutation.old) == 1
    assert all((root / room).exists() for room in mutation.rooms.split())


def test_every_test_belongs_to_a_command(root):
    """Whatever marks it has: one that no target of the Makefile chooses is never run."""
    short = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    (usual,) = (option.removeprefix("-m ") for option in short["addopts"] if option.startswith("-m "))
    targets = re.findall(r'pytest .*-m (?:"([^"]*)"|([a-z]+))', (root / "Makefile").read_text(encoding="utf-8"))
    rules = [compile(rule, "Makefile", "eval") for rule in (usual, *map("".join, targets))]
    names = [line.split(":")[0] for line in short["markers"]]
    assert len(names) >= 6 and len(rules) >= 7
    for kinds in itertools.product([False, True], repeat=len(names)):
        marks = dict(zip(names, kinds, strict=True))
        assert any(eval(rule, {}, marks) for rule in rules), [name for name, has in marks.items() if has]
