"""Figures of notebooks, drawn in a real browser without a network."""

import pytest

from jaxlda.plots import as_html
from jaxlda.plots.canvas import canvas
from jaxlda.plots.chains import trace_lines
from jaxlda.plots.scores import panels

# As JupyterLab and VS Code put HTML into a page that is there already: scripts run only if they are made anew.
PUT = """html => {
  const cell = document.createElement("div");
  cell.innerHTML = html;
  document.body.appendChild(cell);
  for (const script of cell.querySelectorAll("script")) {
    const again = document.createElement("script");
    again.textContent = script.textContent;
    script.replaceWith(again);
  }
}"""


@pytest.fixture
def outputs():
    trace = trace_lines({"chain": [0, 0], "sweep": [1, 2], "value": [-9.0, -7.0]})
    grid = panels({"panel": ["a", "b"], "line": ["c", "c"], "x": [1, 2], "y": [2.0, 3.0]}, "x", "y")
    return [as_html(trace), as_html(grid, library=False)]


@pytest.fixture
def page(browser):
    context = browser.new_context(offline=True)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not errors


def drawn(page, number):
    """Wait until so many figures have been painted."""
    page.wait_for_function(
        "number => window.Bokeh && Bokeh.documents.length && "
        "Bokeh.documents.flatMap(d => [...d._all_models.values()]).filter(m => m.type == 'Figure').length == number",
        arg=number,
        timeout=60_000,
    )
    page.locator("canvas:visible").nth(number - 1).wait_for(timeout=60_000)


def test_a_page_that_is_read_from_its_beginning(page, outputs):
    page.set_content("<!DOCTYPE html><html><body>" + "".join(outputs) + "</body></html>")
    drawn(page, 3)
    assert page.get_by_role("img", name="figure: log joint against sweep").count() == 1


def test_outputs_that_are_put_into_a_notebook_one_by_one(page, outputs):
    page.set_content("<!DOCTYPE html><html><body></body></html>")
    for output in outputs:
        page.evaluate(PUT, output)
    drawn(page, 3)


def test_figures_wait_for_bokehjs(page, outputs):
    page.set_content("<!DOCTYPE html><html><body></body></html>")
    for output in outputs[::-1]:  # as where cells are run in another order
        page.evaluate(PUT, output)
    drawn(page, 3)


def test_without_bokehjs_it_says_so(page, monkeypatch):
    monkeypatch.setattr("jaxlda.plots.notebook.WAIT", 200)
    page.set_content(as_html(canvas("x", "y"), library=False))
    page.get_by_text("Run this notebook again").wait_for(timeout=20_000)
