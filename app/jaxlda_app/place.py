"""What is looked at, in the address of the page: view, run, topic, document. A reload, or a link, leads back there."""

from collections.abc import Mapping, Sequence
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
        self._at_first = self._now()

    def follow(self, location: Any) -> None:
        """Take what an address asks for, and tell it what is looked at."""
        if location is None:
            return
        self.location = location
        self.wanted = self.asked(location.query_params)
        self.session.param.watch(lambda *events: self.tell(), ["active", "current", "runs", "topic", "document"])
        if self._now() != self._at_first:  # somebody has chosen something while the page was being drawn
            self.wanted = {}
            self.tell()

    def asked(self, address: Mapping[str, Any]) -> dict[str, Any]:
        """What an address asks for. It comes from anybody: only what is known counts."""
        wanted = {"active": view} if (view := address.get("view")) in self.views else {}
        if run := str(address.get("run", "")):
            wanted["run"] = run
        for name in ("topic", "document"):
            number = str(address.get(name, ""))
            if number.isascii() and number.isdigit() and len(number) < 10:
                wanted[name] = int(number)
        return wanted

    def go(self) -> None:
        """Look at what the address asked for; what has no such number is looked at from its beginning."""
        if self.wanted:
            wanted, self.wanted = self.wanted, {}
            self.look(wanted)

    def look(self, wanted: dict[str, Any]) -> None:
        """Look at what an address asks for; a run by its name, if the session has it."""
        session = self.session
        run = next((one for one in session.runs if one.name == wanted.get("run")), None)
        if run is not None and run is not session.current:
            session.look_at(run)
        session.param.update(**{name: value for name, value in wanted.items() if name != "run"})

    def tell(self) -> None:
        """Write the address, without what is as usual."""
        if self.wanted:
            return  # which nobody has seen yet
        now = self._now()
        rest = {name: value for name, value in self.location.query_params.items() if name not in now}
        self.location.update_query(**{name: value for name, value in now.items() if value is not None})
        gone = [name for name, value in now.items() if value is None]
        if set(gone) & set(self.location.query_params):
            kept = rest | {name: value for name, value in now.items() if value is not None}
            self.location.search = ""
            self.location.update_query(**kept)

    def _now(self) -> dict[str, Any]:
        session = self.session
        run = session.current.name if session.current is not None and len(session.runs) > 1 else None
        return {
            "view": session.active,
            "run": run,
            "topic": session.topic or None,
            "document": session.document or None,
        }
