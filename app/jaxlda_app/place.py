"""What is looked at, in the address of the page: view, topic and document. A reload, or a link, leads back there."""

from collections.abc import Sequence
from typing import Any

from jaxlda_app.store import Session

__all__ = ["Place"]


class Place:
    """Reads an address once, and writes it from then on.

    Parameters
    ----------
    session
        Whose selections they are.
    views
        The titles of those that there are.
    """

    def __init__(self, session: Session, views: Sequence[str]) -> None:
        self.session, self.views = session, views
        self.location: Any = None
        self.wanted: dict[str, Any] = {}

    def follow(self, location: Any) -> None:
        """Take what an address asks for, and tell it what is looked at."""
        if location is None:
            return
        self.location = location
        asked = location.query_params  # of anybody: only what is known counts
        view = asked.get("view")
        if view in self.views:
            self.wanted["active"] = view
        for name in ("topic", "document"):
            number = asked.get(name)
            if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
                self.wanted[name] = number
        self.session.param.watch(lambda *events: self.tell(), ["active", "topic", "document"])

    def go(self) -> None:
        """Look at what the address asked for; what has no such number is looked at from its beginning."""
        if self.wanted:
            wanted, self.wanted = self.wanted, {}
            self.session.param.update(**wanted)

    def tell(self) -> None:
        """Write the address, without what is as usual."""
        if self.wanted:
            return  # which nobody has seen yet
        session = self.session
        now = {"view": session.active, "topic": session.topic or None, "document": session.document or None}
        rest = {name: value for name, value in self.location.query_params.items() if name not in now}
        self.location.update_query(**{name: value for name, value in now.items() if value is not None})
        gone = [name for name, value in now.items() if value is None]
        if set(gone) & set(self.location.query_params):
            kept = rest | {name: value for name, value in now.items() if value is not None}
            self.location.search = ""
            self.location.update_query(**kept)
