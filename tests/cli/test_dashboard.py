"""What is wrong with the options of the dashboard is told before anything opens."""

import socket

import pytest


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
