"""Source archives of the package index that pip is set up with, as bytes: nothing in them is run.

pip itself would run the ``setup.py`` of a source archive, even if it is only asked to download it. So pip is asked
where it would look (its configuration, and its default), and the file is read from there: PEP 503 pages, PEP 691
answers, or folders. Who calls this checks the digest.
"""

import base64
import json
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener, url2pathname

__all__ = ["Places", "fetched", "places"]

LARGEST_PAGE, LARGEST_FILE = 1 << 25, 1 << 28
SECONDS = 60.0
ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"


class Places(NamedTuple):
    """Where pip looks for files."""

    indexes: tuple[str, ...] = ()
    """Addresses of simple indexes, which have a page for each package."""
    links: tuple[str, ...] = ()
    """Folders, or addresses of pages with links to files."""
    cert: str | None = None
    proxy: str | None = None


def places() -> Places:
    """As pip is set up: by its files, by the environment, and by its own default."""
    found = dict(_settings(_pip("config", "list")))
    if found.get("index-url"):
        first = found["index-url"].split()
    else:
        default = re.search(r"--index-url\s.*?\(default\s+(\S+?)\)", _pip("download", "--help"), re.DOTALL)
        first = [] if default is None else [default[1]]
    if found.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        first, found["extra-index-url"] = [], ""
    indexes = tuple(dict.fromkeys([*first, *found.get("extra-index-url", "").split()]))
    return Places(indexes, tuple(found.get("find-links", "").split()), found.get("cert"), found.get("proxy"))


def fetched(package: str, file: str, where: Places | None = None) -> bytes:
    """The file of a package, from the first place that has it.

    Parameters
    ----------
    package, file
        Their names.
    where
        Places to look in; pip's if not given.

    Raises
    ------
    FileNotFoundError
        If no place has it; it says why the last one has not.
    """
    where = places() if where is None else where
    opener = build_opener(
        HTTPSHandler(context=ssl.create_default_context(cafile=where.cert)),
        *([ProxyHandler({"http": where.proxy, "https": where.proxy})] if where.proxy else []),
    )
    name, reason = re.sub(r"[-_.]+", "-", package).lower(), "pip is set up with no index"
    pages = [*(f"{index.rstrip('/')}/{name}/" for index in where.indexes), *where.links]
    for page in pages:
        try:
            for link, address in _links(page, opener):
                if link == file:
                    return _read(address, opener, LARGEST_FILE)[0]
            reason = "no index has it"
        except (OSError, ValueError) as error:
            reason = str(error.reason if isinstance(error, URLError) else error)
    raise FileNotFoundError(reason)


def _pip(*words: str) -> str:
    command = [sys.executable, "-m", "pip", *words, "--disable-pip-version-check"]
    spoken = {**os.environ, "PIP_QUIET": "0"}  # a pip that is set to be quiet would say nothing about its settings
    return subprocess.run(command, capture_output=True, text=True, check=False, env=spoken).stdout


def _settings(text: str) -> Iterator[tuple[str, str]]:
    r"""Lines such as ``global.index-url='https://...'``; those of commands and of the environment count more.

    >>> dict(_settings("global.cert='a'\n:env:.cert='b'\ninstall.cert='c'"))
    {'cert': 'b'}
    """
    found = re.findall(r"^(:env:|global|download)\.([\w-]+)='(.*)'$", text, re.MULTILINE)
    for kind in ("global", "download", ":env:"):
        yield from ((name, value.replace("\\n", " ")) for of, name, value in found if of == kind)


def _links(page: str, opener: Any) -> Iterator[tuple[str, str]]:
    """Names of files, and where they are."""
    folder = _folder(page)
    if folder is not None and folder.is_dir() and not (folder / "index.html").is_file():
        yield from ((path.name, path.as_uri()) for path in sorted(folder.iterdir()))
        return
    page = page if folder is None else (folder / "index.html" if folder.is_dir() else folder).resolve().as_uri()
    raw, kind = _read(page, opener, LARGEST_PAGE)
    if "json" in kind:
        files = json.loads(raw)["files"]
        yield from ((one["filename"], urljoin(page, one["url"])) for one in files)
        return
    parser = _Anchors()
    parser.feed(raw.decode("utf-8", errors="replace"))
    for address in parser.found:
        whole = urljoin(page, address)
        yield unquote(urlsplit(whole).path).rsplit("/", 1)[-1], whole


class _Anchors(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if tag == "a" and name == "href" and value]


def _folder(address: str) -> Path | None:
    """The path of an address of this computer."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return None if parts.scheme in ("http", "https") else Path(address).expanduser()


def _read(address: str, opener: Any, most: int) -> tuple[bytes, str]:
    """What is at an address, and what kind it says it is."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https", "file"):
        raise ValueError(f"the address {address!r:.60} is neither of the web nor of a file")
    whole = parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment="")
    request = Request(urlunsplit(whole), headers={"Accept": ACCEPT})
    if parts.username is not None:  # which the library would take for a part of the host
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        words = "Basic " + base64.b64encode(secret.encode()).decode()
        request.add_unredirected_header("Authorization", words)  # for this host, and no other
    with opener.open(request, timeout=SECONDS) as answer:
        raw = answer.read(most + 1)
        kind = answer.headers.get("Content-Type", "")
    if len(raw) > most:
        raise ValueError(f"more than {most:,} bytes came in the place of a file of an index")
    return raw, kind
