"""The page of the benchmarks, from figures."""

import json

import pytest

import jaxlda
from benchmarks import __main__ as command
from benchmarks import page, parts, peers

COST = [
    {"program": "cgs", "K": 20, "ns": 50.0},
    {"program": "cgs", "K": 100, "ns": 80.0},
    {"program": "tomotopy, 1 worker", "K": 20, "ns": 100.0},
]
RESULTS = {
    "machine": {"cores": 2, "processor": "x86_64", "versions": {"jax": "0.10"}},
    "native": {"cost": COST, "quality": [{"program": "cgs", "K": 20, "seconds": float("nan")}], "cores": []},
    "AVX2": {"cost": COST[:1], "chains": {"error": "ended with 1"}},
}


def test_tells_figures_and_ratios():
    text = page.page(RESULTS)
    assert "| cgs | 50 | 0.50 | 80 | – |" in text
    assert "| cgs | 20 | not reached |" in text
    assert "not measured: ended with 1" in text
    assert "no program to compare with is installed" in text
    assert text.count("AVX2 alone") == 2 and "trial" not in text
    assert "say nothing of speed" in page.page(RESULTS | {"quick": True})


def test_all_three_are_written(tmp_path):
    places = page.places_in(tmp_path / "out")
    page.write(RESULTS, places)
    assert places.plot.stat().st_size > 10_000
    assert places.page.read_text(encoding="utf-8") == page.page(RESULTS)


def test_every_part_has_a_title_and_can_be_asked_for():
    assert tuple(parts.PARTS) == tuple(page.TITLES) == command.PARTS


def test_both_instruction_sets_are_asked_for(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--of_the_user")
    assert command._environment("AVX2")["XLA_FLAGS"] == "--of_the_user --xla_cpu_max_isa=AVX2"
    assert command._environment("AVX2")["TOMOTOPY_ISA"] == "avx2"
    assert command._environment("native")["XLA_FLAGS"] == "--of_the_user"


def test_words_that_only_tests_have_are_not_scored():
    train, test = (jaxlda.Corpus.from_counts(counts) for counts in ([[1, 0, 2], [3, 0, 0]], [[1, 5, 0]]))
    train, test = parts.seen_in_training(train, test)
    assert train.counts.toarray().tolist() == [[1, 2], [3, 0]]
    assert test.counts.toarray().tolist() == [[1, 0]]


def test_unseen_words_of_tomotopy_are_refused():
    pytest.importorskip("tomotopy")
    model = peers.tomotopy_model(jaxlda.Corpus.from_counts([[2, 0, 1], [1, 0, 1]]), 2)
    with pytest.raises(ValueError, match="seen 2 of 3 words"):
        peers.topics_of_tomotopy(model, 3)


@pytest.mark.hours
def test_a_part_runs(tmp_path, monkeypatch):
    target = tmp_path / "part.json"
    monkeypatch.setattr("sys.argv", ["parts", "cores", "--quick", "--json", str(target)])
    parts.main()
    (row,) = json.loads(target.read_text(encoding="utf-8"))["cores"]
    assert row["K"] == 20 and row["cgs"] > 0
