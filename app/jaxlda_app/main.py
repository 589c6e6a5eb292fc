"""The server of the dashboard."""

import asyncio
import logging
import os
import secrets
import signal
import sys
import threading
import traceback
import warnings
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.core.validation import silence
from bokeh.core.validation.warnings import EMPTY_LAYOUT
from bokeh.server import connection
from bokeh.server.auth_provider import NullAuth
from panel.auth import BasicAuthProvider
from panel.io.application import build_applications
from panel.io.resources import DIST_DIR
from tornado.ioloop import IOLoop
from tornado.websocket import WebSocketClosedError

from jaxlda_app import sources
from jaxlda_app.first import FirstRun
from jaxlda_app.guard import HEALTH, Guard, GuardedServer, HealthHandler, is_local
from jaxlda_app.jobs import Jobs
from jaxlda_app.page import open_page
from jaxlda_app.reading import Readings
from jaxlda_app.shelf import Shelf
from jaxlda_app.status import Sessions, StatusHandler
from jaxlda_app.steady import answer_with_the_lock, send_documents_whole
from jaxlda_app.store import MAX_UPLOAD
from jaxlda_app.tabs import Tabs
from jaxlda_app.workspace import remove_workspace

__all__ = ["Running", "serve"]

UNUSED = 120_000  # milliseconds after which the session of a closed tab is given up, and its run with it
TOKEN_SECONDS = 30 * 24 * 3600  # longer than anybody keeps a tab open: reloads use the token of the first page
HERE = Path(__file__).parent
CSS = (HERE / "style.css").read_text(encoding="utf-8")
PATIENCE = 2.0  # seconds that blocks have to end in when the server does
MESSAGE = 40 * 2**20  # bytes a websocket message may have: a piece of a file
UNTOLD = ("connection was closed", "Host wildcard")
QUIETER = (
    "asyncio",
    "tornado.application",
    "bokeh.server.protocol_handler",
    "bokeh.server.util",
    "bokeh.server.views.ws",
)
EXPOSED = (
    "Anybody who can reach this computer can reach the dashboard, and whoever has the address with its token can use "
    "it. The connection is not encrypted. To share it, use --auth, behind a server that speaks HTTPS: see "
    "docs/guide/sharing.md."
)


def serve(
    port: int = 5006,
    show: bool = True,
    address: str = "localhost",
    file: str | os.PathLike | None = None,
    workers: int | None = None,
    max_upload: int = MAX_UPLOAD,
    threaded: bool = False,
    token: str | bool = True,
    auth: str | os.PathLike | None = None,
    allow_hosts: Sequence[str] = (),
    allow_frames: Sequence[str] = (),
    store: str | os.PathLike | None = None,
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
        Megabytes that the files of a session may have.
    threaded
        Serve in a thread, and return at once what ``stop()`` ends.
    token
        What opens the page, as part of its address: a new one each time, or the one that is given. ``False``: none is
        asked for, so that other pages can show the dashboard.
    auth
        A JSON file of names and passwords, which people are asked for instead of the token.
    allow_hosts
        Names by which the server is called besides its address, such as the public one behind a proxy.
    allow_frames
        Origins whose pages may show the dashboard in a frame, such as ``https://example.org``.
    store
        A folder that keeps finished runs from one start to the next; they are listed on the page.
    """
    key = None if auth is not None or token is False else token if isinstance(token, str) else secrets.token_urlsafe(24)
    guard = Guard(address, allow_hosts, key, allow_frames)
    if not is_local(address) and auth is None:
        logging.getLogger(__name__).warning(EXPOSED)
    jobs = Jobs(workers or max(1, (os.cpu_count() or 1) // 4))
    first = FirstRun(jobs) if file is None else _from_file(Path(file))
    if isinstance(first, FirstRun):
        first.prepare()
    running = Running(
        guard,
        jobs,
        lambda running: open_page(running.jobs, first, max_upload, running.readings, running.sessions),
        {"port": port, "address": address},
        auth,
    )
    if store is not None:
        running.jobs.shelf = Shelf(Path(store))
    if threaded:
        running.start_thread()
        return running
    try:
        running.run(show)
    finally:
        running.close(PATIENCE)
    return None


class Running:
    """A server, and everything it has to give back."""

    def __init__(
        self,
        guard: Guard,
        jobs: Jobs,
        page: Callable[["Running"], Any],
        place: dict[str, Any],
        auth: str | os.PathLike | None,
    ) -> None:
        self.guard, self.jobs, self.readings, self.sessions = guard, jobs, Readings(), Sessions()
        self.page, self.place, self.auth = page, place, auth
        self.loop: IOLoop | None = None
        self.server: GuardedServer | None = None
        self.thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """Where the server is, without its token."""
        assert self.server is not None
        name = "localhost" if self.place["address"] in ("", "0.0.0.0", "::") else self.place["address"]
        return f"http://{f'[{name}]' if ':' in name else name}:{self.server.port}"

    @property
    def url(self) -> str:
        """The address that opens the page."""
        return self.address + ("/" if self.guard.token is None else f"/?token={self.guard.token}")

    def run(self, show: bool) -> None:
        """Serve until Ctrl-C, or until the process is asked to end."""
        self._make()
        assert self.loop is not None
        loop: Any = self.loop
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: loop.asyncio_loop.call_soon_threadsafe(loop.stop))
        print(f"The dashboard is at {self.url}", file=sys.stderr, flush=True)
        if show:
            loop.add_callback(lambda: webbrowser.open(self.url))
        loop.start()

    def start_thread(self) -> None:
        """Serve in a thread; returns once there is a server."""
        made, failed = threading.Event(), []

        def target() -> None:
            try:
                self._make()
            except BaseException as error:
                failed.append(error)
                return
            finally:
                made.set()
            assert self.loop is not None
            self.loop.start()

        self.thread = threading.Thread(target=target, name="server", daemon=True)
        self.thread.start()
        made.wait()
        if failed:
            raise failed[0]

    def stop(self) -> None:
        """End the server, its jobs and its workers."""
        if self.loop is not None and self.thread is not None:
            self.loop.add_callback(self.loop.stop)
            self.thread.join(10)
        self.close(10.0)

    def close(self, patience: float) -> None:
        """Give back everything that a server has taken: workers, readers, files."""
        self.readings.close()
        if self.server is not None:
            self.server.stop(wait=False)
        self.jobs.close(patience)
        remove_workspace()

    def _make(self) -> None:
        """The server, by the thread that it runs in."""
        pn.extension("filedropper", "tabulator", raw_css=[CSS], notifications=False)
        # Said of events of widgets that came to the page later than the page itself; Bokeh finds them all the same.
        warnings.filterwarnings("ignore", "reference already known", UserWarning)
        silence(EMPTY_LAYOUT, True)
        send_documents_whole()
        answer_with_the_lock()
        for logger in QUIETER:
            logging.getLogger(logger).addFilter(_worth_telling)
        self.loop = loop = IOLoop(make_current=False)
        asyncio.set_event_loop(loop.asyncio_loop)  # type: ignore[attr-defined]
        provider: Any = NullAuth()
        config: Any = pn.config
        config.reconnect = True
        config.cookie_secret = secrets.token_urlsafe(32)
        if self.auth is not None:
            config.basic_auth = os.fspath(self.auth)
            provider = BasicAuthProvider(login_template=str(HERE / "login.html"))
        self.server = GuardedServer(
            self.guard,
            build_applications({"/": lambda: self.page(self)}, title="jaxlda"),
            **self.place,
            io_loop=self.loop,
            extra_patterns=[(HEALTH, HealthHandler), ("/status", StatusHandler, {"running": self})],
            auth_provider=provider,
            cookie_secret=config.cookie_secret,
            allow_websocket_origin=["*"],  # the guard is stricter
            secret_key=secrets.token_bytes(32),
            sign_sessions=True,
            include_headers=["User-Agent"],  # no cookies in pages
            include_cookies=["user"],
            ico_path=DIST_DIR / "images" / "favicon.ico",
            websocket_max_message_size=MESSAGE,
            unused_session_lifetime_milliseconds=UNUSED,
            check_unused_sessions_milliseconds=min(UNUSED // 3, 10_000),
            session_token_expiration=TOKEN_SECONDS,
        )
        self.server.serve_pages_by(Tabs().handler())
        self.server.start()


def _worth_telling(record: logging.LogRecord) -> bool:
    """Not that somebody closed a tab which something was being sent to; nor what the guard sees to."""
    error = record.exc_info[1] if record.exc_info else None
    said = record.getMessage()
    gone = isinstance(error, WebSocketClosedError) or _given_up(error)
    return not gone and not any(words in said for words in UNTOLD)


def _given_up(error: BaseException | None) -> bool:
    """Whether something came through a connection that Bokeh had given up already.

    It does so as soon as it cannot ping a browser. What that had sent before it was closed is read later, and so is
    that it was closed: Bokeh asks for the session of the connection each time, and there is none.
    """
    if not isinstance(error, AssertionError) or error.__traceback__ is None:
        return False
    return traceback.extract_tb(error.__traceback__)[-1].filename == connection.__file__


def _from_file(path: Path) -> Callable[[], sources.Input]:
    """Reads the file, which is checked at once. Corpora are shared between sessions; models are not, they change."""

    def load() -> sources.Input:
        files = {path.name: path.read_bytes()}
        format = sources.detect(files)
        found = sources.look(files, format)
        chosen: dict[str, Any] = {"text": found.text, "labels": found.labels, "title": found.title}
        return sources.modelled(sources.read(files, format, **chosen, stop_words=True, max_bytes=1 << 30))

    once = load()
    return load if once.model is not None else lambda: once
