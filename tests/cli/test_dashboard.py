"""What is wrong with the options of the dashboard is told before anything opens."""

import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from jaxlda import LDA, Corpus


@pytest.fixture
def used_port():
    with socket.socket() as taken:
        taken.bind(("localhost", 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Tornado leaves its socket behind
@pytest.mark.filterwarnings("ignore:There is no current event loop:DeprecationWarning")  # nor does it make one
def test_a_port_in_use(jaxlda, used_port):
    told = jaxlda("dashboard", "--no-browser", "--port", used_port, code=2).err
    assert f"cannot listen at localhost:{used_port} (address already in use)" in told and "0 for any free one" in told


def test_no_such_port_or_file(jaxlda, tmp_path):
    assert "there is no port 65536" in jaxlda("dashboard", "--port", 65536, code=2).err
    assert "there is no file" in jaxlda("dashboard", tmp_path / "nothing.txt", code=2).err


def test_passwords_that_let_nobody_in(jaxlda, tmp_path):
    for content in ("", "[]", "{}", '{"ann": ""}', '{"ann": 1}'):
        (tmp_path / "people.json").write_text(content)
        told = jaxlda("dashboard", "--auth", tmp_path / "people.json", code=2).err
        assert "must be a JSON file of names and passwords" in told
    assert "must be a JSON file" in jaxlda("dashboard", "--auth", tmp_path / "nothing.json", code=2).err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
def test_nothing_is_left_behind(tmp_path, root):
    """After Ctrl-C, and after being asked to end: no process, no file. A saved run is a file for a moment."""
    corpus = Corpus.from_texts(["cat purr cat", "dog bark dog"])
    path = tmp_path / "pets.jaxlda"
    LDA(2, num_warmup=1, num_samples=1, thinning=1, num_chains=1, progress=False).fit(corpus).save(path)
    command = [sys.executable, "-m", "jaxlda", "dashboard", "--no-browser", "--port", "0", str(path)]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), str(root / "app")])}
    servers = {}
    for ending in (signal.SIGINT, signal.SIGTERM):
        folder = tmp_path / ending.name
        folder.mkdir()
        servers[ending] = subprocess.Popen(
            command, env=env | {"TMPDIR": str(folder)}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
    try:
        for ending, server in servers.items():
            lines = iter(server.stderr.readline, "")
            said = next(line for line in lines if "The dashboard is at" in line)
            assert re.search(r"http://localhost:\d+/\?token=[\w-]{20,}", said)
            assert list((tmp_path / ending.name).iterdir()), "there was nothing to remove"
            server.send_signal(ending)
        for ending, server in servers.items():
            server.communicate(timeout=60)
            assert server.returncode == 0 and not list((tmp_path / ending.name).iterdir()), ending
    finally:
        for server in servers.values():
            server.kill()
            server.communicate()
