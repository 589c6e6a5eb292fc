"""A page that is loaded again has the same session: in the same browser, for the same person, and for some time."""

import logging
import sys
from unittest.mock import Mock

from bokeh.server.connection import ServerConnection
from bokeh.util.token import get_session_id

from jaxlda_app import main
from tests.app.test_security import ask, token_in

UNUSED = 60_000  # milliseconds: pages are looked for again, on a busy machine


def visit(running, cookie, tab="", browser=None):
    """The session id of a page, and the browser's cookie."""
    cookie = cookie if browser is None else f"{cookie}; {browser}"
    answer = ask(running, f"/?tab={tab}", Cookie=cookie)
    assert answer.status == 200
    given = answer.headers.get("Set-Cookie", "")
    assert browser is not None or ("HttpOnly" in given and "SameSite=Lax" in given)
    return get_session_id(token_in(answer.body)), browser or given.split(";")[0]


def name_of(session_id):
    from hashlib import sha256

    return sha256(session_id.encode()).hexdigest()[:16]


def test_the_same_browser_finds_its_session(running, cookie):
    first, browser = visit(running, cookie)
    assert visit(running, cookie, name_of(first), browser)[0] == first
    second, _ = visit(running, cookie, "", browser)  # another tab
    assert second != first
    assert visit(running, cookie, name_of(second), browser)[0] == second
    assert visit(running, cookie, name_of(first), browser)[0] == first


def test_nobody_else_does(running, cookie):
    first, browser = visit(running, cookie)
    assert visit(running, cookie, name_of(first))[0] != first  # another browser, with the same address
    name = browser.split("=")[0]
    assert visit(running, cookie, name_of(first), f"{name}=guessed")[0] != first
    assert visit(running, cookie, first, browser)[0] != first  # the id itself is no name


def test_a_session_that_was_given_up_is_not_found():
    from jaxlda_app.tabs import Tabs

    class Session:
        id, destroyed = "one", False

    tabs, session = Tabs(), Session()
    name = tabs.add("browser", "ann", session)
    assert tabs.find(name, "browser", "ann") is session
    assert tabs.find(name, "browser", "bob") is None and tabs.find(name, "other", "ann") is None
    session.destroyed = True
    assert tabs.find(name, "browser", "ann") is None


def test_what_comes_through_a_connection_that_was_given_up_is_no_error():
    """Other failures of the same kind are told."""
    given_up = ServerConnection(None, None, None, Mock())
    given_up.detach_session()

    def told(failing):
        try:
            failing()
        except AssertionError:
            return main._worth_telling(logging.LogRecord("", logging.ERROR, "", 0, "it failed", (), sys.exc_info()))

    assert not told(lambda: given_up.session)
    assert told(lambda: Mock(side_effect=AssertionError)())
