"""jaxlda estimate: samples of other programs."""

import csv
import json

import numpy as np
import pytest

from jaxlda import estimators, evaluation
from jaxlda.corpora.readers import read_mallet_state, read_warplda

STATE = """#doc source pos typeindex type topic
#alpha : 0.5 0.25
#beta : 0.01
0 a.txt 0 0 cat 1
0 a.txt 1 1 dog 0
0 a.txt 2 0 cat 1
1 b.txt 0 1 dog 0
1 b.txt 1 2 eel 0
"""


@pytest.fixture
def state(tmp_path):
    (tmp_path / "state").write_text(STATE, encoding="utf-8")
    return tmp_path / "state"


def expected(imported, leave_out="token"):
    data, sample = imported.data, imported.sample
    return {
        "phi": estimators.phi(sample.counts, data),
        "theta": estimators.theta(sample.counts, data),
        "phi_p": estimators.phi_p(sample, data, leave_out=leave_out),
        "theta_p": estimators.theta_p(sample, data, leave_out=leave_out),
    }


def test_mallet(state, jaxlda, tmp_path):
    imported = read_mallet_state(state)
    wanted = expected(imported)
    told = jaxlda("estimate", state, "--output", tmp_path / "e.npz", "--json")
    with np.load(tmp_path / "e.npz") as arrays:
        for kind, value in wanted.items():
            np.testing.assert_array_equal(arrays[kind], value)
        assert arrays["vocab"].tolist() == ["cat", "dog", "eel"] and arrays["documents"].tolist() == ["a.txt", "b.txt"]
    rows = {(row["phi"], row["theta"]): row for row in json.loads(told.out)}
    assert len(rows) == 4
    for (phi, theta), row in rows.items():
        value = evaluation.log_likelihood(wanted[phi], wanted[theta], imported.corpus)
        assert row["log_likelihood"] == pytest.approx(value, rel=1e-5)
        assert row["perplexity"] == pytest.approx(np.exp(-value / 5), rel=1e-5)


def test_tables(state, jaxlda, tmp_path):
    wanted = expected(read_mallet_state(state), "none")
    told = jaxlda("estimate", state, "--leave-out", "none", "--kinds", "phi_p", "theta_p", "--output", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["phi_p.csv", "theta_p.csv"]
    with (tmp_path / "out" / "phi_p.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["topic", "cat", "dog", "eel"] and [row[0] for row in rows] == ["topic0", "topic1"]
    np.testing.assert_allclose(np.array([row[1:] for row in rows], float), wanted["phi_p"], rtol=1e-5)
    with (tmp_path / "out" / "theta_p.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert head == ["document", "topic0", "topic1"] and [row[0] for row in rows] == ["a.txt", "b.txt"]
    np.testing.assert_allclose(np.array([row[1:] for row in rows], float), wanted["theta_p"], rtol=1e-5)
    assert "φᵖ + θᵖ" in told.out and "2 documents, 3 words, 5 tokens" in told.out


def test_warplda(jaxlda, tmp_path):
    (tmp_path / "z").write_text("3 1:0 0:1 1:1 \n1 0:1 \n", encoding="utf-8")
    (tmp_path / "vocab").write_text("cat\ndog\n", encoding="utf-8")
    priors = ["--topics", 3, "--alpha", 0.4, "--beta", 0.2]
    jaxlda("estimate", tmp_path / "z", "--vocab", tmp_path / "vocab", *priors, "--output", tmp_path / "e.npz")
    imported = read_warplda(tmp_path / "z", tmp_path / "vocab", num_topics=3, alpha=0.4, beta=0.2)
    with np.load(tmp_path / "e.npz") as arrays:
        np.testing.assert_array_equal(arrays["theta_p"], expected(imported)["theta_p"])
        assert arrays["documents"].tolist() == ["0", "1"]


def test_a_folder_that_is_not_there(state, jaxlda, tmp_path):
    told = jaxlda("estimate", state, "--output", tmp_path / "nowhere" / "e.npz", code=2)
    assert "there is no folder" in told.err


def test_a_model_of_the_sample_is_saved(state, jaxlda, tmp_path):
    import jaxlda as library

    jaxlda("estimate", state, "--save", tmp_path / "theirs.jaxlda")
    model = library.load(tmp_path / "theirs.jaxlda")
    np.testing.assert_allclose(model.phi_, expected(read_mallet_state(state))["phi_p"], rtol=1e-6)
    assert "cat" in jaxlda("topics", tmp_path / "theirs.jaxlda").out
