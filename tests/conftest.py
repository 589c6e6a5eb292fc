"""What all tests share: shapes checked at run time, repeatable examples, and the way to data outside the repository."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import hypothesis
import jaxtyping
import pytest

# Too late is the same as never: modules imported before the hook keep their unchecked functions.
assert "jaxlda" not in sys.modules, "tests/conftest.py must be loaded before jaxlda is imported"
jaxtyping.install_import_hook("jaxlda", "beartype.beartype")

# Compilation makes the first example slow (no deadline); the gate must not depend on luck (derandomize).
hypothesis.settings.register_profile("jaxlda", deadline=None, derandomize=True)
hypothesis.settings.load_profile("jaxlda")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the project."""
    return ROOT


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], Path]:
    """Path of a file of JAXLDA_DATA; skips the test where it is missing."""
    folder = Path(os.environ.get("JAXLDA_DATA") or ROOT.parent / "shared" / "data")

    def find(name: str) -> Path:
        path = folder / name
        if not path.is_file():
            pytest.skip(f"{name} not found: set JAXLDA_DATA to the folder that holds it")
        return path

    return find
