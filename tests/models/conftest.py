"""What several tests of models need around them."""

import pytest

from jaxlda.kernels import KERNELS
from jaxlda.running import driver
from tests.models.toy import toy


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.jaxlda"


@pytest.fixture
def named(monkeypatch):
    """Files know the toy algorithm by its name."""
    monkeypatch.setitem(KERNELS, "toy", toy)


@pytest.fixture
def interrupted(monkeypatch):
    """Press Ctrl-C after a sweep."""

    def interrupt(sweep):
        real = driver.run_blocks

        def blocks(*args, **options):
            for now in real(*args, **(options | {"block": 1})):
                yield now
                if now.sweep == sweep:
                    monkeypatch.setattr(driver, "run_blocks", real)
                    raise KeyboardInterrupt

        monkeypatch.setattr(driver, "run_blocks", blocks)

    return interrupt
