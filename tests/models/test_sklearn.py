"""LDA among scikit-learn's own: its checks, pipelines, grid searches and pickles."""

import pickle

import jax
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import jaxlda
from jaxlda import LDA
from tests.models.toy import at_once, toy

CORPUS = jaxlda.datasets.load("bars", num_docs=200, size=3, doc_length=40, alpha=0.3)  # the shapes of test_lda
SHORT = {"num_warmup": 5, "num_samples": 2, "num_chains": 2}
QUICK = {"num_topics": 3, "num_warmup": 3, "num_samples": 1, "num_chains": 2, "progress": False}
TOY = {"kernel": toy(), "num_chains": 1, "trace_every": 0}

EXPECTED = {
    name: reason
    for names, reason in [
        (
            ("check_methods_subset_invariance", "check_methods_sample_order_invariance"),
            "random numbers belong to a token's place in the batch: another batch, another Monte Carlo error",
        ),
        (
            ("check_transformer_general", "check_transformer_data_not_an_array"),
            "fit_transform gives theta of the training, transform infers it anew with the topics fixed",
        ),
    ]
    for name in names
}


@pytest.mark.slow
@parametrize_with_checks([LDA(**(QUICK | TOY))])
def test_scikit_learn_check(estimator, check):
    """With an algorithm that needs no compiling and no luck, nothing is excused."""
    with at_once():
        check(estimator)


@pytest.mark.hours  # compiled anew for every check; with another algorithm, the gate has them above
@parametrize_with_checks([LDA(**QUICK)], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_check_of_the_sampler(estimator, check):
    """Compiled anew for the shapes of every check, hence slow."""
    check(estimator)


def test_pipeline_from_texts_to_classes():
    texts = ["cat purr meow cat", "dog bark howl dog", "purr cat meow", "bark dog howl bark"] * 6
    y = [0, 1] * 12
    model = LDA(2, num_warmup=30, num_samples=1, num_chains=1, trace_every=0, progress=False)
    pipeline = make_pipeline(CountVectorizer(), model, LogisticRegression())
    pipeline.fit(texts[:20], y[:20])
    assert pipeline.predict(texts[20:]).tolist() == y[20:]
    assert pipeline.predict(["no known word"]).shape == (1,)
    words = pipeline[:-1].get_feature_names_out()
    assert words.tolist() == ["lda0", "lda1"]


@pytest.mark.slow
def test_grid_search_finds_the_number_of_topics():
    with at_once():
        search = GridSearchCV(LDA(**(QUICK | TOY)), {"num_topics": [1, 6]}, cv=2, refit=False).fit(CORPUS.counts)
    assert search.best_params_ == {"num_topics": 6}
    # One topic for all predicts the corpus' own frequencies, here close to uniform.
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(-np.log(9), abs=0.1)


def test_clone_and_parameters():
    model = LDA(7, kernel=jaxlda.kernels.cvb0(), alpha=np.full(7, 0.2), seed=3)
    copy = clone(model)
    assert copy is not model and copy.get_params().keys() == model.get_params().keys()
    assert copy.kernel == model.kernel and copy.num_topics == 7 and copy.seed == 3
    np.testing.assert_array_equal(copy.alpha, model.alpha)
    assert copy.set_params(num_topics=4).num_topics == 4
    assert LDA().get_params()["num_topics"] == 50


def test_set_output():
    model = LDA(**(QUICK | TOY)).set_output(transform="pandas").fit(CORPUS)
    table = model.transform(CORPUS)
    assert table.columns.tolist() == ["lda0", "lda1", "lda2"] and len(table) == 200
    assert model.fit_transform(CORPUS).columns.tolist() == ["lda0", "lda1", "lda2"]


def test_an_unfitted_model_says_so():
    calls = {
        "transform": (CORPUS,),
        "perplexity": (CORPUS,),
        "perplexity_table": (CORPUS,),
        "score": (CORPUS,),
        "log_likelihood": (),
        "estimates": (),
        "top_words": (),
        "resume": (),
    }
    for method, arguments in calls.items():
        with pytest.raises(NotFittedError, match="not fitted yet"):
            getattr(LDA(), method)(*arguments)
    assert not hasattr(LDA(), "components_")


def test_an_unfitted_model_can_be_pickled():
    model = LDA(5, alpha=np.full(5, 0.3), kernel="cvb0")
    copy = pickle.loads(pickle.dumps(model))
    assert str(copy) == str(model) and copy.kernel == "cvb0"


@pytest.mark.slow
def test_a_fitted_model_travels_and_goes_on():
    model = LDA(**(QUICK | {"num_topics": 6})).fit(CORPUS)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.phi_, model.phi_)
    np.testing.assert_array_equal(copy.transform(CORPUS, **SHORT), model.transform(CORPUS, **SHORT))
    assert copy.top_words() == model.top_words() and copy.run_.num_draws == 1
    np.testing.assert_array_equal(copy.estimates("theta", chain=1), model.estimates("theta", chain=1))
    np.testing.assert_array_equal(copy.resume(5).phi_, model.resume(5).phi_)
    assert {part.group.device for part in copy.run_.parts} == {jax.devices()[0]}


def test_without_a_seed_one_is_drawn(tmp_path):
    options = QUICK | TOY | {"seed": None, "kernel": "cgs", "num_warmup": 1}
    one, other = LDA(**options).fit(CORPUS), LDA(**options).fit(CORPUS)
    assert one.seed_ != other.seed_ and one.seed is None
    np.testing.assert_array_equal(LDA(**(options | {"seed": one.seed_})).fit(CORPUS).theta_, one.theta_)
    path = tmp_path / "c.jaxlda"
    partial = LDA(**options, checkpoint=path).fit(CORPUS, on_block=lambda now: True)
    whole = LDA(**(options | {"seed": partial.seed_})).fit(CORPUS)
    again = LDA(**options, checkpoint=path).fit(CORPUS)  # goes on with the seed of the file
    assert again.seed_ == partial.seed_
    np.testing.assert_array_equal(again.theta_, whole.theta_)


def test_the_old_names_of_estimators_warn():
    model = LDA(**(QUICK | TOY)).fit(CORPUS)
    with pytest.warns(DeprecationWarning, match="estimator='theta_p' is deprecated: say estimator='cgs_p'"):
        model.transform(CORPUS, estimator="theta_p", **SHORT)
    with pytest.warns(DeprecationWarning, match="estimator='theta' is deprecated: say estimator='cgs'"):
        model.perplexity(CORPUS, estimator="theta", **SHORT)


def test_a_grid_may_use_the_names_of_scikit_learn():
    with at_once():
        search = GridSearchCV(LDA(**(QUICK | TOY)), {"n_components": [1, 3]}, cv=2, error_score="raise").fit(CORPUS)
    assert search.best_estimator_.num_topics == search.best_params_["n_components"]
