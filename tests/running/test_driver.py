"""The loop: what it keeps, averages and traces; and that nothing but the seed decides the result."""

import gc
import inspect
import signal
import threading
import time

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import estimators
from jaxlda.estimators import log_likelihood_terms
from jaxlda.kernels.joint import log_joint_terms
from jaxlda.running import driver, working
from jaxlda.running.schedule import Schedule
from tests.tiers import mostly_slow

SETTINGS = {"num_warmup": 4, "num_samples": 3, "thinning": 2, "num_chains": 3, "trace_every": 3, "gap_every": 4}
KEY = jax.random.key(5)


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.load("bars").subset(range(12))


@pytest.fixture(scope="module")
def data(corpus):
    return corpus.data(num_topics=10)


def sampled(data, kernel="cgs", **changes):
    return jaxlda.run(KEY, jaxlda.kernels.KERNELS[kernel](), data, **(SETTINGS | {"keep": ("n_dk",)} | changes))


@pytest.fixture(scope="module", params=mostly_slow(["cgs", "cvb0"], "cgs", hours=lambda kernel: True))
def kernel(request):
    return request.param


@pytest.fixture(scope="module")
def whole(data, kernel):
    return sampled(data, kernel)


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def assert_same(one, other, floats=np.testing.assert_array_equal):
    """Hard samples are equal to the bit; traces and soft counts as the third argument says."""
    hard = one.chain(0).z is not None
    assert one.trace.keys() == other.trace.keys()
    jax.tree.map(floats, one.trace, other.trace)
    for name in one.kept:
        (np.testing.assert_array_equal if hard else floats)(getattr(one, name), getattr(other, name))
    for chain in range(one.num_chains):
        equal = np.testing.assert_array_equal if hard else floats
        jax.tree.map(equal, one.chain(chain), other.chain(chain))
        jax.tree.map(floats, one.counts(chain=chain), other.counts(chain=chain))


@pytest.mark.parametrize(
    "chain_method", mostly_slow(["parallel", "sequential", "vectorized"], "sequential", "vectorized")
)
def test_chain_methods_agree(data, whole, kernel, chain_method):
    same = np.testing.assert_array_equal if chain_method != "vectorized" else close
    assert_same(whole, sampled(data, kernel, chain_method=chain_method), same)


@pytest.mark.parametrize("block", [1, 3, 100])
def test_blocks_do_not_matter(data, whole, kernel, block):
    assert_same(whole, sampled(data, kernel, block=block))


@pytest.mark.parametrize("stop_at", [0, 3, 5, 6])
def test_stopped_and_continued(data, whole, kernel, stop_at):
    algorithm = jaxlda.kernels.KERNELS[kernel]()
    blocks = jaxlda.run_blocks(KEY, algorithm, data, keep=("n_dk",), block=1, **SETTINGS)
    partial = next(part for part in blocks if part.sweep == stop_at)
    blocks.close()
    assert_same(whole, sampled(data, kernel, start=partial))
    assert_same(whole, sampled(data, kernel, start=partial, chain_method="vectorized"), close)


def test_every_block_is_shown(data):
    seen = []
    result = sampled(data, block=4, on_block=seen.append)
    assert [now.sweep for now in seen] == [4, 8, 10] and seen[-1] is result


def test_who_looks_at_every_block_finds_the_data_laid_out(data):
    """Laying out takes longer than a look, on a large corpus."""
    times = []
    sampler = jaxlda.kernels.cgs()
    algorithm = sampler._replace(prepare=lambda data: (times.append(1), sampler.prepare(data))[1])
    for now in jaxlda.run_blocks(KEY, algorithm, data, num_warmup=2, num_samples=1, thinning=1, block=1):
        assert now.chain(0).counts.n_k.sum() == 1200
    assert len(times) == 1
    list(jaxlda.run_blocks(KEY, algorithm, data, num_warmup=2, num_samples=2, thinning=1, start=now))[-1].chain(0)
    assert len(times) == 2


@pytest.mark.parametrize("progress", [False, True])
def test_who_looks_on_may_stop_it(data, progress):
    partial = sampled(data, block=4, on_block=lambda now: now.sweep == 8, progress=progress)
    assert partial.sweep == 8 and not partial.finished
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jaxlda")]
    assert_same(sampled(data, start=partial), sampled(data))


def test_fewer_chains_are_the_first_of_many(data, whole, kernel):
    two = sampled(data, kernel, num_chains=2)
    np.testing.assert_array_equal(two.n_dk, whole.n_dk[:2])


def test_a_finished_run_takes_more_samples(data):
    short, long = sampled(data), sampled(data, num_samples=5)
    assert_same(sampled(data, num_samples=5, start=short), long)


@pytest.mark.hours
def test_soft_counts_agree_across_methods(data):
    runs = [sampled(data, keep=("z", "phi_p", "theta_p"), chain_method=m) for m in ("parallel", "vectorized")]
    np.testing.assert_array_equal(*(run.z for run in runs))
    for name in ("phi_p", "theta_p"):
        close(*(getattr(run, name) for run in runs))
    jax.tree.map(close, *(run.counts(soft=True, chain=1) for run in runs))


def test_another_seed_gives_another_result(data, whole, kernel):
    other = jaxlda.run(jax.random.key(6), jaxlda.kernels.KERNELS[kernel](), data, keep=("n_dk",), **SETTINGS)
    assert (other.n_dk != whole.n_dk).any()


def test_counts_are_means_over_the_draws(data):
    run = sampled(data, keep=("z", "n_dk", "n_vk", "n_k", "theta_p"))
    assert run.z.shape == (3, 3, data.tokens.w.shape[0])
    for name in ("n_dk", "n_vk", "n_k"):
        np.testing.assert_allclose(getattr(run.counts(chain=1), name), getattr(run, name)[1].mean(0), rtol=1e-6)
    mean = estimators.theta(run.counts(soft=True, chain=2), data)
    np.testing.assert_allclose(mean, run.theta_p[2].mean(0), atol=1e-6)
    np.testing.assert_array_equal(run.z[:, -1], run.sample.z)


def test_draws_are_where_the_schedule_says():
    schedule = Schedule(num_warmup=4, num_samples=3, thinning=2)
    assert schedule.total == 10
    assert [t for t in range(schedule.total + 1) if schedule.keeps(t)] == [6, 8, 10]


def test_traces(data):
    run = sampled(data, keep=("z",))
    T = run.schedule.total
    for column in run.trace.values():
        assert column.shape == (3, T) and column.dtype == np.float64
    seen = {name: np.flatnonzero(~np.isnan(column[0])) + 1 for name, column in run.trace.items()}
    assert seen["moved"].tolist() == list(range(1, T + 1))
    assert seen["log_likelihood"].tolist() == [1, 6]  # every fourth time, and with soft counts
    assert seen["log_joint"].tolist() == [1, 3, 6, 8, 9, 10]  # draws besides
    assert seen["gap"].tolist() == [1, 4, 6, 8, 10]
    sixth = sampled(data, num_samples=1).chain(1)  # six sweeps in all
    terms = log_joint_terms(sixth.counts, data)
    assert run.trace["log_joint"][1, 5] == pytest.approx(sum(float(x.sum()) for x in terms), rel=1e-5)
    phi, theta = estimators.phi(sixth.counts, data), estimators.theta(sixth.counts, data)
    likelihood = float(log_likelihood_terms(phi, theta, data.tokens).sum()) / data.tokens.w.shape[0]
    assert run.trace["log_likelihood"][1, 5] == pytest.approx(likelihood, rel=1e-5)


@pytest.mark.slow
def test_the_likelihood_is_traced_wherever_soft_counts_are_computed(data):
    run = sampled(data, keep=("log_likelihood",), gap_every=3)
    assert (np.flatnonzero(~np.isnan(run.trace["log_likelihood"][0])) + 1).tolist() == [1, 3, 6, 8, 9, 10]
    other = sampled(data, keep=(), gap_every=0, trace_every=1)
    assert (np.flatnonzero(~np.isnan(other.trace["log_likelihood"][0])) + 1).tolist() == [1, 4, 6, 8, 10]
    both = [0, 5, 7, 9]  # by either way, a pass of its own or what tokens weigh
    np.testing.assert_allclose(run.trace["log_likelihood"][:, both], other.trace["log_likelihood"][:, both], rtol=1e-6)


@pytest.mark.parametrize("trace_every", [0, 3])
def test_what_is_noted_of_draws(data, trace_every):
    """Traced or not, kept likelihoods are those of the draws; the likeness of documents is one number a pair."""
    run = sampled(data, keep=("log_likelihood", "likeness", "n_k", "phi", "theta"), trace_every=trace_every)
    for chain, draw in np.ndindex(3, 3):
        terms = log_likelihood_terms(run.phi[chain, draw], run.theta[chain, draw], data.tokens)
        np.testing.assert_allclose(run.log_likelihood[chain, draw], terms, rtol=1e-5)
    a, b = np.asarray(estimators.document_pairs(data.tokens.n_d)).T
    assert len(a) == 6 and len({*a.tolist(), *b.tolist()}) == 12
    np.testing.assert_allclose(run.likeness, np.sqrt(run.theta[:, :, a] * run.theta[:, :, b]).sum(-1), rtol=1e-5)


def test_without_soft_counts_draws_have_no_gap(data):
    run = sampled(data, keep=(), soft=False, gap_every=4)
    assert (np.flatnonzero(~np.isnan(run.trace["gap"][0])) + 1).tolist() == [1, 4, 8]


def test_before_the_first_draw_the_present_state_stands_in(data):
    run = sampled(data, num_samples=0, keep=())
    jax.tree.map(np.testing.assert_array_equal, run.counts(chain=0), run.chain(0).counts)
    soft = run.counts(soft=True, chain=0)
    jax.tree.map(np.testing.assert_array_equal, soft, estimators.soften(run.chain(0), data))


@pytest.mark.hours
def test_averaging_over_chains_only_where_topics_agree(data, corpus):
    run = sampled(data)
    with pytest.raises(ValueError, match="not topic k of another"):
        run.counts()
    phi = estimators.phi(run.counts(chain=0), data)
    fixed = sampled(corpus.data(phi=phi), keep=("n_dk",))
    np.testing.assert_allclose(fixed.counts().n_dk, fixed.n_dk.mean((0, 1)), rtol=1e-5)
    labels = np.where(np.arange(12)[:, None] % 10 == np.arange(10), 0.1, 0.0)
    labels[:, 9] = 0.1  # documents of two labels
    labelled = sampled(corpus.data(alpha=labels))
    assert labelled.anchored and float(np.asarray(labelled.counts().n_dk)[labels == 0].sum()) == 0
    labels[:, 8] = 0.1  # two labels that always come together are not told apart
    assert not sampled(corpus.data(alpha=labels)).anchored
    assert sampled(data, num_chains=1).anchored


@pytest.fixture
def interrupts():
    """SIGINT raises KeyboardInterrupt, also where a shell has started the tests in the background, ignoring it.

    Without garbage collection: an interrupt that arrives in JAX's callback of it is lost there.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_ctrl_c_keeps_what_was_computed(data, monkeypatch):
    """The interrupt arrives in the main thread while the chains sample, as a terminal sends it."""
    reached, advance = threading.Event(), driver.Worker.advance

    def slow(self, part, sweeps, stop):
        if sweeps[0] >= 5:
            reached.set()
            stop.wait(20)  # told to stop, or the test fails
        return advance(self, part, sweeps, stop)

    monkeypatch.setattr(driver.Worker, "advance", slow)

    def interrupt():
        reached.wait(60)
        time.sleep(0.5)  # a signal that comes just before the main thread begins to wait is seen only after it
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.warns(RuntimeWarning, match="Stopped at sweep 4 of 10"):
        partial = sampled(data, block=1)
    monkeypatch.undo()
    assert partial.sweep == 4 and not partial.finished
    assert_same(sampled(data, start=partial), sampled(data))


def test_an_error_in_a_chain_reaches_the_caller(data, monkeypatch):
    def fail(*_):
        raise FloatingPointError("out of numbers")

    monkeypatch.setattr(driver.Worker, "advance", fail)
    with pytest.raises(FloatingPointError, match="out of numbers"):
        sampled(data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_chains": 0}, "num_chains must be at least 1"),
        ({"num_warmup": -1}, "must not be negative"),
        ({"thinning": 0}, "thinning must be at least 1"),
        ({"keep": ("zeta",)}, "keep knows z, .* not zeta"),
        ({"keep": "zeta"}, r"keep knows z, .* not zeta\."),
        ({"chain_method": "pmap"}, "chain_method must be one of 'parallel'"),
        ({"block": 0}, "block must be at least 1"),
        ({"trace_every": -1}, "must not be negative"),
    ],
)
def test_bad_settings_are_named(data, changes, message):
    with pytest.raises(ValueError, match=message):
        sampled(data, **changes)


@pytest.mark.parametrize("name", ["num_warmup", "num_samples", "thinning", "num_chains", "trace_every", "block"])
def test_settings_that_are_not_whole_are_refused_before_the_first_sweep(data, name):
    with pytest.raises(TypeError, match=f"{name} must be an integer; got 200.0"):
        next(driver.run_blocks(KEY, "cgs", data, **{name: 2e2}))


@pytest.mark.parametrize(
    ("kernel", "keep", "soft"), [("cvb0", "z", True), ("cvb0", "phi_p", True), ("cgs", "theta_p", False)]
)
def test_what_cannot_be_kept_is_refused_before_the_first_sweep(data, kernel, keep, soft):
    with pytest.raises(ValueError, match=f"{keep} .*cannot be kept|{keep} cannot be kept"):
        next(driver.run_blocks(KEY, kernel, data, keep=keep, soft=soft))


def test_run_and_its_blocks_have_the_same_options(data):
    of_run = {name: one.default for name, one in inspect.signature(driver.run).parameters.items()}
    given, own = ("key", "algorithm", "data"), {"progress", "keep_partial", "on_block"}
    assert {name: of_run[name] for name in of_run if name not in {*given, *own}} == driver._Settings()._asdict()
    with pytest.raises(TypeError, match=r"run_blocks takes num_warmup, .*; not num_sample"):
        next(driver.run_blocks(KEY, "cgs", data, num_sample=3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_chains": 2}, "has 3 chains, not 2"),
        ({"thinning": 3}, "cannot change now"),
        ({"soft": False}, "has soft=True and draws already"),
        ({"keep": ("z",)}, "give the same keep"),
    ],
)
def test_a_run_goes_on_only_as_it_began(data, changes, message):
    start = sampled(data)
    with pytest.raises(ValueError, match=message):
        sampled(data, start=start, **changes)
    with pytest.raises(ValueError, match="another key"):
        jaxlda.run(jax.random.key(9), jaxlda.kernels.cgs(), data, start=start, keep=("n_dk",), **SETTINGS)
    with pytest.raises(ValueError, match="another algorithm"):
        sampled(data, "cvb0", start=start)
    with pytest.raises(ValueError, match="had other data: the documents are not the same"):
        sampled(data._replace(tokens=jax.tree.map(lambda x: x[:-1], data.tokens)), start=start)
    with pytest.raises(ValueError, match="had other data: the priors are not the same"):
        sampled(data._replace(priors=data.priors._replace(beta=data.priors.beta * 2)), start=start)


def test_the_gap_does_not_disturb_the_means(data):
    run = sampled(data, soft=False, gap_every=3)
    with pytest.raises(ValueError, match="run with soft=True"):
        run.counts(soft=True, chain=0)
    with pytest.raises(ValueError, match="cannot be kept"):
        sampled(data, soft=False, gap_every=1, keep=("phi_p",))


def test_burn_in_extended_before_it_ends(data):
    start = sampled(data, num_warmup=4, num_samples=0)
    assert_same(sampled(data, num_warmup=6, start=start), sampled(data, num_warmup=6))
    with pytest.raises(ValueError, match="burn-in is over"):
        sampled(data, num_warmup=2, start=start)


def test_assignments_of_a_soft_algorithm_cannot_be_kept(data):
    with pytest.raises(ValueError, match="no assignments"):
        sampled(data, "cvb0", keep=("z",))


def test_ctrl_c_raises_where_asked(data, monkeypatch):
    def interrupted(self, part, sweeps, stop):
        raise KeyboardInterrupt

    start = sampled(data, num_samples=0)
    monkeypatch.setattr(driver.Worker, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sampled(data, start=start, keep_partial=False)


def test_what_was_not_kept_is_named(data):
    run = sampled(data, keep=())
    with pytest.raises(AttributeError, match="run with keep="):
        _ = run.z
    with pytest.raises(IndexError, match="no chain 7"):
        run.chain(7)
    assert repr(run) == "Run(3 chains, sweep 10 of 10, 3 draws each)"


def test_progress_bar(data, capsys):
    sampled(data, progress=True)
    assert "10/10" in capsys.readouterr().err


def test_the_sweep_is_compiled_once(data):
    sampled(data)
    programs = working._programs(jaxlda.kernels.cgs(), False)
    before = programs.sweep._cache_size()
    sampled(data, block=1, num_samples=4)
    assert programs.sweep._cache_size() == before


def test_cgs_refuses_pairs(data):
    pairs = data._replace(tokens=jaxlda.kernels.cvb0().prepare(data).data.tokens)
    with pytest.raises(ValueError, match="pairs with frequencies"):
        sampled(pairs)


@pytest.mark.parametrize("name", ["cgs", "cvb0"])
@pytest.mark.slow
def test_a_tiny_beta_keeps_its_digits(corpus, name):
    beta = 1e-10
    layout = jaxlda.kernels.KERNELS[name]().prepare(corpus.data(num_topics=3, beta=beta))
    np.testing.assert_allclose(layout.beta_k[:3], corpus.num_words * beta, rtol=1e-6)
