"""Whatever files, words, titles and labels are called, they are text: in every view, and in the report."""

import pytest
from playwright.sync_api import expect

import jaxlda
from tests.app.snapshots import HOSTILE
from tests.ui.steps import estimates, open_view, press, sample, say, shown, upload
from tests.ui.test_export import downloaded

IMAGE, BOLD = "<img src=x onerror=alert(1)>", "'\"><b>bold</b>"
# Elements that were texts of users.
MADE = """() => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const made = {SCRIPT: e => e.textContent === "alert(1)", IMG: e => e.getAttribute("src") === "x",
                B: e => e.textContent === "bold", I: e => /^[0-9]+$/.test(e.textContent)};
  return all(document).filter(e => made[e.tagName]?.(e)).map(e => e.outerHTML);
}"""


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory):
    """A saved run, all names of which are hostile."""
    made = jaxlda.datasets.simulate(60, 3, 12, 25, beta=0.5, labels_per_doc=1.4, seed=0)[0]
    names = [HOSTILE, IMAGE, BOLD]
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


def nothing_was_made(page):
    assert page.evaluate(MADE) == []


def test_hostile_names_are_text_everywhere(page, new_page, hostile_run, data_of):
    """Dialogs fail the test, as does everything in the console (see ``conftest.pages``)."""
    upload(page, {f"{IMAGE}.jaxlda": hostile_run})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text(f"Read {IMAGE}.jaxlda")
    expect(page.locator(".about")).to_contain_text(IMAGE)
    nothing_was_made(page)
    open_view(page, "Labels")
    expect(shown(page, "labels-words")).to_contain_text("No documents were held out")
    sample(page, burn_in=5, draws=6)
    nothing_was_made(page)
    open_view(page, "Convergence")
    expect(page.locator(".verdict")).not_to_contain_text("Not judged yet.")
    nothing_was_made(page)
    estimates(page, "Hard and soft counts")
    say(page, f"({HOSTILE}")
    say(page, "Gaps of")
    nothing_was_made(page)
    open_view(page, "Topics")
    expect(shown(page, "heading")).to_contain_text(HOSTILE)
    expect(page.get_by_label("Documents with the largest share").locator("option").first).to_contain_text(HOSTILE)
    assert any("<i>" in words for words in data_of(page, "map")["words"])
    expect(page.locator(".topic-list .tabulator-row").first).to_contain_text(HOSTILE)
    expect(page.locator(".passages")).to_contain_text(HOSTILE)
    nothing_was_made(page)
    open_view(page, "Compare")
    expect(page.locator(".pairs tbody tr").first).to_contain_text("<")
    nothing_was_made(page)
    open_view(page, "Documents")
    expect(shown(page, "document-title")).to_contain_text(HOSTILE)
    expect(shown(page, "document-facts")).to_contain_text("labels: ")
    expect(page.locator(".document-text")).to_contain_text("<i>")
    expect(page.get_by_label("Nearest documents").locator("option").first).to_contain_text(HOSTILE)
    nothing_was_made(page)
    open_view(page, "Labels")
    expect(shown(page, "labels-words")).to_contain_text("The best micro F1")
    expect(page.locator(".table").get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
    assert set(data_of(page, "labels")["label"]) == {HOSTILE, IMAGE, BOLD}
    nothing_was_made(page)
    estimates(page, "Samples and associations")
    expect(shown(page, "cue-answer")).to_contain_text("It leads to")
    assert any("<i>" in word for word in data_of(page, "left")["word"])
    nothing_was_made(page)
    open_view(page, "Export")
    name, content = downloaded(page, "Report: everything on one page (.html)")
    assert name.endswith(".html") and "<" not in name
    nothing_was_made(page)
    report = new_page(offline=True)
    report.set_content(content.decode())
    expect(report.get_by_role("heading", name=f"Topics of {IMAGE}.jaxlda")).to_be_visible()
    expect(report.get_by_role("cell", name=HOSTILE, exact=True).first).to_be_visible()
    expect(report.locator(".bk-Figure").first).to_be_visible()
    nothing_was_made(report)
