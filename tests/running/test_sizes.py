"""Room for more: what is drawn does not depend on it, what is given does not show it, and neighbours share programs."""

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import Corpus, kernels
from jaxlda.kernels import learn_alpha, learn_beta
from jaxlda.kernels.layouts.sizes import rounded_up
from jaxlda.running import driver, working
from jaxlda.running.sizes import Sizes, enlarged, rounded, sizes_of
from jaxlda.running.store import _room
from tests.laws.corpora import LABELLED, MIXED, PREDICTION, make_data
from tests.tiers import EVERY, mostly_slow, on_demand

DOCS = [[0, 1, 2, 0], [2, 1], [], [0, 0, 1]]
SEEDED = make_data(DOCS, [0.3, 0.5, 0.2], [[1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.2] * 3])
CORPORA = {"mixed": MIXED, "labelled": LABELLED, "fixed topics": PREDICTION, "seed words": SEEDED}
HARD = [kernel for kernel in EVERY if kernel not in ("cvb0", "vb")]
KEPT = ("n_dk", "n_vk", "n_k", "phi", "theta", "likeness", "log_likelihood")


def sampled(data, algorithm, **options):
    return jaxlda.run(0, algorithm, data, num_warmup=4, num_samples=2, thinning=2, trace_every=1, keep=KEPT, **options)


def exactly(monkeypatch, data, algorithm, **options):
    """The same run without room."""
    with monkeypatch.context() as patched:
        patched.setattr(driver, "rounded", lambda sizes: sizes)
        return sampled(data, algorithm, **options)


@pytest.mark.parametrize(
    ("kernel", "corpus"),
    mostly_slow(
        [(k, corpus) for k in HARD for corpus in CORPORA],
        hours=lambda case: case not in (("cgs", "labelled"), ("pcgs", "labelled")),
    ),
)
def test_draws_are_those_of_the_data_alone(kernel, corpus, monkeypatch):
    data = CORPORA[corpus]
    roomy, bare = sampled(data, kernel, num_chains=2), exactly(monkeypatch, data, kernel, num_chains=2)
    assert roomy.room != bare.room == sizes_of(data)
    for chain in range(2):
        one, other = roomy.chain(chain), bare.chain(chain)
        np.testing.assert_array_equal(one.z, other.z)
        jax.tree.map(np.testing.assert_array_equal, one.counts, other.counts)
        for soft in (False, True):
            both = (run.counts(soft=soft, chain=chain) for run in (roomy, bare))
            jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-6), *both)
    for name in KEPT:
        np.testing.assert_allclose(getattr(roomy, name), getattr(bare, name), rtol=1e-5, atol=1e-6, err_msg=name)
    assert roomy.trace.keys() == bare.trace.keys()
    for name, series in bare.trace.items():
        np.testing.assert_allclose(roomy.trace[name], series, rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("symmetric", on_demand([False, True], True))
@pytest.mark.hours
def test_learned_priors_do_not_know_of_the_room(symmetric, monkeypatch):
    algorithm = learn_beta(learn_alpha(kernels.cgs(), symmetric=symmetric, every=1, start=1), every=1, start=1)
    data = make_data(DOCS, [0.3] * 3, [0.2] * 3)
    roomy, bare = sampled(data, algorithm), exactly(monkeypatch, data, algorithm)
    learned, expected = roomy.chain_data(0).priors, bare.chain_data(0).priors
    assert learned.alpha.shape == (3,) and learned.beta.shape == (3,)
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, rtol=1e-5), learned, expected)
    np.testing.assert_array_equal(roomy.chain(0).z, bare.chain(0).z)


@pytest.mark.parametrize("kernel", on_demand(["cvb0", "vb"], "vb"))
def test_soft_counts_have_no_mass_in_the_room(kernel):
    run = sampled(MIXED, kernel)
    whole = run.parts[0].hard
    _, D, V, K, _ = sizes_of(MIXED)
    n_dk, n_vk = (np.asarray(n).copy() for n in whole[:2])
    n_dk[:D, :K], n_vk[:V, :K] = 0, 0
    assert not n_dk.any() and not n_vk.any()
    np.testing.assert_allclose(run.chain(0).counts.n_dk.sum(1), MIXED.tokens.n_d, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 1023, 1025, 5000, 77_777, 2**20, 2**20 + 1])
def test_sizes_are_rounded_by_a_quarter_at_most_unless_small(n):
    assert n <= rounded_up(n) <= max(1024, (1.25 if n > 2**16 else 4) * n)
    assert rounded_up(rounded_up(n)) == rounded_up(n)


def test_there_are_few_small_sizes():
    assert len({rounded_up(n) for n in range(2**16)}) == 5


def test_files_may_have_the_room_that_runs_make():
    for n in (1, 65, 300, 1025, 4097, 20_000):
        data = Corpus.from_counts(np.ones((n, 1), np.int64)).data(num_topics=2)
        assert _room(list(rounded(sizes_of(data))), data) == rounded(sizes_of(data))


def test_large_corpora_take_no_more_than_they_need():
    assert rounded(Sizes(2_000_000, 30, 100, 20)) == Sizes(2_000_000, 30, 100, 20)


@pytest.mark.parametrize("corpus", CORPORA)
def test_nothing_to_enlarge(corpus):
    data = CORPORA[corpus]
    assert enlarged(data, sizes_of(data)) is data


def test_neighbours_share_programs():
    """One topic more, or one document less, and a sweep is not compiled again."""
    corpus = jaxlda.datasets.load("bars").subset(range(40))
    sweep = working._programs(kernels.cgs(), False).sweep
    jaxlda.run(0, "cgs", corpus.data(num_topics=10), num_warmup=1)
    before = sweep._cache_size()
    for documents, K in ((40, 11), (39, 10), (38, 12)):
        jaxlda.run(0, "cgs", corpus.subset(range(documents)).data(num_topics=K), num_warmup=1)
    assert sweep._cache_size() == before
