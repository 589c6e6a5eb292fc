"""The guided tab, from its first screen to its last: by clicks, by keys, on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.ui.steps import open_view, opened, press, until
from tests.ui.test_pages import FAINT, WIDE


@pytest.fixture
def learn(page):
    open_view(page, "Learn")
    return page


def said(page):
    return page.locator(".learn-said")


def at(page, number):
    expect(page.locator(".learn-progress")).to_contain_text(f"{number} of 5")
    expect(said(page)).to_be_visible()


def test_from_the_first_screen_to_the_last(learn, data_of):
    page = learn
    at(page, 1)
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_disabled()
    expect(said(page)).to_contain_text("Document 12 of 150")
    press(page, "Another document")
    expect(said(page)).to_contain_text("Document 13 of 150")

    press(page, "Next")
    at(page, 2)
    expect(said(page)).to_contain_text("Press Step")
    dots = page.locator(".learn-document b.token")
    expect(dots).to_have_count(30)
    random = dots.all_inner_texts()
    press(page, "Step")
    expect(said(page)).to_contain_text(re.compile(r"Dot 1 of 30, .* had topic B.*falls on topic D"))
    expect(page.locator(".learn-document b.now")).to_have_count(1)
    until(page, lambda: abs(sum(data_of(page, "chances-probability")["probability"]) - 1) < 1e-6)
    until(page, lambda: sum(data_of(page, "counts-dots")["dots"]) == 30)
    assert dots.all_inner_texts() != random
    press(page, "Step back")
    expect(said(page)).to_contain_text("Press Step")
    assert dots.all_inner_texts() == random
    press(page, "Fast")
    press(page, "Play")
    expect(said(page)).to_contain_text(re.compile(r"Dot \d\d of 30"))
    press(page, "Pause")
    page.locator("summary").click()
    expect(page.locator("math")).to_be_visible()

    press(page, "Next")
    at(page, 3)
    expect(said(page)).to_contain_text("Before the first sweep")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(said(page)).to_contain_text(re.compile(r"After sweep 90.*share 9\d%"))
    until(page, lambda: max(map(max, data_of(page, "learned")["image"])) > 0.15)

    press(page, "Next")
    at(page, 4)
    expect(said(page)).to_contain_text("After 0 sweeps")
    words = page.locator(".learn-stories article span")
    before = [word.get_attribute("style") for word in words.all()]
    press(page, "Fast")
    press(page, "Play")
    expect(said(page)).to_contain_text("After 80 sweeps")
    assert [word.get_attribute("style") for word in words.all()] != before

    press(page, "Next")
    at(page, 5)
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_disabled()
    expect(said(page)).to_contain_text("Draw 1 of 30")
    first = data_of(page, "noise-counted")["counted"]
    press(page, "Step")
    expect(said(page)).to_contain_text("Draw 2 of 30")
    until(page, lambda: data_of(page, "noise-counted")["counted"] != first)
    press(page, "Back")
    at(page, 4)
    expect(said(page)).to_contain_text("After 80 sweeps")  # where it was left


def test_by_keys_alone(learn):
    page = learn
    at(page, 1)
    page.get_by_role("button", name="Next", exact=True).focus()
    page.keyboard.press("Enter")
    at(page, 2)
    page.get_by_role("button", name="Step", exact=True).focus()
    page.keyboard.press("Space")
    expect(said(page)).to_contain_text("Dot 1 of 30")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_screen_fits_a_phone_and_can_be_read(new_page, server, scheme):
    page = opened(new_page(color_scheme=scheme, viewport={"width": 390, "height": 844}), server)
    open_view(page, "Learn")
    for number in range(1, 6):
        at(page, number)
        page.wait_for_function(f"() => ({WIDE})() <= 0", timeout=20_000)
        until(page, lambda: page.evaluate(FAINT) == [])  # colours change little by little
        if number < 5:
            press(page, "Next")
