"""The Run view in a browser: start, pause, resume, stop, more; files whole and broken; texts that are no texts."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.app.test_sources import ARFF, BROKEN, GOOD

EVIL = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>'


def state(page: Page):
    return page.locator(".state div").first  # within the shadow


def sweep(page: Page) -> int:
    found = re.search(r"Sweep ([\d,]+) of", state(page).inner_text())
    return int(found[1].replace(",", "")) if found else 0


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def fill(page: Page, label: str, value: object) -> None:
    box = page.get_by_label(label, exact=True)
    box.fill(str(value))
    box.press("Tab")


def long_run(page: Page) -> None:
    """Begin a run that does not end before the test does."""
    page.get_by_label("Corpus").select_option("Bars: images of rows and columns")
    expect(page.locator(".message")).to_contain_text("Read bars")
    fill(page, "Topics K", 10)
    fill(page, "Draws kept", 100_000)
    press(page, "Start")
    expect(state(page)).to_contain_text("Sampling. Sweep")


def upload(page: Page, files: dict[str, bytes]) -> None:
    page.get_by_label("Corpus").select_option("From a file")
    contents = [{"name": n, "mimeType": "application/octet-stream", "buffer": x} for n, x in files.items()]
    page.locator(".files input[type=file]").set_input_files(contents)
    expect(page.locator(".found")).to_contain_text(f"{len(files)} file(s), read as")


def test_samples_the_bundled_corpus_by_itself(page):
    expect(state(page)).to_contain_text("Sweep", timeout=60_000)
    expect(page.locator(".about")).to_contain_text("395 documents")
    expect(page.locator(".speed")).to_contain_text("million tokens a second")
    expect(page.locator(".brief")).to_contain_text("sweep")


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
    assert sweep(page) > at
    total = re.search(r"of ([\d,]+)", state(page).inner_text())[1]
    press(page, "100 more sweeps")
    expect(state(page)).to_contain_text("Sampling.")
    expect(state(page)).not_to_contain_text(f"of {total}")
    press(page, "Stop")
    expect(state(page)).to_contain_text("Stopped.")


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


def test_every_format_is_read(page):
    for format, files in GOOD.items():
        upload(page, files)
        if format == "csv":
            page.get_by_label("Column of labels").select_option("label")
        press(page, "Read the file")
        expect(page.locator(".message")).to_contain_text(f"Read {next(iter(files))}: Corpus(2 documents")
    expect(state(page)).to_contain_text("Finished.")  # the last is a sample of MALLET
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
    page.get_by_label("Model", exact=True).select_option("PriorLDA")
    fill(page, "Burn-in, sweeps", 5)
    press(page, "Start")
    expect(state(page)).to_contain_text("Finished.")


def test_broken_files_are_refused_and_life_goes_on(page):
    broken = {name: case for name, case in BROKEN.items() if name not in ("nothing", "odd name", "no text column")}
    assert len(broken) >= 10
    for files, message in broken.values():
        upload(page, files)
        press(page, "Read the file")
        expect(page.locator(".message")).to_contain_text(message)
    upload(page, {"pets.arff": ARFF} | {"pets.xml": GOOD["mulan"]["pets.xml"]})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read pets.arff")
    press(page, "Start")
    expect(state(page)).to_contain_text("Finished.")


def test_texts_of_users_are_texts(page):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    quoted = EVIL.replace('"', '""')
    rows = [f'"{quoted} {d}",cat purr dog,"{quoted}"' for d in range(12)]
    upload(page, {"<img src=x onerror=alert(1)>.csv": "\n".join(["title,text,label", *rows]).encode()})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("<img src=x onerror=alert(1)>.csv")
    upload(page, {"evil.ldac": b"2 0:2 1:1\n" * 12, "evil.vocab": f"{EVIL}\nplain\n".encode()})
    press(page, "Read the file")
    expect(page.locator(".message")).to_contain_text("Read evil.ldac")
    fill(page, "Topics K", 2)
    press(page, "Start")
    expect(state(page)).to_contain_text("Finished.")
    views = page.locator(".menu .bk-btn").all()
    assert len(views) == 8
    for view in views:
        view.click()
        page.wait_for_timeout(500)
    assert not dialogs and page.evaluate("window.hacked") is None


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_keyboard_suffices(page, key):
    expect(state(page)).to_contain_text("Sweep")
    where = """() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.innerText ?? "";
    }"""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(where) == "Stop":
            break
    else:
        pytest.fail("Stop is not reached with the tabulator")
    page.keyboard.press(key)
    expect(state(page)).to_contain_text(re.compile("Stopped|Finished"))


def test_nothing_else_is_served(page, server):
    for path in ("/etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/static/..%2f..%2f..%2f..%2fetc/passwd", "/main.py"):
        assert page.request.get(server + path).status in (400, 403, 404), path
