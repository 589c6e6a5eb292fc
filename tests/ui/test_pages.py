"""Pages as such: every size, light and dark, sessions side by side, closed tabs; slow: many people, and how soon a
click is answered.
"""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.ui.test_run import long_run, press, state, sweep

WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def opened(new_page, server, **options):
    page = new_page(**options)
    page.goto(server)
    page.get_by_role("button", name="Start").wait_for()
    return page


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits(new_page, server, size, scheme):
    page = opened(new_page, server, viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    expect(state(page)).to_contain_text("Sweep")
    dark = re.compile("dark")
    in_dark = expect(page.locator(".page"))
    in_dark.to_have_class(dark) if scheme == "dark" else in_dark.not_to_have_class(dark)
    views = page.locator(".menu .bk-btn").all()
    assert len(views) == 8
    for view in views:
        name = view.inner_text()
        view.click()
        expect(page.locator(f".content.{name.lower().replace(' ', '-')}")).to_be_visible()
        page.wait_for_timeout(300)
        assert page.evaluate(WIDE) <= 0, f"{name} is wider than the page"


def test_light_and_dark_by_a_click(page):
    colors = (
        "() => { const s = getComputedStyle(document.querySelector('.page')); return [s.backgroundColor, s.color]; }"
    )
    light = page.evaluate(colors)
    press(page, "Dark")
    expect(page.locator(".page")).to_have_class(re.compile("dark"))
    dark = page.evaluate(colors)

    def brightness(color):
        return sum(map(int, re.findall(r"\d+", color)[:3])) / 3

    assert brightness(light[0]) - brightness(light[1]) > 150 and brightness(dark[1]) - brightness(dark[0]) > 150
    press(page, "Dark")
    expect(page.locator(".page")).not_to_have_class(re.compile("dark"))


def test_sessions_do_not_disturb_each_other(new_page, server):
    one, two = opened(new_page, server), opened(new_page, server)
    long_run(one)
    long_run(two)
    press(two, "Stop")
    expect(state(two)).to_contain_text("Stopped.")
    at = sweep(one)
    expect(state(one)).not_to_contain_text(f"Sweep {at:,} of")
    expect(state(one)).to_contain_text("Sampling.")
    press(one, "Stop")
    expect(state(one)).to_contain_text("Stopped.")


def test_a_closed_tab_frees_its_job(new_page, running):
    page = opened(new_page, running[0])
    long_run(page)
    jobs = running[1].jobs
    assert jobs.busy
    page.close()
    end = time.monotonic() + 30
    while jobs.busy:
        assert time.monotonic() < end, "the job goes on though nobody looks"
        time.sleep(0.1)


LATENCY = """async dark => {
  const all = root => [...root.querySelectorAll("*")].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
  const button = all(document).find(e => e.tagName === "BUTTON" && e.innerText === "Dark");
  const began = performance.now();
  button.click();
  while (document.querySelector(".page").classList.contains("dark") !== dark)
    await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


@pytest.mark.slow
def test_clicks_are_answered_while_four_chains_sample(page):
    """Generous: 95 of 100 within a second, whatever else the machine does. ``benchmarks.dashboard`` measures it."""
    long_run(page)
    times = sorted(page.evaluate(LATENCY, i % 2 == 0) for i in range(40))
    assert times[37] < 1000, times
    assert "Sampling" in state(page).inner_text()


@pytest.mark.slow
def test_twenty_people_at_once(new_page, server):
    pages = [opened(new_page, server) for _ in range(20)]
    for page in pages:
        expect(state(page)).to_contain_text("Sweep", timeout=240_000)
    for page in pages:
        press(page, "Stop")
    for page in pages:
        expect(state(page)).to_contain_text(re.compile(r"Stopped\.|Finished\."), timeout=240_000)
