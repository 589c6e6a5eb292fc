"""Hard and soft counts: a check; the figures of an independent implementation on Reuters, marked data."""

import json

import numpy as np
import pytest

from jaxlda.experiments import _tasks, counts
from jaxlda.experiments._job import Job
from jaxlda.experiments._training import one_sample
from tests import reference


@pytest.fixture(scope="module")
def report():
    return counts.compute(Job("counts", scale="smoke", progress=False))


@pytest.mark.slow
def test_every_number_is_there(report):
    stored = json.loads(report.to_json())["numbers"]
    (runs,) = stored["gaps"].values()
    assert [len(run[kind]) for run in runs for kind in ("normalised", "counts")] == [20] * 4
    assert runs[0] != runs[1]
    assert list(stored["document"]["difference"]) == ["5", "10", "20", "30"]
    assert all(len(values) == 10 for values in stored["document"]["difference"].values())
    curve, panels = report.figures
    assert len(curve.table["x"]) == 20 and set(panels.table["panel"]) == {f"sweep {t}" for t in (5, 10, 20, 30)}
    assert curve.plot() is not None


@pytest.mark.slow
def test_the_gap_is_that_of_the_reference(report):
    """After one sweep, computed a token at a time."""
    (task,) = _tasks.load(None, "smoke")
    data = task.train.data(10, 0.1, 0.01)
    p = reference.problem(data)
    z = np.asarray(one_sample(data, 1, 0).z)
    hard, soft = reference.counts(z, p)[0], reference.soft_counts(z, p)[0]
    (runs,) = report.numbers["gaps"].values()
    assert runs[0]["normalised"][0] == pytest.approx(reference.hard_soft_gap(z, p), rel=1e-4)
    assert runs[0]["counts"][0] == pytest.approx(np.abs(hard - soft).sum() / len(hard), rel=1e-4)


@pytest.mark.slow
def test_counts_come_nearer_but_do_not_meet(report):
    (runs,) = report.numbers["gaps"].values()
    for run in runs:
        assert 0.02 < run["normalised"][-1] < 0.7 * run["normalised"][0]
    assert "it becomes less, but stays, as in the paper" in report.reading
    assert report.tables[0].records[0]["sweep 20"].startswith(f"{np.mean([r['normalised'][-1] for r in runs]):.4f}")


def test_missing_data_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"reuters21578_modapte_train\.npz is not in"):
        counts.compute(Job("counts", tmp_path, progress=False))


@pytest.mark.data
@pytest.mark.timeout(3600)
def test_the_gap_on_reuters(data_file, tmp_path, monkeypatch):
    data_file("reuters21578_modapte_train.npz")
    monkeypatch.setattr(counts, "TITLES", {"reuters21578": "Reuters-21578"})
    monkeypatch.setitem(counts.SCALES, "full", counts.SCALES["full"]._replace(panels=(50,)))
    report = counts.compute(Job("counts", runs=1, folder=tmp_path))
    gap = report.numbers["gaps"]["Reuters-21578"][0]["normalised"]
    seen = [gap[sweep - 1] for sweep in (1, 5, 10, 20, 50)]
    np.testing.assert_allclose(seen, [0.421, 0.390, 0.299, 0.257, 0.229], atol=0.015)
