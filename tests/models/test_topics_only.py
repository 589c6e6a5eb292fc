"""Topics without chains: given, or saved alone."""

import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, PLDA, Corpus, DependencyLDA, LabeledLDA, PriorLDA
from jaxlda.running import archive
from tests.models.storing import CORPUS, lda
from tests.models.supervised import SHORT, TEST, TOY, TRAIN
from tests.tiers import mostly_slow

PHI = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
WORDS = ["cat", "dog", "eel"]
SOME = {"num_warmup": 5, "num_samples": 2, "num_chains": 2}
pytestmark = pytest.mark.usefixtures("named")


def test_given_topics_infer_and_score():
    model = LDA.from_topics(PHI, WORDS, alpha=0.5)
    corpus = Corpus.from_counts([[9, 2, 0], [0, 0, 8], [0, 0, 0]], WORDS)
    expected = jaxlda.evaluation.infer_theta(PHI, 0.5, corpus, **SOME).theta_p
    np.testing.assert_array_equal(model.transform(corpus, **SOME), expected)
    assert model.top_words(1) == [["cat"], ["eel"]] and model.components_.shape == (2, 3)
    assert model.perplexity(corpus, **SOME) > 1 and model.perplexity_table(corpus, **SOME).shape == (1, 2)
    assert model.score(corpus) < 0 and model.log_likelihood(corpus, **SOME) < 0
    assert model.alpha_.tolist() == [0.5, 0.5] and model.get_feature_names_out().tolist() == ["lda0", "lda1"]


@pytest.mark.parametrize("ask", ["diagnostics", "to_arviz", "estimates", "resume", "log_likelihood"])
def test_of_chains_it_says_that_there_are_none(ask):
    with pytest.raises(ValueError, match="topics only: it has no documents and no chains"):
        getattr(LDA.from_topics(PHI, WORDS), ask)()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phi": PHI[0]}, r"phi has shape \(3,\)"),
        ({"phi": PHI * 2}, "sums to 2, not 1"),
        ({"phi": PHI * np.nan}, "finite"),
        ({"vocab": ["a"]}, r"vocab has 1 name\(s\), but there are 3"),
        ({"alpha": np.ones((2, 2))}, r"alpha has shape \(2, 2\)"),
        ({"alpha": [1, 1, 1]}, "says 3"),
        ({"alpha": -1}, "alpha must not be negative"),
        ({"estimator": "map"}, "estimator must be 'cgs_p' or 'cgs'"),
    ],
)
def test_topics_that_are_none_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        LDA.from_topics(**({"phi": PHI, "vocab": WORDS} | change))


@pytest.mark.slow
def test_a_small_file_infers_as_the_model_does(path, tmp_path):
    model = lda(learn_alpha="asymmetric", seed=None).fit(CORPUS)
    model.save(path, only="topics")
    model.save(tmp_path / "full.jaxlda")
    assert path.stat().st_size < (tmp_path / "full.jaxlda").stat().st_size / 4
    slim = jaxlda.load(path)
    assert not hasattr(slim, "run_") and slim.get_params() == model.get_params() and slim.seed_ == model.seed_
    np.testing.assert_array_equal(slim.transform(CORPUS, **SOME), model.transform(CORPUS, **SOME))
    assert slim.perplexity(CORPUS, **SOME) == model.perplexity(CORPUS, **SOME)
    assert slim.top_words() == model.top_words()
    _, arrays, _ = archive.read(path)
    assert {name.split(".")[0] for name in arrays} <= {"params", "changed", "found"}, "no documents, no chains"
    slim.save(tmp_path / "again.jaxlda", only="topics")
    assert (tmp_path / "again.jaxlda").read_bytes() == path.read_bytes()
    with pytest.raises(ValueError, match="topics only: say so with only='topics'"):
        slim.save(path)


@pytest.mark.parametrize("model", mostly_slow([LabeledLDA, PriorLDA, DependencyLDA, PLDA], LabeledLDA))
def test_of_labels_too(model, path):
    options = {"label_topics": 3, "rounds": 1} if model is DependencyLDA else {}
    fitted = model(**options, **(TOY | {"kernel": "toy"})).fit(TRAIN)
    fitted.save(path, only="topics")
    slim = jaxlda.load(path)
    np.testing.assert_array_equal(slim.predict(TEST, **SHORT), fitted.predict(TEST, **SHORT))
    np.testing.assert_array_equal(slim.prediction_alpha_, fitted.prediction_alpha_)
    np.testing.assert_array_equal(slim.label_of_topic_, fitted.label_of_topic_)
    with pytest.raises(ValueError, match="topics only"):
        _ = slim.labels_


def test_what_cannot_be_saved_so(path):
    model = lda(kernel="toy", alpha=np.full((20, 6), 0.3)).fit(CORPUS)
    with pytest.raises(ValueError, match=r"a prior for each document.*save it whole"):
        model.save(path, only="topics")
    with pytest.raises(ValueError, match="only must be 'topics' or None; got 'words'"):
        model.save(path, only="words")
    assert not path.exists()


def test_no_checkpoint_to_go_on_from(path):
    lda(kernel="toy").fit(CORPUS).save(path, only="topics")
    with pytest.raises(ValueError, match="it has topics only, and no chains to go on with"):
        lda(kernel="toy", checkpoint=path).fit(CORPUS)


def test_forged_topics_are_refused(path):
    lda(kernel="toy").fit(CORPUS).save(path, only="topics")
    header, arrays, _ = archive.read(path)
    arrays["found.phi_"][0, 0] = np.nan
    archive.write(path, header, arrays)
    with pytest.raises(ValueError, match="cannot be loaded: phi must be finite"):
        jaxlda.load(path)
