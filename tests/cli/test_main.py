"""The command line, as a user types it."""

import json
import subprocess
import sys

import pytest

import jaxlda
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


@pytest.fixture
def pets(tmp_path):
    """A table of labelled texts, and the same texts as JSON lines without labels."""
    texts = {"cat purr cat meow": "cats", "dog bark dog growl": "dogs", "purr cat dog bark": "cats;dogs"}
    table = [f"{text},{labels}\n" for text, labels in texts.items()] * 6
    (tmp_path / "train.csv").write_text("text,labels\n" + "".join(table), encoding="utf-8")
    (tmp_path / "new.csv").write_text("text,labels\npurr meow purr,cats\nbark growl,dogs;pets\n", encoding="utf-8")
    (tmp_path / "new.jsonl").write_text('{"text": "purr meow purr"}\n{"text": "bark growl"}\n', encoding="utf-8")
    return tmp_path


QUICK = ["--chains", "1", "--samples", "3", "--warmup", "5", "--count", "1"]


def test_classify(pets, capsys):
    output, saved = pets / "labels.jsonl", pets / "pets.jaxlda"
    files = [str(pets / "train.csv"), str(pets / "new.csv")]
    assert cli.main(["classify", *files, *QUICK, "--output", str(output), "--save", str(saved)]) == 0
    assert [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()] == [["cats"], ["dogs"]]
    out = capsys.readouterr().out
    assert "18 documents" in out and "2 labels; 2 documents to classify" in out
    assert "1 label(s) of the test documents have no training document, and count as missed" in out
    assert "F1: micro 0.800, macro 0.667, example-based 0.833" in out  # two of three labels found, none too many
    assert "one error 0.000" in out
    assert jaxlda.load(saved).classes_.tolist() == ["cats", "dogs"]


def test_classify_documents_without_labels(pets, capsys):
    files = [str(pets / "train.csv"), str(pets / "new.jsonl")]
    assert cli.main(["classify", *files, *QUICK[:-2], "--no-labels", "--output", str(pets / "out")]) == 0
    assert (pets / "out").read_text(encoding="utf-8").startswith('["cats"]\n')
    assert "F1" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["classify", "no.csv", "no.csv"], "no.csv"),
        (["classify", "train.arff", "test.arff"], "name its labels with --xml"),
        (["reproduce", "multilabel", "--data", "nowhere"], "nowhere has none of"),
    ],
)
def test_mistakes_in_files_are_explained(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"jaxlda {arguments[0]}: ") and message in error


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["demo", "--topics", "0"], ["demo", "--chains", "two"]])
def test_mistakes_are_explained(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert "usage: jaxlda" in capsys.readouterr().err


def test_ctrl_c_ends_with_the_usual_code(monkeypatch, capsys):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.demo, "run", interrupted)
    assert cli.main(["demo"]) == 130
    assert "stopped" in capsys.readouterr().err


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "jaxlda.cli", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"jaxlda {__version__}"
