"""Every block of code of the README and of the documentation runs as it is printed."""

import re
import shlex
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from jaxlda import cli
from tests.docs import desk

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for page in (ROOT / "docs").glob("**/*.md") if "_build" not in page.parts)
PAGES.append(ROOT / "README.md")
ELSEWHERE = {  # where these pages run
    "docs/developers.md": "test_developers",
    "docs/guide/figures.md": "test_figures",
    "docs/guide/machines.md": "test_machines",
}
QUICK = {"README.md", "docs/guide/corpora.md"}  # what the short tests run
LONG = {"dashboard", "demo", "reproduce"}  # commands that do not end, or not soon: their options are checked


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def cases(language: str, quick: set[str]) -> list:
    found = [str(page.relative_to(ROOT)) for page in PAGES if blocks(page, language)]
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in found]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    desk.lay_out(folder)
    return folder


@pytest.fixture
def here(files, monkeypatch):
    """The folder of files, as the current one."""
    monkeypatch.chdir(files)
    return files


def numbers_and_words(text: str) -> tuple[list[float], list[str]]:
    """The numbers of a text, and the rest of it, however its lines are broken."""
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)], re.sub(r"\d+(\.\d+)?", "0", text).split()


@pytest.mark.filterwarnings("ignore:dropped .* not in the vocabulary:UserWarning")
@pytest.mark.parametrize("name", [case for case in cases("python", QUICK) if case.values[0] not in ELSEWHERE])
def test_python_runs(name, here, capsys):
    names = desk.names()
    for block in blocks(ROOT / name, "python"):
        exec(compile(block, name, "exec"), names)
    printed = capsys.readouterr().out
    for shown in blocks(ROOT / name, "text"):
        values, words = numbers_and_words(shown)
        found, said = numbers_and_words(printed)
        start = next((i for i in range(len(said)) if said[i : i + len(words)] == words), None)
        assert start is not None, f"{name} shows\n{shown}\nbut the code printed\n{printed}"
        if len(found) == len(values):
            assert found == pytest.approx(values, rel=0.25, abs=0.1)  # another device rounds, and draws, differently


def test_pages_that_run_elsewhere_do():
    for name, module in ELSEWHERE.items():
        assert Path(name).name in (ROOT / "tests" / "docs" / f"{module}.py").read_text(encoding="utf-8")


def commands(name: str) -> list[list[str]]:
    """The commands of a page, each as a list of words; `&&` joins several."""
    words = []
    for block in blocks(ROOT / name, "bash"):
        for line in block.splitlines():
            for part in re.split(r"\s&&\s", line):
                words.append(shlex.split(part, comments=True))
    return [command for command in words if command]


@pytest.mark.parametrize("name", [case.values[0] for case in cases("bash", set())])
def test_commands_exist(name, here):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for program, *arguments in commands(name):
        match program.removeprefix(".venv/bin/"), arguments:
            case "jaxlda", _:
                cli._parser().parse_args(arguments)
            case "make", _:
                assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in arguments), arguments
            case "python", ["-m", module, *_]:
                assert find_spec(module) is not None, module
            case "pip", ["install", *_, target]:
                assert target == "." or target.removeprefix(".[").removesuffix("]") in extras, target
            case "jupyter", ["lab"]:
                assert any(requirement.startswith("jupyterlab") for requirement in extras["notebooks"])
            case _:
                pytest.fail(f"{name}: nobody has tried {program} {' '.join(arguments)}")


@pytest.mark.slow
@pytest.mark.parametrize("name", [case.values[0] for case in cases("bash", set())])
def test_commands_run(name, here, capsys):
    for program, *arguments in commands(name):
        if program == "jaxlda" and (arguments[0] not in LONG or "--list" in arguments):
            assert cli.main(arguments) == 0, capsys.readouterr().err


def test_the_readme_is_short():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.split()) <= 700
    (code,) = blocks(ROOT / "README.md", "python")
    assert "verdict" in code and "Cannot be assessed" not in readme
    assert "LDA.from_sample" in readme


def test_links_of_the_readme_lead_somewhere():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", readme) if not link.startswith("http")]
    assert len(links) >= 10 and all((ROOT / link.partition("#")[0]).exists() for link in links)
    made = re.findall(r"<sub>Made by `python -m ([\w.]+)[^`]*`", readme)
    assert len(made) == readme.count("![") and all(find_spec(module) for module in made)
