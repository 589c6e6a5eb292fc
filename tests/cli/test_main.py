"""The command line as a whole: help, mistakes, exit codes, and what is told where."""

import html
import io
import os
import re
import subprocess
import sys
import warnings

import pytest

from jaxlda import __version__, cli, datasets

SWITCHES = {"csv", "json", "learn-alpha", "learn-beta", "presence", "quiet", "topics-only", "no-labels"}
SWITCHES |= {"theta", "topic", "skip-unlabeled", "list", "all", "quick", "no-browser", "no-token", "phrases", "counted"}
NUMBERS = {"words", "warmup", "samples", "thinning", "chains", "beta", "min-df", "max-bytes", "max-tokens", "max-size"}
NUMBERS |= {"port", "max-upload", "runs"}
COMMANDS = ["demo", "fit", "choose-k", "topics", "documents", "prevalence", "effects", "infer", "evaluate", "estimate"]
COMMANDS += ["classify", "convert", "info", "report", "reproduce"]


@pytest.mark.slow
def test_demo(jaxlda, monkeypatch, tmp_path):
    small = datasets.load("bars").subset(range(60))
    monkeypatch.setattr(datasets, "load", {"reuters": small}.get)
    monkeypatch.chdir(tmp_path)
    out = jaxlda("demo", "--quick", "--topics", "3", "--chains", "2").out
    assert "48 documents to learn from, 12 held out" in out
    assert out.count("%  ") == 3  # a line a topic
    assert "R-hat" in out
    for pair in ("φ + θ ", "φ + θᵖ", "φᵖ + θ ", "φᵖ + θᵖ"):
        assert pair in out
    assert out.endswith(f"{tmp_path / 'jaxlda-demo.html'}\nWatch chains live: jaxlda dashboard\n")
    page = (tmp_path / "jaxlda-demo.html").read_text(encoding="utf-8")
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert page.startswith("<!DOCTYPE html>") and not re.search(r"\b(?:src|href)=", outside), "needs nothing else"
    for shown in ("Log joint of the chains", "Map of the topics", "<h3>Topic 2 · ", "φᵖ + θᵖ", "R-hat of 2 chains"):
        assert shown in page
    (code,) = re.findall(r"<pre>(.*?)</pre>", outside, re.DOTALL)
    names: dict = {}
    exec(html.unescape(code).replace("model.fit(train)", "model.set_params(progress=False).fit(train)"), names)
    for word in names["model"].top_words(10)[2]:
        assert word in page


def test_version_and_help(capsys):
    for flag, expected in (("--version", __version__), ("--help", "demo")):
        with pytest.raises(SystemExit, match="0"):
            cli.main([flag])
        assert expected in capsys.readouterr().out


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "demo"])
def test_help_has_an_example(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    assert f"Example: jaxlda {command} " in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", [*COMMANDS, "dashboard"])
def test_help_shows_the_defaults(command, capsys, monkeypatch):
    """Of every option that has one; the others are switches, places, or found out."""
    monkeypatch.setenv("COLUMNS", "400")
    with pytest.raises(SystemExit, match="0"):
        cli.main([command, "--help"])
    text = re.sub(r"\n {10,}", " ", capsys.readouterr().out)  # what is told of long names begins in the next line
    lines = re.findall(r"^  --(\S+) (.*)$", text, re.MULTILINE)
    without = {name for name, told in lines if "(default: " not in told}
    found_out = {"format", "title", "delimiter", "header,", "vocab", "xml"}
    assert without <= found_out | SWITCHES | {"save", "checkpoint", "output", "by", "width", "compare", "covariate"}
    for name, told in lines:
        number = re.search(r"\(default: ([\d.,]+)", told)
        assert name not in NUMBERS or number, (name, told)
        assert told.count("(default: ") < 2, (name, told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage: jaxlda"),
        (["nonsense"], "usage: jaxlda"),
        (["demo", "--topics", "0"], "must be a whole number of at least 1, not '0'"),
        (["demo", "--chains", "two"], "must be a whole number of at least 1, not 'two'"),
        (["demo", "--seed", "-1"], "must be a whole number of at least 0, not '-1'"),
        (["demo", "--seed", "9" * 30], "must be less than 10**18, not 9999"),
        (["fit", "x", "--topics", "²"], "must be a whole number of at least 1, not '²'"),
        (["fit", "x", "--alpha", "0"], "must be a number greater than 0, not '0'"),
        (["fit", "x", "--beta", "nan"], "must be a number greater than 0, not 'nan'"),
        (["fit", "x", "--min-df", "1.5"], "must be a number of texts, or a share below 1; not '1.5'"),
        (["fit", "x", "--max-df", "many"], "must be a number of texts, or a share below 1; not 'many'"),
        (["classify", "x", "y", "--count", "1.5"], "'metalabeler', a number of labels, or a share below 1; not '1.5'"),
        (["classify", "x", "y", "--count", "some"], "a number of labels, or a share below 1; not 'some'"),
        (["topics", "x", "--csv", "--json"], "not allowed with argument"),
    ],
)
def test_mistakes_are_explained(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    error = capsys.readouterr().err
    assert "usage: jaxlda" in error and message in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["classify", "no.csv", "no.csv"], "no.csv"),
        (["classify", "train.arff", "test.arff"], "train.arff: is an ARFF file: name its labels with an XML file"),
        (["reproduce", "multilabel", "--data", "nowhere"], "nowhere has none of"),
        (["fit", "no.txt"], "no.txt"),
        (["fit", "a.txt", "--save", "nowhere/model"], "there is no folder 'nowhere'"),
        (["fit", "a.txt", "--kernel", "gibs"], "there is no kernel 'gibs'; known are 'cgs'"),
        (["topics", "no.jaxlda"], "no.jaxlda"),
        (["topics", "a.txt"], "a.txt"),
        (["infer", "no.jaxlda", "a.txt"], "no.jaxlda"),
        (["estimate", "a.txt"], "a.txt, line 1: expected '#doc source pos"),
        (["estimate", "a.txt", "--topics", "3"], "--topics is for WarpLDA (with --vocab)"),
    ],
)
def test_mistakes_in_files_are_explained(arguments, message, jaxlda, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("a cat and a dog\n", encoding="utf-8")
    (tmp_path / "train.arff").write_text("@relation r\n@attribute cat numeric\n@data\n1\n", encoding="utf-8")
    told = jaxlda(*arguments, code=2)
    last = told.err.strip().splitlines()[-1]
    assert last.startswith(f"jaxlda {arguments[0]}: ") and message in last and told.out == ""


def test_ctrl_c_ends_with_the_usual_code(monkeypatch, jaxlda):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.demo, "run", interrupted)
    assert "stopped" in jaxlda("demo", code=130).err


def test_warnings_are_told_in_a_line(monkeypatch, jaxlda):
    def careless(options):
        warnings.warn("this may go wrong", stacklevel=1)
        print("result")

    before = warnings.showwarning
    monkeypatch.setattr(cli.demo, "run", careless)
    told = jaxlda("demo")
    assert told.out == "result\n" and told.err == "jaxlda demo: this may go wrong\n"
    assert warnings.showwarning is before


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "jaxlda", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"jaxlda {__version__}"


def test_who_has_seen_enough_may_close_the_pipe(monkeypatch, capsys):
    """As ``jaxlda ... | head -1`` does: no error, and no trace."""
    read, write = os.pipe()
    os.close(read)
    monkeypatch.setattr(cli.demo, "run", lambda options: print("x\n" * 10**6))
    with open(write, "w", encoding="utf-8") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert cli.main(["demo"]) == 0
    assert capsys.readouterr().err == ""


def test_words_that_a_terminal_cannot_show_are_escaped(monkeypatch):
    shown = io.BytesIO()
    monkeypatch.setattr(cli.demo, "run", lambda options: print("φ"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding="ascii"))
    assert cli.main(["demo"]) == 0
    assert shown.getvalue() == b"\\u03c6\n"
