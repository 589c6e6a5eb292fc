"""Figures of models and runs: their tables are held to what the models say themselves."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import jaxlda
from jaxlda import diagnostics, plots
from jaxlda.diagnostics.tables import evolution_table
from jaxlda.plots import chains, table_of

TEXTS = ["cat purr cat mouse", "dog bark dog bone", "purr cat purr milk", "bark dog bark bone", "cat dog milk bone"] * 4
TITLES = [f"<b>{d}</b>" for d in range(20)]
SWEEPS = {"num_warmup": 6, "num_samples": 10, "thinning": 1, "progress": False}


@pytest.fixture(scope="module")
def corpus():
    return jaxlda.Corpus.from_texts(TEXTS, titles=TITLES)


@pytest.fixture(scope="module")
def model(corpus):
    return jaxlda.LDA(num_topics=3, num_chains=2, trace_every=1, gap_every=2, **SWEEPS).fit(corpus)


@pytest.fixture(scope="module")
def cvb0(corpus):
    return jaxlda.LDA(num_topics=3, kernel="cvb0", num_chains=1, **(SWEEPS | {"num_samples": 1})).fit(corpus)


def source(plot, name):
    return plot.select_one({"name": name}).data_source.data


class TestChains:
    @pytest.mark.parametrize(
        ("series", "label"),
        [("log_joint", "log joint"), ("moved", "share of the tokens that moved"), ("gap", "gap of")],
    )
    def test_trace(self, model, series, label):
        plot, noted = plots.trace(model, series=series), model.run_.trace[series]
        table = table_of(plot)
        assert plot.yaxis.axis_label.startswith(label) and len(table) == np.isfinite(noted).sum() > 0
        np.testing.assert_array_equal(table.value, noted[table.chain, table.sweep - 1])
        (shade,) = [box for box in plot.center if type(box).__name__ == "BoxAnnotation"]
        assert shade.right == 6
        assert table_of(plots.trace(model.run_, series=series)).equals(table)

    def test_perplexity_is_that_of_the_log_likelihood(self, model):
        values = model.run_.trace["log_likelihood"]
        np.testing.assert_allclose(
            table_of(plots.trace(model, series="perplexity")).value, np.exp(-values[np.isfinite(values)])
        )

    def test_a_series_that_there_is_not(self, model, corpus):
        with pytest.raises(ValueError, match=r"series must be one of .*'log_joint', .*'perplexity'; got 'elbo'"):
            plots.trace(model, series="elbo")
        run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(3), num_warmup=2, trace_every=0)
        with pytest.raises(ValueError, match="log_likelihood was not traced: fit with trace_every"):
            plots.trace(run, series="log_likelihood")

    def test_ranks_by_model_run_and_diagnostics(self, model):
        found = model.diagnostics()
        tables = [table_of(plots.ranks(one, bins=5)) for one in (model, model.run_, found)]
        assert tables[0].equals(tables[1]) and tables[0].equals(tables[2]) and tables[0]["count"].sum() == 20

    def test_any_quantity(self, model):
        name = next(name for name in model.diagnostics().table.index if name.startswith("phi of topic"))
        plot = plots.autocorrelation(model, quantity=name, max_lag=3)
        assert plot.yaxis.axis_label == f"autocorrelation of {name}" and len(table_of(plot)) == 2 * 4
        with pytest.raises(KeyError, match="there is no quantity 'elbo'"):
            plots.ranks(model, quantity="elbo")

    def test_no_quantity_at_all(self, corpus):
        sweeps = {"num_warmup": 2, "num_samples": 4, "num_chains": 2, "trace_every": 0, "soft": False}
        run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(3), **sweeps)
        with pytest.raises(KeyError, match="none: the run has neither traced nor kept"):
            plots.ranks(run, quantity="elbo")

    def test_rhat_and_ess_end_where_diagnostics_are(self, model):
        expected = model.diagnostics().table.loc["log joint"]
        last = table_of(plots.rhat(model, quantities="log joint")).iloc[-1]
        assert last.draws == 10 and last.rhat == pytest.approx(expected.rhat)
        last = table_of(plots.ess(model, method="tail")).groupby("quantity").last().loc["log joint"]
        assert last.ess_tail == pytest.approx(expected.ess_tail, nan_ok=True)
        assert last.ess_bulk == pytest.approx(expected.ess_bulk, nan_ok=True)

    def test_rhat_has_no_limit_but_the_one_of_the_verdicts(self):
        draws = np.random.default_rng(0).normal(size=(4, 60))
        table = evolution_table(draws).assign(quantity="own")
        assert table.limit.iloc[-1] == diagnostics.assess(draws).limit and np.isnan(table.limit[0])
        dashed = chains.evolution_lines(table, "rhat", "R-hat", "limit").renderers[-1]
        assert dashed.name == "own, limit" and dashed.data_source.data["y"][-1] == table.limit.iloc[-1]

    @pytest.mark.parametrize("draw", [plots.ranks, plots.rhat, plots.ess, plots.autocorrelation])
    def test_draws_too_few(self, cvb0, draw):
        with pytest.raises(ValueError, match="needs 4 draws or more of each chain; there are 1"):
            draw(cvb0)

    def test_one_chain_has_nothing_to_compare(self, corpus, cvb0):
        run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(3), num_warmup=2, num_samples=4)
        with pytest.raises(ValueError, match="compares chains, and there is only one"):
            plots.rhat(run)
        for draw in (plots.stability, plots.alignment):
            with pytest.raises(ValueError, match="there is only one chain"):
                draw(cvb0)

    def test_partners(self, model):
        table = table_of(plots.stability(model, chain=1))
        assert table.chain.tolist() == [0, 0, 0]
        alike = table_of(plots.alignment(model, chain=1, other=0))
        for row in table[table.partner >= 0].itertuples():
            assert alike.loc[row.topic, row.partner] == pytest.approx(row.similarity)
        assert plots.alignment(model, chain=1).xaxis.axis_label.startswith("topics of chain 0")

    def test_gaps(self, model, cvb0):
        assert table_of(plots.gap(model, by="document"))["count"].sum() == 20
        assert table_of(plots.gap(model)).equals(table_of(plots.trace(model, series="gap")))
        with pytest.raises(ValueError, match="there is no gap: the algorithm has soft counts"):
            plots.gap(cvb0)
        with pytest.raises(ValueError, match="by must be 'sweep' or 'document'; got 'word'"):
            plots.gap(model, by="word")


class TestTopics:
    def test_map(self, model):
        table = table_of(plots.topics(model))
        n_k = np.asarray(model.run_.counts(chain=model.best_chain_).n_k)
        np.testing.assert_allclose(table.share, n_k / n_k.sum())
        assert [words.split(", ") for words in table.words] == model.top_words(6)

    @pytest.mark.parametrize("estimator", ["cgs", "cgs_p"])
    def test_words_are_those_of_the_estimate(self, model, estimator):
        phi = model.estimates({"cgs": "phi", "cgs_p": "phi_p"}[estimator])
        plot = plots.words(model, 1, n=4, estimator=estimator)
        table = table_of(plot)
        np.testing.assert_allclose(table.probability, np.sort(phi[1])[::-1][:4], rtol=1e-6)
        assert plot.y_range.factors == table.word.tolist()[::-1] and plot.title.text == "topic 1"

    def test_by_default_the_model_chooses(self, model, corpus):
        assert table_of(plots.words(model, 0)).equals(table_of(plots.words(model, 0, estimator="cgs_p")))
        plain = jaxlda.LDA(num_topics=3, num_chains=2, estimator="cgs", **SWEEPS).fit(corpus)
        np.testing.assert_allclose(table_of(plots.words(plain, 0)).probability.max(), plain.phi_[0].max(), rtol=1e-6)
        other = table_of(plots.words(model, 0, chain=1 - model.best_chain_)).probability.max()
        assert other == pytest.approx(model.estimates("phi_p", chain=1 - model.best_chain_)[0].max(), rel=1e-6)

    def test_a_run_is_told_its_words_and_titles(self, model, corpus):
        assert set(table_of(plots.words(model.run_, 0)).word) <= {f"w{v}" for v in range(corpus.num_words)}
        told = plots.words(model.run_, 0, vocab=corpus.vocab, chain=model.best_chain_)
        assert table_of(told).equals(table_of(plots.words(model, 0)))
        told = plots.documents(model.run_, 0, titles=corpus.titles, chain=model.best_chain_)
        assert table_of(told).equals(table_of(plots.documents(model, 0)))
        with pytest.raises(ValueError, match="vocabulary"):
            plots.words(model.run_, 0, vocab=["cat"])

    def test_documents_by_theta(self, model):
        plot = plots.documents(model, 2, n=5)
        table = table_of(plot)
        np.testing.assert_allclose(table.share, np.sort(model.theta_[:, 2])[::-1][:5], rtol=1e-6)
        assert source(plot, "documents")["title"].tolist()[0] == TITLES[table.document[0]]

    def test_both_estimates(self, model, cvb0):
        table = table_of(plots.word_ranks(model, 0, n=3))
        assert set(table.word) <= set(model.vocab_) and (table["rank"] != table.rank_p).all()
        ranked = table_of(plots.associations(model, "cat", n=3))
        assert "cat" not in set(ranked.word) and ranked.second_rank.min() == 1
        for draw, what in ((plots.word_ranks, 0), (plots.associations, "cat")):
            with pytest.raises(ValueError, match="there is only one estimate"):
                draw(cvb0, what)

    def test_what_does_not_exist(self, model, corpus):
        with pytest.raises(IndexError, match="there is no topic 3: the model has topics 0 to 2"):
            plots.words(model, 3)
        with pytest.raises(IndexError, match="there is no chain 2"):
            plots.topics(model, chain=2)
        with pytest.raises(KeyError, match="the vocabulary has no word 'cattle'; it has cat"):
            plots.associations(model, "cattle")
        with pytest.raises(ValueError, match="estimator must be 'cgs_p' or 'cgs'; got 'theta'"):
            plots.words(model, 0, estimator="theta")
        with pytest.raises(ValueError, match="the words are not pixels of a square"):
            plots.images(model)
        with pytest.raises(NotFittedError):
            plots.topics(jaxlda.LDA())
        with pytest.raises(TypeError, match="expected a fitted model or a run; got a Corpus"):
            plots.topics(corpus)

    def test_images(self):
        bars = jaxlda.datasets.load("bars").subset(range(20))
        run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), bars.data(3), num_warmup=5, num_chains=2)
        data = source(plots.images(run, vocab=bars.vocab, chain=1), "images")
        phi = jaxlda.estimators.phi(run.counts(soft=True, chain=1), run.data)
        np.testing.assert_allclose(np.stack(data["image"])[:, ::-1].reshape(3, 25), phi, rtol=1e-6)


class TestDocuments:
    def test_proportions(self, model, cvb0):
        plot = plots.document(model, 4)
        np.testing.assert_allclose(table_of(plot).theta_p, model.estimates("theta_p")[4], rtol=1e-6)
        np.testing.assert_allclose(table_of(plot).theta, model.estimates("theta")[4], rtol=1e-6)
        assert plot.title.text == f"document 4: {TITLES[4]}"
        soft = table_of(plots.document(cvb0, 4))
        assert soft.theta.tolist() == soft.theta_p.tolist()
        with pytest.raises(IndexError, match="document 20 does not exist"):
            plots.document(model, 20)

    def test_tokens(self, model):
        page = plots.tokens(model, 0, soft=False)
        assert page.count("<span") == 4 and page._repr_html_() == page
        z = np.asarray(model.run_.chain(model.best_chain_).z)[:4]
        assert all(f"<sub>{k}</sub>" in page for k in z)

    def test_counts(self, model, cvb0):
        sample, data = (of(model.best_chain_) for of in (model.run_.chain, model.run_.chain_data))
        soft = jaxlda.estimators.soften(sample, data)
        v = model.vocab_.tolist().index("cat")
        for plot, hard_row, soft_row in (
            (plots.counts(model, document=4), sample.counts.n_dk[4], soft.n_dk[4]),
            (plots.counts(model, word="cat"), sample.counts.n_vk[v], soft.n_vk[v]),
        ):
            np.testing.assert_array_equal(table_of(plot).hard, hard_row)
            np.testing.assert_allclose(table_of(plot).soft, soft_row, atol=1e-5)
        for both in ({}, {"document": 1, "word": "cat"}):
            with pytest.raises(ValueError, match="give either document= or word="):
                plots.counts(model, **both)
        with pytest.raises(ValueError, match="there is nothing to compare"):
            plots.counts(cvb0, document=1)

    def test_labels(self, model, corpus):
        truth = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1], [1, 0, 0]])
        test = jaxlda.Corpus.from_counts(np.eye(4, dtype=int), labels=truth, label_names=["a", "b", "c"])
        predicted = np.array([[1, 1], [1, 0], [1, 0], [0, 1]])
        supervised = SimpleNamespace(classes_=np.array(["c", "new"]), predict=lambda test, sweeps: predicted)
        table = table_of(plots.precision_recall(supervised, test, sweeps=3)).set_index("label")
        assert table[["documents", "predicted", "correct"]].loc["c"].tolist() == [3, 3, 3]
        assert table[["documents", "predicted", "correct"]].loc["new"].tolist() == [0, 2, 0]
        with pytest.raises(TypeError, match="expected a supervised model"):
            plots.precision_recall(model, test)
        with pytest.raises(ValueError, match="the documents have no labels"):
            plots.precision_recall(supervised, corpus)

    def test_topics_are_called_by_their_labels(self, model):
        names = {"classes_": np.array(["a", "<b>", "c"])}
        labelled = SimpleNamespace(run_=model.run_, best_chain_=0, vocab_=model.vocab_, **names)
        assert plots.words(labelled, 1).title.text == "topic 1: <b>"
        assert table_of(plots.topics(labelled)).name.tolist() == ["a", "<b>", "c"]
        assert table_of(plots.document(labelled, 0)).words[2].startswith("c: ")


class TestNames:
    def test_all_of_them_exist(self):
        assert all(callable(getattr(plots, name)) for name in plots.__all__)
        with pytest.raises(AttributeError, match="has no attribute 'posterior'; it has alignment, "):
            plots.posterior  # noqa: B018

    def test_old_names_warn(self):
        with pytest.warns(DeprecationWarning, match=r"jaxlda.plots.figures goes with version 0.3"):
            old = plots.figures
        assert old.traces({"chain": [0], "sweep": [1], "value": [1.0]}).yaxis.axis_label == "log joint"
        with pytest.warns(DeprecationWarning, match=r"diagnostics.tables:rank_table"):
            assert plots.tables.rank_table is jaxlda.diagnostics.tables.rank_table
