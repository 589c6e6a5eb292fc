"""NumPyro's driver runs our algorithms: chain methods, thinning, resuming, summaries, ArviZ; and what is refused."""

import pickle
import subprocess
import sys
from contextlib import nullcontext

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxlda
from jaxlda import ppl
from jaxlda.kernels.layouts.tokens import distinct
from tests import reference
from tests.laws.corpora import MIXED
from tests.ppl.samplers import gibbs, mcmc, z_of
from tests.tiers import on_demand


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.datasets.load("bars").subset(range(4))


@pytest.fixture(scope="module")
def whole(corpus):
    """Two chains of 10 + 12 sweeps."""
    return gibbs(corpus, 12, num_topics=5, sites=("n_k", "topic_sizes"), extra_fields=("z", "moved"))


@pytest.mark.hours
def test_old_fashioned_keys_and_counts_by_keyword(corpus, whole):
    sampler = mcmc(ppl.CollapsedGibbs(num_topics=5, sites=("n_k",)), 12)
    sampler.run(jax.random.PRNGKey(0), data=corpus.counts, extra_fields=("z",))
    np.testing.assert_array_equal(z_of(sampler), z_of(whole))
    np.testing.assert_array_equal(sampler.get_samples()["n_k"], whole.get_samples()["n_k"])


def test_parallel_without_the_devices_is_sequential(corpus, whole, monkeypatch, capsys):
    """So says NumPyro, with a warning, and shows a bar; chains on devices of their own are tested below."""
    for name in ("CI", "PYTEST_XDIST_WORKER"):  # where NumPyro shows no bars
        monkeypatch.delenv(name, raising=False)
    few = jax.local_device_count() < 2
    with pytest.warns(UserWarning, match="not enough devices") if few else nullcontext():
        sampler = gibbs(corpus, 12, num_topics=5, sites=("n_k",), chain_method="parallel", progress_bar=True)
    np.testing.assert_array_equal(z_of(sampler), z_of(whole))
    if few:
        last = whole.get_extra_fields(group_by_chain=True)["moved"][1, -1]
        assert f"{last:.0%} of the tokens moved" in capsys.readouterr().err


def test_compiled_arguments(corpus, whole):
    """Other data of the same shape are sampled by the same program; chains do not go on with those of another shape."""
    sampler = mcmc(ppl.CollapsedGibbs(5, sites=("n_k",)), 12, jit_model_args=True)
    for order in ([3, 2, 1, 0], [0, 1, 2, 3]):
        sampler.run(jax.random.key(0), corpus.subset(order).data(num_topics=5), extra_fields=("z",))
        assert (z_of(sampler) == z_of(whole)).all() == (order[0] == 0)
    sampler.post_warmup_state = sampler.last_state
    with pytest.raises(ValueError, match="not the data the chains were started with"):
        sampler.run(sampler.last_state.rng_key, corpus.subset(range(3)).data(num_topics=5))


@pytest.mark.hours
def test_priors_that_are_learned_are_those_of_the_sites(corpus):
    algorithm = jaxlda.kernels.learn_alpha(jaxlda.kernels.cgs(), every=1, start=1)
    sampler = gibbs(corpus, 4, ("inner.alpha",), num_topics=5, alpha=1.0, kernel=algorithm, sites=("n_dk", "theta_hat"))
    alpha = sampler.get_extra_fields(group_by_chain=True)["inner.alpha"]
    assert (np.abs(alpha - 1) > 0.1).any() and not np.allclose(alpha[0], alpha[1])
    draws = sampler.get_samples(group_by_chain=True)
    weight = draws["n_dk"] + alpha[:, :, None]
    np.testing.assert_allclose(draws["theta_hat"], weight / weight.sum(-1, keepdims=True), rtol=1e-5)


def test_default_sites_are_right(whole, corpus):
    sampler = gibbs(corpus, 4, num_topics=5, num_chains=1, num_warmup=0, sites=("log_joint", "log_likelihood", "n_dk"))
    data, draws, z = corpus.data(num_topics=5), sampler.get_samples(), z_of(sampler)[0]
    p = reference.problem(data)
    for s in range(4):
        n_dk, n_vk, _ = reference.counts(z[s], p)
        np.testing.assert_array_equal(draws["n_dk"][s], n_dk)
        assert draws["log_joint"][s] == pytest.approx(reference.log_joint(n_dk, n_vk, p), rel=1e-5)
        likelihood = reference.log_likelihood(reference.phi(n_vk, p), reference.theta(n_dk, p), p) / len(p.w)
        assert draws["log_likelihood"][s] == pytest.approx(likelihood, rel=1e-5)
    draws = whole.get_samples()
    np.testing.assert_array_equal(draws["topic_sizes"], -np.sort(-draws["n_k"]))
    assert (np.ptp(draws["n_k"], axis=0) > 0).all()


def test_moved_is_the_share_of_tokens_that_changed(whole):
    z, moved = z_of(whole), whole.get_extra_fields(group_by_chain=True)["moved"]
    np.testing.assert_allclose((z[:, 1:] != z[:, :-1]).mean(-1), moved[:, 1:], rtol=1e-6)


@pytest.mark.hours
def test_thinning_keeps_every_other_sweep(corpus, whole):
    """NumPyro's num_samples are sweeps: twelve of them, every third kept, are four draws."""
    thinned = gibbs(corpus, 12, num_topics=5, sites=("n_k",), thinning=3)
    np.testing.assert_array_equal(z_of(thinned), z_of(whole)[:, 2::3])


@pytest.mark.parametrize("chain_method", on_demand(["sequential", "vectorized"], "vectorized"))
def test_resuming_goes_on_to_the_bit(corpus, whole, chain_method):
    sampler = gibbs(corpus, 4, num_topics=5, sites=("n_k",), chain_method=chain_method)
    parts = [z_of(sampler)]
    for data in (corpus, corpus.subset(range(4))):  # the second is equal, but not the same object
        sampler.post_warmup_state = sampler.last_state
        sampler.run(sampler.last_state.rng_key, data, extra_fields=("z",))
        parts.append(z_of(sampler))
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), z_of(whole))
    with pytest.raises(ValueError, match="not the data the chains were started with"):
        sampler.run(sampler.last_state.rng_key, corpus.subset([1, 0, 2, 3]))
    if chain_method == "sequential":
        vectorized = mcmc(sampler.sampler, 4)
        vectorized.post_warmup_state = sampler.last_state
        with pytest.raises(ValueError, match="another chain_method"):
            vectorized.run(sampler.last_state.rng_key, corpus)


def test_counts_changed_in_place_are_seen(corpus):
    counts = corpus.counts.toarray()
    kernel, key = ppl.CollapsedGibbs(5, sites=("n_dk",)), jax.random.key(0)
    before = kernel.init(key, 0, None, (counts,), {})
    counts[:] = counts[::-1].copy()
    after = kernel.init(key, 0, None, (counts,), {})
    assert (before.data.tokens.w != after.data.tokens.w).any()
    assert kernel.init(key, 0, None, (after.data,), {}).layout is kernel.init(key, 0, None, (after.data,), {}).layout


def test_resumes_after_pickling(corpus, whole):
    """And then with no data at all: the state has them."""
    first = gibbs(corpus, 4, num_topics=5, sites=("n_k",))
    sampler = mcmc(pickle.loads(pickle.dumps(first.sampler)), 4)
    sampler.post_warmup_state = first.last_state
    sampler.run(first.last_state.rng_key, pickle.loads(pickle.dumps(corpus)), extra_fields=("z",))
    np.testing.assert_array_equal(z_of(sampler), z_of(whole)[:, 4:8])
    sampler.post_warmup_state = sampler.last_state
    sampler.run(sampler.last_state.rng_key, extra_fields=("z",))
    np.testing.assert_array_equal(z_of(sampler), z_of(whole)[:, 8:])


@pytest.mark.hours
def test_cvb0_has_counts_but_no_z(corpus):
    sampler = gibbs(corpus, 3, (), num_topics=5, kernel=jaxlda.kernels.cvb0(), sites=("n_dk",))
    last = sampler.get_samples(group_by_chain=True)["n_dk"][:, -1]
    np.testing.assert_allclose(last.sum(-1), np.tile(corpus.n_d, (2, 1)), rtol=1e-5)
    assert not np.allclose(last[0], last[1])
    with pytest.raises(ValueError, match="no z to collect"):
        gibbs(corpus, 3, ("z",), num_topics=5, kernel="cvb0", sites=("n_dk",))
    with pytest.raises(ValueError, match="ask for theta_hat"):
        gibbs(corpus, 3, (), num_topics=5, kernel="cvb0", sites=("theta",))


@pytest.mark.hours
def test_known_topics_stay(corpus):
    phi = np.full((2, 25), 0.04, np.float32)
    phi[0, :5], phi[1, -5:] = 0.16, 0.16
    data = corpus.data(phi=phi / phi.sum(1, keepdims=True))
    sampler = gibbs(data, 3, (), sites=("theta_hat",))
    np.testing.assert_allclose(sampler.get_samples()["theta_hat"].sum(-1), 1, rtol=1e-5)
    with pytest.raises(ValueError, match="no phi_hat to sample"):
        gibbs(data, 3, (), sites=("phi_hat",))


PARALLEL = """
import jax, numpyro, sys
numpyro.set_host_device_count(2)
import jaxlda, numpy
from numpyro.infer import MCMC
kernel = jaxlda.ppl.CollapsedGibbs(num_topics=5, sites=("n_k",))
mcmc = MCMC(kernel, num_warmup=10, num_samples=12, num_chains=2, chain_method="parallel", progress_bar=False)
mcmc.run(jax.random.key(0), jaxlda.datasets.load("bars").subset(range(4)), extra_fields=("z",))
z = mcmc.get_extra_fields(group_by_chain=True)["z"]
assert len(z.sharding.device_set) == 2
numpy.save(sys.argv[1], z)
"""


def python(code, cwd, *arguments):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.mark.hours
def test_chains_on_devices_give_the_same_z(root, tmp_path, whole):
    done = python(PARALLEL, root, tmp_path / "z.npy")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "z.npy"), z_of(whole))


# --- what is made of the draws ---------------------------------------------------------------------------------------


def test_from_numpyro(whole):
    arviz = pytest.importorskip("arviz")
    tree = arviz.from_numpyro(whole, dims={"n_k": ["topic"]})
    posterior, stats_ = tree["posterior"], tree["sample_stats"]
    assert dict(posterior["n_k"].sizes) == {"chain": 2, "draw": 12, "topic": 5}
    np.testing.assert_array_equal(stats_["z"], z_of(whole))
    np.testing.assert_array_equal(posterior["topic_sizes"], whole.get_samples(group_by_chain=True)["topic_sizes"])
    assert stats_["moved"].shape == (2, 12)
    assert np.isfinite(arviz.ess(tree, var_names=["n_k"])["n_k"]).all()


def test_print_summary(whole, capsys):
    whole.print_summary()
    printed = capsys.readouterr().out
    assert "r_hat" in printed and "n_k[4]" in printed and "topic_sizes[0]" in printed


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "gibs"}, "there is no kernel 'gibs'; known are 'cgs', "),
        ({"sites": "phi"}, "got 'phi'"),
        ({"sites": ("psi",)}, "sites must be"),
        ({"sites": ()}, "sites must be"),
    ],
)
def test_wrong_settings(options, message):
    with pytest.raises(ValueError, match=message):
        ppl.CollapsedGibbs(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_topics": 7}, "num_topics is 7, but the data were made for 4"),
        ({"alpha": 0.3}, "alpha is not the one"),
        ({"beta": np.full((2, 3), 0.1)}, "beta is not the one"),
    ],
)
def test_settings_that_contradict_the_data(options, message):
    with pytest.raises(ValueError, match=message):
        gibbs(MIXED, 1, **options)


def test_settings_that_repeat_the_data(corpus):
    data = corpus.data(5, 0.1, 0.01)
    kernel = ppl.CollapsedGibbs(num_topics=5, alpha=0.1, beta=np.full(25, 0.01), sites=("n_k",))
    assert kernel.init(jax.random.key(0), 0, None, (data,), {}).data is data


def test_number_of_topics():
    counts = np.eye(3, dtype=int)
    key = jax.random.key(0)
    for options, K in (({}, 20), ({"alpha": [0.1, 0.2]}, 2), ({"beta": np.ones((4, 3))}, 4), ({"num_topics": 3}, 3)):
        kernel = ppl.CollapsedGibbs(sites=("n_k",), **options)
        state = jax.eval_shape(lambda: kernel.init(key, 0, None, (counts,), {}))  # noqa: B023 (called here and now)
        assert state.sites["n_k"].shape == (K,)


def test_wrong_arguments(corpus):
    sampler = mcmc(ppl.CollapsedGibbs(5), 1)
    with pytest.raises(TypeError, match="one argument"):
        sampler.run(jax.random.key(0))
    with pytest.raises(TypeError, match="one argument"):
        sampler.run(jax.random.key(0), corpus, corpus)
    with pytest.raises(TypeError, match="one argument"):
        sampler.run(jax.random.key(0), corpus=corpus)
    with pytest.raises(ValueError, match="takes no init_params"):
        sampler.run(jax.random.key(0), corpus, init_params=jnp.zeros((2, 3)))
    with pytest.raises(ValueError, match="one entry per token"):
        gibbs(MIXED._replace(tokens=distinct(MIXED.tokens)), 1)
