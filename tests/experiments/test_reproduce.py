"""The frame of the experiments: the list, reports, parts that are kept, and the command."""

import json
import sys
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from jaxlda import cli, experiments
from jaxlda.experiments import EXPERIMENTS, Experiment
from jaxlda.experiments._job import Job
from jaxlda.experiments._report import Figure, Report, Table, mean


class Scale(NamedTuple):
    runs: int
    sweeps: int


class SimpleTopics(NamedTuple):
    runs: int
    topics: tuple[int, ...]


SCALES = {"full": Scale(3, 10), "smoke": Scale(1, 1)}


def squares(stop=None, **asked):
    """An experiment, without a bar."""
    return compute(Job("squares", progress=False, **asked), stop)


def compute(job, stop=None):
    """Squares of numbers, of which it can be told at which to break off."""
    chosen = job.plan(SCALES)
    computed = []

    def square(seed):
        if seed - job.seed == stop:
            raise KeyboardInterrupt
        computed.append(seed - job.seed)
        return {"square": np.float64(seed**2), "missing": np.nan}

    (values,) = job.computed({"square": square}, chosen.runs, {})
    table = Table("Squares <of runs>", [{"run": run, "x": v["square"]} for run, v in enumerate(values)], {"x": ".2f"})
    curve = {
        "panel": ["a"] * len(values),
        "line": ["b"] * len(values),
        "x": list(range(len(values))),
        "y": [value["square"] for value in values],
        "spread": [0.5] * len(values),
    }
    figure = Figure("All of them", curve, {"x": "run", "y": "square", "ticks": {0: "zero", 1: "one"}})
    numbers = {"values": values, "computed": computed}
    return Report("squares", job.scale, "Squares", "The paper squared.", (table,), (figure,), "They agree.", numbers)


@pytest.fixture
def registered(monkeypatch):
    """``squares`` in the list of experiments, and one whose data are missing."""

    def missing(job):
        raise FileNotFoundError("cubes.npz is not in the folder")

    for name, function in (("squares", compute), ("cubes", missing)):
        monkeypatch.setitem(EXPERIMENTS, name, Experiment(name, "section 9", f"{name} of numbers"))
        monkeypatch.setitem(sys.modules, f"jaxlda.experiments.{name}", SimpleNamespace(compute=function))


def test_the_mean_over_runs():
    assert mean([1.0, 2.0, 6.0]) == (3.0, pytest.approx(np.std([1, 2, 6], ddof=1)), 3)
    assert mean([1.0, 3.0]).show(1) == "2.0 ± 1.4"
    assert mean([4.0]) == (4.0, 0.0, 1) and mean([4.0]).show(1) == "4.0", "one run has no spread"


def test_tables():
    table = Table("T", [{"name": "a<b", "x": 1.25}, {"name": "c", "x": 10, "more": None}], {"x": ".1f"})
    assert str(table) == "T\n  name     x  more\n  a<b    1.2\n  c     10.0"
    assert "<td>a&lt;b</td><td>1.2</td>" in table.to_html()
    assert table.to_pandas()["x"].tolist() == [1.25, 10]


def test_a_report_is_shown_and_saved(tmp_path):
    report = squares()
    assert all(part in str(report) for part in ("Squares", "The paper squared.", "They agree.", "4.00"))
    paths = report.save(tmp_path / "new")
    assert [path.name for path in paths] == ["squares.json", "squares.txt", "squares.html"]
    stored = json.loads(paths[0].read_text(encoding="utf-8"))
    assert stored["numbers"]["values"][2] == {"square": 4.0, "missing": None}, "JSON knows no NaN"
    assert stored["tables"][0]["records"][1] == {"run": 1, "x": 1.0}
    assert paths[1].read_text(encoding="utf-8") == str(report)
    assert "All of them" in paths[2].read_text(encoding="utf-8")
    smoke = squares(scale="smoke").save(tmp_path)
    assert [path.name for path in smoke] == ["squares-smoke.json", "squares-smoke.txt", "squares-smoke.html"]


def test_figures_have_panels_and_error_bars():
    grid = squares().figures[0].plot()
    ((plot, _, _),) = grid.children
    (bars,) = [g for g in plot.renderers if type(g.glyph).__name__ == "Segment"]
    assert bars.data_source.data["y0"].tolist() == [-0.5, 0.5, 3.5]
    assert bars.data_source.data["y1"].tolist() == [0.5, 1.5, 4.5]
    assert plot.xaxis.major_label_overrides == {0: "zero", 1: "one"} and plot.xaxis.ticker.ticks == [0, 1]


def test_what_is_finished_is_not_computed_again(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        squares(folder=tmp_path / "new", stop=2)
    resumed = squares(folder=tmp_path / "new")
    assert resumed.numbers["computed"] == [2]
    assert resumed.numbers["values"] == squares().numbers["values"]
    assert squares(folder=tmp_path / "new", runs=4).numbers["computed"] == [3], "more runs, later"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "has no parts of squares, or is damaged; remove it"),
        ('{"format": "jaxlda.experiment", "experiment": "cubes"}', "has no parts of squares"),
        (
            '{"format": "jaxlda.experiment", "experiment": "squares", "version": 1, "parts": {}, "settings": []}',
            "is damaged",
        ),
        (
            '{"format": "jaxlda.experiment", "experiment": "squares", "version": 9, "parts": {}, "settings": {}}',
            "has version 9 of the format; this jaxlda reads version 1",
        ),
        (
            '{"format": "jaxlda.experiment", "experiment": "squares", "version": 1, "parts": {}, '
            '"settings": {"seed": 5}}',
            r"has parts of other settings: seed = 5 there and 0 now\. Give the same settings, another folder, or",
        ),
    ],
)
def test_parts_of_something_else_are_refused(tmp_path, content, message):
    (tmp_path / "squares.parts.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        squares(folder=tmp_path)
    assert (tmp_path / "squares.parts.json").read_text(encoding="utf-8") == content, "and left as they are"


def test_the_plan_of_a_scale():
    assert Job("x").plan(SCALES) == (3, 10)
    assert Job("x", runs=7).plan(SCALES) == (7, 10)
    with pytest.raises(ValueError, match="scale must be 'full' or 'smoke'; got 'huge'"):
        Job("x", scale="huge").plan(SCALES)
    with pytest.raises(ValueError, match="runs"):
        Job("x", runs=0).plan(SCALES)


def test_numbers_of_topics():
    scales = {"full": SimpleTopics(1, (50, 100))}
    assert Job("x").plan(scales).topics == (50, 100)
    assert Job("x", topics=[20, 30, 20]).plan(scales).topics == (20, 30), "each once"
    with pytest.raises(ValueError, match="each of topics"):
        Job("x", topics=[20, 0]).plan(scales)
    with pytest.raises(ValueError, match="at least one number of topics"):
        Job("x", topics=[]).plan(scales)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_can_be_loaded(name):
    module = __import__(f"jaxlda.experiments.{EXPERIMENTS[name].module}", fromlist=["compute"])
    assert {"full", "smoke"} == set(module.SCALES)
    assert callable(module.compute)


def test_unknown_experiments_are_told():
    with pytest.raises(ValueError, match=r"there is no experiment 'tea'; known are .*multilabel"):
        experiments.reproduce("tea")


@pytest.mark.usefixtures("registered")
class TestCommand:
    def test_one(self, tmp_path, capsys):
        options = ["--scale", "full", "--seed", "3", "--runs", "2", "--output", str(tmp_path)]
        assert cli.main(["reproduce", "squares", *options]) == 0
        captured = capsys.readouterr()
        assert "16.00" in captured.out and str(tmp_path / "squares.json") in captured.out
        assert "squares: 100%" in captured.err, "the bar"
        assert json.loads((tmp_path / "squares.parts.json").read_text(encoding="utf-8"))["settings"] == {"seed": 3}

    def test_topics(self, tmp_path, monkeypatch):
        asked = []

        def compared(job):
            asked.extend(job.topics)
            return compute(job._replace(topics=None))

        monkeypatch.setattr(sys.modules["jaxlda.experiments.squares"], "compute", compared)
        assert cli.main(["reproduce", "squares", "--topics", "5", "10", "--output", str(tmp_path)]) == 0
        assert asked == [5, 10]

    def test_a_check_keeps_no_parts(self, tmp_path):
        assert cli.main(["reproduce", "squares", "--scale", "smoke", "--output", str(tmp_path)]) == 0
        assert {path.name for path in tmp_path.iterdir()} == {f"squares-smoke.{x}" for x in ("json", "txt", "html")}

    def test_list(self, capsys):
        assert cli.main(["reproduce", "--list"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(EXPERIMENTS)
        assert lines[-1].split(maxsplit=1) == ["cubes", "cubes of numbers (section 9)"]

    def test_all_goes_on_without_the_data_of_one(self, tmp_path, capsys, monkeypatch):
        for name in list(EXPERIMENTS):
            if name not in ("squares", "cubes"):
                monkeypatch.delitem(EXPERIMENTS, name)
        order = dict(reversed(EXPERIMENTS.items()))  # the one without data first
        for name in order:
            monkeypatch.delitem(EXPERIMENTS, name)
        for name, experiment in order.items():
            monkeypatch.setitem(EXPERIMENTS, name, experiment)
        assert cli.main(["reproduce", "--all", "--scale", "smoke", "--output", str(tmp_path)]) == 2
        captured = capsys.readouterr()
        assert "cubes is left out: cubes.npz is not in the folder" in captured.err
        assert "without their data, cubes could not be computed" in captured.err
        assert "They agree." in captured.out

    def test_ctrl_c(self, tmp_path, capsys, monkeypatch):
        def interrupted(job):
            return compute(job, stop=1)

        monkeypatch.setattr(sys.modules["jaxlda.experiments.squares"], "compute", interrupted)
        assert cli.main(["reproduce", "squares", "--output", str(tmp_path)]) == 130
        assert f"finished parts of squares are kept in {tmp_path}" in capsys.readouterr().err
        assert list(json.loads((tmp_path / "squares.parts.json").read_text(encoding="utf-8"))["parts"]) == [
            "square, run 0"
        ]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ([], "which one? Give one of"),
            (["tea"], "there is no experiment 'tea'; known are"),
            (["squares", "--all"], "give either squares or --all"),
            (["squares", "--topics", "5"], "squares does not compare numbers of topics: leave topics out"),
            (["--all", "--topics", "5", "6"], "--topics is for one experiment"),
            (["cubes"], "cubes.npz is not in the folder"),
        ],
    )
    def test_mistakes_are_explained(self, arguments, message, capsys):
        assert cli.main(["reproduce", *arguments]) == 2
        assert message in capsys.readouterr().err
