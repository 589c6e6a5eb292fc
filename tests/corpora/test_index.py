"""Files of the package index without pip: where it would look, what is found there, and that nothing is run."""

import hashlib
import http.server
import io
import json
import os
import tarfile
import threading

import pytest

from jaxlda.corpora import index
from jaxlda.corpora.index import Places, fetched, places
from jaxlda.corpora.packages import Release, obtained

FILE = "some_data-1.0.tar.gz"


@pytest.fixture
def settings(monkeypatch):
    """pip's settings are those of the test alone."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX", "CERT", "PROXY"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    return monkeypatch


@pytest.fixture
def archive(tmp_path):
    """A source archive whose ``setup.py`` leaves a trace."""
    trace, packed = tmp_path / "was_run", io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        script = (
            f"open({str(trace)!r}, 'w').close()\nfrom setuptools import setup\nsetup(name='some-data', version='1.0')\n"
        )
        for name, content in (("setup.py", script.encode()), ("data.txt", b"cat\n")):
            info = tarfile.TarInfo(f"some_data-1.0/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue(), trace


@pytest.fixture
def simple(tmp_path, archive):
    """A simple index in a folder, as PEP 503 says."""
    page = tmp_path / "simple" / "some-data"
    page.mkdir(parents=True)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / FILE).write_bytes(archive[0])
    link = f'<a href="../../files/{FILE}#sha256=0">{FILE}</a>'
    (page / "index.html").write_text(f'<html><a href="other-2.tar.gz">o</a>{link}</html>')
    return tmp_path / "simple"


def test_a_source_archive_is_obtained_and_not_run(settings, simple, archive, tmp_path):
    content, trace = archive
    settings.setenv("PIP_INDEX_URL", simple.as_uri())
    release = Release("Some_Data", "1.0", FILE, hashlib.sha256(content).hexdigest())
    assert obtained(release, tmp_path / "cache").read_bytes() == content and not trace.exists()
    with pytest.raises(ValueError, match="its digest differs"):
        obtained(release._replace(sha256="0" * 64), tmp_path / "elsewhere")
    with pytest.raises(
        FileNotFoundError, match=r"could not be obtained from the package index: .* \(no index has it\)"
    ):
        obtained(release._replace(file="another-1.0.tar.gz"), tmp_path / "elsewhere")
    assert not trace.exists() and list((tmp_path / "elsewhere").iterdir()) == []


def test_places_are_those_of_pip(settings):
    found = places()
    assert len(found.indexes) == 1 and found.indexes[0].startswith("https://"), "the default of pip itself"
    settings.setenv("PIP_INDEX_URL", "https://a.example/simple")
    settings.setenv("PIP_EXTRA_INDEX_URL", "https://b.example/simple https://c.example/simple")
    settings.setenv("PIP_FIND_LINKS", "/some/folder")
    letters = tuple(f"https://{letter}.example/simple" for letter in "abc")
    assert places() == Places(letters, ("/some/folder",))
    settings.setenv("PIP_NO_INDEX", "1")
    assert places() == Places((), ("/some/folder",))


def test_a_quiet_pip_still_says_where_it_looks(settings, tmp_path):
    (tmp_path / "pip.conf").write_text("[global]\nquiet = 2\nfind-links = /some/folder\n")
    settings.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    settings.setenv("PIP_QUIET", "1")
    settings.setenv("PIP_EXTRA_INDEX_URL", "https://b.example/simple")
    found = places()
    assert found.indexes[-1] == "https://b.example/simple" and found.links == ("/some/folder",)


def test_folders_of_files_are_looked_into(simple, archive):
    folder = simple.parent / "files"
    for link in (str(folder), folder.as_uri()):
        assert fetched("some-data", FILE, Places(links=(link,))) == archive[0]
    with pytest.raises(FileNotFoundError, match="no index has it"):
        fetched("some-data", "x.tar.gz", Places(links=(str(folder),)))
    with pytest.raises(FileNotFoundError, match="set up with no index"):
        fetched("some-data", FILE, Places())
    with pytest.raises(FileNotFoundError, match="No such file"):
        fetched("nobody", FILE, Places(indexes=(simple.as_uri(),)))


@pytest.fixture
def server(archive):
    """An index that speaks JSON (PEP 691) to who has a password."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append((self.path, self.headers.get("Authorization")))
            kind, content = "application/octet-stream", archive[0]
            if self.path == "/simple/some-data/":
                kind = "application/vnd.pypi.simple.v1+json"
                content = json.dumps({"files": [{"filename": FILE, "url": f"/packages/{FILE}"}]}).encode()
            self.send_response(200 if self.path != "/simple/broken/" else 500)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, seen
        server.shutdown()


def test_an_index_of_the_web(server, archive, monkeypatch):
    port, seen = server
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    where = Places((f"http://me:p%40ss@127.0.0.1:{port}/simple/",))
    assert fetched("some.data", FILE, where) == archive[0]
    assert seen == [("/simple/some-data/", "Basic bWU6cEBzcw=="), (f"/packages/{FILE}", "Basic bWU6cEBzcw==")]
    with pytest.raises(FileNotFoundError, match="Internal Server Error"):
        fetched("broken", FILE, where)
    monkeypatch.setattr(index, "LARGEST_FILE", 10)
    with pytest.raises(FileNotFoundError, match="more than 10 bytes"):
        fetched("some-data", FILE, where)


def test_addresses_of_other_kinds_are_not_opened(tmp_path):
    (tmp_path / "page.html").write_text(f'<a href="ftp://host/{FILE}">x</a>')
    with pytest.raises(FileNotFoundError, match="neither of the web nor of a file"):
        fetched("some-data", FILE, Places(links=(str(tmp_path / "page.html"),)))
