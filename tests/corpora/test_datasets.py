"""Corpora by name and corpora from the model: sizes, parts, errors, and that draws follow the distributions they claim.

The statistical tests have fixed seeds; each passes but for one seed in a million, by the levels chosen below.
"""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from jaxlda.corpora import datasets
from jaxlda.corpora.datasets import bars, load, simulate

LEVEL = 1e-6


def test_reuters_is_bundled():
    corpus = load("reuters")
    assert (corpus.num_docs, corpus.num_words, corpus.num_tokens) == (395, 4258, 84010)
    assert corpus.vocab[:3].tolist() == ["church", "pope", "years"]
    assert corpus.titles[0].startswith("0 UK: Prince Charles") and len(corpus.titles) == 395


def test_reuters_leaves_warnings_and_logging_alone():
    program = """
import logging, warnings
from jaxlda.corpora import datasets
warnings.simplefilter("always")
filters, level = list(warnings.filters), logging.getLogger().level
datasets.load("reuters")
assert not logging.getLogger().handlers, logging.getLogger().handlers
assert logging.getLogger().level == level
assert warnings.filters == filters, warnings.filters
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""


def test_names_and_errors():
    assert {"20newsgroups", "ap", "bars", "bbc", "bibtex", "nyt", "reuters", "sotu"} <= set(datasets.names())
    with pytest.raises(ValueError, match=r"no corpus 'Reuters'; known are 20newsgroups, ap, bars, .*reuters21578"):
        load("Reuters")
    with pytest.raises(TypeError, match=r"'reuters' does not take the option.* seed"):
        load("reuters", seed=1)
    with pytest.raises(ValueError, match="'reuters' has no part 'test'; it has all"):
        load("reuters", part="test")
    with pytest.raises(ValueError, match="'bibtex' has no part 'dev'; it has train, test"):
        load("bibtex", part="dev")
    with pytest.raises(TypeError, match="colour"):
        load("bars", colour="red")


@pytest.mark.parametrize("name", ["ap", "bibtex", "reuters21578"])
def test_missing_files_are_named(name, tmp_path, monkeypatch):
    monkeypatch.setenv("JAXLDA_DATA", str(tmp_path))
    file = next(iter(datasets.FILES[name].values()))
    with pytest.raises(FileNotFoundError, match=f"{file} is not in .*JAXLDA_DATA") as caught:
        load(name)
    assert str(tmp_path) in str(caught.value)


def test_a_folder_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.setenv("JAXLDA_DATA", str(tmp_path / "elsewhere"))
    with pytest.raises(FileNotFoundError, match=r"ap_blei\.npz is not in .*; give the folder that holds it"):
        load("ap", folder=tmp_path)
    write(tmp_path / "ap_blei.npz")
    assert load("ap", folder=tmp_path).num_words == 201


def write(path, **more):
    arrays = {
        "X_indptr": np.array([0, 2, 2, 3], np.int32),
        "X_indices": np.array([0, 200, 5], np.uint8),
        "X_data": np.array([1, 255, 2], np.uint8),
        "shape": np.array([3, 201]),
        "vocab": np.array([f"v{i}" for i in range(201)]),
    }
    np.savez(path, **(arrays | more))


def test_files_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("JAXLDA_DATA", str(tmp_path))
    write(tmp_path / "ap_blei.npz")
    plain = load("ap")
    assert plain.counts.toarray()[0, [0, 200]].tolist() == [1, 255] and plain.n_d.tolist() == [256, 0, 2]
    assert plain.vocab[200] == "v200" and plain.labels is None and plain.titles is None
    labels = {"Y_indptr": np.array([0, 1, 1, 3], np.uint8), "Y_indices": np.array([1, 0, 1], np.uint8)}
    labels |= {"Y_shape": np.array([3, 2]), "labels": np.array(["x", "y"]), "newid": np.array([11, 12, 13], np.uint16)}
    write(tmp_path / "reuters21578_modapte_test.npz", **labels)
    with pytest.raises(FileNotFoundError, match="reuters21578_modapte_train"):
        load("reuters21578")
    labelled = load("reuters21578", part="test")
    assert labelled.labels.toarray().astype(int).tolist() == [[0, 1], [0, 0], [1, 1]]
    assert labelled.label_names.tolist() == ["x", "y"] and labelled.titles == ("11", "12", "13")


def test_pickled_arrays_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("JAXLDA_DATA", str(tmp_path))
    write(tmp_path / "ap_blei.npz", vocab=np.array(["a"] * 201, dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        load("ap")


@pytest.mark.parametrize(
    "name, part, sizes, num_labels",
    [
        ("20newsgroups", "train", (11293, 30745, 1300063), 20),
        ("ap", "all", (2246, 10473, 435838), None),
        ("bibtex", "train", (4880, 1836, 334250), 159),
        ("bibtex", "test", (2515, 1836, 173496), 159),
        ("reuters21578", "train", (9603, 32727, 698766), 115),
        ("reuters21578", "test", (3299, 32727, 214131), 115),
    ],
)
def test_the_real_corpora_have_their_sizes(name, part, sizes, num_labels, data_file):
    data_file(datasets.FILES[name][part])
    corpus = load(name, part=part)
    assert (corpus.num_docs, corpus.num_words, corpus.num_tokens) == sizes
    assert (None if corpus.labels is None else corpus.labels.shape[1]) == num_labels


# ----------------------------------------------------------------------------------------------------------------- bars


def test_bars_are_rows_and_columns():
    corpus, truth = bars(num_docs=40, size=3, doc_length=7)
    image = truth.phi.reshape(6, 3, 3)
    for k in range(3):
        assert (image[k, k] == 1 / 3).all() and image[k].sum() == pytest.approx(1)
        assert (image[3 + k, :, k] == 1 / 3).all() and image[3 + k].sum() == pytest.approx(1)
    assert corpus.n_d.tolist() == [7] * 40 and corpus.num_words == 9
    assert truth.theta.shape == (40, 6) and truth.z.shape == (280,)


def test_the_default_bars():
    corpus = load("bars")
    assert (corpus.num_docs, corpus.num_words, corpus.num_tokens) == (1000, 25, 100_000)
    assert (corpus.counts != bars()[0].counts).nnz == 0
    assert load("bars", num_docs=10, size=4).num_words == 16


def test_topics_of_bars_stand_in_the_order_of_the_tokens():
    corpus, truth = bars(num_docs=200, alpha=0.3)
    w, d, _, _ = map(np.asarray, corpus.tokens())
    assert (truth.phi[truth.z, w] > 0).all()  # a misplaced topic misses its bar four times in five
    n_dk = np.zeros(truth.theta.shape)
    np.add.at(n_dk, (d, truth.z), 1)
    p = truth.theta[inside := (truth.theta > 0.05) & (truth.theta < 0.95)]
    squares = (n_dk[inside] - 100 * p) ** 2 / (100 * p * (1 - p))  # each has mean 1 and a variance of about 2
    assert abs(squares.mean() - 1) < 6 * np.sqrt(2 / squares.size)


def test_bars_seed():
    first, again, other = bars(30, seed=1), bars(30, seed=1), bars(30, seed=2)
    assert (first[0].counts != again[0].counts).nnz == 0 and (first[1].z == again[1].z).all()
    assert (first[0].counts != other[0].counts).nnz > 0


@pytest.mark.parametrize("options", [{"num_docs": 0}, {"size": 0}, {"doc_length": 0}, {"alpha": -1}, {"alpha": [1, 2]}])
def test_wrong_bars(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        bars(**options)


# ------------------------------------------------------------------------------------------------------------- simulate


def test_simulated_shapes_and_seed():
    corpus, truth = simulate(30, 4, 50, 20)
    assert (corpus.num_docs, corpus.num_words, corpus.labels) == (30, 50, None)
    assert truth.phi.shape == (4, 50) and truth.theta.shape == (30, 4)
    assert truth.z.shape == (corpus.num_tokens,) and truth.z.dtype == np.int32
    np.testing.assert_allclose(truth.phi.sum(axis=1), 1)
    np.testing.assert_allclose(truth.theta.sum(axis=1), 1)
    again, other = simulate(30, 4, 50, 20), simulate(30, 4, 50, 20, seed=1)
    assert (again[0].counts != corpus.counts).nnz == 0 and (again[1].phi == truth.phi).all()
    assert not np.allclose(other[1].phi, truth.phi)


def test_short_documents_may_be_empty():
    assert (simulate(50, 2, 10, 1.0)[0].n_d == 0).any()


@pytest.mark.parametrize("a", [[0.01, 0.01], [0.1, 3.0], [1e-3, 0.5], [2.0, 5.0]])
def test_dirichlet_draws_have_beta_marginals(a):
    draws = datasets._dirichlet(np.random.default_rng(0), np.tile(a, (4000, 1)))
    np.testing.assert_allclose(draws.sum(axis=1), 1)
    # Small parameters put much of the mass closer to 0 or 1 than floating point can tell: compare in bins.
    law = stats.beta(*a)
    inner = np.unique(np.clip(law.ppf(np.linspace(0.1, 0.9, 9)), 1e-300, 1 - 1e-12))
    observed = np.bincount(np.searchsorted(inner, draws[:, 0], side="left"), minlength=inner.size + 1)
    expected = 4000 * np.diff(law.cdf([0, *inner, 1]))
    assert expected.min() > 5 and stats.chisquare(observed, expected).pvalue > LEVEL


class Zeros(np.random.Generator):
    """A generator whose uniform draws are all the least likely one."""

    def random(self, size):
        return np.zeros(size)


@pytest.mark.parametrize("rng", [np.random.default_rng(0), Zeros(np.random.PCG64(0))])
def test_dirichlet_draws_survive_tiny_and_zero_parameters(rng):
    a = np.array([[1e-30, 1e-30, 0.0], [0.0, 0.0, 1e-3], [1e-3, 0.0, 1e5]])
    draws = datasets._dirichlet(rng, a)
    assert np.isfinite(draws).all() and (draws[a == 0] == 0).all()
    np.testing.assert_allclose(draws.sum(axis=1), 1)


def test_lengths_topics_and_words_follow_the_model():
    D, K, V, length = 3000, 3, 8, 40
    corpus, truth = simulate(D, K, V, length, alpha=[0.5, 1.0, 2.0], beta=np.linspace(0.5, 2, V), seed=3)
    # Poisson: the dispersion of the lengths is chi-square, their sum Poisson.
    n_d = corpus.n_d
    assert 2 * min(stats.poisson(D * length).cdf(n_d.sum()), stats.poisson(D * length).sf(n_d.sum())) > LEVEL
    dispersion = ((n_d - n_d.mean()) ** 2).sum() / n_d.mean()
    assert 2 * min(stats.chi2(D - 1).cdf(dispersion), stats.chi2(D - 1).sf(dispersion)) > LEVEL
    for k, a in enumerate([0.5, 1.0, 2.0]):
        assert stats.kstest(truth.theta[:, k], stats.beta(a, 3.5 - a).cdf).pvalue > LEVEL
    w, d, _, _ = map(np.asarray, corpus.tokens())
    for k in range(K):  # words given topics
        observed = np.bincount(w[truth.z == k], minlength=V)
        assert stats.chisquare(observed, observed.sum() * truth.phi[k]).pvalue > LEVEL
    for k in range(K):  # topics given documents: a normal sum over the documents
        expected, variance = n_d @ truth.theta[:, k], n_d @ (truth.theta[:, k] * (1 - truth.theta[:, k]))
        deviation = ((truth.z == k).sum() - expected) / np.sqrt(variance)
        assert 2 * stats.norm.sf(abs(deviation)) > LEVEL
    # Aligned, the topics of a document's tokens follow its own theta.
    n_dk = np.zeros((D, K))
    np.add.at(n_dk, (d, truth.z), 1)
    assert np.corrcoef(n_dk[:, 0] / n_d, truth.theta[:, 0])[0, 1] > 0.9


def test_array_priors_are_used():
    alpha = np.where(np.arange(60)[:, None] % 2 == 0, [[1.0, 0.0]], [[0.0, 1.0]])
    beta = np.array([[100.0, 1e-6, 1e-6], [1e-6, 1e-6, 100.0]])
    corpus, truth = simulate(60, 2, 3, 10, alpha=alpha, beta=beta)
    np.testing.assert_array_equal(truth.theta, alpha)
    dense = corpus.counts.toarray()
    assert dense[::2, 1:].sum() == 0 and dense[1::2, :2].sum() == 0


def test_labelled_documents_use_only_their_labels():
    D, K = 4000, 5
    corpus, truth = simulate(D, K, 30, 15, alpha=0.5, labels_per_doc=2, seed=5)
    labels = corpus.labels.toarray()
    _, d, _, _ = map(np.asarray, corpus.tokens())
    assert labels[d, truth.z].all()
    assert ((truth.theta > 0) <= labels).all()
    assert corpus.label_names.tolist() == [f"label{k}" for k in range(K)]
    size = labels.sum(axis=1)
    law = np.array([stats.poisson(1).pmf(n) for n in range(4)] + [stats.poisson(1).sf(3)])
    assert stats.chisquare(np.bincount(size, minlength=K + 1)[1:], D * law).pvalue > LEVEL
    single = labels[size == 1]
    assert stats.chisquare(single.sum(axis=0)).pvalue > LEVEL  # no label is preferred


def test_one_label_a_document():
    corpus, truth = simulate(20, 3, 10, 5, labels_per_doc=1)
    assert (corpus.labels.sum(axis=1) == 1).all() and (truth.theta.max(axis=1) == 1).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"num_docs": 0}, "D must be at least 1"),
        ({"num_topics": 0}, "num_topics must be at least 1"),
        ({"num_words": 0}, "V must be at least 1"),
        ({"doc_length": 0}, "doc_length must be greater than 0; got 0"),
        ({"doc_length": float("nan")}, "doc_length must be greater than 0"),
        ({"labels_per_doc": 0.5}, r"labels_per_doc must be at least 1; got 0\.5"),
        ({"alpha": -1}, "alpha must not be negative"),
        ({"beta": 0}, "beta must be positive"),
        ({"alpha": [1.0, 0.0], "labels_per_doc": 1}, "alpha is 0 for topic 1 in every document"),
        ({"doc_length": 1e-9}, "no tokens"),
    ],
)
def test_wrong_simulations(options, message):
    with pytest.raises(ValueError, match=message):
        simulate(**({"num_docs": 20, "num_topics": 2, "num_words": 5, "doc_length": 10} | options))
