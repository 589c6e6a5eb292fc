"""jaxlda fit --processes: one command in several processes, which speak with one voice and end together."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import jaxlda as library
from jaxlda.cli._processes import run_all
from jaxlda.running.owning import owned

FITTING = ["--topics", "2", "--chains", "1", "--warmup", "5", "--samples", "2", "--quiet", "--kernel", "pcgs"]


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(["cat purr meow cat", "dog bark howl dog"] * 10), encoding="utf-8")
    return path


def command(root, *arguments):
    return {"args": [sys.executable, "-m", "jaxlda", *map(str, arguments)], "cwd": root, "text": True}


def test_the_standard_input_is_refused(jaxlda):
    told = jaxlda("fit", "-", "--topics", 2, "--processes", 2, code=2)
    assert "several processes cannot all read the standard input" in told.err


def test_a_process_that_fails_is_told(tmp_path):
    with pytest.raises(ChildProcessError, match=r"process \d of 2 has ended with the exit code 2, and the others were"):
        run_all(2, tmp_path / "a.txt", ["info", str(tmp_path / "missing.txt")])


@pytest.mark.slow
def test_two_processes_print_and_save_what_one_does(texts, root, tmp_path):
    told = [
        subprocess.run(
            **command(root, "fit", texts, *FITTING, "--processes", number, "--save", tmp_path / f"{number}.jaxlda"),
            capture_output=True,
            check=True,
        )
        for number in (1, 2)
    ]
    assert told[0].stdout == told[1].stdout and told[1].stdout.count("\n") == 3
    assert told[1].stderr.count("saved: ") == 1
    one, two = (library.load(tmp_path / f"{number}.jaxlda") for number in (1, 2))
    np.testing.assert_array_equal(one.run_.chain(0).z, two.run_.chain(0).z)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for one process")
def test_ctrl_c_ends_all(texts, root, tmp_path):
    checkpoint = tmp_path / "c.jaxlda"
    arguments = [*FITTING, "--samples", "100000", "--processes", "2", "--checkpoint", checkpoint]
    process = subprocess.Popen(**command(root, "fit", texts, *arguments), stderr=subprocess.PIPE)
    deadline = time.monotonic() + 100
    while not (tmp_path / f".{checkpoint.name}.lock").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    with pytest.raises(BlockingIOError), owned(checkpoint, ""):
        pass
    process.send_signal(signal.SIGINT)
    assert "stopped" in process.communicate(timeout=30)[1]
    assert process.returncode == 130
    with owned(checkpoint, ""):  # nobody holds it any more
        pass
