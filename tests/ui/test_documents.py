"""Documents, estimators and labels in a browser: they draw data and react; whatever words are, they are text."""

import re

import pytest
from playwright.sync_api import Page, expect

import jaxlda
from jaxlda.plots.estimates import PAIRS
from tests.app.snapshots import HOSTILE
from tests.ui.test_run import fill, press, upload


def shown(page: Page, kind: str):
    """An element within the shadow of a part of the page."""
    return page.locator(f".{kind} div").first


def tokens(page: Page):
    return page.locator(".document-text span")


def length(page: Page) -> int:
    return int(re.search(r"([\d,]+) token", shown(page, "document-facts").inner_text())[1].replace(",", ""))


def open_view(page: Page, title: str) -> None:
    page.get_by_role("button", name=title, exact=True).click()


class TestDocuments:
    def test_reads_and_reacts(self, page, data_of):
        open_view(page, "Documents")
        expect(tokens(page).first).to_be_visible()
        expect(shown(page, "document-facts")).to_contain_text("Document 0 of 355")
        assert tokens(page).count() == length(page) > 50
        proportions = data_of(page, "theta_p")
        assert len(proportions["topic"]) == 20 and abs(sum(proportions["theta_p"]) - 1) < 1e-3
        title = shown(page, "document-title").inner_text()
        press(page, "Next ▶")
        expect(shown(page, "document-facts")).to_contain_text("Document 1 of 355")
        assert shown(page, "document-title").inner_text() != title
        press(page, "◀ Previous")
        press(page, "◀ Previous")
        expect(shown(page, "document-facts")).to_contain_text("Document 354 of 355")
        fill(page, "Document", 0)
        expect(shown(page, "document-title")).to_have_text(title)

    def test_hard_soft_and_order(self, page):
        open_view(page, "Documents")
        expect(tokens(page).first).to_be_visible()
        press(page, "Hard: as drawn")
        expect(page.locator(".document-text span[style*='80']")).to_have_count(length(page))  # all as strong
        press(page, "Soft: most probable")
        expect(page.locator(".document-text span[style*='80']")).not_to_have_count(length(page))
        press(page, "By topic")
        expect(page.get_by_text("in the order of the topics")).to_be_visible()
        numbers = [int(text) for text in page.locator(".document-text sub").all_inner_texts()]
        assert numbers == sorted(numbers)

    def test_search_and_neighbours(self, page):
        expect(page.locator(".brief")).to_contain_text("sweep")
        press(page, "Pause")  # or the neighbours change while one chooses
        expect(page.locator(".brief")).to_contain_text("paused")
        open_view(page, "Documents")
        expect(tokens(page).first).to_be_visible()
        fill(page, "Search words and titles", "pope")
        found = page.get_by_label(re.compile("^Found: [1-9]"))
        expect(found).to_be_visible()
        choice = found.locator("option").first
        text = choice.inner_text()
        found.select_option(index=0)
        expect(shown(page, "document-title")).to_have_text(text[: text.rindex(" (#")])
        near = page.get_by_label("Nearest documents")
        expect(near.locator("option")).to_have_count(10)
        number = re.search(r"\(#(\d+)\)$", near.locator("option").first.inner_text())[1]
        near.select_option(index=0)
        expect(shown(page, "document-facts")).to_contain_text(f"Document {int(number):,} of")
        fill(page, "Search words and titles", "zzzz")
        expect(page.get_by_label("Found: 0")).to_be_visible()


def test_texts_are_bright_in_the_dark(page):
    color = "element => getComputedStyle(element).color.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b) / 3"
    open_view(page, "Documents")
    expect(tokens(page).first).to_be_visible()
    assert shown(page, "document-title").evaluate(color) < 80 > tokens(page).first.evaluate(color)
    press(page, "Dark")
    expect(page.locator(".page")).to_have_class(re.compile("dark"))
    assert shown(page, "document-title").evaluate(color) > 200 < tokens(page).first.evaluate(color)


class TestEstimators:
    def test_curves_grow_and_words_lead_to_words(self, page, data_of):
        open_view(page, "Estimators")
        expect(shown(page, "reading")).to_contain_text("One sample of θᵖ")
        expect(shown(page, "reading")).to_contain_text("40 held-out document(s)")
        first = data_of(page, "φᵖ + θᵖ")
        assert set(PAIRS.values()) <= set(first) and len(first["samples"]) >= 1
        fill(page, "Cue: a word of the corpus", "pope")
        expect(shown(page, "cue-answer")).to_contain_text("“pope” occurs")
        words = data_of(page, "left")
        assert "pope" not in words["word"] and len([word for word in words["left_word"] if word]) == 15
        fill(page, "Cue: a word of the corpus", "popes")
        expect(shown(page, "cue-answer")).to_contain_text("no word “popes”. Like it begin: pope")
        assert data_of(page, "left")["word"] == []


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory):
    """A saved run, all names of which are hostile."""
    made = jaxlda.datasets.simulate(60, 3, 12, 25, beta=0.5, labels_per_doc=1.4, seed=0)[0]
    names = [HOSTILE, "<img src=x onerror=alert(1)>", "'\"><b>bold</b>"]
    corpus = jaxlda.Corpus.from_counts(
        made.counts,
        [*names, *(f"<i>{v}</i>" for v in range(9))],
        titles=[f"{HOSTILE} {d}" for d in range(60)],
        labels=made.labels,
        label_names=names,
    )
    path = tmp_path_factory.mktemp("hostile") / "run.jaxlda"
    settings = {"num_warmup": 5, "num_samples": 2, "thinning": 1, "num_chains": 2, "progress": False}
    jaxlda.PriorLDA(**settings).fit(corpus).save(path)
    return path.read_bytes()


def test_hostile_names_are_text_everywhere(page, hostile_run, data_of):
    page.on("dialog", lambda dialog: pytest.fail("a script of a document was executed"))
    upload(page, {"run.jaxlda": hostile_run})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read run.jaxlda")
    open_view(page, "Documents")
    expect(shown(page, "document-title")).to_have_text(f"{HOSTILE} 0")
    assert page.locator(".document-text script, .document-text i, .document-text img, .document-text b").count() == 0
    expect(shown(page, "document-facts")).to_contain_text("labels: ")
    expect(page.get_by_label("Nearest documents").locator("option").first).to_contain_text(HOSTILE)
    open_view(page, "Labels")
    expect(shown(page, "labels-words")).to_contain_text("No labelled documents were held out")
    open_view(page, "Run")
    press(page, "Start")
    open_view(page, "Labels")
    expect(shown(page, "labels-words")).to_contain_text("The best micro F1")
    tables = page.locator(".table")
    expect(tables.get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
    assert page.locator(".table script, .table img, .table b, .table i").count() == 0
    points = data_of(page, "labels")
    assert set(points["label"]) == {HOSTILE, "<img src=x onerror=alert(1)>", "'\"><b>bold</b>"}
    assert sum(points["documents"]) > 0
    micro = page.locator(".table td.number").first.inner_text()
    page.get_by_label("A document gets").select_option("5 labels")
    expect(page.locator(".table").first.locator("td.number").first).not_to_have_text(micro)
    open_view(page, "Estimators")
    expect(shown(page, "cue-answer")).to_contain_text("It leads to")
    assert any("<i>" in word for word in data_of(page, "left")["word"])
    assert page.evaluate("window.hacked") is None


def test_unsupervised_runs_have_no_labels(page):
    expect(page.locator(".brief")).to_contain_text("sweep")
    open_view(page, "Labels")
    expect(shown(page, "labels-words")).to_contain_text("This run has no labels")
