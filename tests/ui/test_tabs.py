"""Reload, back button and a lost connection: the run goes on, and what was chosen stays."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.ui.steps import fitting, long_run, open_view, opened, press, state, sweep, until


@pytest.fixture
def busy(page):
    """In the middle of a run."""
    long_run(page)
    until(page, lambda: "tab=" in page.url)
    return page


def goes_on(page, before):
    until(page, lambda: sweep(page) > before)
    expect(state(page)).to_contain_text("Sampling.")
    expect(page.get_by_label("Draws kept", exact=True)).to_have_value("100000")


def test_reload_in_the_middle_of_a_run(busy, running):
    before, sessions = sweep(busy), running[1].sessions.number
    assert before > 0
    busy.reload()
    goes_on(busy, before)
    assert running[1].sessions.number == sessions
    press(busy, "Stop")
    expect(state(busy)).to_contain_text("Stopped.")


def test_away_and_back(busy):
    before = sweep(busy)
    busy.goto("about:blank")
    busy.go_back()
    goes_on(busy, before)
    press(busy, "Stop")


def test_another_browser_with_the_same_address(busy, new_page, server):
    """It has the token, but not the cookie of the browser whose session it is."""
    name = parse_qs(urlsplit(busy.url).query)["tab"][0]
    other = opened(new_page(), f"{server}&tab={name}")
    fitting(other)
    expect(other.get_by_label("Draws kept", exact=True)).not_to_have_value("100000")
    until(other, lambda: name not in other.url and "tab=" in other.url)
    press(busy, "Stop")
    expect(state(busy)).to_contain_text("Stopped.")


def test_a_lost_connection_comes_back(busy, running):
    server = running[1]
    before = sweep(busy)

    def lose():
        for session in server.server.get_sessions("/"):
            for connection in list(session._subscribed_connections):
                connection._socket.ws_connection.write_message("{}")  # of a message that has more parts
                connection._socket.close(1012, "lost")

    server.loop.add_callback(lose)
    goes_on(busy, before + 1)
    press(busy, "Stop")
    expect(state(busy)).to_contain_text("Stopped.")


def test_charts_follow_the_data_after_a_reload(busy):
    """Browsers tell how far axes reach; a figure that is sent with such numbers would keep them."""
    open_view(busy, "Convergence")
    expect(busy.locator(".content .chart canvas").first).to_be_visible()  # it has told how far its axes reach
    busy.reload()
    expect(busy.locator(".content.convergence")).to_be_visible()
    expect(busy.locator(".content .chart").first).to_be_visible()
    open_view(busy, "Fit")
    press(busy, "Stop")
