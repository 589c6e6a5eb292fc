"""What tests of several commands need."""

import pytest

from jaxlda import cli
from jaxlda.kernels import KERNELS
from tests.models.conftest import interrupted as interrupted
from tests.models.toy import toy


@pytest.fixture(autouse=True)
def toy_kernel(monkeypatch):
    """``--kernel toy``: an algorithm that needs no compiling."""
    monkeypatch.setitem(KERNELS, "toy", toy)


@pytest.fixture
def jaxlda(capsys):
    """Run a command; give what it printed, and what it told on the way. Another exit code than expected is an error."""

    def run(*arguments, code=0):
        assert cli.main([str(argument) for argument in arguments]) == code, capsys.readouterr().err
        return capsys.readouterr()

    return run
