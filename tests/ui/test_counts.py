"""Hard vs soft in a browser: what is drawn is what was counted, and it follows its controls."""

import pytest
from playwright.sync_api import expect

from tests.ui.steps import choose_bars, estimates, fill, pause, press, sample, say, start

PART = "Hard and soft counts"


@pytest.fixture
def view(resting):
    estimates(resting, PART)
    expect(resting.get_by_text("theorem of Rao and Blackwell")).to_be_visible()
    say(resting, "Gaps of 355 documents, in the latest sample")  # which is asked for last
    return resting


def test_draws_what_was_counted(view, data_of):
    say(view, "The gap between hard and soft counts of a document")
    lines = data_of(view, "lines")
    assert lines["name"] == ["chain 0", "chain 1", "chain 2", "chain 3"]
    assert all(0 < gap < 2 for line in lines["ys"] for gap in line) and lines["xs"][0][:2] == [1, 5]
    document = data_of(view, "document")
    assert document["topic"] == list(range(20))
    assert sum(document["hard"]) == pytest.approx(sum(document["soft"]), rel=1e-4)
    assert all(n == int(n) for n in document["hard"]) and any(p != int(p) for p in document["soft"])
    difference = data_of(view, "document_difference")
    expected = [soft - hard for hard, soft in zip(difference["hard"], difference["soft"], strict=True)]
    assert difference["difference"] == pytest.approx(expected)
    assert sum(data_of(view, "histogram")["count"]) == 355


def test_follows_document_word_and_chain(view, data_of):
    say(view, "Document 0 (")
    first = data_of(view, "document")["hard"]
    fill(view, "Document", 7)
    say(view, "Document 7 (")
    assert sum(data_of(view, "document")["hard"]) != sum(first)
    fill(view, "Word", "pope")
    say(view, "“pope”:")
    assert sum(data_of(view, "word")["hard"]) > 10
    fill(view, "Word", "popx")
    say(view, "The vocabulary has no word “popx”. It has")
    assert not any(data_of(view, "word")["soft"])
    fill(view, "Word", "")
    say(view, "“church”:")
    expect(view.get_by_label("Chain", exact=True).locator("option")).to_have_text(["the best", "0", "1", "2", "3"])
    hard = []
    for chain in ("0", "1"):
        view.get_by_label("Chain", exact=True).select_option(chain)
        for begin in ("Document 7 (", "“church”:", "Gaps of"):
            expect(view.locator(".sentence").filter(has_text=begin)).to_contain_text(f"latest sample of chain {chain}")
        hard.append(data_of(view, "document")["hard"])
    assert hard[0] != hard[1] and sum(hard[0]) == sum(hard[1])


def test_draws_averaged_and_before_the_first(page, data_of):
    choose_bars(page)
    fill(page, "Burn-in, sweeps", 50_000)
    start(page)
    pause(page)
    estimates(page, PART)
    press(page, "Mean of the draws")
    say(page, "as there are no draws yet")
    sample(page, burn_in=2, draws=3, every=5)
    estimates(page, PART)
    say(page, "averaged over the draws of chain")
    hard, soft = (data_of(page, "document")[kind] for kind in ("hard", "soft"))
    assert sum(hard) == pytest.approx(100, rel=1e-4) and sum(soft) == pytest.approx(100, rel=1e-4)
    assert any(n != int(n) for n in hard)  # means of three draws
