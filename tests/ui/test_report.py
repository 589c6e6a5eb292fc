"""The page that ``model.report`` writes, in a real browser without a network."""

import playwright.sync_api as playwright
import pytest

from jaxlda import LDA, Corpus
from tests.models.toy import toy

TEXTS = ["cat purr cat", "dog bark dog", "cat purr purr", "dog bark bark"]
BAD = "<img src=x onerror=alert(1)>"


@pytest.fixture
def page(browser, tmp_path):
    options = {"num_warmup": 1, "num_samples": 1, "num_chains": 1, "trace_every": 0, "progress": False}
    titles = [f"text {d} {BAD}" for d in range(4)]
    model = LDA(2, kernel=toy(), **options).fit(Corpus.from_texts(TEXTS, titles=titles))
    model.topic_names = ["dogs and purrs", BAD]
    model.report(tmp_path / "topics.html", title=BAD, words=3)
    context = browser.new_context(offline=True)
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: errors.append("a script of the data ran"))
    page.goto((tmp_path / "topics.html").as_uri())
    yield page
    context.close()
    assert not errors


def test_a_row_shows_its_topic(page):
    rows = page.locator(".slick-row")
    playwright.expect(rows.nth(0)).to_contain_text("dogs and purrs")
    playwright.expect(rows.nth(1)).to_contain_text(BAD)  # as a text
    first = page.locator(".bk-data-table").nth(1).locator(".slick-row").nth(0)
    playwright.expect(first).to_contain_text("text 1")
    rows.nth(1).click()
    playwright.expect(first).to_contain_text("text 0")
