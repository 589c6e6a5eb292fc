"""``jaxlda prevalence``."""

import csv
import io
import json

import pytest

from jaxlda import LDA, Corpus, cli
from jaxlda.kernels import KERNELS
from tests.models.toy import toy

SHORT = {"num_warmup": 0, "num_samples": 2, "num_chains": 1, "trace_every": 0, "progress": False}


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setitem(KERNELS, "toy", toy)
    corpus = Corpus.from_counts([[4, 0], [3, 1], [1, 3], [0, 4]])
    corpus = corpus.with_metadata({"year": [1984, 1985, 1991, 1995], "party": ["=a", "=a", "b", "b"]})
    LDA(2, kernel="toy", **SHORT).fit(corpus).save(tmp_path / "m.jaxlda")
    return tmp_path / "m.jaxlda"


def told(capsys, *arguments):
    assert cli.main(["prevalence", *map(str, arguments)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_groups_are_printed(model, capsys, tmp_path):
    rows = list(csv.DictReader(io.StringIO(told(capsys, model, "--by", "year", "--width", "10", "--csv"))))
    assert [row["year"] for row in rows] == ["1980", "1980", "1990", "1990"]
    assert all(float(row["low"]) <= float(row["share"]) <= float(row["high"]) for row in rows)
    rows = json.loads(told(capsys, model, "--by", "party", "--json"))
    assert rows[0]["party"] == "=a" and rows[0]["documents"] == 2
    assert "'=a" in told(capsys, model, "--by", "party", "--csv")  # no formula to a spreadsheet
    assert "share" in told(capsys, model, "--by", "party").splitlines()[0]


@pytest.mark.slow
def test_effects_are_learned_and_printed(jaxlda, tmp_path):
    rows = "".join(f"cat purr cat,a,{year}\ndog bark dog,b,{year}\n" for year in range(1990, 2002))
    (tmp_path / "t.csv").write_text("text,party,year\n" + rows)
    fit = ("fit", tmp_path / "t.csv", "--topics", 2, "--chains", 1, "--warmup", 30, "--samples", 3, "--quiet")
    jaxlda(*fit, "--covariate", "party", "--covariate", "year", "--save", tmp_path / "m.jaxlda")
    told = jaxlda("effects", tmp_path / "m.jaxlda", "--json")
    rows = json.loads(told.out)
    assert [row["covariate"] for row in rows[::2]] == ["intercept", "party: b", "year"]
    assert all(row["low"] < row["effect"] < row["high"] for row in rows)
    assert "compared with a document of party a, year 1996" in told.err
    head = jaxlda("effects", tmp_path / "m.jaxlda", "--csv", "--level", "0.5").out.splitlines()[0]
    assert head == "covariate,topic,effect,se,low,high"
    jaxlda(*fit, "--save", tmp_path / "plain.jaxlda")
    assert "fit with covariates=" in jaxlda("effects", tmp_path / "plain.jaxlda", code=2).err


def test_groups_are_compared_and_metadata_given(model, capsys, tmp_path):
    (tmp_path / "m.csv").write_text("half\n1\n1\n2\n2\n")
    options = ("--by", "half", "--metadata", tmp_path / "m.csv", "--compare", "1", "2")
    rows = json.loads(told(capsys, model, *options, "--json"))
    assert [(row["first"], row["second"], row["topic"]) for row in rows] == [(1, 2, 0), (1, 2, 1)]
    assert cli.main(["prevalence", str(model), "--by", "month"]) == 2
    assert f"{model}: there is no column 'month'; the metadata have year, party" in capsys.readouterr().err
