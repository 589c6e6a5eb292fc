"""Hard and soft counts in tables and figures, held to the estimators and to Eq. 60 written out."""

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda import estimators
from jaxlda.plots import counts
from jaxlda.types import Sample
from tests import reference
from tests.laws.corpora import MIXED, PREDICTION


@pytest.fixture(scope="module")
def sample() -> Sample:
    return jaxlda.run(jax.random.key(1), jaxlda.kernels.cgs(), MIXED, num_warmup=3, num_samples=0).chain(0)


@pytest.fixture(scope="module")
def soft(sample):
    return estimators.soften(sample, MIXED)


def source(plot, name="counts"):
    return plot.select_one({"name": name}).data_source.data


class TestSoftRow:
    @pytest.mark.parametrize("piece", [1, 1 << 19])
    def test_of_a_word_and_of_a_document(self, sample, soft, monkeypatch, piece):
        monkeypatch.setattr(counts, "_PIECE", piece)
        for v in (0, 14):  # the last never occurs
            np.testing.assert_allclose(counts.soft_row(sample, MIXED, MIXED.tokens.w == v), soft.n_vk[v], atol=1e-5)
        np.testing.assert_allclose(counts.soft_row(sample, MIXED, slice(9, 23)), soft.n_dk[1], atol=1e-5)
        np.testing.assert_array_equal(counts.soft_row(sample, MIXED, slice(9, 9)), np.zeros(4))

    def test_with_topics_fixed(self):
        run = jaxlda.run(jax.random.key(1), jaxlda.kernels.cgs(), PREDICTION, num_warmup=2, num_samples=0)
        soft = estimators.soften(run.chain(0), PREDICTION)
        np.testing.assert_allclose(counts.soft_row(run.chain(0), PREDICTION, slice(0, 9)), soft.n_dk[0], atol=1e-5)


class TestGaps:
    def test_mean_is_equation_60(self, sample, soft):
        gaps = counts.document_gaps(np.asarray(sample.counts.n_dk), np.asarray(soft.n_dk))
        assert gaps.document.tolist() == [0, 1, 3, 4, 5, 6, 7, 8, 9]  # two documents are empty
        assert gaps.gap.mean() == pytest.approx(float(estimators.gap(sample.counts, soft)), rel=1e-5)
        assert gaps.gap.mean() == pytest.approx(
            reference.hard_soft_gap(np.asarray(sample.z), reference.problem(MIXED)), rel=1e-5
        )

    @pytest.mark.parametrize("piece", [8, 1 << 19])
    def test_of_all_documents_one_by_one(self, sample, soft, monkeypatch, piece):
        monkeypatch.setattr(counts, "_PIECE", piece)
        ours = counts.sampled_gaps(sample, MIXED)
        theirs = counts.document_gaps(np.asarray(sample.counts.n_dk), np.asarray(soft.n_dk))
        np.testing.assert_array_equal(ours.document, theirs.document)
        np.testing.assert_allclose(ours.gap, theirs.gap, atol=1e-5)

    def test_of_some_documents(self, sample):
        every = dict(zip(*counts.sampled_gaps(sample, MIXED), strict=True))
        some = counts.sampled_gaps(sample, MIXED, budget=200)
        assert 1 <= len(some.gap) < 9 and np.asarray(MIXED.tokens.n_d)[some.document].sum() * 4 <= 200
        np.testing.assert_allclose(some.gap, [every[d] for d in some.document.tolist()])
        assert len(counts.sampled_gaps(sample, MIXED, budget=1).gap) == 1

    def test_nothing_but_empty_documents(self):
        data = jaxlda.Corpus.from_counts([[1, 1], [0, 0]]).subset([1]).data(num_topics=2)
        sampler = jaxlda.kernels.cgs()
        sample = sampler.readout(sampler.init(jax.random.key(0), data), data)
        assert len(counts.sampled_gaps(sample, data).gap) == 0
        assert counts.histogram_table(counts.sampled_gaps(sample, data).gap)["count"].sum() == 0

    def test_the_greatest_gap_is_in_the_histogram(self):
        gaps = counts.document_gaps(np.array([[5, 0]]), np.array([[0.0, 5.0]])).gap
        assert gaps.tolist() == [2.0] and counts.histogram_table(gaps)["count"].tolist()[-1] == 1


class TestFigures:
    def test_bars(self):
        table = counts.hard_soft_table(np.array([2, 0, 1]), np.array([1.5, 0.5, 1.0]), names=["a", "<b>", "c"])
        plot = counts.hard_and_soft(table, "tokens of document 3")
        assert source(plot)["hard"].tolist() == [2, 0, 1] and source(plot)["name"].tolist() == ["a", "<b>", "c"]
        assert {bars.glyph.top for bars in plot.renderers} == {"hard", "soft"}
        assert plot.yaxis.axis_label == "tokens of document 3"
        assert len({id(bars.data_source) for bars in plot.renderers}) == 1  # moved together
        difference = counts.hard_soft_difference(table)
        assert source(difference, "difference")["difference"].tolist() == [-0.5, 0.5, 0.0]
        assert difference.renderers[0].glyph.top == "difference"

    def test_edges_change_in_large_steps(self):
        ends = [counts.gap_edges(np.array(gaps))[-1] for gaps in ([], [0.1], [0.11], [0.3, 0.5], [0.9], [1.2], [2.0])]
        assert ends == [0.1, 0.1, 0.2, 0.5, 1.0, 2.0, 2.0]

    def test_histogram(self):
        plot = counts.gap_histogram(counts.histogram_table(np.array([0.02, 0.03, 1.99])))
        assert source(plot, "histogram")["count"].tolist() == [2, *[0] * 38, 1]
        assert not plot.select_one({"name": "chosen"}).visible
