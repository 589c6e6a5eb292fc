"""Topics in groups of documents: means, bands, comparisons, and where the groups come from."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import jaxlda
from jaxlda import LDA, Corpus, LabeledLDA, plots
from jaxlda.topics import compare_groups, prevalence
from jaxlda.topics.prevalence import _compared, _of_theta
from tests.models.toy import toy

TOY = {"kernel": toy(), "num_warmup": 0, "num_samples": 2, "num_chains": 1, "trace_every": 0, "progress": False}
COUNTS = np.array([[4, 0], [3, 1], [1, 3], [0, 4], [0, 0], [2, 2]])
YEARS = [1984, 1984, 1991, 1995, 1995, None]


@pytest.fixture(scope="module")
def model():
    corpus = Corpus.from_counts(COUNTS).with_metadata({"year": YEARS, "party": list("aabbab"), "n": range(6)})
    return LDA(2, alpha=0.5, keep=("theta",), **TOY).fit(corpus)


def test_shares_are_means_and_errors_those_of_the_formula(model):
    table = model.prevalence("party")
    theta = (COUNTS + 0.5) / (COUNTS.sum(1, keepdims=True) + 1)
    groups = {"a": [0, 1], "b": [2, 3, 5]}  # document 4 has no words
    assert table.attrs == {"bands": "both", "level": 0.95, "draws": 2, "left_out": 1}
    for name, rows in groups.items():
        own = table[table.party == name]
        D, mean = len(rows), theta[rows].mean(axis=0)
        np.testing.assert_allclose(own.share, mean, rtol=1e-5)
        np.testing.assert_allclose(own.se_documents, theta[rows].std(axis=0, ddof=1) / np.sqrt(D), rtol=1e-4)
        within = (theta * (1 - theta) / (COUNTS.sum(1, keepdims=True) + 2))[rows].sum(axis=0) / D**2
        np.testing.assert_allclose(own.se_draws, np.sqrt(within), rtol=1e-4)  # all draws of the toy are the same
        reach = stats.t.isf(0.025, D - 1) * np.hypot(own.se_documents, own.se_draws)
        np.testing.assert_allclose(own.high, np.minimum(mean + reach, 1), rtol=1e-4)
        np.testing.assert_allclose(own.low, np.maximum(mean - reach, 0), atol=1e-6)


def test_tokens_may_count_the_same():
    corpus = Corpus.from_counts([[1, 0], [0, 99]])
    model = LDA(2, alpha=1e-6, **TOY).fit(corpus)
    np.testing.assert_allclose(model.prevalence(["x", "x"]).share, [0.5, 0.5], rtol=1e-4)
    np.testing.assert_allclose(model.prevalence(["x", "x"], weight="tokens").share, [0.01, 0.99], rtol=1e-4)


def test_groups_come_from_columns_lists_and_tables(model):
    assert model.prevalence("year").year.unique().tolist() == [1984, 1991, 1995]  # a missing year is no group
    decades = model.prevalence("year", width=10)
    assert decades.year.unique().tolist() == [1980, 1990] and decades.documents.tolist() == [2, 2, 2, 2]
    both = model.prevalence(["party", "year"])
    assert both[["party", "year"]].drop_duplicates().values.tolist() == [["a", 1984], ["b", 1991], ["b", 1995]]
    assert model.prevalence(np.arange(6) % 2).columns[0] == "group"
    other = model.prevalence("who", metadata=pd.DataFrame({"who": list("xxyyzz")}))
    assert other.who.unique().tolist() == ["x", "y", "z"]
    assert prevalence(model.run_, pd.Series(list("xxyyzz"), name="who")).who.tolist() == other.who.tolist()


def test_one_document_has_no_error_of_documents(model):
    one = model.prevalence("n")
    assert one.se_documents.isna().all() and (one.high > one.low).all() and np.isfinite(one.high).all()
    assert "se_draws" not in model.prevalence("party", bands="documents")
    assert "se_documents" not in model.prevalence("party", bands="draws")


@pytest.mark.parametrize(
    "by, options, message",
    [
        ("month", {}, "no column 'month'; the metadata have year, party, n"),
        ([1, 2], {}, "by has 2 values"),
        ("party", {"bands": "posterior"}, "bands must be one of 'both'"),
        ("year", {"width": 0}, "width must be a positive number; got 0"),
        ("party", {"width": 10}, "width puts numbers together, and 'party' has other values"),
        ("party", {"weight": "size"}, "weight must be"),
        ("party", {"level": 1}, "level must be between"),
        ("party", {"metadata": {"party": ["a"]}}, "the metadata have 1 rows; the model has 6"),
        ([None] * 6, {}, "no document has both words and a group"),
    ],
)
def test_what_is_wrong_is_said(model, by, options, message):
    with pytest.raises(ValueError, match=message):
        model.prevalence(by, **options)


def test_without_metadata():
    bare = LDA(2, **TOY).fit(COUNTS)
    with pytest.raises(ValueError, match="have no metadata: give a table"):
        bare.prevalence("year")
    with pytest.raises(ValueError, match="topics only"):
        LDA.from_topics([[0.5, 0.5]]).prevalence("year")


def test_draws_widen_bands():
    """Whatever was kept of draws: theta, counts or assignments."""
    corpus, _ = jaxlda.datasets.simulate(12, 2, 10, 20, seed=0)
    run = jaxlda.run(0, "cgs", corpus.data(2), num_warmup=2, num_samples=4, keep=("theta", "n_dk", "z"))
    tables = []
    for name in ("theta", "n_dk", "z"):
        one = dataclasses.replace(run, kept={name: run.kept[name]})
        tables.append(prevalence(one, ["a", "b"] * 6, bands="draws"))
    none = prevalence(dataclasses.replace(run, kept={}), ["a", "b"] * 6, bands="draws")
    for table in tables:
        assert table.attrs["draws"] == 4
        np.testing.assert_allclose(table.se_draws, tables[0].se_draws, rtol=1e-4)
    assert none.attrs["draws"] == 0 and (none.se_draws < tables[0].se_draws).all()


def test_labels_name_the_topics():
    corpus = Corpus.from_counts(COUNTS[:4], labels=[["x"], ["x", "y"], ["x", "y"], ["y"]]).with_metadata(
        {"g": list("aabb")}
    )
    model = LabeledLDA(**TOY).fit(corpus)
    assert model.prevalence("g").name.tolist() == ["x", "y"] * 2
    assert model.compare_groups("g").name.tolist() == ["x", "y"]


def test_samples_of_other_programs_have_groups():
    corpus = Corpus.from_counts(COUNTS[:4]).with_metadata({"g": list("aabb")})
    run = LDA(2, **TOY).fit(corpus).run_
    model = LDA.from_sample(corpus, run.data.priors, run.chain(0))
    assert model.prevalence("g").attrs["draws"] == 0
    assert model.compare_groups("g").shape[0] == 2


@pytest.mark.parametrize("only", [None, "topics"])
def test_metadata_and_texts_are_saved(only, tmp_path):
    days = pd.to_datetime(["2020-01-02", None, "2021-03-04"]).to_numpy()
    corpus = Corpus.from_texts(["b a b", "", "é ç c"], token_pattern="words")
    table = {"day": days, "who": np.array(["x", None, "z"], object), "n": [1.5, np.nan, 3], "ok": [True, False, True]}
    model = LDA(2, **(TOY | {"kernel": "cgs"})).fit(corpus.with_metadata(table))
    model.save(tmp_path / "a.jaxlda", only=only)
    loaded = jaxlda.load(tmp_path / "a.jaxlda")
    if only:
        assert loaded.doc_columns_ is None and loaded.written_ is None
        return
    assert loaded.written_.texts == corpus.texts
    np.testing.assert_array_equal(loaded.written_.order, corpus.written.order)
    for name, values in model.doc_columns_.items():
        assert loaded.doc_columns_[name].dtype == values.dtype
        pd.testing.assert_series_equal(pd.Series(loaded.doc_columns_[name]), pd.Series(values))


# --------------------------------------------------------------------------------------------------------- comparisons


def test_comparisons_are_corrected_for_all_topics_and_pairs(model):
    table = model.compare_groups("year", [1984, 1995], bands="draws")
    means = model.prevalence("year", bands="draws").set_index(["year", "topic"])
    for row in table.itertuples():
        expected = means.share[1984, row.topic] - means.share[1995, row.topic]
        error = np.hypot(means.se_draws[1984, row.topic], means.se_draws[1995, row.topic])
        assert row.difference == pytest.approx(expected, abs=1e-6)
        assert row.high - row.difference == pytest.approx(stats.norm.isf(0.025 / 2) * error, rel=1e-4)
    assert table.attrs["comparisons"] == 2 and compare_groups(model, "year").attrs["comparisons"] == 6
    with pytest.raises(ValueError, match="no group 2000; there are 1984"):
        model.compare_groups("year", [1984, 2000])
    with pytest.raises(ValueError, match="nothing to compare"):
        model.compare_groups("year", [1984])
    with pytest.raises(ValueError, match=r"a group is there twice in \[1984, 1984\]"):
        model.compare_groups("year", [1984, 1984])
    with pytest.raises(ValueError, match="a group of one document"):
        model.compare_groups("n", bands="documents")


@pytest.mark.parametrize("shift, most", [(0.0, 35), (0.25, None)])
def test_false_alarms_of_all_topics_together(shift, most):
    """400 pairs of equal groups: of a rate of 5 %, 36 alarms or more come once in 1,000 seeds. Real shifts are seen."""
    rng = np.random.default_rng(0)
    D, K, g = 30, 10, np.repeat([0, 1], 30)
    alarms = 0
    for _ in range(400 if most else 40):
        theta = rng.dirichlet(np.full(K, 0.5), 2 * D)
        theta[g == 1] = (1 - shift) * theta[g == 1] + shift * np.eye(K)[0]
        means = _of_theta(theta, np.full(2 * D, 1 / D), g, 2, np.full(2 * D, 1e9))
        alarms += _compared(means, [(0, 1)], "ab", None, "both", 0.95).differs.any()
    assert alarms <= most if most else alarms > 30


# -------------------------------------------------------------------------------------------------------------- figures


def test_figures(model):
    lines = plots.prevalence(model, "year", topics=["topic 1"])
    assert plots.table_of(lines).topic.unique().tolist() == [1] and len(lines.renderers) == 2
    points = plots.prevalence(model, "party")
    assert points.x_range.factors == ["a", "b"] and plots.table_of(points).topic.nunique() == 2
    with pytest.raises(ValueError, match="no topic 7: there are 0 to 1"):
        plots.prevalence(model, "year", topics=[7])
