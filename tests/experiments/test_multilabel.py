"""The multi-label experiments: quick on a small corpus; the paper's figures on Bibtex, marked data."""

import json

import numpy as np
import pytest

from jaxlda import datasets
from jaxlda.evaluation import multilabel as measures
from jaxlda.experiments import multilabel
from jaxlda.experiments._job import Job
from jaxlda.experiments._multilabel_report import METHODS, Record, Results
from jaxlda.experiments._published import PAPER
from jaxlda.experiments._report import Report
from tests.models.supervised import TEST, TRAIN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where finished parts are kept."""
    return tmp_path_factory.mktemp("parts")


def results(report: Report) -> Results:
    return Results(tuple(Record(**record) for record in report.numbers["records"]), report.numbers["sizes"])


@pytest.fixture(scope="module")
def report(folder) -> Report:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multilabel, "_simulated", lambda seed: iter([("bibtex", TRAIN, TEST)]))
        return multilabel.compute(Job("multilabel", scale="smoke", runs=1, folder=folder, progress=False))


def test_what_is_finished_is_not_computed_again(report, folder, monkeypatch):
    monkeypatch.setattr(multilabel, "_simulated", lambda seed: iter([("bibtex", TRAIN, TEST)]))
    monkeypatch.delattr(multilabel, "PriorLDA")
    again = multilabel.compute(Job("multilabel", scale="smoke", runs=1, folder=folder, progress=False))
    assert again.numbers == report.numbers
    with pytest.raises(ValueError, match="seed = 0 there and 1 now"):
        multilabel.compute(Job("multilabel", scale="smoke", runs=1, seed=1, folder=folder, progress=False))


def test_every_method_is_in_every_configuration(report):
    found = results(report)
    paper = [record for record in found.records if record.variant == "paper"]
    by_phi = ["phi+theta", "phi+theta_p", "soft_counts", "hard_counts"]
    methods = [*by_phi, "phi_p+theta", "phi_p+theta_p", "cvb0", "cvb0_counts"]
    expected = [(configuration, method) for configuration in ("1x1", "2x3") for method in methods]
    assert [(record.configuration, record.method) for record in paper] == expected
    assert {r.configuration for r in found.records if r.variant == "program"} == {"2x3"}
    assert found.curve()["samples"] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert all(0.3 < value <= 1 for record in found.records for value in record[5:]), "better than chance, by far"


def test_the_report_is_saved(report, tmp_path):
    paths = report.save(tmp_path / "new")
    assert [path.name for path in paths] == [f"multilabel-smoke.{ending}" for ending in ("json", "txt", "html")]
    stored = json.loads(paths[0].read_text(encoding="utf-8"))
    assert stored["numbers"]["records"] == report.numbers["records"]
    assert paths[1].read_text(encoding="utf-8") == str(report)
    assert "F1 against the number of samples" in paths[2].read_text(encoding="utf-8")


def test_tables_show_the_paper_beside_ours():
    rows = [
        Record("bibtex", "paper", size, method, run, 0.2 + 0.02 * i + 0.01 * run, 0.1, 0.3)
        for size in ("1x1", "5x30")
        for i, method in enumerate(METHODS)
        for run in (0, 1)
    ]
    program = Record("bibtex", "program", "2x30", "soft_counts", 0, 0.37, 0.2, 0.4)
    found = Results((*rows, program), {"bibtex": 2515})
    report = found.report("full", "bibtex, 2 run(s)")
    table = {(row["chains x samples"], row["estimates"]): row for row in report.tables[0].records}
    assert table["1x1", "φ + θ (CGS)"]["bibtex"] == "0.2050 ± 0.0071 △"
    assert table["1x1", "φ + θ (CGS)"]["bibtex, the paper"] == "0.2388 ± 0.0024"
    assert table["1x1", "CVB0"]["bibtex"] == "0.2850 ± 0.0071", "the best is not marked"
    last = table["2x30", "φ, soft counts (program)"]
    assert (last["bibtex"], last["bibtex, the paper"]) == ("0.3700", "0.3704 ± 0.0013")
    assert table["1x1", "CVB0"]["rank"] == "1.00" and "rank" not in table["1x1", "φ, soft counts"]
    assert found.ranks("micro", "1x1") == {m: 5.0 - i for i, m in enumerate(list(METHODS)[:5])}
    expected = measures.z_test(0.265, 0.285, 2515).p_value < 0.05
    assert found.differs("micro", "bibtex", "1x1", "phi_p+theta_p") == expected
    assert "count as 1." in report.setting
    said = "bibtex, 5x30: θᵖ has +0.020 micro F1 over θ (the paper +0.083: unlike the paper); of the paper's five"
    assert said in report.reading
    assert "the program's variant has 0.370 at 2x30; published for φ + θᵖ is 0.370." in report.reading


def test_published_figures():
    assert len(PAPER) == 3 * 2 * 5 * 4
    assert PAPER["micro", "5x30", "phi+theta_p", "bibtex"] == (0.3704, 0.0013)
    assert PAPER["example", "1x1", "cvb0", "delicious"] == (0.2672, 0.0015)


def test_a_check_needs_no_data():
    ((name, train, test),) = multilabel._simulated(0)
    assert (name, train.num_docs, test.num_docs) == ("simulated", 150, 50)
    assert train.labels.shape == (150, 8) and train.labels.sum() > 150


def test_a_folder_without_data_sets_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has none of delicious-train\.arff"):
        multilabel.compute(Job("multilabel", data=tmp_path))


def test_a_folder_of_mulan_is_read(tmp_path):
    header = "@relation r\n@attribute a {0,1}\n@attribute b {0,1}\n@attribute x {0,1}\n@attribute y {0,1}\n@data\n"
    for part in ("train", "test"):
        (tmp_path / f"bibtex-{part}.arff").write_text(header + "{0 1,2 1}\n{1 1,3 1}\n", encoding="utf-8")
    xml = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="x"/><label name="y"/></labels>'
    (tmp_path / "bibtex.xml").write_text(xml, encoding="utf-8")
    ((name, train, test),) = multilabel.load(tmp_path)
    assert (name, train.vocab.tolist(), test.label_names.tolist()) == ("bibtex", ["a", "b"], ["x", "y"])


def test_an_unknown_scale_is_told():
    with pytest.raises(ValueError, match="scale must be 'full' or 'smoke'; got 'huge'"):
        multilabel.compute(Job("multilabel", scale="huge"))


@pytest.mark.data
@pytest.mark.timeout(3600)
def test_the_figures_of_bibtex(data_file, monkeypatch):
    """Micro, macro and example-based F1 of one run; tolerances are three times the spread over seeds, or more."""
    data_file("bibtex_train.npz")
    assert datasets.load("bibtex").num_docs == 4880
    monkeypatch.setitem(multilabel.SCALES, "full", multilabel.SCALES["full"]._replace(curve=()))
    records = results(multilabel.compute(Job("multilabel", runs=1))).records
    expected = {
        ("1x1", "phi+theta"): ((0.215, 0.122, 0.234), 0.012),
        ("1x1", "phi+theta_p"): ((0.238, 0.150, 0.256), 0.012),
        ("1x1", "cvb0"): ((0.279, 0.202, 0.289), 0.006),
        ("1x1", "soft_counts"): ((0.284, 0.181, 0.302), 0.012),
        ("5x30", "phi+theta"): ((0.256, 0.166, 0.269), 0.012),
        ("5x30", "cvb0"): ((0.277, 0.201, 0.287), 0.006),
        ("5x30", "soft_counts"): ((0.342, 0.238, 0.357), 0.012),
    }
    found = {(r.configuration, r.method): np.array(r[5:]) for r in records if r.variant == "paper"}
    for row, (values, tolerance) in expected.items():
        np.testing.assert_allclose(found[row], values, rtol=0, atol=tolerance, err_msg=str(row))
    assert found["1x1", "phi+theta_p"][0] > found["1x1", "phi+theta"][0] + 0.012
    assert abs(found["5x30", "phi+theta_p"][0] - found["5x30", "phi+theta"][0]) < 0.006
    (program,) = [r for r in records if r.variant == "program"]
    np.testing.assert_allclose(program[5:], (0.370, 0.275, 0.386), rtol=0, atol=0.012)
