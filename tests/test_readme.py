"""The README's two commands. ``tests/docs/test_pages.py`` runs its code."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["run", "test"])
def test_its_commands_are_those_of_the_makefile(name, root):
    """The gate runs the Makefile's."""
    if shutil.which("make") is None and not os.environ.get("CI"):
        pytest.skip("make is not installed")
    (command,) = re.findall(rf"^<!-- {name}-command -->\n```bash\n(.*?)\n```$", README, re.DOTALL | re.MULTILINE)
    target = {"run": "demo"}.get(name, name)
    clean = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "PYTHON")}
    made = subprocess.run(["make", "-n", target], cwd=root, env=clean, capture_output=True, text=True, check=True)
    assert made.stdout.strip() == command
