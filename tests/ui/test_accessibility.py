"""Everybody can use the page: axe-core, which reads it as a screen reader does, finds nothing serious on it."""

import os
import shutil
import subprocess
import time

import pytest
from playwright.sync_api import Page, expect

from jaxlda_app.views import VIEWS
from tests.ui.steps import open_view

VERSION = "4.14.0"  # of axe-core
PATIENCE = 20  # seconds: colours fade, and tables get their rows
FOUND = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  return violations.filter(one => ["serious", "critical"].includes(one.impact)).flatMap(one => one.nodes.map(
    node => `${one.id}: ${node.target.flat(Infinity).join(" ")}: ${node.failureSummary}`.replaceAll(/\\s+/g, " ")));
}"""


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, which npm brings."""
    npm = shutil.which("npm")
    if npm is None:
        message = "axe-core comes by npm, which is missing: install it (apt-get install npm)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    folder = tmp_path_factory.mktemp("axe")
    options = ["--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run([npm, "install", *options, f"axe-core@{VERSION}"], check=True, timeout=300)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def unfold(page: Page) -> None:
    """Open all cards that are closed."""
    closed = page.get_by_role("button", name="show more", expanded=False)
    while closed.count():  # some come only when their table is there
        button = closed.first.element_handle()
        button.click()
        page.wait_for_function("button => button.getAttribute('aria-expanded') === 'true'", arg=button)


def violations(page: Page) -> list[str]:
    """What axe-core calls serious or critical, once the page has come to rest."""
    end = time.monotonic() + PATIENCE
    while (found := page.evaluate(FOUND)) and time.monotonic() < end:
        page.wait_for_timeout(200)
    return found


def test_nothing_serious_on_any_view(page, axe):
    page.evaluate(axe)
    scheme, wrong = "light", []
    for title in (view.title for view in VIEWS):
        open_view(page, title)
        expect(page.locator(".brief")).not_to_contain_text("computing")
        unfold(page)
        wrong += [f"{title}, {scheme}: {one}" for one in violations(page)]
        page.get_by_label("Toggle theme").click()  # and so the next view, too, is opened in the other one
        scheme = "dark" if scheme == "light" else "light"
        expect(page.locator(f".mui-{scheme}").first).to_be_attached()
        wrong += [f"{title}, {scheme}: {one}" for one in violations(page)]
    assert not wrong, "\n".join(wrong)
