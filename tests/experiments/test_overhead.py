"""Log-likelihood against time: a check on the small Reuters corpus; the findings at full size, marked data."""

import json

import pytest

from jaxlda.experiments import overhead
from jaxlda.experiments._job import Job


@pytest.fixture(scope="module")
def report():
    return overhead.compute(Job("overhead", scale="smoke", progress=False))


def test_every_point_is_there(report):
    runs = json.loads(report.to_json())["numbers"]["runs"]
    assert list(runs) == ["K 10", "K 40"]
    for points in (points for two in runs.values() for points in two):
        assert [point["sweeps"] for point in points] == [2, 4, 10, 20, 40]
        seconds = [point["seconds"] for point in points]
        assert seconds == sorted(seconds) and seconds[0] > 0
        assert all(point["overhead"] > 0 and point["overhead_p"] > 0 for point in points)


def test_soft_estimates_are_better_at_every_point_and_chains_improve(report):
    for points in (points for two in report.numbers["runs"].values() for points in two):
        assert all(point["log_likelihood_p"] > point["log_likelihood"] for point in points)
        values = [point["log_likelihood"] for point in points]
        assert values == sorted(values)


def test_runs_differ_and_can_be_repeated(report):
    again = overhead.compute(Job("overhead", scale="smoke", runs=1, progress=False))
    first, second = (run[-1]["log_likelihood"] for run in report.numbers["runs"]["K 10"])
    assert again.numbers["runs"]["K 10"][0][-1]["log_likelihood"] == first != second


def test_table_figure_and_reading(report):
    assert len(report.tables[0].records) == 10
    (figure,) = report.figures
    assert set(figure.table["line"]) == {"CGS (φ + θ)", "CGSₚ (φᵖ + θᵖ)"} and figure.plot() is not None
    assert "K 40: φᵖ and θᵖ cost" in report.reading


def point(sweeps, seconds, value, value_p, overhead_p=1.0):
    values = {"log_likelihood": value, "log_likelihood_p": value_p, "overhead": 0.0, "overhead_p": overhead_p}
    return {"sweeps": sweeps, "seconds": float(seconds), **values}


def test_when_soft_estimates_overtake():
    """CGS at 1, 2, 4, 8 s; CGSₚ a second later, against what CGS has by then (even growth in log time)."""
    points = [point(1, 1, -8, -7.5), point(2, 2, -4, -3.9), point(4, 4, -3, -2.5), point(8, 8, -2.9, -2.5)]
    assert overhead._overtaking(points)["sweeps"] == 4, "at 2 s CGS has -4, at 3 s -3.4, at 5 s -2.97, at 9 s -2.88"
    assert overhead._overtaking([point(1, 1, -8, -7), point(2, 2, -4, -3.9)]) is None, "-1.7 by 3 s, if it goes on so"
    always = [point(1, 1, -8, -1), point(2, 2, -4, -1)]
    assert overhead._overtaking(always)["sweeps"] == 1
    slow = [point(1, 1, -8, -7, 3.0), point(2, 2, -4, -3.9, 3.0), point(4, 4, -3.95, -3.9, 3.0)]
    assert overhead._overtaking(slow)["sweeps"] == 2, "three seconds later CGS has -3.9 only, were it to go on so"


def test_a_reading_that_does_not_agree():
    losing = [point(1, 1, -8, -7.9), point(2, 2, -4, -3.9)]
    text = overhead._reading({10: [losing], 40: [losing]})
    assert "K 10: φᵖ and θᵖ cost 1.0 sweeps; at equal time, CGSₚ is ahead for good in 0 of 1 run(s), and ends" in text
    assert "is not always the better use of time in the end, unlike the paper" in text
    assert "does not always grow with K, unlike the paper" in text


def test_a_missing_corpus_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"reuters21578_modapte_train\.npz is not in"):
        overhead.compute(Job("overhead", tmp_path, progress=False))


@pytest.mark.data
@pytest.mark.timeout(3600)
def test_soft_estimates_pay_on_reuters(data_file, tmp_path, monkeypatch):
    data_file("reuters21578_modapte_train.npz")
    full = overhead.SCALES["full"]
    monkeypatch.setitem(overhead.SCALES, "full", full._replace(topics=(50, 100), sweeps=(10, 20, 50, 100, 200)))
    report = overhead.compute(Job("overhead", runs=1, folder=tmp_path))
    gain = []
    for K in (50, 100):
        (points,) = report.numbers["runs"][f"K {K}"]
        gain.append(points[-1]["log_likelihood_p"] - points[-1]["log_likelihood"])
        assert overhead._overtaking(points) is not None
    assert 0 < gain[0] < gain[1]
