"""``jaxlda dashboard``: watch chains, counts, topics and documents in the browser.

Open the dashboard in the browser. Without a file it samples the bundled Reuters corpus. It works without an internet
connection, and only this computer can connect unless --address says otherwise, with the token in the address that is
printed.

Example: jaxlda dashboard texts.txt --port 0
"""

import argparse
import errno
import json
import logging
import os
import sys
import threading
from importlib import import_module
from pathlib import Path

from jaxlda.cli._arguments import natural, place, positive

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    kinds = "text with a document per line, .csv, .tsv, .jsonl, .zip, LDA-C, UCI, a MALLET state"
    parser.add_argument("file", nargs="?", type=place, help=f"documents ({kinds}) or a saved run (.jaxlda)")
    parser.add_argument("--port", type=natural, default=5006, help="the port to serve at; 0: any free one")
    parser.add_argument("--no-browser", action="store_true", help="serve, but open no browser")
    parser.add_argument("--address", default="localhost", help="the address to listen at")
    told = "jobs that sample at the same time (default: a quarter of the cores)"
    parser.add_argument("--workers", type=positive, help=told)
    parser.add_argument("--max-upload", type=positive, default=200, help="megabytes that one session may upload")
    told = "keep finished runs in this folder, from one start to the next (default: they end with the server)"
    parser.add_argument("--store", type=place, metavar="DIR", help=told)
    told = "let everybody in who can connect; by default the address holds a token, which the environment variable "
    told += "JAXLDA_TOKEN may choose"
    parser.add_argument("--no-token", action="store_true", help=told)
    told = "ask for a name and a password from this JSON file (default: a token)"
    parser.add_argument("--auth", type=place, metavar="FILE", help=told)
    told = "another name of this server, such as its public one; may be repeated (default: none)"
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help=told)
    told = "pages that may show the dashboard in a frame, such as https://example.org; may be repeated (default: none)"
    parser.add_argument("--allow-frame", action="append", default=[], metavar="ORIGIN", help=told)


def run(options: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    if options.port > 65535:
        raise ValueError(f"there is no port {options.port}: they end at 65535")
    if options.file is not None and not options.file.is_file():
        raise ValueError(f"there is no file {options.file}")
    if options.store is not None and options.store.exists() and not options.store.is_dir():
        raise ValueError(f"--store takes a folder, and {options.store} is a file")
    if options.auth is not None:
        _check_passwords(options.auth)
    app = import_module("jaxlda_app.main")
    try:
        app.serve(
            port=options.port,
            show=not options.no_browser,
            address=options.address,
            file=options.file,
            workers=options.workers,
            max_upload=options.max_upload,
            token=False if options.no_token else os.environ.get("JAXLDA_TOKEN") or True,
            auth=options.auth,
            allow_hosts=options.allow_host,
            allow_frames=options.allow_frame,
            store=options.store,
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


def _check_passwords(path: Path) -> None:
    """Refuse a file that would let nobody in, or everybody: one that is not there is no password itself."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    texts = isinstance(found, dict) and all(isinstance(word, str) and word for item in found.items() for word in item)
    if not found or not texts:
        raise ValueError(f'{path} must be a JSON file of names and passwords, such as {{"ann": "a long password"}}')
