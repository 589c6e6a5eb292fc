"""Exported files open, and hold what was shown."""

import base64
import io
import zipfile

import pytest
from playwright.sync_api import Page, expect

import jaxlda
from tests.ui.conftest import SLOW
from tests.ui.steps import open_view, press, shown


def downloaded(page: Page, file: str) -> tuple[str, bytes]:
    """The name and the content of a file, prepared and downloaded."""
    page.get_by_label("File", exact=True).select_option(file)
    before = "".join(page.locator(".export-state div").all_inner_texts())  # nothing, or of the file before
    press(page, "Prepare")
    expect(shown(page, "export-state")).not_to_have_text(before)
    expect(shown(page, "export-state")).to_contain_text("of sweep", timeout=2 * SLOW)  # all views are asked first
    with page.expect_download() as waiting:
        page.locator(".export-file a, .export-file button").first.click()
    return waiting.value.suggested_filename, waiting.value.path().read_bytes()


@pytest.fixture
def exporting(resting):
    open_view(resting, "Export")
    expect(resting.locator(".export-code pre")).to_contain_text("import jaxlda")
    return resting


def test_files_open(exporting, new_page, tmp_path):
    page = exporting
    name, content = downloaded(page, "Run: to go on with, here or in Python (.jaxlda)")
    assert name == "reuters.jaxlda"
    (tmp_path / name).write_bytes(content)
    model = jaxlda.load(tmp_path / name)
    assert model.run_.num_chains == 4 and len(model.top_words(3)) == 20
    name, content = downloaded(page, "All tables (.zip of .csv)")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {"phi.csv", "phi_p.csv", "theta_p.csv", "top_words.csv", "traces.csv"} <= set(archive.namelist())
    name, content = downloaded(page, "Python code that gives the same chains (.py)")
    assert name == "reuters.py"
    compile(content, name, "exec")
    name, content = downloaded(page, "Report: everything on one page (.html)")
    opened = new_page(offline=True)
    opened.set_content(content.decode())
    expect(opened.get_by_role("heading", name="Topics of reuters")).to_be_visible()
    expect(opened.locator(".bk-Figure").first).to_be_visible()
    assert opened.locator(".bk-Figure").count() == opened.locator("script[type='application/json']").count() > 5


def test_pictures(exporting, new_page):
    page = exporting
    plots = page.get_by_label("Plot", exact=True)
    expect(plots.locator("option", has_text="perplexity_by_samples")).to_have_count(1)
    plots.select_option("document_proportions")
    for format, beginning in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        press(page, format)
        save = page.get_by_role("button", name=f"Save document_proportions as {format}")
        expect(save).to_be_visible()
        expect(page.locator(".picture .bk-Figure")).to_be_visible()
        with page.expect_download() as waiting:
            save.click()
        assert waiting.value.suggested_filename == f"document_proportions.{format.lower()}"
        content = waiting.value.path().read_bytes()
        assert content.startswith(beginning)
        opened = new_page(offline=True)
        kind = {"PNG": "png", "SVG": "svg+xml"}[format]
        opened.set_content(f'<img src="data:image/{kind};base64,{base64.b64encode(content).decode()}">')
        opened.wait_for_function("document.images[0].naturalWidth >= 400")
