"""What ``kernel="auto"`` chooses, and that it stays chosen."""

import logging

import numpy as np
import pytest

import jaxlda
from jaxlda.kernels import auto, choose, described, find, learn_alpha

CORPUS = jaxlda.Corpus.from_counts(np.random.default_rng(0).integers(0, 3, (12, 9)))


def chosen(data):
    return described(choose(data, platform="cpu").algorithm)


@pytest.mark.parametrize(("K", "kernel"), [(2, "cgs"), (399, "cgs"), (400, "sparse"), (5000, "sparse")])
def test_many_topics_are_sparse(K, kernel):
    assert chosen(CORPUS.data(K)) == kernel


def test_what_sparse_cannot_use_is_exact_cgs():
    few = np.zeros((12, 800))
    few[:, :2] = 0.1
    assert chosen(CORPUS.data(alpha=few)) == "cgs"
    assert chosen(CORPUS.data(800, beta=np.full((800, 9), 0.1))) == "cgs"
    assert chosen(CORPUS.data(phi=np.full((800, 9), 1 / 9))) == "cgs"


def test_accelerators_want_few_steps():
    for platform in ("gpu", "tpu"):
        choice = choose(CORPUS.data(800), platform=platform)
        assert described(choice.algorithm) == "pcgs(theta='drawn')"
        assert platform.upper() in choice.reason
        assert described(choose(CORPUS.data(phi=np.full((2, 9), 1 / 9)), platform=platform).algorithm) == "cgs"


def test_a_model_says_what_and_why_and_draws_as_if_named(caplog, capsys):
    settings = {"num_warmup": 3, "num_samples": 1, "num_chains": 1, "seed": 4}
    with caplog.at_level(logging.INFO, "jaxlda"):
        model = jaxlda.LDA(3, kernel="auto", **settings).fit(CORPUS)
    (line,) = [record.message for record in caplog.records if record.name == "jaxlda"]
    assert line == "kernel auto: cgs (exact, and the fastest below 400 topics (here 3))"
    assert line in capsys.readouterr().err
    assert model.kernel == "auto" and model.kernel_ == "cgs"
    named = jaxlda.LDA(3, kernel="cgs", progress=False, **settings).fit(CORPUS)
    np.testing.assert_array_equal(model.phi_, named.phi_)


@pytest.mark.hours
def test_a_model_keeps_its_choice(tmp_path, monkeypatch):
    settings = {"num_warmup": 2, "num_samples": 2, "num_chains": 1, "seed": 4, "progress": False}
    path = tmp_path / "model.jaxlda"
    model = jaxlda.LDA(3, kernel="auto", learn_alpha="symmetric", checkpoint=path, **settings).fit(CORPUS)
    # Another machine would choose something else now.
    monkeypatch.setattr(auto, "MANY_TOPICS", 1)
    assert jaxlda.LDA(3, kernel="auto", **settings).fit(CORPUS).kernel_ == "sparse"
    loaded = jaxlda.load(path)
    assert loaded.kernel == "auto" and loaded.kernel_ == "cgs"
    assert loaded.resume(5).kernel_ == model.kernel_
    more = settings | {"num_samples": 5}
    again = jaxlda.LDA(3, kernel="auto", learn_alpha="symmetric", checkpoint=path, **more).fit(CORPUS)
    assert again.kernel_ == "cgs"
    assert again.run_.algorithm == learn_alpha(find("cgs"), symmetric=True)


def test_a_run_goes_on_with_what_was_chosen(monkeypatch):
    data = CORPUS.data(3)
    run = jaxlda.run(0, "auto", data, num_warmup=2)
    monkeypatch.setattr(auto, "MANY_TOPICS", 1)
    assert jaxlda.run(0, "auto", data, num_warmup=2, num_samples=2, start=run).algorithm.name == "cgs"


@pytest.mark.hours
def test_topics_alone_infer_new_documents(tmp_path):
    model = jaxlda.LDA(2, kernel="auto", num_warmup=2, num_chains=1, progress=False).fit(CORPUS)
    model.save(tmp_path / "topics.jaxlda", only="topics")
    assert jaxlda.load(tmp_path / "topics.jaxlda").transform(CORPUS, num_samples=1, num_chains=1).shape == (12, 2)


@pytest.mark.hours
def test_labels_are_fitted_too():
    labels = np.arange(12)[:, None] % 3 == np.arange(3)
    labelled = jaxlda.Corpus.from_counts(CORPUS.counts, labels=labels)
    model = jaxlda.LabeledLDA(kernel="auto", num_warmup=2, num_chains=1, progress=False).fit(labelled)
    assert model.kernel_ == "cgs"


def test_alone_it_says_what_it_needs():
    with pytest.raises(ValueError, match="chosen by the data of a run"):
        find("auto").prepare(CORPUS.data(2))
    with pytest.raises(ValueError, match=r"known are .*'auto'"):
        find("automatic")
