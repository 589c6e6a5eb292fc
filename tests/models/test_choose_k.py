"""Choosing K: scores of held-out documents, honest standard errors, and nothing computed twice or lost."""

import json
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, evaluation
from jaxlda.evaluation import Score
from jaxlda.kernels import KERNELS, learn_alpha
from tests.models.toy import toy

module = import_module("jaxlda.models.choose_k")
Choice, choose_k = module.Choice, module.choose_k

CORPUS = jaxlda.datasets.simulate(30, 3, 12, 15, alpha=0.3, beta=0.2, seed=1)[0]
INFERENCE = {"num_warmup": 1, "num_samples": 1, "num_chains": 1}
QUICK = {"kernel": "toy", "num_warmup": 1, "num_chains": 1, "inference": INFERENCE, "progress": False}


@pytest.fixture(autouse=True)
def _light_by_name(monkeypatch):
    """A kernel that compiles in no time, under a name that can be stored."""
    monkeypatch.setitem(KERNELS, "toy", toy)


@pytest.fixture
def fits(monkeypatch):
    """The K of every fit that is made."""
    made, fit = [], LDA.fit

    def counted(self, X, y=None):
        made.append(self.num_topics)
        return fit(self, X)

    monkeypatch.setattr(LDA, "fit", counted)
    return made


@pytest.fixture
def priors_used(monkeypatch):
    """The alpha that test documents are given, fit by fit."""
    seen, completion = [], evaluation.document_completion

    def spy(phi, alpha, *halves, **options):
        seen.append(np.asarray(alpha))
        return completion(phi, alpha, *halves, **options)

    monkeypatch.setattr(evaluation, "document_completion", spy)
    return seen


def quick(ks, corpus=CORPUS, **changes):
    return choose_k(corpus, ks, **(QUICK | changes))


def assert_same(one, other):
    assert list(one.scores) == list(other.scores)
    for K in one.scores:
        for x, y in zip(one.scores[K], other.scores[K], strict=True):
            np.testing.assert_array_equal(x, y)


class TestStandardErrors:
    def scores(self):
        rng = np.random.default_rng(0)
        n = rng.integers(5, 80, 400)
        quality = rng.normal(-6, 0.5, 400)  # what documents differ by, whatever the model
        return {K: Score((quality - off + rng.normal(0, 0.1, 400)) * n, n) for K, off in ((10, 0.1), (20, 0.0))}

    def test_equal_the_bootstrap_over_documents(self):
        """4,000 resamples know a standard error to 1.1 %; 5 % is four and a half of those. Fixed seed."""
        scores = self.scores()
        choice = Choice(scores)
        assert choice.best == 20
        sample = np.random.default_rng(1).integers(0, 400, (4000, 400))
        per_token = {K: s.log_likelihood[sample].sum(1) / s.num_tokens[sample].sum(1) for K, s in scores.items()}
        for line in choice.table.itertuples():
            ours = [line.per_token_se, line.perplexity_se, line.difference_se]
            drawn = [per_token[line.num_topics], np.exp(-per_token[line.num_topics])]
            drawn.append(per_token[line.num_topics] - per_token[20])
            np.testing.assert_allclose(ours, [x.std() for x in drawn], rtol=0.05)

    def test_pairs_of_the_same_documents_differ_less(self):
        ten = Choice(self.scores()).table.iloc[0]
        assert ten.difference_se < ten.per_token_se / 3
        assert ten.difference == pytest.approx(-0.1, abs=3 * ten.difference_se)

    def test_of_documents_of_one_length_are_those_of_a_mean(self):
        x = np.array([-30.0, -50.0, -40.0, -45.0])
        line = Choice({5: Score(x, np.full(4, 10))}).table.iloc[0]
        assert line.per_token_se == pytest.approx((x / 10).std(ddof=1) / 2)
        assert line.perplexity_se == pytest.approx(line.perplexity * line.per_token_se)

    def test_documents_without_scored_tokens_are_none(self):
        x, n = np.array([-30.0, -50.0, -40.0]), np.array([10, 12, 9])
        with_empty = Choice({5: Score(np.append(x, 0.0), np.append(n, 0))})
        assert with_empty.table.equals(Choice({5: Score(x, n)}).table)

    def test_one_document_has_none(self):
        choice = Choice({5: Score(np.array([-9.0]), np.array([3])), 9: Score(np.array([-8.0]), np.array([3]))})
        assert np.isnan(choice.table.iloc[0].per_token_se) and np.isnan(choice.table.iloc[0].difference_se)
        assert choice.best == choice.smallest_within_one_se == 9


class TestChoice:
    def choice(self, *offsets):
        """K = 5, 10, ... that are worse than the best by this many of their own standard errors."""
        n, noise = np.full(100, 10), np.tile([-1.0, 1.0], 50)
        se = noise.std(ddof=1) / 10
        shapes = [noise - offset * se for offset in offsets]
        return Choice(
            {
                5 * i + 5: Score(-60 + shape * (offset > 0), n)
                for i, (shape, offset) in enumerate(zip(shapes, offsets, strict=True))
            }
        )

    @pytest.mark.parametrize(
        ("offsets", "best", "smallest"),
        [((3.0, 0.9, 0.0, 0.5), 15, 10), ((1.1, 1.2, 0.0), 15, 15), ((0.5, 2.0, 0.0), 15, 5), ((0.0, 0.0), 5, 5)],
    )
    def test_best_and_smallest_within_one_se(self, offsets, best, smallest):
        choice = self.choice(*offsets)
        assert (choice.best, choice.smallest_within_one_se) == (best, smallest)
        for line, offset in zip(choice.table.itertuples(), offsets, strict=True):
            assert line.difference == pytest.approx(-offset * line.difference_se)

    def test_is_a_table_to_print(self):
        choice = self.choice(2.0, 0.0)
        lines = str(choice).splitlines()
        assert [line.split()[0] for line in lines[1:3]] == ["5", "10"]
        assert f"{choice.table.iloc[0].perplexity:.2f}" in lines[1]
        assert lines[-2] == "best: 10; smallest within one se: 10"
        assert repr(choice) == "Choice(best=10, smallest_within_one_se=10, of K = 5, 10)"

    def test_is_a_table_for_pandas(self):
        choice = self.choice(2.0, 0.0)
        table = choice.table
        assert table.columns.tolist() == list(module.COLUMNS) and table.num_topics.tolist() == [5, 10]
        assert table.perplexity.tolist() == [choice.scores[K].perplexity for K in (5, 10)]
        with pytest.warns(DeprecationWarning, match="table is a DataFrame"):
            assert choice.to_pandas() is table

    def test_is_a_picture(self):
        choice = self.choice(2.0, 0.0)
        source = choice.plot().renderers[-1].data_source
        np.testing.assert_array_equal(source.data["K"], [5, 10])
        low, high = source.data["lower"], source.data["upper"]
        np.testing.assert_allclose(high - low, 2 * choice.table.perplexity_se)


class TestComparison:
    @pytest.mark.slow
    def test_bars_have_six_topics(self):
        corpus, _ = jaxlda.datasets.bars(num_docs=120, size=3, doc_length=30, alpha=0.2)
        options = {"kernel": "cvb0", "num_chains": 1, "num_warmup": 60, "inference": INFERENCE | {"num_warmup": 20}}
        choice = choose_k(corpus, [6, 2], alpha=0.2, progress=False, **options)
        assert choice.best == choice.smallest_within_one_se == 6
        assert choice.table.iloc[0].difference < -3 * choice.table.iloc[0].difference_se

    @pytest.mark.parametrize("estimator", ["cgs_p", "cgs"])
    def test_scores_are_those_of_document_completion(self, estimator):
        """Of CGS, because its two estimators of theta differ."""
        options = {"num_warmup": 3, "num_chains": 2, "estimator": estimator}
        choice = choose_k(CORPUS, [2], seed=7, test_size=10, inference=INFERENCE, progress=False, **options)
        train, test = CORPUS.split(10, seed=7)
        model = LDA(2, seed=7, progress=False, **options).fit(train)
        result = evaluation.document_completion(model.phi_, 0.1, *test.halves(7), seed=7, **INFERENCE)
        expected = result.theta_p if estimator == "cgs_p" else result.theta
        assert result.theta.perplexity != result.theta_p.perplexity
        np.testing.assert_array_equal(choice.scores[2].log_likelihood, expected.log_likelihood)
        np.testing.assert_array_equal(choice.scores[2].num_tokens, expected.num_tokens)

    @pytest.mark.slow
    def test_counts_are_taken_as_well(self):
        assert_same(quick([2, 3]), quick([3, 2, 2], CORPUS.counts))

    def test_folds_score_every_document_once(self, fits):
        choice = quick([3], folds=2)
        assert fits == [3, 3]
        n = choice.scores[3].num_tokens
        assert sorted(n) == sorted(CORPUS.n_d - CORPUS.n_d // 2)
        order = np.random.default_rng(0).permutation(30)
        documents = np.concatenate([np.sort(part) for part in np.array_split(order, 2)])
        np.testing.assert_array_equal(n, (CORPUS.n_d - CORPUS.n_d // 2)[documents])

    @pytest.mark.slow
    def test_priors_may_depend_on_the_number(self):
        choice = quick([2, 4], alpha=lambda K: 1 / K)
        for K in (2, 4):
            np.testing.assert_array_equal(*(c.scores[K].log_likelihood for c in (choice, quick([K], alpha=1 / K))))
        assert (choice.scores[2].log_likelihood != quick([2]).scores[2].log_likelihood).any()

    @pytest.mark.slow
    def test_a_learned_alpha_is_used(self, priors_used):
        algorithm = learn_alpha(toy(), every=1, start=1)
        quick([3], kernel=algorithm)
        model = LDA(3, kernel=algorithm, num_warmup=1, num_chains=1, progress=False).fit(CORPUS.split(0.2)[0])
        np.testing.assert_array_equal(priors_used[0], model.run_.chain_data(0).priors.alpha)
        assert (priors_used[0] != np.float32(0.1)).all()

    def test_alpha_that_depends_on_metadata_is_that_of_the_test_documents(self, priors_used, tmp_path):
        dated = CORPUS.with_metadata({"year": np.arange(30)})
        path = tmp_path / "k.json"
        quick([3], dated, covariates=["year"], path=path)
        assert [alpha.shape for alpha in priors_used] == [(6, 3)]
        with pytest.raises(ValueError, match="is about another corpus"):
            quick([3], CORPUS.with_metadata({"year": np.arange(30)[::-1]}), covariates=["year"], path=path)

    def test_progress_is_shown(self, capsys):
        quick([2, 3], progress=True)
        assert "K = 3: 100%" in capsys.readouterr().err


class TestFile:
    def test_is_not_computed_again(self, tmp_path, fits):
        path = tmp_path / "k.json"
        first = quick([2, 3], path=path)
        again = quick([3, 2], path=str(path), chain_method="sequential", trace_every=0)
        assert fits == [2, 3]
        assert_same(first, again)
        assert_same(quick([2, 3, 4], path=path), quick([2, 3, 4]))
        assert fits == [2, 3, 4, 2, 3, 4]
        assert list(quick([4], path=path).scores) == [4], "what was not asked for is not told, but stays"
        assert list(json.loads(path.read_text())["fits"]) == ["2", "3", "4"]
        assert [file.name for file in tmp_path.iterdir()] == ["k.json"]

    def test_folds_are_kept_one_by_one(self, tmp_path, fits, monkeypatch):
        whole, path = quick([2], folds=2), tmp_path / "k.json"
        fitted = module._fitted
        monkeypatch.setattr(module, "_fitted", lambda model, *rest: stop() if len(fits) == 3 else fitted(model, *rest))
        with pytest.raises(KeyboardInterrupt):
            quick([2], folds=2, path=path)
        monkeypatch.setattr(module, "_fitted", fitted)
        assert_same(quick([2], folds=2, path=path), whole)
        assert len(fits) == 2 + 1 + 1

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"num_warmup": 2}, "other settings: num_warmup = 1 there and 2 now"),
            ({"seed": 1}, "seed = 0 there and 1 now"),
            ({"test_size": 0.3}, "test_size = None there and 0.3 now"),
            ({"kernel": "cgs"}, "kernel = 'toy' there and 'cgs' now"),
            (
                {"inference": INFERENCE | {"thinning": 2}},
                "inference = .*'thinning': 5.* there and .*'thinning': 2.* now",
            ),
            ({"alpha": lambda K: K}, "for K = 2: alpha = 0.1 there and 2.0 now"),
            ({"beta": np.full((2, 12), 0.5)}, "for K = 2: beta = 0.01 there and .*0.5"),
            ({"corpus": CORPUS.subset(range(20))}, "is about another corpus"),
        ],
    )
    def test_of_something_else_is_refused(self, tmp_path, changes, message):
        path = tmp_path / "k.json"
        quick([2], path=path)
        before = path.read_bytes()
        with pytest.raises(ValueError, match=message):
            quick([2], path=path, **changes)
        assert path.read_bytes() == before

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "is not a file of choose_k, or it is damaged"),
            ("[1]", "is not a file of choose_k"),
            ('{"format": "jaxlda.choose_k", "version": 1, "corpus": "x", "fits"', "damaged"),
            ('{"format": "jaxlda.choose_k", "version": 1, "corpus": "x", "fits": [], "settings": {}}', "damaged"),
            ('{"format": "jaxlda.choose_k", "version": 9, "corpus": "", "fits": {}, "settings": {}}', "version 9"),
        ],
    )
    def test_damaged_or_newer_is_refused(self, tmp_path, content, message):
        path = tmp_path / "k.json"
        path.write_text(content)
        with pytest.raises(ValueError, match=message):
            quick([2], path=path)
        assert path.read_text() == content

    def test_is_complete_at_every_moment(self, tmp_path, monkeypatch):
        """A crash while the second fit is written leaves the file with the first, and nothing beside it."""
        path = tmp_path / "k.json"
        first = quick([2], path=path)

        def crash(*_):
            raise OSError("no space left on device")

        with monkeypatch.context() as patch, pytest.raises(OSError, match="no space"):
            patch.setattr("os.replace", crash)
            quick([2, 3], path=path)
        assert [file.name for file in tmp_path.iterdir()] == ["k.json"]
        assert_same(quick([2], path=path), first)

    def test_needs_a_folder_and_a_kernel_with_a_name(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="there is no folder"):
            quick([2], path=tmp_path / "none" / "k.json")
        with pytest.raises(ValueError, match=r"'mine' is one of your own and cannot be saved by name.*'cgs'"):
            quick([2], path=tmp_path / "k.json", kernel=toy()._replace(name="mine"))
        quick([2], path=tmp_path / "k.json", kernel=toy(), num_warmup=np.int64(1))  # equal to one with a name
        quick([2], path=tmp_path / "k.json")


def stop():
    raise KeyboardInterrupt


class TestInterrupt:
    def interrupt_at(self, monkeypatch, K):
        fitted = module._fitted
        monkeypatch.setattr(
            module, "_fitted", lambda model, *rest: stop() if model.num_topics == K else fitted(model, *rest)
        )

    def test_keeps_what_is_finished(self, tmp_path, monkeypatch, fits):
        path = tmp_path / "k.json"
        with monkeypatch.context() as patch:
            self.interrupt_at(patch, 4)
            with pytest.warns(RuntimeWarning, match=r"2 of 3 .* finished \(2, 3\); call choose_k with the same path"):
                assert list(quick([2, 3, 4], path=path).scores) == [2, 3]
            with pytest.warns(RuntimeWarning, match="give a path to be able to go on"):
                quick([3, 4])
        done = len(fits)
        assert list(quick([2, 3, 4], path=path).scores) == [2, 3, 4]
        assert fits[done:] == [4]

    def test_with_nothing_finished_is_an_interrupt(self, monkeypatch):
        self.interrupt_at(monkeypatch, 2)
        with pytest.raises(KeyboardInterrupt):
            quick([2, 3])

    def test_a_fit_cut_short_does_not_count(self, monkeypatch):
        """Ctrl-C during a fit makes LDA keep the draws so far, with a warning; here it is no measure of K."""

        def cut_short(self, X, y=None):
            import warnings

            warnings.warn("Stopped at sweep 1 of 9", RuntimeWarning, stacklevel=1)
            self.run_ = SimpleNamespace(finished=False)

        monkeypatch.setattr(LDA, "fit", cut_short)
        with pytest.raises(KeyboardInterrupt):
            quick([2])


@pytest.mark.parametrize(
    ("ks", "options", "error", "message"),
    [
        ([], {}, ValueError, "ks is empty"),
        (5, {}, TypeError, r"such as \[10, 20, 50\]; got 5"),
        ("5", {}, TypeError, "got '5'"),
        ([2, 0], {}, ValueError, "a number of topics in ks must be at least 1; got 0"),
        ([2.5], {}, TypeError, "must be an integer; got 2.5"),
        ([2], {"test_size": 0.2, "folds": 2}, ValueError, "test_size or folds, not both"),
        ([2], {"folds": 31}, ValueError, "from 2 to the number of documents, 30; got 31"),
        ([2], {"folds": 1}, ValueError, "got 1"),
        ([2], {"test_size": 1.5}, ValueError, "test_size = 1.5 leaves one side"),
        ([2], {"inference": {"seed": 1}}, TypeError, "inference takes num_warmup, .*; not seed"),
        ([2], {"inference": {"num_samples": 0}}, ValueError, "num_samples must be at least 1"),
        ([2], {"sweeps": 3}, TypeError, "sweeps"),
        ([2], {"seed": -1}, ValueError, "seed must not be negative"),
        ([2], {"kernel": "gibs"}, ValueError, "there is no kernel 'gibs'"),
        ([2], {"corpus": ["a text"]}, TypeError, "not texts"),
    ],
)
def test_says_what_is_wrong(ks, options, error, message):
    with pytest.raises(error, match=message):
        quick(ks, **options)


def test_empty_documents_on_one_side():
    corpus = jaxlda.Corpus.from_counts(np.vstack([np.zeros((9, 3), int), [[1, 2, 3]]]))
    with pytest.raises(ValueError, match="one side of the split are empty"):
        quick([2], corpus, test_size=5)


class TestSuggestion:
    """Perplexity decides which numbers are able, and quality which of these is taken."""

    def choice(self, losses, **quality):
        """Numbers 5, 10, 20 with these losses per token to the best, on documents that vary by 0.1."""
        rng = np.random.default_rng(0)
        n = np.full(400, 50)
        base = rng.normal(-7, 0.5, 400) * n
        noise = {K: rng.normal(0, 0.1, 400) * n for K in (5, 10, 20)}
        scores = {
            K: Score(base + noise[K] - noise[K].mean() - loss * n, n)
            for K, loss in zip((5, 10, 20), losses, strict=True)
        }
        told = {K: {name: values[i] for name, values in quality.items()} for i, K in enumerate((5, 10, 20))}
        return Choice(scores, told)

    def test_the_only_one_that_predicts_best(self):
        choice = self.choice((1.0, 0.0, 0.5), coherence=(0.9, 0.1, 0.1))
        assert choice.suggestion == 10
        assert choice.why.startswith("10 topics predict new documents clearly better")
        assert choice.why.endswith("Of all, coherence is highest with 5.")

    def test_of_those_the_one_with_the_best_topics(self):
        choice = self.choice((1.0, 0.001, 0.0), coherence=(0.9, 0.3, 0.2), stability=(0.9, 0.8, 0.7))
        assert choice.best == 20 and choice.suggestion == 10
        assert "and 10 within one standard error" in choice.why
        assert "Of these, 10 topics have the highest coherence (0.300) and stability (0.800)." in choice.why
        assert choice.table.columns[-2:].tolist() == ["coherence", "stability"]
        assert str(choice).splitlines()[-1] == f"suggested: 10. {choice.why}"

    def test_without_quality_the_smallest(self):
        choice = self.choice((1.0, 0.001, 0.0))
        assert choice.suggestion == choice.smallest_within_one_se == 10 and "are the fewest" in choice.why

    def test_what_is_not_known_of_all_is_not_told(self):
        choice = self.choice((1.0, 0.001, 0.0), coherence=(0.9, np.nan, 0.2), exclusivity=(0.1, 0.2, 0.3))
        assert "coherence" not in choice.table and choice.suggestion == 20

    def test_nothing_to_compare_with(self):
        choice = Choice({5: Score(np.array([-9.0]), np.array([3]))})
        assert choice.suggestion == 5 and "nothing to compare" in choice.why


def test_quality_is_kept_with_the_scores(tmp_path, monkeypatch):
    monkeypatch.setitem(KERNELS, "toy", toy)
    corpus = jaxlda.datasets.load("bars").subset(range(30))
    options = {"kernel": "toy", "num_warmup": 1, "num_samples": 1, "num_chains": 2, "progress": False}
    inference = {"num_warmup": 0, "num_samples": 1, "thinning": 1, "num_chains": 1}
    path = tmp_path / "kept.json"
    first = choose_k(corpus, [2, 3], path=path, inference=inference, **options)
    assert set(first.quality[2]) == {"coherence", "exclusivity", "diversity", "stability"}
    again = choose_k(corpus, [2, 3], path=path, inference=inference, **options)
    assert again.quality == first.quality and again.suggestion == first.suggestion
    older = json.loads(path.read_text(encoding="utf-8"))
    for fit in older["fits"].values():
        del fit["quality"]  # as files were written before
    path.write_text(json.dumps(older), encoding="utf-8")
    assert choose_k(corpus, [2, 3], path=path, inference=inference, **options).quality == {2: {}, 3: {}}
