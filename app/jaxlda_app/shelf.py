"""Finished runs in a folder, from one start of the server to the next: ``jaxlda dashboard --store DIR``.

A run is one file as ``model.save`` writes it, whole or not at all. The folder is bounded, in files and in bytes: the
oldest go first. Files that are not ours are left alone.
"""

import re
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["MOST", "ROOM", "Entry", "Shelf"]

MOST = 50  # runs
ROOM = 4 * 10**9  # bytes of all of them
_NAME = re.compile(r"(\d{8}-\d{6})-([0-9a-f]{8})-(.{1,80})\.jaxlda", re.DOTALL)


class Entry(NamedTuple):
    """A run that is kept."""

    file: str
    """The name of its file."""
    name: str
    """What its documents are called."""
    when: str
    """When it was finished, in the server's time."""
    size: int


class Shelf:
    """A folder of runs.

    Parameters
    ----------
    folder
        Made if there is none.
    most, room
        How many runs, and how many bytes all together, it may hold.
    """

    def __init__(self, folder: Path, most: int = MOST, room: int = ROOM) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder, self.most, self.room = folder, most, room
        self._lock = threading.Lock()

    def put(self, name: str, model: Any, before: str | None = None) -> str:
        """Keep a fitted model; ``before`` is the file that it had when it was kept last, which goes. Gives its file."""
        plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:60] or "run"
        file = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}-{plain}.jaxlda"
        with self._lock:
            model.save(self.folder / file)
            if before is not None:
                self._remove(before)
            self._make_room(file)
        return file

    def entries(self) -> list[Entry]:
        """The runs that there are, the newest first."""
        found = []
        for path in self.folder.iterdir():
            match = _NAME.fullmatch(path.name)
            if match is not None and path.is_file() and not path.is_symlink():
                day, clock = match[1].split("-")
                when = f"{day[:4]}-{day[4:6]}-{day[6:]} {clock[:2]}:{clock[2:4]}:{clock[4:]}"
                found.append(Entry(path.name, match[3], when, path.stat().st_size))
        return sorted(found, key=lambda entry: (entry.when, entry.file), reverse=True)

    def content(self, file: str) -> bytes:
        """A run's file. Only what is listed can be asked for: no other path."""
        if file not in {entry.file for entry in self.entries()}:
            raise ValueError("This run is no longer kept: the oldest ones go when the folder is full.")
        return (self.folder / file).read_bytes()

    def remove(self, file: str) -> None:
        """Keep a run no longer."""
        with self._lock:
            self._remove(file)

    def _remove(self, file: str) -> None:
        if file in {entry.file for entry in self.entries()}:
            with suppress(FileNotFoundError):
                (self.folder / file).unlink()

    def _make_room(self, newest: str) -> None:
        """Drop the oldest, but never what was just kept."""
        entries = self.entries()
        while len(entries) > self.most or sum(entry.size for entry in entries) > self.room:
            oldest = next((entry for entry in reversed(entries) if entry.file != newest), None)
            if oldest is None:
                return
            self._remove(oldest.file)
            entries.remove(oldest)
