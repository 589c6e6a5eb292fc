"""One process at a time continues a file; another is told at once, and the dead own nothing. SIGTERM loses nothing."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import jaxlda
from jaxlda.models._checkpoint import Termination
from jaxlda.running.owning import owned
from tests.models import owners
from tests.models.storing import CORPUS, assert_same, quick

pytestmark = [
    pytest.mark.usefixtures("named"),
    pytest.mark.skipif(os.name == "nt", reason="needs signals that end a process"),
]


@contextmanager
def other(root, kind, path):
    """A process that owns the file."""
    command = [sys.executable, "-m", "tests.models.owners", kind, str(path)]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert line == "owned\n", process.communicate()
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("kind", "advice"),
    [("checkpoint", "another path as checkpoint"), ("choose_k", "another path"), ("reproduce", "another folder")],
)
def test_a_second_process_is_told_at_once(root, tmp_path, kind, advice):
    path = tmp_path / "folder" if kind == "reproduce" else tmp_path / "a.jaxlda"
    with other(root, kind, path) as process:
        began = time.monotonic()
        message = rf"(a\.jaxlda|parts\.json)' is in use: process {process.pid} writes it\. Wait .*give {advice}"
        with pytest.raises(BlockingIOError, match=message):
            getattr(owners, kind)(path)
        assert time.monotonic() - began < 5
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = [one.name for one in (path if kind == "reproduce" else tmp_path).iterdir()]
    assert any(name.endswith(".lock") for name in left)  # it could not clean up, but owns nothing any more
    if kind == "choose_k":
        with owned(path, "wait"):
            pass
    else:
        getattr(owners, kind)(path)
    left = [one.name for one in (path if kind == "reproduce" else tmp_path).iterdir()]
    assert not any(name.endswith(".lock") for name in left)


def test_two_fits_of_one_process_too(path):
    model = quick(checkpoint=path)

    def another(run):
        with pytest.raises(BlockingIOError, match=rf"is in use: process {os.getpid()} writes it"):
            quick(checkpoint=path).fit(CORPUS)

    model.fit(CORPUS, on_block=another)
    assert model.resume(5).run_.sweep == 12 and sorted(os.listdir(path.parent)) == [path.name]


def test_a_failure_lets_go(path):
    path.write_text("my thesis")
    for _ in range(2):
        with pytest.raises(ValueError, match="is not a file saved by jaxlda"):
            quick(checkpoint=path).fit(CORPUS)
    assert os.listdir(path.parent) == [path.name]


class TestSigterm:
    @pytest.mark.slow
    def test_writes_a_last_checkpoint(self, root, path):
        with other(root, "sigterm", path) as process:
            assert not path.exists()
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 143
            assert "Stopped at sweep" in process.stderr.read()
        stopped = jaxlda.load(path).run_.sweep
        assert 0 < stopped < 1_000_000
        assert os.listdir(path.parent) == [path.name]

    def test_calls_the_handler_that_was_there(self, path):
        calls = []
        before = signal.signal(signal.SIGTERM, lambda *args: calls.append(args[0]))
        mine = signal.getsignal(signal.SIGTERM)

        def terminate(run):
            if run.sweep:
                os.kill(os.getpid(), signal.SIGTERM)

        try:
            with pytest.warns(RuntimeWarning, match="Stopped at sweep"):
                quick(checkpoint=path, num_samples=50).fit(CORPUS, on_block=terminate)
            assert calls == [signal.SIGTERM] and signal.getsignal(signal.SIGTERM) is mine
        finally:
            signal.signal(signal.SIGTERM, before)
        assert_same(quick(checkpoint=path, num_samples=50).fit(CORPUS), quick(num_samples=50).fit(CORPUS))

    def test_once_all_is_sampled_nothing_is_interrupted(self):
        with pytest.raises(SystemExit) as ended, Termination() as termination:
            termination.sampling = False
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            written = True
        assert ended.value.code == 143 and written

    def test_is_left_alone_where_it_is_ignored_or_nothing_is_kept(self):
        before = signal.getsignal(signal.SIGTERM)
        seen = []
        quick().fit(CORPUS, on_block=lambda run: seen.append(signal.getsignal(signal.SIGTERM)))
        assert set(seen) == {before}
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            with Termination():
                assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        finally:
            signal.signal(signal.SIGTERM, before)
