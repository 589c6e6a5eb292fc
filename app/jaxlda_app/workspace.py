"""Files that a server needs for a moment. They lie in one folder, which is removed however the server ends."""

import atexit
import shutil
import tempfile
import threading
from pathlib import Path

__all__ = ["remove_workspace", "workspace"]

_lock = threading.Lock()
_folder: Path | None = None


def workspace() -> Path:
    """The folder, which nobody else can read."""
    global _folder
    with _lock:
        if _folder is None or not _folder.is_dir():
            _folder = Path(tempfile.mkdtemp(prefix="jaxlda-"))
            atexit.register(remove_workspace)
        return _folder


def remove_workspace() -> None:
    """Remove the folder, and what is in it."""
    global _folder
    with _lock:
        folder, _folder = _folder, None
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
