"""Runs as ArviZ holds them."""

import warnings

import jax
import numpy as np
import pytest
import xarray as xr

import jaxlda
from jaxlda import diagnostics
from jaxlda.diagnostics import to_arviz


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        import arviz
    return arviz


WORDS = [f"wörd {v}" for v in range(25)]
DOCS = [f"document {d}" for d in range(80)]


@pytest.fixture(scope="module")
def exported(bars):
    return to_arviz(bars, reference=1, topics=[f"t{k}" for k in range(10)], words=WORDS, docs=DOCS)


def dataset(group) -> xr.Dataset:
    return group if isinstance(group, xr.Dataset) else group.to_dataset()


class TestGroups:
    def test_posterior(self, bars, exported):
        posterior = exported.posterior
        assert posterior.phi.dims == ("chain", "draw", "topic", "word") and posterior.phi.shape == (4, 100, 10, 25)
        assert posterior.theta.dims == ("chain", "draw", "doc", "topic") and posterior.theta.shape == (4, 100, 80, 10)
        assert posterior.word.values.tolist() == WORDS and posterior.doc.values.tolist() == DOCS
        assert posterior.topic.values.tolist() == [f"t{k}" for k in range(10)]
        np.testing.assert_array_equal(posterior.phi.values[1], bars.phi[1])  # the reference keeps its numbers
        np.testing.assert_array_equal(posterior.n_k.sum("topic").values, bars.n_k.sum(-1))
        assert posterior.sel(topic="t3", word="wörd 7", doc="document 5").phi.shape == (4, 100)

    def test_averages_are_reductions(self, bars, exported):
        """Over chains too, as topics are aligned: what one chain says of a topic, all of them do."""
        phi = exported.posterior.phi.where(exported.constant_data.matched).mean(("chain", "draw"))
        own = exported.posterior.phi.sel(chain=1).mean("draw")
        assert float(abs(phi - own).max()) < 0.05
        assert float(bars.phi.mean((0, 1)).max()) < float(phi.max())  # without alignment they blur

    def test_theta_and_phi_have_the_same_topics(self, bars, exported):
        """In every draw, the same tokens are predicted as before alignment."""
        posterior = exported.posterior.isel(draw=-1)
        p = np.einsum("cdk,ckv->cdv", posterior.theta.values, posterior.phi.values)
        np.testing.assert_allclose(p, np.einsum("cdk,ckv->cdv", bars.theta[:, -1], bars.phi[:, -1]), rtol=1e-4)
        number = exported.constant_data.topic_in_draw.values[2, -1]
        np.testing.assert_array_equal(posterior.n_k.values[2], bars.n_k[2, -1][number])

    def test_sample_stats(self, bars, exported):
        stats = exported.sample_stats
        assert set(stats.data_vars) == {"log_joint", "log_likelihood_per_token", "moved", "gap", "lp"}
        for name, traced in bars.trace.items():
            column = stats["log_likelihood_per_token" if name == "log_likelihood" else name]
            assert column.dims == ("chain", "sweep")
            np.testing.assert_array_equal(column.values, traced)
        assert stats.sweep.values.tolist() == list(range(1, 901))
        np.testing.assert_array_equal(stats.lp.values, stats.log_joint.sel(sweep=range(108, 901, 8)).values)
        assert not np.isnan(stats.gap.sel(sweep=range(108, 901, 8))).any()

    def test_log_likelihood(self, bars, exported):
        of_documents = exported.log_likelihood.w_d
        assert of_documents.dims == ("chain", "draw", "doc")
        per_token = of_documents.sum("doc").values / int(exported.constant_data.n_d.sum())
        traced = exported.sample_stats.log_likelihood_per_token.sel(sweep=range(108, 901, 8)).values
        np.testing.assert_allclose(per_token, traced, rtol=1e-5)

    def test_observed_and_constant(self, bars, exported):
        tokens, constant = bars.data.tokens, exported.constant_data
        np.testing.assert_array_equal(exported.observed_data.w.values, tokens.w)
        np.testing.assert_array_equal(constant.d.values, tokens.d)
        assert constant.alpha.dims == ("topic",) and constant.beta.dims == ("word",)
        assert exported.attrs["topics"] == "numbered as in chain 1" and exported.attrs["left_out"] == ""


class TestArviz:
    def test_rhat_and_ess_are_the_same(self, arviz, bars, exported):
        found = diagnostics.diagnose(bars, reference=1)
        row = found.table[found.table.kind == "phi"].iloc[3]
        k, v = int(row.topic), int(row.name.split("word ")[1])
        draws = xr.Dataset({"x": exported.posterior.phi.isel(topic=k, word=v, drop=True).astype(float)})
        assert row.rhat == pytest.approx(float(arviz.rhat(draws).x), abs=1e-6)
        assert row.ess_bulk == pytest.approx(float(arviz.ess(draws).x), abs=1e-6)

    def test_netcdf_round_trip(self, arviz, exported, tmp_path):
        path = str(tmp_path / "run.nc")
        exported.to_netcdf(path)
        back = arviz.from_netcdf(path)
        for name in ("posterior", "sample_stats", "log_likelihood", "observed_data", "constant_data"):
            xr.testing.assert_identical(dataset(getattr(back, name)), dataset(getattr(exported, name)))
        assert back.attrs["topics"] == exported.attrs["topics"]

    def test_summary(self, arviz, exported):
        table = arviz.summary(exported, var_names=["n_k"])
        assert len(table) == 10 and any("t3" in str(name) for name in table.index)


@pytest.fixture(scope="module")
def data():
    return jaxlda.Corpus.from_counts([[3, 1, 0], [0, 0, 0], [0, 2, 2]]).data(2, alpha=0.5)


class TestLittleKept:
    @staticmethod
    def sampled(data, **changes):
        options = {"num_warmup": 2, "num_samples": 2, "num_chains": 2, "thinning": 1} | changes
        return jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **options)

    def test_what_was_not_kept_is_left_out_and_said(self, data):
        result = to_arviz(self.sampled(data, keep=("n_k", "log_likelihood"), trace_every=0))
        assert set(result.posterior.data_vars) == {"n_k"}
        assert result.attrs["left_out"] == "phi, theta, likeness (not kept of every draw)"
        assert result.log_likelihood.doc.values.tolist() == [0, 2]  # an empty document is no observation
        assert np.isnan(result.sample_stats.lp).all()
        none = to_arviz(self.sampled(data))
        assert not hasattr(none, "posterior") and none.sample_stats.moved.shape == (2, 4)

    def test_loo_says_that_likelihoods_are_missing(self, arviz, data):
        with pytest.raises((TypeError, ValueError), match=r"(?i)log.likelihood"):
            arviz.loo(to_arviz(self.sampled(data, keep=("phi",))))

    def test_var_names(self, data):
        run = self.sampled(data, keep=("n_k", "phi", "likeness"))
        for names in (["likeness"], "likeness"):
            assert set(to_arviz(run, var_names=names).posterior.data_vars) == {"likeness"}
        with pytest.raises(ValueError, match="var_names knows phi, theta, n_k, likeness; not psi"):
            to_arviz(run, var_names=["psi"])

    def test_pairs_of_documents(self, data):
        constant = to_arviz(self.sampled(data, keep=("likeness",))).constant_data
        assert {int(constant["first"][0]), int(constant["second"][0])} == {0, 2}
        assert constant.pair.values.tolist() == [f"{int(constant['first'][0])} and {int(constant['second'][0])}"]

    def test_names_that_do_not_fit(self, data):
        with pytest.raises(ValueError, match="there are 3 words, but 2 names of them"):
            to_arviz(self.sampled(data), words=["a", "b"])

    def test_no_draw(self, data):
        with pytest.raises(ValueError, match="no draws for ArviZ"):
            to_arviz(self.sampled(data, num_samples=0))

    def test_priors_of_every_shape(self, data):
        alpha, beta = np.array([[1.0, 2.0]] * 3), np.array([[0.1, 0.2, 0.3]] * 2)
        priors = jaxlda.Corpus.from_counts([[3, 1, 0], [0, 0, 0], [0, 2, 2]]).data(2, alpha=alpha, beta=beta)
        constant = to_arviz(self.sampled(priors)).constant_data
        assert constant.beta.dims == ("topic", "word")
        # Topics of another chain bring their priors along when they are renumbered.
        last = constant.topic_in_draw.values[:, -1]
        expected = np.stack([alpha[:, order] for order in last])
        np.testing.assert_array_equal(np.broadcast_to(constant.alpha.values, expected.shape), expected)
        np.testing.assert_allclose(constant.beta.values, beta)

    @pytest.mark.hours
    def test_learned_priors_follow_their_topics(self):
        corpus = jaxlda.datasets.load("bars").subset(range(20))
        algorithm = jaxlda.kernels.learn_alpha(jaxlda.kernels.cgs(), every=5, start=10)
        options = {"num_warmup": 30, "num_samples": 2, "num_chains": 2, "keep": ("n_k",)}
        run = jaxlda.run(jax.random.key(0), algorithm, corpus.data(3), **options)
        result = to_arviz(run, reference=0)
        alpha = result.constant_data.alpha
        assert alpha.dims == ("chain", "topic")
        number = result.constant_data.topic_in_draw.values[1, -1]
        np.testing.assert_array_equal(alpha.values[1], np.asarray(run.chain_data(1).priors.alpha)[number])

    def test_fixed_topics(self):
        corpus = jaxlda.Corpus.from_counts([[3, 1, 0], [0, 2, 2]])
        phi = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
        result = to_arviz(self.sampled(corpus.data(alpha=0.5, phi=phi), keep=("theta", "phi")))
        np.testing.assert_allclose(result.constant_data["phi"].values, phi, rtol=1e-6)
        np.testing.assert_allclose(result.posterior["phi"].values[1, 1], phi, rtol=1e-6)
