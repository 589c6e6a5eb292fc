"""The server of the dashboard."""

import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import panel as pn
from tornado.websocket import WebSocketClosedError

from jaxlda_app import sources
from jaxlda_app.jobs import Jobs
from jaxlda_app.page import open_page

__all__ = ["Running", "serve"]

UNUSED = 15_000  # milliseconds after which the session of a closed tab is given up
CSS = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
PATIENCE = 2.0  # seconds that blocks have to end in when the server does
MESSAGE = 40 * 2**20  # bytes a websocket message may have: a piece of a file


def serve(
    port: int = 5006,
    show: bool = True,
    address: str = "localhost",
    file: str | os.PathLike | None = None,
    workers: int | None = None,
    max_upload: int = 50,
    threaded: bool = False,
) -> "Running | None":
    """Serve the dashboard until it is interrupted.

    Parameters
    ----------
    port, address
        Where; port 0 is any free one. By default nobody but this computer can connect.
    show
        Open a browser.
    file
        Documents, or a saved run, to begin with; the bundled Reuters corpus if not given.
    workers
        Jobs that sample at the same time, each on as many cores as it has chains; one for every four cores if not
        given.
    max_upload
        Megabytes that a file may have.
    threaded
        Serve in a thread, and return at once what ``stop()`` ends.
    """
    pn.extension("filedropper", raw_css=[CSS], notifications=False)
    # Said of events of widgets that came to the page later than the page itself; Bokeh finds them all the same.
    warnings.filterwarnings("ignore", "reference already known", UserWarning)
    for logger in ("asyncio", "bokeh.server.views.ws"):
        logging.getLogger(logger).addFilter(_worth_telling)
    first = _bundled if file is None else _from_file(Path(file))
    jobs = Jobs(workers or max(1, (os.cpu_count() or 1) // 4))
    thread = None
    try:
        thread = pn.serve(
            {"/": lambda: open_page(jobs, first, max_upload)},
            port=port,
            address=address,
            show=show,
            title="jaxlda",
            threaded=threaded,
            websocket_max_message_size=MESSAGE,
            unused_session_lifetime_milliseconds=UNUSED,
            check_unused_sessions_milliseconds=UNUSED // 3,
        )
        return Running(thread, jobs) if threaded else None
    finally:
        if thread is None or not threaded:
            jobs.close(PATIENCE)


class Running(NamedTuple):
    """A server in a thread."""

    thread: Any
    jobs: Jobs

    def stop(self) -> None:
        """End the server, its jobs and its workers."""
        self.thread.stop()
        self.jobs.close()


def _worth_telling(record: logging.LogRecord) -> bool:
    """Not that somebody closed a tab which something was being sent to."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, WebSocketClosedError) and "connection was closed" not in record.getMessage()


def _bundled() -> sources.Source:
    return sources.bundled_source("reuters")


def _from_file(path: Path) -> Callable[[], sources.Source]:
    """Reads the file, which is checked at once. Corpora are shared between sessions; models are not, they change."""

    def load() -> sources.Source:
        files = {path.name: path.read_bytes()}
        format = sources.detect(files)
        chosen: dict[str, Any] = {}
        if format in sources.TABLES:
            found = sources.columns(format, path.name, files[path.name])
            chosen = {"text": found.text, "labels": found.labels, "title": found.title}
        return sources.read(files, format, **chosen, stop_words=True, max_bytes=1 << 30)

    once = load()
    return load if once.model is not None else lambda: once
