"""The example of guide/machines.md, which needs four devices. What it shows of clusters is not run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_example_prints_what_is_shown():
    page = (ROOT / "docs" / "guide" / "machines.md").read_text(encoding="utf-8")
    code, shown = (page.split(f"```{kind}\n")[1].split("```")[0] for kind in ("python", "text"))
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == shown
