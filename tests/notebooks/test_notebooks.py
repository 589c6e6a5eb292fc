"""The notebooks run, and are what notebooks for students should be.

They are executed here as scripts, in the process of the tests: with shapes checked, warnings as errors, and programs
compiled once for all of them. ``python -m notebooks.render`` executes them as a user does, each in a fresh kernel.
"""

import re
from pathlib import Path

import jupytext
import matplotlib
import matplotlib.pyplot as plt
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
names = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])


@pytest.fixture
def pictures(monkeypatch):
    """The figures that are shown, counted and closed."""
    matplotlib.use("Agg")
    shown = []

    def show():
        shown.extend(plt.get_fignums())
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()  # what is wrong with a figure often shows only now
        plt.close("all")

    monkeypatch.setattr(plt, "show", show)
    yield shown
    plt.close("all")


@pytest.mark.notebooks
@names
def test_it_runs(path, pictures, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a report is kept
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), {"__name__": "__main__"})
    assert pictures and not plt.get_fignums()
    assert capsys.readouterr().out
    assert (tmp_path / "python-report.html").exists() == (path.name[:2] == "09")


def test_there_are_eleven():
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{number:02d}" for number in range(1, 12)]


@names
def test_it_teaches(path):
    cells = jupytext.read(path, fmt="py:percent").cells
    first, *_, before_last, last = cells
    title, *rest = first.source.splitlines()
    assert re.fullmatch(rf"# {int(path.name[:2])} · .+", title)
    assert any(line.startswith('> *"') for line in rest), "starts with a question of a student"
    assert "?" in first.source
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    exercises = text[text.index("## Exercises") :]
    answers = re.findall(r"<details><summary>Answer</summary>\n\n.+?\n\n</details>", exercises, re.DOTALL)
    assert 2 <= len(answers) == len(re.findall(r"^\*\*\d\.\*\* ", exercises, re.MULTILINE))
    assert before_last.source == "## What we have seen"
    assert last.cell_type == "code" and len(re.findall(r"^ *assert ", last.source, re.MULTILINE)) >= 4


def test_they_promise_no_more_than_was_measured():
    """What was wrong once: a chain that still climbed, a prior that came twice, accelerators for a sequential loop."""
    text = {path.name[:2]: path.read_text(encoding="utf-8") for path in NOTEBOOKS}
    assert "still_climbing" in text["06"] and "interval(" in text["06"] and "seeds = range(5)" in text["06"]
    assert "twice" not in text["07"]
    assert "#doc source pos typeindex type topic" in text["08"] and "LDA.from_sample" in text["08"]
    assert "loses to a CPU core" in text["10"]
    devices = (FOLDER.parent / "docs" / "guide" / "devices.md").read_text(encoding="utf-8")
    assert "slower on a GPU than on a CPU core" in devices


@names
def test_other_notebooks_that_it_names_exist(path):
    named = {int(number) for number in re.findall(r"notebook (\d+)", path.read_text(encoding="utf-8"))}
    assert named <= set(range(1, 12)) - {int(path.name[:2])}
