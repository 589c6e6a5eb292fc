"""Questions about the draws of a run, with few chains and with many."""

import numpy as np
import pandas as pd
import pytest

import jaxlda
from jaxlda import diagnostics
from jaxlda_app.jobs import Jobs
from jaxlda_app.questions import _many, convergence, mixing
from jaxlda_app.store import Session
from jaxlda_app.views.convergence import ConvergenceView
from tests.app.snapshots import partial, snapshot_of

BARS = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0]


@pytest.fixture(scope="module")
def few():
    return snapshot_of(BARS, num_topics=3, num_samples=6)


@pytest.fixture(scope="module")
def many():
    return snapshot_of(BARS, num_topics=3, num_samples=6, num_chains=16)


def test_all_about_one_quantity(few):
    found = mixing.mixing(few)
    assert found.quantity == found.names[0] == "log joint" and "perplexity" in found.names
    assert found.traces["ys"][1].tolist() == few.run.objective[1, 4::2].tolist()
    assert found.traces["xs"][0].tolist() == [5, 7, 9, 11, 13, 15]  # the sweeps of the draws
    assert sum(map(sum, found.ranks["ys"])) == 2 * 2 * 6
    assert [line[0] for line in found.autocorrelation["ys"]] == [1, 1]
    assert all(band is _many.NO_BAND for band in found.bands.values())
    other = mixing.mixing(few, "perplexity")
    assert other.quantity == "perplexity" and other.traces["ys"][0].tolist() != found.traces["ys"][0].tolist()
    assert mixing.mixing(few, "of another run").quantity == "log joint"


def test_draws_that_are_too_few(few):
    early = partial(few, 9)
    assert early.run.num_draws == 3
    found, so_far = mixing.mixing(early, "perplexity"), mixing.developing(early)
    assert found.names == found.traces["name"] == found.densities["name"] == so_far.rhat["name"] == []


def test_many_chains_are_bands_with_nested_rhat(few, many):
    assert mixing.developing(few).groups == 0 and mixing.developing(few).rhat["name"] == ["log joint", "perplexity"]
    found, so_far = mixing.mixing(many), mixing.developing(many)
    for name in ("traces", "densities", "ranks", "autocorrelation"):
        lines, band = getattr(found, name), found.bands[name]
        assert lines["name"] == ["median of 16 chains", f"chain {many.best_chain}, the best"]
        assert (band["low"] <= band["high"]).all() and len(band["x"]) == len(lines["xs"][0]) > 0
    assert so_far.groups == 4 and so_far.rhat["name"][2:] == ["log joint, nested", "perplexity, nested"]
    draws = many.run.objective[:, 4::2]
    assert so_far.rhat["ys"][2][-1] == diagnostics.rhat_nested(draws, np.repeat(np.arange(4), 4))
    assert convergence.curves(many).likelihood["name"] == found.traces["name"]


@pytest.mark.parametrize(("chains", "groups"), [(15, 0), (16, 4), (17, 0), (24, 6), (64, 8)])
def test_groups_of_chains(chains, groups):
    found = mixing.grouped(chains)
    assert (0 if found is None else len(np.unique(found))) == groups
    assert found is None or np.ptp(np.bincount(found)) == 0


def test_a_chain_that_stands_still_leaves_the_others_their_band():
    values = np.random.default_rng(0).normal(size=(10, 4))
    values[3] = np.nan
    lines, band = _many.many_lines(np.arange(4.0), values, best=0)
    np.testing.assert_allclose(lines["ys"][0], np.nanmedian(values, axis=0))
    assert len(band["x"]) == 4


def test_the_view_shows_the_quantity_that_is_chosen(few, until):
    jobs = Jobs()
    session = Session(jobs, corpus=BARS, corpus_name="bars", active="Convergence")
    view = ConvergenceView(session)
    session.snapshot = few
    for chosen in ("log joint", "perplexity"):
        if view.quantity.options:
            view.quantity.value = chosen
        view.refresh()
        until(lambda: session.answer() or not session.thinking)
        assert view.quantity.value == chosen and view.charts["densities"].visible
        drawn = view.plots["traces"].select_one({"name": "lines"}).data_source.data["ys"][0]
        assert drawn.tolist() == mixing.quantities(few)[chosen][0].tolist()
        assert view.plots["densities"].xaxis.axis_label == chosen
    assert view.legend.object.count("<li>") == 2 and not view.plots["ranks"].legend.visible
    assert not view.limit.visible  # six draws do not tell what chance explains
    view._say_verdict(convergence.Verdict("Converged.", True, pd.DataFrame(), 1.04))
    assert view.limit.visible and view.limit.location == 1.04
    session.close()
    jobs.close()
