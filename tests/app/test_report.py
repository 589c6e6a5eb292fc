"""A report holds everything it shows, and nothing in it is more than text."""

import json
from html.parser import HTMLParser

import pandas as pd
import pytest
from bokeh.document import Document
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure

from jaxlda_app.report import Chart, Facts, Topic, clone, page, plot_json
from tests.app.snapshots import HOSTILE


@pytest.fixture
def plot():
    plot = figure(title=HOSTILE, width=300, height=200)
    plot.line("x", "y", source=ColumnDataSource({"x": [1, 2], "y": [3, 4], "word": [HOSTILE, "b"]}))
    return plot


class Reader(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self, page):
        super().__init__()
        self.scripts, self.links, self.text, self.inside = [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
        self.links += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1][1] += data
        else:
            self.text.append(data)


def content(**changes):
    table = pd.DataFrame({HOSTILE: [HOSTILE, "a"], "p": [0.123456789, 2.0]})
    topic = Topic(HOSTILE, 0.5, HOSTILE, [HOSTILE])
    facts, code = [("Corpus", HOSTILE)], f"print({HOSTILE!r})"
    return Facts(HOSTILE, HOSTILE, HOSTILE, [topic], facts, {HOSTILE: table}, code)._replace(**changes)


def test_texts_stay_texts(plot):
    reader = Reader(page(content(), [Chart(HOSTILE, HOSTILE, plot_json(plot))]))
    # Title, heading, summary, verdict, words and example of the topic, heading and caption of the plot, fact, heading
    # of the table, column and cell; the topic's name stands before its share.
    assert reader.text.count(HOSTILE) == 12 and f"{HOSTILE} · 50.0% of the tokens" in reader.text
    assert f"print('{HOSTILE}')" in reader.text
    own = [script for attrs, script in reader.scripts if "alert(1)" in script]
    assert len(own) == 1  # as data of the plot
    data = json.loads(own[0])
    assert HOSTILE in json.dumps(data)
    assert [attrs["type"] for attrs, script in reader.scripts if "alert(1)" in script] == ["application/json"]


def test_needs_nothing_else(plot):
    reader = Reader(page(content(), [Chart("a", "", plot_json(plot))]))
    assert reader.links == []
    assert any("Bokeh" in script for _, script in reader.scripts[:-1])


def test_without_plots():
    reader = Reader(page(content()))
    assert len(reader.scripts) == 1 and "0.12346" in reader.text


def test_long_tables_are_cut():
    text = page(content(tables={"long": pd.DataFrame({"n": range(1000)})}))
    assert "The first 200 of 1,000 rows." in text and text.count("<tr>") == 1 + 1 + 200


class TestPlots:
    def test_a_shown_figure_is_copied_and_stays(self, plot):
        document, other = Document(), figure()
        other.line([1, 2], [3, 4])
        document.title = "shown"
        document.add_root(plot)
        document.add_root(other)
        copy, second = (clone(plot_json(plot), backend="svg") for _ in range(2))
        assert plot.document is document and document.title == "shown"
        names = [{model.id for model in one.references()} for one in (plot, copy, second)]
        assert not names[0] & names[1] and not names[1] & names[2] and len(names[0]) == len(names[1])
        assert copy.output_backend == "svg" and plot.output_backend == "canvas"
        assert copy.renderers[0].data_source.data["word"] == [HOSTILE, "b"]
        assert copy.title.text == HOSTILE

    def test_figures_that_share_data_and_are_in_no_page_can_still_be_shown(self, plot):
        """Exports failed: the first figure's data belonged to a document that nobody had made."""
        another = figure()
        another.line("x", "y", source=plot.renderers[0].data_source)
        copies = [clone(plot_json(one)) for one in (plot, another)]
        assert all(copy.renderers[0].data_source.data["word"] == [HOSTILE, "b"] for copy in copies)
        document = Document()
        for one in (plot, another):
            document.add_root(one)

    def test_grids(self, plot):
        from bokeh.layouts import gridplot

        another = figure()
        another.line([1, 2], [3, 4])
        copy = clone(plot_json(gridplot([[plot, another]])), backend="svg")
        assert [one.output_backend for one, *_ in copy.children] == ["svg", "svg"]


def test_colours_of_a_dark_page_are_left_out(plot):
    plot.background_fill_color = plot.xaxis.major_label_text_color = plot.title.text_color = "#123456"
    line = plot.renderers[0].glyph
    line.line_color = "#654321"
    told = plot_json(plot)
    assert "#123456" not in told and "#654321" in told


def test_a_legend_that_the_page_has_once_for_all_figures_is_in_each(plot):
    plot.line([1, 2], [3, 4], legend_label="chain 0")
    plot.legend.visible = False
    assert clone(plot_json(plot)).legend.visible and not plot.legend.visible
