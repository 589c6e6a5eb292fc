"""What users give by mistake is refused in words, and what was computed is kept."""

import signal
from itertools import islice

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import jaxlda
from jaxlda import LDA, Corpus, estimators, evaluation, plots
from jaxlda.running import driver

TEXTS = ["cat dog cat", "bank loan tax", "dog cat purr", "tax bank loan"] * 3
CORPUS = Corpus.from_texts(TEXTS)
QUICK = {"num_warmup": 3, "num_samples": 2, "thinning": 1, "num_chains": 1, "progress": False}


@pytest.fixture(scope="module")
def model():
    return LDA(2, **QUICK).fit(CORPUS)


@pytest.fixture(scope="module")
def slim(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("slim") / "topics.jaxlda"
    model.save(path, only="topics")
    return jaxlda.load(path)


def test_a_model_of_topics_says_that_it_has_no_chains(slim):
    for ask in (lambda: slim.top_words(2, chain=0), lambda: plots.trace(slim), lambda: plots.topics(slim)):
        with pytest.raises(ValueError, match="topics only"):
            ask()


def test_its_estimator_keeps_its_name(model, slim):
    options = {"num_warmup": 2, "num_samples": 1, "num_chains": 1}
    full, kept = (one.perplexity_table(CORPUS, **options) for one in (model, slim))
    assert kept.index.tolist() == ["phi_p"]
    np.testing.assert_allclose(kept.loc["phi_p"], full.loc["phi_p"])


def test_topics_of_soft_counts_or_from_elsewhere_are_phi(tmp_path):
    LDA(2, kernel="cvb0", **QUICK).fit(CORPUS).save(tmp_path / "t.jaxlda", only="topics")
    given = LDA.from_topics(np.full((2, CORPUS.num_words), 1 / CORPUS.num_words), CORPUS.vocab, alpha=0.1)
    for one in (jaxlda.load(tmp_path / "t.jaxlda"), given):
        assert one._kind("phi") == "phi"


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.components_,
        lambda model: model.drop_topics(0),
        lambda model: model.merge_topics([0, 1]),
        lambda model: model.export("nowhere.csv"),
    ],
)
def test_before_the_fit(ask):
    with pytest.raises(NotFittedError):
        ask(LDA(2))


def test_labels_before_the_fit():
    with pytest.raises(NotFittedError):
        _ = jaxlda.LabeledLDA().labels_


def test_missing_and_encoded_texts_are_texts_wherever_they_stand(model):
    with pytest.warns(UserWarning, match="missing"):
        theta = model.transform([None, "cat dog"])
    assert theta.shape == (2, 2)
    np.testing.assert_array_equal(model.transform([b"cat dog"]), model.transform(["cat dog"]))


def test_masked_counts_are_refused():
    counts = np.ma.masked_array(CORPUS.counts.toarray(), mask=CORPUS.counts.toarray() > 1)
    with pytest.raises(TypeError, match="filled"):
        LDA(2, **QUICK).fit(counts)


def test_estimators_refuse_samples_of_other_data(model):
    run = model.run_
    sample, data = run.chain(0), run.data
    for other in (CORPUS.data(num_topics=3), CORPUS.subset(range(5)).data(num_topics=2)):
        for estimate in (estimators.phi_p, estimators.theta_p, estimators.soften, estimators.theta):
            with pytest.raises(ValueError, match="not of the same run"):
                estimate(sample, other)
    with pytest.raises(ValueError, match="not of the same run"):
        estimators.phi(sample, CORPUS.data(num_topics=3))
    for z in (np.asarray(sample.z) + 5, np.asarray(sample.z)[:-1], np.asarray(sample.z, float)):
        with pytest.raises(ValueError, match="a topic from 0 to 1"):
            estimators.phi_p(sample._replace(z=z), data)


@pytest.mark.parametrize("given", [CORPUS.counts, TEXTS, CORPUS.data(2)], ids=lambda given: type(given).__name__)
def test_theta_is_inferred_of_a_corpus(given):
    infer = getattr(evaluation.infer_theta, "__wrapped__", evaluation.infer_theta)  # without the types tests check
    phi = np.full((2, CORPUS.num_words), 1 / CORPUS.num_words)
    with pytest.raises(TypeError, match=rf"takes a Corpus after phi and alpha; got a {type(given).__name__}"):
        infer(phi, 0.1, given)


def test_likelihoods_take_data(model):
    of_corpus = evaluation.log_likelihood(model.phi_, model.theta_, CORPUS)
    assert evaluation.log_likelihood(model.phi_, model.theta_, CORPUS.data(num_topics=2)) == pytest.approx(of_corpus)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("blocks(workers=10000)", "at most 64"),
        ("cvb0(chunk=2, chunk=3)", "an option twice"),
        ("cvb0(**{'chunk': 2})", "not the name of a kernel"),
    ],
)
def test_options_of_kernels(name, words):
    with pytest.raises(ValueError, match=words):
        jaxlda.kernels.find(name)


def test_an_impatient_ctrl_c_loses_nothing(monkeypatch, capsys):
    """The second comes while the estimates are computed, the third too; a fourth would give up."""
    model = LDA(2, **(QUICK | {"num_warmup": 1000}))
    conclude, sweeps = model._conclude, []

    def while_concluding(result):
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)
        conclude(result)

    def after(run):
        sweeps.append(run.sweep)
        if run.sweep:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(model, "_conclude", while_concluding)
    with pytest.warns(RuntimeWarning, match="Stopped at sweep"):
        model.fit(CORPUS, on_block=after)
    assert 0 < model.run_.sweep < 1000 and model.phi_.shape == (2, CORPUS.num_words)
    told = capsys.readouterr().err
    assert told.count("keeping what was sampled") == 2 and "once more" in told
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_nor_that_of_a_run(monkeypatch):
    """The second comes while chains finish the sweep they are in."""
    real = driver.run_blocks

    def impatient(*arguments, **settings):
        try:
            yield from real(*arguments, **settings)
        finally:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(driver, "run_blocks", impatient)
    with pytest.warns(RuntimeWarning, match="Stopped at sweep"):
        run = jaxlda.run(0, "cgs", CORPUS.data(2), num_warmup=1000, on_block=lambda run: run.sweep and press())
    assert 0 < run.sweep < 1000


def press():
    signal.raise_signal(signal.SIGINT)


def test_the_fourth_gives_up(monkeypatch):
    model = LDA(2, **QUICK)
    monkeypatch.setattr(model, "_conclude", lambda result: [signal.raise_signal(signal.SIGINT) for _ in range(3)])
    with pytest.raises(KeyboardInterrupt):
        model.fit(CORPUS)
    assert not hasattr(model, "phi_")


def test_generators_are_read(model):
    assert model.transform(islice(iter(TEXTS), 3)).shape == (3, 2)


@pytest.mark.parametrize("verb", ["export", "report"])
def test_where_nothing_can_be_written(verb, model, tmp_path):
    with pytest.raises(FileNotFoundError, match="make it first"):
        getattr(model, verb)(tmp_path / "nowhere" / "file.csv")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        getattr(model, verb)(tmp_path)


def test_more_topics_than_memory_are_refused_before_anything_is_allocated():
    with pytest.raises(ValueError, match=r"2,0\d\d,\d+ topics of .* GB are free: choose fewer topics"):
        LDA(2_000_000, **(QUICK | {"num_chains": 64})).fit(CORPUS)
    with pytest.raises(ValueError, match="at most 16,777,216"):
        LDA(10**30, **QUICK).fit(CORPUS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep": None}, "keep must be names"),
        ({"keep": ("phi", 3)}, "keep must be names"),
        ({"on_block": 3}, "on_block must be a function"),
    ],
)
def test_options_of_a_run(options, words):
    run = getattr(jaxlda.run, "__wrapped__", jaxlda.run)  # as it is without the types that tests check
    with pytest.raises(TypeError, match=words):
        run(0, "cgs", CORPUS.data(2), num_warmup=1, **options)


@pytest.mark.parametrize("X", [None, 5, [], ()])
def test_what_is_no_table_is_named(X):
    with pytest.raises(TypeError, match=r"LDA takes a Corpus, or a table of counts \(documents, words\); got"):
        LDA(2).fit(X)


def test_a_path_is_no_corpus():
    with pytest.raises(TypeError, match=r"read a file with jaxlda\.io\.read_corpus\(path\)"):
        LDA(2).fit("news.csv")


def test_measurements_are_no_labels():
    with pytest.raises(ValueError, match=r"0\.7, which is a measurement, not a label"):
        jaxlda.LabeledLDA(**QUICK).fit(np.eye(3, dtype=int), [1.0, 0.7, 2.0])
