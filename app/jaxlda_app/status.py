"""How busy the server is, in numbers: no names, no texts, nothing of what people do."""

import threading
import time
from html import escape
from typing import Any

from bokeh.server.views.auth_request_handler import AuthRequestHandler
from tornado.web import authenticated

import jaxlda
from jaxlda_app.jobs import Full

__all__ = ["Sessions", "StatusHandler"]

MOST = 100  # sessions at a time
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>jaxlda: status</title>
<meta http-equiv="refresh" content="5"></head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem">
<h1 style="font-size: 1.4rem">jaxlda: status</h1><table>{}</table></body></html>"""


class Sessions:
    """How many people are here, and since when the server runs."""

    def __init__(self, most: int = MOST) -> None:
        self.most, self.number, self.began = most, 0, time.monotonic()
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Somebody comes; refused where too many are here."""
        with self._lock:
            if self.number >= self.most:
                raise Full(f"{self.number} people use this server now, as many as it takes: try again later.")
            self.number += 1

    def leave(self) -> None:
        """Somebody goes."""
        with self._lock:
            self.number -= 1


def numbers(running: Any) -> dict[str, str]:
    """What the status page shows."""
    jobs = running.jobs
    active, waiting = jobs.numbers
    minutes = (time.monotonic() - running.sessions.began) / 60
    return {
        "Version": jaxlda.__version__,
        "Running for": f"{minutes:,.0f} min",
        "Sessions": f"{running.sessions.number} of at most {running.sessions.most}",
        "Runs that sample": f"{active} of at most {jobs.workers}",
        "Runs that wait": f"{waiting} of at most {jobs.queue}",
        "Memory set aside for runs": f"{jobs.reserved / 1e9:,.2f} of {jobs.memory / 1e9:,.2f} GB",
        "Uploads being read": str(running.readings.number),
    }


class StatusHandler(AuthRequestHandler):
    """The page."""

    def initialize(self, running: Any) -> None:
        self.running = running

    @authenticated
    def get(self) -> None:
        rows = "".join(
            f"<tr><th align=left>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in numbers(self.running).items()
        )
        self.write(PAGE.format(rows))
