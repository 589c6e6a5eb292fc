"""The page of figures runs, and has every public figure."""

import re
from pathlib import Path

import pytest

from docs.figures import drawn
from jaxlda import plots

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "figures.md").read_text(encoding="utf-8")
PIECES = {"as_html", "as_page", "as_report", "table_of"}  # which take figures


def test_every_figure_is_on_the_page():
    shown = set(re.findall(r"^plots\.(\w+)\(", PAGE, flags=re.MULTILINE))
    assert shown | PIECES == set(plots.__all__)
    assert all(f"plots.{name}(" in PAGE for name in PIECES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*do not know:UserWarning")
def test_the_page_is_drawn():
    page = drawn(PAGE)
    figures = len(re.findall(r"^plots\.(?!tokens|table_of)\w+\(", PAGE, flags=re.MULTILINE))
    assert page.count("embed_item(figure") == figures >= 19
    assert page.count("/* BEGIN bokeh.min.js */") == 1 and page.count('<p class="tokens">') == 1
    assert re.sub(r"\n``````\{raw\} html\n.*?\n``````\n", "", page, flags=re.DOTALL) == PAGE


def test_code_is_run_as_in_a_notebook():
    page = "```python\nfrom jaxlda.plots.texts import Html\nx = 1\n```\n\n```python\nx\nHtml(f'<b>{x}</b>')\n```\n"
    assert drawn(page) == page + "\n``````{raw} html\n<b>1</b>\n``````\n"
