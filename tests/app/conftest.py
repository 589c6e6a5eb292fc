"""What tests of the dashboard need that is not a browser."""

import threading
import time
from collections.abc import Callable

import pytest


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Wait until something is true, or fail."""

    def wait(condition: Callable[[], object], seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.005)

    return wait


@pytest.fixture(scope="session", autouse=True)
def short_lives():
    """Pages that nobody looks at any more end soon; servers have no run to begin with, which takes half a minute."""
    from jaxlda_app import first, main

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "UNUSED", 1500)
        patch.setattr(first.FirstRun, "prepare", lambda run: run._done.set())
        yield


@pytest.fixture(scope="module")
def running(request, short_lives):
    """A server. Pages that nobody looks at live for ``UNUSED`` milliseconds of the module, if it has any."""
    from jaxlda_app import main

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "UNUSED", getattr(request.module, "UNUSED", main.UNUSED))
        running = main.serve(port=0, show=False, threaded=True)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def cookie(running):
    """What a browser has that was let in."""
    return f"jaxlda-{running.server.port}={running.guard.pass_}"


@pytest.fixture(autouse=True)
def no_threads_left():
    """Nobody leaves a worker behind. (A server of the browser tests may be there already.)"""
    before = set(threading.enumerate())
    yield
    end = time.monotonic() + 20
    while left := [one for one in set(threading.enumerate()) - before if one.name.startswith("jaxlda")]:
        assert time.monotonic() < end, left
        time.sleep(0.01)
