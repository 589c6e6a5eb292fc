"""Small things that were wrong once, each with what it should have been."""

import math

import numpy as np
import pandas as pd
import pytest
from bokeh.document import Document
from bokeh.protocol.messages.pull_doc_reply import pull_doc_reply

import jaxlda
from jaxlda_app import headings, store
from jaxlda_app.jobs import Job, Jobs
from jaxlda_app.page import Page
from jaxlda_app.questions import _chain, compare, convergence, export, mixing, topics
from jaxlda_app.report import clone, plot_json
from jaxlda_app.runs import Kept
from jaxlda_app.steady import send_documents_whole
from jaxlda_app.store import Session
from jaxlda_app.views import VIEWS
from jaxlda_app.views._upload import MB
from jaxlda_app.views.counts import CountsView
from jaxlda_app.views.export import _size
from jaxlda_app.views.fit import FitView
from jaxlda_app.views.labels import best_pairs
from tests.app.snapshots import snapshot_of

BARS = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0]


@pytest.fixture
def session():
    jobs = Jobs()
    session = Session(jobs, corpus=BARS, corpus_name="bars")
    yield session
    session.close()
    jobs.close()


def done(session):
    """Whether all questions are answered, also those that rest."""
    session.answer()
    return not session.thinking


@pytest.fixture(scope="module")
def cvb0():
    return snapshot_of(BARS, num_topics=3, kernel="cvb0", num_samples=4, num_warmup=30)


@pytest.fixture(scope="module")
def drawn():
    return snapshot_of(BARS, num_topics=3, num_samples=4)


def test_axes_that_a_browser_has_told_of_are_forgotten(session):
    """Whenever a page is sent: at first, after a reload, and once a lost connection is back; and in what is saved."""
    send_documents_whole()
    page = Page(session)
    bars, points = page.view("Topics").chosen.plots["words"], page.view("Topics").plots["map"]
    assert bars.x_range.start == 0 and math.isnan(bars.x_range.end)
    document = Document()
    document.add_root(bars)
    document.add_root(points)
    bars.x_range.update(start=0, end=0.025)
    points.y_range.update(start=0, end=-math.inf)
    sent = pull_doc_reply.create("1", document).content["doc"]
    copy = {one.id: one for one in Document.from_json(sent).models}
    assert copy[bars.x_range.id].start == 0 and math.isnan(copy[bars.x_range.id].end)
    assert math.isnan(copy[points.y_range.id].start) and math.isnan(copy[points.y_range.id].end)
    saved = clone(plot_json(bars)).x_range
    assert saved.start == 0 and math.isnan(saved.end)
    assert bars.x_range.end == 0.025, "a page may show it"


def test_topics_are_compared_on_all_words(drawn, monkeypatch):
    """Words beyond the 499 most frequent were taken for one word, in which all topics agreed."""
    K, V = 3, 4000
    phis = np.random.default_rng(0).dirichlet(np.full(V, 0.05), (2, K)).astype(np.float32)
    phis[1, 0] = (phis[0, 2] + phis[1, 0]) / 2  # one that both have, more or less
    frequency = phis.sum(axis=(0, 1))
    monkeypatch.setattr(compare, "phi_once", lambda snapshot, kind, chain: phis[chain])
    monkeypatch.setattr(_chain, "LOGARITHMS", 0)  # as if there were hundreds of topics
    answer = compare.stability(drawn, 0, soft=False)
    truth = jaxlda.topics.stability_table(phis, 0)
    np.testing.assert_allclose(answer.table.similarity[2], truth.similarity[2], atol=1e-6)
    assert answer.table.partner.tolist()[2] == 0 and 0.5 < answer.table.similarity[2] < 0.8
    lumped = jaxlda.topics.stability_table(jaxlda.topics.condensed(phis, frequency, 0), 0)
    assert lumped.similarity[2] - truth.similarity[2] > 0.02, "the test would not notice"
    matrix = compare.aligned(drawn, 0, 1, soft=False).table
    full = 1 - jaxlda.alignment.distance(phis[0], phis[1], "hellinger") ** 2
    np.testing.assert_allclose(matrix[0], full[:, 0], atol=1e-6)


def test_a_default_run_can_be_uploaded_again():
    assert _size(51_500_000) == "51.5 MB" and MB == 10**6
    kept = 64 * 2**20  # bytes of draws that models keep by default
    assert store.MAX_UPLOAD * MB > 2 * kept


def test_chains_that_draw_nothing_are_judged_otherwise(cvb0):
    found = convergence.verdict(cvb0)
    assert "do not apply" in found.words and "assessed" not in found.words and found.table.empty
    assert isinstance(found.converged, bool)
    assert mixing.developing(cvb0).rhat["name"] == mixing.mixing(cvb0).ranks["name"] == []


def test_no_empty_plots_for_chains_that_draw_nothing(session, cvb0, drawn, until):
    view = CountsView(session)
    for snapshot, shown in ((cvb0, False), (drawn, True)):
        session.snapshot = snapshot
        view.refresh()
        until(lambda: done(session))
        for name in ("gap", "documents", "document_difference", "word_difference"):
            assert view.parts[name].visible == shown, name
        assert view.parts["document"].visible
        assert set(view.figures()) == {f"counts_{name}" for name, part in view.parts.items() if part.visible}


def test_no_more_digits_than_mean_anything():
    row = {"quantity": "log joint", "mean": -1234.5678, "sd": 1.23456, "ess_bulk": 115.5955, "ess_tail": 12.3}
    table = pd.DataFrame([row | {"rhat": math.nan, "limit": 1.0123}])
    shown = convergence.shown_table(table, total=64).iloc[0].tolist()
    assert shown == ["log joint", "-1235", "1.2", "64 or more", "12", "too few draws", "1.012"]


@pytest.mark.parametrize(
    ("micro", "words"),
    [
        ([0.5, 0.5, 0.5, 0.5], "all pairs of estimators have it"),
        ([0.5, 0.6, 0.6001, 0.4], "is 0.600, and b and c have it alike"),
        ([0.5, 0.6, 0.7, 0.4], "that of c: 0.700"),
    ],
)
def test_the_best_may_be_several(micro, words):
    assert words in best_pairs(pd.DataFrame({"pair": list("abcd"), "micro": micro}))


@pytest.mark.hours
def test_the_map_shows_labels():
    labels = ["a", "b", "c"]
    corpus = jaxlda.Corpus.from_counts(BARS.counts, labels=[{labels[d % 3]} for d in range(20)])
    answer = topics.overview(snapshot_of(corpus, "PriorLDA"), 0, True, 0.6)
    assert jaxlda.plots.maps.map_columns(answer.table, answer.words)["label"].tolist() == labels
    numbers = answer.table.assign(name=[f"topic {k}" for k in range(3)])
    assert jaxlda.plots.maps.map_columns(numbers)["label"].tolist() == ["", "", ""]


def test_start_asks_before_it_stops_a_run(session, drawn, monkeypatch):
    view, started = FitView(session), []
    monkeypatch.setattr(session, "start", lambda: started.append(True))
    job = Job(session, None, BARS)
    job.status = "running"
    session.param.update(current=Kept("bars", BARS, "bars", job), snapshot=drawn, status="running")
    view.attempt(view.begin)
    assert view.asking.open and "stops it" in view.question.value and not started
    view.keep_on()
    assert not view.asking.open and not started
    view.attempt(view.begin)
    view.attempt(view.begin_anew)
    assert started and not view.asking.open
    job.status = session.status = "finished"
    view.attempt(view.begin)
    assert len(started) == 2 and not view.asking.open


def test_changed_settings_are_hinted_at(session, drawn):
    view = FitView(session)
    session.param.update(**{name: drawn.model.params[name] for name in ("num_topics", "num_chains", "seed")})
    known = drawn.model._replace(params=session.params())
    session.snapshot = drawn._replace(model=known)
    assert not view.hint.visible
    session.num_topics = 8
    assert view.hint.visible and "Topics K" in view.hint.value and "Press Start" in view.hint.value
    session.num_topics = drawn.model.params["num_topics"]
    assert not view.hint.visible


def test_some_more_sweeps_after_stop(session, drawn, monkeypatch):
    asked = []
    monkeypatch.setattr(session.jobs, "resume", lambda job, more=0, limit=None: asked.append((more, limit)))
    run = drawn.run
    job = Job(session, None, BARS)
    job.run, job.status = run, "stopped"
    session.current = Kept("bars", BARS, "bars", job, size=1)
    session.more(100)
    left = run.schedule.total - run.sweep
    assert asked == [(100 - left, run.sweep + 100)]


def test_the_report_begins_with_what_matters(drawn):
    shown = {"convergence": pd.DataFrame({"quantity": ["x"]})}
    page = export.prepared(drawn, "report", 0, "bars", shown, {"convergence_rhat": ("{}", "Near 1, chains agree.")})
    text = page.content.decode()
    text = text[text.index("<h1>") :]
    order = ["<h1>", "LDA with 3 topics", "Verdict", "<h2>Topics", "Topic 0", "R-hat by draws", "Near 1", "How it was"]
    places = [text.index(words) for words in [*order, "Burn-in, sweeps", "Quantities of the highest R-hat"]]
    assert places == sorted(places)
    assert "num_warmup" not in text[: text.index("Python code")] and "convergence_rhat" not in text


def test_all_figures_and_tables_have_headings(session, drawn, until):
    session.snapshot = drawn
    names: set[str] = set()
    tables: set[str] = set()
    for kind in VIEWS:
        view = kind(session)
        view.refresh()
        until(lambda: done(session))
        names |= set(view.figures())
        tables |= set(view.tables())
    assert len(names) > 10 and names <= set(headings.FIGURES) and tables <= set(headings.TABLES)
