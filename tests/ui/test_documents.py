"""Documents, estimators and labels in a browser: they draw data and react."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from jaxlda.plots.scores import PAIRS
from jaxlda_app.views.estimators import MOST
from tests.ui.steps import click_mark, estimates, fill, fitting, open_view, press, sample, shown, until, upload, use


def tokens(page: Page):
    return page.locator(".document-text span")


def length(page: Page) -> int:
    return int(re.search(r"([\d,]+) token", shown(page, "document-facts").inner_text())[1].replace(",", ""))


@pytest.fixture
def reading(resting):
    """Document 0, whatever the test before has chosen."""
    open_view(resting, "Documents")
    fill(resting, "Document", 0)
    expect(shown(resting, "document-facts")).to_contain_text("Document 0 of 355, counted from 0")
    expect(tokens(resting).first).to_be_visible()
    return resting


class TestDocuments:
    def test_reads_and_reacts(self, reading, data_of):
        page = reading
        expect(shown(page, "document-facts")).to_contain_text("Document 0 of 355, counted from 0")
        assert tokens(page).count() == length(page) > 50
        proportions = data_of(page, "theta_p")
        assert len(proportions["place"]) == 12 and 0.5 < sum(proportions["theta_p"]) <= 1.001
        assert proportions["theta_p"] == sorted(proportions["theta_p"], reverse=True)
        title = shown(page, "document-title").inner_text()
        press(page, "Next ▶")
        expect(shown(page, "document-facts")).to_contain_text("Document 1 of 355")
        assert shown(page, "document-title").inner_text() != title
        press(page, "◀ Previous")
        press(page, "◀ Previous")
        expect(shown(page, "document-facts")).to_contain_text("Document 354 of 355")
        fill(page, "Document", 0)
        expect(shown(page, "document-title")).to_have_text(title)
        until(page, lambda: data_of(page, "here") and len(data_of(page, "here")["x"]) == 1)
        points = data_of(page, "documents")
        assert points["document"] == list(range(355)) and points["title"][0] == title
        places = np.column_stack([points["x"], points["y"]])
        apart = np.linalg.norm(places[:, None] - places, axis=-1) + np.diag(np.full(len(places), np.inf))
        number = int(apart[1:].min(axis=1).argmax()) + 1  # beside which there is none
        click_mark(page, "documents", number)
        expect(shown(page, "document-facts")).to_contain_text(f"Document {number} of")
        until(page, lambda: data_of(page, "here")["x"] == [points["x"][number]])

    def test_hard_soft_and_order(self, reading):
        page = reading
        press(page, "Hard: as drawn")
        expect(page.locator(".document-text span[style*='60']")).to_have_count(length(page))  # all as strong
        press(page, "Soft: most probable")
        expect(page.locator(".document-text span[style*='60']")).not_to_have_count(length(page))
        press(page, "By topic")
        expect(page.get_by_text("in the order of the topics")).to_be_visible()
        numbers = [int(text) for text in page.locator(".document-text sub").all_inner_texts()]
        assert numbers == sorted(numbers)

    def test_search_and_neighbours(self, reading):
        page = reading
        fill(page, "Search words and titles", "pope")
        found = page.get_by_label(re.compile("^Found: [1-9]"))
        expect(found).to_be_visible()
        choice = found.locator("option").first
        text = choice.inner_text()
        found.select_option(index=0)
        expect(shown(page, "document-title")).to_have_text(text[: text.rindex(" (document ")])
        near = page.get_by_label("Nearest documents")
        expect(near.locator("option")).to_have_count(10)
        number = re.search(r"\(document (\d+)\)$", near.locator("option").first.inner_text())[1]
        near.select_option(index=0)
        expect(shown(page, "document-facts")).to_contain_text(f"Document {int(number):,} of")
        fill(page, "Search words and titles", "zzzz")
        expect(page.get_by_label("Found: 0")).to_be_visible()


def test_texts_are_shown_as_they_were_written(page):
    lines = [f"{'The cat, the CAT-fish' if d % 2 else 'A dog & <i>a</i> whale'} number {d}." for d in range(20)]
    upload(page, {"pets.txt": "\n".join(lines).encode()})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read pets.txt")
    fitting(page)
    fill(page, "Topics K", 2)
    fill(page, "Held out, share", 0)
    sample(page)
    open_view(page, "Documents")
    fill(page, "Document", 1)
    expect(page.locator(".document-text p")).to_have_text("The cat, the CAT-fish number 1.")
    assert page.locator(".document-text span").all_inner_texts() == ["cat", "CAT", "fish", "number"]
    assert re.search(r"topic \d: [01]\.\d\d", page.locator(".document-text span").first.get_attribute("title"))
    fill(page, "Search words and titles", "cat")
    expect(page.get_by_label("Found: 10")).to_be_visible()
    expect(page.locator(".document-text .hit")).to_have_count(2)


def test_texts_are_bright_in_the_dark(reading):
    page = reading
    color = "element => getComputedStyle(element).color.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b) / 3"
    assert shown(page, "document-title").evaluate(color) < 80 > tokens(page).first.evaluate(color)
    page.get_by_label("Toggle theme").click()
    expect(page.locator(".mui-dark").first).to_be_attached()
    page.wait_for_timeout(500)  # colours fade
    assert shown(page, "document-title").evaluate(color) > 200 < tokens(page).first.evaluate(color)
    page.get_by_label("Toggle theme").click()


class TestEstimators:
    def test_curves_grow_and_words_lead_to_words(self, resting, data_of):
        page = resting
        estimates(page, "Samples and associations")
        expect(shown(page, "reading")).to_contain_text("One sample of θᵖ")
        expect(shown(page, "reading")).to_contain_text("40 held-out documents")
        first = data_of(page, "φᵖ + θᵖ")
        assert set(PAIRS.values()) <= set(first) and len(first["samples"]) >= 1
        fill(page, "Cue: a word of the corpus", "pope")
        expect(shown(page, "cue-answer")).to_contain_text("“pope” occurs")
        words = data_of(page, "left")
        assert "pope" not in words["word"] and len([word for word in words["left_word"] if word]) == 15
        fill(page, "Cue: a word of the corpus", "popes")
        expect(shown(page, "cue-answer")).to_contain_text("no word “popes”. Words that begin like it: pope")
        assert data_of(page, "left")["word"] == []
        more = min(len(first["samples"]) + 1, MOST)
        until(page, lambda: len(data_of(page, "φᵖ + θᵖ")["samples"]) >= more > 1)
        for chain in ("0", "1"):
            page.get_by_label("Chain", exact=True).select_option(chain)
            expect(shown(page, "reading")).to_contain_text(f"φ of chain {chain} after")


def test_unsupervised_runs_have_no_labels(resting):
    open_view(resting, "Labels")
    expect(shown(resting, "labels-words")).to_contain_text("This run has no labels")
    press(resting, "Choose documents with labels")
    expect(resting.locator(".content.data")).to_be_visible()


def test_labels_are_predicted_as_asked_for(page, data_of):
    use(page, "simulated")
    fitting(page)
    page.get_by_label("Model", exact=True).select_option("PriorLDA")
    sample(page, burn_in=20, draws=2)
    open_view(page, "Labels")
    expect(shown(page, "labels-words")).to_contain_text("The best micro F1")
    points = data_of(page, "labels")
    assert len(points["label"]) == 10 and sum(points["documents"]) >= 30  # held-out documents, with a label or more
    assert all(0 <= x <= 1 for x in points["precision"] + points["recall"])
    for count in (5, 1):
        page.get_by_label("A document gets").select_option(f"{count} label" + "s" * (count > 1))
        until(page, lambda count=count: sum(data_of(page, "labels")["predicted"]) == 30 * count)
    page.get_by_label("A document gets").select_option("5 labels")
    until(page, lambda: sum(data_of(page, "labels")["predicted"]) == 150)
    for choice, option in (("Estimators", "φ + θ"), ("Labels are ranked by", "θ: words and prior")):
        before = data_of(page, "labels")["predicted"]  # the fifth label of a document is a matter of taste
        page.get_by_label(choice).select_option(option)
        until(page, lambda before=before: data_of(page, "labels")["predicted"] != before)
