"""The README's code: every name exists, with the arguments given; what it says to run, runs."""

import ast
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.snippets import check_calls, imported

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", BLOCKS, ids=[block.strip().splitlines()[0][:40] for block in BLOCKS])
def test_names_and_arguments_exist(code):
    calls = check_calls(ast.parse(code), imported(ast.parse("\n".join(BLOCKS))))
    assert calls or "jaxlda" not in code


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*do not know:UserWarning")
def test_the_first_example_runs():
    texts = ["the cat purrs at another cat", "a dog barks and dogs bark back", "cats purr while dogs bark"] * 20
    code = BLOCKS[0].replace("num_warmup=200", "num_warmup=10").replace("resume(500)", "resume(5)")
    names = {"texts": texts}
    exec(code.replace("num_topics=50", "num_topics=3, progress=False"), names)
    assert names["model"].run_.sweep == 10 + 30 * 5 + 5 and names["model"].phi_.shape[0] == 3


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
