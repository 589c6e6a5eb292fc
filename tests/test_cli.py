"""The command line, as a user types it."""

import subprocess
import sys

import pytest

from jaxlda import __version__, cli


def test_demo(capsys):
    assert cli.main(["demo", "--quick", "--topics", "3", "--chains", "2"]) == 0
    out = capsys.readouterr().out
    assert "395 documents" in out
    assert out.count("%  ") == 3  # a line a topic
    assert "R-hat" in out
    for pair in ("φ + θ ", "φ + θᵖ", "φᵖ + θ ", "φᵖ + θᵖ"):
        assert pair in out


def test_version_and_help(capsys):
    for flag, expected in (("--version", __version__), ("--help", "demo")):
        with pytest.raises(SystemExit, match="0"):
            cli.main([flag])
        assert expected in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["demo", "--topics", "0"], ["demo", "--chains", "two"]])
def test_mistakes_are_explained(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert "usage: jaxlda" in capsys.readouterr().err


def test_ctrl_c_ends_with_the_usual_code(monkeypatch, capsys):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_demo", interrupted)
    assert cli.main(["demo"]) == 130
    assert "stopped" in capsys.readouterr().err


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "jaxlda.cli", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"jaxlda {__version__}"
