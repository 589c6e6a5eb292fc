"""The LDA estimator: its numbers are those of the engine and of the slow reference, and it says no in words."""

import jax
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import jaxlda
from jaxlda import LDA, Corpus, evaluation
from jaxlda.running import driver
from tests import reference
from tests.simulated import small

BARS, TRUTH = jaxlda.datasets.bars(num_docs=240, size=3, doc_length=40, alpha=0.3)
TRAIN, TEST = BARS.subset(range(200)), BARS.subset(range(200, 240))
BEFORE = {"num_topics": 6, "alpha": 0.3, "num_warmup": 60, "num_samples": 1, "num_chains": 2, "progress": False}
SHORT = {"num_warmup": 5, "num_samples": 2, "num_chains": 2}


def lda(**options):
    """A model of the shapes that are compiled already."""
    return LDA(**(BEFORE | options))


@pytest.fixture(scope="module")
def model():
    return lda(num_samples=3).fit(TRAIN)


@pytest.fixture(scope="module")
def cvb0():
    return lda(kernel="cvb0", num_warmup=30).fit(TRAIN)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    corpus = Corpus.from_counts(np.eye(4, dtype=int) + 1, titles=tuple("abcd"))
    model = LDA(2, num_warmup=1, num_samples=1, num_chains=1, trace_every=0, progress=False).fit(corpus)
    before = dict(vars(model))
    for wrong in (np.zeros((2, 3), int), Corpus.from_counts([[1, 2, 3]])):
        with pytest.raises(ValueError, match=r"no tokens|alpha"):
            model.set_params(alpha=np.ones((3, 2))).fit(wrong)
        model.set_params(alpha=0.1)
        assert vars(model) == before
    assert model.n_features_in_ == 4 and tuple(model.doc_titles_) == tuple("abcd")


class TestFit:
    def test_is_the_run_of_its_seed(self, model):
        data = TRAIN.data(6, alpha=0.3)
        run = jaxlda.run(
            jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=60, num_samples=3, num_chains=2, keep=("theta_p",)
        )
        chain = model.best_chain_
        np.testing.assert_array_equal(model.phi_, jaxlda.estimators.phi(run.counts(soft=True, chain=chain), data))
        np.testing.assert_allclose(model.theta_, run.theta_p[chain].mean(0), atol=1e-5)

    def test_estimates_are_those_of_algorithm_1(self):
        model = LDA(20, num_warmup=4, num_samples=1, num_chains=2, progress=False).fit(
            small()
        )  # more topics than tokens
        p = reference.problem(model.run_.data)
        for chain in range(2):
            z = np.asarray(model.run_.chain(chain).z)
            n_dk, n_vk, _ = reference.counts(z, p)
            expected = {
                "phi": reference.phi(n_vk, p),
                "phi_p": reference.phi_p(z, p),
                "theta": reference.theta(n_dk, p),
                "theta_p": reference.theta_p(z, p),
            }
            for kind, value in expected.items():
                np.testing.assert_allclose(model.estimates(kind, chain=chain), value, rtol=1e-5, err_msg=kind)

    def test_attributes(self, model):
        assert model.phi_.shape == (6, 9) and model.theta_.shape == (200, 6)
        np.testing.assert_allclose(model.phi_.sum(1), 1, rtol=1e-5)
        np.testing.assert_allclose(model.theta_.sum(1), 1, rtol=1e-5)
        assert model.components_ is model.phi_
        assert model.vocab_.tolist() == TRAIN.vocab.tolist()
        assert model.n_features_in_ == 9
        assert model.run_.num_draws == 3 and model.run_.num_chains == 2
        assert model.get_feature_names_out().tolist() == [f"lda{k}" for k in range(6)]

    def test_best_chain_has_the_highest_log_joint(self, model):
        p = reference.problem(model.run_.data)
        counts = [model.run_.chain(chain).counts for chain in range(2)]
        joints = [reference.log_joint(np.asarray(c.n_dk), np.asarray(c.n_vk), p) for c in counts]
        assert joints[0] != joints[1]
        assert model.best_chain_ == int(np.argmax(joints))

    def test_finds_the_bars(self, model):
        bars = sorted(map(sorted, model.top_words(3)))
        rows = [[f"r{i}c{j}" for j in range(3)] for i in range(3)]
        assert bars == sorted(rows + [list(column) for column in zip(*rows, strict=True)])

    @pytest.mark.parametrize("estimator", ["cgs", "cgs_p"])
    def test_the_estimator_decides_between_hard_and_soft(self, estimator):
        model = lda(estimator=estimator, num_warmup=3).fit(TRAIN)
        suffix = "_p" if estimator == "cgs_p" else ""
        np.testing.assert_array_equal(model.phi_, model.estimates(f"phi{suffix}"))
        np.testing.assert_array_equal(model.theta_, model.estimates(f"theta{suffix}"))
        assert (model.estimates("phi") != model.estimates("phi_p")).any()

    def test_the_seed_decides(self):
        one, same, other = (lda(num_warmup=3, seed=seed).fit(TRAIN) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.phi_, same.phi_)
        np.testing.assert_array_equal(one.theta_, same.theta_)
        assert (one.theta_ != other.theta_).any()

    def test_every_form_of_counts_gives_the_same(self):
        expected = lda(num_warmup=3).fit(TRAIN)
        frame = pd.DataFrame(TRAIN.counts.toarray(), columns=TRAIN.vocab)
        for X in (TRAIN.counts, TRAIN.counts.tocsc(), TRAIN.counts.toarray().astype(float), frame):
            model = lda(num_warmup=3).fit(X)
            np.testing.assert_array_equal(model.phi_, expected.phi_)
        assert model.vocab_.tolist() == TRAIN.vocab.tolist()  # the columns of the table
        assert lda(num_warmup=3).fit(TRAIN.counts).vocab_.tolist() == [f"w{v}" for v in range(9)]

    def test_an_algorithm_is_as_good_as_its_name(self):
        given = lda(num_warmup=3, kernel=jaxlda.kernels.cgs()).fit(TRAIN)
        np.testing.assert_array_equal(given.phi_, lda(num_warmup=3).fit(TRAIN).phi_)

    @pytest.mark.hours
    def test_one_topic(self):
        model = LDA(1, num_warmup=2, num_samples=1, num_chains=1, trace_every=0, progress=False).fit(small())
        np.testing.assert_allclose(model.theta_, 1, rtol=1e-6)
        np.testing.assert_allclose(model.phi_, (np.array([[2, 3, 2]]) + 0.01) / 7.03, rtol=1e-5)
        np.testing.assert_allclose(model.transform(small(), **SHORT), 1, rtol=1e-6)

    @pytest.mark.hours
    def test_fitting_again_forgets_the_columns_of_a_table(self):
        model = lda(num_warmup=1).fit(pd.DataFrame(TRAIN.counts.toarray(), columns=TRAIN.vocab))
        assert hasattr(model, "feature_names_in_")
        model.fit(TRAIN)
        assert not hasattr(model, "feature_names_in_")
        model.transform(TRAIN.counts, **SHORT)  # without scikit-learn's warning about names

    def test_progress_bar(self, capsys):
        lda(num_warmup=1).fit(TRAIN)
        assert capsys.readouterr().err == ""
        lda(num_warmup=1, progress=True).fit(TRAIN)
        assert "6/6" in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"num_topics": 0}, ValueError, "num_topics must be at least 1; got 0"),
            ({"num_topics": 2.5}, TypeError, "num_topics must be an integer"),
            ({"kernel": "gibbs"}, ValueError, "there is no kernel 'gibbs'; known are 'cgs', "),
            ({"kernel": None}, TypeError, "kernel must be a name or an Algorithm"),
            ({"estimator": "phi_p"}, ValueError, "estimator must be 'cgs_p' or 'cgs'; got 'phi_p'"),
            ({"num_warmup": -1}, ValueError, "num_warmup must not be negative"),
            ({"num_samples": 0}, ValueError, "num_samples must be at least 1"),
            ({"thinning": 0}, ValueError, "thinning must be at least 1"),
            ({"num_chains": 0}, ValueError, "num_chains must be at least 1"),
            ({"seed": -1}, ValueError, "seed must not be negative"),
            ({"seed": "x"}, TypeError, "seed must be an integer"),
            ({"alpha": -0.1}, ValueError, "alpha must not be negative"),
            ({"alpha": [0.1, 0.1]}, ValueError, "num_topics says 6, alpha says 2"),
            ({"beta": 0.0}, ValueError, "beta must be positive"),
        ],
    )
    def test_wrong_parameters_are_told(self, options, error, message):
        with pytest.raises(error, match=message):
            lda(**options).fit(TRAIN)

    @pytest.mark.parametrize(
        ("X", "error", "message"),
        [
            (["a text", "another"], TypeError, "LDA takes counts of words, not texts"),
            (np.array(["a text"]), TypeError, "LDA takes counts of words, not texts"),
            ("a text", TypeError, "LDA takes counts of words, not texts"),
            (pd.Series(["a text"]), TypeError, "LDA takes counts of words, not texts"),
            ([["a", "text"], ["b"]], TypeError, "not lists of words: make them with Corpus.from_texts"),
            ([[0.5, 1.0]], ValueError, "not a whole number"),
            ([[-1, 1]], ValueError, "Negative values in data"),
            ([[0, 0]], ValueError, "the corpus has no tokens"),
            ([[np.nan, 1]], ValueError, "NaN"),
        ],
    )
    def test_wrong_documents_are_told(self, X, error, message):
        with pytest.raises(error, match=message):
            LDA(2, progress=False).fit(X)


class TestEstimates:
    def test_averages_over_chains_are_refused(self, model):
        with pytest.raises(ValueError, match="would blend unrelated topics"):
            model.run_.counts()

    @pytest.mark.hours
    def test_soft_estimates_of_soft_counts_are_refused(self, cvb0):
        for kind in ("phi_p", "theta_p"):
            with pytest.raises(ValueError, match="For CVB0 and variational Bayes phi and theta already are the soft"):
                cvb0.estimates(kind)
        np.testing.assert_array_equal(cvb0.phi_, cvb0.estimates("phi"))
        np.testing.assert_array_equal(cvb0.theta_, cvb0.estimates("theta"))

    def test_defaults_to_phi_p_of_the_best_chain(self, model):
        np.testing.assert_array_equal(model.estimates(), model.estimates("phi_p", chain=model.best_chain_))
        assert (model.estimates(chain=1 - model.best_chain_) != model.estimates()).any()

    def test_unknown_kinds_and_chains_are_told(self, model):
        with pytest.raises(ValueError, match="kind must be one of 'phi', 'phi_p', 'theta' or 'theta_p'; got 'psi'"):
            model.estimates("psi")
        with pytest.raises(IndexError, match="There is no chain 2"):
            model.estimates("phi", chain=2)

    def test_top_words(self, model):
        words = model.top_words(4)
        assert [len(topic) for topic in words] == [4] * 6
        order = np.argsort(-model.phi_, axis=1, kind="stable")
        assert words[2] == [str(TRAIN.vocab[v]) for v in order[2, :4]]
        assert len(model.top_words(100)[0]) == 9
        assert model.top_words(4, chain=model.best_chain_) == words
        assert model.top_words(9, chain=1 - model.best_chain_) != model.top_words(9)
        with pytest.raises(ValueError, match="n must be at least 1"):
            model.top_words(0)


class TestTransform:
    @pytest.mark.hours
    def test_training_documents_get_about_their_theta(self, model):
        theta = model.transform(TRAIN)
        np.testing.assert_allclose(theta.sum(1), 1, rtol=1e-5)
        assert np.abs(theta - model.theta_).mean() < 0.03  # proportions of 1/6 on average

    def test_is_inference_with_the_topics_fixed(self, model):
        inferred = evaluation.infer_theta(model.phi_, 0.3, TEST, seed=7, **SHORT)
        np.testing.assert_array_equal(model.transform(TEST, seed=7, **SHORT), inferred.theta_p)
        np.testing.assert_array_equal(model.transform(TEST, seed=7, estimator="cgs", **SHORT), inferred.theta)

    def test_the_seed_decides(self, model):
        default, same = model.transform(TEST, **SHORT), model.transform(TEST, seed=0, **SHORT)
        np.testing.assert_array_equal(default, same)
        assert (default != model.transform(TEST, seed=1, **SHORT)).any()

    def test_the_models_estimator_is_the_default(self):
        hard = lda(num_warmup=1, estimator="cgs").fit(TRAIN)
        np.testing.assert_array_equal(hard.transform(TEST, **SHORT), hard.transform(TEST, estimator="cgs", **SHORT))
        assert (hard.transform(TEST, **SHORT) != hard.transform(TEST, estimator="cgs_p", **SHORT)).any()

    def test_another_vocabulary_is_translated(self, model):
        expected = model.transform(TEST, **SHORT)
        shuffled = TEST.select_words(TEST.vocab[::-1])
        np.testing.assert_array_equal(model.transform(shuffled, **SHORT), expected)
        more = Corpus.from_counts(
            np.hstack([TEST.counts.toarray(), np.ones((40, 1), int)]), [*TEST.vocab.tolist(), "zebra"]
        )
        with pytest.warns(UserWarning, match="dropped 40 of 1640 tokens.*'zebra'"):
            np.testing.assert_array_equal(model.transform(more, **SHORT), expected)

    @pytest.mark.hours
    def test_documents_without_words_get_the_prior(self, model):
        np.testing.assert_allclose(model.transform(np.zeros((2, 9)), **SHORT), 1 / 6, rtol=1e-5)

    @pytest.mark.hours
    def test_soft_kernels_have_one_theta(self, cvb0):
        theta = cvb0.transform(TEST, **SHORT)
        np.testing.assert_array_equal(theta, cvb0.transform(TEST, estimator="cgs_p", **SHORT))
        np.testing.assert_array_equal(theta, cvb0.transform(TEST, estimator="cgs", **SHORT))

    @pytest.mark.hours
    def test_priors_of_training_documents_say_nothing_of_new_ones(self):
        model = lda(num_warmup=1, num_chains=1, alpha=np.full((40, 6), 0.3), trace_every=0).fit(TEST)
        with pytest.raises(ValueError, match=r"a prior for each of its 40 documents.*give their prior as alpha="):
            model.transform(TEST)
        np.testing.assert_allclose(model.transform(TEST, alpha=0.3, **SHORT).sum(1), 1, rtol=1e-5)

    def test_unknown_estimator_is_told(self, model):
        with pytest.raises(ValueError, match="estimator must be 'cgs_p' or 'cgs'; got 'phi_p'"):
            model.transform(TEST, estimator="phi_p")

    def test_fit_transform_gives_theta(self):
        model = lda(num_warmup=1)
        theta = model.fit_transform(TRAIN)
        np.testing.assert_array_equal(theta, model.theta_)


class TestScores:
    def test_perplexity_is_close_to_that_of_the_true_topics(self, model):
        true = evaluation.document_completion(TRUTH.phi, 0.3, *TEST.halves(0)).theta_p.perplexity
        assert true < 6.5  # of 9 words: there is something to learn
        assert model.perplexity(TEST) == pytest.approx(true, rel=0.02)

    def test_perplexity_is_document_completion(self, model):
        halves = TEST.halves(5)
        expected = evaluation.document_completion(model.phi_, 0.3, *halves, seed=5, **SHORT)
        assert model.perplexity(TEST, seed=5, **SHORT) == expected.theta_p.perplexity
        assert model.perplexity(halves, seed=5, **SHORT) == expected.theta_p.perplexity
        assert model.perplexity(TEST, seed=5, estimator="cgs", **SHORT) == expected.theta.perplexity
        assert model.perplexity(TEST, seed=6, **SHORT) != expected.theta_p.perplexity
        assert model.perplexity(TEST, seed=5, alpha=3.0, **SHORT) != expected.theta_p.perplexity

    def test_table(self, model):
        table = model.perplexity_table(TEST, seed=5, **SHORT)
        assert table.index.tolist() == ["phi", "phi_p"] and table.columns.tolist() == ["theta", "theta_p"]
        assert table.loc["phi_p", "theta_p"] == model.perplexity(TEST, seed=5, **SHORT)
        assert len(set(table.to_numpy().ravel())) == 4

    @pytest.mark.hours
    def test_table_of_a_soft_kernel(self, cvb0):
        table = cvb0.perplexity_table(TEST, **SHORT)
        assert table.to_dict() == {"theta": {"phi": cvb0.perplexity(TEST, **SHORT)}}

    def test_score_is_minus_log_perplexity(self, model):
        assert model.score(TEST) == pytest.approx(-np.log(model.perplexity(TEST)), rel=1e-9)

    def test_wrong_halves_are_told(self, model):
        with pytest.raises(ValueError, match="expected a pair of halves"):
            model.perplexity((TEST, TEST, TEST))

    def test_log_likelihood_of_training_documents(self, model):
        expected = reference.log_likelihood(model.phi_, model.theta_, reference.problem(model.run_.data))
        assert model.log_likelihood() == pytest.approx(expected, rel=1e-5)
        assert model.log_likelihood(TRAIN) == model.log_likelihood(TRAIN.counts) == model.log_likelihood()

    def test_log_likelihood_of_new_documents(self, model):
        expected = evaluation.log_likelihood(model.phi_, model.transform(TEST, **SHORT), TEST)
        assert model.log_likelihood(TEST, **SHORT) == expected


class TestResume:
    def test_is_one_longer_fit(self):
        longer = lda(num_warmup=3, num_samples=4).fit(TRAIN)
        model = lda(num_warmup=3, num_samples=2).fit(TRAIN).resume(9)  # two draws at a lag of 5
        assert model.run_.num_draws == 4 and model.num_samples == 2
        for ours, theirs in zip(jax.tree.leaves(model.run_.sample), jax.tree.leaves(longer.run_.sample), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(model.phi_, longer.phi_)
        np.testing.assert_array_equal(model.theta_, longer.theta_)
        assert model.best_chain_ == longer.best_chain_

    def test_ctrl_c_keeps_what_there_is(self, monkeypatch):
        whole = lda(num_warmup=8).fit(TRAIN)
        real = driver.run_blocks

        def interrupted(*args, **options):
            for now in real(*args, **(options | {"block": 3})):
                yield now
                if now.sweep == 6:
                    raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(driver, "run_blocks", interrupted)
            with pytest.warns(RuntimeWarning, match="Stopped at sweep 6 of 13"):
                model = lda(num_warmup=8).fit(TRAIN)
        assert model.run_.sweep == 6 and model.run_.num_draws == 0
        np.testing.assert_allclose(model.phi_.sum(1), 1, rtol=1e-5)
        model.resume()
        assert model.run_.finished
        np.testing.assert_array_equal(model.phi_, whole.phi_)

    @pytest.mark.parametrize("checkpoint", [False, True])
    def test_who_looks_on_may_stop_it(self, checkpoint, tmp_path):
        whole = lda(num_warmup=8, num_samples=2).fit(TRAIN)
        seen = []

        def stop(now):
            seen.append(now)
            return len(seen) == 2

        path = tmp_path / "c.jaxlda" if checkpoint else None
        model = lda(num_warmup=8, num_samples=2, checkpoint=path, checkpoint_every=0).fit(TRAIN, on_block=stop)
        assert model.run_ is seen[1] and not model.run_.finished
        model.resume(on_block=lambda now: True)
        assert not model.run_.finished and model.run_.sweep > seen[1].sweep
        model.resume()
        np.testing.assert_array_equal(model.phi_, whole.phi_)
        np.testing.assert_array_equal(model.run_.trace["log_joint"], whole.run_.trace["log_joint"])

    def test_the_gap_is_traced_on_request(self):
        gap = lda(num_warmup=4, num_samples=1, gap_every=2).fit(TRAIN).run_.trace["gap"]
        assert (~np.isnan(gap[0])).nonzero()[0].tolist() == [0, 1, 3, 5, 7, 8]  # the last is the draw's

    def test_negative_sweeps_are_told(self, model):
        with pytest.raises(ValueError, match="more_sweeps must not be negative"):
            model.resume(-5)


@pytest.mark.hours
def test_small_integers_do_not_overflow():
    thrice = sparse.coo_array((np.full(3, 100, np.int8), ([0, 0, 0], [0, 0, 0])), shape=(1, 1))
    model = LDA(1, num_warmup=1, num_samples=1, num_chains=1, progress=False).fit(thrice)
    assert model.run_.data.tokens.n_d.tolist() == [300]


def test_a_corpus_without_known_words_is_refused_in_training():
    corpus = jaxlda.datasets.load("bars").subset(range(3))
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="no tokens"):
        LDA(2, progress=False).fit(corpus.select_words(["unheard"]))
