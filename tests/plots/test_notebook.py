"""Figures show themselves in notebooks: BokehJS once, no network, nothing to call before."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlda.plots import as_html, notebook, table_of
from jaxlda.plots.canvas import canvas
from jaxlda.plots.notebook import drawn_from
from jaxlda.plots.scores import panels

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "/* BEGIN bokeh.min.js */"
CELLS = (
    "from jaxlda.plots.chains import trace_lines\nfrom jaxlda.plots.scores import panels",
    "trace_lines({'chain': [0, 0], 'sweep': [1, 2], 'value': [-9.0, -7.0]})",
    "panels({'panel': ['K = 20'], 'line': ['CGS'], 'x': [1], 'y': [3.0]}, 'samples', 'perplexity')",
    "for i in range(2):\n    display(trace_lines({'chain': [0], 'sweep': [1], 'value': [i]}))",
)
RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in json.loads(sys.argv[1])])
NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
print(json.dumps([cell.outputs for cell in notebook.cells]))
"""


@pytest.fixture(scope="module")
def outputs():
    """Of every cell of a notebook; run in another process, as clients of kernels leave sockets to be collected."""
    command = [sys.executable, "-c", RUN, json.dumps(CELLS), str(ROOT)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def pages(cell):
    return ["".join(output["data"]["text/html"]) for output in cell]


@pytest.mark.hours
class TestNotebook:
    def test_the_first_figure_carries_bokehjs_and_no_other(self, outputs):
        assert outputs[0] == []
        carried = [page.count(LIBRARY) for cell in outputs[1:] for page in pages(cell)]
        assert carried == [1, 0, 0, 0]
        assert all(len(page) < 20_000 for cell in outputs[2:] for page in pages(cell))

    def test_it_is_drawn_and_said_in_words(self, outputs):
        (page,) = pages(outputs[1])
        assert "embed_item" in page and 'aria-label="figure: log joint against sweep"' in page
        assert outputs[1][0]["output_type"] == "execute_result"
        assert outputs[1][0]["data"]["text/plain"] == "<figure: log joint against sweep>"
        (grid,) = pages(outputs[2])
        assert "GridPlot" in grid

    def test_nothing_comes_from_elsewhere(self, outputs):
        assert not [
            page for cell in outputs for page in pages(cell) if re.search(r"<(script|link)[^>]*(src|href)", page)
        ]


class TestCarrier:
    @pytest.fixture(autouse=True)
    def fresh(self, monkeypatch):
        monkeypatch.setattr(notebook, "_carrier", None)

    @pytest.fixture
    def run(self, monkeypatch):
        """Run a cell that has some figures; gives which of them carry BokehJS."""
        numbers = iter(range(100))

        def run(cell, figures=1, deleted=()):
            request = notebook._Carrier(cell, f"message {next(numbers)}"), deleted
            monkeypatch.setattr(notebook, "_request", lambda: request)
            return [LIBRARY in canvas("x", "y")._repr_mimebundle_()["text/html"] for _ in range(figures)]

        return run

    def test_a_cell_that_is_run_again_carries_it_again(self, run):
        assert run("a", figures=2) == [True, False]
        assert run("b") == [False]
        assert run("a", figures=2) == [True, False]
        assert run("b") == [False]

    def test_when_its_cell_is_deleted_the_next_one_carries_it(self, run):
        assert run("a") == [True] and run("b", deleted=["c"]) == [False]
        assert run("b", deleted=["c", "a"]) == [True] and run("c", deleted=["a"]) == [False]

    def test_where_cells_have_no_names_it_is_carried_once(self, run):
        assert run(None) == [True] and run(None) == [False]

    def test_where_every_output_is_a_page_of_its_own(self, run, monkeypatch):
        monkeypatch.setitem(sys.modules, "google.colab", notebook)
        assert run("a", figures=2) == [True, True] and run("b") == [True]

    def test_outside_of_notebooks(self):
        assert notebook._request() == (notebook._Carrier(None, None), ())


def test_words_cannot_end_the_script():
    plot = canvas("</script><script>alert(1)</script>", 'a" onmouseover="x')
    page = as_html(plot, library=False)
    assert page.count("<script>") == page.count("</script>") == 1
    assert 'onmouseover="x' not in page.split("<script>")[0].replace("&quot;", "")


def test_figures_stay_what_bokeh_makes_of_them():
    from bokeh.plotting import figure

    grid = panels({"panel": ["a"], "line": ["b"], "x": [1], "y": [2.0]}, "x", "y")
    assert type(canvas("x", "y")) is figure and "_repr_mimebundle_" in vars(grid)
    assert as_html(grid, library=False) and as_html(grid, library=False)  # as often as one likes


def test_tables_of_figures():
    assert table_of(drawn_from(canvas("x", "y"), {"x": [1]})) == {"x": [1]}
    with pytest.raises(TypeError, match=r"table_of takes a figure that jaxlda.plots has made of a model or a run"):
        table_of(canvas("x", "y"))
