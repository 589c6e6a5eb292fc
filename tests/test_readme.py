"""The README's code: every name it uses exists, with the arguments it gives, and the first example runs as printed."""

import ast
import re
from pathlib import Path

import pytest

from tests.snippets import check_calls, imported

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", BLOCKS, ids=[block.strip().splitlines()[0][:40] for block in BLOCKS])
def test_names_and_arguments_exist(code):
    calls = check_calls(ast.parse(code), imported(ast.parse("\n".join(BLOCKS))))
    assert calls or "jaxlda" not in code


@pytest.mark.filterwarnings("ignore:.*do not know:UserWarning")
def test_the_first_example_runs():
    texts = ["the cat purrs at another cat", "a dog barks and dogs bark back", "cats purr while dogs bark"] * 20
    code = BLOCKS[0].replace("num_warmup=200", "num_warmup=10").replace("resume(500)", "resume(5)")
    names = {"texts": texts}
    exec(code.replace("num_topics=50", "num_topics=3, progress=False"), names)
    assert names["model"].run_.sweep == 20 and names["model"].phi_.shape[0] == 3
