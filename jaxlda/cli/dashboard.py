"""``jaxlda dashboard``: watch chains in the browser."""

import argparse
import errno
import logging
import os
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import natural, positive

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "dashboard",
        help="watch chains, counts, topics and documents in the browser",
        description="Open the dashboard in the browser. Without a file it samples the bundled Reuters corpus. It works "
        "without an internet connection, and only this computer can connect unless --address says otherwise.",
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        help="documents (text with a document a line, .csv, .tsv, .jsonl, .zip, LDA-C, UCI, a MALLET state) or a saved "
        "run (.jaxlda)",
    )
    parser.add_argument("--port", type=natural, default=5006, help="0: any free one (default: %(default)s)")
    parser.add_argument("--no-browser", action="store_true", help="serve, but open no browser")
    parser.add_argument("--address", default="localhost", help="to listen at (default: %(default)s)")
    parser.add_argument(
        "--workers", type=positive, help="jobs that sample at the same time (default: a quarter of the cores)"
    )
    parser.add_argument("--max-upload", type=positive, default=50, help="megabytes a file (default: %(default)s)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    if options.port > 65535:
        raise ValueError(f"there is no port {options.port}: they end at 65535")
    if options.file is not None and not options.file.is_file():
        raise ValueError(f"there is no file {options.file}")
    app = import_module("jaxlda_app.main")
    try:
        app.serve(
            port=options.port,
            show=not options.no_browser,
            address=options.address,
            file=options.file,
            workers=options.workers,
            max_upload=options.max_upload,
        )
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES):
            raise
        where, why = f"{options.address}:{options.port}", os.strerror(error.errno).lower()
        raise ValueError(f"cannot listen at {where} ({why}); try another --port, or 0 for any free one") from None
    if any(thread.name.startswith("jaxlda-") for thread in threading.enumerate()):
        # Somebody's long block or question: Python would wait for it, or crash while native code still runs.
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
