"""Data and Fit in a browser: start, pause, resume, stop, more; files whole and broken; the history."""

import re
import time

import pytest
from playwright.sync_api import expect

from jaxlda_app.sources import FORMATS
from tests.app.test_sources import ARFF, BROKEN, GOOD
from tests.ui.steps import (
    choose_bars,
    fill,
    fitting,
    long_run,
    open_view,
    press,
    sample,
    shown,
    start,
    state,
    sweep,
    upload,
)


def test_live_sampling_starts_beside_the_finished_run(page):
    fitting(page)
    expect(page.locator(".about")).to_contain_text("395 documents")
    expect(state(page)).to_contain_text("Finished. Sweep 25 of 25.")
    expect(page.locator(".live-words tbody tr")).to_have_count(12)
    fill(page, "Draws kept", 50_000)
    expect(page.locator(".preset [aria-pressed=true]")).to_have_text("Own")
    start(page)
    expect(page.locator(".speed")).to_contain_text("million tokens per second")
    expect(page.locator(".brief")).to_contain_text("sweep")
    expect(page.locator(".runs label")).to_have_count(2)
    page.locator(".runs label").first.click()
    expect(state(page)).to_contain_text("Sweep 25 of 25.")


def test_the_history_is_looked_at_renamed_and_cleared(page):
    choose_bars(page)
    press(page, "Quick look")
    expect(page.get_by_label("Burn-in, sweeps", exact=True)).to_have_value("50")
    for topics in (3, 4):
        fill(page, "Topics K", topics)
        sample(page, burn_in=4, draws=2)
    runs = page.locator(".runs label")
    expect(runs).to_have_count(3)
    fill(page, "Name of the run", "my <b>four</b>")
    expect(runs.nth(2)).to_contain_text("my <b>four</b> · LDA, 4 topics")
    runs.nth(1).click()
    expect(runs.nth(1).locator("input")).to_be_checked()
    expect(page.locator(".changed")).to_contain_text("Topics K")
    open_view(page, "Topics")
    expect(page.locator(".topic-list .tabulator-row")).to_have_count(3)
    open_view(page, "Compare")
    expect(page.locator(".pairs tbody tr").first).to_be_visible()
    expect(page.locator(".quality tbody tr").first).to_contain_text("topics")
    open_view(page, "Fit")
    press(page, "Remove it")
    expect(runs).to_have_count(2)


def test_start_pause_resume_stop_more(page):
    long_run(page)
    expect(state(page)).to_contain_text("left.")
    press(page, "Pause")
    expect(state(page)).to_contain_text("Paused.")
    at = sweep(page)
    assert at > 0
    page.wait_for_timeout(1000)
    assert sweep(page) == at
    press(page, "Resume")
    expect(state(page)).to_contain_text("Sampling.")
    expect(state(page)).not_to_contain_text(f"Sweep {at:,} of")
    press(page, "Stop")
    expect(state(page)).to_contain_text("Stopped.")
    stopped = sweep(page)
    assert stopped > at
    total = re.search(r"of ([\d,]+)", state(page).inner_text())[1]
    press(page, "100 more sweeps")
    expect(state(page)).not_to_contain_text(f"Sweep {stopped:,} of")
    expect(state(page)).to_contain_text(f"of {total}")
    expect(state(page)).to_contain_text("Stopped.")  # by itself, long before the end
    assert sweep(page) >= stopped + 100


@pytest.mark.hours  # how fast the machine is decides
def test_what_is_shown_moves_at_least_twice_a_second(page):
    """In the best of ten stretches of two seconds: the machine may do other things in the others."""
    long_run(page)

    def updates() -> int:
        seen, end = set(), time.monotonic() + 2
        while time.monotonic() < end:
            seen.add(sweep(page))
            page.wait_for_timeout(50)
        return len(seen) - 1

    assert any(updates() >= 4 for _ in range(10))


FEW = ["csv", "ldac", "state"]  # a table, two files, a run
OTHERS = [format for format in GOOD if format not in FEW] + ["state"]


@pytest.mark.parametrize(
    "formats",
    [
        pytest.param(FEW, id="few"),
        # Minutes: each file is looked at, counted and read, by processes. tests.app.test_sources has them in the gate.
        pytest.param(OTHERS, id="others", marks=pytest.mark.hours),
    ],
)
def test_every_format_is_read(page, formats):
    """A saved run besides: ``test_hostile``."""
    assert {*GOOD, "warplda", "run", "parquet"} == set(FORMATS)
    upload(page, {"z.txt": b"2 0:0 1:0\n1 2:1\n", "vocab.txt": b"cat\npurr\ndog\n"})
    page.get_by_label("Format", exact=True).select_option("WarpLDA assignments and vocabulary")
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read z.txt: Corpus(2 documents")
    page.get_by_label("Format", exact=True).select_option("Find out")
    for format in formats:
        files = GOOD[format]
        upload(page, files)
        if format == "csv":
            page.get_by_label("Column of labels").select_option("label")
        press(page, "Read the file")
        expect(page.locator(".message")).to_contain_text(f"Read {next(iter(files))}: Corpus(2 documents")
    fitting(page)
    expect(state(page)).to_contain_text("Finished.")  # the last is a state of MALLET
    press(page, "100 more sweeps")
    expect(page.locator(".message")).to_contain_text("cannot go on here")


def test_labels_of_a_table_are_learned(page):
    lines = [f"{'cat purr' if d % 2 else 'dog bark'},{'land' if d % 2 else 'sea'}" for d in range(30)]
    upload(page, {"pets.csv": "\n".join(["words,kind", *lines]).encode()})
    expect(page.get_by_label("Column of the text")).to_be_visible()
    page.get_by_label("Column of the text").select_option("words")
    page.get_by_label("Column of labels").select_option("kind")
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("2 labels")
    fitting(page)
    page.get_by_label("Model", exact=True).select_option("PriorLDA")
    sample(page)


@pytest.mark.hours  # a process for each file; tests.app.test_reading and test_upload have them in the gate
def test_broken_files_are_refused_and_life_goes_on(page):
    broken = {name: BROKEN[name] for name in ("PDF", "damaged", "ragged table", "broken gzip", "no run")}
    for files, message in broken.values():
        upload(page, files, known=False)
        press(page, "Read the file")
        expect(page.locator(".message")).to_contain_text(message)
    expect(page.locator(".files iframe, .files object, .files embed")).to_have_count(0)  # no viewer of PDFs
    upload(page, {"pets.arff": ARFF} | {"pets.xml": GOOD["mulan"]["pets.xml"]})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read pets.arff")
    sample(page)


def test_a_file_is_read_again_without_another_upload(page):
    text = "id;story;kind\n" + "".join(f"{d};the cat and the dog number {d} ran;pet\n" for d in range(12))
    upload(page, {"stories.csv": text.encode("latin-1")})
    expect(page.get_by_label("Format", exact=True)).to_have_value(re.compile(".+"))  # not blank
    expect(page.get_by_label("Column of the text").locator("option:checked")).to_have_text("story")
    expect(page.locator(".rows td", has_text="number 3 ran")).to_be_visible()
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Corpus(12 documents")
    before = shown(page, "about").inner_text()
    expect(page.locator(".words-kept")).to_contain_text("Keeps")
    kept = shown(page, "words-kept").inner_text()
    expect(page.get_by_label("Column of the text")).to_be_visible()
    page.locator(".stop-words input").uncheck()
    expect(page.locator(".words-kept")).to_contain_text("leaves 0 words out")
    assert shown(page, "words-kept").inner_text() != kept
    press(page, "Read the file")
    expect(shown(page, "about")).not_to_have_text(before)


def test_start_during_a_run_asks(page):
    long_run(page)
    press(page, "Start")
    expect(page.locator(".question")).to_contain_text("stops it")
    at = sweep(page)
    press(page, "Go on with it")
    expect(page.locator(".question")).to_be_hidden()
    expect(state(page)).not_to_contain_text(f"Sweep {at:,} of")
    assert sweep(page) > at
    fill(page, "Topics K", 4)
    expect(page.locator(".changed")).to_contain_text("Topics K")
    press(page, "Start")
    press(page, "Stop it and start")
    expect(page.locator(".changed")).to_be_hidden()
    expect(state(page)).to_contain_text("Sampling. Sweep")


def test_pasted_text_is_read(page):
    open_view(page, "Data")
    page.locator(".pasted textarea").fill("the cat purrs and sleeps\nthe dog barks at a cat\n" * 8)
    press(page, "Use this text")
    expect(page.locator(".message")).to_contain_text("Read pasted.txt: Corpus(16 documents")
    expect(page.locator(".corpus-preview")).to_contain_text("the cat purrs and sleeps")
    expect(page.locator(".corpus-facts")).to_contain_text("stop words")
    press(page, "Choose the number of topics")
    expect(page.locator(".content.fit")).to_be_visible()
