"""Variational Bayes: the fixed point it looks for, the bound it raises, and another program that does the same."""

import importlib
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import digamma
from sklearn.decomposition import LatentDirichletAllocation

import jaxlda
from jaxlda import kernels
from jaxlda.types import Counts
from tests import reference
from tests.laws.corpora import FEW, LABELLED, LONG, MIXED, PREDICTION, TINY, make_data, pad
from tests.tiers import on_demand

vb = importlib.import_module("jaxlda.kernels.vb")  # the module: the package's `vb` is the function

CORPORA = {"mixed": MIXED, "labelled": LABELLED, "few labels": FEW, "prediction": pad(PREDICTION, 4)}
NUM_SWEEPS = 25

every_corpus = pytest.mark.parametrize("corpus", on_demand(CORPORA, "mixed"))


def trajectory(data, num_sweeps=NUM_SWEEPS, state=None, **options) -> list[Counts]:
    """The counts at the start and after every sweep."""
    alg = kernels.vb(**options)
    layout = alg.prepare(data)
    step = jax.jit(lambda *args: alg.step(*args))  # a new function: constants of the module may have been replaced
    readout = jax.jit(alg.readout)
    state = jax.jit(alg.init)(jax.random.key(0), layout) if state is None else state
    counts = [readout(state, layout).counts]
    for _ in range(num_sweeps):
        state, _ = step(jax.random.key(0), state, layout)
        counts.append(readout(state, layout).counts)
    return counts


@cache
def sweeps(corpus: str) -> list[Counts]:
    return trajectory(CORPORA[corpus])


def expectations(counts: Counts, p: reference.Problem) -> tuple[np.ndarray, np.ndarray]:
    """E log theta (D, K) and E log phi (K, V), by the definition."""
    n_dk, n_vk = (np.asarray(x, np.float64) for x in counts[:2])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_theta = digamma(p.alpha + n_dk) - digamma((p.alpha + n_dk).sum(1, keepdims=True))
        log_theta = np.where(p.alpha > 0, log_theta, -np.inf)
    if p.phi is not None:
        return log_theta, np.log(p.phi)
    lam = p.beta + n_vk.T
    return log_theta, digamma(lam) - digamma(lam.sum(1, keepdims=True))


def updated(counts: Counts, p: reference.Problem) -> tuple[np.ndarray, np.ndarray]:
    """Both tables of counts from the distributions that the old ones give, a token at a time."""
    log_theta, log_phi = expectations(counts, p)
    n_dk, n_vk = np.zeros(counts.n_dk.shape), np.zeros(counts.n_vk.shape)
    for d, w in zip(p.d, p.w, strict=True):
        r = np.exp(log_theta[d] + log_phi[:, w])
        n_dk[d] += r / r.sum()
        n_vk[w] += r / r.sum()
    return n_dk, n_vk


@every_corpus
def test_converges_to_where_updates_change_nothing(corpus, monkeypatch):
    monkeypatch.setattr(vb, "_TOLERANCE", 1e-6)
    p = reference.problem(CORPORA[corpus])
    last = trajectory(CORPORA[corpus], 400)[-1]
    for ours, theirs in zip(last[:2], updated(last, p), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=5e-3)


@pytest.mark.parametrize("corpus", ["mixed", "labelled"])
def test_one_update_is_that_of_the_definition(corpus):
    """With one iteration a document, a sweep is two updates of the documents, and one of the topics with the second."""
    p = reference.problem(CORPORA[corpus])
    before, after = trajectory(CORPORA[corpus], 1, iterations=1)
    between = before._replace(n_dk=updated(before, p)[0])
    for ours, theirs in zip(after[:2], updated(between, p), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-4)


@every_corpus
def test_the_bound_never_falls(corpus):
    bounds = [vb.bound(counts, CORPORA[corpus]) for counts in sweeps(corpus)]
    assert np.diff(bounds).min() > -1e-4, np.diff(bounds).min()
    assert bounds[-1] > bounds[0] + 5


def log_evidence(p: reference.Problem) -> float:
    """Of Bayes' theorem with any one z: p(w) = p(w, z) / p(z | w)."""
    posterior = reference.enumerate_posterior(p)
    best = np.argmax(posterior.probability)
    n_dk, n_vk, _ = reference.counts(posterior.z[best], p)
    return reference.log_joint(n_dk, n_vk, p) - np.log(posterior.probability[best])


@pytest.mark.slow
@pytest.mark.parametrize("name", on_demand(["asymmetric", "three topics", "labelled", "fixed topics"], "labelled"))
def test_the_bound_is_below_the_evidence(name):
    """By listing all z of a tiny corpus: log p(w) is known, and the bound must be near it, but below."""
    p = reference.problem(TINY[name])
    evidence = log_evidence(p)
    bound = vb.bound(trajectory(TINY[name], 60)[-1], TINY[name])
    assert evidence - 3 < bound < evidence


@pytest.mark.parametrize("fixed", [False, True], ids=["learned", "fixed"])
def test_the_bound_of_one_topic_is_the_evidence(fixed):
    phi = [[0.5, 0.3, 0.2]] if fixed else None
    data = make_data([[0, 1, 1], [], [2]], [0.5], [0.1, 0.2, 0.3], phi)
    evidence = log_evidence(reference.problem(data))
    assert vb.bound(trajectory(data, 1)[-1], data) == pytest.approx(evidence, abs=1e-5)


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.simulate(40, 4, 30, 50, alpha=0.3, beta=0.2, seed=3)[0]


ALPHA, BETA = 1.0, 0.2  # with the topics held and such an alpha, a document has one optimum, wherever it starts


def theirs(corpus, num_sweeps):
    return LatentDirichletAllocation(
        4,
        doc_topic_prior=ALPHA,
        topic_word_prior=BETA,
        learning_method="batch",
        max_iter=num_sweeps,
        max_doc_update_iter=2000,
        mean_change_tol=1e-7,
        random_state=5,
    ).fit(corpus.counts)


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(vb, "_TOLERANCE", 1e-6)


@pytest.mark.usefixtures("patient")
def test_agrees_with_scikit_learn_from_the_same_start(corpus):
    data = corpus.data(4, alpha=ALPHA, beta=BETA)
    # The topics that it starts from: the first that its generator draws.
    start = np.random.RandomState(5).gamma(100.0, 0.01, (4, corpus.num_words)).T - BETA
    n_dk, n_vk = np.zeros((corpus.num_docs, 8), np.float32), np.zeros((corpus.num_words, 8), np.float32)
    n_dk[:, :4], n_vk[:, :4] = start.sum(0) / corpus.num_docs, start
    ours = trajectory(data, 30, vb.VBState(jnp.asarray(n_dk), jnp.asarray(n_vk)), iterations=2000)
    for sweep in (1, 3, 30):
        model = theirs(corpus, sweep)
        np.testing.assert_allclose(np.asarray(ours[sweep].n_vk).T + BETA, model.components_, rtol=0, atol=5e-3)
    # Its score brings the documents to convergence with the last topics first, which by now changes nothing.
    assert vb.bound(ours[30], data) == pytest.approx(model.score(corpus.counts), rel=1e-5)


@pytest.mark.slow
@pytest.mark.usefixtures("patient")
def test_predicts_as_scikit_learn_does(corpus):
    """It folds new documents in with E log phi where we have log phi; given the one as the other, both agree."""
    model = theirs(corpus, 30)
    lam = model.components_
    phi = np.exp(digamma(lam) - digamma(lam.sum(1, keepdims=True)))
    data = make_data([], [ALPHA] * 4, [BETA] * corpus.num_words, phi)._replace(tokens=corpus.tokens())
    counts = trajectory(data, 1, iterations=2000)[-1]
    theta = (np.asarray(counts.n_dk) + ALPHA) / (corpus.n_d[:, None] + 4 * ALPHA)
    np.testing.assert_allclose(theta, model.transform(corpus.counts), rtol=0, atol=1e-3)


def test_new_documents_are_folded_in():
    phi = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]])
    corpus = jaxlda.Corpus.from_counts([[8, 4, 0], [0, 2, 9], [0, 0, 0]])
    result = jaxlda.evaluation.infer_theta(phi, 0.1, corpus, kernel="vb", num_samples=1, num_chains=1)
    assert result.theta_p is None
    np.testing.assert_allclose(result.theta[:, 0], [0.98, 0.02, 0.5], atol=0.03)


@pytest.mark.hours
def test_chain_methods_agree():
    data = jaxlda.datasets.simulate(60, 5, 150, 60, seed=0)[0].data(33)
    options = {"num_warmup": 3, "num_samples": 2, "thinning": 1, "num_chains": 2, "trace_every": 1, "keep": ("n_dk",)}
    one, same, batch = (
        jaxlda.run(jax.random.key(1), kernels.vb(), data, chain_method=method, **options)
        for method in ("parallel", "sequential", "vectorized")
    )
    np.testing.assert_array_equal(same.n_dk, one.n_dk)
    jax.tree.map(np.testing.assert_array_equal, same.trace, one.trace)
    np.testing.assert_allclose(batch.n_dk, one.n_dk, rtol=1e-4, atol=1e-3)


@pytest.mark.hours
def test_runs_trace_the_bound():
    options = {"num_warmup": 4, "num_samples": 1, "thinning": 1, "trace_every": 1}
    run = jaxlda.run(jax.random.key(0), kernels.vb(), MIXED, **options)
    assert run.trace["bound"][0, -1] == vb.bound(run.chain(0).counts, MIXED)
    assert np.all(np.diff(run.trace["bound"][0]) > -1e-4)
    learned = jaxlda.run(jax.random.key(0), kernels.learn_alpha(kernels.vb(), start=1, every=1), MIXED, **options)
    assert learned.trace["bound"][0, -1] == vb.bound(learned.chain(0).counts, learned.chain_data(0))
    assert learned.trace["bound"][0, -1] > run.trace["bound"][0, -1]


def test_memory_is_that_of_the_counts(monkeypatch):
    monkeypatch.setattr(vb, "_CHUNK", 64)
    alg = kernels.vb()
    layout = alg.prepare(LONG)
    state = jax.eval_shape(alg.init, jax.random.key(0), layout)
    assert [x.shape for x in state] == [(20, 8), (40, 8)]
    jaxpr = str(jax.make_jaxpr(lambda s: alg.step(jax.random.key(0), s, layout))(state))
    assert f"f32[{layout.blocks[0].w.shape[0]},8]" not in jaxpr


def test_weights_that_underflow_are_told_apart():
    """E log phi of a word that a topic never has is about -1e5 with such a prior, in all topics of the document."""
    data = make_data([[0, 0, 0], [1]], [[0.5, 0.0, 0.0], [0.0, 0.5, 0.5]], np.full(2, 1e-5))
    for counts in trajectory(data, 3):
        np.testing.assert_allclose(counts.n_dk.sum(1), [3, 1], rtol=1e-6)
        assert np.isfinite(vb.bound(counts, data))
