"""Alpha that depends on metadata: from columns to covariates, effects in a table, files, new documents."""

import numpy as np
import pytest

import jaxlda
from jaxlda.models.covariates import Design
from jaxlda.topics.effects import curvature
from tests.kernels.test_effects import log_density, with_counts

FIT = {"num_topics": 2, "num_warmup": 60, "num_samples": 10, "thinning": 5, "num_chains": 2, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    party, texts = [], []
    for _ in range(60):
        left = rng.random() < 0.4
        pets = rng.binomial(20, 0.9 if left else 0.2)
        texts.append("cat purr " * pets + "tax vote " * (20 - pets))
        party.append("left" if left else "right")
    years = rng.integers(1990, 2010, 60)
    return jaxlda.Corpus.from_texts(texts).with_metadata({"party": party, "year": years})


@pytest.fixture(scope="module")
def model(corpus):
    return jaxlda.LDA(**FIT, covariates=["party", "year"]).fit(corpus)


def pets(model):
    """The topic of cats."""
    return int(np.argmax(model.phi_[:, model.vocab_.tolist().index("cat")]))


def test_effects_have_names_and_intervals(model):
    table = model.effects()
    assert table.covariate.unique().tolist() == ["intercept", "party: left", "year"]
    assert table.attrs["baseline"]["party"] == "right" and table.attrs["draws"] == 10
    assert (table.low < table.effect).all() and (table.effect < table.high).all()
    left = table[table.covariate == "party: left"].set_index("topic")
    # The corpus was made so. What both topics have in common says how alike documents are, not which topic they have.
    assert left.high[1 - pets(model)] < 0 < left.effect[pets(model)]
    year = table[table.covariate == "year"]
    assert ((year.low < 0) & (year.high > 0)).all()  # false alarms: 1 in 10 of seeds
    wide = model.effects(level=0.99)
    assert (wide.high - wide.low > table.high - table.low).all()
    other = model.effects(chain=1 - model.best_chain_)
    assert other.attrs["chain"] != table.attrs["chain"] and other.effect.abs().max() > 0.5
    model.topic_names = ["one", "two"]
    assert model.effects().name.tolist() == ["one", "two"] * 3
    model.topic_names = None


def test_effects_are_drawn(model, corpus):
    plot = jaxlda.plots.effects(model)
    table = jaxlda.plots.table_of(plot)
    assert table.covariate.unique().tolist() == ["party: left"] and table.topic.iloc[0] == pets(model)
    assert plot.y_range.factors[-1].startswith(f"{pets(model)} "), "the largest is on top"
    assert len(jaxlda.plots.table_of(jaxlda.plots.effects(model, "year", topics=1))) == 1
    with pytest.raises(ValueError, match=r"no covariate 'month'; there are 'party: left', 'year'"):
        jaxlda.plots.effects(model, "month")
    with pytest.raises(TypeError, match="fitted with covariates; got a Run"):
        jaxlda.plots.effects(model.run_)


def test_curvature_is_that_of_finite_differences():
    counts, data = with_counts(num_docs=30)
    at, step = np.zeros((3, 4)), 1e-3
    ours = curvature(data, np.asarray(counts.n_dk))

    def value(*moves):
        point = at.copy().ravel()
        for i, sign in moves:
            point[i] += sign * step
        return log_density(counts, data, point.reshape(at.shape))

    for i, j in ((0, 0), (5, 5), (1, 9), (4, 8), (0, 1)):
        second = sum(a * b * value((i, a), (j, b)) for a in (1, -1) for b in (1, -1)) / (4 * step**2)
        assert ours[i, j] == pytest.approx(-second, rel=1e-3, abs=1e-3)


@pytest.mark.hours
def test_saved_resumed_and_the_same(model, corpus, tmp_path):
    model.save(tmp_path / "dmr.jaxlda")
    copy = jaxlda.load(tmp_path / "dmr.jaxlda")
    assert copy.effects().equals(model.effects()) and copy.alpha_.shape == (60, 2)
    longer = jaxlda.LDA(**FIT | {"num_samples": 12}, covariates=["party", "year"]).fit(corpus)
    np.testing.assert_array_equal(copy.resume(10).run_.effects, longer.run_.effects)
    again = jaxlda.LDA.from_run(model.run_, corpus, covariates=["party", "year"])
    assert again.effects().equals(model.effects())


def test_new_documents_have_the_alpha_of_their_metadata(model):
    new = jaxlda.Corpus.from_texts(["cat", "cat"]).with_metadata({"party": ["left", "right"], "year": [2000, 2000]})
    theta = model.transform(new, num_warmup=5, num_samples=10, num_chains=1)
    assert theta[0, pets(model)] > theta[1, pets(model)]
    with pytest.raises(ValueError, match=r"column 'party'.*there are none"):
        model.transform(["cat purr"])
    assert model.transform(["cat purr"], alpha=0.1, num_warmup=5, num_samples=2, num_chains=1).shape == (1, 2)
    stranger = new.with_metadata({"party": ["left", "green"], "year": [2000, 2000]})
    with pytest.raises(ValueError, match="the value 'green', which no document"):
        model.transform(stranger)


def test_other_verbs_take_such_a_model(model):
    assert len(model.topics()) == 2 and len(model.prevalence("party")) == 4
    assert model.to_arviz() is not None and model.diagnostics() is not None
    with pytest.raises(ValueError, match="does not depend on covariates"):
        model.sort_topics().effects()


def test_wrong_covariates(corpus):
    def fit(**parameters):
        return jaxlda.LDA(**FIT | parameters).fit(corpus)

    with pytest.raises(TypeError, match="list of names"):
        fit(covariates="party")
    with pytest.raises(ValueError, match="twice"):
        fit(covariates=["party", "party"])
    with pytest.raises(ValueError, match="two ways to learn alpha"):
        fit(covariates=["party"], learn_alpha="symmetric")
    with pytest.raises(ValueError, match=r"column 'author'.*'party', 'year'"):
        fit(covariates=["author"])
    with pytest.raises(ValueError, match="covariates="):
        fit().effects()


@pytest.mark.parametrize(
    "values, message",
    [
        ([1.0, np.nan], "no value for 1 document.*document 1"),
        (["a", None], "no value for 1 document"),
        ([3, 3], "same value in all"),
        (["a", "a"], "same value in all"),
        ([f"v{i}" for i in range(101)], "101 different values"),
    ],
)
def test_columns_that_explain_nothing(values, message):
    with pytest.raises(ValueError, match=message):
        Design.of(["x"], {"x": np.array(values, object if isinstance(values[0], str) else float)})


@pytest.mark.parametrize("stored", [((1, (), 0.0, 1.0),), (("x", ("a",), 0.0, 1.0),), (("x", (), 0.0, 0.0),)])
def test_forged_designs(stored):
    with pytest.raises(ValueError, match="covariates_"):
        Design.restored(stored)
