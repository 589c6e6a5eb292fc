"""A tab that is loaded again finds its session: after a reload, the back button, or a lost connection.

The address of a page names its session. The name opens nothing by itself: the browser must have the cookie that it was
given with the page, and where people log in, it must be the same person. Whoever else uses the address gets a session
of their own. A session that no tab is connected to is given up after some time, with everything in it.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import panel as pn
from bokeh.document import Document
from panel.io.server import DocHandler
from panel.io.state import set_curdoc

__all__ = ["Tabs", "when_back"]

ARGUMENT = "tab"
Action = Callable[[Mapping[str, str]], object]
"""What is done with the address of a page that is shown once more."""
_back: WeakKeyDictionary[Document, Action] = WeakKeyDictionary()


def when_back(document: Document, action: Action) -> None:
    """Have something done before a page is shown once more."""
    _back[document] = action


def _nothing(address: Mapping[str, str]) -> None:
    """Where a page has nothing to do."""


class _Owned(NamedTuple):
    browser: str
    user: Any
    session: Any


class Tabs:
    """Which browser has which sessions. Used by the thread of the server only."""

    def __init__(self) -> None:
        self._owned: dict[str, _Owned] = {}

    def handler(self) -> type[DocHandler]:
        """What serves pages and knows the tabs."""
        return _handler(self)

    def find(self, name: str, browser: str, user: Any) -> Any:
        """The session of this name, if it is still there and belongs to this browser and this person."""
        self._owned = {name: one for name, one in self._owned.items() if not one.session.destroyed}
        one = self._owned.get(name)
        known = one is not None and hmac.compare_digest(one.browser.encode(), browser.encode()) and one.user == user
        return one.session if one is not None and known else None

    def add(self, browser: str, user: Any, session: Any) -> str:
        """Remember a new session; gives its name, which tells nothing of its id."""
        name = hashlib.sha256(session.id.encode()).hexdigest()[:16]
        self._owned[name] = _Owned(browser, user, session)
        return name


def _handler(tabs: Tabs) -> type[DocHandler]:
    class Handler(DocHandler):
        async def get_session(self) -> Any:
            cookie = f"jaxlda-browser-{urlsplit(f'//{self.request.host}').port or 80}"
            browser = self.get_cookie(cookie)
            if browser is not None:
                kept = tabs.find(self.get_argument(ARGUMENT, ""), browser, self.current_user)
                if kept is not None:
                    with set_curdoc(kept.document):
                        address = {name: self.get_argument(name) for name in self.request.arguments}
                        await kept.with_document_locked(_back.get(kept.document, _nothing), address)
                    return kept
            else:
                browser = secrets.token_urlsafe(32)
                secure = self.request.protocol == "https"
                self.set_cookie(cookie, browser, httponly=True, samesite="Lax", secure=secure, path="/")
            found: Any = super().get_session()
            session = await found
            name = tabs.add(browser, self.current_user, session)
            with set_curdoc(session.document):
                pn.state.onload(lambda: _named(name))
            return session

    return Handler


def _named(name: str) -> None:
    """Put the name of the session into the address of the page."""
    if pn.state.location is not None:
        named: Any = {ARGUMENT: name}
        pn.state.location.update_query(**named)
